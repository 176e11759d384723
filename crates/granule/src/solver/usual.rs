//! `usual`: the solver that [`Method::usual`] names, chosen when a problem is seen.

use super::{ContactSolver, Incompatible, Method, SolveReport, SolverConfig, own_solver};
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
        let solver = self.solvers[place].as_mut();
        solver.limit(self.config.tolerance, self.config.max_iterations);
        solver
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

    fn limit(&mut self, tolerance: f64, max_iterations: usize) {
        self.config.tolerance = tolerance;
        self.config.max_iterations = max_iterations;
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64]) -> SolveReport {
        self.solver(problem).solve(problem, impulses)
    }

    fn resume(&mut self, problem: &ContactProblem, impulses: &mut [f64]) -> SolveReport {
        self.solver(problem).resume(problem, impulses)
    }
}
