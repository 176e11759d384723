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
//!   across it (spheres, disks): the projection of y_k - W_kk⁻¹ w_k onto K in that metric.
//! - **Momentum** ([`momentum`]): β = 0.95 at first, Nesterov's β with restarts below 1e-4. One of the
//!   restarts ends what momentum itself keeps up: the error of a blade's steps in a trench of 105 144
//!   spheres stayed at 3e-5 for thousands of sweeps, and 1e-5 took 6600 a step; with it the first four take
//!   360 to 990. (Tried: after 60 to 400 flat sweeps, always as many or growing. Few sweeps, always, cost
//!   up to nine times more to 1e-5 m/s on piles.) On the
//!   settled packing of the README beside this folder 1e-6 takes half the sweeps that the best gradient
//!   method needs products. Sweeps go always in the same order: in prototypes momentum diverged with
//!   sweeps forwards and backwards in turns, and symmetric pairs gained nothing for twice the work.
//! - **Shrinking** ([`cone_sweep`]): contacts that carry nothing and want nothing are only looked at now
//!   and then. The certificate at the end is over all contacts.
//! - **Four at a time** ([`batches`]), without changing the order of what depends on each other.
//!
//! **Exact friction** has sweeps of two kinds ([`momentum::Slip`]): with `w + s n` in place of w,
//! where s follows de Saxcé's `μ |w_T|` by a share of the difference each time a contact is visited,
//! and β = 0.85; and with each contact's own exact solution, and β = 0.7 or none. A solve starts with
//! the first kind and a share of a half. When that has not gained a tenth for 300 sweeps it is a
//! quarter, and from then on the kinds take turns, each until 800 sweeps have not gained a tenth:
//! what stays above 1e-5 for thousands of sweeps of one kind is often solved by the other. (Of
//! thirteen stored problems that were hard for the first kind, turns of fixed lengths solved seven to
//! ten to 1e-5 in 6000 sweeps; turns by gain solved all ten that were tried, in up to 14 200. A half
//! instead of a quarter at the start saves 4 to 12 % of the sweeps to 1e-4 over whole runs of a box
//! of 1728 and one of 8000 spheres.) But neither is the minimisation of a function, and where grains
//! flow the linear problem behind it has directions in which any such iteration can be driven away
//! from a solution: the matrix of sticking and sliding contacts had two eigenvalues with negative
//! real parts, of 2393, in one of three hard problems with 512 spheres, and two or three zeros in
//! each (a sphere that sticks to two walls, whose impulses drift until one contact slides). The error
//! then wanders between 1e-6 and 3e-5. Tried and no better: slower slip, slip that is left alone for
//! five to twenty sweeps, more or less momentum, relaxation, averages, Anderson's acceleration, and
//! Newton's method on proximal steps.
//!
//! Sweeps run in one thread, so that the number of threads changes no bit.

mod batches;
mod block_sweep;
mod cone_sweep;
mod momentum;
mod plain_sweep;
mod visit;

use super::monitor::{AtZero, Iteration, Monitor, StepSums};
use super::{Incompatible, SolverConfig, Status, Stop, gradient};
use crate::certify::Certificate;
use crate::law::Flow;
use crate::problem::{ContactProblem, Delassus, MatrixFree, ProblemKind, Sets};
use cone_sweep::ConeSweep;
use momentum::{Momentum, Pace};
use plain_sweep::PlainSweep;

/// The passive contacts are looked at after the first sweeps, and then each time so many more.
const FIRST_LOOKS: usize = 3;
const LOOK: usize = 10;
/// The first sweep after which the lists are made anew, and the factor to the next.
const FIRST_REBUILD: usize = 12;
const REBUILD_FACTOR: usize = 3;
/// Sweeps after which velocities are computed anew from impulses at the latest.
const REFRESH: usize = 300;
/// A sweep estimates the error before it; that after it is smaller.
const GAIN: f64 = 1.3;

/// The solver `ags`.
pub(super) struct Ags {
    /// Whether sweeps are as the paper of the test prints them, one contact at a time.
    plainly: bool,
    cones: ConeSweep,
    plain: PlainSweep,
    answer: Vec<f64>,
    rho: Vec<f64>,
}

/// Sweeps over one problem.
enum Sweeps<'a> {
    Cones(&'a mut ConeSweep, &'a MatrixFree),
    Plain(&'a mut PlainSweep),
}

impl Sweeps<'_> {
    /// Takes a problem and a start.
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) {
        match self {
            Self::Cones(cones, operator) => cones.prepare(problem, operator, start),
            Self::Plain(plain) => plain.prepare(problem, start),
        }
    }

    fn sweep(&mut self, problem: &ContactProblem, pace: Pace) -> StepSums {
        match self {
            Self::Cones(cones, operator) => cones.sweep(problem, operator, pace),
            Self::Plain(plain) => plain.sweep(problem, pace),
        }
    }

    fn extrapolate(&mut self, beta: f64) {
        match self {
            Self::Cones(cones, _) => cones.extrapolate(beta),
            Self::Plain(plain) => plain.extrapolate(beta),
        }
    }

    /// Between sweeps, while the velocities are those of λ.
    fn maintain(&mut self, problem: &ContactProblem, sweep: usize, rebuild: &mut usize) {
        let due = sweep == *rebuild;
        if due {
            *rebuild = (REBUILD_FACTOR * sweep).min(sweep + REFRESH);
        }
        match self {
            Self::Cones(cones, operator) => {
                if due {
                    cones.rebuild(problem, operator);
                }
                if sweep <= FIRST_LOOKS || sweep.is_multiple_of(LOOK) {
                    cones.wake(problem, &operator.space);
                }
            }
            Self::Plain(plain) => {
                if due {
                    plain.refresh(problem);
                }
            }
        }
    }

    /// Computes the velocities anew from the impulses.
    fn refresh(&mut self, problem: &ContactProblem) {
        match self {
            Self::Cones(cones, operator) => cones.refresh(operator),
            Self::Plain(plain) => plain.refresh(problem),
        }
    }

    /// Writes the impulses into memory of the same length or none.
    fn write_impulses(&mut self, to: &mut Vec<f64>) {
        match self {
            Self::Cones(cones, _) => cones.impulses(to),
            Self::Plain(plain) => {
                to.clear();
                to.extend_from_slice(plain.impulses());
            }
        }
    }

    fn impulses<'s>(&'s mut self, buffer: &'s mut Vec<f64>) -> &'s [f64] {
        match self {
            Self::Cones(cones, _) => {
                cones.impulses(buffer);
                buffer
            }
            Self::Plain(plain) => plain.impulses(),
        }
    }
}

impl Ags {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self {
            plainly: config.stop == Stop::Paper,
            cones: ConeSweep::default(),
            plain: PlainSweep::default(),
            answer: Vec::new(),
            rho: Vec::new(),
        }
    }

    /// The sweeps for a problem.
    fn sweeps<'a>(&'a mut self, problem: &'a ContactProblem) -> (Sweeps<'a>, &'a mut Vec<f64>) {
        let sweeps = match (&problem.delassus, &problem.sets) {
            (Delassus::MatrixFree(operator), Sets::Cone(_))
                if operator.space.rows == 3
                    && !self.plainly
                    && operator.space.compliance.is_empty() =>
            {
                Sweeps::Cones(&mut self.cones, operator)
            }
            _ => Sweeps::Plain(&mut self.plain),
        };
        (sweeps, &mut self.answer)
    }
}

/// Sweeps to the end; `start` is what they started from. If that passes, no iteration is counted.
fn iterate(
    sweeps: &mut Sweeps,
    start: &[f64],
    answer: &mut Vec<f64>,
    monitor: &mut Monitor,
) -> (Status, Certificate) {
    let problem = monitor.problem();
    let mut momentum = Momentum::new(problem.flow == Flow::Exact && problem.rows() > 1);
    let mut pace = momentum.first();
    let mut rebuild = FIRST_REBUILD;
    loop {
        let sums = sweeps.sweep(problem, pace);
        monitor.applications += 1;
        let estimate = monitor.estimate(&sums, GAIN);
        let sweep = monitor.iterations + 1;
        if sweep == 1
            && let Some(certificate) = monitor.accepts_start(start, estimate)
        {
            return (Status::Converged, certificate);
        }
        if sweep == 1 && monitor.worse_than_nothing(&sums) {
            answer.clear();
            answer.resize(problem.len(), 0.0);
            sweeps.prepare(problem, answer);
        }
        sweeps.maintain(problem, sweep, &mut rebuild);
        let paper_error = monitor.bloch_error(&sums);
        let end = monitor.after_iteration(|| sweeps.impulses(answer), &sums, estimate, paper_error);
        if let Some(end) = end {
            return end;
        }
        // What the sweeps take for the end is not: rounding may have gathered in the velocities.
        if monitor.judged() || sums.change == 0.0 {
            sweeps.refresh(problem);
        }
        pace = momentum.advance(&sums, estimate);
        sweeps.extrapolate(pace.beta);
    }
}

impl Iteration for Ags {
    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        // Every set has a projection, and that is all the method needs.
        Ok(())
    }

    fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) -> AtZero {
        self.sweeps(problem).0.prepare(problem, start);
        gradient::set_rho(problem, &mut self.rho);
        gradient::at_zero(problem, &self.rho)
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        let (mut sweeps, answer) = self.sweeps(monitor.problem());
        let end = iterate(&mut sweeps, start, answer, monitor);
        sweeps.write_impulses(answer);
        end
    }

    fn answer(&mut self) -> &[f64] {
        &self.answer
    }
}
