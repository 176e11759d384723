//! The only builder of contact problems from bodies and contacts.

use super::{Prediction, Scheme};
use crate::bodies::{Bodies, Dimension, Wall};
use crate::collision::{Contact, Partner, Patches};
use crate::law::{Friction, LawTable};
use crate::math::DVec3;
use crate::problem::{
    BodySpace, ContactGeometry, ContactProblem, Delassus, Lever, MatrixFree, Sets,
};

/// The mean velocity (m/s) over the step of the wall's point that a contact touches.
fn wall_velocity(
    contact: &Contact,
    wall: &Wall,
    bodies: &Bodies,
    prediction: &Prediction,
) -> DVec3 {
    let i = contact.a as usize;
    let point = contact.point(bodies.position[i], bodies.radius[i]);
    let kinematics = &wall.kinematics;
    kinematics.mean_surface_velocity(point, prediction.time, prediction.step)
}

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
                let wall = &self.walls[self.patches.wall(patch)];
                Other {
                    place: self.bodies.len() as u32,
                    material: wall.material,
                    velocity: wall_velocity(contact, wall, self.bodies, prediction),
                    surface: DVec3::ZERO,
                    spin: wall.kinematics.motion.angular_velocity(),
                }
            }
        }
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

/// Builds the problem of a step into `problem`, reusing its memory.
///
/// W = Dᵀ M⁻¹ D, b = Dᵀ v_free - (the wall's own velocity) + s, with s from the scheme and K from
/// the laws. `allowed` (m) is the penetration that the last certificate allowed.
pub fn assemble(
    scenery: &Scenery,
    contacts: &[Contact],
    prediction: &Prediction,
    scheme: &dyn Scheme,
    allowed: f64,
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
        let offset = scheme.offset(contact.gap, prediction.step, allowed);
        problem.offset.push(offset);
        let relative = prediction.linear[a] - other.velocity;
        if rows == 1 {
            problem.bias.push(normal.dot(relative) + offset);
            continue;
        }
        let surface = bodies.radius[a] * prediction.angular[a] + other.surface;
        let velocity = relative + normal.cross(surface) + offset * normal;
        problem
            .bias
            .extend_from_slice(&velocity.to_array()[..rows.min(3)]);
        let length = if rows == 6 {
            let length = space.contact_length(&geometry);
            let spin = length * (prediction.angular[a] - other.spin);
            problem.bias.extend(spin.to_array());
            length
        } else {
            0.0
        };
        let law = scenery.laws.between(bodies.material[a], other.material);
        sets.push(law.friction(), length);
    }
    if rows == 6 {
        space.set_arms();
    }
    problem.step = prediction.step;
    problem.sets = sets.finish();
    problem.flow = scenery.laws.flow();
    if let Delassus::MatrixFree(operator) = &mut problem.delassus {
        operator.prepare();
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
            Sets::HalfLine => {}
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

/// The frictionless problem that recovers positions: with the relative velocities `w` (W λ + b) of
/// the velocity problem, `b' = n·w - s + D/h`, so that `D + h n·Dᵀ(v + p) ≥ 0` for the shift p.
pub fn assemble_recovery(
    problem: &ContactProblem,
    contacts: &[Contact],
    velocities: &[f64],
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
    let rows = source.rows;
    for (k, (contact, offset)) in contacts.iter().zip(&problem.offset).enumerate() {
        let w = &velocities[k * rows..][..rows];
        let along = if rows == 1 {
            w[0]
        } else {
            let force = &w[..rows.min(3)];
            let normal = contact.normal.to_array();
            force.iter().zip(normal).map(|(w, n)| w * n).sum()
        };
        recovery
            .bias
            .push(along - offset + contact.gap / problem.step);
    }
}
