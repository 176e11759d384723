//! The frame of methods whose impulses are judged one by one: the start is judged before anything else, the best
//! impulses are kept, and they are the answer however the method ends.

use super::{Ask, ContactSolver, Method, SolveReport, Status, contradiction};
use crate::certify::{Certificate, CertifyWorkspace, certify_with};
use crate::problem::ContactProblem;

/// Scratch memory of a [`Search`].
#[derive(Default)]
pub(super) struct SearchMemory {
    certifier: CertifyWorkspace,
    best: Vec<f64>,
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
    /// Judges the start; if that passes or is not made of numbers the solve is over, and the report is what is
    /// given back.
    pub(super) fn begin(
        method: Method,
        problem: &'a ContactProblem,
        start: &[f64],
        ask: &'a Ask,
        memory: &'a mut SearchMemory,
    ) -> Result<Self, Box<SolveReport>> {
        let certificate = certify_with(problem, start, &mut memory.certifier);
        let report = SolveReport {
            applications: 1,
            certificate,
            ..SolveReport::begun(method)
        };
        let over = if certificate.meets(&ask.limits) {
            Some(Status::Converged)
        } else {
            (!certificate.residual.is_finite()).then_some(Status::NumericalFailure)
        };
        if let Some(status) = over {
            return Err(Box::new(SolveReport { status, ..report }));
        }
        memory.best.clear();
        memory.best.extend_from_slice(start);
        Ok(Self {
            problem,
            ask,
            report,
            memory,
        })
    }

    /// Iterations that are left.
    pub(super) fn left(&self) -> usize {
        self.ask.iterations - self.report.iterations
    }

    /// The best impulses so far.
    pub(super) fn best(&self) -> &[f64] {
        &self.memory.best
    }

    /// The certificate of impulses.
    pub(super) fn judge(&mut self, impulses: &[f64]) -> Certificate {
        self.report.applications += 1;
        certify_with(self.problem, impulses, &mut self.memory.certifier)
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

    /// Ends the solve.
    pub(super) fn end(mut self, status: Status, impulses: &mut [f64]) -> SolveReport {
        impulses.copy_from_slice(&self.memory.best);
        self.report.status = status;
        self.report
    }

    /// Ends the solve with at most so many iterations of a method that adds the last digits.
    pub(super) fn polish(
        mut self,
        finisher: &mut dyn ContactSolver,
        most: usize,
        impulses: &mut [f64],
    ) -> SolveReport {
        impulses.copy_from_slice(&self.memory.best);
        let ask = self.ask.at_most(most.min(self.left()));
        let polished = finisher.solve(self.problem, impulses, &ask);
        self.report.count(&polished);
        let passed = polished.status == Status::Converged;
        if passed || polished.certificate.scaled < self.report.certificate.scaled {
            self.report.finished_by = Some(finisher.method());
            self.keep(impulses, polished.certificate);
        }
        let status = match self.left() {
            _ if passed => Status::Converged,
            0 => Status::MaxIterations,
            _ => Status::Stalled,
        };
        self.end(status, impulses)
    }
}
