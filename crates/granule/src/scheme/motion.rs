//! The motion of bodies before contacts act, and after.

use super::{Dynamics, Prediction, Velocities};
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
        contact_time,
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
            *velocity = kinematics.mean_point_velocity(position[i], *contact_time, step);
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
    for (i, load) in dynamics.loads.iter().enumerate() {
        if bodies.is_dynamic(i) {
            linear[i] += step * load.force / bodies.mass[i];
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
        if let Some(load) = dynamics.loads.get(i) {
            let torque = orientation[i].conjugate() * load.torque;
            angular[i] += step * (orientation[i] * (torque / bodies.inertia[i])) * turns;
        }
    }
}

/// What the contacts made of a step.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// Velocities at the end, m/s.
    pub linear: &'a [DVec3],
    /// Angular velocities at the end, world frame, rad/s.
    pub angular: &'a [DVec3],
    /// Velocities and angular velocities that move the bodies over the step and are forgotten, m/s and
    /// rad/s; none where nothing is moved that way.
    pub shift: Option<Velocities<'a>>,
}

impl Outcome<'_> {
    /// The pose of a body at the end of the step.
    pub(super) fn end_pose(
        &self,
        bodies: &Bodies,
        prediction: &Prediction,
        body: usize,
    ) -> (DVec3, DQuat) {
        let Prediction {
            step, remaining, ..
        } = *prediction;
        if !bodies.is_dynamic(body) {
            let kinematics = &bodies.kinematics[bodies.prescribed[body] as usize];
            return kinematics.pose(prediction.time + step);
        }
        let (shift, turn) = self
            .shift
            .map_or((DVec3::ZERO, DVec3::ZERO), |(shift, turn)| {
                (step * shift[body], turn[body])
            });
        let orientation = rotate_by(prediction.orientation[body], self.angular[body], remaining);
        (
            prediction.position[body] + (remaining * self.linear[body] + shift),
            if turn == DVec3::ZERO {
                orientation
            } else {
                rotate_by(orientation, turn, step)
            },
        )
    }
}

/// Moves the bodies from where contacts were looked for to the end of the step; what is prescribed
/// is then where it is said to be.
pub fn advance(bodies: &mut Bodies, prediction: &Prediction, outcome: &Outcome) {
    for i in 0..bodies.len() {
        let (position, orientation) = outcome.end_pose(bodies, prediction, i);
        bodies.position[i] = position;
        bodies.orientation[i] = orientation;
    }
    bodies.velocity.copy_from_slice(outcome.linear);
    bodies.angular_velocity.copy_from_slice(outcome.angular);
}

/// The end of the step as the start of a second problem: poses and velocities as the first left them;
/// for what is prescribed, the mean velocities over the h that follow.
pub fn predict_end(
    bodies: &Bodies,
    prediction: &Prediction,
    outcome: &Outcome,
    end: &mut Prediction,
) {
    let Prediction { time, step, .. } = *prediction;
    end.time = time + step;
    end.step = step;
    end.contact_time = end.time;
    end.remaining = 0.0;
    end.lattice = prediction
        .lattice
        .map(|lattice| lattice.after(prediction.remaining));
    end.rate_before = prediction.rate_before;
    end.rate_free = end.lattice.map_or(end.rate_free, |lattice| lattice.rate());
    end.position.clear();
    end.orientation.clear();
    end.linear.clear();
    end.linear.extend_from_slice(outcome.linear);
    end.angular.clear();
    end.angular.extend_from_slice(outcome.angular);
    for i in 0..bodies.len() {
        let (position, orientation) = outcome.end_pose(bodies, prediction, i);
        end.position.push(position);
        end.orientation.push(orientation);
        if !bodies.is_dynamic(i) {
            let kinematics = &bodies.kinematics[bodies.prescribed[i] as usize];
            end.linear[i] = kinematics.mean_point_velocity(position, end.contact_time, step);
        }
    }
}
