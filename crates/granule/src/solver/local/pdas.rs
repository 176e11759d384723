//! PDAS: the primal-dual active set method [barboteu2017, §4.3], here with friction.
//!
//! Without friction, as printed (with the corrected (40)): `τ_n = p_n - γ w_n ≥ 0` makes a contact active,
//! and then `w_n = 0`, that is `p_n' = p_n - w_n/W_nn`; otherwise `p' = 0`. One choice a visit.
//!
//! # With friction
//! The paper leaves it open. In the same spirit τ = p - ρ w chooses among *three* sets, and the equations
//! of the chosen one are solved at once:
//!
//! | set | chosen if | equations | solution |
//! |---|---|---|---|
//! | separation | τ_n ≤ 0 | p' = 0 | |
//! | sticking | \|τ_t\| ≤ μ τ_n | w' = 0 | p' = p - W_cc⁻¹ w |
//! | sliding | otherwise | w'_n = 0, p' = p'_n (1, μ t), t = τ_t/\|τ_t\| | p'_n = (W_n·p - w_n) / (W_n·(1, μ t)) |
//!
//! with W_n the first row of W_cc. In sliding the direction t is part of the choice, as the set is: it
//! comes from the dual and the primal variable together. Fixed points are solutions: then `τ_t = p_t -
//! ρ w_t` has the direction of p_t, so w_t is opposite to p_t. (If the direction were kept from p_t alone,
//! one that is wrong would stay so for ever.)
//!
//! *For spheres it is exact in one visit.* There W_cc = diag(w_n, w_t, w_t) and ρ = (1/w_n, 1/w_t), so
//! τ = -(w - W_cc p)/W_cc does not depend on p at all: the choice is right at once, and so is the
//! direction. For other blocks set and direction settle in a few sweeps, as in the paper without
//! friction.
//!
//! *The convexified law* has the same sets with K in place of half-line and disk: separation where τ lies
//! in the polar cone, and sliding along the edge a = (1, μ t) where `a·w' = 0`, so `p'_n = (a·W p - a·w) /
//! (a·W a)`.
//!
//! Where the sliding equations have no solution with p_n' ≥ 0 (a block that couples so strongly that
//! pushing along the edge does not separate) the step of SAL is taken instead.

use super::{LocalSolver, OneContact, Sal, across};
use crate::math::linear::{dot, solve, times};

/// The local solver of `nlgs-pdas`.
pub(in crate::solver) struct Pdas;

impl LocalSolver for Pdas {
    const PARTIAL: bool = false;

    #[inline(always)]
    fn solve<const D: usize>(contact: &OneContact<D>) -> [f64; D] {
        let OneContact {
            block,
            inverse,
            impulse,
            velocity,
            friction: mu,
            exact,
            rho: [rho_n, rho_t],
            ..
        } = contact;
        let tau = contact.augmented(impulse, velocity);
        let side = across(&tau);
        let separates = if *exact || D == 1 {
            tau[0] <= 0.0
        } else {
            rho_t * tau[0] + mu * rho_n * side <= 0.0
        };
        if separates {
            return [0.0; D];
        }
        if D == 1 {
            return std::array::from_fn(|i| impulse[i] - inverse * velocity[i]);
        }
        if side <= mu * tau[0] {
            let Some(change) = solve(*block, *velocity) else {
                return Sal::solve(contact);
            };
            return std::array::from_fn(|i| impulse[i] - change[i]);
        }
        // Sliding: p' = a x with x ≥ 0.
        let edge: [f64; D] = std::array::from_fn(|i| if i == 0 { 1.0 } else { mu * tau[i] / side });
        let free = times(block, impulse);
        let free: [f64; D] = std::array::from_fn(|i| free[i] - velocity[i]);
        let made = times(block, &edge);
        let (above, below) = if *exact {
            (free[0], made[0])
        } else {
            (dot(&edge, &free), dot(&edge, &made))
        };
        if below <= 0.0 || above < 0.0 {
            return Sal::solve(contact);
        }
        edge.map(|entry| above / below * entry)
    }
}
