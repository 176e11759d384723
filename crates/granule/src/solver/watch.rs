//! Looking on while a solve goes on, from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A view of solves that are under way: how many iterations they have made, and a way to break them off. Its clones
/// look at the same solves.
///
/// Iterations are counted and the wish to stop is looked for once in each; no number that is computed depends on either.
///
/// ```
/// use granule::problem::{Assembled, ContactProblem};
/// use granule::solver::{Ask, SolverConfig, Status, Watch, solver};
/// let problem = ContactProblem::explicit(Assembled::from_dense(1, &[[2.0]])?, vec![-1.0])?;
/// let config = SolverConfig::default();
/// let watch = Watch::default();
/// let ask = Ask { watch: watch.clone(), ..config.ask() };
/// watch.stop();
/// let report = solver(&config).solve(&problem, &mut [0.0], &ask);
/// assert_eq!(report.status, Status::Interrupted);
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Watch(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    stop: AtomicBool,
    iterations: AtomicUsize,
}

/// Two are equal if they look at the same solves.
impl PartialEq for Watch {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Watch {
    /// Breaks off the solve that is under way, and all that follow.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    /// Whether solves are to be broken off.
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// Iterations of all solves so far.
    pub fn iterations(&self) -> usize {
        self.0.iterations.load(Ordering::Relaxed)
    }

    /// Counts an iteration.
    pub(super) fn count(&self) {
        self.0.iterations.fetch_add(1, Ordering::Relaxed);
    }
}
