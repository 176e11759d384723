//! SBP: one step of Uzawa's method on the bipotential [barboteu2017, §4.2].
//!
//! `p' = proj(p - ρ (w + μ |w_t| n), K)`: the proximal point of the augmented impulse with respect to
//! ρ times the bipotential `μ p_n |w_t|` of (28), without its singular part.

use super::{LocalSolver, OneContact};

/// The local solver of `nlgs-sbp`.
pub(in crate::solver) struct Sbp;

impl LocalSolver for Sbp {
    const PARTIAL: bool = true;

    #[inline(always)]
    fn solve<const D: usize>(contact: &OneContact<D>) -> [f64; D] {
        let corrected = contact.corrected(&contact.velocity);
        contact.project(&contact.augmented(&contact.impulse, &corrected))
    }
}
