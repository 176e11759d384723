//! What the schemes that linearise the gap over the step have in common: contacts are looked for at
//! the start of the step, and `s = D/h`.

use super::motion::free_velocities;
use super::{Dynamics, Gap, Prediction, Recovery};
use crate::bodies::{Bodies, TimeFunction};

/// The gap linearised over the step, and how overlaps are treated.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LinearisedGap {
    pub(super) recovery: Recovery,
}

impl LinearisedGap {
    /// The motion over the step before contacts act, with the force that `force` gives for the step.
    pub(super) fn predict(
        self,
        bodies: &Bodies,
        dynamics: &Dynamics,
        prediction: &mut Prediction,
        force: impl Fn(&TimeFunction) -> f64,
    ) {
        let Dynamics { time, step, .. } = *dynamics;
        prediction.time = time;
        prediction.step = step;
        prediction.contact_time = time;
        prediction.remaining = step;
        prediction.position.clone_from(&bodies.position);
        prediction.orientation.clone_from(&bodies.orientation);
        free_velocities(bodies, dynamics, prediction, force);
    }

    /// See [`super::Scheme::offset`].
    pub(super) fn offset(self, gap: &Gap, step: f64, allowed: f64) -> f64 {
        if self.recovers(gap, allowed) {
            0.0
        } else {
            gap.beyond_slack() / step
        }
    }

    /// See [`super::Scheme::recovers`].
    pub(super) fn recovers(self, gap: &Gap, allowed: f64) -> bool {
        self.recovery == Recovery::Position && gap.distance < -allowed
    }
}
