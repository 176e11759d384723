//! Nesterov's accelerated projected gradient, with adaptive step and restart as options.
//!
//! ```text
//! g = W y + b,   λ⁺ = P_K(y - τ S g)
//! θ⁺ = ½ (θ √(4 + θ²) - θ²),   β = θ (1 - θ)/(θ² + θ⁺)
//! y = λ⁺ + β (λ⁺ - λ)                                   [bloch2023, Algorithm 2]
//! ```
//!
//! **Restart** (AR): when `g·(λ⁺ - λ) > 0`, momentum goes uphill; θ = 1 *and* y = λ⁺ (the paper
//! prints only the first).
//!
//! **Adaptive step** (AS): τ = 1/L with L doubled (at most ten times) while
//! `f(λ⁺) > f(y) + g·(λ⁺ - y) + ½ L ‖λ⁺ - y‖²_{S⁻¹}` and multiplied by 0.97 at the end of each
//! iteration. *Deviations*: the paper compares with f(λ) instead of f(y); and since f is quadratic,
//! the test is `d·W d > L ‖d‖²_{S⁻¹}` with d = λ⁺ - y, free of cancellation. W is linear, so d·W d
//! follows from the images of λ⁺ and y, which are needed anyway: an iteration costs one product for
//! each step tried, not two.
//!
//! **Step when none is given** (`apgd`, `apgd-ar`): *ours*. The explicit bound of [maury2006,
//! Remark 8] is two to four times too careful in a packing. L follows the same measured curvature
//! `d·W d/‖d‖²_{S⁻¹}`, but without trying again: raised 5 % above it where it is exceeded, lowered
//! by half a percent otherwise. With restart the momentum follows the error too: β grows from 0.8 at
//! 2e-2 to 0.98 at 1e-6 (see [`scheduled_momentum`]), instead of from zero after each restart towards
//! one. That overshoots less where little accuracy is asked for: a quarter fewer iterations to 1e-4.
//!
//! **Exact friction** (all four): the step of [`super::gradient`] with the slip in it, a momentum that
//! backs off when the error stagnates ([`CautiousMomentum`]), and a restart when a step turns back on
//! the last one.
//!
//! Close to the limit of the arithmetic d is made of rounding, and so is its curvature: L is never
//! raised once it is above the explicit bound.

use super::gradient::GradientWorkspace;
use super::monitor::{AtZero, Iteration, Monitor};
use super::nesterov::Nesterov;
use super::tuning::apgd as tuning;
use super::{Ask, Gradient, Method, Status, Stop};
use crate::certify::Certificate;
use crate::law::Flow;
use crate::problem::{ContactProblem, Delassus};

/// Doublings of L in one iteration of the adaptive step.
const MAX_DOUBLINGS: usize = 10;
/// The adaptive step multiplies L by this at the end of each iteration.
const RELAXATION: f64 = 0.97;

/// The solvers `apgd`, `apgd-as`, `apgd-ar` and `apgd-asr`.
pub(super) struct Apgd {
    method: Method,
    settings: Gradient,
    workspace: GradientWorkspace,
}

/// β for the smallest error so far (relative, as the certificate's): *ours*.
fn scheduled_momentum(error: f64, friction: bool) -> f64 {
    let (gap, power) = match friction {
        true => tuning::SCHEDULE_WITH_FRICTION,
        false => tuning::SCHEDULE,
    };
    (1.0 - gap * (error / 1e-3).powf(power)).max(0.5)
}

/// The momentum for exact friction: *ours*. The problem is no longer the minimum of a function, and
/// momentum beyond some problem-dependent limit makes it circle, and so does a slip that follows too
/// fast. So when the error has not fallen by 30 % in a hundred iterations, 1 - β grows by half and the
/// slip follows more slowly; when it has within sixty, both go the other way.
struct CautiousMomentum {
    /// 1 - β.
    gap: f64,
    /// How much of its new value the slip takes on in an iteration.
    share: f64,
    /// The error to improve on, and the iteration it was seen at.
    mark: (f64, usize),
}

impl CautiousMomentum {
    const PATIENCE: usize = 100;

    fn new() -> Self {
        Self {
            gap: 0.05,
            share: tuning::SLIP_SHARE,
            mark: (f64::INFINITY, 0),
        }
    }

    fn advance(&mut self, error: f64, iteration: usize) -> f64 {
        let (mark, since) = self.mark;
        if error < 0.7 * mark {
            if iteration - since < 60 {
                self.gap = (0.8 * self.gap).max(0.02);
                self.share = (1.2 * self.share).min(tuning::SLIP_SHARE);
            }
            self.mark = (error, iteration);
        } else if iteration - since > Self::PATIENCE {
            self.gap = (1.5 * self.gap).min(0.5);
            self.share = (0.7 * self.share).max(0.1);
            self.mark = (error, iteration);
        }
        1.0 - self.gap
    }
}

/// How the step is chosen.
#[derive(Clone, Copy, PartialEq)]
enum StepRule {
    Fixed,
    Follow,
    Backtrack,
}

impl Apgd {
    pub(super) fn new(method: Method, stop: Stop, settings: Gradient) -> Self {
        Self {
            method,
            settings,
            workspace: GradientWorkspace::new(stop, settings.scaling),
        }
    }

    fn rule(&self) -> StepRule {
        match (self.method, self.settings.step) {
            (Method::ApgdAs | Method::ApgdAsr, _) => StepRule::Backtrack,
            (_, Some(_)) => StepRule::Fixed,
            (_, None) => StepRule::Follow,
        }
    }
}

impl Iteration for Apgd {
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], _: &Ask) -> AtZero {
        self.workspace.prepare(problem, start)
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        let rule = self.rule();
        let mut curvature = self.workspace.first_curvature(self.settings.step);
        // Above this a curvature can only have been measured by rounding.
        let bound = match rule {
            StepRule::Fixed => f64::INFINITY,
            StepRule::Follow | StepRule::Backtrack => {
                self.workspace.curvature_bound(monitor.problem)
            }
        };
        let restarts = matches!(self.method, Method::ApgdAr | Method::ApgdAsr);
        let space = &mut self.workspace;
        let problem = monitor.problem;
        let delassus = &problem.delassus;
        let mut momentum = Nesterov::under_way(1.0);
        let friction = problem.rows() > 1;
        let exact = friction && problem.flow != Flow::Associated;
        let mut cautious = CautiousMomentum::new();
        let (mut beta, mut smallest) = (0.0, 1.0f64);
        delassus.image(&space.current, &mut space.current_image);
        space
            .extrapolated_image
            .extrapolate(&space.current_image, &space.current_image, 0.0);
        loop {
            let mut step = 1.0 / curvature;
            let mut sums = space.step(problem, step, beta);
            monitor.applications += 1;
            let estimate = monitor.estimate(&sums, step);
            if let Some(end) = monitor.accepts_start(start, estimate) {
                return end;
            }
            if rule == StepRule::Backtrack {
                for doubling in 0..=MAX_DOUBLINGS {
                    delassus.image(&space.next, &mut space.next_image);
                    let along = space.curvature(problem, beta);
                    let exceeded = curvature < bound && along > curvature * sums.length_squared;
                    if !exceeded || doubling == MAX_DOUBLINGS {
                        break;
                    }
                    curvature *= 2.0;
                    step = 1.0 / curvature;
                    sums = space.step(problem, step, beta);
                    monitor.applications += 1;
                }
                curvature *= RELAXATION;
            }
            let uphill = (restarts || exact) && sums.uphill > 0.0;
            let estimate = monitor.estimate(&sums, step);
            smallest = estimate.impulses.min(smallest);
            let before = beta;
            beta = if uphill {
                momentum.restart()
            } else if exact {
                let beta = cautious.advance(estimate.impulses, monitor.iterations);
                space.slip_share = cautious.share;
                beta
            } else if restarts && rule == StepRule::Follow {
                scheduled_momentum(smallest, friction)
            } else {
                momentum.advance()
            };
            if rule == StepRule::Backtrack {
                let (next, current) = (&space.next_image, &space.current_image);
                space.extrapolated_image.extrapolate(next, current, beta);
            } else {
                let along = space.advance(problem, before, beta);
                if rule == StepRule::Follow {
                    let exceeded = curvature < bound && along > curvature * sums.length_squared;
                    curvature = if exceeded {
                        (1.05 * along / sums.length_squared).min(bound)
                    } else {
                        0.995 * curvature
                    };
                }
            }
            space.accept();
            if let Some(end) = monitor.after_step(|| &space.current, &sums, estimate) {
                return end;
            }
        }
    }

    fn answer(&mut self) -> &[f64] {
        &self.workspace.current
    }
}

impl GradientWorkspace {
    /// The image of λ⁺ and that of the next y; gives d·W d for d = λ⁺ - y with the y of now, whose
    /// momentum is `before`.
    fn advance(&mut self, problem: &ContactProblem, before: f64, beta: f64) -> f64 {
        let y_rows = (self.current.iter().zip(&self.before)).map(|(x, b)| x + before * (x - b));
        problem.delassus.advance_image(
            &self.next,
            beta,
            &self.current_image,
            [&mut self.next_image, &mut self.extrapolated_image],
            &mut self.scratch,
            |y| y.extend(y_rows),
        )
    }

    /// d·W d for d = λ⁺ - y.
    fn curvature(&mut self, problem: &ContactProblem, beta: f64) -> f64 {
        self.extrapolated.clear();
        if let Delassus::Assembled(_) = &problem.delassus {
            let pairs = self.current.iter().zip(&self.before);
            (self.extrapolated).extend(pairs.map(|(x, b)| x + beta * (x - b)));
        }
        problem.delassus.distance_squared(
            (&self.next, &self.next_image),
            (&self.extrapolated, &self.extrapolated_image),
            &mut self.scratch,
        )
    }
}
