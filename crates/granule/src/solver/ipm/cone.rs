//! The algebra of one contact's cone, in world coordinates.
//!
//! The friction cone `|f_T| ≤ μ f_n` becomes symmetric by `x = T f`, `y = T⁻¹ u` with `T` the
//! stretching by μ along the normal [kleinert2017, §4.1] (the printed T_y is μ T_x⁻¹; with T_x⁻¹
//! itself `x·y = f·u`, and the matrix of the problem stays symmetric). Nothing needs a tangent: with
//! the normal n as axis, `x = x_0 n + x̄`, the Jordan product is
//!
//! ```text
//! x ∘ y = (x·y) n + x_0 ȳ + y_0 x̄,   e = n,   det x = x_0² - |x̄|²
//! ```
//!
//! For μ = 0 T is singular; such contacts are half-lines, whose vectors have no part across the
//! normal. A joint has no cone: its y is zero and its x anything, see [`NesterovTodd::of_joint`].

use crate::math::{DMat3, DVec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// Determinants are at least this share of the square of the axis part: what is nearer to the edge is
/// there by rounding.
const FLOOR: f64 = 1e-15;

/// |w̄| that is no more than rounding.
const ROUND: f64 = 1e-14;

/// θ of joints.
const PROXIMITY: f64 = 1e-7;

/// The cone of one contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct SymmetricCone {
    /// Unit normal n.
    pub(super) axis: DVec3,
    /// μ; one for a half-line and for a joint.
    stretch: f64,
    /// Whether only the normal part counts.
    line: bool,
    /// Whether x is free and y zero.
    pub(super) joint: bool,
}

/// `x_0` and `x̄`.
#[inline(always)]
fn split(x: DVec3, axis: DVec3) -> (f64, DVec3) {
    let along = x.dot(axis);
    (along, x - along * axis)
}

impl SymmetricCone {
    /// A friction cone, or for μ = 0 a half-line.
    pub(super) fn new(axis: DVec3, friction: f64) -> Self {
        let line = friction == 0.0;
        Self {
            axis,
            stretch: if line { 1.0 } else { friction },
            line,
            joint: false,
        }
    }

    /// A joint, of one row or of all.
    pub(super) fn of_joint(axis: DVec3, line: bool) -> Self {
        Self {
            line,
            joint: true,
            ..Self::new(axis, 0.0)
        }
    }

    /// Without the part that a half-line does not have.
    #[inline(always)]
    pub(super) fn confine(&self, x: DVec3) -> DVec3 {
        if self.line {
            x.dot(self.axis) * self.axis
        } else {
            x
        }
    }

    /// T x.
    #[inline(always)]
    pub(super) fn stretched(&self, x: DVec3) -> DVec3 {
        let x = self.confine(x);
        x + (self.stretch - 1.0) * x.dot(self.axis) * self.axis
    }

    /// T⁻¹ x.
    #[inline(always)]
    pub(super) fn unstretched(&self, x: DVec3) -> DVec3 {
        let x = self.confine(x);
        x + (1.0 / self.stretch - 1.0) * x.dot(self.axis) * self.axis
    }

    /// T⁻¹ of each column.
    pub(super) fn unstretched_columns(&self, matrix: &DMat3) -> DMat3 {
        DMat3::from_cols(
            self.unstretched(matrix.x_axis),
            self.unstretched(matrix.y_axis),
            self.unstretched(matrix.z_axis),
        )
    }

    /// det x, not below its floor.
    #[inline(always)]
    fn determinant(&self, x: DVec3) -> f64 {
        let (along, across) = split(x, self.axis);
        let length = across.length();
        ((along - length) * (along + length)).max(FLOOR * along * along)
    }

    /// x ∘ y.
    #[inline(always)]
    pub(super) fn product(&self, x: DVec3, y: DVec3) -> DVec3 {
        let ((x0, x), (y0, y)) = (split(x, self.axis), split(y, self.axis));
        (x0 * y0 + x.dot(y)) * self.axis + x0 * y + y0 * x
    }

    /// z with λ ∘ z = d.
    #[inline(always)]
    pub(super) fn divide(&self, d: DVec3, lambda: DVec3) -> DVec3 {
        let ((l0, l), (d0, d)) = (split(lambda, self.axis), split(d, self.axis));
        let z0 = (l0 * d0 - l.dot(d)) / self.determinant(lambda);
        z0 * self.axis + (d - z0 * l) / l0
    }

    /// The largest t with x + t d in the cone, at most `most`; x lies inside.
    pub(super) fn longest_step(&self, x: DVec3, d: DVec3, most: f64) -> f64 {
        let c = self.determinant(x);
        let ((x0, x), (d0, d)) = (split(x, self.axis), split(d, self.axis));
        // a t² + 2 b t + c = det(x + t d).
        let a = d0 * d0 - d.length_squared();
        let b = x0 * d0 - x.dot(d);
        let mut longest = most;
        let discriminant = b * b - a * c;
        if discriminant >= 0.0 {
            let root = discriminant.sqrt();
            // Both roots without cancellation.
            let q = -(b + root.copysign(b));
            for t in [q / a, c / q] {
                if t > 0.0 {
                    longest = longest.min(t);
                }
            }
        }
        if d0 < 0.0 {
            longest = longest.min(-x0 / d0);
        }
        longest
    }

    /// x and y inside the cone with `x - y = z` and `x ∘ y = α e`.
    pub(super) fn smoothed(&self, z: DVec3, alpha: f64) -> (DVec3, DVec3, PairProducts) {
        let (z0, z) = split(z, self.axis);
        let length = z.length();
        let direction = if length > 0.0 {
            z / length
        } else {
            DVec3::ZERO
        };
        // The larger root without cancellation.
        let part = |value: f64| {
            let root = value.hypot(2.0 * alpha.sqrt());
            if value > 0.0 {
                0.5 * (value + root)
            } else {
                2.0 * alpha / (root - value)
            }
        };
        let combine =
            |high: f64, low: f64| 0.5 * (high + low) * self.axis + 0.5 * (high - low) * direction;
        let (x_high, x_low) = (part(z0 + length), part(z0 - length));
        let (y_high, y_low) = (part(-z0 - length), part(-z0 + length));
        let pair = PairProducts {
            det_x: x_high * x_low,
            det_y: y_high * y_low,
            dot: alpha,
        };
        (combine(x_high, x_low), combine(y_high, y_low), pair)
    }
}

/// a bᵀ.
#[inline(always)]
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// det x, det y and x·y of a pair, to more digits than x and y themselves have: where a contact slides they are
/// differences of large numbers, but products of small ones in the scaling.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PairProducts {
    pub(super) det_x: f64,
    pub(super) det_y: f64,
    pub(super) dot: f64,
}

impl PairProducts {
    /// As x and y say, for points well inside.
    #[cfg(test)]
    pub(super) fn of(cone: &SymmetricCone, x: DVec3, y: DVec3) -> Self {
        Self {
            det_x: cone.determinant(x),
            det_y: cone.determinant(y),
            dot: x.dot(y),
        }
    }

    /// Of x and y times numbers.
    pub(super) fn scaled(&self, x: f64, y: f64) -> Self {
        Self {
            det_x: x * x * self.det_x,
            det_y: y * y * self.det_y,
            dot: x * y * self.dot,
        }
    }
}

/// Nesterov and Todd's scaling of a pair: the symmetric F with `F x = F⁻¹ y = λ`.
///
/// With w the unit point of `F² = η² (2 w wᵀ - J)`, the eigenvectors of F are `(n ± w̄/|w̄|)/√2` and the one across
/// both, its eigenvalues `η g`, `η/g` and η, `g = w_0 + |w̄|`. Where a contact slides they differ by as many digits as
/// α has fallen, and only along the eigenvectors none are lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct NesterovTodd {
    /// Eigenvectors; zeros for those that a half-line does not have.
    pub(super) directions: DMat3,
    /// Their eigenvalues, and one over them: zero for those.
    pub(super) values: DVec3,
    inverse: DVec3,
    /// η².
    square: f64,
    /// λ.
    pub(super) lambda: DVec3,
}

impl NesterovTodd {
    fn along(cone: &SymmetricCone, w: DVec3, eta: f64) -> Self {
        let zero = DVec3::ZERO;
        let (directions, values, inverse) = if cone.line {
            let directions = DMat3::from_cols(cone.axis, zero, zero);
            (directions, eta * DVec3::X, DVec3::X / eta)
        } else {
            let (_, across) = split(w, cone.axis);
            let length = across.length();
            // Where rounding is all there is, in the plane of x and y for contacts that have no more.
            let across = if length > ROUND {
                across / length
            } else {
                DVec3::Z
                    .cross(cone.axis)
                    .try_normalize()
                    .unwrap_or(DVec3::X)
            };
            let ratio = (1.0 + length * length).sqrt() + length;
            let directions = DMat3::from_cols(
                FRAC_1_SQRT_2 * (cone.axis + across),
                FRAC_1_SQRT_2 * (cone.axis - across),
                cone.axis.cross(across),
            );
            let values = eta * DVec3::new(ratio, 1.0 / ratio, 1.0);
            (directions, values, DVec3::ONE / values)
        };
        Self {
            directions,
            values,
            inverse,
            square: eta * eta,
            lambda: zero,
        }
    }

    pub(super) fn new(cone: &SymmetricCone, x: DVec3, y: DVec3, pair: &PairProducts) -> Self {
        let (root_x, root_y) = (pair.det_x.sqrt(), pair.det_y.sqrt());
        let across = |v: DVec3| split(v, cone.axis).1;
        let cosine = (pair.dot / (root_x * root_y)).max(1.0);
        let gamma = (0.5 * (1.0 + cosine)).sqrt();
        let w = (across(y) / root_y - across(x) / root_x) / (2.0 * gamma);
        let mut scaling = Self::along(cone, w, (root_y / root_x).sqrt());
        // F x = F⁻¹ y, each part from the one of them that is not a difference of large numbers.
        let along = scaling.directions.transpose();
        let (x, y) = (along * x, along * y);
        let (f, inverse) = (scaling.values, scaling.inverse);
        scaling.lambda = scaling.directions
            * if cone.line {
                f * x
            } else {
                DVec3::new(inverse.x * y.x, f.y * x.y, f.z * x.z)
            };
        scaling
    }

    /// F⁻¹ a, F b and what goes with them.
    pub(super) fn unscaled(
        &self,
        cone: &SymmetricCone,
        a: DVec3,
        b: DVec3,
    ) -> (DVec3, DVec3, PairProducts) {
        let pair = PairProducts {
            det_x: cone.determinant(a) / self.square,
            det_y: cone.determinant(b) * self.square,
            dot: a.dot(b),
        };
        (self.invert(a), self.apply(b), pair)
    }

    /// The scaling of a joint, `F² = θ d`, d = λ_max(W_kk), instead of zero: each step then is one of the
    /// proximal-point method, which leaves θ d Δx of the joint's velocity to the next.
    pub(super) fn of_joint(cone: &SymmetricCone, ease: f64) -> Self {
        Self::along(cone, DVec3::ZERO, (PROXIMITY * ease).sqrt())
    }

    /// F v.
    #[inline(always)]
    pub(super) fn apply(&self, v: DVec3) -> DVec3 {
        self.directions * (self.values * (self.directions.transpose() * v))
    }

    /// F⁻¹ v.
    #[inline(always)]
    pub(super) fn invert(&self, v: DVec3) -> DVec3 {
        self.directions * (self.inverse * (self.directions.transpose() * v))
    }

    /// F⁻¹ as a matrix.
    pub(super) fn inverse_matrix(&self) -> DMat3 {
        self.directions * DMat3::from_diagonal(self.inverse) * self.directions.transpose()
    }

    /// F⁻².
    pub(super) fn inverse_square(&self) -> DMat3 {
        let scaled = self.directions * DMat3::from_diagonal(self.inverse);
        scaled * scaled.transpose()
    }
}
