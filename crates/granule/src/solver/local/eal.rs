//! EAL: Newton's method on the augmented Lagrangian's equations, Alart and Curnier's
//! [barboteu2017, eq. (26); alart1991, §3].
//!
//! `p = proj(p - ρ w, C)` with C the half-line along the normal times the disk of radius μ τ_n⁺, and the
//! derivative of the projection on the piece that τ is in. With the convexified law C is K, and the
//! method is EBP.

use super::newton::{Piece, newton};
use super::{Ebp, LocalSolver, OneContact, across};
use crate::math::linear::Matrix;

/// The local solver of `nlgs-eal`.
pub(in crate::solver) struct Eal;

/// The projection of τ onto half-line and disk, and its derivative.
#[inline(always)]
fn onto_disk<const D: usize>(contact: &OneContact<D>, tau: &[f64; D]) -> Piece<D> {
    let value = contact.cut(tau);
    let mut derivative: Matrix<D> = [[0.0; D]; D];
    if tau[0] > 0.0 {
        derivative[0][0] = 1.0;
        let (side, radius) = (across(tau), contact.friction * tau[0]);
        for i in 1..D {
            if side <= radius {
                derivative[i][i] = 1.0;
                continue;
            }
            derivative[i][0] = contact.friction * tau[i] / side;
            for j in 1..D {
                let same = f64::from(u8::from(i == j));
                derivative[i][j] = radius / side * (same - tau[i] * tau[j] / (side * side));
            }
        }
    }
    (value, derivative)
}

impl LocalSolver for Eal {
    const PARTIAL: bool = false;

    #[inline(always)]
    fn solve<const D: usize>(contact: &OneContact<D>) -> [f64; D] {
        if !contact.exact {
            return Ebp::solve(contact);
        }
        newton(contact, false, onto_disk)
    }
}
