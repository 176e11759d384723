//! The rows of one contact as a vector: with one row a force along the normal, with two or three a
//! force, with six a force and a moment.

use crate::law::{AdmissibleSet, Metric};
use crate::math::{DMat3, DVec3, Screw};
use std::ops::{Add, Sub};

/// What solvers do with the rows of one contact. For one row it is `f64`, for two and three `DVec3`,
/// for six [`Screw`].
pub trait Block: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// From the rows; in a plane the third component is zero.
    fn load(rows: &[f64]) -> Self;
    /// Into the rows.
    fn store(self, rows: &mut [f64]);
    /// A multiple.
    fn times(self, factor: f64) -> Self;
    /// The inner product.
    fn dot(self, other: Self) -> f64;
    /// The component of the force along the normal.
    fn along(self, normal: DVec3) -> f64;
    /// This and a force along the normal.
    fn plus_along(self, amount: f64, normal: DVec3) -> Self;
    /// The force times a matrix; with one row there is none.
    fn mapped(self, matrix: &DMat3) -> Self;
    /// The largest absolute value of a row.
    fn largest(self) -> f64;
    /// The point of K nearest in the metric.
    fn project(self, set: AdmissibleSet, normal: DVec3, metric: Metric) -> Self;
    /// The most work that impulses of K can do against this velocity, see [`AdmissibleSet::most_work`].
    fn most_work(self, set: AdmissibleSet, normal: DVec3) -> f64;
    /// What exact friction answers with at a single contact, see [`AdmissibleSet::augmented_projection`].
    fn augmented_projection(self, set: AdmissibleSet, normal: DVec3) -> Self;
    /// de Saxcé's correction of a relative velocity, see [`AdmissibleSet::dilation`].
    fn dilation(self, set: AdmissibleSet, normal: DVec3) -> f64;
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

impl Block for f64 {
    #[inline(always)]
    fn load(rows: &[f64]) -> Self {
        rows[0]
    }
    #[inline(always)]
    fn store(self, rows: &mut [f64]) {
        rows[0] = self;
    }
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        factor * self
    }
    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self * other
    }
    #[inline(always)]
    fn along(self, _normal: DVec3) -> f64 {
        self
    }
    #[inline(always)]
    fn plus_along(self, amount: f64, _normal: DVec3) -> Self {
        self + amount
    }
    #[inline(always)]
    fn mapped(self, _matrix: &DMat3) -> Self {
        self
    }
    #[inline(always)]
    fn largest(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn project(self, set: AdmissibleSet, _normal: DVec3, _metric: Metric) -> Self {
        set.project_scalar(self)
    }
    #[inline(always)]
    fn most_work(self, set: AdmissibleSet, _normal: DVec3) -> f64 {
        set.most_work(Screw::linear(self * DVec3::X), DVec3::X)
    }
    #[inline(always)]
    fn augmented_projection(self, set: AdmissibleSet, _normal: DVec3) -> Self {
        set.project_scalar(self)
    }
    #[inline(always)]
    fn dilation(self, _set: AdmissibleSet, _normal: DVec3) -> f64 {
        0.0
    }
}

impl Block for DVec3 {
    #[inline(always)]
    fn load(rows: &[f64]) -> Self {
        Self::new(
            rows[0],
            rows[1],
            if rows.len() == 3 { rows[2] } else { 0.0 },
        )
    }
    #[inline(always)]
    fn store(self, rows: &mut [f64]) {
        rows[0] = self.x;
        rows[1] = self.y;
        if rows.len() == 3 {
            rows[2] = self.z;
        }
    }
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        factor * self
    }
    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        DVec3::dot(self, other)
    }
    #[inline(always)]
    fn along(self, normal: DVec3) -> f64 {
        DVec3::dot(self, normal)
    }
    #[inline(always)]
    fn plus_along(self, amount: f64, normal: DVec3) -> Self {
        self + amount * normal
    }
    #[inline(always)]
    fn mapped(self, matrix: &DMat3) -> Self {
        *matrix * self
    }
    #[inline(always)]
    fn largest(self) -> f64 {
        larger(larger(self.x.abs(), self.y.abs()), self.z.abs())
    }
    #[inline(always)]
    fn project(self, set: AdmissibleSet, normal: DVec3, metric: Metric) -> Self {
        set.project_in(self, normal, metric)
    }
    #[inline(always)]
    fn most_work(self, set: AdmissibleSet, normal: DVec3) -> f64 {
        set.most_work(Screw::linear(self), normal)
    }
    #[inline(always)]
    fn augmented_projection(self, set: AdmissibleSet, normal: DVec3) -> Self {
        set.augmented_projection(self, normal)
    }
    #[inline(always)]
    fn dilation(self, set: AdmissibleSet, normal: DVec3) -> f64 {
        set.dilation_of_force(self, normal)
    }
}

impl Block for Screw {
    #[inline(always)]
    fn load(rows: &[f64]) -> Self {
        Self {
            linear: DVec3::from_slice(&rows[..3]),
            angular: DVec3::from_slice(&rows[3..]),
        }
    }
    #[inline(always)]
    fn store(self, rows: &mut [f64]) {
        self.linear.write_to_slice(&mut rows[..3]);
        self.angular.write_to_slice(&mut rows[3..]);
    }
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        factor * self
    }
    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        Screw::dot(self, other)
    }
    #[inline(always)]
    fn along(self, normal: DVec3) -> f64 {
        self.linear.dot(normal)
    }
    #[inline(always)]
    fn plus_along(self, amount: f64, normal: DVec3) -> Self {
        Self {
            linear: self.linear + amount * normal,
            ..self
        }
    }
    fn mapped(self, matrix: &DMat3) -> Self {
        Self {
            linear: *matrix * self.linear,
            ..self
        }
    }
    fn largest(self) -> f64 {
        larger(Block::largest(self.linear), Block::largest(self.angular))
    }
    fn project(self, set: AdmissibleSet, normal: DVec3, metric: Metric) -> Self {
        set.project_screw_in(self, normal, metric)
    }
    fn most_work(self, set: AdmissibleSet, normal: DVec3) -> f64 {
        set.most_work(self, normal)
    }
    fn augmented_projection(self, set: AdmissibleSet, normal: DVec3) -> Self {
        set.augmented_projection_screw(self, normal)
    }
    fn dilation(self, set: AdmissibleSet, normal: DVec3) -> f64 {
        set.dilation(self, normal)
    }
}
