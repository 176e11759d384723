//! What stands for a solver that this build was made without.

use super::{Ask, ContactSolver, Incompatible, Method, SolveReport, Status};
use crate::certify::certify;
use crate::problem::{ContactProblem, ProblemKind};

/// A solver that only says how to get it.
pub(super) struct Unavailable {
    pub(super) method: Method,
    /// The feature of a build that has it.
    pub(super) feature: &'static str,
}

impl ContactSolver for Unavailable {
    fn method(&self) -> Method {
        self.method
    }

    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        let feature = self.feature;
        let other = match cfg!(feature = "second-order") {
            true => Method::Ipm,
            false => Method::Ags,
        };
        Err(Incompatible {
            what: format!("solver `{}`", self.method.name()),
            why: format!("this build was made without it; build with `--features {feature}`"),
            try_instead: format!("`{}`", other.name()),
        })
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], _ask: &Ask) -> SolveReport {
        SolveReport {
            status: Status::Stalled,
            applications: 1,
            certificate: certify(problem, impulses),
            ..SolveReport::begun(self.method)
        }
    }
}
