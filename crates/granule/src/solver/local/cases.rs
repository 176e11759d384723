//! Case by case (*ours*): exact friction at one contact, with an equation for the direction of sliding
//! alone.
//!
//! With v the velocity that the contact has if nothing is carried, one of three holds:
//!
//! | case | if | impulse |
//! |---|---|---|
//! | separation | v_n ≥ 0 | 0 |
//! | sticking | -W_cc⁻¹ v in K | that |
//! | sliding | otherwise | p_n (1, μ t), p_n = -v_n / (W_n·(1, μ t)), with W_n the first row of W_cc |
//!
//! In sliding w_n = 0 for any unit vector t, and what is left is that the contact slides against t: `t⊥·w_t =
//! 0` and `t·w_t ≤ 0`. In a plane t is one of two. In space it is the root of a function of one angle, and
//! Newton's method finds it from the direction of the impulse that is carried now, or of the one that would
//! hold the contact; a step costs a product with W_cc. Where it does not (a block that couples so strongly
//! that the push along an edge does not separate) EAL's does.
//!
//! *The convexified law* is left to EBP.

use super::{Eal, Ebp, LocalSolver, OneContact, across};
use crate::math::linear::{dot, solve, times};

/// The local solver of `nlgs-cases`.
pub(in crate::solver) struct Cases;

/// The most Newton steps for the direction; two or three are usual.
const MOST: usize = 12;
/// The share of what friction allows above which a contact slides.
const SLIDING: f64 = 1.0 - 1e-10;
/// Radians: after a step this short the direction is good enough. What is left of it is the square of the step, and
/// the next visit goes on from there.
const LAST: f64 = 1e-3;

/// x turned by a right angle across the normal.
#[inline(always)]
fn turned<const D: usize>(x: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|i| match i {
        0 => 0.0,
        1 => -x[D - 1],
        _ => x[1],
    })
}

/// The impulse of a contact that slides, sought from the direction `t` on.
#[inline(always)]
fn sliding<const D: usize>(contact: &OneContact<D>, mut t: [f64; D]) -> Option<[f64; D]> {
    let (block, mu) = (&contact.block, contact.friction);
    let free = contact.velocity_at(&[0.0; D]);
    let edge = |t: &[f64; D]| -> [f64; D] {
        std::array::from_fn(|i| if i == 0 { 1.0 } else { mu * t[i] })
    };
    for _ in 0..MOST {
        let along_edge = edge(&t);
        let made = times(block, &along_edge);
        if made[0] <= 0.0 {
            return None;
        }
        let push = -free[0] / made[0];
        let w: [f64; D] = std::array::from_fn(|i| free[i] + push * made[i]);
        let forwards = dot(&t, &w);
        if D == 2 {
            if forwards <= 0.0 {
                return Some(along_edge.map(|entry| push * entry));
            }
            t = t.map(|entry| -entry);
            continue;
        }
        let aside = turned(&t);
        let turning = times(block, &aside).map(|entry| mu * entry);
        let push_slope = -push * turning[0] / made[0];
        let slope = push_slope * dot(&aside, &made) + push * dot(&aside, &turning) - forwards;
        let angle = -dot(&aside, &w) / slope;
        if slope <= 0.0 || !angle.is_finite() {
            return None;
        }
        let angle = angle.clamp(-1.0, 1.0);
        let there: [f64; D] = std::array::from_fn(|i| t[i] + angle * aside[i]);
        t = there.map(|entry| entry / across(&there));
        if angle.abs() <= LAST {
            if forwards > 0.0 {
                return None;
            }
            let along_edge = edge(&t);
            let push = -free[0] / dot(&block[0], &along_edge);
            return Some(along_edge.map(|entry| push * entry));
        }
    }
    None
}

/// The direction across the normal, if there is one.
#[inline(always)]
fn direction<const D: usize>(x: &[f64; D]) -> Option<[f64; D]> {
    let length = across(x);
    (length > 0.0).then(|| std::array::from_fn(|i| if i == 0 { 0.0 } else { x[i] / length }))
}

#[inline(always)]
fn case<const D: usize>(contact: &OneContact<D>) -> Option<[f64; D]> {
    let OneContact {
        block,
        whole_inverse,
        impulse,
        velocity,
        friction,
        ..
    } = contact;
    if velocity[0] - dot(&block[0], impulse) >= 0.0 {
        return Some([0.0; D]);
    }
    // What slid may go on sliding: then sticking need not be tried.
    let carried = direction(impulse);
    if let Some(start) = carried
        && across(impulse) >= SLIDING * friction * impulse[0]
        && let Some(impulse) = sliding(contact, start)
    {
        return Some(impulse);
    }
    // In a plane elimination costs as much as the inverse.
    let change = if D == 2 {
        solve(*block, *velocity)?
    } else {
        times(whole_inverse, velocity)
    };
    let held = std::array::from_fn(|i| impulse[i] - change[i]);
    if held[0] > 0.0 && across(&held) <= friction * held[0] {
        return Some(held);
    }
    sliding(contact, carried.or_else(|| direction(&held))?)
}

impl LocalSolver for Cases {
    const PARTIAL: bool = false;
    const INVERTS: bool = true;

    #[inline(always)]
    fn solve<const D: usize>(contact: &OneContact<D>) -> [f64; D] {
        if !contact.exact || D == 1 {
            return Ebp::solve(contact);
        }
        case(contact).unwrap_or_else(|| Eal::solve(contact))
    }
}
