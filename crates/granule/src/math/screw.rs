//! Pairs of a linear and an angular part: impulses with torques, velocities with spins.

use super::DVec3;
use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul, Neg, Sub};

/// A vector with a linear and an angular part, both in the same unit (see
/// [`crate::problem::BodySpace`] for how angular parts get it).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Screw {
    /// The linear part.
    pub linear: DVec3,
    /// The angular part.
    pub angular: DVec3,
}

impl Screw {
    /// A screw without an angular part.
    pub fn linear(linear: DVec3) -> Self {
        Self {
            linear,
            angular: DVec3::ZERO,
        }
    }

    /// The rows of a contact (1, 2, 3 or 6) in world coordinates; one row is along the normal.
    pub fn from_rows(rows: &[f64], normal: DVec3) -> Self {
        match rows {
            [along] => Self::linear(*along * normal),
            [x, y] => Self::linear(DVec3::new(*x, *y, 0.0)),
            [_, _, _] => Self::linear(DVec3::from_slice(rows)),
            _ => Self {
                linear: DVec3::from_slice(&rows[..3]),
                angular: DVec3::from_slice(&rows[3..]),
            },
        }
    }

    /// The inner product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> f64 {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }

    /// The square of the length.
    #[inline(always)]
    pub fn length_squared(self) -> f64 {
        self.dot(self)
    }

    /// The length.
    pub fn length(self) -> f64 {
        self.length_squared().sqrt()
    }
}

impl Add for Screw {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            linear: self.linear + other.linear,
            angular: self.angular + other.angular,
        }
    }
}

impl Sub for Screw {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            linear: self.linear - other.linear,
            angular: self.angular - other.angular,
        }
    }
}

impl Neg for Screw {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            linear: -self.linear,
            angular: -self.angular,
        }
    }
}

impl Mul<Screw> for f64 {
    type Output = Screw;
    #[inline(always)]
    fn mul(self, screw: Screw) -> Screw {
        Screw {
            linear: self * screw.linear,
            angular: self * screw.angular,
        }
    }
}
