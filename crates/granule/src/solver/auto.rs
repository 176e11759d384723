//! A portfolio: looks at the problem and at progress, and changes the solver by them.
//!
//! | problem | first | then, where that is slow |
//! |---|---|---|
//! | one row | `apgd-ar` | `newton` if it is cheap, otherwise `ipm` |
//! | convex friction | `ags` | the same |
//! | exact friction between spheres and disks | `ags` | `newton` if it is cheap |
//! | exact friction, W given | ten sweeps of `nlgs-cases` | by forecast, below |
//! | the same with moments or joints | `ags` for two fifths of what `newton` costs | `newton` |
//!
//! What is left at the end is tried by the first solver until the limit of iterations.
//!
//! **Forecast.** The errors after five and ten sweeps tell the rate r by which each lowers the logarithm of the
//! error, of which L is to come. Rates fall, the more the smaller they are: `L/r²` more sweeps is what it takes,
//! about, and `3.5 L/r` of `ags`. A step of `newton` costs as much as some sweeps, and a few steps are what it
//! usually takes. The least of the three goes first; if it takes half as many again as forecast, and has cost as
//! much as `newton` would, that is next.
//!
//! **The cost of a step** is guessed from the size and the fullness of W, as if its rows filled up to a few times their
//! width. In space they fill up far more. So before `newton` is chosen the operations of its factor are counted, by
//! ordering the pattern of W: counted, not timed, so that the same problem is always solved the same way. Where they are
//! many, `ags` and `newton` take turns.

use super::monitor::Followed;
use super::newton::Newton;
use super::nlgs::{Nlgs, Probe};
use super::tuning::auto as tuning;
use super::{Ask, ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Solvers, Status};
use crate::certify::{Certificate, Limits};
use crate::law::Flow;
use crate::math::linear::elimination_operations;
use crate::problem::{ContactProblem, Delassus, ProblemKind};

/// What problems are probed with.
const PLAIN: Method = Method::NlgsCases;

/// The solver `auto`.
pub(super) struct Auto {
    plain: Followed<Nlgs>,
    newton: Newton,
    others: Solvers,
}

/// A solve under way.
struct Progress<'a> {
    problem: &'a ContactProblem,
    impulses: &'a mut [f64],
    ask: &'a Ask,
    report: SolveReport,
}

impl Progress<'_> {
    /// Iterations that are left.
    fn left(&self) -> usize {
        (self.ask.iterations).saturating_sub(self.report.iterations)
    }

    /// What to ask of the next solver for so many iterations at most.
    fn next(&self, iterations: usize) -> Ask {
        let ask = self.ask.at_most(iterations.min(self.left()));
        match self.report.iterations {
            0 => ask,
            _ => ask.resumed(),
        }
    }
}

impl Auto {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self {
            plain: Nlgs::by_cases(config.stop),
            newton: Newton::new(&config),
            others: Solvers::new(config),
        }
    }

    /// Lets a solver go on for so many iterations at most; tells whether that was the end.
    fn go_on(&mut self, method: Method, iterations: usize, progress: &mut Progress) -> bool {
        let ask = progress.next(iterations);
        let part = self
            .others
            .of(method.into())
            .solve(progress.problem, progress.impulses, &ask);
        add(method, part, progress)
    }

    /// Lets `newton` go on for so many iterations at most; tells whether that was the end.
    fn newton(&mut self, iterations: usize, progress: &mut Progress) -> bool {
        let swept = progress.report.iterations;
        let ask = progress.next(iterations).resumed();
        let part = (self.newton).solve_after(swept, progress.problem, progress.impulses, &ask);
        add(Method::Newton, part, progress)
    }

    /// What to do with a given W, by the forecast.
    fn by_forecast(&mut self, progress: &mut Progress) -> bool {
        let (ask, problem) = (progress.ask, progress.problem);
        let mut forecast = None;
        let mut decide = |early: &Certificate, late: &Certificate| {
            let made = forecast.insert(Forecast::new(&ask.limits, problem, early, late));
            made.sweeps_of(PLAIN)
        };
        let mut probe = Probe {
            early: tuning::EARLY,
            late: tuning::PROBE,
            decide: &mut decide,
        };
        let part = (self.plain).solve_probing(problem, progress.impulses, ask, &mut probe);
        if add(PLAIN, part, progress) {
            return true;
        }
        let accelerated = forecast.map_or(0, |forecast| forecast.sweeps_of(Method::Ags));
        (accelerated > 0 && self.go_on(Method::Ags, accelerated, progress))
            || self.in_turns(progress)
    }

    /// What to do when sweeps have had their share: `newton`, for long where its steps are cheap. It may take far more of
    /// them than usual and nothing tells beforehand, so `ags` and `newton` take turns then, each twice as long as the last.
    fn in_turns(&mut self, progress: &mut Progress) -> bool {
        let cost = Cost::counted(progress.problem, progress.report.certificate.active);
        let mut steps = tuning::TURN;
        if cost.newton() <= tuning::CHEAP_NEWTON {
            steps = tuning::LONG_TURN;
            if self.newton(steps, progress) {
                return true;
            }
        }
        loop {
            let before = progress.report.iterations;
            let sweeps = tuning::SWEEPS_OF_TURN * steps as f64 * cost.sweeps_a_step();
            if self.go_on(Method::Ags, sweeps as usize, progress) || self.newton(steps, progress) {
                return true;
            }
            if progress.report.iterations == before {
                return false;
            }
            steps = steps.saturating_mul(2);
        }
    }

    /// What to do with a given W where there are moments or joints: sweeps are given up when they have cost a share
    /// of what `newton` does.
    fn by_cost(&mut self, progress: &mut Progress) -> bool {
        let problem = progress.problem;
        let newton = Cost::guessed(problem, problem.contact_count()).newton();
        self.go_on(Method::Ags, (tuning::WAIT * newton) as usize + 1, progress)
            || self.in_turns(progress)
    }

    /// What to do without a forecast.
    fn by_kind(&mut self, first: Method, progress: &mut Progress) -> bool {
        if self.go_on(first, tuning::PATIENCE, progress) {
            return true;
        }
        let kind = progress.problem.kind();
        let loaded = progress.report.certificate.active;
        if Cost::counted(progress.problem, loaded).sweeps_a_step() <= tuning::CHEAP {
            return self.newton(tuning::NEWTON_LIMIT, progress);
        }
        let direct = kind.flow != Flow::Exact || kind.rows == 1;
        direct
            && self.others.of(Method::Ipm.into()).supports(&kind).is_ok()
            && self.go_on(Method::Ipm, tuning::IPM_LIMIT, progress)
    }
}

/// Adds what a method did to the report; tells whether that is the end.
fn add(method: Method, part: SolveReport, progress: &mut Progress) -> bool {
    let finished_by = part.finished_by.or(Some(method));
    progress.report.go_on(SolveReport {
        finished_by,
        ..part
    });
    let over = matches!(
        part.status,
        Status::Converged | Status::Infeasible | Status::Interrupted
    );
    over || progress.left() == 0
}

/// What goes first after the probe, and for how many sweeps.
struct Forecast {
    method: Method,
    sweeps: usize,
}

impl Forecast {
    fn new(
        limits: &Limits,
        problem: &ContactProblem,
        early: &Certificate,
        late: &Certificate,
    ) -> Self {
        let (before, after) = (early.excess(limits), late.excess(limits));
        let rate = (before / after).ln() / (tuning::PROBE - tuning::EARLY) as f64;
        let left = after.ln();
        // What each costs, in sweeps of the probe: in all, and one of its own.
        let sweeps = (PLAIN, left / (rate * rate), 1.0);
        let one = tuning::ACCELERATED_COST[usize::from(problem.rows() == 2)];
        let accelerated = (Method::Ags, tuning::ACCELERATED * left / rate * one, one);
        let cheaper = std::cmp::min_by(sweeps, accelerated, |a, b| a.1.total_cmp(&b.1));
        let (method, cost, one) = cheaper;
        let converges_by = |newton: f64| rate > 0.0 && cost <= newton;
        let mut newton = Cost::guessed(problem, late.active).newton();
        if !converges_by(newton) {
            newton = Cost::counted(problem, late.active).newton();
        }
        let (method, sweeps) = if converges_by(newton) {
            let most = newton.max(tuning::LATE * cost) / one;
            (method, most as usize + 1)
        } else {
            (Method::Newton, 0)
        };
        Self { method, sweeps }
    }

    fn sweeps_of(&self, method: Method) -> usize {
        if self.method == method {
            self.sweeps
        } else {
            0
        }
    }
}

/// What a step of `newton` costs, where so many contacts are loaded.
struct Cost<'a> {
    problem: &'a ContactProblem,
    /// Blocks of W in a row.
    partners: f64,
    /// Multiplications by which its matrix is factorised.
    operations: f64,
}

impl<'a> Cost<'a> {
    fn guessed(problem: &'a ContactProblem, loaded: usize) -> Self {
        let (contacts, rows) = (problem.contact_count() as f64, problem.rows() as f64);
        let partners = match &problem.delassus {
            Delassus::Assembled(matrix) => matrix.block_count() as f64 / contacts,
            Delassus::MatrixFree(_) => tuning::NEIGHBOURS,
        };
        let loaded = rows * loaded as f64;
        let width = (tuning::FILL * rows * partners).min(loaded);
        Self {
            problem,
            partners,
            operations: loaded * width * width * 2.0 / 3.0,
        }
    }

    /// By the pattern of W, where W is given. Of grains in space the operations grow as the square of their number, so
    /// that is how those that are not loaded are left out.
    fn counted(problem: &'a ContactProblem, loaded: usize) -> Self {
        let guess = Self::guessed(problem, loaded);
        let Delassus::Assembled(matrix) = &problem.delassus else {
            return guess;
        };
        let contacts = matrix.contact_count();
        let mut starts = Vec::with_capacity(contacts + 1);
        let mut columns = Vec::with_capacity(matrix.block_count());
        starts.push(0);
        for k in 0..contacts {
            columns.extend(matrix.row(k).map(|(column, _)| column));
            starts.push(columns.len());
        }
        let share = loaded as f64 / contacts.max(1) as f64;
        let blocks = elimination_operations(&starts, &columns);
        Self {
            operations: blocks * (problem.rows() as f64).powi(3) * share * share,
            ..guess
        }
    }

    /// In sweeps of the probe.
    fn sweeps_a_step(&self) -> f64 {
        let (contacts, rows) = (
            self.problem.contact_count() as f64,
            self.problem.rows() as f64,
        );
        let step = tuning::STEP + tuning::OWN_PART * contacts + tuning::FACTOR * self.operations;
        let entries = tuning::ENTRY * rows * rows * self.partners;
        step / (contacts * (entries + tuning::OWN_SOLUTION * (rows - 1.0)))
    }

    /// What `newton` usually takes, in sweeps of the probe.
    fn newton(&self) -> f64 {
        tuning::NEWTON_STEPS * self.sweeps_a_step()
    }
}

impl ContactSolver for Auto {
    fn method(&self) -> Method {
        Method::Auto
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        // There is a solver for everything that has a meaning.
        Method::Auto.only_defined(kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        let mut progress = Progress {
            problem,
            impulses,
            ask,
            report: SolveReport::begun(Method::Auto),
        };
        let given = matches!(problem.delassus, Delassus::Assembled(_));
        let first = Method::usual(&problem.kind());
        let exact = problem.flow == Flow::Exact && problem.rows() > 1;
        let done = if problem.kind().anisotropic {
            return self
                .others
                .of(Method::Ipm.into())
                .solve(problem, progress.impulses, ask);
        } else if given && exact && self.plain.supports(&problem.kind()).is_ok() {
            self.by_forecast(&mut progress)
        } else if given && exact {
            self.by_cost(&mut progress)
        } else {
            self.by_kind(first, &mut progress)
        };
        if !done && progress.report.status != Status::NumericalFailure {
            self.go_on(first, ask.iterations, &mut progress);
        }
        progress.report
    }
}
