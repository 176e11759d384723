//! `usual`: the solver that [`Method::usual`] names, chosen when a problem is seen.

use super::{Ask, ContactSolver, Incompatible, Method, SolveReport, SolverConfig, own_solver};
use crate::problem::{ContactProblem, ProblemKind};

/// The solver `usual`.
pub(super) struct Usual {
    config: SolverConfig,
    /// Those that were needed so far.
    solvers: Vec<Box<dyn ContactSolver>>,
}

impl Usual {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self {
            config,
            solvers: Vec::new(),
        }
    }

    fn solver(&mut self, problem: &ContactProblem) -> &mut dyn ContactSolver {
        let method = Method::usual(problem.rows());
        let known = self.solvers.iter().position(|s| s.method() == method);
        let place = known.unwrap_or_else(|| {
            let config = SolverConfig {
                method,
                ..self.config
            };
            self.solvers.push(own_solver(&config));
            self.solvers.len() - 1
        });
        self.solvers[place].as_mut()
    }
}

impl ContactSolver for Usual {
    fn method(&self) -> Method {
        Method::Usual
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        let method = Method::usual(kind.rows);
        own_solver(&SolverConfig {
            method,
            ..self.config
        })
        .supports(kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        self.solver(problem).solve(problem, impulses, ask)
    }
}
