//! One step, as named stages.

use super::account::Before;
use super::second::{Second, StepProblem};
use super::solvers::{Effort, Solvers};
use super::{
    ContactImpulse, Infeasible, Item, Settings, Snapshot, Stage, StageTimes, StepError, StepReport,
    StepSize, World,
};
use crate::bodies::Dimension;
use crate::collision::{Contact, ContactKey, Detection, Neighbours, Partner, Patches};
use crate::law::Flow;
use crate::math::DVec3;
use crate::measure;
use crate::problem::{ContactProblem, DelassusScratch, ProblemKind};
use crate::scheme::{Prediction, Scheme, SchemeName, scheme};
use crate::solver::Incompatible;
use std::time::Instant;

/// Steps after which the bodies are put into spatial order again.
const REORDER: u64 = 100;

/// How often a step is solved again at most because a contact had been left out. The set of contacts
/// only grows, so this ends by itself long before.
const MAX_REPEATS: usize = 200;

/// Why a simulation cannot be set up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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

/// A world being simulated.
///
/// Runs in the rayon pool it is called from; the result does not depend on the number of threads.
///
/// ```
/// use granule::bodies::{Dimension, Motion, Sphere, Wall};
/// use granule::math::DVec3;
/// use granule::shapes::{HalfSpace, Surface};
/// use granule::simulation::{Settings, Simulation, StepSize, World};
///
/// let mut world = World::new(Dimension::Space);
/// world.gravity = DVec3::new(0.0, 0.0, -9.81);
/// let floor = Surface::HalfSpace(HalfSpace);
/// world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
/// world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 0.5), 0.1, 1.0));
///
/// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.01), 1.0)).unwrap();
/// while !simulation.finished() {
///     let report = simulation.step().unwrap();
///     assert!(report.certified);
/// }
/// // The sphere lies on the floor, to the default tolerance.
/// assert!((simulation.world().bodies.position[0].z - 0.1).abs() < 1e-6);
/// ```
pub struct Simulation {
    pub(super) world: World,
    pub(super) settings: Settings,
    pub(super) scheme: Box<dyn Scheme>,
    pub(super) solvers: Solvers,
    pub(super) recovery_solvers: Option<Solvers>,
    /// Contacts of the last step with their impulses.
    pub(super) previous: Vec<ContactImpulse>,
    pub(super) last_step: f64,
    pub(super) allowed: f64,
    pub(super) smallest_radius: f64,
    pub(super) times: StageTimes,
    pub(super) work: Workspace,
}

/// Scratch memory, reused from step to step.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) patches: Patches,
    pub(super) neighbours: Neighbours,
    pub(super) detection: Detection,
    /// How far each body may go in the step before the solve is known, m.
    pub(super) allowance: Vec<f64>,
    /// What the neighbour list must cover, m.
    pub(super) reach: Vec<f64>,
    /// Whether the solve made a body go, or the law act, farther than was allowed for.
    pub(super) farther: Vec<bool>,
    pub(super) forced: Vec<ContactKey>,
    pub(super) missed: Vec<ContactKey>,
    pub(super) contacts: Vec<Contact>,
    pub(super) prediction: Prediction,
    pub(super) problem: ContactProblem,
    pub(super) impulses: Vec<f64>,
    /// Contacts and impulses of the step so far, where it is repeated.
    pub(super) repeat: Vec<ContactImpulse>,
    pub(super) scratch: DelassusScratch,
    /// Relative velocities of contacts after the solve, m/s.
    pub(super) relative: Vec<f64>,
    /// The problem that recovers positions.
    pub(super) recovery: ContactProblem,
    pub(super) recovery_impulses: Vec<f64>,
    /// Velocities after the step, m/s and rad/s.
    pub(super) linear: Vec<DVec3>,
    pub(super) angular: Vec<DVec3>,
    /// Velocity that only moves positions, m/s.
    pub(super) shift: Vec<DVec3>,
    pub(super) displacement: Vec<DVec3>,
    pub(super) second: Second,
    pub(super) before: Before,
    pub(super) partials: Vec<f64>,
    /// What could not be satisfied in the last step.
    pub(super) infeasible: Option<Infeasible>,
}

/// Friction turns bodies about any axis with one moment of inertia: that of spheres and disks.
fn check_inertia(world: &World, rows: usize) -> Result<(), (&'static str, String)> {
    let bodies = &world.bodies;
    let unequal = |i: &usize| {
        let j = bodies.inertia[*i];
        bodies.is_dynamic(*i) && (j.x != j.z || j.y != j.z)
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
    let convexified = kind.rows > 1 && kind.flow == Flow::Associated;
    match scheme.refuses_convexified().filter(|_| convexified) {
        None => Ok(()),
        Some([why, try_instead]) => Err(Incompatible {
            what: format!("scheme `{}` with law `coulomb-convex`", scheme.name()),
            why: why.to_owned(),
            try_instead: try_instead.to_owned(),
        }),
    }
}

impl Simulation {
    /// Sets up a simulation. A world that cannot be simulated is refused (see [`World::validate`]).
    pub fn new(world: World, settings: Settings) -> Result<Self, SetupError> {
        Self::restore(Snapshot::start(world, settings))
    }

    /// Sets up a simulation that goes on from a snapshot, with the same bits as if it had never
    /// stopped. A snapshot whose parts do not belong together is refused.
    pub fn restore(snapshot: Snapshot) -> Result<Self, SetupError> {
        snapshot.world.validate()?;
        let patches = Patches::new(&snapshot.world.walls);
        snapshot.validate(&patches)?;
        let Snapshot {
            world,
            mut settings,
            contacts,
            last_step,
            allowed,
        } = snapshot;
        settings.validate()?;
        let setting = |(name, reason)| SetupError::Setting { name, reason };
        world.laws.validate().map_err(setting)?;
        if !settings.scheme.name.rebounds() && !world.laws.is_inelastic() {
            let reason = format!(
                "needs a scheme with impacts; those of `{}` are inelastic: use `moreau-jean`",
                settings.scheme.name.name()
            );
            return Err(setting(("restitution", reason)));
        }
        let rows = world.laws.rows(world.dimension.count());
        let kind = ProblemKind::of_contacts(rows, world.laws.flow());
        check_inertia(&world, kind.rows).map_err(setting)?;
        settings.solver.method = settings.solver.method.named(kind.rows);
        let scheme = scheme(&settings.scheme);
        check_friction(settings.scheme.name, &kind)?;
        let solvers = Solvers::new(settings.solver);
        solvers.supports(&kind)?;
        if scheme.stops_at_end() {
            let flow = scheme.end_flow(kind.flow);
            solvers.supports(&ProblemKind { flow, ..kind })?;
        }
        let work = Workspace {
            patches,
            ..Workspace::default()
        };
        let radii = (0..world.bodies.len())
            .filter(|&i| world.bodies.is_dynamic(i))
            .map(|i| world.bodies.radius[i]);
        let smallest_radius = radii.fold(f64::INFINITY, f64::min);
        if matches!(settings.step, StepSize::Cfl { .. }) && smallest_radius == 0.0 {
            return Err(SetupError::Setting {
                name: "cfl",
                reason: "is a fraction of a radius, and there are points; give a `step`".to_owned(),
            });
        }
        Ok(Self {
            scheme,
            solvers,
            recovery_solvers: None,
            previous: contacts,
            last_step,
            allowed,
            smallest_radius,
            times: StageTimes::default(),
            work,
            world,
            settings,
        })
    }

    /// All that is needed to go on later.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            world: self.world.clone(),
            settings: self.settings,
            contacts: self.previous.clone(),
            last_step: self.last_step,
            allowed: self.allowed,
        }
    }

    /// The world as it is now; its bodies are in the order of places, which
    /// [`crate::bodies::Bodies::places`] gives for ids.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How it is simulated.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The contacts of the last step with their impulses, sorted by the places of the bodies; see
    /// [`Simulation::contact_ids`].
    pub fn contacts(&self) -> &[ContactImpulse] {
        &self.previous
    }

    /// The ids of the bodies of a contact of the last step, the one that the impulse acts on first;
    /// the second is `None` for a contact with a wall (see [`Simulation::wall_of`]).
    pub fn contact_ids(&self, contact: &ContactImpulse) -> (u32, Option<u32>) {
        let id = |place: u32| self.world.bodies.id[place as usize];
        let other = match contact.partner {
            Partner::Body(b) => Some(id(b)),
            Partner::Patch(_) => None,
        };
        (id(contact.a), other)
    }

    /// The problem of the last step, with the impulses that were used.
    pub fn problem(&self) -> (&ContactProblem, &[f64]) {
        (&self.work.problem, &self.work.impulses)
    }

    /// The first problem of the last step with the velocities that it starts from.
    pub fn first_problem(&self) -> StepProblem<'_> {
        StepProblem {
            problem: &self.work.problem,
            impulses: &self.work.impulses,
            linear: &self.work.prediction.linear,
            angular: &self.work.prediction.angular,
        }
    }

    /// The second problem of the last step, if the scheme has one.
    pub fn second_problem(&self) -> Option<StepProblem<'_>> {
        let second = self.scheme.stops_at_end().then_some(&self.work.second);
        second.map(Second::problem)
    }

    /// Who left each other no room in the last step, if it was infeasible and made all the same.
    pub fn last_infeasible(&self) -> Option<&Infeasible> {
        self.work.infeasible.as_ref()
    }

    /// The length of the last step, s; zero before the first.
    pub fn last_step_size(&self) -> f64 {
        self.last_step
    }

    /// The wall that a contact's patch belongs to.
    pub fn wall_of(&self, patch: u32) -> usize {
        self.work.patches.wall(patch)
    }

    /// The time spent in each stage so far.
    pub fn times(&self) -> &StageTimes {
        &self.times
    }

    /// How often the neighbour list was built.
    pub fn neighbour_builds(&self) -> u64 {
        self.work.neighbours.builds
    }

    /// Whether the end time is reached.
    pub fn finished(&self) -> bool {
        let scale = if self.last_step > 0.0 {
            self.last_step
        } else {
            self.settings.end
        };
        self.settings.end - self.world.time <= 1e-9 * scale
    }

    /// The length of the coming step, s.
    fn next_step_size(&self) -> f64 {
        let bodies = &self.world.bodies;
        let step = match self.settings.step {
            StepSize::Fixed(step) => step,
            StepSize::Cfl { fraction, longest } => {
                let fastest = bodies
                    .velocity
                    .iter()
                    .map(|v| (*v + longest * self.world.gravity).length())
                    .fold(0.0, f64::max);
                let limit = fraction * self.smallest_radius / fastest;
                if limit.is_finite() {
                    limit.min(longest)
                } else {
                    longest
                }
            }
        };
        let left = self.settings.end - self.world.time;
        // The last step ends at the end; one that misses it by rounding keeps its length.
        if left < step * (1.0 - 1e-9) {
            left
        } else {
            step
        }
    }

    /// Takes one step.
    ///
    /// On an error everything that the next step depends on is as it was before; [`Self::problem`] then
    /// shows the problem that failed. After the end there is no step to take.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        if self.finished() {
            let end = self.settings.end;
            return Err(StepError::Finished { end });
        }
        let due = self.world.steps.is_multiple_of(REORDER);
        let order = if due && self.world.dimension != Dimension::Line {
            self.sort_bodies()
        } else {
            None
        };
        let result = self.try_step();
        if let (Err(_), Some(order)) = (&result, order) {
            self.restore_order(order);
        }
        result
    }

    /// Finds the velocities of the coming step, and only then moves anything.
    fn try_step(&mut self) -> Result<StepReport, StepError> {
        let mut clock = Instant::now();
        let (time, step) = (self.world.time, self.next_step_size());
        self.work.infeasible = None;
        self.predict(time, step);
        self.times.lap(Stage::Predict, &mut clock);

        self.allow(step);
        self.work.forced.clear();
        let mut repeats = 0;
        let mut effort = Effort::default();
        let (first, recovered) = loop {
            self.detect();
            self.times.lap(Stage::Detect, &mut clock);
            self.assemble();
            self.times.lap(Stage::Assemble, &mut clock);
            self.warm_start(step, repeats > 0);
            self.times.lap(Stage::WarmStart, &mut clock);
            let mut first = self.solve();
            self.times.lap(Stage::Solve, &mut clock);
            self.accept_contacts(&first)?;
            let recovered = self.recover()?;
            self.times.lap(Stage::Certify, &mut clock);
            effort.add(&first.effort);
            if let Some(verdict) = &recovered.verdict {
                effort.add(&verdict.effort);
            }
            self.velocities();
            self.times.lap(Stage::Advance, &mut clock);
            if !self.find_missed(step, step * first.allowed_residual()) {
                break (first, recovered);
            }
            if repeats == MAX_REPEATS {
                // A step that still leaves a contact out is not certified, whatever its residual.
                first.certified = false;
                break (first, recovered);
            }
            repeats += 1;
            self.remember(true);
        };
        self.check_finite()?;
        let (mut certificate, mut certified) = (first.certificate, first.certified);
        if let Some(verdict) = &recovered.verdict {
            certificate = certificate.with_recovery(&verdict.certificate);
            certified &= verdict.certified;
        }
        if self.scheme.stops_at_end() {
            let end = self.stop_at_end(&first)?;
            effort.add(&end.effort);
            certificate = certificate.joined(&end.certificate);
            certified &= end.certified;
            self.times.lap(Stage::Solve, &mut clock);
        }

        // Nothing fails from here on.
        self.note_before();
        self.remember(false);
        self.remember_second();
        let went = self.wall_allowance();
        self.advance(time, step, went);
        // Gaps are made by the first problem.
        self.allowed = step * first.allowed_residual();
        self.last_step = step;
        self.times.lap(Stage::Advance, &mut clock);

        certificate.max_penetration = self.reached_penetration(went);
        self.times.lap(Stage::Certify, &mut clock);
        let [normal_impulse, at_end] = self.normal_impulses();
        let kinetic_energy = measure::kinetic_energy(&self.world.bodies);
        let (energy, momentum_error) = self.account(kinetic_energy);
        let report = StepReport {
            step: self.world.steps,
            time: self.world.time,
            step_size: step,
            contacts: self.work.contacts.len(),
            active: certificate.active,
            iterations: effort.iterations,
            applications: effort.applications,
            convex_solves: effort.convex_solves,
            method: first.method,
            certificate,
            escalations: effort.escalations,
            certified,
            infeasible: self.work.infeasible.is_some(),
            repeats,
            normal_impulse: normal_impulse + at_end,
            normal_impulse_at_end: at_end,
            recovered: recovered.deepest,
            kinetic_energy,
            potential_energy: measure::potential_energy(&self.world.bodies, self.world.gravity),
            energy,
            momentum_error,
        };
        self.times.lap(Stage::Measure, &mut clock);
        Ok(report)
    }
}
