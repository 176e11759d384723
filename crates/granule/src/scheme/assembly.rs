//! The only builder of contact problems from bodies and contacts.

use super::Prediction;
use crate::bodies::{Bodies, Dimension, Wall};
use crate::collision::{Contact, ContactKey, Partner, Patches};
use crate::law::{AdmissibleSet, Flow, Friction, LawTable, Restitution};
use crate::math::{DVec3, Screw};
use crate::problem::{
    BodySpace, ContactGeometry, ContactProblem, Delassus, Lever, MatrixFree, Sets,
};

/// Bodies, walls and laws as the assembly sees them.
#[derive(Debug, Clone, Copy)]
pub struct Scenery<'a> {
    /// In how many dimensions the bodies move.
    pub dimension: Dimension,
    /// Whether bodies do not turn.
    pub lock_rotation: bool,
    /// The bodies.
    pub bodies: &'a Bodies,
    /// The walls.
    pub walls: &'a [Wall],
    /// Their pieces.
    pub patches: &'a Patches,
    /// Which law holds between which materials.
    pub laws: &'a LawTable,
}

/// Velocities (m/s) and angular velocities (rad/s) of all bodies.
pub type Velocities<'a> = (&'a [DVec3], &'a [DVec3]);

/// What a contact touches: its place in the body space, its material, and its motion.
struct Other {
    place: u32,
    material: u16,
    /// Velocity of the point, without turning in the case of a body, m/s.
    velocity: DVec3,
    /// r ω of a body, m/s.
    surface: DVec3,
    /// rad/s.
    spin: DVec3,
}

impl Scenery<'_> {
    /// What a contact touches, as it moves without contacts.
    fn other(&self, contact: &Contact, prediction: &Prediction) -> Other {
        match contact.partner {
            Partner::Body(b) => {
                let i = b as usize;
                Other {
                    place: b,
                    material: self.bodies.material[i],
                    velocity: prediction.linear[i],
                    surface: self.bodies.radius[i] * prediction.angular[i],
                    spin: prediction.angular[i],
                }
            }
            Partner::Patch(patch) => {
                let (velocity, spin) = self.wall_motion(contact, prediction);
                Other {
                    place: self.bodies.len() as u32,
                    material: self.walls[self.patches.wall(patch)].material,
                    velocity,
                    surface: DVec3::ZERO,
                    spin,
                }
            }
        }
    }

    /// The relative velocity (m/s) and spin (rad/s) of a contact, with the velocities and angular
    /// velocities of bodies that `of` gives.
    fn relative_motion(
        &self,
        contact: &Contact,
        prediction: &Prediction,
        of: impl Fn(usize) -> (DVec3, DVec3),
    ) -> Screw {
        let a = contact.a as usize;
        let (linear, angular) = of(a);
        let mut surface = self.bodies.radius[a] * angular;
        let (velocity, spin) = match contact.partner {
            Partner::Body(b) => {
                let (velocity, spin) = of(b as usize);
                surface += self.bodies.radius[b as usize] * spin;
                (velocity, spin)
            }
            Partner::Patch(_) => self.wall_motion(contact, prediction),
        };
        Screw {
            linear: linear - velocity + contact.normal.cross(surface),
            angular: angular - spin,
        }
    }

    /// The velocity (m/s) with which a convexified law wants a contact to open that slides, rolls and
    /// spins like this: de Saxcé's `μ |u_T| + δ |ω_T| + σ |ω_n|`.
    fn opening(&self, contact: &Contact, motion: Screw) -> f64 {
        let materials = &self.bodies.material;
        let other = match contact.partner {
            Partner::Body(b) => materials[b as usize],
            Partner::Patch(patch) => self.walls[self.patches.wall(patch)].material,
        };
        let interface = self.laws.between(materials[contact.a as usize], other);
        let friction = interface.law.friction();
        // A moment acts on what turns.
        let turns = if self.lock_rotation { 0.0 } else { 1.0 };
        let set = AdmissibleSet::RollingCone {
            friction: friction.sliding,
            rolling: turns * friction.rolling,
            spinning: turns * friction.spinning,
        };
        set.dilation(motion, contact.normal)
    }

    /// [`Scenery::opening`] as the contact moves at the start of the step, what is prescribed over the
    /// step.
    fn opening_at_start(&self, contact: &Contact, prediction: &Prediction) -> f64 {
        let bodies = self.bodies;
        let motion = self.relative_motion(contact, prediction, |i| {
            if bodies.is_dynamic(i) {
                (bodies.velocity[i], bodies.angular_velocity[i])
            } else {
                (prediction.linear[i], prediction.angular[i])
            }
        });
        self.opening(contact, motion)
    }

    /// How far a contact is at the end of the step from where the convexified law acts, m:
    /// `D + h (u_n - μ |u_T| - δ |Δω_T| - σ |Δω_n|)` with the velocities of all bodies after the solve,
    /// negative where the law is violated.
    pub fn convex_margin(
        &self,
        contact: &Contact,
        prediction: &Prediction,
        (linear, angular): Velocities,
    ) -> f64 {
        let motion = self.relative_motion(contact, prediction, |i| (linear[i], angular[i]));
        let along = contact.normal.dot(motion.linear);
        contact.gap + prediction.step * (along - self.opening(contact, motion))
    }

    /// The mean velocity (m/s) over h from `start` (s) on of the wall's point that a contact touches.
    fn wall_velocity(
        &self,
        contact: &Contact,
        wall: &Wall,
        prediction: &Prediction,
        start: f64,
    ) -> DVec3 {
        let i = contact.a as usize;
        let point = contact.point(prediction.position[i], self.bodies.radius[i]);
        let kinematics = &wall.kinematics;
        kinematics.mean_surface_velocity(point, start, prediction.step)
    }

    /// Velocity (m/s) of the wall's point that a contact touches, and spin (rad/s) of the wall, over the
    /// step; zero for a contact of two bodies.
    pub fn wall_motion(&self, contact: &Contact, prediction: &Prediction) -> (DVec3, DVec3) {
        match contact.partner {
            Partner::Body(_) => (DVec3::ZERO, DVec3::ZERO),
            Partner::Patch(patch) => {
                let wall = &self.walls[self.patches.wall(patch)];
                let velocity = self.wall_velocity(contact, wall, prediction, prediction.look);
                (velocity, wall.kinematics.motion.angular_velocity())
            }
        }
    }

    /// Velocity and angular velocity of a body at the start of the step; of a prescribed one, those
    /// over h up to where contacts are looked for.
    fn body_before(&self, body: u32, prediction: &Prediction) -> (DVec3, DVec3) {
        let (i, bodies) = (body as usize, self.bodies);
        if bodies.is_dynamic(i) {
            return (bodies.velocity[i], bodies.angular_velocity[i]);
        }
        let kinematics = &bodies.kinematics[bodies.prescribed[i] as usize];
        let start = prediction.look - prediction.step;
        let from = kinematics.pose(start).0;
        (
            kinematics.mean_point_velocity(from, start, prediction.step),
            kinematics.motion.angular_velocity(),
        )
    }

    /// The relative velocity of a contact at the start of the step, where it is looked for
    /// [barboteu2017, eq. (19)].
    fn velocity_before(&self, contact: &Contact, prediction: &Prediction) -> DVec3 {
        let a = contact.a as usize;
        let (own, spin) = self.body_before(contact.a, prediction);
        let own_surface = self.bodies.radius[a] * spin;
        let (other, surface) = match contact.partner {
            Partner::Body(b) => {
                let (velocity, spin) = self.body_before(b, prediction);
                (
                    velocity,
                    own_surface + self.bodies.radius[b as usize] * spin,
                )
            }
            Partner::Patch(patch) => {
                let wall = &self.walls[self.patches.wall(patch)];
                let start = prediction.look - prediction.step;
                let velocity = self.wall_velocity(contact, wall, prediction, start);
                (velocity, own_surface)
            }
        };
        own - other + contact.normal.cross(surface)
    }

    /// What an impact gives back: e v⁻ along the normal and across it, m/s.
    fn rebound(
        &self,
        restitution: Restitution,
        contact: &Contact,
        prediction: &Prediction,
    ) -> (f64, DVec3) {
        if restitution.is_none() {
            return (0.0, DVec3::ZERO);
        }
        let before = self.velocity_before(contact, prediction);
        let along = contact.normal.dot(before);
        let across = before - along * contact.normal;
        (restitution.normal * along, restitution.tangential * across)
    }

    /// Masses and levers of the bodies into `space`, the ground last.
    fn masses(&self, rows: usize, space: &mut BodySpace) {
        let bodies = self.bodies;
        space.rows = rows;
        space.inverse_mass.clear();
        space
            .inverse_mass
            .extend((0..bodies.len()).map(|i| bodies.inverse_mass(i)));
        space.inverse_mass.push(0.0);
        if rows == 1 {
            // Impulses pass through the centres of spheres.
            space.lever = Lever::None;
            return;
        }
        let (mut radius, mut inverse_inertia) =
            match std::mem::replace(&mut space.lever, Lever::None) {
                Lever::Radial {
                    radius,
                    inverse_inertia,
                } => (radius, inverse_inertia),
                Lever::None => Default::default(),
            };
        radius.clone_from(&bodies.radius);
        radius.push(0.0);
        inverse_inertia.clear();
        inverse_inertia.extend((0..bodies.len()).map(|i| {
            if self.lock_rotation || !bodies.is_dynamic(i) || bodies.radius[i] == 0.0 {
                0.0
            } else {
                1.0 / bodies.inertia[i].z
            }
        }));
        inverse_inertia.push(0.0);
        space.lever = Lever::Radial {
            radius,
            inverse_inertia,
        };
    }
}

/// What a scheme adds to the normal velocities of contacts.
pub struct Offset<F> {
    /// What a gap (m) adds, m/s.
    pub of_gap: F,
    /// Whether under a convexified law contacts count as open by what their slip at the start of the
    /// step asks for (see [`super::Rattle`]).
    pub slip_opens: bool,
}

/// Builds the problem of a step into `problem`, reusing its memory.
///
/// W = Dᵀ M⁻¹ D, b = Dᵀ v_free - (the wall's own velocity) + s, with s from the gap and the
/// restitution, and K from the laws.
pub fn assemble(
    scenery: &Scenery,
    contacts: &[Contact],
    prediction: &Prediction,
    offset: Offset<impl Fn(f64) -> f64>,
    problem: &mut ContactProblem,
) {
    if !matches!(problem.delassus, Delassus::MatrixFree(_)) {
        problem.delassus = Delassus::default();
    }
    let Delassus::MatrixFree(MatrixFree { space, .. }) = &mut problem.delassus else {
        unreachable!("made matrix-free above");
    };
    let bodies = scenery.bodies;
    let rows = scenery.laws.rows(scenery.dimension.count());
    scenery.masses(rows, space);
    space.contacts.clear();
    space.arms.clear();
    problem.bias.clear();
    problem.offset.clear();
    let flow = scenery.laws.flow();
    let mut largest = Largest::default();
    problem.restitution.clear();
    let elastic = !scenery.laws.is_inelastic();
    let mut sets = SetsBuilder::new(rows, std::mem::take(&mut problem.sets));
    for contact in contacts {
        let other = scenery.other(contact, prediction);
        let (a, normal) = (contact.a as usize, contact.normal);
        let geometry = ContactGeometry {
            normal,
            a: contact.a,
            b: other.place,
        };
        space.contacts.push(geometry);
        largest.add(prediction, contact, &other, bodies);
        let interface = scenery.laws.between(bodies.material[a], other.material);
        let (along, across) = scenery.rebound(interface.restitution, contact, prediction);
        if elastic {
            problem.restitution.push(interface.restitution);
        }
        let along = (offset.of_gap)(contact.gap) + along;
        let relative = prediction.linear[a] - other.velocity;
        if rows == 1 {
            problem.offset.push(along);
            problem.bias.push(normal.dot(relative) + along);
            continue;
        }
        let slip_opens = offset.slip_opens && flow == Flow::Associated;
        let along = if slip_opens {
            let opening = scenery.opening_at_start(contact, prediction);
            // Where there is room already it counts; an overlap stays one.
            along.min(0.0) + along.max(opening)
        } else {
            along
        };
        let offset = along * normal + across;
        let surface = bodies.radius[a] * prediction.angular[a] + other.surface;
        let velocity = relative + normal.cross(surface) + offset;
        let linear = rows.min(3);
        problem.offset.extend(&offset.to_array()[..linear]);
        problem.bias.extend(&velocity.to_array()[..linear]);
        let length = if rows == 6 {
            let length = space.contact_length(&geometry);
            let spin = length * (prediction.angular[a] - other.spin);
            problem.offset.extend([0.0; 3]);
            problem.bias.extend(spin.to_array());
            length
        } else {
            0.0
        };
        sets.push(interface.law.friction(), length);
    }
    if rows == 6 {
        space.set_arms();
    }
    problem.step = prediction.step;
    problem.sets = sets.finish();
    problem.flow = flow;
    problem.rounding = largest.rounding(prediction.step);
    if let Delassus::MatrixFree(operator) = &mut problem.delassus {
        operator.prepare();
    }
}

/// Rounding of a velocity or position as a multiple of its size: of the sums that it takes part in,
/// and of the steps that made it.
const UNITS: f64 = 16.0 * f64::EPSILON;

/// The largest positions and velocities behind a problem.
#[derive(Default)]
struct Largest {
    /// m.
    position: f64,
    /// Squares of velocities of bodies and walls, and of those of their surfaces by turning, m²/s².
    velocity: f64,
    surface: f64,
}

impl Largest {
    fn add(&mut self, prediction: &Prediction, contact: &Contact, other: &Other, bodies: &Bodies) {
        let a = contact.a as usize;
        let radius = bodies.radius[a];
        let velocity = prediction.linear[a].length_squared();
        let surface = radius * radius * prediction.angular[a].length_squared();
        let velocity = velocity.max(other.velocity.length_squared());
        self.velocity = self.velocity.max(velocity);
        self.surface = (self.surface.max(surface)).max(other.surface.length_squared());
        let position = prediction.position[a].abs().max_element() + radius;
        self.position = self.position.max(position);
    }

    /// What their rounding can amount to in the velocity of a contact, m/s.
    fn rounding(&self, step: f64) -> f64 {
        let relative = 2.0 * (self.velocity.sqrt() + self.surface.sqrt());
        UNITS * (relative + self.position / step)
    }
}

/// Fills the sets of a problem in memory that is used again.
struct SetsBuilder(Sets);

impl SetsBuilder {
    fn new(rows: usize, old: Sets) -> Self {
        Self(match (rows, old) {
            (1, _) => Sets::HalfLine,
            (6, Sets::RollingCone(mut list)) => {
                list.clear();
                Sets::RollingCone(list)
            }
            (6, _) => Sets::RollingCone(Vec::new()),
            (_, Sets::Cone(mut list)) => {
                list.clear();
                Sets::Cone(list)
            }
            (_, _) => Sets::Cone(Vec::new()),
        })
    }

    /// Adds a contact with the length ℓ (m).
    fn push(&mut self, friction: Friction, length: f64) {
        match &mut self.0 {
            // The builder starts with one of the other kinds.
            Sets::HalfLine | Sets::Mixed(_) => {}
            Sets::Cone(list) => list.push(friction.sliding),
            Sets::RollingCone(list) => {
                // Where nothing turns there is no moment either.
                let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
                list.push([
                    friction.sliding,
                    friction.rolling * inverse,
                    friction.spinning * inverse,
                ]);
            }
        }
    }

    fn finish(self) -> Sets {
        self.0
    }
}

/// The normal velocity (m/s) of each contact without what scheme and law added to it, `n·(w - s)`,
/// from the `velocities` w (W λ + b).
pub fn normal_velocities<'a>(
    problem: &'a ContactProblem,
    contacts: &'a [Contact],
    velocities: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    let rows = problem.rows();
    let parts = velocities
        .chunks_exact(rows)
        .zip(problem.offset.chunks_exact(rows));
    contacts.iter().zip(parts).map(move |(contact, (w, s))| {
        if rows == 1 {
            return w[0] - s[0];
        }
        let normal = contact.normal.to_array();
        let force = w.iter().zip(s).zip(normal);
        force.map(|((w, s), n)| (w - s) * n).sum()
    })
}

/// Of the largest velocity: differences below it are rounding.
const ROUNDING: f64 = 1e-12;

/// The contacts that are closed at the end of the step in the linearised gap: those whose velocity
/// `velocities` (w = W λ + b, m/s) is on the boundary of the cone K* that it must not leave. The way
/// to the boundary is w_n less de Saxcé's `μ |w_T|` under the convex law, and w_n under the exact one. A
/// contact that carries an impulse is there up to (1 + μ) times the `residual` (m/s) of its
/// certificate, which therefore counts as zero, and so does rounding.
pub fn closed_contacts(
    problem: &ContactProblem,
    contacts: &[Contact],
    velocities: &[f64],
    residual: f64,
    closed: &mut Vec<ContactKey>,
) {
    let rows = problem.rows();
    let largest = problem.bias.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    closed.clear();
    let blocks = velocities.chunks_exact(rows);
    for (k, (contact, w)) in contacts.iter().zip(blocks).enumerate() {
        let set = problem.set(k);
        let velocity = Screw::from_rows(w, contact.normal);
        let along = contact.normal.dot(velocity.linear);
        let away = match problem.flow {
            Flow::Associated => along - set.dilation(velocity, contact.normal),
            Flow::Exact => along,
        };
        let coefficients: f64 = set.limits().iter().sum();
        if away <= (1.0 + coefficients) * residual + ROUNDING * largest {
            closed.push(contact.key());
        }
    }
}

/// How much of the overlaps is recovered.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// The depth (m) that is left.
    pub left: f64,
    /// The share of what is deeper that is taken out in one step.
    pub share: f64,
}

/// The frictionless problem that recovers positions: with the normal velocities v after the velocity
/// problem, `b' = v + (D + left)/h`, so that `D + h (v + n·Dᵀ p) ≥ -left` for the shift p; of what
/// is deeper only a share is taken out.
pub fn assemble_recovery(
    problem: &ContactProblem,
    contacts: &[Contact],
    velocities: &[f64],
    extent: Extent,
    recovery: &mut ContactProblem,
) {
    let Delassus::MatrixFree(operator) = &problem.delassus else {
        unreachable!("steps are assembled matrix-free");
    };
    if !matches!(recovery.delassus, Delassus::MatrixFree(_)) {
        recovery.delassus = Delassus::default();
    }
    let Delassus::MatrixFree(target) = &mut recovery.delassus else {
        unreachable!("made matrix-free above");
    };
    let source = &operator.space;
    target.space.inverse_mass.clone_from(&source.inverse_mass);
    target.space.contacts.clone_from(&source.contacts);
    target.prepare();
    recovery.step = problem.step;
    recovery.bias.clear();
    let gaps = contacts
        .iter()
        .map(|c| (c.gap + extent.left) / problem.step);
    let velocities = normal_velocities(problem, contacts, velocities);
    recovery.bias.extend(velocities.zip(gaps).map(|(v, gap)| {
        let bias = v + gap;
        if bias < 0.0 {
            extent.share * bias
        } else {
            bias
        }
    }));
}
