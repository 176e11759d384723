#![doc = include_str!("README.md")]

mod ags;
mod apgd;
mod ask;
#[cfg(feature = "second-order")]
mod auto;
#[cfg(feature = "clarabel")]
mod clarabel;
mod cone_step;
mod config;
mod fixed_point;
mod gradient;
#[cfg(feature = "second-order")]
mod ipm;
mod knobs;
mod lanes;
mod local;
mod monitor;
mod nesterov;
#[cfg(feature = "second-order")]
mod newton;
mod nlgs;
mod pgd;
mod report;
mod spg;
#[cfg(not(all(feature = "clarabel", feature = "second-order")))]
mod unavailable;
mod usual;

pub use ask::{Ask, Start};
pub use config::{ExactBy, Method, OnFailure, Scaling, SolverConfig, Stop, SweepOrder, WarmStart};
pub use knobs::{Idle, Knob};
pub use report::{Incompatible, SolveReport, Status};

use crate::certify::{CertifyWorkspace, Contradiction};
use crate::law::Flow;
use crate::problem::{ContactProblem, ProblemKind};
use monitor::Followed;

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

    /// Improves `impulses` (λ, N s: the start on entry, the answer on return) until what is asked for is
    /// met, or says that it is not.
    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport;
}

/// Makes the solver that `config` asks for.
///
/// ```
/// use granule::problem::{Assembled, ContactProblem};
/// use granule::solver::{solver, SolverConfig, Status};
/// let w = Assembled::from_dense(1, &[vec![2.0, -1.0], vec![-1.0, 2.0]]);
/// let problem = ContactProblem::explicit(w, vec![-1.0, 0.5]);
/// let mut impulses = vec![0.0; 2];
/// let config = SolverConfig::default();
/// let report = solver(&config).solve(&problem, &mut impulses, &config.ask());
/// assert_eq!(report.status, Status::Converged);
/// assert!(report.certificate.scaled <= 1e-4);
/// ```
pub fn solver(config: &SolverConfig) -> Box<dyn ContactSolver> {
    let own = own_solver(config);
    if config.exact == ExactBy::FixedPoint || config.method.needs_fixed_point() {
        Box::new(fixed_point::FixedPoint::new(*config, own))
    } else {
        own
    }
}

fn own_solver(config: &SolverConfig) -> Box<dyn ContactSolver> {
    match config.method {
        Method::Pgd => Box::new(Followed::new(*config, pgd::Pgd::new(*config))),
        Method::Pgj => Box::new(Followed::new(*config, pgd::Pgd::jacobi(*config))),
        Method::Apgd | Method::ApgdAs | Method::ApgdAr | Method::ApgdAsr => {
            Box::new(Followed::new(*config, apgd::Apgd::new(*config)))
        }
        Method::Ags => Box::new(Followed::new(*config, ags::Ags::new(*config))),
        Method::Pgs
        | Method::NlgsSbp
        | Method::NlgsSal
        | Method::NlgsEbp
        | Method::NlgsEal
        | Method::NlgsPdas
        | Method::NlgsCases => Box::new(Followed::new(*config, nlgs::Nlgs::new(*config))),
        Method::Spg => Box::new(Followed::new(*config, spg::Spg::new(*config))),
        Method::Usual => Box::new(usual::Usual::new(*config)),
        #[cfg(feature = "second-order")]
        Method::IpmMf | Method::Ipm => Box::new(ipm::Ipm::new(*config)),
        #[cfg(feature = "second-order")]
        Method::Newton => Box::new(newton::Newton::new(*config)),
        #[cfg(feature = "second-order")]
        Method::Auto => Box::new(auto::Auto::new(*config)),
        #[cfg(feature = "clarabel")]
        Method::Clarabel => Box::new(clarabel::Clarabel::new(*config)),
        #[cfg(not(all(feature = "clarabel", feature = "second-order")))]
        method => Box::new(unavailable::Unavailable { method }),
    }
}

/// The proof that there is no solution which the growth of impulses is, if it is one, since they were
/// `before` (from zero on if that is empty): where nothing else is left to grow, it points along it.
fn contradiction(
    ask: &Ask,
    problem: &ContactProblem,
    before: &[f64],
    impulses: &[f64],
    (direction, workspace): (&mut Vec<f64>, &mut CertifyWorkspace),
) -> Option<Box<Contradiction>> {
    direction.clear();
    direction.extend_from_slice(impulses);
    for (now, before) in direction.iter_mut().zip(before) {
        *now -= before;
    }
    let share = ask.limits.scaled;
    let whole = Contradiction::beyond(share, problem, impulses, direction, workspace);
    // What a few long steps have reached is not only that: the largest part of it may be.
    let found = whole.or_else(|| {
        let size = |rows: &[f64]| rows.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rows = problem.rows();
        let largest = direction.chunks_exact(rows).map(size).fold(0.0, f64::max);
        for part in direction.chunks_exact_mut(rows) {
            if size(part) < LARGE * largest {
                part.fill(0.0);
            }
        }
        Contradiction::beyond(share, problem, impulses, direction, workspace)
    });
    found.map(Box::new)
}

/// Impulses with at least this share of the largest are the large ones.
const LARGE: f64 = 0.05;

/// The answer of methods that know cones to impulses with an end.
fn only_cones(method: Method, kind: &ProblemKind) -> Result<(), Incompatible> {
    if !kind.sets.segment {
        return Ok(());
    }
    Err(Incompatible {
        what: format!("solver `{}` with motors of limited strength", method.name()),
        why: "it knows cones of impulses, not segments".to_owned(),
        try_instead: "`ags`".to_owned(),
    })
}

/// The answer of methods that minimise a function to what they are asked to solve.
fn only_convex(method: Method, kind: &ProblemKind) -> Result<(), Incompatible> {
    if kind.flow == Flow::Associated || kind.rows == 1 {
        return Ok(());
    }
    Err(Incompatible {
        what: format!("solver `{}` with exact friction", method.name()),
        why: "it minimises a function, and exact friction is not the minimum of one".to_owned(),
        try_instead: "`exact = \"fixed-point\"`".to_owned(),
    })
}

/// The solver to try when `method` did not reach the tolerance; `None` after the strongest, and after
/// `newton` and `clarabel`, which are not meant for large problems.
pub fn next_stronger(method: Method) -> Option<Method> {
    match method {
        Method::Pgd | Method::Pgj => Some(Method::Apgd),
        Method::Apgd | Method::ApgdAs | Method::Spg => Some(Method::ApgdAr),
        Method::Pgs
        | Method::NlgsSbp
        | Method::NlgsSal
        | Method::NlgsEbp
        | Method::NlgsEal
        | Method::NlgsPdas
        | Method::NlgsCases => Some(Method::Ags),
        Method::ApgdAr => Some(Method::Ags),
        Method::Ags => Some(Method::ApgdAsr),
        Method::ApgdAsr | Method::IpmMf => Some(Method::Ipm),
        Method::Auto | Method::Ipm | Method::Newton | Method::Clarabel | Method::Usual => None,
    }
}
