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
//! normal. A joint has no cone: its y is zero and its x anything, see [`Scaling::of_joint`].

use crate::math::{DMat3, DVec3};

/// Determinants are at least this share of the square of the axis part: what is nearer to the edge is
/// there by rounding.
const FLOOR: f64 = 1e-15;

/// θ of joints.
const PROXIMITY: f64 = 1e-7;

/// The cone of one contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cone {
    /// Unit normal n.
    pub(super) axis: DVec3,
    /// μ; one for a half-line and for a joint.
    stretch: f64,
    /// Whether only the normal part counts.
    line: bool,
    /// Whether x is free and y zero.
    joint: bool,
}

/// `x_0` and `x̄`.
#[inline(always)]
fn split(x: DVec3, axis: DVec3) -> (f64, DVec3) {
    let along = x.dot(axis);
    (along, x - along * axis)
}

impl Cone {
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
            axis,
            stretch: 1.0,
            line,
            joint: true,
        }
    }

    /// Whether only the normal part counts.
    #[inline(always)]
    pub(super) fn is_line(&self) -> bool {
        self.line
    }

    /// Whether x is free and y zero.
    #[inline(always)]
    pub(super) fn is_joint(&self) -> bool {
        self.joint
    }

    /// Without the part that a half-line does not have.
    #[inline(always)]
    pub(super) fn confine(&self, x: DVec3) -> DVec3 {
        if self.is_line() {
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

    /// `T⁻¹ A T⁻¹` of a matrix that is w_n along the normal and w_T across it.
    pub(super) fn diagonal(&self, normal: f64, tangential: f64) -> DMat3 {
        let along = normal / (self.stretch * self.stretch);
        let tangential = if self.is_line() { 0.0 } else { tangential };
        outer(self.axis, (along - tangential) * self.axis)
            + DMat3::from_diagonal(DVec3::splat(tangential))
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
        let ((x0, x), (d0, d)) = (split(x, self.axis), split(d, self.axis));
        // a t² + 2 b t + c = det(x + t d).
        let a = d0 * d0 - d.length_squared();
        let b = x0 * d0 - x.dot(d);
        let length = x.length();
        let c = ((x0 - length) * (x0 + length)).max(FLOOR * x0 * x0);
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
    pub(super) fn smoothed(&self, z: DVec3, alpha: f64) -> (DVec3, DVec3) {
        let (z0, z) = split(z, self.axis);
        let length = z.length();
        // The larger root without cancellation.
        let part = |value: f64| {
            let root = value.hypot(2.0 * alpha.sqrt());
            if value > 0.0 {
                0.5 * (value + root)
            } else {
                2.0 * alpha / (root - value)
            }
        };
        let combine = |high: f64, low: f64| {
            let direction = if length > 0.0 {
                z / length
            } else {
                DVec3::ZERO
            };
            0.5 * (high + low) * self.axis + 0.5 * (high - low) * direction
        };
        let x = combine(part(z0 + length), part(z0 - length));
        let y = combine(part(-z0 - length), part(-z0 + length));
        (x, y)
    }
}

/// a bᵀ.
#[inline(always)]
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Nesterov and Todd's scaling of a pair: the symmetric F with `F x = F⁻¹ y = λ`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaling {
    axis: DVec3,
    line: bool,
    /// F = η (…).
    eta: f64,
    /// The unit point w.
    w0: f64,
    w: DVec3,
    /// λ.
    pub(super) lambda: DVec3,
}

impl Scaling {
    pub(super) fn new(cone: &Cone, x: DVec3, y: DVec3) -> Self {
        let (dx, dy) = (cone.determinant(x), cone.determinant(y));
        let (unit_x, unit_y) = (x / dx.sqrt(), y / dy.sqrt());
        let ((x0, x), (y0, y)) = (split(unit_x, cone.axis), split(unit_y, cone.axis));
        let gamma = (0.5 * (1.0 + x0 * y0 + x.dot(y)).max(1.0)).sqrt();
        let w = (y - x) / (2.0 * gamma);
        // On the hyperboloid, whatever rounding did.
        let w0 = (1.0 + w.length_squared()).sqrt();
        let mut scaling = Self {
            axis: cone.axis,
            line: cone.is_line(),
            eta: (dy / dx).sqrt().sqrt(),
            w0,
            w,
            lambda: DVec3::ZERO,
        };
        scaling.lambda = scaling.apply(unit_x * dx.sqrt());
        scaling
    }

    /// The scaling of a joint, `F² = θ d`, d = λ_max(W_kk), instead of zero: each step then is one of the
    /// proximal-point method, which leaves θ d Δx of the joint's velocity to the next.
    pub(super) fn of_joint(cone: &Cone, ease: f64) -> Self {
        Self {
            axis: cone.axis,
            line: cone.is_line(),
            eta: (PROXIMITY * ease).sqrt(),
            w0: 1.0,
            w: DVec3::ZERO,
            lambda: DVec3::ZERO,
        }
    }

    /// F v, with w or with its mirror image.
    #[inline(always)]
    fn through(&self, v: DVec3, w: DVec3) -> DVec3 {
        let (v0, v) = split(v, self.axis);
        let dot = w.dot(v);
        (self.w0 * v0 + dot) * self.axis + v + (v0 + dot / (1.0 + self.w0)) * w
    }

    /// F v.
    #[inline(always)]
    pub(super) fn apply(&self, v: DVec3) -> DVec3 {
        self.eta * self.through(v, self.w)
    }

    /// F⁻¹ v.
    #[inline(always)]
    pub(super) fn invert(&self, v: DVec3) -> DVec3 {
        self.through(v, -self.w) / self.eta
    }

    /// `η² (2 w wᵀ - J)` with J = 2 n nᵀ - 1, or for the mirror image of w and 1/η².
    fn squared(&self, w: DVec3, factor: f64) -> DMat3 {
        if self.line {
            return outer(self.axis, factor * self.axis);
        }
        let w = self.w0 * self.axis + w;
        factor * (outer(w, 2.0 * w) - outer(self.axis, 2.0 * self.axis) + DMat3::IDENTITY)
    }

    /// F².
    pub(super) fn square(&self) -> DMat3 {
        self.squared(self.w, self.eta * self.eta)
    }

    /// F⁻².
    pub(super) fn inverse_square(&self) -> DMat3 {
        self.squared(-self.w, 1.0 / (self.eta * self.eta))
    }
}
