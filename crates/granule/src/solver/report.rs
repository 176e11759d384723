//! What a solve did.

use super::Method;
use crate::certify::{Certificate, Contradiction};
use serde::Serialize;

/// How a solve ended. Not converging is a result, not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The test was met.
    Converged,
    /// The limit of iterations was reached first.
    MaxIterations,
    /// The iterates no longer change, and the test is not met: the limit of the arithmetic.
    Stalled,
    /// There is no solution: the constraints contradict each other, as [`SolveReport::contradiction`]
    /// proves.
    Infeasible,
    /// The iterates are no longer numbers; the impulses are those of the start.
    NumericalFailure,
    /// It was broken off by [`super::Watch::stop`].
    Interrupted,
}

/// What a solve did, and the certificate of its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SolveReport {
    /// Which solver.
    pub method: Method,
    /// How it ended.
    pub status: Status,
    /// Iterations.
    pub iterations: usize,
    /// Applications of W, those of certificates included.
    pub applications: usize,
    /// Convex problems solved: one, or more around a fixed point.
    pub convex_solves: usize,
    /// The method that gave the answer, where that is not `method` itself: the sweeps that add the last digits
    /// where another stalls, or what a portfolio chose.
    pub finished_by: Option<Method>,
    /// The certificate of the impulses returned.
    pub certificate: Certificate,
    /// With [`Status::Infeasible`] the proof of it.
    pub contradiction: Option<Box<Contradiction>>,
}

impl SolveReport {
    /// The report on a solve of which all is still to do.
    pub(super) fn begun(method: Method) -> Self {
        Self {
            method,
            status: Status::MaxIterations,
            iterations: 0,
            applications: 0,
            convex_solves: 1,
            finished_by: None,
            certificate: Certificate::default(),
            contradiction: None,
        }
    }

    /// Adds what another solver did for this solve, and takes its end for that of all so far.
    pub(super) fn go_on(&mut self, part: Self) {
        self.count(&part);
        self.status = part.status;
        self.certificate = part.certificate;
        self.finished_by = part.finished_by;
        self.contradiction = part.contradiction;
    }

    /// Adds what another solver did for this solve, whatever came of it.
    pub(super) fn count(&mut self, part: &Self) {
        self.iterations += part.iterations;
        self.applications += part.applications;
    }
}

/// Why a solver, law and scheme do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {why}; try {try_instead}")]
pub struct Incompatible {
    /// What was asked for.
    pub what: String,
    /// Why it cannot be done.
    pub why: String,
    /// What to use instead.
    pub try_instead: String,
}
