//! SAL: one projected gradient step of the augmented Lagrangian [barboteu2017, eq. (24), (25)].
//!
//! `p' = proj(p - ρ w, C)` with C the half-line along the normal times the disk of radius μ p'_n: the
//! radius uses the normal impulse just found. With the convexified law C is K itself.

use super::{LocalSolver, OneContact};

/// The local solver of `nlgs-sal`.
pub(in crate::solver) struct Sal;

impl LocalSolver for Sal {
    const PARTIAL: bool = true;

    #[inline(always)]
    fn solve<const D: usize>(contact: &OneContact<D>) -> [f64; D] {
        let tau = contact.augmented(&contact.impulse, &contact.velocity);
        if contact.exact {
            contact.cut(&tau)
        } else {
            contact.project(&tau)
        }
    }
}
