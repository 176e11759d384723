//! What the schemes that linearise the gap over the step have in common: contacts are looked for at
//! the start of the step, and `s = D/h`.

use super::motion::free_velocities;
use super::{Dynamics, Prediction, Recovery};
use crate::bodies::{Bodies, TimeFunction};

/// The gap linearised over the step, and how overlaps are treated.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LinearisedGap {
    pub(super) recovery: Recovery,
}

impl LinearisedGap {
    /// The motion over `[time, time + step]` before contacts act, with the force that `force` gives
    /// for the step.
    pub(super) fn predict(
        self,
        bodies: &Bodies,
        dynamics: &Dynamics,
        time: f64,
        step: f64,
        prediction: &mut Prediction,
        force: impl Fn(&TimeFunction) -> f64,
    ) {
        prediction.time = time;
        prediction.step = step;
        prediction.look = time;
        prediction.rest = step;
        prediction.position.clone_from(&bodies.position);
        prediction.orientation.clone_from(&bodies.orientation);
        free_velocities(bodies, dynamics, prediction, force);
    }

    /// See [`super::Scheme::offset`].
    pub(super) fn offset(self, gap: f64, step: f64, allowed: f64) -> f64 {
        if self.recovers(gap, allowed) {
            0.0
        } else {
            gap / step
        }
    }

    /// See [`super::Scheme::recovers`].
    pub(super) fn recovers(self, gap: f64, allowed: f64) -> bool {
        self.recovery == Recovery::Position && gap < -allowed
    }
}
