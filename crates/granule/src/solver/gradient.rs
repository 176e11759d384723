//! What the projected-gradient methods share: the metric, the step bound and the step itself.
//!
//! They minimise `f(λ) = ½ λᵀWλ + bᵀλ` over K [bloch2023, §3.1.2] by steps
//! `z = P_K(y - τ S (W y + b))` with a diagonal metric S: the identity as the papers print it, or
//! `σ_k = ρ_k = 1/λ_max(W_kk)`, which takes mass ratios out of the problem. S is a multiple of the
//! identity within each contact, so the projection is the plain one.

use super::monitor::StepSums;
use super::{Scaling, SolverConfig};
use crate::certify::CertifyWorkspace;
use crate::math::DVec3;
use crate::parallel::CONTACT_CHUNK;
use crate::problem::{ContactProblem, DelassusScratch};

/// Scratch memory of the gradient methods.
#[derive(Debug, Default)]
pub(super) struct GradientWorkspace {
    pub(super) scratch: DelassusScratch,
    pub(super) certifier: CertifyWorkspace,
    /// ρ_k = 1/λ_max(W_kk), kg.
    pub(super) rho: Vec<f64>,
    pub(super) partials: Vec<StepSums>,
    /// λ.
    pub(super) current: Vec<f64>,
    /// λ⁺.
    pub(super) next: Vec<f64>,
    /// y.
    pub(super) extrapolated: Vec<f64>,
}

/// What is fixed during a solve.
pub(super) struct Metric {
    /// The step τ.
    pub(super) step: f64,
    /// ‖P_K(-ρ b)‖, N s.
    pub(super) error_at_zero: f64,
    pub(super) scaling: Scaling,
}

impl GradientWorkspace {
    /// Sizes the memory for a problem, and finds the metric and the step:
    /// `τ = 1/L` with the explicit bound L of [maury2006, Remark 8], or as configured.
    pub(super) fn prepare(
        &mut self,
        problem: &ContactProblem,
        config: &SolverConfig,
        start: &[f64],
    ) -> Metric {
        let contacts = problem.contact_count();
        self.rho.clear();
        self.rho.extend((0..contacts).map(|k| 1.0 / problem.delassus.largest_diagonal(k)));
        self.partials.clear();
        self.partials.resize(problem.delassus.chunk_count(), StepSums::default());
        for list in [&mut self.current, &mut self.next, &mut self.extrapolated] {
            list.clear();
            list.extend_from_slice(start);
        }
        let rho = &self.rho;
        let scaling = config.scaling;
        let step = config.step.unwrap_or_else(|| {
            let scale = |k: usize| match scaling {
                Scaling::Diagonal => rho[k],
                Scaling::None => 1.0,
            };
            1.0 / problem.delassus.spectral_bound(scale, &mut self.scratch)
        });
        let error_at_zero = error_at_zero(problem, rho);
        Metric { step, error_at_zero, scaling }
    }

    /// Sums of the last pass, in the order of chunks.
    pub(super) fn sums(&self) -> StepSums {
        self.partials.iter().fold(StepSums::default(), |sum, next| sum.merge(*next))
    }
}

/// ‖P_K(-ρ b)‖: what doing nothing leaves, N s.
fn error_at_zero(problem: &ContactProblem, rho: &[f64]) -> f64 {
    let rows = problem.rows();
    let mut sum = 0.0;
    for (k, (b, rho)) in problem.bias.chunks_exact(rows).zip(rho).enumerate() {
        sum += if rows == 1 {
            problem.set.project_scalar(-rho * b[0]).powi(2)
        } else {
            problem.set.project(-*rho * block(b), problem.delassus.normal(k)).length_squared()
        };
    }
    sum.sqrt()
}

/// A contact's rows as a vector.
#[inline(always)]
pub(super) fn block(rows: &[f64]) -> DVec3 {
    DVec3::new(rows[0], rows[1], if rows.len() == 3 { rows[2] } else { 0.0 })
}

/// Where a gradient step is taken.
pub(super) struct StepContext<'a> {
    pub(super) problem: &'a ContactProblem,
    pub(super) rho: &'a [f64],
    pub(super) scaling: Scaling,
    /// τ.
    pub(super) step: f64,
    /// y, where the gradient is.
    pub(super) at: &'a [f64],
    /// λ, for the restart test and the paper's stopping test.
    pub(super) current: &'a [f64],
}

impl StepContext<'_> {
    /// One chunk of `z = P_K(y - τ S (W y + b))`; `out` holds W y on entry and z on return.
    ///
    /// `step_squared` is weighted so that its root divided by τ bounds the certificate's natural
    /// map at y from above (when τ σ_k ≤ ρ_k).
    pub(super) fn step_chunk(&self, chunk: usize, out: &mut [f64]) -> StepSums {
        let first = chunk * CONTACT_CHUNK;
        match (self.problem.rows(), self.scaling) {
            (1, Scaling::Diagonal) => self.scalar_chunk(first, out, |rho| (rho, 1.0)),
            (1, Scaling::None) => self.scalar_chunk(first, out, |rho| (1.0, rho)),
            (_, Scaling::Diagonal) => self.vector_chunk(first, out, |rho| (rho, 1.0)),
            (_, Scaling::None) => self.vector_chunk(first, out, |rho| (1.0, rho)),
        }
    }

    #[inline(always)]
    fn scalar_chunk(
        &self,
        first: usize,
        out: &mut [f64],
        metric: impl Fn(f64) -> (f64, f64),
    ) -> StepSums {
        let range = first..first + out.len();
        let (bias, at) = (&self.problem.bias[range.clone()], &self.at[range.clone()]);
        let (current, rho) = (&self.current[range.clone()], &self.rho[range]);
        let mut sums = StepSums::default();
        for (k, value) in out.iter_mut().enumerate() {
            let (sigma, weight) = metric(rho[k]);
            let gradient = *value + bias[k];
            let z = self.problem.set.project_scalar(at[k] - self.step * sigma * gradient);
            let (moved, change) = (weight * (z - at[k]), z - current[k]);
            sums.uphill += gradient * change;
            sums.step_squared += moved * moved;
            sums.impulse_squared += z * z;
            sums.change = sums.change.max(change.abs());
            sums.size = sums.size.max(current[k].abs());
            *value = z;
        }
        sums
    }

    #[inline(always)]
    fn vector_chunk(
        &self,
        first: usize,
        out: &mut [f64],
        metric: impl Fn(f64) -> (f64, f64),
    ) -> StepSums {
        let rows = self.problem.rows();
        let mut sums = StepSums::default();
        for (offset, value) in out.chunks_exact_mut(rows).enumerate() {
            let k = first + offset;
            let range = k * rows..(k + 1) * rows;
            let (sigma, weight) = metric(self.rho[k]);
            let (at, current) = (block(&self.at[range.clone()]), block(&self.current[range.clone()]));
            let gradient = block(value) + block(&self.problem.bias[range]);
            let normal = self.problem.delassus.normal(k);
            let z = self.problem.set.project(at - self.step * sigma * gradient, normal);
            let change = z - current;
            sums.uphill += gradient.dot(change);
            sums.step_squared += weight * weight * (z - at).length_squared();
            sums.impulse_squared += z.length_squared();
            sums.change = sums.change.max(change.abs().max_element());
            sums.size = sums.size.max(current.abs().max_element());
            value.copy_from_slice(&z.to_array()[..rows]);
        }
        sums
    }
}
