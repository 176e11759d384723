//! The solvers of a step: what they give is judged here, and here is done what the settings say where it
//! is not good enough.

use crate::certify::{Certificate, CertifyWorkspace, Contradiction, Judge, certify_with};
use crate::law::Flow;
use crate::problem::ContactProblem;
use crate::solver::{
    ContactSolver, ExactBy, Incompatible, Method, OnFailure, SolverConfig, Status, Stop, Watch,
    solver,
};

/// How often constraints that contradict each other are relaxed at most.
const RELAXATIONS: usize = 30;

/// How much more than they must contradictory constraints give way, so that there is room.
const ROOM: f64 = 0.1;

/// Exact friction with at most so many loaded contacts goes to Newton's method where sweeps fail: the
/// steps of a heap of 512 spheres that they leave at 2e-4 after 20 000 sweeps it solves in 24 steps.
/// Its factors grow faster than the contacts do.
const NEWTON_AT_MOST: usize = 3000;

/// What solves took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Effort {
    pub(super) iterations: usize,
    pub(super) applications: usize,
    pub(super) convex_solves: usize,
    pub(super) escalations: usize,
}

impl Effort {
    pub(super) fn add(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.applications += other.applications;
        self.convex_solves += other.convex_solves;
        self.escalations += other.escalations;
    }
}

/// The judgement of the impulses that a problem was given.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    /// The solver that they come from.
    pub(super) method: Method,
    pub(super) certificate: Certificate,
    /// Whether the certificate meets the limits of the settings.
    pub(super) certified: bool,
    /// Whether the solve was broken off before it came to an end of its own.
    pub(super) interrupted: bool,
    /// Why it cannot.
    pub(super) contradiction: Option<Box<Contradiction>>,
    pub(super) effort: Effort,
    /// The largest residual that the limits allow, m/s.
    pub(super) residual_limit: f64,
}

impl Verdict {
    /// The residual as far as it was allowed, m/s.
    pub(super) fn allowed_residual(&self) -> f64 {
        self.certificate.residual.min(self.residual_limit)
    }
}

/// The configured solver and the stronger ones that were needed so far.
pub(super) struct Solvers {
    config: SolverConfig,
    watch: Watch,
    list: Vec<(ExactBy, Box<dyn ContactSolver>)>,
    judge: Judge,
    certifier: CertifyWorkspace,
    start: Vec<f64>,
    bias: Vec<f64>,
}

impl Solvers {
    /// Lets someone look on.
    pub(super) fn set_watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    pub(super) fn new(config: SolverConfig, watch: Watch) -> Self {
        Self {
            config,
            watch,
            list: vec![(config.exact, solver(&config))],
            judge: Judge::default(),
            certifier: CertifyWorkspace::default(),
            start: Vec::new(),
            bias: Vec::new(),
        }
    }

    /// Whether the configured solver can solve problems of this kind.
    pub(super) fn supports(&self, kind: &crate::problem::ProblemKind) -> Result<(), Incompatible> {
        self.list[0].1.supports(kind)
    }

    /// Solves a problem and judges the impulses. Where its constraints contradict each other they may
    /// be told to `give_way`: the impulses are then those of the nearest problem that has a solution, so
    /// that they stay bounded; the judgement is on the problem as it is.
    pub(super) fn solve(
        &mut self,
        problem: &mut ContactProblem,
        impulses: &mut [f64],
        give_way: bool,
    ) -> Verdict {
        let (mut verdict, status) = self.attempt(0, problem, impulses);
        // A test that is not the certificate's was asked for, and met.
        let met = self.config.stop == Stop::Paper && status == Status::Converged;
        if self.config.on_failure == OnFailure::Escalate && !met && !verdict.interrupted {
            self.escalate(problem, impulses, &mut verdict);
        }
        if give_way && verdict.contradiction.is_some() {
            self.relax(problem, impulses, &mut verdict);
        }
        verdict
    }

    /// Lets a solver solve, and judges what it gives.
    fn attempt(
        &mut self,
        place: usize,
        problem: &ContactProblem,
        impulses: &mut [f64],
    ) -> (Verdict, Status) {
        let (watch, judge) = (self.watch.clone(), self.judge.clone());
        let ask = self.config.watched_ask(watch, judge);
        ask.judge.begin(problem);
        let report = self.list[place].1.solve(problem, impulses, &ask);
        let certificate = ask.judge.certify(problem, impulses, &mut self.certifier);
        ask.judge.end();
        let limits = self.config.limits();
        let certified = certificate.meets(&limits);
        let verdict = Verdict {
            method: report.method,
            certified,
            interrupted: report.status == Status::Interrupted,
            contradiction: report.contradiction.filter(|_| !certified),
            effort: Effort {
                iterations: report.iterations,
                applications: report.applications + 1,
                convex_solves: report.convex_solves,
                escalations: 0,
            },
            residual_limit: certificate.residual_limit(&limits),
            certificate,
        };
        (verdict, report.status)
    }

    /// Tries stronger solvers until one is good enough, or there is a proof that none can be.
    fn escalate(&mut self, problem: &ContactProblem, impulses: &mut [f64], verdict: &mut Verdict) {
        let config = self.config;
        let done = |verdict: &Verdict| {
            verdict.certified || verdict.contradiction.is_some() || verdict.interrupted
        };
        let exact = problem.flow == Flow::Exact && problem.rows() > 1;
        let follows = problem.flow != Flow::Associated && problem.rows() > 1;
        if follows && !done(verdict) && verdict.certificate.active <= NEWTON_AT_MOST {
            self.try_stronger(Method::Newton, config.exact, problem, impulses, verdict);
        }
        let mut method = config.method();
        while !done(verdict)
            && let Some(stronger) = method.next_stronger()
        {
            method = stronger;
            // A fixed point around an interior point costs more than the one below.
            if !(method.needs_fixed_point() && exact) {
                self.try_stronger(method, config.exact, problem, impulses, verdict);
            }
        }
        // What the exact law in the projection does not find, the fixed point may.
        if exact && config.exact == ExactBy::Projection && !done(verdict) {
            let by = ExactBy::FixedPoint;
            self.try_stronger(Method::ApgdAr, by, problem, impulses, verdict);
        }
    }

    fn try_stronger(
        &mut self,
        method: Method,
        exact: ExactBy,
        problem: &ContactProblem,
        impulses: &mut [f64],
        verdict: &mut Verdict,
    ) {
        let place = self.place(method, exact);
        if self.list[place].1.supports(&problem.kind()).is_err() {
            return;
        }
        self.start.clear();
        self.start.extend_from_slice(impulses);
        let (next, _) = self.attempt(place, problem, impulses);
        let mut effort = verdict.effort;
        effort.add(&next.effort);
        effort.escalations += 1;
        let limits = self.config.limits();
        let better = next.certificate.excess(&limits) < verdict.certificate.excess(&limits);
        if better || next.contradiction.is_some() || next.interrupted {
            *verdict = next;
        } else {
            impulses.copy_from_slice(&self.start);
        }
        verdict.effort = effort;
    }

    /// The place of a solver in the list, where it is put if it is not there.
    fn place(&mut self, method: Method, exact: ExactBy) -> usize {
        let same = |(by, solver): &(ExactBy, Box<dyn ContactSolver>)| {
            *by == exact && solver.method() == method
        };
        self.list.iter().position(same).unwrap_or_else(|| {
            // Settings chosen for another method say nothing about this one.
            let config = SolverConfig {
                own: method.into(),
                exact,
                stop: Stop::Certificate,
                ..self.config
            };
            self.list.push((exact, solver(&config)));
            self.list.len() - 1
        })
    }

    /// The impulses of the problem with contradictory constraints relaxed, from zero.
    ///
    /// The least change of b (in the metric of the diagonal blocks of W) that undoes the contradiction
    /// of a direction d is along W_ii d_i; a little more makes room. What is left is a problem whose
    /// impulses are bounded: none of them press against what does not yield.
    fn relax(&mut self, problem: &mut ContactProblem, impulses: &mut [f64], verdict: &mut Verdict) {
        let rows = problem.rows();
        let mut bias = std::mem::take(&mut self.bias);
        bias.clone_from(&problem.bias);
        let mut found = verdict.contradiction.clone();
        let mut relaxed = 0;
        while let Some(proof) = found {
            impulses.fill(0.0);
            if relaxed == RELAXATIONS {
                break;
            }
            relaxed += 1;
            let ease = |k: usize| problem.delassus.largest_diagonal(k);
            let weights = proof.shares(rows).enumerate();
            let weight: f64 = weights.map(|(k, share)| ease(k) * share * share).sum();
            let factor = (1.0 + ROOM) * proof.approach / weight;
            for (entry, d) in proof.direction.iter().enumerate() {
                problem.bias[entry] += factor * ease(entry / rows) * d;
            }
            let (next, _) = self.attempt(0, problem, impulses);
            verdict.effort.add(&next.effort);
            verdict.interrupted |= next.interrupted;
            found = next.contradiction;
        }
        problem.bias.clone_from(&bias);
        self.bias = bias;
        verdict.certificate = certify_with(problem, impulses, &mut self.certifier);
        verdict.effort.applications += 1;
        verdict.certified = false;
    }
}
