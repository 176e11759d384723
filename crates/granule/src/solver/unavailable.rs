//! What stands for a solver that this build was made without.

use super::{Ask, ContactSolver, Incompatible, Method, SolveReport, Status};
use crate::certify::certify;
use crate::problem::{ContactProblem, ProblemKind};

/// A solver that only says how to get it.
pub(super) struct Unavailable {
    pub(super) method: Method,
}

impl ContactSolver for Unavailable {
    fn method(&self) -> Method {
        self.method
    }

    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        let name = self.method.name();
        Err(Incompatible {
            what: format!("solver `{name}`"),
            why: format!("this build was made without it; build with `--features {name}`"),
            try_instead: format!("`{}`", Method::Ipm.name()),
        })
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], _ask: &Ask) -> SolveReport {
        SolveReport {
            method: self.method,
            status: Status::Stalled,
            iterations: 0,
            applications: 1,
            convex_solves: 1,
            finished_by: None,
            certificate: certify(problem, impulses),
            contradiction: None,
        }
    }
}
