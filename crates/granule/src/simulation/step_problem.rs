//! A contact problem of a step, with all that belongs to it.

use super::StepError;
use super::solvers::{Solvers, Verdict};
use crate::collision::{Contact, ContactMemory, LawMemory};
use crate::math::{DVec3, Screw};
use crate::problem::{ContactProblem, DelassusScratch};
use crate::scheme::{JointRows, Prediction, Spring, Velocities};

/// A contact problem of a step: the contacts that it was made from, and what came out of it.
#[derive(Debug, Clone, Default)]
pub struct StepProblem {
    pub(super) contacts: Vec<Contact>,
    /// The joints, which follow the contacts in the problem.
    pub(super) joints: JointRows,
    pub(super) prediction: Prediction,
    pub(super) problem: ContactProblem,
    /// The springs of the contacts; empty where no law remembers anything.
    pub(super) springs: Vec<Spring>,
    /// What their laws remember of the step, once it is accepted.
    pub(super) laws: Vec<LawMemory>,
    /// The impulses between the bodies.
    pub(super) impulses: Vec<f64>,
    pub(super) linear: Vec<DVec3>,
    pub(super) angular: Vec<DVec3>,
    pub(super) displacement: Vec<DVec3>,
}

/// Rounding of the velocity that the shift of a set takes from a contact, as a multiple of its size.
const UNITS: f64 = 16.0 * f64::EPSILON;

impl StepProblem {
    /// The contacts, in the order of the problem.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The problem.
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// The impulses that were used, N s.
    pub fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    /// The velocities of all bodies without these impulses, m/s, in the order of the problem, and how fast
    /// they turn then, rad/s.
    pub fn free_velocities(&self) -> Velocities<'_> {
        (&self.prediction.linear, &self.prediction.angular)
    }

    /// Sets the impulses to zero.
    pub(super) fn start_from_zero(&mut self) {
        self.impulses.clear();
        self.impulses.resize(self.problem.len(), 0.0);
    }

    /// Sets the impulses to what `start` writes into the rows of each contact, which are zero before.
    pub(super) fn start_from(&mut self, start: impl Fn(&Contact, &mut [f64])) {
        self.start_from_zero();
        let rows = self.problem.rows();
        let impulses = self.impulses.chunks_exact_mut(rows);
        for (contact, rows) in self.contacts.iter().zip(impulses) {
            start(contact, rows);
        }
    }

    /// Finds and judges the impulses; contacts that contradict each other may be told to `give_way`.
    pub(super) fn solve(&mut self, solvers: &mut Solvers, give_way: bool) -> Verdict {
        self.problem.shift_impulses(&mut self.impulses);
        let verdict = solvers.solve(&mut self.problem, &mut self.impulses, give_way);
        self.problem.unshift(&mut self.impulses);
        verdict
    }

    /// Shifts the sets of the contacts that hold, by the pull of their bonds or that (N) that `cohesion` gives for each.
    pub(super) fn shift_sets(
        &mut self,
        cohesion: impl Fn(&Contact) -> f64,
        scratch: &mut DelassusScratch,
    ) {
        let step = self.prediction.step;
        let springs = self.contacts.iter().zip(&self.springs);
        let along = springs.map(|(contact, spring)| match (&spring.bond, spring.holds) {
            (Some(bond), _) => step * bond.pull(),
            (None, true) => step * cohesion(contact),
            (None, false) => 0.0,
        });
        let mut along: Vec<f64> = along.collect();
        if along.iter().all(|c| *c == 0.0) {
            return;
        }
        along.resize(self.problem.contact_count(), 0.0);
        let shifted = (self.problem).set_shift(&along, &mut self.impulses, scratch);
        shifted.expect("one finite number for each contact");
        // What is taken from b and comes back with λ' loses digits.
        let delassus = &self.problem.delassus;
        let velocities = (0..along.len()).map(|k| along[k] * delassus.largest_diagonal(k));
        let fastest = velocities.fold(0.0, f64::max);
        self.problem.rounding += UNITS * fastest;
    }

    /// w = W λ + b of the contacts.
    pub(super) fn relative_velocities(&self, scratch: &mut DelassusScratch, out: &mut Vec<f64>) {
        let problem = &self.problem;
        out.clear();
        out.resize(problem.len(), 0.0);
        problem.delassus.apply(&self.impulses, scratch, out);
        out.iter_mut().zip(&problem.bias).for_each(|(w, b)| *w += b);
        let shift = problem.shift.velocity.iter();
        out.iter_mut().zip(shift).for_each(|(w, b)| *w += b);
    }

    /// v = v_free + M⁻¹ D λ and the displacements of the step, with the `shift` (m/s) that moves positions
    /// alone.
    pub(super) fn find_velocities(&mut self, shift: &[DVec3], scratch: &mut DelassusScratch) {
        self.linear.clone_from(&self.prediction.linear);
        self.angular.clone_from(&self.prediction.angular);
        let (linear, angular) = (&mut self.linear, &mut self.angular);
        let delassus = &self.problem.delassus;
        // Behind the bodies there may be the faces of a periodic cell.
        let mut faces = DVec3::ZERO;
        delassus.body_velocities(&self.impulses, scratch, |body, dv, dw| {
            if body < linear.len() {
                linear[body] += dv;
                angular[body] += dw;
            } else {
                faces = dv;
            }
        });
        self.prediction.set_cell_change(faces);
        let step = self.prediction.step;
        self.displacement.clear();
        self.displacement
            .extend(self.linear.iter().map(|v| step * *v));
        for (d, shift) in self.displacement.iter_mut().zip(shift) {
            *d += step * *shift;
        }
    }

    /// Velocities whose squares overflow would make poses and energies that are no numbers: the place of a
    /// body that has such.
    fn not_finite(&self) -> Option<usize> {
        let finite = |v: &DVec3| v.length_squared().is_finite();
        let velocities = self.linear.iter().zip(&self.angular);
        let mut all = velocities.zip(&self.displacement);
        all.position(|((v, w), d)| !(finite(v) && finite(w) && finite(d)))
    }

    /// Refuses velocities that are no numbers in a step of this number, from this time (s) on.
    pub(super) fn check_finite(&self, step: u64, time: f64, ids: &[u32]) -> Result<(), StepError> {
        match self.not_finite() {
            None => Ok(()),
            Some(place) => Err(StepError::NotFinite {
                step,
                time,
                id: ids[place],
                quantity: "velocity",
            }),
        }
    }

    /// How many contacts are bonded after the step.
    pub(super) fn bonds(&self) -> usize {
        let bonded = self.laws.iter().filter(|law| law.bond.is_some());
        bonded.count()
    }

    /// The contacts with what is to be remembered of them.
    pub(super) fn memories(&self) -> impl Iterator<Item = (&Contact, ContactMemory)> {
        let rows = self.problem.rows();
        let delassus = &self.problem.delassus;
        let impulses = self.impulses.chunks_exact(rows);
        let contacts = self.contacts.iter().zip(impulses).enumerate();
        contacts.map(move |(k, (contact, impulse))| {
            let memory = ContactMemory {
                point: contact.point,
                normal: contact.normal,
                gap: contact.gap,
                impulse: Screw::from_rows(impulse, contact.normal),
                length: if rows == 6 {
                    delassus.contact_length(k)
                } else {
                    0.0
                },
                law: self.laws.get(k).copied().unwrap_or_default(),
            };
            (contact, memory)
        })
    }

    /// The sum over contacts of the impulse along the normal, N s.
    pub(super) fn normal_sum(&self) -> f64 {
        let along =
            |(c, rows): (&Contact, &[f64])| Screw::from_rows(rows, c.normal).linear.dot(c.normal);
        let rows = self.impulses.chunks_exact(self.problem.rows());
        let parts = self.contacts.iter().zip(rows).map(along);
        parts.fold(0.0, |sum, part| sum + part)
    }
}
