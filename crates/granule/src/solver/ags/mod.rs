//! Accelerated Gauss-Seidel: contact after contact, each solved for the velocities that the others
//! before it have left, with momentum over the sweeps.
//!
//! ```text
//! y = λ + β (λ - λ_before)
//! for each contact k in order:   w_k = (W z + b)_k with z_j = λ⁺_j for j < k, y_j otherwise
//!                                λ⁺_k = argmin over K of ½ |λ - y_k|²_{W_kk} + w_k·λ
//! ```
//!
//! *Ours*; no proof of convergence is known for momentum over forward sweeps. W is linear, so the
//! velocities of y follow from those of λ without a product.
//!
//! - **One contact** is solved exactly where W_kk is a multiple of the identity along the normal and
//!   across it (spheres, disks, also where contacts give): the projection of y_k - W_kk⁻¹ w_k onto K in that
//!   metric.
//! - **Momentum** ([`momentum`]): β = 0.95 at first, Nesterov's β with restarts below 1e-4. Sweeps go always in
//!   the same order: momentum diverges with sweeps forwards and backwards in turns.
//! - **Shrinking** ([`cone_sweep`]): contacts that carry nothing and want nothing are only looked at now
//!   and then. The certificate at the end is over all contacts.
//! - **Four at a time** ([`batches`]), without changing the order of what depends on each other.
//!
//! **Exact friction** has sweeps of two kinds ([`momentum::Slip`]): with `w + s n` in place of w,
//! where s follows de Saxcé's `μ |w_T|` by a share of the difference each time a contact is visited,
//! and β = 0.85; and with each contact's own exact solution, and β = 0.7 or none. A solve starts with
//! the first kind and a share of a half; later the kinds take turns, each until it has not gained a tenth
//! for long: what one kind does not solve the other often does. Neither is the minimisation of a function,
//! and where grains flow there may be directions in which any such iteration is driven away from a solution.
//!
//! Where the flow is skewed, alike in all directions, s follows `(μ - tan ψ) |w_T|` in sweeps of the first kind.
//!
//! Sweeps run in one thread, so that the number of threads changes no bit.

mod batches;
mod block_sweep;
mod cone_kernel;
mod cone_sweep;
mod momentum;
mod plain_sweep;
#[cfg(test)]
mod tests;
mod visit;

use super::monitor::{AtZero, GAIN, Iteration, Monitor, REFRESH, StepSums};
use super::tuning::ags as tuning;
use super::{Status, Stop};
use crate::certify::Certificate;
use crate::law::Flow;
use crate::problem::ContactProblem;
use cone_sweep::{ConeSweep, cones_in_space};
use momentum::Momentum;
pub(super) use momentum::{Pace, Slip};
use plain_sweep::PlainSweep;

/// The solver `ags`.
pub(super) struct Ags {
    /// Whether contacts are visited one at a time and all of them: what the test of a paper is about.
    plainly: bool,
    cones: ConeSweep,
    plain: PlainSweep,
    answer: Vec<f64>,
    rho: Vec<f64>,
}

/// Sweeps over the contacts of a problem, which is the same in all calls after `prepare`.
trait ProblemSweeps {
    /// Takes a problem and a start.
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64]);

    /// One sweep from y = λ + β (λ - λ before).
    fn sweep(&mut self, problem: &ContactProblem, pace: Pace) -> StepSums;

    /// The velocities of y = λ + β (λ - λ before) from those of λ.
    fn extrapolate(&mut self, beta: f64);

    /// Computes the velocities anew, without what rounding has added to them.
    fn refresh(&mut self, problem: &ContactProblem);

    /// After a sweep, while the velocities are those of λ: `rebuild` where all is to be made anew.
    fn maintain(&mut self, problem: &ContactProblem, sweep: usize, rebuild: bool);

    /// Writes λ into memory of the same length or none, and gives it.
    fn write_impulses<'t>(&mut self, to: &'t mut Vec<f64>) -> &'t [f64];
}

impl Ags {
    pub(super) fn new(stop: Stop) -> Self {
        Self {
            plainly: stop == Stop::Paper,
            cones: ConeSweep::default(),
            plain: PlainSweep::default(),
            answer: Vec::new(),
            rho: Vec::new(),
        }
    }

    /// The solver, for others that sweep with it.
    #[cfg(feature = "second-order")]
    pub(super) fn followed(stop: Stop) -> super::monitor::Followed<Self> {
        super::monitor::Followed::new(super::Method::Ags, stop, Self::new(stop))
    }

    /// The sweeps for a problem.
    fn sweeps(&mut self, problem: &ContactProblem) -> (&mut dyn ProblemSweeps, &mut Vec<f64>) {
        let by_cones = !self.plainly && cones_in_space(problem);
        let sweeps: &mut dyn ProblemSweeps = match by_cones {
            true => &mut self.cones,
            false => &mut self.plain,
        };
        (sweeps, &mut self.answer)
    }
}

/// Sweeps to the end; `start` is what they started from. If that passes, no iteration is counted.
fn iterate(
    sweeps: &mut dyn ProblemSweeps,
    start: &[f64],
    answer: &mut Vec<f64>,
    monitor: &mut Monitor,
) -> (Status, Certificate) {
    let problem = monitor.problem;
    let mut momentum = Momentum::new(problem.flow != Flow::Associated && problem.rows() > 1);
    let mut pace = momentum.first();
    let mut rebuild = tuning::FIRST_REBUILD;
    loop {
        let sums = sweeps.sweep(problem, pace);
        monitor.applications += 1;
        let estimate = monitor.estimate(&sums, GAIN);
        let sweep = monitor.iterations + 1;
        if let Some(end) = monitor.accepts_start(start, estimate) {
            return end;
        }
        if sweep == 1 && monitor.worse_than_nothing(&sums) {
            answer.clear();
            answer.resize(problem.len(), 0.0);
            problem.shift_impulses(answer);
            sweeps.prepare(problem, answer);
        }
        sweeps.maintain(problem, sweep, sweep == rebuild);
        if sweep == rebuild {
            rebuild = (tuning::REBUILD_FACTOR * sweep).min(sweep + REFRESH);
        }
        let end = monitor.after_step(|| sweeps.write_impulses(answer), &sums, estimate);
        if let Some(end) = end {
            return end;
        }
        // What the sweeps take for the end is not: rounding may have gathered in the velocities.
        if monitor.judged || sums.change == 0.0 {
            sweeps.refresh(problem);
        }
        pace = momentum.advance(&sums, estimate);
        sweeps.extrapolate(pace.beta);
    }
}

impl Iteration for Ags {
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) -> AtZero {
        self.sweeps(problem).0.prepare(problem, start);
        AtZero::of(problem, &mut self.rho)
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        let (sweeps, answer) = self.sweeps(monitor.problem);
        let end = iterate(sweeps, start, answer, monitor);
        sweeps.write_impulses(answer);
        end
    }

    fn answer(&mut self) -> &[f64] {
        &self.answer
    }
}
