//! The only builder of contact problems from bodies and contacts.

use super::{Prediction, Scheme};
use crate::bodies::{Bodies, Wall};
use crate::collision::{Contact, Partner, Patches};
use crate::law::Law;
use crate::math::DVec3;
use crate::problem::{ContactGeometry, ContactProblem, Delassus, Lever, MatrixFree};

/// The mean velocity (m/s) over the step of the wall's point that a contact touches.
fn wall_velocity(
    contact: &Contact,
    patch: u32,
    bodies: &Bodies,
    walls: &[Wall],
    patches: &Patches,
    prediction: &Prediction,
) -> DVec3 {
    let i = contact.a as usize;
    let point = contact.point(bodies.position[i], bodies.radius[i]);
    let kinematics = &walls[patches.wall(patch)].kinematics;
    kinematics.mean_surface_velocity(point, prediction.time, prediction.step)
}

/// Builds the problem of a step into `problem`, reusing its memory.
///
/// W = Dᵀ M⁻¹ D, b = Dᵀ v_free - (the wall's own velocity) + s, with s from the scheme and K from
/// the law. `allowed` (m) is the penetration that the last certificate allowed.
#[allow(
    clippy::too_many_arguments,
    reason = "the one place where all axes meet"
)]
pub fn assemble(
    bodies: &Bodies,
    walls: &[Wall],
    patches: &Patches,
    contacts: &[Contact],
    prediction: &Prediction,
    scheme: &dyn Scheme,
    law: Law,
    allowed: f64,
    problem: &mut ContactProblem,
) {
    if !matches!(problem.delassus, Delassus::MatrixFree(_)) {
        problem.delassus = Delassus::default();
    }
    let Delassus::MatrixFree(MatrixFree { space, .. }) = &mut problem.delassus else {
        unreachable!("made matrix-free above");
    };
    let ground = bodies.len() as u32;
    space.rows = law.rows();
    space.inverse_mass.clear();
    space
        .inverse_mass
        .extend((0..bodies.len()).map(|i| bodies.inverse_mass(i)));
    space.inverse_mass.push(0.0);
    // With one row impulses pass through the centres of spheres.
    space.lever = Lever::None;
    space.contacts.clear();
    problem.bias.clear();
    problem.offset.clear();
    for contact in contacts {
        let (b, other) = match contact.partner {
            Partner::Body(b) => (b, prediction.linear[b as usize]),
            Partner::Patch(patch) => (
                ground,
                wall_velocity(contact, patch, bodies, walls, patches, prediction),
            ),
        };
        let relative = prediction.linear[contact.a as usize] - other;
        let offset = scheme.offset(contact.gap, prediction.step, allowed);
        space.contacts.push(ContactGeometry {
            normal: contact.normal,
            a: contact.a,
            b,
        });
        problem.bias.push(contact.normal.dot(relative) + offset);
        problem.offset.push(offset);
    }
    problem.step = prediction.step;
    problem.set = law.admissible_set();
    if let Delassus::MatrixFree(operator) = &mut problem.delassus {
        operator.prepare();
    }
}

/// The bias of the problem that recovers positions: with the relative velocities `w` (W λ + b) of
/// the velocity problem, `b' = w - s + D/h`, so that `D + h (Dᵀ(v + p)) ≥ 0` for the shift p.
pub fn recovery_bias(
    problem: &ContactProblem,
    contacts: &[Contact],
    velocities: &[f64],
    bias: &mut Vec<f64>,
) {
    bias.clear();
    bias.extend(
        contacts
            .iter()
            .zip(velocities)
            .zip(&problem.offset)
            .map(|((contact, velocity), offset)| velocity - offset + contact.gap / problem.step),
    );
}
