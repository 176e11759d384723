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
//! the test is `d·W d > L ‖d‖²_{S⁻¹}` with d = λ⁺ - y, free of cancellation. The product W d then
//! also gives the next gradient, because W is linear: an iteration costs one product for each step
//! tried, not two.

use super::gradient::{GradientWorkspace, Metric, StepContext, block};
use super::monitor::{Monitor, StepSums};
use super::{ContactSolver, Incompatible, Method, Scaling, SolveReport, SolverConfig, Status};
use crate::certify::Certificate;
use crate::parallel::{self, CONTACT_CHUNK};
use crate::problem::{ContactProblem, ProblemKind};

/// Doublings of L in one iteration.
const MAX_DOUBLINGS: usize = 10;
/// L is multiplied by this at the end of each iteration.
const RELAXATION: f64 = 0.97;
/// Iterations after which W λ and W λ⁺ are computed anew, so that rounding in their recurrence
/// cannot add up. Both: renewing one alone would leave their difference wrong, and the momentum
/// would carry it on and multiply it until the next renewal.
const REFRESH: usize = 50;

/// The solvers `apgd`, `apgd-as`, `apgd-ar` and `apgd-asr`.
pub(super) struct Apgd {
    config: SolverConfig,
    workspace: GradientWorkspace,
    adaptive: AdaptiveWorkspace,
}

/// Memory for the adaptive step only.
#[derive(Debug, Default)]
struct AdaptiveWorkspace {
    /// W λ.
    image: Vec<f64>,
    /// W y.
    image_at: Vec<f64>,
    /// d = λ⁺ - y.
    moved: Vec<f64>,
    /// W d, then W λ⁺.
    image_moved: Vec<f64>,
    /// (d·W d, ‖d‖²_{S⁻¹}) of each chunk.
    curvature: Vec<[f64; 2]>,
}

/// θ and β of the acceleration.
struct Momentum {
    theta: f64,
}

impl Momentum {
    fn new() -> Self {
        Self { theta: 1.0 }
    }

    /// β for the step just taken, with θ advanced.
    fn advance(&mut self) -> f64 {
        let theta = self.theta;
        let next = 0.5 * (theta * (4.0 + theta * theta).sqrt() - theta * theta);
        self.theta = next;
        theta * (1.0 - theta) / (theta * theta + next)
    }

    fn restart(&mut self) -> f64 {
        self.theta = 1.0;
        0.0
    }
}

impl Apgd {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self {
            config,
            workspace: GradientWorkspace::default(),
            adaptive: AdaptiveWorkspace::default(),
        }
    }

    fn restarts(&self) -> bool {
        matches!(self.config.method, Method::ApgdAr | Method::ApgdAsr)
    }

    fn adapts(&self) -> bool {
        matches!(self.config.method, Method::ApgdAs | Method::ApgdAsr)
    }

    fn fixed_step(&mut self, monitor: &mut Monitor, metric: &Metric) -> (Status, Certificate) {
        let restarts = self.restarts();
        let space = &mut self.workspace;
        let problem = monitor.problem();
        let mut momentum = Momentum::new();
        loop {
            let context = StepContext {
                problem,
                rho: &space.rho,
                scaling: metric.scaling,
                step: metric.step,
                at: &space.extrapolated,
                current: &space.current,
            };
            problem.delassus.apply_map(
                &space.extrapolated,
                &mut space.scratch,
                &mut space.next,
                &mut space.partials,
                |chunk, out| context.step_chunk(chunk, out),
            );
            monitor.applications += 1;
            let sums = space.sums();
            let estimate = monitor.estimate(&sums, metric.step);
            if monitor.iterations == 0
                && let Some(certificate) = monitor.accepts_start(&space.current, estimate)
            {
                return (Status::Converged, certificate);
            }
            let uphill = restarts && sums.uphill > 0.0;
            let beta = if uphill { momentum.restart() } else { momentum.advance() };
            extrapolate(&mut space.extrapolated, &space.next, &space.current, beta);
            std::mem::swap(&mut space.current, &mut space.next);
            if let Some(end) = monitor.after_iteration(&space.current, &sums, estimate) {
                return end;
            }
        }
    }

    fn adaptive_step(&mut self, monitor: &mut Monitor, metric: &Metric) -> (Status, Certificate) {
        let restarts = self.restarts();
        let problem = monitor.problem();
        let delassus = &problem.delassus;
        let space = &mut self.workspace;
        let images = &mut self.adaptive;
        images.prepare(problem);
        let mut momentum = Momentum::new();
        let mut lipschitz = 1.0 / metric.step;
        delassus.apply(&space.current, &mut space.scratch, &mut images.image);
        monitor.applications += 1;
        images.image_at.copy_from_slice(&images.image);
        loop {
            let mut sums = StepSums::default();
            for doubling in 0..=MAX_DOUBLINGS {
                let context = StepContext {
                    problem,
                    rho: &space.rho,
                    scaling: metric.scaling,
                    step: 1.0 / lipschitz,
                    at: &space.extrapolated,
                    current: &space.current,
                };
                sums = images.try_step(&context, &mut space.next, &mut space.partials);
                if monitor.iterations == 0 && doubling == 0 {
                    let estimate = monitor.estimate(&sums, 1.0 / lipschitz);
                    if let Some(certificate) = monitor.accepts_start(&space.current, estimate) {
                        return (Status::Converged, certificate);
                    }
                }
                let AdaptiveWorkspace { moved, image_moved, curvature, .. } = images;
                delassus.apply_map(
                    moved,
                    &mut space.scratch,
                    image_moved,
                    curvature,
                    |chunk, out| context.curvature(chunk, moved, out),
                );
                monitor.applications += 1;
                let [bend, length] = images.curvature();
                if bend <= lipschitz * length || doubling == MAX_DOUBLINGS {
                    break;
                }
                lipschitz *= 2.0;
            }
            let estimate = monitor.estimate(&sums, 1.0 / lipschitz);
            lipschitz *= RELAXATION;
            let uphill = restarts && sums.uphill > 0.0;
            let beta = if uphill { momentum.restart() } else { momentum.advance() };
            // W λ⁺ = W y + W d, and W y⁺ follows like y⁺.
            add(&mut images.image_moved, &images.image_at);
            if monitor.iterations % REFRESH == REFRESH - 1 {
                delassus.apply(&space.next, &mut space.scratch, &mut images.image_moved);
                delassus.apply(&space.current, &mut space.scratch, &mut images.image);
                monitor.applications += 2;
            }
            extrapolate(&mut space.extrapolated, &space.next, &space.current, beta);
            extrapolate(&mut images.image_at, &images.image_moved, &images.image, beta);
            std::mem::swap(&mut space.current, &mut space.next);
            std::mem::swap(&mut images.image, &mut images.image_moved);
            if let Some(end) = monitor.after_iteration(&space.current, &sums, estimate) {
                return end;
            }
        }
    }
}

impl AdaptiveWorkspace {
    fn prepare(&mut self, problem: &ContactProblem) {
        for list in
            [&mut self.image, &mut self.image_at, &mut self.moved, &mut self.image_moved]
        {
            list.clear();
            list.resize(problem.len(), 0.0);
        }
        self.curvature.clear();
        self.curvature.resize(problem.delassus.chunk_count(), [0.0; 2]);
    }

    /// z and d = z - y for the step of `context`.
    fn try_step(
        &mut self,
        context: &StepContext,
        next: &mut [f64],
        partials: &mut [StepSums],
    ) -> StepSums {
        let size = CONTACT_CHUNK * context.problem.rows();
        let image_at = &self.image_at;
        parallel::chunks_map2(next, &mut self.moved, size, partials, |chunk, z, moved| {
            z.copy_from_slice(&image_at[chunk * size..][..z.len()]);
            let sums = context.step_chunk(chunk, z);
            let at = &context.at[chunk * size..][..z.len()];
            for ((d, z), y) in moved.iter_mut().zip(z).zip(at) {
                *d = *z - y;
            }
            sums
        });
        partials.iter().fold(StepSums::default(), |sum, next| sum.merge(*next))
    }

    fn curvature(&self) -> [f64; 2] {
        self.curvature.iter().fold([0.0; 2], |sum, next| [sum[0] + next[0], sum[1] + next[1]])
    }
}

impl StepContext<'_> {
    /// (d·W d, ‖d‖²_{S⁻¹}) of a chunk, given W d.
    fn curvature(&self, chunk: usize, moved: &[f64], image: &[f64]) -> [f64; 2] {
        let rows = self.problem.rows();
        let first = chunk * CONTACT_CHUNK;
        let moved = &moved[first * rows..][..image.len()];
        let mut sum = [0.0; 2];
        for (offset, (d, w)) in moved.chunks_exact(rows).zip(image.chunks_exact(rows)).enumerate() {
            let sigma = match self.scaling {
                Scaling::Diagonal => self.rho[first + offset],
                Scaling::None => 1.0,
            };
            if rows == 1 {
                sum[0] += d[0] * w[0];
                sum[1] += d[0] * d[0] / sigma;
            } else {
                let d = block(d);
                sum[0] += d.dot(block(w));
                sum[1] += d.length_squared() / sigma;
            }
        }
        sum
    }
}

/// `target = next + β (next - current)`.
fn extrapolate(target: &mut [f64], next: &[f64], current: &[f64], beta: f64) {
    const SIZE: usize = 4 * CONTACT_CHUNK;
    parallel::chunks_mut(target, SIZE, |chunk, target| {
        let range = chunk * SIZE..chunk * SIZE + target.len();
        let (next, current) = (&next[range.clone()], &current[range]);
        for ((y, z), x) in target.iter_mut().zip(next).zip(current) {
            *y = z + beta * (z - x);
        }
    });
}

/// `target += other`.
fn add(target: &mut [f64], other: &[f64]) {
    const SIZE: usize = 4 * CONTACT_CHUNK;
    parallel::chunks_mut(target, SIZE, |chunk, target| {
        let other = &other[chunk * SIZE..][..target.len()];
        target.iter_mut().zip(other).for_each(|(x, y)| *x += y);
    });
}

impl ContactSolver for Apgd {
    fn method(&self) -> Method {
        self.config.method
    }

    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        // Every set has a projection, and that is all the method needs.
        Ok(())
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64]) -> SolveReport {
        let config = self.config;
        let metric = self.workspace.prepare(problem, &config, impulses);
        let mut certifier = std::mem::take(&mut self.workspace.certifier);
        let mut monitor = Monitor::new(problem, &config, &mut certifier, metric.error_at_zero);
        let (status, certificate) = if self.adapts() {
            self.adaptive_step(&mut monitor, &metric)
        } else {
            self.fixed_step(&mut monitor, &metric)
        };
        let report = monitor.report(status, certificate);
        self.workspace.certifier = certifier;
        if status != Status::NumericalFailure {
            impulses.copy_from_slice(&self.workspace.current);
        }
        report
    }
}
