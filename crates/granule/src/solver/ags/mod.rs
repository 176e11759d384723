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
//! - **Momentum** ([`momentum`]): β = 0.95 at first, Nesterov's β with restarts below 1e-4. From the last step's impulses it
//!   grows as Nesterov's does from rest: near a solution a large β raises the error at first. Sweeps go always in the same
//!   order: momentum diverges with sweeps forwards and backwards in turns.
//! - **Shrinking** ([`passive`]): contacts that carry nothing and want nothing are only looked at now
//!   and then. The certificate at the end is over all contacts.
//! - **Several at a time** ([`batches`], [`precision`]): eight in single precision, four in double.
//! - **By blocks of bodies** ([`partition`]), which threads share.
//! - **The start** is thrown away where it would give energy to the bodies: ½ λ·W λ + b·λ above zero, which is what no
//!   impulses have. Its error says little: near zero the error of a deep pile is small, and far from the end.
//!
//! **Exact friction** has sweeps of two kinds ([`momentum::Slip`]): with `w + s n` in place of w,
//! where s follows de Saxcé's `μ |w_T|` by a share of the difference each time a contact is visited,
//! and β = 0.85; and with each contact's own exact solution, and β = 0.7 or none. A solve starts with
//! the first kind, a share of a half, and a β that grows from rest. Later the kinds take turns, each until it has not
//! gained a tenth for long: what one kind does not solve the other often does. Neither is the minimisation of a function,
//! and where grains flow there may be directions in which any such iteration is driven away from a solution.
//!
//! Where the flow is skewed, alike in all directions, s follows `(μ - tan ψ) |w_T|` in sweeps of the first kind.
//!
//! Which contacts are swept one after the other follows from the problem alone, so that the number of threads changes no
//! bit.

mod batches;
mod block_sweep;
mod cone_kernel;
mod cone_sweep;
mod momentum;
mod partition;
mod passive;
mod plain_sweep;
mod precision;
mod survey;
#[cfg(test)]
mod tests;
mod visit;

use super::monitor::{AtZero, GAIN, Iteration, Monitor, REFRESH, StepSums};
use super::tuning::ags as tuning;
use super::{Ask, Start, Status, Stop};
use crate::certify::Certificate;
use crate::law::Flow;
use crate::problem::ContactProblem;
use cone_sweep::{ConeSweep, has_cones};
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
}

/// Sweeps over the contacts of a problem, which is the same in all calls after `prepare`.
trait ProblemSweeps {
    /// Takes a problem and a start, to be swept in single precision if that is wanted and there is such a way.
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], single: bool) -> AtZero;

    /// One sweep from y = λ + β (λ - λ before).
    fn sweep(&mut self, problem: &ContactProblem, pace: Pace) -> StepSums;

    /// Computes the velocities anew, without what rounding has added to them.
    fn refresh(&mut self, problem: &ContactProblem);

    /// After a sweep, while the velocities are those of λ: `rebuild` where all is to be made anew.
    fn maintain(&mut self, problem: &ContactProblem, sweep: usize, rebuild: bool);

    /// ½ λ·W λ + b·λ of the start, J: zero for no impulses, and below where impulses take out energy.
    fn start_energy(&self, problem: &ContactProblem) -> f64;

    /// Whether contacts are swept in single precision.
    fn is_in_single(&self) -> bool {
        false
    }

    /// Sweeps in double precision from now on.
    fn go_on_in_double(&mut self, _problem: &ContactProblem) {}

    /// Writes λ into memory of the same length or none, and gives it.
    fn write_impulses<'t>(&mut self, to: &'t mut Vec<f64>, problem: &ContactProblem) -> &'t [f64];
}

impl Ags {
    pub(super) fn new(stop: Stop) -> Self {
        Self {
            plainly: stop == Stop::Paper,
            cones: ConeSweep::default(),
            plain: PlainSweep::default(),
            answer: Vec::new(),
        }
    }

    /// The solver, for others that sweep with it.
    #[cfg(feature = "second-order")]
    pub(super) fn followed(stop: Stop) -> super::monitor::Followed<Self> {
        super::monitor::Followed::new(super::Method::Ags, stop, Self::new(stop))
    }

    /// The sweeps for a problem.
    fn sweeps(&mut self, problem: &ContactProblem) -> (&mut dyn ProblemSweeps, &mut Vec<f64>) {
        let by_cones = !self.plainly && has_cones(problem);
        let sweeps: &mut dyn ProblemSweeps = match by_cones {
            true => &mut self.cones,
            false => &mut self.plain,
        };
        (sweeps, &mut self.answer)
    }
}

/// Follows sweeps in single precision, until they have done what they can.
struct SinglePrecision {
    smallest: f64,
    /// Sweeps since the smallest error was last lowered by a tenth.
    flat: usize,
    /// How often what they took for the end was not.
    failed: usize,
}

impl Default for SinglePrecision {
    fn default() -> Self {
        Self {
            smallest: f64::INFINITY,
            flat: 0,
            failed: 0,
        }
    }
}

impl SinglePrecision {
    /// Whether rounding may be what keeps the error up, after a sweep that ended in a judgement or did not.
    fn is_exhausted(&mut self, judged: bool, estimate: f64) -> bool {
        self.failed += usize::from(judged);
        self.flat += 1;
        if estimate < 0.9 * self.smallest {
            self.smallest = estimate;
            self.flat = 0;
        }
        estimate < tuning::SINGLE_END
            || self.flat > tuning::SINGLE_FLAT
            || self.failed > tuning::SINGLE_FAILURES
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
    let exact = problem.flow != Flow::Associated && problem.rows() > 1;
    // From zero a large β does no harm. With slow starts in double precision a box with friction of rolling stayed too
    // deep, and a chain held by strong glue moved a fifth faster than its errors should let it.
    let warm = start.iter().any(|impulse| *impulse != 0.0);
    let slowly = sweeps.is_in_single() && problem.shift.along.is_empty() && (exact || warm);
    let mut momentum = Momentum::new(exact, slowly);
    let mut pace = momentum.first();
    let mut rebuild = tuning::FIRST_REBUILD;
    let mut single = SinglePrecision::default();
    // Impulses that give energy are worse than none.
    let start_energy = sweeps.start_energy(problem);
    loop {
        let sums = sweeps.sweep(problem, pace);
        monitor.applications += 1;
        let mut estimate = monitor.estimate(&sums, GAIN);
        if monitor.ask.limits.scaled < tuning::TIGHT {
            estimate.both = estimate.impulses;
        }
        let sweep = monitor.iterations + 1;
        if let Some(end) = monitor.accepts_start(start, estimate) {
            return end;
        }
        if sweep == 1 && monitor.ask.start == Start::Guess && start_energy > 0.0 {
            answer.clear();
            answer.resize(problem.len(), 0.0);
            problem.shift_impulses(answer);
            let single = sweeps.is_in_single();
            sweeps.prepare(problem, answer, single);
        }
        sweeps.maintain(problem, sweep, sweep == rebuild);
        if sweep == rebuild {
            rebuild = (tuning::REBUILD_FACTOR * sweep).min(sweep + REFRESH);
        }
        let end = monitor.after_step(|| sweeps.write_impulses(answer, problem), &sums, estimate);
        if let Some(end) = end {
            return end;
        }
        let stays =
            sweeps.is_in_single() && !single.is_exhausted(monitor.judged, estimate.impulses);
        if sweeps.is_in_single() && !stays {
            sweeps.go_on_in_double(problem);
        } else if monitor.judged || sums.change == 0.0 {
            // What the sweeps take for the end is not: rounding may have gathered in the velocities.
            sweeps.refresh(problem);
        }
        pace = momentum.advance(&sums, estimate.impulses);
    }
}

impl Iteration for Ags {
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], ask: &Ask) -> AtZero {
        let single = ask.limits.scaled >= tuning::SINGLE;
        self.sweeps(problem).0.prepare(problem, start, single)
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        let (sweeps, answer) = self.sweeps(monitor.problem);
        let end = iterate(sweeps, start, answer, monitor);
        sweeps.write_impulses(answer, monitor.problem);
        end
    }

    fn answer(&mut self) -> &[f64] {
        &self.answer
    }
}
