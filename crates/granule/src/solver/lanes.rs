//! Vectors and sums of contacts side by side.

use super::monitor::StepSums;
use crate::parallel::{Memory, Quad, Side, Width};

/// Vectors of contacts side by side, component by component.
pub(super) type Vectors<L, M = Quad> = [Side<L, M>; 3];

#[inline(always)]
pub(super) fn load<L: Width<M>, M: Memory>(lanes: L, vectors: &[M; 3]) -> Vectors<L, M> {
    vectors.map(|component| Side::load(lanes, component))
}

#[inline(always)]
pub(super) fn store<L: Width<M>, M: Memory>(vectors: Vectors<L, M>) -> [M; 3] {
    vectors.map(Side::store)
}

#[inline(always)]
pub(super) fn dot<L: Width<M>, M: Memory>(a: &Vectors<L, M>, b: &Vectors<L, M>) -> Side<L, M> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// [`StepSums`] of contacts side by side.
pub(super) struct LaneSums<L: Width<M>, M = Quad> {
    pub(super) uphill: Side<L, M>,
    pub(super) step_squared: Side<L, M>,
    pub(super) length_squared: Side<L, M>,
    pub(super) impulse_squared: Side<L, M>,
    pub(super) step_velocity_squared: Side<L, M>,
    pub(super) impulse_velocity_squared: Side<L, M>,
    pub(super) change: Side<L, M>,
}

impl<L: Width<M>, M: Memory> LaneSums<L, M> {
    #[inline(always)]
    pub(super) fn new(lanes: L) -> Self {
        let zero = Side::splat(lanes, 0.0);
        Self {
            uphill: zero,
            step_squared: zero,
            length_squared: zero,
            impulse_squared: zero,
            step_velocity_squared: zero,
            impulse_velocity_squared: zero,
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
            step_velocity_squared: self.step_velocity_squared.sum(),
            impulse_velocity_squared: self.impulse_velocity_squared.sum(),
            change: self.change.sum(),
            size: 0.0,
        }
    }
}
