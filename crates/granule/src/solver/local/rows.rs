//! Plain projected Gauss-Seidel (`pgs`): the normal row, then the tangential ones.
//!
//! `p_n' = max(0, p_n - w_n / W_nn)`, then `p_t' = p_t - ρ_t w_t` with the velocity that is left, cut at
//! μ p_n'. What most engines for games and robots do, with one step ρ_t for both tangential rows: with a
//! step of its own for each row the cut would turn the direction, and what stays would not be a
//! solution. It finds exact friction; the convexified law couples the rows, and is solved as in SAL.

use super::{LocalSolver, OneContact, Sal};

/// The local solver of `pgs`.
pub(in crate::solver) struct RowByRow;

impl LocalSolver for RowByRow {
    const PARTIAL: bool = false;

    #[inline(always)]
    fn solve<const D: usize>(contact: &OneContact<D>) -> [f64; D] {
        if !contact.exact {
            return Sal::solve(contact);
        }
        let mut pressed = contact.impulse;
        pressed[0] = (pressed[0] - contact.inverse * contact.velocity[0]).max(0.0);
        let mut tau = contact.augmented(&pressed, &contact.velocity_at(&pressed));
        tau[0] = pressed[0];
        contact.cut(&tau)
    }
}
