//! A portfolio: looks at the problem and at progress, and changes the solver by them.
//!
//! | problem | first | then, where that is slow |
//! |---|---|---|
//! | one row | `apgd-ar` | `newton` if it is cheap, otherwise `ipm` |
//! | convex friction | `ags` | the same |
//! | exact friction between spheres and disks | `ags` | `newton` if it is cheap |
//! | exact friction, W given | ten sweeps of `nlgs-eal` (in a plane of `nlgs-pdas`, with moments or joints of `ags`) | by forecast, below |
//!
//! What is left at the end is tried by the first solver until the limit of iterations.
//!
//! **Forecast.** The errors after five and ten sweeps tell how many more it would take at this rate; it is
//! three times as many, R, as the rate falls. `ags` takes about 15 √R. A step of `newton` costs as much as some
//! sweeps, by the size and the fullness of W (counted, not timed, so that the same problem is always solved
//! the same way), and six steps are what it usually takes. The least of the three goes first; if it takes
//! half as many again as forecast, `newton` is next. The numbers are read off the collection of contact
//! problems of `granule bench fclib`.

use super::{ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Status, own_solver};
use crate::certify::Certificate;
use crate::law::Flow;
use crate::problem::{ContactProblem, Delassus, ProblemKind};

/// Sweeps before each of the two errors of a forecast.
const PROBE: usize = 5;
/// Iterations of the first solver before another is tried where there is no forecast.
const PATIENCE: usize = 2000;
/// Steps that `newton` usually takes, and iterations (with its sweeps) after which it is given up.
const NEWTON_STEPS: f64 = 6.0;
const NEWTON_LIMIT: usize = 2000;
/// Sweeps that it takes to those that it takes at the rate at first; and how many `ags` takes to the root.
const SLOWING: f64 = 3.0;
const ACCELERATED: f64 = 15.0;
/// Operations a row for a contact's own solution, a contact for its part in a step of `newton`, and a step.
const OWN_SOLUTION: f64 = 100.0;
const OWN_PART: f64 = 6000.0;
const STEP: f64 = 3e4;
/// How much wider than a row of W a row of its factor is, and how much faster operations are there.
const FILL: f64 = 6.0;
const DENSE_SPEED: f64 = 4.0;
/// A step of `newton` that costs more than so many sweeps is not cheap.
const CHEAP: f64 = 500.0;
/// Iterations of `ipm` after which it is given up.
const IPM_LIMIT: usize = 200;
/// Rows a moving partner adds to a row of W: contacts of a sphere.
const NEIGHBOURS: f64 = 12.0;

/// The solver `auto`.
pub(super) struct Auto {
    config: SolverConfig,
    /// Those that were needed so far.
    solvers: Vec<Box<dyn ContactSolver>>,
}

/// A solve under way.
struct Progress<'a> {
    problem: &'a ContactProblem,
    impulses: &'a mut [f64],
    report: SolveReport,
}

impl Auto {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self {
            config,
            solvers: Vec::new(),
        }
    }

    fn solver(&mut self, method: Method) -> &mut dyn ContactSolver {
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

    /// Lets a solver go on for so many iterations at most; tells whether that was the end.
    fn go_on(&mut self, method: Method, iterations: usize, progress: &mut Progress) -> bool {
        let (tolerance, most) = (self.config.tolerance, self.config.max_iterations);
        let left = most - progress.report.iterations;
        let Progress {
            problem,
            impulses,
            report,
        } = progress;
        let solver = self.solver(method);
        solver.limit(tolerance, iterations.min(left));
        let part = solver.solve(problem, impulses);
        report.iterations += part.iterations.min(left);
        report.applications += part.applications;
        report.certificate = part.certificate;
        report.status = part.status;
        part.status == Status::Converged || report.iterations >= most
    }

    /// What to do with a given W, by the forecast.
    fn by_forecast(&mut self, progress: &mut Progress) -> bool {
        let kind = progress.problem.kind();
        let plain = match kind.rows {
            _ if kind.joints => Method::Ags,
            2 => Method::NlgsPdas,
            3 => Method::NlgsEal,
            _ => Method::Ags,
        };
        if self.go_on(plain, PROBE, progress) {
            return true;
        }
        let limits = self.config.limits();
        let before = progress.report.certificate.excess(&limits);
        if self.go_on(plain, PROBE, progress) {
            return true;
        }
        let after = progress.report.certificate.excess(&limits);
        let rate = (after / before).ln() / PROBE as f64;
        let more = if rate < 0.0 {
            -SLOWING * after.ln() / rate
        } else {
            f64::INFINITY
        };
        let accelerated = ACCELERATED * more.sqrt();
        let newton = NEWTON_STEPS * sweeps_a_step(progress);
        let (method, forecast) = if more <= accelerated {
            (plain, more)
        } else {
            (Method::Ags, accelerated)
        };
        let sweeps_first = forecast <= newton;
        (sweeps_first && self.go_on(method, (1.5 * forecast) as usize + 1, progress))
            || self.go_on(Method::Newton, NEWTON_LIMIT, progress)
    }

    /// What to do without a forecast.
    fn by_kind(&mut self, first: Method, progress: &mut Progress) -> bool {
        if self.go_on(first, PATIENCE, progress) {
            return true;
        }
        let kind = progress.problem.kind();
        if sweeps_a_step(progress) <= CHEAP {
            return self.go_on(Method::Newton, NEWTON_LIMIT, progress);
        }
        let convex = kind.flow == Flow::Associated || kind.rows == 1;
        convex
            && self.solver(Method::Ipm).supports(&kind).is_ok()
            && self.go_on(Method::Ipm, IPM_LIMIT, progress)
    }
}

/// How many sweeps a step of `newton` costs, about.
fn sweeps_a_step(progress: &Progress) -> f64 {
    let problem = progress.problem;
    let (contacts, rows) = (problem.contact_count() as f64, problem.rows() as f64);
    let partners = match &problem.delassus {
        Delassus::Assembled(matrix) => matrix.block_count() as f64 / contacts,
        Delassus::MatrixFree(_) => NEIGHBOURS,
    };
    let loaded = rows * progress.report.certificate.active as f64;
    let width = (FILL * rows * partners).min(loaded);
    let factor = loaded * width * width * 2.0 / 3.0 / DENSE_SPEED;
    let sweep = contacts * rows * (2.0 * rows * partners + OWN_SOLUTION);
    (factor + OWN_PART * contacts + STEP) / sweep
}

impl ContactSolver for Auto {
    fn method(&self) -> Method {
        Method::Auto
    }

    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        // There is a solver for everything.
        Ok(())
    }

    fn limit(&mut self, tolerance: f64, max_iterations: usize) {
        self.config.tolerance = tolerance;
        self.config.max_iterations = max_iterations;
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64]) -> SolveReport {
        let report = SolveReport {
            method: Method::Auto,
            status: Status::MaxIterations,
            iterations: 0,
            applications: 0,
            convex_solves: 1,
            certificate: Certificate::default(),
        };
        let mut progress = Progress {
            problem,
            impulses,
            report,
        };
        let given = matches!(problem.delassus, Delassus::Assembled(_));
        let first = Method::usual(problem.rows());
        let exact = problem.flow == Flow::Exact && problem.rows() > 1;
        let done = if given && exact {
            self.by_forecast(&mut progress)
        } else {
            self.by_kind(first, &mut progress)
        };
        if !done && progress.report.status != Status::NumericalFailure {
            let most = self.config.max_iterations;
            self.go_on(first, most, &mut progress);
        }
        progress.report
    }
}
