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

    /// The settings of the one for contacts with so many rows.
    fn chosen(&self, rows: usize) -> SolverConfig {
        SolverConfig {
            own: self.config.own.named(rows),
            ..self.config
        }
    }

    fn solver(&mut self, problem: &ContactProblem) -> &mut dyn ContactSolver {
        let config = self.chosen(problem.rows());
        let method = config.method();
        let known = self.solvers.iter().position(|s| s.method() == method);
        let place = known.unwrap_or_else(|| {
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
        own_solver(&self.chosen(kind.rows)).supports(kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        self.solver(problem).solve(problem, impulses, ask)
    }
}
