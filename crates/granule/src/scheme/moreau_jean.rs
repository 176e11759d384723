//! Moreau and Jean's scheme: a θ-method whose contacts constrain velocities, with impacts.
//!
//! ```text
//! v_free = v⁰ + h M⁻¹ (θ f(t + h) + (1-θ) f(t))                  [barboteu2017, eq. (13), (14)]
//! q_m = q⁰ + (1-θ) h v⁰                                          [barboteu2017, eq. (18)], θ = ½ there
//! v = v_free + M⁻¹ D(q_m) λ,   -(v_rel + e v_rel⁰) ∈ N_K(λ)      [barboteu2017, eq. (17), (19)-(22)]
//! q = q_m + θ h v                                                [barboteu2017, eq. (13)]
//! ```
//!
//! A contact takes part if and only if its gap at q_m is not positive (up to rounding, see
//! [`crate::simulation`]). In the terms of [`crate::problem`] the gap adds nothing, `s = 0`; what
//! impacts give back is added by the assembly (see [`crate::law::Restitution`]). The paper asks for
//! θ > ½; with ½ itself free flight is a parabola to rounding, and an elastic impact returns to the
//! same place with the opposite velocity, so that it keeps the energy exactly.
//!
//! From one place of looking to the next a body goes `θ h v + (1-θ) h v = h v`. Prescribed motions
//! are therefore taken at the time of looking, and their velocity is the mean over h from there: a
//! body that moves with a wall keeps its gap, whatever the wall does.
//!
//! *Deviation* (default, `recovery = "position"`): constraints on velocities let bodies sink, by up
//! to `h v` in an impact. The depth that would be left at the next place of looking,
//! `D + h G·v < 0`, is taken out of the positions by the same second problem as with Maury's scheme,
//! `min ½|p|²_M` subject to `D + h G·(v + p) ≥ 0`, a fifth of it in a step (see the README of this
//! folder): bodies move by `h p` once, and velocities do not change. A contact that leaves by itself
//! is left alone.

use super::motion::free_velocities;
use super::{Dynamics, Gap, Level, Prediction, Recovery, Scheme, SchemeName};
use crate::bodies::Bodies;
use crate::math::rotate_by;

/// The scheme `moreau-jean`.
#[derive(Debug, Clone, Copy)]
pub struct MoreauJean {
    theta: f64,
    recovery: Recovery,
}

impl MoreauJean {
    /// The scheme with the given θ (½ to 1) and treatment of overlaps.
    pub fn new(theta: f64, recovery: Recovery) -> Self {
        Self { theta, recovery }
    }
}

impl Scheme for MoreauJean {
    fn name(&self) -> SchemeName {
        SchemeName::MoreauJean
    }

    fn level(&self) -> Level {
        Level::Velocity
    }

    fn predict(&self, bodies: &Bodies, dynamics: &Dynamics, prediction: &mut Prediction) {
        let Dynamics { time, step, .. } = *dynamics;
        let (theta, before) = (self.theta, (1.0 - self.theta) * step);
        let contact_time = time + before;
        prediction.time = time;
        prediction.step = step;
        prediction.contact_time = contact_time;
        prediction.remaining = theta * step;
        prediction.position.clone_from(&bodies.position);
        prediction.orientation.clone_from(&bodies.orientation);
        let (moves, turns) = dynamics.free_axes();
        for i in 0..bodies.len() {
            let (position, orientation) =
                (&mut prediction.position[i], &mut prediction.orientation[i]);
            if bodies.is_dynamic(i) {
                *position += before * (bodies.velocity[i] * moves);
                *orientation = rotate_by(*orientation, bodies.angular_velocity[i] * turns, before);
            } else {
                let kinematics = &bodies.kinematics[bodies.prescribed[i] as usize];
                (*position, *orientation) = kinematics.pose(contact_time);
            }
        }
        free_velocities(bodies, dynamics, prediction, |f| {
            theta * f.at(time + step) + (1.0 - theta) * f.at(time)
        });
    }

    fn offset(&self, _gap: &Gap, _step: f64, _allowed: f64) -> f64 {
        0.0
    }

    fn recovers(&self, gap: &Gap, allowed: f64) -> bool {
        self.recovery == Recovery::Position && gap.distance < -allowed
    }
}
