//! Vectors of four contacts side by side.

use wide::f64x4;

/// Contacts side by side.
pub(super) const LANES: usize = 4;

/// Vectors of four contacts, component by component.
pub(super) type Vectors = [f64x4; 3];

#[inline(always)]
pub(super) fn dot(a: &Vectors, b: &Vectors) -> f64x4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
