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

use super::linearised_gap::LinearisedGap;
use super::{Dynamics, Gap, Level, Prediction, Recovery, Scheme, SchemeName};
use crate::bodies::{Bodies, TimeFunction};

/// The scheme `maury`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Maury {
    gap: LinearisedGap,
}

impl Maury {
    /// The scheme with the given treatment of overlaps.
    pub fn new(recovery: Recovery) -> Self {
        let gap = LinearisedGap { recovery };
        Self { gap }
    }
}

impl Scheme for Maury {
    fn name(&self) -> SchemeName {
        SchemeName::Maury
    }

    fn level(&self) -> Level {
        Level::Position
    }

    fn predict(&self, bodies: &Bodies, dynamics: &Dynamics, prediction: &mut Prediction) {
        let mean_force = |f: &TimeFunction| f.mean(dynamics.time, dynamics.step);
        self.gap.predict(bodies, dynamics, prediction, mean_force);
    }

    fn offset(&self, gap: &Gap, step: f64, allowed: f64) -> f64 {
        self.gap.offset(gap, step, allowed)
    }

    fn recovers(&self, gap: &Gap, allowed: f64) -> bool {
        self.gap.recovers(gap, allowed)
    }
}
