//! D of round contacts, written once: for numbers, and for numbers of several contacts side by side.
//!
//! The relative velocity of spheres or disks a and b is
//!
//! ```text
//! u = v_a - v_b + n × (r_a ω_a + r_b ω_b)        [bloch2023, §1.1.3], normal n from b towards a
//! ```
//!
//! and D is the transpose: an impulse f pushes a by f and b by -f, and turns the surfaces of both by f × n. Operators,
//! matrices, sweeps, the interior point, the assembly of steps and the export use these functions; the certificate
//! has its own, on purpose.

use crate::math::DVec3;
use std::ops::{Add, Mul, Sub};

/// What components of vectors are: a number, or the numbers of several contacts.
pub(crate) trait Component:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Component for T {}

#[inline(always)]
fn cross<T: Component>(a: &[T; 3], b: &[T; 3]) -> [T; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Dᵀ: u from `linear` = v_a - v_b and `surface` = r_a ω_a + r_b ω_b.
#[inline(always)]
pub(crate) fn relative<T: Component>(normal: &[T; 3], linear: &[T; 3], surface: &[T; 3]) -> [T; 3] {
    let turned = cross(normal, surface);
    [
        linear[0] + turned[0],
        linear[1] + turned[1],
        linear[2] + turned[2],
    ]
}

/// The part of D that turns: f × n, the same for both bodies since both the arm and the impulse change sign.
#[inline(always)]
pub(crate) fn twist<T: Component>(normal: &[T; 3], impulse: &[T; 3]) -> [T; 3] {
    cross(impulse, normal)
}

/// [`relative`] of vectors.
#[inline(always)]
pub(crate) fn relative_velocity(normal: DVec3, linear: DVec3, surface: DVec3) -> DVec3 {
    let [n, v, s] = [normal, linear, surface].map(|x| x.to_array());
    relative(&n, &v, &s).into()
}

/// [`twist`] of vectors.
#[inline(always)]
pub(crate) fn twist_of(normal: DVec3, impulse: DVec3) -> DVec3 {
    twist(&normal.to_array(), &impulse.to_array()).into()
}

/// ℓ (ω_a - ω_b) from r_a ω_a and r_b ω_b, with ℓ/r_a and ℓ/r_b.
#[inline(always)]
pub(crate) fn relative_spin([arm_a, arm_b]: [f64; 2], [a, b]: [DVec3; 2]) -> DVec3 {
    arm_a * a - arm_b * b
}

/// What a moment τ/ℓ adds to both twists: the transpose of [`relative_spin`].
#[inline(always)]
pub(crate) fn moments([arm_a, arm_b]: [f64; 2], moment: DVec3) -> [DVec3; 2] {
    [arm_a * moment, -arm_b * moment]
}
