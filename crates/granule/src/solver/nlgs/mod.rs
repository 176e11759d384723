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

use super::local::{Cases, Eal, Ebp, LocalSolver, Pdas, RowByRow, Sal, Sbp};
use super::monitor::{AtZero, Followed, Iteration, Monitor, StepSums};
use super::{Incompatible, LocalStep, Method, Status, Stop, Sweeps, gradient};
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
    method: Method,
    stop: Stop,
    sweeps: Sweeps,
    local: LocalStep,
    order: Order,
    rho: Vec<f64>,
    one: Contacts<1>,
    two: Contacts<2>,
    three: Contacts<3>,
    /// The number of rows of the problem at hand.
    rows: usize,
}

/// Looks at the first sweeps and says how many more there shall be.
pub(super) struct Probe<'a> {
    /// Sweeps before each of two certificates.
    pub(super) early: usize,
    pub(super) late: usize,
    /// From these, the number of sweeps to come.
    pub(super) decide: &'a mut dyn FnMut(&Certificate, &Certificate) -> usize,
}

/// Does the same with the sweeps of the local solver that a method names.
macro_rules! by_local_solver {
    ($method:expr, $call:ident, $($argument:expr),*) => {
        match $method {
            Method::NlgsSbp => $call::<Sbp>($($argument),*),
            Method::NlgsSal => $call::<Sal>($($argument),*),
            Method::NlgsEbp => $call::<Ebp>($($argument),*),
            Method::NlgsEal => $call::<Eal>($($argument),*),
            Method::NlgsPdas => $call::<Pdas>($($argument),*),
            Method::NlgsCases => $call::<Cases>($($argument),*),
            _ => $call::<RowByRow>($($argument),*),
        }
    };
}

/// Does the same with the contacts of the problem at hand, whatever their number of rows; moments are refused.
macro_rules! with_contacts {
    ($nlgs:expr, |$contacts:ident| $then:expr) => {
        match $nlgs.rows {
            1 => {
                let $contacts = &mut $nlgs.one;
                $then
            }
            2 => {
                let $contacts = &mut $nlgs.two;
                $then
            }
            3 => {
                let $contacts = &mut $nlgs.three;
                $then
            }
            other => unreachable!("contacts with {other} rows are refused"),
        }
    };
}

impl Nlgs {
    pub(super) fn new(method: Method, stop: Stop, sweeps: Sweeps, local: LocalStep) -> Self {
        Self {
            method,
            stop,
            sweeps,
            local,
            order: Order::default(),
            rho: Vec::new(),
            one: Contacts::default(),
            two: Contacts::default(),
            three: Contacts::default(),
            rows: 0,
        }
    }
}

#[cfg(feature = "second-order")]
impl Nlgs {
    /// The solver `nlgs-cases`, for others that sweep with it.
    pub(super) fn by_cases(stop: Stop) -> Followed<Self> {
        let (method, sweeps) = (Method::NlgsCases, Sweeps::default());
        let nlgs = Self::new(method, stop, sweeps, LocalStep::default());
        Followed::new(method, stop, nlgs)
    }
}

impl Followed<Nlgs> {
    /// Solves by a few sweeps, and as many more as `probe` says then.
    #[cfg(feature = "second-order")]
    pub(super) fn solve_probing(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        ask: &super::Ask,
        probe: &mut Probe,
    ) -> super::SolveReport {
        self.solve_by(problem, impulses, ask, |nlgs, start, monitor| {
            let method = nlgs.method;
            by_local_solver!(method, iterate_rows, nlgs, start, monitor, Some(probe))
        })
    }
}

fn prepare_rows<L: LocalSolver>(nlgs: &mut Nlgs, problem: &ContactProblem, start: &[f64]) {
    let theta = nlgs.local.step;
    with_contacts!(nlgs, |contacts| contacts
        .prepare::<L>(problem, theta, start));
}

fn iterate_rows<L: LocalSolver>(
    nlgs: &mut Nlgs,
    start: &[f64],
    monitor: &mut Monitor,
    probe: Option<&mut Probe>,
) -> (Status, Certificate) {
    let plan = Plan {
        stop: nlgs.stop,
        relaxation: nlgs.sweeps.relaxation,
        step: GAIN * if L::PARTIAL { nlgs.local.step } else { 1.0 },
    };
    let order = &mut nlgs.order;
    with_contacts!(nlgs, |contacts| iterate::<_, L>(
        plan, contacts, order, monitor, probe, start
    ))
}

/// What the sweeps of a solve have in common.
struct Plan {
    stop: Stop,
    relaxation: f64,
    /// How much of the error before it a sweep takes away, for the estimate.
    step: f64,
}

/// Sweeps to the end.
fn iterate<const D: usize, L: LocalSolver>(
    plan: Plan,
    contacts: &mut Contacts<D>,
    order: &mut Order,
    monitor: &mut Monitor,
    mut probe: Option<&mut Probe>,
    start: &[f64],
) -> (Status, Certificate) {
    let problem = monitor.problem();
    if let Some(probe) = &probe {
        monitor.allow(probe.late);
    }
    let mut early = Certificate::default();
    loop {
        let sums: StepSums = contacts.sweep::<L>(problem, order, plan.relaxation);
        monitor.applications += 1;
        let estimate = monitor.estimate(&sums, plan.step);
        if let Some(end) = monitor.accepts_start(start, estimate) {
            return end;
        }
        if monitor.iterations == 0 && monitor.worse_than_nothing(&sums) {
            contacts.forget_start(problem);
        }
        let paper_error = match plan.stop {
            Stop::Paper => {
                monitor.applications += 1;
                let tolerance = monitor.ask().limits.scaled;
                contacts.criterion(problem, tolerance).total()
            }
            Stop::Certificate => f64::INFINITY,
        };
        let end = monitor.after_iteration(|| contacts.impulses(), &sums, estimate, paper_error);
        match (end, &mut probe) {
            (Some((Status::MaxIterations, certificate)), Some(probe))
                if monitor.iterations == probe.late && probe.late < monitor.ask().iterations =>
            {
                let more = (probe.decide)(&early, &certificate);
                if more == 0 {
                    return (Status::MaxIterations, certificate);
                }
                monitor.allow(probe.late + more);
            }
            (Some(end), _) => return end,
            (None, Some(probe)) if monitor.iterations == probe.early => {
                early = monitor.certify(contacts.impulses());
            }
            (None, _) => {}
        }
        if monitor.judged() || monitor.iterations.is_multiple_of(REFRESH) {
            contacts.refresh(problem);
        }
    }
}

impl Iteration for Nlgs {
    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        self.method.only_cones(kind)?;
        if kind.sets.free {
            let why = "its solution of one contact knows cones only";
            return self.method.refuses("joints", why, "`ags` or `ipm`");
        }
        if kind.rows > 3 {
            let why = "its solution of one contact knows forces, not moments";
            let what = "resistance to rolling or spinning";
            return self.method.refuses(what, why, "`ags`");
        }
        Ok(())
    }

    fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) -> AtZero {
        gradient::set_rho(problem, &mut self.rho);
        self.order.prepare(&self.sweeps, problem);
        self.rows = problem.rows();
        by_local_solver!(self.method, prepare_rows, self, problem, start);
        gradient::at_zero(problem, &self.rho)
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        by_local_solver!(self.method, iterate_rows, self, start, monitor, None)
    }

    fn answer(&mut self) -> &[f64] {
        with_contacts!(self, |contacts| contacts.impulses())
    }
}
