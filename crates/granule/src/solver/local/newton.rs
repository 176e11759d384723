//! Newton's method on one contact, for the enhanced solvers.
//!
//! The paper's system (31) has the unknowns (p, w), four in a plane and six in space. Its first half,
//! `w = w_0 + W_cc (p - p_0)`, is linear, so every Newton step satisfies it, and what is left is
//! `f(p) = p - P(τ(p)) = 0` with the derivative of P on the piece that τ is in: the same iterates with
//! half the unknowns.

use super::OneContact;
use crate::math::linear::{Matrix, dot, product, solve};

/// Newton steps at most. A contact takes 1 to 5; more means that steps go round in circles.
const MOST: usize = 20;
/// |f| relative to |p|, or to |ρ w| where nothing is carried, at which a contact is solved.
const SOLVED: f64 = 1e-14;

/// The value of P(τ) and its derivative with respect to τ.
pub(super) type Piece<const D: usize> = ([f64; D], Matrix<D>);

/// Finds p with `p = P(τ(p))`, starting from the impulse of the contact, τ = p - ρ (w + s n) with s = μ |w_t| where
/// friction is exact and `corrected` is asked for; `onto` gives P(τ) and its derivative. Where Newton's method does not
/// get there, the best of its iterates, projected.
#[inline(always)]
pub(super) fn newton<const D: usize>(
    contact: &OneContact<D>,
    corrected: bool,
    onto: impl Fn(&OneContact<D>, &[f64; D]) -> Piece<D>,
) -> [f64; D] {
    if D == 1 {
        // Without friction f has two straight pieces, and Newton's method ends on the right one.
        return [(contact.impulse[0] - contact.inverse * contact.velocity[0]).max(0.0); D];
    }
    let mut p = contact.impulse;
    let (mut best, mut smallest) = (p, f64::INFINITY);
    for _ in 0..MOST {
        let velocity = contact.velocity_at(&p);
        let tau = if corrected {
            contact.augmented(&p, &contact.corrected(&velocity))
        } else {
            contact.augmented(&p, &velocity)
        };
        let (value, derivative) = onto(contact, &tau);
        let inner = augmented_derivative(contact, &velocity, corrected);
        let derivative = product(&derivative, &inner);
        let f: [f64; D] = std::array::from_fn(|i| p[i] - value[i]);
        let error = dot(&f, &f).sqrt();
        if error < smallest {
            // The projection lies in the set, where an iterate may not.
            (best, smallest) = (value, error);
        }
        let scale = dot(&p, &p).sqrt().max(dot(&value, &value).sqrt());
        if error <= SOLVED * scale {
            break;
        }
        let jacobian: Matrix<D> = std::array::from_fn(|i| {
            std::array::from_fn(|j| f64::from(u8::from(i == j)) - derivative[i][j])
        });
        let Some(step) = solve(jacobian, f) else {
            break;
        };
        p = std::array::from_fn(|i| p[i] - step[i]);
    }
    best
}

/// The derivative of τ with respect to p.
#[inline(always)]
fn augmented_derivative<const D: usize>(
    contact: &OneContact<D>,
    velocity: &[f64; D],
    corrected: bool,
) -> Matrix<D> {
    let mut made = contact.block;
    let side = super::across(velocity);
    if corrected && contact.exact && side > 0.0 {
        let slide: [f64; D] = std::array::from_fn(|i| {
            if i == 0 {
                0.0
            } else {
                contact.friction * velocity[i] / side
            }
        });
        // The row of μ |w_t| is that of the tangential rows along the slide.
        let slip: [f64; D] = std::array::from_fn(|j| {
            let column: [f64; D] = std::array::from_fn(|i| contact.block[i][j]);
            dot(&slide, &column)
        });
        made[0] = std::array::from_fn(|j| made[0][j] + slip[j]);
    }
    let [normal, tangential] = contact.rho;
    std::array::from_fn(|i| {
        let rho = if i == 0 { normal } else { tangential };
        std::array::from_fn(|j| f64::from(u8::from(i == j)) - rho * made[i][j])
    })
}
