//! What is asked of one solve.

use super::Watch;
use crate::certify::{Judge, Limits};

/// What a solve starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// A guess: a method may throw it away where doing nothing is better.
    #[default]
    Guess,
    /// What a solver has left for the same problem: never thrown away.
    Resumed,
}

/// When a solve ends, and what it starts from.
///
/// ```
/// use granule::problem::{Assembled, ContactProblem};
/// use granule::solver::{Ask, SolverConfig, Start, Status, solver};
/// let problem = ContactProblem::explicit(Assembled::from_dense(1, &[[2.0]])?, vec![-1.0])?;
/// let config = SolverConfig::default();
/// let mut solver = solver(&config);
/// let mut impulses = vec![0.0];
/// // A single iteration, and then as many as it takes.
/// let once = Ask { iterations: 1, ..config.ask() };
/// solver.solve(&problem, &mut impulses, &once);
/// let on = Ask { start: Start::Resumed, ..config.ask() };
/// assert_eq!(solver.solve(&problem, &mut impulses, &on).status, Status::Converged);
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Errors that end it. With [`super::Stop::Paper`] the first of them, [`Limits::scaled`], is for the test of
    /// the method's paper instead.
    pub limits: Limits,
    /// Iterations after which it ends in any case.
    pub iterations: usize,
    /// What the impulses on entry are.
    pub start: Start,
    /// Who looks on, and may break it off.
    pub watch: Watch,
    /// Who judges impulses on the way.
    pub judge: Judge,
}

impl Ask {
    /// The same for at most so many iterations.
    pub fn at_most(&self, iterations: usize) -> Self {
        Self {
            iterations: self.iterations.min(iterations),
            ..self.clone()
        }
    }

    /// The same from where a solver has got to.
    pub fn resumed(self) -> Self {
        Self {
            start: Start::Resumed,
            ..self
        }
    }
}
