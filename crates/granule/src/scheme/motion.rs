//! The motion of bodies before contacts act, and after.

use super::{Dynamics, Prediction};
use crate::bodies::{Bodies, TimeFunction};
use crate::math::{DQuat, DVec3, free_rotation, rotate_by};

/// Fills in the velocities of a prediction whose poses and times are known: `v_free = v + h M⁻¹ f`
/// with the force that `force` gives for the step, and ω_free by the midpoint rule with the
/// orientations of the prediction.
pub(super) fn free_velocities(
    bodies: &Bodies,
    dynamics: &Dynamics,
    prediction: &mut Prediction,
    force: impl Fn(&TimeFunction) -> f64,
) {
    let Prediction {
        step,
        look,
        position,
        orientation,
        linear,
        angular,
        ..
    } = prediction;
    let step = *step;
    linear.clone_from(&bodies.velocity);
    angular.clone_from(&bodies.angular_velocity);
    for (i, velocity) in linear.iter_mut().enumerate() {
        if bodies.is_dynamic(i) {
            *velocity += step * dynamics.gravity;
        } else {
            let kinematics = &bodies.kinematics[bodies.prescribed[i] as usize];
            *velocity = kinematics.mean_point_velocity(position[i], *look, step);
            angular[i] = kinematics.motion.angular_velocity();
        }
    }
    for body_force in dynamics.forces {
        let impulse = step * force(&body_force.magnitude) * body_force.direction;
        for (i, velocity) in linear.iter_mut().enumerate() {
            if bodies.is_dynamic(i) && body_force.material.is_none_or(|m| m == bodies.material[i]) {
                *velocity += impulse / bodies.mass[i];
            }
        }
    }
    let (moves, turns) = dynamics.free_axes();
    for i in (0..bodies.len()).filter(|&i| bodies.is_dynamic(i)) {
        linear[i] *= moves;
        angular[i] = if turns == DVec3::ONE {
            free_rotation(orientation[i], angular[i], bodies.inertia[i], step)
        } else {
            angular[i] * turns
        };
    }
}

/// What the contacts made of a step.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// Velocities at the end, m/s.
    pub linear: &'a [DVec3],
    /// Angular velocities at the end, world frame, rad/s.
    pub angular: &'a [DVec3],
    /// Velocities that move positions over the step and are forgotten, m/s.
    pub shift: Option<&'a [DVec3]>,
}

/// Moves the bodies from where contacts were looked for to the end of the step; what is prescribed
/// is then where it is said to be.
pub fn advance(bodies: &mut Bodies, prediction: &Prediction, outcome: &Outcome) {
    let Prediction { step, rest, .. } = *prediction;
    for i in 0..bodies.len() {
        let (velocity, spin) = (outcome.linear[i], outcome.angular[i]);
        let (position, orientation): (DVec3, DQuat) = if bodies.is_dynamic(i) {
            let shift = outcome.shift.map_or(DVec3::ZERO, |shift| step * shift[i]);
            (
                prediction.position[i] + (rest * velocity + shift),
                rotate_by(prediction.orientation[i], spin, rest),
            )
        } else {
            let kinematics = &bodies.kinematics[bodies.prescribed[i] as usize];
            kinematics.pose(prediction.time + step)
        };
        bodies.position[i] = position;
        bodies.orientation[i] = orientation;
    }
    bodies.velocity.copy_from_slice(outcome.linear);
    bodies.angular_velocity.copy_from_slice(outcome.angular);
}
