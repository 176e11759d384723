#![doc = include_str!("README.md")]

mod ags;
mod apgd;
mod ask;
#[cfg(feature = "second-order")]
mod auto;
#[cfg(feature = "clarabel")]
mod clarabel;
mod cone_step;
mod existence;
mod fixed_point;
mod gradient;
#[cfg(feature = "second-order")]
mod ipm;
mod joint_factor;
mod lanes;
mod local;
mod monitor;
mod nesterov;
#[cfg(feature = "second-order")]
mod newton;
mod nlgs;
mod pgd;
mod report;
#[cfg(any(feature = "second-order", feature = "clarabel"))]
mod search;
mod settings;
mod spg;
#[cfg(test)]
mod test_problems;
mod tuning;
#[cfg(not(all(feature = "clarabel", feature = "second-order")))]
mod unavailable;
mod usual;
mod watch;

pub use ask::{Ask, Start};
pub use existence::{Existence, existence};
#[cfg(feature = "second-order")]
pub use ipm::{Spectra, Spectrum};
pub(crate) use joint_factor::JointFactor;
pub use report::{Incompatible, SolveReport, Status};
pub use settings::{
    ExactBy, Gradient, Idle, Jacobi, LocalStep, Method, MethodSettings, OnFailure, Scaling,
    SolverConfig, Stop, SweepOrder, Sweeps, WarmStart,
};
pub use watch::Watch;

use crate::certify::{CertifyWorkspace, Contradiction};
use crate::law::Flow;
use crate::problem::{ContactProblem, ProblemKind, SetKinds};
use local::{Cases, Eal, Ebp, LocalSolver, Pdas, RowByRow, Sal, Sbp};
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
/// let w = Assembled::from_dense(1, &[[2.0, -1.0], [-1.0, 2.0]])?;
/// let problem = ContactProblem::explicit(w, vec![-1.0, 0.5])?;
/// let mut impulses = vec![0.0; 2];
/// let config = SolverConfig::default();
/// let report = solver(&config).solve(&problem, &mut impulses, &config.ask());
/// assert_eq!(report.status, Status::Converged);
/// assert!(report.certificate.scaled <= 1e-4);
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
pub fn solver(config: &SolverConfig) -> Box<dyn ContactSolver> {
    let own = own_solver(config);
    if config.exact == ExactBy::FixedPoint || config.method().needs_fixed_point() {
        Box::new(fixed_point::FixedPoint::new(*config, own))
    } else {
        own
    }
}

fn own_solver(config: &SolverConfig) -> Box<dyn ContactSolver> {
    match config.own {
        MethodSettings::Pgd(gradient) => followed(config, pgd::Pgd::new(config.stop, gradient)),
        MethodSettings::Pgj(jacobi) => followed(config, pgd::Pgd::jacobi(config.stop, jacobi)),
        MethodSettings::Apgd(gradient)
        | MethodSettings::ApgdAs(gradient)
        | MethodSettings::ApgdAr(gradient)
        | MethodSettings::ApgdAsr(gradient) => followed(
            config,
            apgd::Apgd::new(config.method(), config.stop, gradient),
        ),
        MethodSettings::Ags => followed(config, ags::Ags::new(config.stop)),
        MethodSettings::Pgs(sweeps) => sweeping::<RowByRow>(config, sweeps, LocalStep::default()),
        MethodSettings::NlgsSbp(sweeps, step) => sweeping::<Sbp>(config, sweeps, step),
        MethodSettings::NlgsSal(sweeps, step) => sweeping::<Sal>(config, sweeps, step),
        MethodSettings::NlgsEbp(sweeps, step) => sweeping::<Ebp>(config, sweeps, step),
        MethodSettings::NlgsEal(sweeps, step) => sweeping::<Eal>(config, sweeps, step),
        MethodSettings::NlgsPdas(sweeps, step) => sweeping::<Pdas>(config, sweeps, step),
        MethodSettings::NlgsCases(sweeps) => {
            sweeping::<Cases>(config, sweeps, LocalStep::default())
        }
        MethodSettings::Spg(gradient) => followed(config, spg::Spg::new(config.stop, gradient)),
        MethodSettings::Usual(_) => Box::new(usual::Usual::new(*config)),
        #[cfg(feature = "second-order")]
        MethodSettings::IpmMf | MethodSettings::Ipm => Box::new(ipm::Ipm::new(config)),
        #[cfg(feature = "second-order")]
        MethodSettings::Newton => Box::new(newton::Newton::new(config)),
        #[cfg(feature = "second-order")]
        MethodSettings::Auto => Box::new(auto::Auto::new(*config)),
        #[cfg(feature = "clarabel")]
        MethodSettings::Clarabel => Box::new(clarabel::Clarabel::new(config)),
        #[cfg(not(feature = "second-order"))]
        MethodSettings::IpmMf
        | MethodSettings::Ipm
        | MethodSettings::Newton
        | MethodSettings::Auto => unavailable(config, "second-order"),
        #[cfg(not(feature = "clarabel"))]
        MethodSettings::Clarabel => unavailable(config, "clarabel"),
    }
}

#[cfg(not(all(feature = "clarabel", feature = "second-order")))]
fn unavailable(config: &SolverConfig, feature: &'static str) -> Box<dyn ContactSolver> {
    let method = config.method();
    Box::new(unavailable::Unavailable { method, feature })
}

fn followed(
    config: &SolverConfig,
    iteration: impl monitor::Iteration + 'static,
) -> Box<dyn ContactSolver> {
    Box::new(Followed::new(config.method(), config.stop, iteration))
}

fn sweeping<L: LocalSolver + 'static>(
    config: &SolverConfig,
    sweeps: Sweeps,
    step: LocalStep,
) -> Box<dyn ContactSolver> {
    let which = (config.method(), config.stop);
    followed(config, nlgs::Nlgs::new::<L>(which, sweeps, step))
}

/// Solvers with the same settings but for the method, made when they are first needed.
struct Solvers {
    config: SolverConfig,
    made: Vec<Box<dyn ContactSolver>>,
}

impl Solvers {
    fn new(config: SolverConfig) -> Self {
        Self {
            config,
            made: Vec::new(),
        }
    }

    fn of(&mut self, own: MethodSettings) -> &mut dyn ContactSolver {
        let known = self.made.iter().position(|s| s.method() == own.method());
        let place = known.unwrap_or_else(|| {
            self.made
                .push(own_solver(&SolverConfig { own, ..self.config }));
            self.made.len() - 1
        });
        self.made[place].as_mut()
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

impl Method {
    /// The method's no to problems of some kind.
    fn refuses(self, kind: &str, why: &str, try_instead: &str) -> Result<(), Incompatible> {
        Err(Incompatible {
            what: format!("solver `{}` with {kind}", self.name()),
            why: why.to_owned(),
            try_instead: try_instead.to_owned(),
        })
    }

    /// What methods that know cones say to impulses with an end.
    fn only_cones(self, kind: &ProblemKind) -> Result<(), Incompatible> {
        let SetKinds {
            free: _,
            segment,
            half_line: _,
            cone: _,
            rolling: _,
            yields,
        } = kind.sets;
        if segment {
            let why = "it knows cones of impulses, not segments";
            return self.refuses("motors of limited strength", why, "`ags`");
        }
        if yields {
            let why = "it knows cones of impulses, not rounded or capped ones";
            let others =
                "`ags`, `apgd-ar` and its kin, `spg`, `pgd`, `pgj`, `newton`, or `clarabel`";
            return self.refuses("contacts that yield", why, others);
        }
        Ok(())
    }

    /// What all methods say to a law that has no meaning.
    fn only_defined(self, kind: &ProblemKind) -> Result<(), Incompatible> {
        if !kind.is_undefined() {
            return Ok(());
        }
        match kind.flow {
            Flow::Skewed => {
                let why = "it is defined for cones of friction alone, that do not yield";
                let other = "the law `coulomb-convex` without `dilatancy`";
                self.refuses("a skewed flow of such contacts", why, other)
            }
            Flow::Associated | Flow::Exact => {
                let why = "exact friction is not defined for a rounded or capped cone";
                let other = "the law `coulomb-convex`";
                self.refuses("exact friction of contacts that yield", why, other)
            }
        }
    }

    /// What methods say that correct velocities along the normal alone.
    fn only_isotropic(self, kind: &ProblemKind) -> Result<(), Incompatible> {
        if !kind.anisotropic {
            return Ok(());
        }
        let why = "it knows flows that are alike in all directions across the normal";
        self.refuses("a skewed flow that is not", why, "`ipm` or `newton`")
    }

    /// What methods say whose solution of one contact knows the edge of the cone and its normal.
    fn only_normal(self, kind: &ProblemKind) -> Result<(), Incompatible> {
        if kind.flow != Flow::Skewed || kind.rows == 1 {
            return Ok(());
        }
        let why = "its solution of one contact knows associated flow and exact friction";
        self.refuses(
            "a skewed flow (`dilatancy`)",
            why,
            "`ags`, `newton` or `ipm`",
        )
    }

    /// What methods say that know contacts of two bodies alone.
    fn only_pairs(self, kind: &ProblemKind) -> Result<(), Incompatible> {
        if !kind.common {
            return Ok(());
        }
        let why =
            "contacts through its faces move two bodies and the cell, and it knows two bodies";
        self.refuses(
            "a periodic cell under a stress",
            why,
            "`ags`, `apgd-ar` or `newton`",
        )
    }

    /// What methods that minimise a function say to what they are asked to solve.
    fn only_convex(self, kind: &ProblemKind) -> Result<(), Incompatible> {
        if kind.flow == Flow::Associated || kind.rows == 1 {
            return Ok(());
        }
        if kind.flow == Flow::Skewed {
            let why = "it minimises a function, and a skewed flow is not the minimum of one";
            return self.refuses(
                "a skewed flow (`dilatancy`)",
                why,
                "`ags`, `newton` or `ipm`",
            );
        }
        let why = "it minimises a function, and exact friction is not the minimum of one";
        self.refuses("exact friction", why, "`exact = \"fixed-point\"`")
    }
}
