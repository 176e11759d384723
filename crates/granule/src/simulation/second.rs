//! The second problem of a step, on the velocities at its end: see [`crate::scheme::Rattle`].

use super::account::Part;
use super::detect::scenery;
use super::solvers::Verdict;
use super::step::Workspace;
use super::{Simulation, StepError};
use crate::collision::{Contact, ContactKey, Scope};
use crate::math::{DVec3, Screw};
use crate::problem::{ContactProblem, Scale};
use crate::scheme::{Offset, Outcome, Prediction, assemble, closed_contacts, predict_end};

/// What the second problem works with, as [`Workspace`] has it for the first.
#[derive(Default)]
pub(super) struct Second {
    /// The contacts of the first problem that are closed at the end.
    closed: Vec<ContactKey>,
    contacts: Vec<Contact>,
    prediction: Prediction,
    problem: ContactProblem,
    impulses: Vec<f64>,
    pub(super) linear: Vec<DVec3>,
    pub(super) angular: Vec<DVec3>,
    displacement: Vec<DVec3>,
}

/// A contact problem of a step, as it was solved.
#[derive(Debug, Clone, Copy)]
pub struct StepProblem<'a> {
    /// The problem.
    pub problem: &'a ContactProblem,
    /// The impulses that were used, N s.
    pub impulses: &'a [f64],
    /// The velocities of all bodies without these impulses, m/s, in the order of the problem.
    pub linear: &'a [DVec3],
    /// How fast they turn then, rad/s.
    pub angular: &'a [DVec3],
}

impl Second {
    /// What the account of the step needs of it.
    pub(super) fn part(&self) -> Part<'_> {
        Part {
            contacts: &self.contacts,
            problem: &self.problem,
            impulses: &self.impulses,
            prediction: &self.prediction,
        }
    }

    pub(super) fn problem(&self) -> StepProblem<'_> {
        StepProblem {
            problem: &self.problem,
            impulses: &self.impulses,
            linear: &self.prediction.linear,
            angular: &self.prediction.angular,
        }
    }
}

impl Workspace {
    /// The two problems of the step change places, so that the stages of the solve work on the other.
    fn exchange(&mut self) {
        let second = &mut self.second;
        std::mem::swap(&mut self.contacts, &mut second.contacts);
        std::mem::swap(&mut self.prediction, &mut second.prediction);
        std::mem::swap(&mut self.problem, &mut second.problem);
        std::mem::swap(&mut self.impulses, &mut second.impulses);
        std::mem::swap(&mut self.linear, &mut second.linear);
        std::mem::swap(&mut self.angular, &mut second.angular);
        std::mem::swap(&mut self.displacement, &mut second.displacement);
    }
}

/// The sum over contacts of the impulse along the normal, N s.
fn normal_sum(contacts: &[Contact], problem: &ContactProblem, impulses: &[f64]) -> f64 {
    if contacts.is_empty() {
        return 0.0;
    }
    let rows = impulses.chunks_exact(problem.rows());
    let along =
        |(c, rows): (&Contact, &[f64])| Screw::from_rows(rows, c.normal).linear.dot(c.normal);
    contacts.iter().zip(rows).map(along).sum()
}

impl Simulation {
    /// Stops what is closed at the end of the step, after the `first` problem was solved.
    pub(super) fn stop_at_end(&mut self, first: &Verdict) -> Result<Verdict, StepError> {
        self.relative_velocities();
        self.assemble_second(first);
        self.work.exchange();
        let result = self.solve_second();
        self.work.exchange();
        result
    }

    fn assemble_second(&mut self, first: &Verdict) {
        let (world, work) = (&self.world, &mut self.work);
        let second = &mut work.second;
        closed_contacts(
            &work.problem,
            &work.contacts,
            &work.relative,
            first.certificate.residual,
            &mut second.closed,
        );
        let outcome = Outcome {
            linear: &work.linear,
            angular: &work.angular,
            shift: (!work.shift.is_empty()).then_some(&work.shift[..]),
        };
        let bodies = &world.bodies;
        predict_end(bodies, &work.prediction, &outcome, &mut second.prediction);
        work.patches.place(&world.walls, second.prediction.look);
        Scope {
            bodies,
            positions: &second.prediction.position,
            patches: &work.patches,
            dimension: world.dimension,
            keys: &second.closed,
        }
        .all_contacts(&mut second.contacts);
        assemble(
            &scenery(world, &work.patches),
            &second.contacts,
            &second.prediction,
            Offset {
                of_gap: |_| 0.0,
                slip_opens: false,
            },
            &mut second.problem,
        );
        let fastest = first.certificate.fastest;
        second.problem.scale = Scale::of(&work.problem, &work.impulses, fastest);
        if second.problem.rows() > 1 {
            second.problem.flow = self.scheme.end_flow(second.problem.flow);
        }
    }

    /// Solves the second problem from zero, and finds the velocities at the end.
    fn solve_second(&mut self) -> Result<Verdict, StepError> {
        let work = &mut self.work;
        work.impulses.clear();
        work.impulses.resize(work.problem.len(), 0.0);
        let mut verdict = self.solve();
        verdict.effort.applications += 1;
        self.accept_contacts(&verdict)?;
        self.velocities();
        self.check_finite()?;
        Ok(verdict)
    }

    /// Adds the impulses of the second problem to those of the same contacts in the first.
    pub(super) fn remember_second(&mut self) {
        let second = &self.work.second;
        if second.contacts.is_empty() {
            return;
        }
        let mut first = self.previous.iter_mut();
        let rows = second.impulses.chunks_exact(second.problem.rows());
        for (contact, rows) in second.contacts.iter().zip(rows) {
            // Both lists are sorted, and the first holds all of the second.
            if let Some(same) = first.find(|same| same.key() == contact.key()) {
                same.impulse = same.impulse + Screw::from_rows(rows, contact.normal);
            }
        }
    }

    /// The sums over contacts of the normal impulses of the first and of the second problem, N s.
    pub(super) fn normal_impulses(&self) -> [f64; 2] {
        let work = &self.work;
        let second = &work.second;
        [
            normal_sum(&work.contacts, &work.problem, &work.impulses),
            normal_sum(&second.contacts, &second.problem, &second.impulses),
        ]
    }
}
