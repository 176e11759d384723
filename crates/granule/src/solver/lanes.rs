//! Vectors of four contacts side by side.

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
