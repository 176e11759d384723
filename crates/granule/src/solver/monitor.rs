//! When to ask for a certificate, and when to stop.
//!
//! A certificate costs as much as an iteration or two, so it is asked for only when the solver's
//! own estimate (free, from its last step) says that it may pass. If it then fails, the estimate
//! was too good by a known factor, and the next request waits for an estimate better by that
//! factor.
//!
//! Where constraints contradict each other the impulses grow for ever, and their changes turn into a
//! direction that proves it: the steps λ⁺ - λ of a projected-gradient method converge, to zero if there
//! is a solution and to a [`Contradiction`] if there is none [banjac2019]. So when the impulses have
//! grown since half as many iterations, their change is tried as one.

use super::{
    Ask, ContactSolver, Incompatible, Method, SolveReport, Start, Status, Stop, contradiction,
};
use crate::certify::{Certificate, CertifyWorkspace, Contradiction};
use crate::law::{Flow, Metric};
use crate::problem::{Block, ContactProblem, ProblemKind, by_rows};

/// Caution fades by this factor an iteration: estimates that were too good at one time may not be so
/// for ever.
const FORGETTING: f64 = 1.01;

/// Impulses are kept after so many iterations for the first time, and then each time that there are
/// twice as many.
const FIRST_KEPT: usize = 64;

/// Sweeps after which velocities are computed anew from impulses at the latest.
pub(super) const REFRESH: usize = 300;

/// A sweep estimates the error before it; that after it is smaller.
pub(super) const GAIN: f64 = 1.3;

/// A change of the impulses by less than this share of them is no growth.
const GROWTH: f64 = 0.1;

/// Where the error has fallen below this share of what it was half as many iterations before, impulses are not looked at for
/// growth: a contradiction keeps it up.
const CONVERGES: f64 = 0.8;

/// Scratch memory of a [`Monitor`].
#[derive(Debug, Default)]
pub(super) struct MonitorWorkspace {
    certifier: CertifyWorkspace,
    /// The impulses when they were last looked at for growth.
    kept: Vec<f64>,
    /// How they have changed since.
    change: Vec<f64>,
}

/// Whether `now` is `before` and at least a share more, in impulses or in velocities.
pub(super) fn has_grown(problem: &ContactProblem, before: &[f64], now: &[f64]) -> bool {
    // Squares of change and size, each in impulses and in velocities.
    let (mut change, mut size) = ([0.0; 2], [0.0; 2]);
    let rows = problem.rows();
    let blocks = before.chunks_exact(rows).zip(now.chunks_exact(rows));
    for (k, (before, now)) in blocks.enumerate() {
        let per_impulse = problem.delassus.largest_diagonal(k).powi(2);
        let (mut difference, mut length) = (0.0, 0.0);
        for (before, now) in before.iter().zip(now) {
            difference += (now - before).powi(2);
            length += now * now;
        }
        change = [change[0] + difference, change[1] + per_impulse * difference];
        size = [size[0] + length, size[1] + per_impulse * length];
    }
    let grown = |i: usize| change[i] > GROWTH * GROWTH * size[i];
    grown(0) || grown(1)
}

/// The sums over all rows that a gradient iteration gives.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepSums {
    /// g · (λ⁺ - λ): positive when momentum goes uphill.
    pub(super) uphill: f64,
    /// ‖λ⁺ - y‖², for the residual at y.
    pub(super) step_squared: f64,
    /// ‖λ⁺ - y‖²_{S⁻¹}, for the curvature along the step.
    pub(super) length_squared: f64,
    /// ‖λ⁺‖².
    pub(super) impulse_squared: f64,
    /// Those two with every entry divided by its contact's ρ, m²/s²: what heavy bodies do not hide. Zero where a method
    /// does not take them.
    pub(super) step_velocity_squared: f64,
    pub(super) impulse_velocity_squared: f64,
    /// |λ⁺ - λ|∞ where the paper's test is asked for; otherwise some measure of it that is zero if and only if nothing
    /// has changed.
    pub(super) change: f64,
    /// |λ|∞, where the paper's test is asked for.
    pub(super) size: f64,
}

impl StepSums {
    /// Adds the sums of the next chunk.
    pub(super) fn merge(self, next: Self) -> Self {
        Self {
            uphill: self.uphill + next.uphill,
            step_squared: self.step_squared + next.step_squared,
            length_squared: self.length_squared + next.length_squared,
            impulse_squared: self.impulse_squared + next.impulse_squared,
            step_velocity_squared: self.step_velocity_squared + next.step_velocity_squared,
            impulse_velocity_squared: self.impulse_velocity_squared + next.impulse_velocity_squared,
            change: self.change.max(next.change),
            size: self.size.max(next.size),
        }
    }
}

/// What an iteration tells of the error of its start, relative to the scale that the certificate has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Estimate {
    /// ‖natural map‖ in impulses: what a method that changes impulses lowers, and what it may follow.
    pub(super) impulses: f64,
    /// The larger of that and the same in velocities, as far as the method tells it. What a machine carries hides in
    /// impulses what grains lack; the certificate looks at both.
    pub(super) both: f64,
}

/// What doing nothing leaves of a problem, and what counts as nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtZero {
    /// The natural map where the bodies feel no impulse, ‖P_K(-ρ b)‖, N s.
    pub(super) error: f64,
    /// The same in velocities, ‖P_K(-ρ b)/ρ‖, m/s.
    pub(super) velocity: f64,
    /// An error of less than this (N s) leaves no contact with more than rounding.
    pub(super) quiet: f64,
}

impl AtZero {
    /// Of a problem.
    pub(super) fn of(problem: &ContactProblem) -> Self {
        Self::of_rest(problem, 0, SquaresAtZero::default())
    }

    /// Of a problem whose round contacts are known.
    pub(super) fn with_round(problem: &ContactProblem, known: SquaresAtZero) -> Self {
        Self::of_rest(problem, problem.delassus.round_count(), known)
    }

    fn of_rest(problem: &ContactProblem, first: usize, known: SquaresAtZero) -> Self {
        let squares = by_rows!(
            problem.rows(),
            <ROWS, B> squares_at_zero::<ROWS, B>(problem, first, known)
        );
        let quiet = match problem.rounding > 0.0 {
            true => problem.rounding * squares.lightest,
            false => 0.0,
        };
        Self {
            error: squares.impulses.sqrt(),
            velocity: squares.velocities.sqrt(),
            quiet,
        }
    }
}

/// Sums over contacts that carry nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct SquaresAtZero {
    /// ‖P_K(-ρ b)‖², N² s².
    pub(super) impulses: f64,
    /// ‖P_K(-ρ b)/ρ‖², m²/s².
    pub(super) velocities: f64,
    /// The smallest ρ = 1/λ_max(W_kk), kg.
    pub(super) lightest: f64,
}

impl Default for SquaresAtZero {
    fn default() -> Self {
        Self {
            impulses: 0.0,
            velocities: 0.0,
            lightest: f64::INFINITY,
        }
    }
}

impl SquaresAtZero {
    /// Adds a contact with this ρ (kg) and ‖P_K(-ρ b)/ρ‖² (m²/s²).
    #[inline(always)]
    fn add(&mut self, rho: f64, velocity: f64) {
        self.impulses += rho * rho * velocity;
        self.velocities += velocity;
        self.lightest = self.lightest.min(rho);
    }
}

/// The sums from a contact on, added to what is known; of sets that are shifted of ‖P_K(c n - ρ b) - c n‖².
fn squares_at_zero<const ROWS: usize, B: Block>(
    problem: &ContactProblem,
    first: usize,
    mut squares: SquaresAtZero,
) -> SquaresAtZero {
    let bias = problem.bias.as_chunks::<ROWS>().0;
    let shift = &problem.shift;
    let velocity = shift.velocity.as_chunks::<ROWS>().0;
    for (k, b) in bias.iter().enumerate().skip(first) {
        let per_mass = problem.delassus.largest_diagonal(k);
        let rho = 1.0 / per_mass;
        let (set, normal) = (problem.set(k), problem.delassus.normal(k));
        let mut b = B::load(b);
        if let Some(velocity) = velocity.get(k) {
            b = b + B::load(velocity);
        }
        if problem.flow != Flow::Associated {
            b = b.plus_along(problem.dilating(k) * b.dilation(set, normal), normal);
        }
        let step = b.times(-rho);
        let nearest = |x: B| x.project(set, normal, Metric::EUCLIDEAN);
        let part = match shift.along.get(k) {
            None => nearest(step),
            Some(c) => nearest(step.plus_along(*c, normal)).plus_along(-c, normal),
        };
        squares.add(rho, per_mass * per_mass * part.dot(part));
    }
    squares
}

/// The impulses between the bodies of a problem whose sets are shifted, as far as sums over λ' tell of them.
#[derive(Debug, Clone, Copy)]
struct Borne {
    /// ‖c‖, N s.
    shift: f64,
    /// ‖λ‖ when it was last looked at, N s.
    size: f64,
}

impl Borne {
    /// Of a start; none where nothing is shifted.
    fn of(problem: &ContactProblem, impulses: &[f64]) -> Option<Self> {
        let along = &problem.shift.along;
        (!along.is_empty()).then(|| Self {
            shift: along.iter().map(|c| c * c).sum::<f64>().sqrt(),
            size: borne(problem, impulses),
        })
    }

    /// What is known of ‖λ‖ where ‖λ'‖ is known, N s.
    fn at_least(&self, shifted: f64) -> f64 {
        self.size.max(shifted - self.shift)
    }
}

/// ‖λ' - c n‖, N s.
fn borne(problem: &ContactProblem, impulses: &[f64]) -> f64 {
    let mut sum = 0.0;
    let contacts = impulses.chunks_exact(problem.rows());
    for (k, (rows, c)) in contacts.zip(&problem.shift.along).enumerate() {
        let along = match rows {
            [only] => *only,
            _ => {
                let normal = problem.delassus.normal(k).to_array();
                rows.iter().zip(normal).map(|(x, n)| x * n).sum()
            }
        };
        let square: f64 = rows.iter().map(|x| x * x).sum();
        sum += square + c * (c - 2.0 * along);
    }
    sum.max(0.0).sqrt()
}

/// Follows one solve.
pub(super) struct Monitor<'a> {
    pub(super) problem: &'a ContactProblem,
    method: Method,
    stop: Stop,
    pub(super) ask: Ask,
    workspace: &'a mut MonitorWorkspace,
    at_zero: AtZero,
    borne: Option<Borne>,
    /// The estimate must be below the tolerance times this.
    caution: f64,
    pub(super) iterations: usize,
    pub(super) applications: usize,
    /// Iterations at most.
    most: usize,
    /// Iterations in a row that changed nothing.
    idle: usize,
    /// The error when it was last time for a look at the growth of impulses, N s.
    mark: f64,
    /// Whether the impulses were judged, and found wanting, after the last iteration.
    pub(super) judged: bool,
    contradiction: Option<Box<Contradiction>>,
}

impl<'a> Monitor<'a> {
    fn new(
        problem: &'a ContactProblem,
        (method, stop): (Method, Stop),
        ask: &Ask,
        workspace: &'a mut MonitorWorkspace,
        (at_zero, start): (AtZero, &[f64]),
    ) -> Self {
        // Here, so that the first steps that need them are not the first to ask for memory.
        for list in [&mut workspace.kept, &mut workspace.change] {
            list.clear();
            list.reserve(problem.len());
        }
        Self {
            problem,
            method,
            stop,
            ask: ask.clone(),
            workspace,
            at_zero,
            borne: Borne::of(problem, start),
            caution: 1.0,
            iterations: 0,
            applications: 0,
            most: ask.iterations,
            idle: 0,
            mark: f64::INFINITY,
            judged: false,
            contradiction: None,
        }
    }

    /// Sets another limit of iterations, but not above what was asked for.
    pub(super) fn allow(&mut self, iterations: usize) {
        self.most = iterations.min(self.ask.iterations);
    }

    pub(super) fn certify(&mut self, impulses: &[f64]) -> Certificate {
        self.applications += 1;
        let judge = &self.ask.judge;
        judge.certify(self.problem, impulses, &mut self.workspace.certifier)
    }

    /// Compares the impulses with those that were kept: tells whether they grow in a direction that
    /// proves that there is no solution.
    fn is_contradictory(&mut self, impulses: &[f64]) -> bool {
        let MonitorWorkspace {
            certifier,
            kept,
            change,
        } = &mut *self.workspace;
        let memory = (change, certifier);
        if self.iterations > FIRST_KEPT && has_grown(self.problem, kept, impulses) {
            self.applications += 1;
            self.contradiction = contradiction(&self.ask, self.problem, kept, impulses, memory);
        }
        self.contradiction.is_some()
    }

    /// Before the first iteration is counted, looks at the start: if the natural map there, `estimate` (N s), may
    /// pass, and does, the solve is over before it began.
    pub(super) fn accepts_start(
        &mut self,
        impulses: &[f64],
        estimate: Estimate,
    ) -> Option<(Status, Certificate)> {
        let may_pass = self.iterations == 0 && estimate.both <= self.ask.limits.scaled;
        if self.stop == Stop::Paper || !may_pass {
            return None;
        }
        let certificate = self.certify(impulses);
        let passed = certificate.meets(&self.ask.limits);
        passed.then_some((Status::Converged, certificate))
    }

    /// Whether the start, at which a step gave these sums, is further from a solution than zero, and may be
    /// thrown away.
    pub(super) fn worse_than_nothing(&self, sums: &StepSums) -> bool {
        self.ask.start == Start::Guess && sums.step_squared.sqrt() > self.at_zero.error
    }

    /// What a step of relative length `step` tells of the certificate's error (its square root of squares is
    /// `sums.step_squared`).
    pub(super) fn estimate(&self, sums: &StepSums, step: f64) -> Estimate {
        let size = sums.impulse_squared.sqrt();
        let size = self.borne.map_or(size, |borne| borne.at_least(size));
        let given = &self.problem.scale;
        let scale = size.max(self.at_zero.error).max(given.impulse);
        let error = sums.step_squared.sqrt() / step;
        if error < self.at_zero.quiet {
            return Estimate::default();
        }
        let of = |error: f64, scale: f64| if scale > 0.0 { error / scale } else { error };
        let impulses = of(error, scale);
        if self.borne.is_some() {
            let both = impulses;
            return Estimate { impulses, both };
        }
        let size = sums.impulse_velocity_squared.sqrt();
        let scale = size.max(self.at_zero.velocity).max(given.velocity);
        let velocities = of(sums.step_velocity_squared.sqrt() / step, scale);
        let both = impulses.max(velocities);
        Estimate { impulses, both }
    }

    /// [`Monitor::after_iteration`] with the test of [bloch2023, Algorithms 1 and 2], with forces λ/h, after the update.
    pub(super) fn after_step<'i>(
        &mut self,
        impulses: impl FnOnce() -> &'i [f64],
        sums: &StepSums,
        estimate: Estimate,
    ) -> Option<(Status, Certificate)> {
        let paper_error = sums.change / (sums.size + self.problem.step);
        self.after_iteration(impulses, sums, estimate, paper_error)
    }

    /// After an iteration that made `impulses`, which are asked for only if they must be judged: the
    /// end of the solve, if it is the end. `paper_error` is what the test of the method's paper looks at.
    pub(super) fn after_iteration<'i>(
        &mut self,
        impulses: impl FnOnce() -> &'i [f64],
        sums: &StepSums,
        estimate: Estimate,
        paper_error: f64,
    ) -> Option<(Status, Certificate)> {
        self.iterations += 1;
        self.ask.watch.count();
        // A projection can swallow a gradient that is not a number; its product does not.
        if !(estimate.both + sums.uphill).is_finite() {
            return Some((Status::NumericalFailure, Certificate::failed()));
        }
        self.idle = if sums.change == 0.0 { self.idle + 1 } else { 0 };
        let may_pass = match self.stop {
            Stop::Paper => paper_error < self.ask.limits.scaled,
            Stop::Certificate => estimate.both <= self.ask.limits.scaled * self.caution,
        };
        let stopped = self.ask.watch.is_stopped();
        // Ten steps that change no bit: rounding stops the method, more of them will not help.
        let stalled = self.idle >= 10;
        let last = self.iterations >= self.most;
        // One that is broken off gives what it would not have given otherwise, even if that passes.
        let ends = may_pass || stalled || last;
        self.judged = ends || stopped;
        let now_and_then = self.iterations.is_power_of_two();
        let mut looks = self.iterations >= FIRST_KEPT && now_and_then;
        if looks {
            let error = sums.step_squared.sqrt();
            let fallen = error < CONVERGES * std::mem::replace(&mut self.mark, error);
            looks = !fallen || self.iterations < 2 * FIRST_KEPT;
        }
        if !self.judged {
            self.caution = (FORGETTING * self.caution).min(1.0);
            if !(looks || now_and_then && self.borne.is_some()) {
                return None;
            }
        }
        let impulses = impulses();
        if let Some(known) = &mut self.borne {
            known.size = borne(self.problem, impulses);
        }
        if looks {
            if self.is_contradictory(impulses) {
                return Some((Status::Infeasible, self.certify(impulses)));
            }
            self.workspace.kept.clear();
            self.workspace.kept.extend_from_slice(impulses);
        }
        if !self.judged {
            return None;
        }
        let certificate = self.certify(impulses);
        let passed = match self.stop {
            Stop::Paper => may_pass,
            Stop::Certificate => certificate.meets(&self.ask.limits),
        };
        if passed && ends {
            return Some((Status::Converged, certificate));
        }
        // How much better it must get. 0.3: the norm says little about the worst contact.
        let excess = certificate.excess(&self.ask.limits);
        self.caution *= (0.9 / excess).clamp(0.3, 0.9);
        match (stopped, stalled, last) {
            (true, _, _) => Some((Status::Interrupted, certificate)),
            (_, true, _) => Some((Status::Stalled, certificate)),
            (_, _, true) => Some((Status::MaxIterations, certificate)),
            _ => None,
        }
    }

    /// Ends the solve: `impulses` become the `answer`, or stay those of the start if that passed or the answer is
    /// not made of numbers, and the report is on what they are now.
    fn finish(
        mut self,
        (status, certificate): (Status, Certificate),
        answer: &[f64],
        impulses: &mut [f64],
    ) -> SolveReport {
        let certificate = if status == Status::NumericalFailure {
            self.certify(impulses)
        } else {
            if self.iterations > 0 {
                impulses.copy_from_slice(answer);
            }
            certificate
        };
        SolveReport {
            status,
            iterations: self.iterations,
            applications: self.applications,
            certificate,
            contradiction: self.contradiction,
            ..SolveReport::begun(self.method)
        }
    }
}

/// A method whose iterations a [`Monitor`] follows.
pub(super) trait Iteration: Send {
    /// Whether problems of this kind can be solved: all, where a projection is all that the method needs of a set.
    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        Ok(())
    }

    /// Takes a problem and a start, from which so much is asked.
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], ask: &Ask) -> AtZero;

    /// Iterates from the `start` until the monitor calls it the end.
    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate);

    /// The impulses of the last iteration.
    fn answer(&mut self) -> &[f64];
}

/// The solver that a method with iterations makes.
pub(super) struct Followed<I> {
    method: Method,
    stop: Stop,
    iteration: I,
    memory: MonitorWorkspace,
}

impl<I: Iteration> Followed<I> {
    pub(super) fn new(method: Method, stop: Stop, iteration: I) -> Self {
        Self {
            method,
            stop,
            iteration,
            memory: MonitorWorkspace::default(),
        }
    }

    /// Solves with an iteration of the method's own.
    pub(super) fn solve_by(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        ask: &Ask,
        iterate: impl FnOnce(&mut I, &[f64], &mut Monitor) -> (Status, Certificate),
    ) -> SolveReport {
        let at_zero = self.iteration.prepare(problem, impulses, ask);
        let which = (self.method, self.stop);
        let start = (at_zero, &*impulses);
        let mut monitor = Monitor::new(problem, which, ask, &mut self.memory, start);
        let end = iterate(&mut self.iteration, impulses, &mut monitor);
        monitor.finish(end, self.iteration.answer(), impulses)
    }
}

impl<I: Iteration> ContactSolver for Followed<I> {
    fn method(&self) -> Method {
        self.method
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        self.method.only_defined(kind)?;
        self.method.only_isotropic(kind)?;
        self.iteration.supports(kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        self.solve_by(problem, impulses, ask, I::iterate)
    }
}
