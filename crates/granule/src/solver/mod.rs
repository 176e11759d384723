#![doc = include_str!("README.md")]

mod apgd;
mod cone_step;
mod config;
mod fixed_point;
mod gradient;
mod monitor;
mod pgd;
mod report;

pub use config::{ExactBy, Method, OnFailure, Scaling, SolverConfig, Stop, WarmStart};
pub use report::{Incompatible, SolveReport, Status};

use crate::problem::{ContactProblem, ProblemKind};

/// Finds the impulses of a contact problem.
///
/// Solvers keep their scratch memory from solve to solve. They know nothing of bodies, shapes or
/// time; they stop on the certificate (see [`crate::certify`]) or, on request, on their paper's own
/// test.
pub trait ContactSolver: Send {
    /// Which solver this is.
    fn method(&self) -> Method;

    /// Whether problems of this kind can be solved, and if not, why and what to use instead.
    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible>;

    /// Changes the tolerance and the limit of iterations of the solves to come.
    fn limit(&mut self, tolerance: f64, max_iterations: usize);

    /// Improves `impulses` (λ, N s: the start on entry, the answer on return) until the test of
    /// the settings is met, or says that it is not.
    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64]) -> SolveReport;
}

/// Makes the solver that `config` asks for.
///
/// ```
/// use granule::problem::{Assembled, ContactProblem};
/// use granule::solver::{solver, SolverConfig, Status};
/// let w = Assembled::from_dense(1, &[vec![2.0, -1.0], vec![-1.0, 2.0]]);
/// let problem = ContactProblem::explicit(w, vec![-1.0, 0.5]);
/// let mut impulses = vec![0.0; 2];
/// let report = solver(&SolverConfig::default()).solve(&problem, &mut impulses);
/// assert_eq!(report.status, Status::Converged);
/// assert!(report.certificate.scaled <= 1e-4);
/// ```
pub fn solver(config: &SolverConfig) -> Box<dyn ContactSolver> {
    let own = convex_solver(config);
    match config.exact {
        ExactBy::Projection => own,
        ExactBy::FixedPoint => Box::new(fixed_point::FixedPoint::new(*config, own)),
    }
}

fn convex_solver(config: &SolverConfig) -> Box<dyn ContactSolver> {
    match config.method {
        Method::Pgd => Box::new(pgd::Pgd::new(*config)),
        Method::Apgd | Method::ApgdAs | Method::ApgdAr | Method::ApgdAsr => {
            Box::new(apgd::Apgd::new(*config))
        }
    }
}

/// The solver to try when `method` did not reach the tolerance; `None` after the strongest.
pub fn next_stronger(method: Method) -> Option<Method> {
    match method {
        Method::Pgd => Some(Method::Apgd),
        Method::Apgd | Method::ApgdAs => Some(Method::ApgdAr),
        Method::ApgdAr => Some(Method::ApgdAsr),
        Method::ApgdAsr => None,
    }
}
