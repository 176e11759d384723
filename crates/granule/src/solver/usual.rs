//! `usual`: the solver that [`Method::usual`] names, chosen when a problem is seen.

use super::{
    Ask, ContactSolver, Incompatible, Method, MethodSettings, SolveReport, SolverConfig, Solvers,
    own_solver,
};
use crate::problem::{ContactProblem, ProblemKind};

/// The solver `usual`.
pub(super) struct Usual(Solvers);

impl Usual {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self(Solvers::new(config))
    }

    /// The one that it stands for.
    fn own(&self, kind: &ProblemKind) -> MethodSettings {
        match kind.anisotropic {
            true => MethodSettings::Ipm,
            false => self.0.config.own.named(kind),
        }
    }
}

impl ContactSolver for Usual {
    fn method(&self) -> Method {
        Method::Usual
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        let own = self.own(kind);
        own_solver(&SolverConfig {
            own,
            ..self.0.config
        })
        .supports(kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        let own = self.own(&problem.kind());
        self.0.of(own).solve(problem, impulses, ask)
    }
}
