//! The set K of impulses that a contact may transmit, as solvers and the certificate see it.

use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// One closed convex set of impulses. For a contact with one row the impulse is a number along
/// the normal; with more rows it is a vector in the coordinates of the contact's block, and the
/// set is given by means of the unit normal in those coordinates (see [`crate::problem`]).
///
/// ```
/// use granule::law::AdmissibleSet;
/// let set = AdmissibleSet::HalfLine;
/// assert_eq!(set.project_scalar(-0.5), 0.0);
/// assert_eq!(set.distance_scalar(-0.5), 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum AdmissibleSet {
    /// `{ a n : a ≥ 0 }`: the contact only pushes.
    HalfLine,
}

impl AdmissibleSet {
    /// The projection P_K of an impulse along the normal.
    #[inline(always)]
    pub fn project_scalar(self, impulse: f64) -> f64 {
        match self {
            // A comparison instead of `max`: one instruction, and NaN becomes zero all the same.
            Self::HalfLine => {
                if impulse > 0.0 {
                    impulse
                } else {
                    0.0
                }
            }
        }
    }

    /// The projection P_K of an impulse vector.
    #[inline(always)]
    pub fn project(self, impulse: DVec3, normal: DVec3) -> DVec3 {
        match self {
            Self::HalfLine => impulse.dot(normal).max(0.0) * normal,
        }
    }

    /// The distance of an impulse along the normal from K.
    pub fn distance_scalar(self, impulse: f64) -> f64 {
        (impulse - self.project_scalar(impulse)).abs()
    }

    /// The distance of an impulse vector from K.
    pub fn distance(self, impulse: DVec3, normal: DVec3) -> f64 {
        (impulse - self.project(impulse, normal)).length()
    }

    /// The projection onto the dual cone K* = { w : λ·w ≥ 0 for all λ in K }, by Moreau's
    /// decomposition `P_K*(w) = w + P_K(-w)`.
    pub fn project_dual(self, velocity: DVec3, normal: DVec3) -> DVec3 {
        velocity + self.project(-velocity, normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-10.0..10.0f64, -10.0..10.0f64, -10.0..10.0f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    fn unit() -> impl Strategy<Value = DVec3> {
        vector().prop_filter_map("not zero", |v| v.try_normalize())
    }

    proptest! {
        #[test]
        fn projection_is_idempotent_and_non_expansive(a in vector(), b in vector(), n in unit()) {
            let set = AdmissibleSet::HalfLine;
            let (pa, pb) = (set.project(a, n), set.project(b, n));
            prop_assert!((set.project(pa, n) - pa).length() < 1e-13 * (1.0 + pa.length()));
            prop_assert!((pa - pb).length() <= (a - b).length() * (1.0 + 1e-13));
        }

        #[test]
        fn moreau_decomposition(a in vector(), n in unit()) {
            // a = P_K(a) + P_K°(a) with orthogonal parts; K° = -K*.
            let set = AdmissibleSet::HalfLine;
            let inside = set.project(a, n);
            let polar = -set.project_dual(-a, n);
            prop_assert!((inside + polar - a).length() < 1e-13 * (1.0 + a.length()));
            prop_assert!(inside.dot(polar).abs() < 1e-12 * (1.0 + a.length_squared()));
        }

        #[test]
        fn the_scalar_form_is_the_vector_form_along_the_normal(x in -10.0..10.0f64, n in unit()) {
            let set = AdmissibleSet::HalfLine;
            let vector = set.project(x * n, n);
            prop_assert!((vector.dot(n) - set.project_scalar(x)).abs() < 1e-13 * (1.0 + x.abs()));
        }
    }
}
