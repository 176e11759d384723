//! The frame of methods whose impulses are judged one by one: the start is judged before anything else, the best
//! impulses are kept, and they are the answer however the method ends.

use super::{Ask, ContactSolver, Method, SolveReport, Status, contradiction};
use crate::certify::{Certificate, CertifyWorkspace};
use crate::problem::ContactProblem;

/// Scratch memory of a [`Search`].
#[derive(Default)]
pub(super) struct SearchMemory {
    certifier: CertifyWorkspace,
    best: Vec<f64>,
    /// A direction, or impulses that another solver has.
    direction: Vec<f64>,
}

/// A solve under way.
pub(super) struct Search<'a> {
    pub(super) problem: &'a ContactProblem,
    pub(super) ask: &'a Ask,
    /// What was done so far; its certificate is that of the best impulses.
    pub(super) report: SolveReport,
    memory: &'a mut SearchMemory,
}

impl<'a> Search<'a> {
    /// Judges the start, and unless that passes or is not made of numbers lets a method search from there; the best
    /// impulses become the answer however that ends.
    pub(super) fn run(
        (method, problem, ask): (Method, &'a ContactProblem, &'a Ask),
        impulses: &mut [f64],
        memory: &'a mut SearchMemory,
        method_itself: impl FnOnce(&mut Self, &[f64]) -> Status,
    ) -> SolveReport {
        let certificate = ask.judge.certify(problem, impulses, &mut memory.certifier);
        memory.best.clear();
        memory.best.extend_from_slice(impulses);
        let mut search = Self {
            problem,
            ask,
            report: SolveReport {
                applications: 1,
                certificate,
                ..SolveReport::begun(method)
            },
            memory,
        };
        search.report.status = if certificate.meets(&ask.limits) {
            Status::Converged
        } else if !certificate.residual.is_finite() {
            Status::NumericalFailure
        } else {
            method_itself(&mut search, impulses)
        };
        impulses.copy_from_slice(search.best());
        search.report
    }

    /// Iterations that are left.
    pub(super) fn left(&self) -> usize {
        self.ask.iterations - self.report.iterations
    }

    /// How the search ends where it may not go on: it is broken off, or has had its iterations.
    pub(super) fn must_end(&self) -> Option<Status> {
        if self.ask.watch.is_stopped() {
            return Some(Status::Interrupted);
        }
        (self.left() == 0).then_some(Status::MaxIterations)
    }

    /// Counts an iteration of the method's own.
    pub(super) fn count_iteration(&mut self) {
        self.report.iterations += 1;
        self.ask.watch.count();
    }

    /// The best impulses so far.
    pub(super) fn best(&self) -> &[f64] {
        &self.memory.best
    }

    /// The certificate of impulses.
    pub(super) fn judge(&mut self, impulses: &[f64]) -> Certificate {
        self.report.applications += 1;
        let judge = &self.ask.judge;
        judge.certify(self.problem, impulses, &mut self.memory.certifier)
    }

    /// Makes impulses with this certificate the best.
    pub(super) fn keep(&mut self, impulses: &[f64], certificate: Certificate) {
        self.report.certificate = certificate;
        self.memory.best.copy_from_slice(impulses);
    }

    /// Keeps impulses that pass or are better than the best; tells whether they pass.
    pub(super) fn offer(&mut self, impulses: &[f64], certificate: Certificate) -> bool {
        let passed = certificate.meets(&self.ask.limits);
        if passed || certificate.scaled < self.report.certificate.scaled {
            self.keep(impulses, certificate);
        }
        passed
    }

    /// Tells whether the way from impulses `before` (from zero if that is empty) to those of `now` proves that there
    /// is no solution.
    pub(super) fn proves(&mut self, before: &[f64], now: &[f64]) -> bool {
        let memory = (&mut self.memory.direction, &mut self.memory.certifier);
        self.report.contradiction = contradiction(self.ask, self.problem, before, now, memory);
        self.report.contradiction.is_some()
    }

    /// Lets another solver go on from the best impulses, and keeps what it gives if that passes or is better; tells
    /// what it did, and whether that was kept.
    pub(super) fn go_on(
        &mut self,
        solver: &mut dyn ContactSolver,
        ask: &Ask,
    ) -> (SolveReport, bool) {
        let mut impulses = std::mem::take(&mut self.memory.direction);
        impulses.clone_from(&self.memory.best);
        let part = solver.solve(self.problem, &mut impulses, ask);
        self.report.count(&part);
        let better = part.certificate.scaled < self.report.certificate.scaled;
        let kept = part.status == Status::Converged || better;
        if kept {
            self.keep(&impulses, part.certificate);
        }
        self.memory.direction = impulses;
        (part, kept)
    }

    /// Ends the solve with at most so many iterations of a method that adds the last digits.
    pub(super) fn polish(&mut self, finisher: &mut dyn ContactSolver, most: usize) -> Status {
        let ask = self.ask.at_most(most.min(self.left()));
        let (part, kept) = self.go_on(finisher, &ask);
        if kept {
            self.report.finished_by = Some(part.method);
        }
        match part.status {
            Status::Converged => Status::Converged,
            _ => self.must_end().unwrap_or(Status::Stalled),
        }
    }
}
