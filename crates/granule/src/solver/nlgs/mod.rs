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

use super::local::LocalSolver;
use super::monitor::{AtZero, GAIN, Iteration, Monitor, REFRESH};
use super::{Ask, Incompatible, LocalStep, Method, Status, Stop, Sweeps};
#[cfg(feature = "second-order")]
use super::{local::Cases, monitor::Followed};
use crate::certify::Certificate;
use crate::problem::{ContactProblem, ProblemKind};
use contacts::LocalSweeps;
use order::VisitOrder;

/// The solvers `nlgs-*` and `pgs`.
pub(super) struct Nlgs {
    method: Method,
    stop: Stop,
    sweeps: Sweeps,
    local: LocalStep,
    /// How much of the error before it a sweep takes away, for the estimate.
    gain: f64,
    order: VisitOrder,
    /// Contacts with one, two and three rows.
    contacts: [Box<dyn LocalSweeps>; 3],
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

impl Nlgs {
    /// With the local solver `L`, which the method names.
    pub(super) fn new<L: LocalSolver + 'static>(
        (method, stop): (Method, Stop),
        sweeps: Sweeps,
        local: LocalStep,
    ) -> Self {
        Self {
            method,
            stop,
            sweeps,
            local,
            gain: GAIN * if L::PARTIAL { local.step } else { 1.0 },
            order: VisitOrder::default(),
            contacts: contacts::by_rows::<L>(),
            rows: 1,
        }
    }

    /// Sweeps to the end.
    fn iterate_probing(
        &mut self,
        start: &[f64],
        monitor: &mut Monitor,
        mut probe: Option<&mut Probe>,
    ) -> (Status, Certificate) {
        let problem = monitor.problem;
        let contacts = &mut self.contacts[self.rows - 1];
        if let Some(probe) = &probe {
            monitor.allow(probe.late);
        }
        let mut early = Certificate::default();
        loop {
            let sums = contacts.sweep(problem, &mut self.order, self.sweeps.relaxation);
            monitor.applications += 1;
            let estimate = monitor.estimate(&sums, self.gain);
            if let Some(end) = monitor.accepts_start(start, estimate) {
                return end;
            }
            if monitor.iterations == 0 && monitor.worse_than_nothing(&sums) {
                contacts.forget_start(problem);
            }
            let paper_error = match self.stop {
                Stop::Paper => {
                    monitor.applications += 1;
                    let tolerance = monitor.ask.limits.scaled;
                    contacts.criterion(problem, tolerance).total()
                }
                Stop::Certificate => f64::INFINITY,
            };
            let end = monitor.after_iteration(|| contacts.impulses(), &sums, estimate, paper_error);
            match (end, &mut probe) {
                (Some((Status::MaxIterations, certificate)), Some(probe))
                    if monitor.iterations == probe.late && probe.late < monitor.ask.iterations =>
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
            if monitor.judged || monitor.iterations.is_multiple_of(REFRESH) {
                contacts.refresh(problem);
            }
        }
    }
}

#[cfg(feature = "second-order")]
impl Nlgs {
    /// The solver `nlgs-cases`, for others that sweep with it.
    pub(super) fn by_cases(stop: Stop) -> Followed<Self> {
        let method = Method::NlgsCases;
        let local = LocalStep::default();
        let nlgs = Self::new::<Cases>((method, stop), Sweeps::default(), local);
        Followed::new(method, stop, nlgs)
    }
}

#[cfg(feature = "second-order")]
impl Followed<Nlgs> {
    /// Solves by a few sweeps, and as many more as `probe` says then.
    pub(super) fn solve_probing(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        ask: &super::Ask,
        probe: &mut Probe,
    ) -> super::SolveReport {
        self.solve_by(problem, impulses, ask, |nlgs, start, monitor| {
            nlgs.iterate_probing(start, monitor, Some(probe))
        })
    }
}

impl Iteration for Nlgs {
    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        self.method.only_cones(kind)?;
        self.method.only_normal(kind)?;
        self.method.only_pairs(kind)?;
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

    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], _: &Ask) -> AtZero {
        self.order.prepare(&self.sweeps, problem);
        self.rows = problem.rows();
        self.contacts[self.rows - 1].prepare(problem, self.local.step, start);
        AtZero::of(problem)
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        self.iterate_probing(start, monitor, None)
    }

    fn answer(&mut self) -> &[f64] {
        self.contacts[self.rows - 1].impulses()
    }
}
