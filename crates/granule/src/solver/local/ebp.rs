//! EBP: Newton's method on the bipotential's equations [barboteu2017, eq. (30)-(34)].
//!
//! `p = proj(p - ρ (w + μ |w_t| n), K)` with the derivative of the projection on the piece that the
//! augmented impulse is in: nothing (separation), the identity (sticking), or the edge of the cone
//! (sliding).

use super::newton::{Piece, newton};
use super::{LocalSolver, OneContact, across};
use crate::math::linear::Matrix;

/// The local solver of `nlgs-ebp`.
pub(in crate::solver) struct Ebp;

/// The projection of τ onto K in the metric 1/ρ, and its derivative.
#[inline(always)]
fn onto_cone<const D: usize>(contact: &OneContact<D>, tau: &[f64; D]) -> Piece<D> {
    let value = contact.project(tau);
    let (side, mu) = (across(tau), contact.friction);
    let mut derivative: Matrix<D> = [[0.0; D]; D];
    if tau[0] > 0.0 && side <= mu * tau[0] {
        for (i, row) in derivative.iter_mut().enumerate() {
            row[i] = 1.0;
        }
    } else if value[0] > 0.0 {
        // value = a (1, μ t) with a = (ρ_t τ_n + μ ρ_n |τ_t|)/(ρ_t + μ² ρ_n), t = τ_t/|τ_t|.
        let [normal, tangential] = contact.rho;
        let below = tangential + mu * mu * normal;
        let direction: [f64; D] = std::array::from_fn(|i| {
            if i == 0 || side == 0.0 {
                0.0
            } else {
                tau[i] / side
            }
        });
        let edge: [f64; D] = std::array::from_fn(|j| {
            if j == 0 {
                tangential / below
            } else {
                mu * normal * direction[j] / below
            }
        });
        derivative[0] = edge;
        for i in 1..D {
            for j in 0..D {
                derivative[i][j] = mu * direction[i] * edge[j];
                if j > 0 && side > 0.0 {
                    let same = f64::from(u8::from(i == j));
                    derivative[i][j] += mu * value[0] / side * (same - direction[i] * direction[j]);
                }
            }
        }
    }
    (value, derivative)
}

impl LocalSolver for Ebp {
    const PARTIAL: bool = false;

    #[inline(always)]
    fn solve<const D: usize>(contact: &OneContact<D>) -> [f64; D] {
        newton(contact, true, onto_cone)
    }
}
