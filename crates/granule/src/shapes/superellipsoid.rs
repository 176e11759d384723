//! Ellipsoids and superellipsoids.

use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// The solid `(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n ≤ 1` with the half axes a, b, c and the exponents m
/// (`around`, across the z axis) and n (`along` it), both at least 2: an ellipsoid for m = n = 2, nearly a
/// box for large ones, nearly a cylinder for m = 2 and large n.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Superellipsoid {
    /// Half axes a, b, c along x, y, z, m.
    pub half_axes: DVec3,
    /// m: 2 for a round section across the z axis.
    pub around: f64,
    /// n: 2 for a round section along the z axis.
    pub along: f64,
}
