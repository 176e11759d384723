//! Maury's scheme: the gap linearised over the step.
//!
//! ```text
//! u = argmin ½ |u - u⁰ - h M⁻¹ f̄|²_M   subject to   D_k + h G_k·u ≥ 0      [maury2006, eq. (14), (15)]
//! q = q⁰ + h u                                                             [maury2006, eq. (19)]
//! ```
//!
//! with the mean force f̄ over the step; rotations as in [bloch2023, §1.3]. In the terms of
//! [`crate::problem`]: `s = D/h`. Signed distances of spheres are convex functions of position, so
//! configurations stay feasible for any step, up to the certificate.
//!
//! *Deviation* (default, `recovery = "position"`): where bodies already overlap by more than the
//! last certificate allowed (after sliding on the inside of a curved wall, where the gap is
//! concave; or from an overlapping start), the printed constraint would throw them apart with the
//! velocity depth/h. Here the velocity problem only forbids further approach (`s = 0`), so that
//! without forces the kinetic energy never grows, and the overlap is taken out of the positions by
//! a second problem, `min ½|p|²_M` subject to `D + h G·(u + p) ≥ 0`, whose p moves the bodies once
//! and is forgotten.

use super::{Dynamics, Prediction, Recovery, Scheme, SchemeName};
use crate::bodies::Bodies;
use crate::math::{DVec3, free_rotation, rotate_by};

/// The scheme `maury`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Maury {
    recovery: Recovery,
}

impl Maury {
    /// The scheme with the given treatment of overlaps.
    pub fn new(recovery: Recovery) -> Self {
        Self { recovery }
    }
}

impl Scheme for Maury {
    fn name(&self) -> SchemeName {
        SchemeName::Maury
    }

    fn predict(
        &self,
        bodies: &Bodies,
        dynamics: &Dynamics,
        time: f64,
        step: f64,
        prediction: &mut Prediction,
    ) {
        prediction.time = time;
        prediction.step = step;
        prediction.linear.clone_from(&bodies.velocity);
        prediction.angular.clone_from(&bodies.angular_velocity);
        for (i, velocity) in prediction.linear.iter_mut().enumerate() {
            if bodies.is_dynamic(i) {
                *velocity += step * dynamics.gravity;
            } else {
                let kinematics = &bodies.kinematics[bodies.prescribed[i] as usize];
                *velocity = kinematics.mean_point_velocity(bodies.position[i], time, step);
                prediction.angular[i] = kinematics.motion.angular_velocity();
            }
        }
        for force in dynamics.forces {
            let impulse = step * force.magnitude.mean(time, step) * force.direction;
            for (i, velocity) in prediction.linear.iter_mut().enumerate() {
                if bodies.is_dynamic(i) && force.material.is_none_or(|m| m == bodies.material[i]) {
                    *velocity += impulse / bodies.mass[i];
                }
            }
        }
        let (moves, turns) = dynamics.free_axes();
        for i in (0..bodies.len()).filter(|&i| bodies.is_dynamic(i)) {
            prediction.linear[i] *= moves;
            prediction.angular[i] = if turns == DVec3::ONE {
                let (turn, spin) = (bodies.orientation[i], prediction.angular[i]);
                free_rotation(turn, spin, bodies.inertia[i], step)
            } else {
                prediction.angular[i] * turns
            };
        }
    }

    fn offset(&self, gap: f64, step: f64, allowed: f64) -> f64 {
        if self.recovers(gap, allowed) {
            0.0
        } else {
            gap / step
        }
    }

    fn recovers(&self, gap: f64, allowed: f64) -> bool {
        self.recovery == Recovery::Position && gap < -allowed
    }

    fn advance(&self, bodies: &mut Bodies, time: f64, step: f64, shift: Option<&[DVec3]>) {
        for i in 0..bodies.len() {
            if bodies.is_dynamic(i) {
                let shift = shift.map_or(DVec3::ZERO, |shift| shift[i]);
                bodies.position[i] += step * (bodies.velocity[i] + shift);
                bodies.orientation[i] =
                    rotate_by(bodies.orientation[i], bodies.angular_velocity[i], step);
            } else {
                let kinematics = &bodies.kinematics[bodies.prescribed[i] as usize];
                let (position, orientation) = kinematics.pose(time + step);
                bodies.position[i] = position;
                bodies.orientation[i] = orientation;
            }
        }
    }
}
