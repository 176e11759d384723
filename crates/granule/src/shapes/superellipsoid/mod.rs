//! Ellipsoids and superellipsoids.

mod closest;
mod moments;
mod norm;

use crate::math::{DVec2, DVec3};
use norm::Norm;
use serde::{Deserialize, Serialize};

/// Half axes differ by no more than this factor.
const MOST_SLENDER: f64 = 1e3;

/// Edges are no sharper than with this exponent.
const LARGEST_EXPONENT: f64 = 8.0;

/// The solid `(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n ≤ 1` with the half axes a, b, c and the exponents m
/// (`around`, across the z axis) and n (`along` it), both at least 2: an ellipsoid for m = n = 2, nearly a
/// box for large ones, nearly a cylinder for m = 2 and large n.
///
/// ```
/// use granule::math::DVec3;
/// use granule::shapes::Superellipsoid;
/// let grain = Superellipsoid { half_axes: DVec3::new(3.0, 2.0, 1.0), around: 4.0, along: 4.0 };
/// assert!(grain.validate().is_ok());
/// // The point farthest along a direction is on the surface, and its normal is that direction.
/// let direction = DVec3::new(1.0, -2.0, 2.0) / 3.0;
/// let point = grain.support(direction);
/// assert!((grain.gauge(point) - 1.0).abs() < 1e-14);
/// assert!((grain.normal(point) - direction).length() < 1e-14);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Superellipsoid {
    /// Half axes a, b, c along x, y, z, m.
    pub half_axes: DVec3,
    /// m: 2 for a round section across the z axis.
    pub around: f64,
    /// n: 2 for a round section along the z axis.
    pub along: f64,
}

/// A point of the surface of a [`Superellipsoid`], and how the surface bends there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// The point, m.
    pub point: DVec3,
    /// Unit normal, outwards.
    pub normal: DVec3,
    /// Two vectors b, in 1/√m: along a step d in the tangent plane, in m, the normal turns by the tangential part
    /// of the sum of `b (b·d)`. Flat where both vanish.
    pub bends: [DVec3; 2],
}

impl Superellipsoid {
    /// An ellipsoid with these half axes, m.
    pub fn ellipsoid(half_axes: DVec3) -> Self {
        Self {
            half_axes,
            around: 2.0,
            along: 2.0,
        }
    }

    /// An ellipse with these half axes, m, for bodies that stay in the plane z = 0: an ellipsoid whose third half axis is
    /// the longer of the two, so that it is never the way out of an overlap.
    pub fn ellipse(half_axes: DVec2) -> Self {
        Self::ellipsoid(half_axes.extend(half_axes.max_element()))
    }

    /// A sphere of this radius, m.
    pub fn sphere(radius: f64) -> Self {
        Self::ellipsoid(DVec3::splat(radius))
    }

    /// The radius of a sphere, m; none for other shapes.
    pub fn as_sphere(&self) -> Option<f64> {
        let radius = self.half_axes.x;
        let round = self.around == 2.0 && self.along == 2.0;
        (round && self.half_axes == DVec3::splat(radius)).then_some(radius)
    }

    /// Whether this is a solid whose contacts can be found; otherwise what is wrong.
    pub fn validate(&self) -> Result<(), String> {
        let axes = self.half_axes;
        let positive = axes.to_array().iter().all(|&a| a > 0.0 && a.is_finite());
        if !positive {
            return Err(format!(
                "its half axes must be positive numbers, but are {axes}"
            ));
        }
        if axes.max_element() > MOST_SLENDER * axes.min_element() {
            return Err(format!(
                "its half axes {axes} differ by more than a factor of {MOST_SLENDER}: make the smallest larger"
            ));
        }
        for (name, exponent) in [("around", self.around), ("along", self.along)] {
            if !(2.0..=LARGEST_EXPONENT).contains(&exponent) {
                return Err(format!(
                    "its exponent `{name}` must be from 2 (round) to {LARGEST_EXPONENT} (nearly a box), but is \
                     {exponent}"
                ));
            }
        }
        Ok(())
    }

    /// How many times larger the solid must be for this point to be on its surface: below 1 inside, above 1
    /// outside. It is the n-th root of the left side of the inequality above.
    pub fn gauge(&self, point: DVec3) -> f64 {
        let [u, v, w] = (point / self.half_axes).abs().to_array();
        Norm::new(Norm::new(u, v, self.around).value, w, self.along).value
    }

    /// Gradient of [`gauge`](Self::gauge), 1/m; an outward normal, not of unit length. The same all along a ray
    /// from the centre; zero at the centre.
    pub fn gauge_gradient(&self, point: DVec3) -> DVec3 {
        let slopes = slopes(point / self.half_axes, self.around, self.along);
        slopes / self.half_axes
    }

    /// The outward unit normal where the ray from the centre through `point` leaves the solid; any at the centre.
    pub fn normal(&self, point: DVec3) -> DVec3 {
        self.gauge_gradient(point)
            .try_normalize()
            .unwrap_or(DVec3::Z)
    }

    /// The point farthest along `direction`, m, which needs no unit length; the centre for a zero direction.
    ///
    /// The support function is the gauge of the dual solid, with half axes 1/a, 1/b, 1/c and the exponents m/(m-1)
    /// and n/(n-1), and the point is its gradient.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let dual = |exponent: f64| exponent / (exponent - 1.0);
        let scaled = direction * self.half_axes;
        slopes(scaled, dual(self.around), dual(self.along)) * self.half_axes
    }

    /// Where the ray from the centre through `point` leaves the solid. The point must not be the centre.
    pub fn surface_point(&self, point: DVec3) -> SurfacePoint {
        let scaled = point / self.half_axes;
        let [u, v, w] = scaled.abs().to_array();
        let across = Norm::new(u, v, self.around);
        let whole = Norm::new(across.value, w, self.along);
        let gauge = whole.value;
        let signs = scaled.signum();
        let gradient = DVec3::new(
            whole.slopes[0] * across.slopes[0],
            whole.slopes[0] * across.slopes[1],
            whole.slopes[1],
        ) * signs
            / self.half_axes;
        let steepness = gradient.length();
        // The second derivatives of the gauge on the surface are the sum of two dyads.
        let [rho, z] = whole.scaled;
        let up = DVec3::new(z * across.slopes[0], z * across.slopes[1], -rho) * signs;
        let [x, y] = across.scaled;
        let round = DVec3::new(y, -x, 0.0) * signs;
        let roundness = whole.slope_by_first * across.growth * across.bend;
        let up_weight = (gauge * whole.bend / (whole.scale * steepness)).sqrt();
        let round_weight = (gauge * roundness / steepness).sqrt();
        SurfacePoint {
            point: point / gauge,
            normal: gradient / steepness,
            bends: [
                up * up_weight / self.half_axes,
                round * round_weight / self.half_axes,
            ],
        }
    }

    /// The radius of the smallest ball about the centre that holds the solid, m.
    pub fn bounding_radius(&self) -> f64 {
        let [a, b, c] = self.half_axes.to_array();
        // Maximise by Hölder's inequality: the dual of the exponent n/2 for squares, s/(s-1) with s = n/2.
        let longest = |u: f64, v: f64, exponent: f64| {
            if exponent == 2.0 {
                u.max(v)
            } else {
                Norm::new(u, v, 2.0 * exponent / (exponent - 2.0)).value
            }
        };
        longest(longest(a, b, self.around), c, self.along)
    }
}

/// The gradient of the norm of norms of superellipsoids with these exponents, for half axes of 1.
#[inline]
fn slopes(point: DVec3, around: f64, along: f64) -> DVec3 {
    let [u, v, w] = point.abs().to_array();
    let across = Norm::new(u, v, around);
    let whole = Norm::new(across.value, w, along);
    if whole.value == 0.0 {
        return DVec3::ZERO;
    }
    DVec3::new(
        whole.slopes[0] * across.slopes[0],
        whole.slopes[0] * across.slopes[1],
        whole.slopes[1],
    ) * point.signum()
}

#[cfg(test)]
mod tests;
