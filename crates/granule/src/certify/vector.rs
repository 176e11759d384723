//! The rows of a contact as the judge sees them: forces alone, or forces and moments.

use crate::law::AdmissibleSet;
use crate::math::{DVec3, Screw};
use std::ops::{Add, Sub};

/// An impulse or a velocity of one contact.
pub(super) trait Vector: Copy + PartialEq + Add<Output = Self> + Sub<Output = Self> {
    const ZERO: Self;
    fn load(rows: &[f64]) -> Self;
    fn times(self, factor: f64) -> Self;
    fn dot(self, other: Self) -> f64;
    /// The part along the normal.
    fn along(self, normal: DVec3) -> f64;
    /// With more along the normal.
    fn pushed(self, more: f64, normal: DVec3) -> Self;
    /// P_K.
    fn project(self, set: AdmissibleSet, normal: DVec3) -> Self;
    /// de Saxcé's correction.
    fn dilation(self, set: AdmissibleSet, normal: DVec3) -> f64;

    /// |x|².
    #[inline(always)]
    fn square(self) -> f64 {
        self.dot(self)
    }
}

impl Vector for DVec3 {
    const ZERO: Self = DVec3::ZERO;

    #[inline(always)]
    fn load(rows: &[f64]) -> Self {
        match rows {
            [x] => DVec3::new(*x, 0.0, 0.0),
            [x, y] => DVec3::new(*x, *y, 0.0),
            _ => DVec3::from_slice(rows),
        }
    }

    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        factor * self
    }

    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self.dot(other)
    }

    #[inline(always)]
    fn along(self, normal: DVec3) -> f64 {
        self.dot(normal)
    }

    #[inline(always)]
    fn pushed(self, more: f64, normal: DVec3) -> Self {
        self + more * normal
    }

    #[inline(always)]
    fn project(self, set: AdmissibleSet, normal: DVec3) -> Self {
        set.project(self, normal)
    }

    #[inline(always)]
    fn dilation(self, set: AdmissibleSet, normal: DVec3) -> f64 {
        set.dilation(Screw::linear(self), normal)
    }
}

impl Vector for Screw {
    const ZERO: Self = Screw {
        linear: DVec3::ZERO,
        angular: DVec3::ZERO,
    };

    #[inline(always)]
    fn load(rows: &[f64]) -> Self {
        Screw::from_rows(rows, DVec3::X)
    }

    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        factor * self
    }

    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self.dot(other)
    }

    #[inline(always)]
    fn along(self, normal: DVec3) -> f64 {
        self.linear.dot(normal)
    }

    #[inline(always)]
    fn pushed(self, more: f64, normal: DVec3) -> Self {
        self + Screw::linear(more * normal)
    }

    #[inline(always)]
    fn project(self, set: AdmissibleSet, normal: DVec3) -> Self {
        set.project_screw(self, normal)
    }

    #[inline(always)]
    fn dilation(self, set: AdmissibleSet, normal: DVec3) -> f64 {
        set.dilation(self, normal)
    }
}
