//! Vectors and sums of four contacts side by side.

use super::monitor::StepSums;
use crate::parallel::{Four, Lanes, Quad};

/// Vectors of four contacts, component by component.
pub(super) type Vectors<L> = [Four<L>; 3];

/// The same in memory.
pub(super) type QuadVectors = [Quad; 3];

#[inline(always)]
pub(super) fn load<L: Lanes>(lanes: L, vectors: &QuadVectors) -> Vectors<L> {
    vectors.map(|component| Four::load(lanes, component))
}

#[inline(always)]
pub(super) fn store<L: Lanes>(vectors: Vectors<L>) -> QuadVectors {
    vectors.map(Four::store)
}

#[inline(always)]
pub(super) fn dot<L: Lanes>(a: &Vectors<L>, b: &Vectors<L>) -> Four<L> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// [`StepSums`] of four contacts side by side.
pub(super) struct LaneSums<L: Lanes> {
    pub(super) uphill: Four<L>,
    pub(super) step_squared: Four<L>,
    pub(super) length_squared: Four<L>,
    pub(super) impulse_squared: Four<L>,
    pub(super) change: Four<L>,
}

impl<L: Lanes> LaneSums<L> {
    #[inline(always)]
    pub(super) fn new(lanes: L) -> Self {
        let zero = Four::splat(lanes, 0.0);
        Self {
            uphill: zero,
            step_squared: zero,
            length_squared: zero,
            impulse_squared: zero,
            change: zero,
        }
    }

    #[inline(always)]
    pub(super) fn total(self) -> StepSums {
        StepSums {
            uphill: self.uphill.sum(),
            step_squared: self.step_squared.sum(),
            length_squared: self.length_squared.sum(),
            impulse_squared: self.impulse_squared.sum(),
            change: self.change.sum(),
            size: 0.0,
        }
    }
}
