//! One contact alone: the five local solvers of [barboteu2017, §4], one of ours and row by row, each in
//! its own file.
//!
//! All see the same thing, [`OneContact`]: the block W_cc, the impulse p that the contact has now and
//! the velocity w that belongs to it, in coordinates with the normal first. They give the next impulse;
//! p' changes the velocity by `W_cc (p' - p)`. A contact without friction has one coordinate, one in a
//! plane two, one in space three.
//!
//! The law is `-w ∈ N_K(p)`, K = { |p_t| ≤ μ p_n }, or with exact friction `-(w + μ |w_t| n) ∈ N_K(p)`.
//! The augmented impulse `τ = p - ρ w` [barboteu2017, eq. (25), corrected] decides between separation,
//! sticking and sliding in all of them. ρ is a share θ of the inverse of W_cc along and across the
//! normal, (θ/w_n, θ/w_t), so that θ = ρ W as the paper's parameter; for blocks of other shapes than a
//! sphere's w_n and w_t lie above the block.
//!
//! | solver | file | what it does at a visit |
//! |---|---|---|
//! | `nlgs-sbp` | `sbp.rs` | one Uzawa step of the bipotential |
//! | `nlgs-sal` | `sal.rs` | one projected gradient step of the augmented Lagrangian |
//! | `nlgs-ebp` | `ebp.rs` | Newton's method on the projection onto K |
//! | `nlgs-eal` | `eal.rs` | Newton's method on the projection onto half-line and disk |
//! | `nlgs-pdas` | `pdas.rs` | one choice of the active set and its equations |
//! | `nlgs-cases` | `cases.rs` | separation, sticking or sliding, with one equation for its direction |
//! | `pgs` | `rows.rs` | the normal row, then the tangential ones together |
//!
//! Without friction the first two are the same map and so are the last five. With the convexified law
//! the augmented Lagrangian is that of a minimisation over K, so that SAL is SBP and EAL is EBP.

mod cases;
mod eal;
mod ebp;
mod newton;
mod pdas;
mod rows;
mod sal;
mod sbp;
#[cfg(test)]
mod tests;

pub(super) use cases::Cases;
pub(super) use eal::Eal;
pub(super) use ebp::Ebp;
pub(super) use pdas::Pdas;
pub(super) use rows::RowByRow;
pub(super) use sal::Sal;
pub(super) use sbp::Sbp;

use crate::math::linear::{Matrix, times};

/// One contact in coordinates with the normal first.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneContact<const D: usize> {
    /// W_cc, 1/kg.
    pub(super) block: Matrix<D>,
    /// 1 / W_nn, kg.
    pub(super) inverse: f64,
    /// W_cc⁻¹, kg, in space and for solvers that ask for it; not made of numbers where there is none.
    pub(super) whole_inverse: Matrix<D>,
    /// p, N s.
    pub(super) impulse: [f64; D],
    /// w at p, m/s.
    pub(super) velocity: [f64; D],
    /// μ.
    pub(super) friction: f64,
    /// Whether friction is exact rather than convexified.
    pub(super) exact: bool,
    /// ρ along and across the normal, kg.
    pub(super) rho: [f64; 2],
}

/// Finds the next impulse of one contact.
pub(super) trait LocalSolver: Send + Sync {
    /// p'.
    fn solve<const D: usize>(contact: &OneContact<D>) -> [f64; D];

    /// Whether it needs W_cc⁻¹ in space.
    const INVERTS: bool = false;

    /// Whether a visit only goes a share θ of the way that the contact wants to go.
    const PARTIAL: bool;
}

/// The length of the part across the normal.
#[inline(always)]
fn across<const D: usize>(x: &[f64; D]) -> f64 {
    let mut sum = 0.0;
    for entry in x.iter().skip(1) {
        sum += entry * entry;
    }
    sum.sqrt()
}

impl<const D: usize> OneContact<D> {
    /// w at another impulse, m/s.
    #[inline(always)]
    pub(super) fn velocity_at(&self, impulse: &[f64; D]) -> [f64; D] {
        let change = std::array::from_fn(|i| impulse[i] - self.impulse[i]);
        let made = times(&self.block, &change);
        std::array::from_fn(|i| self.velocity[i] + made[i])
    }

    /// w with de Saxcé's correction `μ |w_t|` along the normal where friction is exact.
    #[inline(always)]
    fn corrected(&self, velocity: &[f64; D]) -> [f64; D] {
        let mut corrected = *velocity;
        if self.exact {
            corrected[0] += self.friction * across(velocity);
        }
        corrected
    }

    /// A share of the way to `next`, or more than the whole, but not out of K.
    pub(super) fn relaxed(&self, next: &[f64; D], relaxation: f64) -> [f64; D] {
        let there =
            std::array::from_fn(|i| self.impulse[i] + relaxation * (next[i] - self.impulse[i]));
        self.project(&there)
    }

    /// τ = p - ρ w.
    #[inline(always)]
    fn augmented(&self, impulse: &[f64; D], velocity: &[f64; D]) -> [f64; D] {
        let [normal, tangential] = self.rho;
        std::array::from_fn(|i| {
            let rho = if i == 0 { normal } else { tangential };
            impulse[i] - rho * velocity[i]
        })
    }

    /// The point of K nearest to τ in the metric 1/ρ.
    #[inline(always)]
    fn project(&self, tau: &[f64; D]) -> [f64; D] {
        let (along, side, mu) = (tau[0], across(tau), self.friction);
        if along >= 0.0 && side <= mu * along {
            return *tau;
        }
        let [normal, tangential] = self.rho;
        let edge = (tangential * along + mu * normal * side) / (tangential + mu * mu * normal);
        let edge = edge.max(0.0);
        let factor = if side > 0.0 { mu * edge / side } else { 0.0 };
        std::array::from_fn(|i| if i == 0 { edge } else { factor * tau[i] })
    }

    /// The point nearest to τ of the half-line along the normal and the disk of radius μ times that.
    #[inline(always)]
    fn cut(&self, tau: &[f64; D]) -> [f64; D] {
        let along = tau[0].max(0.0);
        let (side, radius) = (across(tau), self.friction * along);
        let factor = if side > radius { radius / side } else { 1.0 };
        std::array::from_fn(|i| if i == 0 { along } else { factor * tau[i] })
    }
}
