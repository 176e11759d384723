//! What a scheme asks of contacts after the solve: which are closed, and how overlaps are undone.

use super::{JointRows, Prediction, Surroundings};
use crate::collision::Contact;
use crate::law::AdmissibleSet;
use crate::math::Screw;
use crate::problem::{BodySpace, ContactProblem, Lever};

/// The normal velocity (m/s) of each contact without what scheme and law added to it, `n·(w - s)`,
/// from the `velocities` w (W λ + b).
pub fn normal_velocities<'a>(
    problem: &'a ContactProblem,
    contacts: &'a [Contact],
    velocities: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    let rows = problem.rows();
    let parts = velocities
        .chunks_exact(rows)
        .zip(problem.offset.chunks_exact(rows));
    contacts.iter().zip(parts).map(move |(contact, (w, s))| {
        if rows == 1 {
            return w[0] - s[0];
        }
        let normal = contact.normal.to_array();
        let force = w.iter().zip(s).zip(normal);
        force.map(|((w, s), n)| (w - s) * n).sum()
    })
}

/// Of the largest velocity: differences below it are rounding.
const ROUNDING: f64 = 1e-12;

/// The contacts that are closed at the end of the step in the linearised gap: those whose velocity
/// `velocities` (w = W λ + b, m/s) is on the boundary of the cone K* that it must not leave. The way
/// to the boundary is w_n less de Saxcé's `μ |w_T|` under the convex law, `tan ψ |w_T|` with a dilatancy, and w_n under the
/// exact law. A
/// contact that carries an impulse is there up to (1 + μ) times the `residual` (m/s) of its
/// certificate, which therefore counts as zero, and so does rounding.
pub fn closed_contacts(
    problem: &ContactProblem,
    contacts: &[Contact],
    velocities: &[f64],
    residual: f64,
    closed: &mut Vec<Contact>,
) {
    let rows = problem.rows();
    let largest = problem.bias.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    closed.clear();
    let blocks = velocities.chunks_exact(rows);
    for (k, (contact, w)) in contacts.iter().zip(blocks).enumerate() {
        let set = problem.set(k);
        let velocity = Screw::from_rows(w, contact.normal);
        let along = contact.normal.dot(velocity.linear);
        let share = 1.0 - problem.dilating(k);
        let away = along - share * set.dilation(velocity, contact.normal);
        let coefficients: f64 = set.limits().iter().sum();
        if away <= (1.0 + coefficients) * residual + ROUNDING * largest {
            closed.push(*contact);
        }
    }
}

/// How much of the overlaps is recovered.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryExtent {
    /// The depth (m) that is left.
    pub left: f64,
    /// The share of what is deeper that is taken out in one step.
    pub share: f64,
}

/// The frictionless problem that recovers positions: with the normal velocities v after the velocity
/// problem, `b' = v + (D + left)/h`, so that `D + h (v + n·Dᵀ p) ≥ -left` for the shift p; of what
/// is deeper only a share is taken out. What joints hold is not moved.
pub fn assemble_recovery(
    surroundings: &Surroundings,
    problem: &ContactProblem,
    (contacts, joints): (&[Contact], &JointRows),
    prediction: &Prediction,
    velocities: &[f64],
    extent: RecoveryExtent,
    recovery: &mut ContactProblem,
) {
    let source: &BodySpace = problem.delassus.space().expect("steps are made of bodies");
    let mut held = 0;
    let built = recovery.delassus.rebuild(|space| {
        space.rows = 1;
        space.inverse_mass.clone_from(&source.inverse_mass);
        space.contacts.clone_from(&source.contacts);
        space.lever = Lever::None;
        surroundings.rigid_pool(&contacts[source.contacts.len()..], prediction, space);
        held = joints.add_held(surroundings.joint_places, space);
    });
    built.expect("the contacts of the problem before");
    recovery.general_sets.clear();
    let rigid = &contacts[source.contacts.len()..];
    recovery.general_sets.extend(rigid.iter().map(|contact| {
        if contact.bonded {
            // What is moved takes along what it is bonded to.
            AdmissibleSet::Free
        } else {
            AdmissibleSet::HalfLine
        }
    }));
    (recovery.general_sets).resize(rigid.len() + held, AdmissibleSet::Free);
    recovery.step = problem.step;
    recovery.bias.clear();
    let gaps = contacts
        .iter()
        .map(|c| (c.gap + extent.left) / problem.step);
    let velocities = normal_velocities(problem, contacts, velocities);
    let both = contacts.iter().zip(velocities.zip(gaps));
    recovery.bias.extend(both.map(|(contact, (v, gap))| {
        let bias = v + gap;
        if contact.bonded {
            0.0
        } else if bias >= 0.0 {
            bias
        } else if surroundings.interface(contact).overlaps() {
            // On purpose, and not pressed further.
            0.0
        } else {
            extent.share * bias
        }
    }));
    (recovery.bias).resize(contacts.len() + held, 0.0);
}
