//! SHAKE for nonsmooth motion: velocities that live between the points of time.
//!
//! ```text
//! v^{j+1/2} = v^{j-1/2} + M⁻¹ (k^j + Gᵀ γ^j)                    [kleinert2017, eq. (14b)]
//! u = D/h + G v^{j+1/2} + ∂D/∂t,   K* ∋ u ⊥ γ^j ∈ K             [kleinert2017, eq. (17)-(20)]
//! q^{j+1} = q^j + h v^{j+1/2}                                   [kleinert2017, eq. (14a)]
//! ```
//!
//! with all geometry at q^j. In the terms of [`crate::problem`]: `s = D/h`, as with Maury's scheme, of
//! which this differs in two things:
//!
//! - *When.* The velocity of a body after the step is that at its middle, v^{j+1/2}, and the one it
//!   starts with is v^{-1/2}. So a start from the velocity at time -h/2 gives positions of second order
//!   as long as nothing touches, one from the velocity at time zero positions of first order.
//! - *Forces.* k^j = h f(t_j): the integral of the force over the hat function around t_j
//!   [kleinert2017, eq. (10)] by the trapezoidal rule, which is exact for constant forces. The first
//!   step takes all of it, not the half that the integral from zero on would give.
//!
//! ∂D/∂t is the velocity of walls and of bodies that move as prescribed: their mean over the step, so
//! that they are at its end where they are said to be.
//!
//! Impacts are inelastic, and take two steps: the first ends on the surface, the second stops. How the
//! impulse is shared between them depends on where the impact falls in its step, so the impulses of
//! steps do not converge for h → 0; those of [`super::Rattle`] do.
//!
//! *Deviation* (default, `recovery = "position"`): overlaps that are there at the start of a step are
//! taken out of the positions, as with Maury's scheme. `recovery = "velocity"` is the printed scheme.

use super::linearised_gap::LinearisedGap;
use super::{Dynamics, Gap, Level, Prediction, Recovery, Scheme, SchemeName};
use crate::bodies::{Bodies, TimeFunction};

/// The scheme `shake`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shake {
    gap: LinearisedGap,
}

impl Shake {
    /// The scheme with the given treatment of overlaps.
    pub fn new(recovery: Recovery) -> Self {
        let gap = LinearisedGap { recovery };
        Self { gap }
    }
}

impl Scheme for Shake {
    fn name(&self) -> SchemeName {
        SchemeName::Shake
    }

    fn level(&self) -> Level {
        Level::Position
    }

    fn centred(&self) -> bool {
        true
    }

    fn predict(&self, bodies: &Bodies, dynamics: &Dynamics, prediction: &mut Prediction) {
        let force_at_start = |f: &TimeFunction| f.at(dynamics.time);
        self.gap
            .predict(bodies, dynamics, prediction, force_at_start);
    }

    fn offset(&self, gap: &Gap, step: f64, allowed: f64) -> f64 {
        self.gap.offset(gap, step, allowed)
    }

    fn recovers(&self, gap: &Gap, allowed: f64) -> bool {
        self.gap.recovers(gap, allowed)
    }
}
