//! What the projected-gradient methods share: the metric, the step bound and the step itself.
//!
//! They minimise `f(λ) = ½ λᵀWλ + bᵀλ` over K [bloch2023, §3.1.2] by steps
//! `z = P_K(y - τ S (W y + b))` with a diagonal metric S: the identity as the papers print it, or
//! `σ_k = ρ_k = 1/λ_max(W_kk)`, which takes mass ratios out of the problem. S is a multiple of the
//! identity within each contact, so the projection is the plain one. The extrapolated point
//! `y = λ + β (λ - λ_before)` is not stored: its rows are formed where they are used, and its
//! image under W follows from those of λ and λ_before.

use super::monitor::StepSums;
use super::{Scaling, SolverConfig, Stop};
use crate::certify::CertifyWorkspace;
use crate::math::DVec3;
use crate::parallel::CONTACT_CHUNK;
use crate::problem::{ContactProblem, Delassus, DelassusScratch, Image};

/// Scratch memory of the gradient methods.
#[derive(Debug, Default)]
pub(super) struct GradientWorkspace {
    pub(super) scratch: DelassusScratch,
    pub(super) certifier: CertifyWorkspace,
    /// ρ_k = 1/λ_max(W_kk), kg.
    pub(super) rho: Vec<f64>,
    pub(super) partials: Vec<StepSums>,
    /// λ and its image.
    pub(super) current: Vec<f64>,
    pub(super) current_image: Image,
    /// The iterate before λ.
    pub(super) before: Vec<f64>,
    /// λ⁺ and its image.
    pub(super) next: Vec<f64>,
    pub(super) next_image: Image,
    /// y, formed only where its rows are needed, and its image.
    pub(super) extrapolated: Vec<f64>,
    pub(super) extrapolated_image: Image,
}

impl GradientWorkspace {
    /// Sizes the memory for a problem and puts the start in place.
    pub(super) fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) {
        let contacts = problem.contact_count();
        self.rho.clear();
        self.rho
            .extend((0..contacts).map(|k| 1.0 / problem.delassus.largest_diagonal(k)));
        self.partials.clear();
        self.partials
            .resize(problem.delassus.chunk_count(), StepSums::default());
        for list in [&mut self.current, &mut self.before, &mut self.next] {
            list.clear();
            list.extend_from_slice(start);
        }
    }

    /// An upper bound L for the curvature of f in the metric: that of [maury2006, Remark 8].
    pub(super) fn curvature_bound(
        &mut self,
        problem: &ContactProblem,
        config: &SolverConfig,
    ) -> f64 {
        let rho = &self.rho;
        let scale = |k: usize| match config.scaling {
            Scaling::Diagonal => rho[k],
            Scaling::None => 1.0,
        };
        problem.delassus.spectral_bound(scale, &mut self.scratch)
    }

    /// ‖P_K(-ρ b)‖: what doing nothing leaves, N s.
    pub(super) fn error_at_zero(&self, problem: &ContactProblem) -> f64 {
        let rows = problem.rows();
        let mut sum = 0.0;
        for (k, (b, rho)) in problem.bias.chunks_exact(rows).zip(&self.rho).enumerate() {
            sum += if rows == 1 {
                problem.set.project_scalar(-rho * b[0]).powi(2)
            } else {
                problem
                    .set
                    .project(-*rho * block(b), problem.delassus.normal(k))
                    .length_squared()
            };
        }
        sum.sqrt()
    }

    /// λ⁺ = P_K(y - τ S (W y + b)) from the image of y, where `y = λ + β (λ - λ_before)`.
    pub(super) fn step(
        &mut self,
        problem: &ContactProblem,
        config: &SolverConfig,
        step: f64,
        beta: f64,
    ) -> StepSums {
        let context = StepContext {
            problem,
            rho: &self.rho,
            scaling: config.scaling,
            step,
            beta,
            current: &self.current,
            before: &self.before,
            sizes: config.stop == Stop::Paper,
        };
        problem.delassus.map_image(
            &self.extrapolated_image,
            &mut self.next,
            &mut self.partials,
            |chunk, out| context.chunk(chunk, out),
        );
        self.partials
            .iter()
            .fold(StepSums::default(), |sum, next| sum.merge(*next))
    }

    /// Makes λ⁺ the current iterate.
    pub(super) fn accept(&mut self) {
        std::mem::swap(&mut self.before, &mut self.current);
        std::mem::swap(&mut self.current, &mut self.next);
        std::mem::swap(&mut self.current_image, &mut self.next_image);
    }
}

/// A contact's rows as a vector.
#[inline(always)]
fn block(rows: &[f64]) -> DVec3 {
    DVec3::new(
        rows[0],
        rows[1],
        if rows.len() == 3 { rows[2] } else { 0.0 },
    )
}

/// Rows that are worked on side by side.
const LANES: usize = 2;

/// The larger of two numbers that are not NaN: one instruction, unlike `f64::max`.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// A part of the data of a step with one row a contact.
struct Rows<'a> {
    bias: &'a [f64],
    before: &'a [f64],
    current: &'a [f64],
    rho: &'a [f64],
}

impl Rows<'_> {
    #[inline(always)]
    fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self {
            bias: &self.bias[range.clone()],
            before: &self.before[range.clone()],
            current: &self.current[range.clone()],
            rho: &self.rho[range],
        }
    }
}

/// A gradient step, ready to be taken chunk by chunk.
struct StepContext<'a> {
    problem: &'a ContactProblem,
    rho: &'a [f64],
    scaling: Scaling,
    /// τ.
    step: f64,
    /// β.
    beta: f64,
    current: &'a [f64],
    before: &'a [f64],
    /// Whether the largest entries are wanted, for the paper's test; otherwise `change` need only
    /// tell whether anything changed.
    sizes: bool,
}

impl StepContext<'_> {
    /// One chunk of the step; `out` holds W y on entry and λ⁺ on return.
    ///
    /// `step_squared` is weighted so that its root divided by τ bounds the certificate's natural
    /// map at y from above (when τ σ_k ≤ ρ_k).
    fn chunk(&self, chunk: usize, out: &mut [f64]) -> StepSums {
        let first = chunk * CONTACT_CHUNK;
        // (σ_k, weight of the step, 1/σ_k) from ρ_k.
        match (self.problem.rows(), self.scaling) {
            (1, Scaling::Diagonal) => self.scalar_chunk(first, out, |rho| (rho, 1.0, 1.0 / rho)),
            (1, Scaling::None) => self.scalar_chunk(first, out, |rho| (1.0, rho, 1.0)),
            (2, Scaling::Diagonal) => {
                self.vector_chunk::<2>(first, out, |rho| (rho, 1.0, 1.0 / rho))
            }
            (2, Scaling::None) => self.vector_chunk::<2>(first, out, |rho| (1.0, rho, 1.0)),
            (_, Scaling::Diagonal) => {
                self.vector_chunk::<3>(first, out, |rho| (rho, 1.0, 1.0 / rho))
            }
            (_, Scaling::None) => self.vector_chunk::<3>(first, out, |rho| (1.0, rho, 1.0)),
        }
    }

    #[inline(always)]
    fn scalar_chunk(
        &self,
        first: usize,
        out: &mut [f64],
        metric: impl Fn(f64) -> (f64, f64, f64),
    ) -> StepSums {
        let range = first..first + out.len();
        let rows = Rows {
            bias: &self.problem.bias[range.clone()],
            before: &self.before[range.clone()],
            current: &self.current[range.clone()],
            rho: &self.rho[range],
        };
        // Independent sums for each lane, so that they need not wait for each other.
        let mut lanes = [StepSums::default(); LANES];
        let whole = out.len() - out.len() % LANES;
        for first in (0..whole).step_by(LANES) {
            let rows = rows.part(first..first + LANES);
            let out = &mut out[first..first + LANES];
            for (lane, (value, sums)) in out.iter_mut().zip(&mut lanes).enumerate() {
                *value = self.scalar_row(*value, &rows, lane, &metric, sums);
            }
        }
        for (k, value) in out.iter_mut().enumerate().skip(whole) {
            *value = self.scalar_row(*value, &rows, k, &metric, &mut lanes[0]);
        }
        lanes
            .into_iter()
            .reduce(StepSums::merge)
            .unwrap_or_default()
    }

    /// One row of the step: λ⁺ from W y.
    #[inline(always)]
    fn scalar_row(
        &self,
        image: f64,
        rows: &Rows,
        k: usize,
        metric: &impl Fn(f64) -> (f64, f64, f64),
        sums: &mut StepSums,
    ) -> f64 {
        let (sigma, weight, inverse) = metric(rows.rho[k]);
        let current = rows.current[k];
        let at = current + self.beta * (current - rows.before[k]);
        let gradient = image + rows.bias[k];
        let z = self
            .problem
            .set
            .project_scalar(at - self.step * sigma * gradient);
        let (moved, change) = (z - at, z - current);
        let weighted = weight * moved;
        sums.uphill += gradient * change;
        sums.step_squared += weighted * weighted;
        sums.length_squared += moved * moved * inverse;
        sums.impulse_squared += z * z;
        sums.change = larger(sums.change, change.abs());
        sums.size = larger(sums.size, current.abs());
        z
    }

    #[inline(always)]
    fn vector_chunk<const ROWS: usize>(
        &self,
        first: usize,
        out: &mut [f64],
        metric: impl Fn(f64) -> (f64, f64, f64),
    ) -> StepSums {
        let count = out.len() / ROWS;
        let current = vectors::<ROWS>(self.current, first, count);
        let before = vectors::<ROWS>(self.before, first, count);
        let bias = vectors::<ROWS>(&self.problem.bias, first, count);
        let rho = &self.rho[first..first + count];
        let (out, _) = out.as_chunks_mut::<ROWS>();
        let contacts = match &self.problem.delassus {
            Delassus::MatrixFree(operator) => &operator.space.contacts[first..first + count],
            Delassus::Assembled(_) => &[],
        };
        let mut sums = StepSums::default();
        for (k, value) in out.iter_mut().enumerate() {
            let (sigma, weight, inverse) = metric(rho[k]);
            let now = block(&current[k]);
            let at = now + self.beta * (now - block(&before[k]));
            let gradient = block(value) + block(&bias[k]);
            let normal = match contacts.get(k) {
                Some(contact) => contact.normal,
                None => self.problem.delassus.normal(first + k),
            };
            let z = self
                .problem
                .set
                .project(at - self.step * sigma * gradient, normal);
            let (moved, change) = (z - at, z - now);
            let length = moved.length_squared();
            sums.uphill += gradient.dot(change);
            sums.step_squared += weight * weight * length;
            sums.length_squared += length * inverse;
            sums.impulse_squared += z.length_squared();
            if self.sizes {
                sums.size = larger(sums.size, largest(now));
                sums.change = larger(sums.change, largest(change));
            } else {
                sums.change += change.length_squared();
            }
            value.copy_from_slice(&z.to_array()[..ROWS]);
        }
        sums
    }
}

/// The largest absolute value of a vector's components.
#[inline(always)]
fn largest(v: DVec3) -> f64 {
    larger(larger(v.x.abs(), v.y.abs()), v.z.abs())
}

/// `count` contacts' rows from contact `first` on.
#[inline(always)]
fn vectors<const ROWS: usize>(rows: &[f64], first: usize, count: usize) -> &[[f64; ROWS]] {
    rows[first * ROWS..(first + count) * ROWS]
        .as_chunks::<ROWS>()
        .0
}
