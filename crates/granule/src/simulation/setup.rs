//! From a world or a snapshot to a simulation.

use super::solvers::Solvers;
use super::step::Workspace;
use super::{Item, Settings, Simulation, Snapshot, StageTimes, StepSize, World};
use crate::bodies::{BodyKind, Dimension};
use crate::collision::{Neighbours, Patches};
use crate::law::Flow;
use crate::math::DVec3;
use crate::problem::ProblemKind;
use crate::scheme::{SchemeName, scheme};
use crate::solver::{Incompatible, Watch};

/// Why a simulation cannot be set up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Scheme, law and solver do not go together.
    #[error(transparent)]
    Incompatible(#[from] Incompatible),
    /// A setting has a value that makes no sense.
    #[error("`{name}` {reason}")]
    Setting {
        /// Which setting.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A body, a wall, a force or something else of the world cannot be simulated.
    #[error("{item}: {reason}")]
    World {
        /// Which.
        item: Item,
        /// What is wrong, and how to mend it.
        reason: String,
    },
}

fn setting((name, reason): (&'static str, String)) -> SetupError {
    SetupError::Setting { name, reason }
}

/// Friction turns spheres about any axis with one moment of inertia.
fn check_inertia(world: &World, rows: usize) -> Result<(), (&'static str, String)> {
    let bodies = &world.bodies;
    let unequal = |i: &usize| {
        let j = bodies.inertia[*i];
        bodies.is_dynamic(*i) && bodies.is_sphere(*i) && (j.x != j.z || j.y != j.z)
    };
    if rows == 1 || world.lock_rotation || world.dimension != Dimension::Space {
        return Ok(());
    }
    match (0..bodies.len()).find(unequal) {
        None => Ok(()),
        Some(i) => Err((
            "inertia",
            format!(
                "of body {} is {} kg m²: friction needs equal moments of inertia, those of a sphere; \
                 leave `inertia` out, or use `frictionless`",
                bodies.id[i], bodies.inertia[i]
            ),
        )),
    }
}

/// Not every scheme goes with a convexified law.
fn check_friction(scheme: SchemeName, kind: &ProblemKind) -> Result<(), Incompatible> {
    let convexified = kind.rows > 1 && kind.flow != Flow::Exact;
    if kind.flow == Flow::Skewed
        && let Some([why, try_instead]) = scheme.refuses_dilatancy()
    {
        return Err(Incompatible {
            what: format!("scheme `{}` with `dilatancy`", scheme.name()),
            why: why.to_owned(),
            try_instead: try_instead.to_owned(),
        });
    }
    match scheme.refuses_convexified().filter(|_| convexified) {
        None => Ok(()),
        Some([why, try_instead]) => Err(Incompatible {
            what: format!("scheme `{}` with law `coulomb-convex`", scheme.name()),
            why: why.to_owned(),
            try_instead: try_instead.to_owned(),
        }),
    }
}

/// The smallest radius of a sphere that moves freely, or half the thickness of a solid, m; infinite if there is
/// none.
pub(super) fn smallest_radius(world: &World) -> f64 {
    let bodies = &world.bodies;
    let moving = (0..bodies.len()).filter(|&i| bodies.is_dynamic(i));
    moving
        .map(|i| bodies.thickness(i))
        .fold(f64::INFINITY, f64::min)
}

/// Whether some body that moves freely has moments of inertia that differ.
pub(super) fn tumbles(world: &World) -> bool {
    let moments = world.bodies.inertia.iter().zip(&world.bodies.kind);
    let unequal = |j: &DVec3| *j != DVec3::splat(j.x);
    let mut moving = moments.filter(|(_, kind)| **kind == BodyKind::Dynamic);
    moving.any(|(j, _)| unequal(j))
}

impl Simulation {
    /// Sets up a simulation, and makes the bonds that its world has at the start. A world that cannot be simulated is refused (see [`World::validate`]).
    pub fn new(world: World, settings: Settings) -> Result<Self, SetupError> {
        Self::restore(Snapshot::start(world, settings))
    }

    /// Sets up a simulation that goes on from a snapshot, with the same bits as if it had never
    /// stopped; before its first step bonds are made as from a world. A snapshot whose parts do not belong together is refused.
    pub fn restore(snapshot: Snapshot) -> Result<Self, SetupError> {
        snapshot.world.validate()?;
        let patches = Patches::new(&snapshot.world.walls);
        snapshot.validate(&patches)?;
        let Snapshot {
            world,
            mut settings,
            contacts,
            joints,
            last_step,
            allowed,
            elastic_energy,
            loads,
            exchanged,
        } = snapshot;
        settings.validate()?;
        world.laws.validate().map_err(setting)?;
        if !settings.scheme.name.rebounds() && !world.laws.is_inelastic() {
            let reason = format!(
                "needs a scheme with impacts; those of `{}` are inelastic: use `moreau-jean`",
                settings.scheme.name.name()
            );
            return Err(setting(("restitution", reason)));
        }
        let mut kind = ProblemKind::of_laws(&world.laws, world.dimension.count());
        for joint in &world.joints {
            joint.add_to(&mut kind);
        }
        kind.common = world.pressed_faces().is_some();
        check_inertia(&world, kind.rows).map_err(setting)?;
        settings.solver.own = settings.solver.own.named(&kind);
        let scheme = scheme(&settings.scheme);
        check_friction(settings.scheme.name, &kind)?;
        let solvers = Solvers::new(settings.solver, Watch::default());
        solvers.supports(&kind)?;
        if scheme.stops_at_end() {
            let mut end = kind;
            end.flow = scheme.end_flow(kind.flow);
            // What yields is not stopped at the end of a step.
            end.sets.yields = false;
            solvers.supports(&end)?;
        }
        let smallest_radius = smallest_radius(&world);
        if matches!(settings.step, StepSize::Cfl { .. }) && smallest_radius == 0.0 {
            let reason = "is a fraction of a radius, and there are points; give a `step`";
            return Err(setting(("cfl", reason.to_owned())));
        }
        let mut work = Workspace {
            patches,
            neighbours: Neighbours::remembering(&contacts),
            ..Workspace::default()
        };
        work.places.find(&world);
        let mut simulation = Self {
            joints,
            scheme,
            solvers,
            recovery_solvers: None,
            watch: Watch::default(),
            exchanged,
            last_step,
            allowed,
            elastic_energy,
            smallest_radius,
            tumbles: tumbles(&world),
            loads,
            times: StageTimes::default(),
            work,
            world,
            settings,
        };
        if simulation.joints.is_empty() {
            simulation.start_joints();
        }
        simulation.bring_back();
        if last_step == 0.0 {
            simulation.bond_at_start()?;
        }
        Ok(simulation)
    }

    /// All that is needed to go on later.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            world: self.world.clone(),
            settings: self.settings,
            contacts: self.work.neighbours.contacts().collect(),
            joints: self.joints.clone(),
            last_step: self.last_step,
            allowed: self.allowed,
            elastic_energy: self.elastic_energy,
            loads: self.loads.clone(),
            exchanged: self.exchanged,
        }
    }
}
