//! Nonlinear Gauss-Seidel: contact after contact, each by a local solver [barboteu2017, §3.2, §4].
//!
//! ```text
//! for each contact c:   w_c = (W p + b)_c with what the others carry now
//!                       p_c' = the local solver's answer, p_c ← p_c + ω (p_c' - p_c)
//!                       velocities += M⁻¹ H_c (change of p_c)
//! ```
//!
//! (The paper adds H_c p_c' itself, a slip: it is the increment.) The sweep is written once; what differs
//! is the [local solver](super::local) and the [order](super::SweepOrder). [`order`] has the orders,
//! [`criterion`] the paper's own stopping test (42).
//!
//! In terms of the paper `w = (1 + e) ṽ` with its formal velocity ṽ: restitution is in b, and W is not
//! divided by 1 + e, so that `p' = p - w/W` is its (40) as corrected.

mod contacts;
mod criterion;
mod order;

use super::local::{Cases, Eal, Ebp, LocalSolver, Pdas, Rows, Sal, Sbp};
use super::monitor::{Monitor, MonitorWorkspace, StepSums};
use super::{
    ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Status, Stop, gradient,
};
use crate::certify::Certificate;
use crate::problem::{ContactProblem, ProblemKind};
use contacts::Contacts;
use order::Order;

/// Sweeps after which velocities are computed anew from impulses.
const REFRESH: usize = 300;
/// A sweep estimates the error before it; that after it is smaller.
const GAIN: f64 = 1.3;

/// The solvers `nlgs-*` and `pgs`.
pub(super) struct Nlgs {
    config: SolverConfig,
    monitor: MonitorWorkspace,
    order: Order,
    rho: Vec<f64>,
    one: Contacts<1>,
    two: Contacts<2>,
    three: Contacts<3>,
    /// Whether the solve under way resumes another.
    resumed: bool,
}

/// Looks at the first sweeps and says how many more there shall be.
pub(super) struct Probe<'a> {
    /// Sweeps before each of two certificates.
    pub(super) early: usize,
    pub(super) late: usize,
    /// From these, the number of sweeps to come.
    pub(super) decide: &'a mut dyn FnMut(&Certificate, &Certificate) -> usize,
}

impl Nlgs {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self {
            config,
            monitor: MonitorWorkspace::default(),
            order: Order::default(),
            rho: Vec::new(),
            one: Contacts::default(),
            two: Contacts::default(),
            three: Contacts::default(),
            resumed: false,
        }
    }

    /// Solves by a few sweeps, and as many more as `probe` says then.
    #[cfg(feature = "second-order")]
    pub(super) fn solve_probing(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        probe: &mut Probe,
    ) -> SolveReport {
        self.solve_with(problem, impulses, Some(probe))
    }

    fn solve_with(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        probe: Option<&mut Probe>,
    ) -> SolveReport {
        match self.config.method {
            Method::NlgsSbp => self.solve_by::<Sbp>(problem, impulses, probe),
            Method::NlgsSal => self.solve_by::<Sal>(problem, impulses, probe),
            Method::NlgsEbp => self.solve_by::<Ebp>(problem, impulses, probe),
            Method::NlgsEal => self.solve_by::<Eal>(problem, impulses, probe),
            Method::NlgsPdas => self.solve_by::<Pdas>(problem, impulses, probe),
            Method::NlgsCases => self.solve_by::<Cases>(problem, impulses, probe),
            _ => self.solve_by::<Rows>(problem, impulses, probe),
        }
    }

    fn solve_by<L: LocalSolver>(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        probe: Option<&mut Probe>,
    ) -> SolveReport {
        let config = self.config;
        gradient::set_rho(problem, &mut self.rho);
        let at_zero = gradient::at_zero(problem, &self.rho);
        self.order.prepare(&config, problem);
        let monitor =
            Monitor::new(problem, &config, &mut self.monitor, at_zero).resuming(self.resumed);
        let order = &mut self.order;
        match problem.rows() {
            1 => iterate::<1, L>(&config, &mut self.one, order, monitor, probe, impulses),
            2 => iterate::<2, L>(&config, &mut self.two, order, monitor, probe, impulses),
            _ => iterate::<3, L>(&config, &mut self.three, order, monitor, probe, impulses),
        }
    }
}

/// Sweeps to the end.
fn iterate<const D: usize, L: LocalSolver>(
    config: &SolverConfig,
    contacts: &mut Contacts<D>,
    order: &mut Order,
    mut monitor: Monitor,
    mut probe: Option<&mut Probe>,
    impulses: &mut [f64],
) -> SolveReport {
    let problem = monitor.problem();
    let theta = config.step.unwrap_or(1.0);
    contacts.prepare::<L>(problem, theta, impulses);
    let step = GAIN * if L::PARTIAL { theta } else { 1.0 };
    if let Some(probe) = &probe {
        monitor.allow(probe.late);
    }
    let mut early = Certificate::default();
    let end = loop {
        let sums: StepSums = contacts.sweep::<L>(problem, order, config.relaxation);
        monitor.applications += 1;
        let estimate = monitor.estimate(&sums, step);
        if monitor.iterations == 0
            && let Some(certificate) = monitor.accepts_start(impulses, estimate)
        {
            return monitor.finish_at_start(certificate);
        }
        if monitor.iterations == 0 && monitor.worse_than_nothing(&sums) {
            contacts.forget_start(problem);
        }
        let paper_error = match config.stop {
            Stop::Paper => {
                monitor.applications += 1;
                contacts.criterion(problem, config.tolerance).total()
            }
            Stop::Certificate => f64::INFINITY,
        };
        let end = monitor.after_iteration(|| contacts.impulses(), &sums, estimate, paper_error);
        match (end, &mut probe) {
            (Some((Status::MaxIterations, certificate)), Some(probe))
                if monitor.iterations == probe.late && probe.late < config.max_iterations =>
            {
                let more = (probe.decide)(&early, &certificate);
                if more == 0 {
                    break (Status::MaxIterations, certificate);
                }
                monitor.allow(probe.late + more);
            }
            (Some(end), _) => break end,
            (None, Some(probe)) if monitor.iterations == probe.early => {
                early = monitor.certify(contacts.impulses());
            }
            (None, _) => {}
        }
        if monitor.judged() || monitor.iterations.is_multiple_of(REFRESH) {
            contacts.refresh(problem);
        }
    };
    monitor.finish(end, contacts.impulses(), impulses)
}

impl ContactSolver for Nlgs {
    fn method(&self) -> Method {
        self.config.method
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        if kind.joints {
            return Err(Incompatible {
                what: format!("solver `{}` with joints", self.config.method.name()),
                why: "its solution of one contact knows cones only".to_owned(),
                try_instead: "`ags` or `ipm`".to_owned(),
            });
        }
        if kind.rows <= 3 {
            return Ok(());
        }
        Err(Incompatible {
            what: format!(
                "solver `{}` with resistance to rolling or spinning",
                self.config.method.name()
            ),
            why: "its solution of one contact knows forces, not moments".to_owned(),
            try_instead: "`ags`".to_owned(),
        })
    }

    fn limit(&mut self, tolerance: f64, max_iterations: usize) {
        self.config.tolerance = tolerance;
        self.config.max_iterations = max_iterations;
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64]) -> SolveReport {
        self.solve_with(problem, impulses, None)
    }

    fn resume(&mut self, problem: &ContactProblem, impulses: &mut [f64]) -> SolveReport {
        self.resumed = true;
        let report = self.solve(problem, impulses);
        self.resumed = false;
        report
    }
}
