//! What the projected-gradient methods share: the metric, the step bound and the step itself.
//!
//! They minimise `f(λ) = ½ λᵀWλ + bᵀλ` over K [bloch2023, §3.1.2] by steps
//! `z = P_K(y - τ S (W y + b))` with a diagonal metric S⁻¹: the identity as the papers print it, or
//! the diagonal blocks of W themselves, (w_n, w_T, w_T), which takes mass ratios and the ease of
//! turning out of the problem; P_K is then the projection in that metric. The extrapolated point
//! `y = λ + β (λ - λ_before)` is not stored: its rows are formed where they are used, and its
//! image under W follows from those of λ and λ_before.
//!
//! **Exact friction** is the same step with the gradient `W y + b + s n`, where s follows de Saxcé's
//! `μ |w_T|` at y from iteration to iteration (*ours*; at rest it is the exact problem): the fixed
//! point of [bloch2023, eq. (40)] inside the iterations instead of around them.

use super::cone_step::ConeStep;
use super::monitor::{AtZero, StepSums};
use super::tuning::apgd as tuning;
use super::{Scaling, Stop};
use crate::law::{AdmissibleSet, Flow, Metric};
use crate::math::DVec3;
use crate::parallel::{self, CONTACT_CHUNK, Kernel, Lanes, run};
use crate::problem::{Block, ContactProblem, Delassus, DelassusScratch, Image, Sets, by_rows};

/// Scratch memory of the gradient methods.
#[derive(Debug, Default)]
pub(super) struct GradientWorkspace {
    /// Which test ends a solve, and the metric of the steps.
    pub(super) stop: Stop,
    scaling: Scaling,
    pub(super) scratch: DelassusScratch,
    /// ρ_k = 1/λ_max(W_kk), kg.
    pub(super) rho: Vec<f64>,
    /// W_kk as a metric, 1/kg; empty with one row.
    metrics: Vec<Metric>,
    /// s of each contact for exact friction, m/s; otherwise empty.
    slip: Vec<f64>,
    /// How much of its new value s takes on in an iteration.
    pub(super) slip_share: f64,
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
    pub(super) fn new(stop: Stop, scaling: Scaling) -> Self {
        Self {
            stop,
            scaling,
            ..Self::default()
        }
    }

    /// Sizes the memory for a problem and puts the start in place.
    pub(super) fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) -> AtZero {
        let contacts = problem.contact_count();
        self.rho.clear();
        let count = problem.contact_count();
        (self.rho).extend((0..count).map(|k| 1.0 / problem.delassus.largest_diagonal(k)));
        let at_zero = AtZero::of(problem);
        self.metrics.clear();
        if problem.rows() > 1 {
            self.metrics
                .extend((0..contacts).map(|k| problem.delassus.metric(k)));
        } else if !problem.is_frictionless() {
            let metrics = self.rho.iter().map(|rho| Metric::uniform(1.0 / rho));
            self.metrics.extend(metrics);
        }
        self.slip.clear();
        self.slip_share = tuning::SLIP_SHARE;
        if problem.rows() > 1 && problem.flow != Flow::Associated {
            self.slip.resize(contacts, 0.0);
        }
        self.partials.clear();
        self.partials
            .resize(problem.delassus.chunk_count(), StepSums::default());
        for list in [&mut self.current, &mut self.before, &mut self.next] {
            list.clear();
            list.extend_from_slice(start);
        }
        at_zero
    }

    /// S⁻¹ of a contact.
    #[inline(always)]
    pub(super) fn metric(&self, contact: usize) -> Metric {
        match self.scaling {
            Scaling::None => Metric::EUCLIDEAN,
            Scaling::Diagonal => match self.metrics.get(contact) {
                Some(metric) => *metric,
                None => Metric::uniform(1.0 / self.rho[contact]),
            },
        }
    }

    /// An upper bound L for the curvature of f in the metric: that of [maury2006, Remark 8].
    pub(super) fn curvature_bound(&mut self, problem: &ContactProblem) -> f64 {
        let mut scratch = std::mem::take(&mut self.scratch);
        let metric = |k: usize| self.metric(k);
        let bound = problem.delassus.spectral_bound(metric, &mut scratch);
        self.scratch = scratch;
        bound
    }

    /// The first L of the methods that find it themselves, by the `step` that is given or without.
    pub(super) fn first_curvature(&self, step: Option<f64>) -> f64 {
        match (step, self.scaling) {
            (Some(step), _) => 1.0 / step,
            (None, Scaling::Diagonal) => tuning::FIRST_CURVATURE,
            (None, Scaling::None) => {
                tuning::FIRST_CURVATURE / self.rho.iter().copied().fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// λ⁺ = P_K(y - τ S (W y + b)) from the image of y, where `y = λ + β (λ - λ_before)`.
    pub(super) fn step(&mut self, problem: &ContactProblem, step: f64, beta: f64) -> StepSums {
        let context = StepContext {
            problem,
            rho: &self.rho,
            metrics: &self.metrics,
            scaling: self.scaling,
            step,
            beta,
            slip_share: self.slip_share,
            current: &self.current,
            before: &self.before,
            sizes: self.stop == Stop::Paper,
        };
        problem.delassus.map_image(
            &self.extrapolated_image,
            &mut self.next,
            &mut self.slip,
            &mut self.partials,
            |chunk, out, slip| context.chunk(chunk, out, slip),
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

/// Rows that are worked on side by side.
const LANES: usize = 2;

/// The larger of two numbers that are not NaN: one instruction, unlike `f64::max`.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Bias, λ before, λ and ρ of some contacts with one row each.
type RowData<'a> = [&'a [f64]; 4];

/// A chunk of contacts with one row each.
struct ScalarChunk<'a> {
    context: &'a StepContext<'a>,
    first: usize,
    out: &'a mut [f64],
}

impl Kernel for ScalarChunk<'_> {
    type Output = StepSums;

    #[inline(always)]
    fn work<L: Lanes>(self, _: L) -> StepSums {
        let Self {
            context,
            first,
            out,
        } = self;
        // (σ_k, weight of the step, 1/σ_k) from ρ_k.
        match context.scaling {
            Scaling::Diagonal => context.scalar_chunk(first, out, |rho| (rho, 1.0, 1.0 / rho)),
            Scaling::None => context.scalar_chunk(first, out, |rho| (1.0, rho, 1.0)),
        }
    }
}

/// A gradient step, ready to be taken chunk by chunk.
struct StepContext<'a> {
    problem: &'a ContactProblem,
    rho: &'a [f64],
    metrics: &'a [Metric],
    scaling: Scaling,
    /// τ.
    step: f64,
    /// β.
    beta: f64,
    slip_share: f64,
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
    fn chunk(&self, chunk: usize, out: &mut [f64], slip: &mut [f64]) -> StepSums {
        let first = chunk * CONTACT_CHUNK;
        match self.problem.rows() {
            1 if !self.metrics.is_empty() => {
                self.vector_chunk::<1, f64, false>(first, out, &mut [])
            }
            1 => run(ScalarChunk {
                context: self,
                first,
                out,
            }),
            3 => {
                // As many as fit side by side, then the rest.
                let (sums, done) = self.cone_chunk(first, out, slip);
                let slip = slip.get_mut(done..).unwrap_or_default();
                sums.merge(self.law_chunk::<3, DVec3>(first + done, &mut out[3 * done..], slip))
            }
            rows => by_rows!(rows, <ROWS, B> self.law_chunk::<ROWS, B>(first, out, slip)),
        }
    }

    /// The contacts that [`ConeStep`] can do, and their number.
    fn cone_chunk(&self, first: usize, out: &mut [f64], slip: &mut [f64]) -> (StepSums, usize) {
        let skewed = self.problem.flow == Flow::Skewed;
        let (Delassus::MatrixFree(operator), Sets::Cone(friction), Scaling::Diagonal, false) = (
            &self.problem.delassus,
            &self.problem.sets,
            self.scaling,
            self.sizes || skewed,
        ) else {
            return (StepSums::default(), 0);
        };
        let round = operator.space.contacts.len();
        let count = (out.len() / 3).min(round.saturating_sub(first));
        if count == 0 {
            // All of the chunk is of other contacts.
            return (StepSums::default(), 0);
        }
        let (out, _) = out[..3 * count].as_chunks_mut::<3>();
        let range = first..first + count;
        let step = ConeStep {
            contacts: &operator.space.contacts[range.clone()],
            metrics: &self.metrics[range.clone()],
            friction: &friction[range],
            bias: vectors(&self.problem.bias, first, count),
            current: vectors(self.current, first, count),
            before: vectors(self.before, first, count),
            step: self.step,
            beta: self.beta,
            slip_share: self.slip_share,
        };
        let sums = match self.problem.flow {
            Flow::Associated | Flow::Skewed => step.take::<false>(out, &mut []),
            Flow::Exact => step.take::<true>(out, slip),
        };
        (sums, count - count % parallel::LANES)
    }

    #[inline(always)]
    fn law_chunk<const ROWS: usize, B: Block>(
        &self,
        first: usize,
        out: &mut [f64],
        slip: &mut [f64],
    ) -> StepSums {
        match self.problem.flow {
            Flow::Associated => self.vector_chunk::<ROWS, B, false>(first, out, &mut []),
            Flow::Exact | Flow::Skewed => self.vector_chunk::<ROWS, B, true>(first, out, slip),
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
        let rows: RowData = [&self.problem.bias, self.before, self.current, self.rho]
            .map(|list| &list[range.clone()]);
        // Independent sums for each lane, so that they need not wait for each other.
        let mut lanes = [StepSums::default(); LANES];
        let whole = out.len() - out.len() % LANES;
        for first in (0..whole).step_by(LANES) {
            let rows = rows.map(|list| &list[first..first + LANES]);
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
        [bias, before, current, rho]: &RowData,
        k: usize,
        metric: &impl Fn(f64) -> (f64, f64, f64),
        sums: &mut StepSums,
    ) -> f64 {
        let (sigma, weight, inverse) = metric(rho[k]);
        let current = current[k];
        let at = current + self.beta * (current - before[k]);
        let gradient = image + bias[k];
        let z = AdmissibleSet::HalfLine.project_scalar(at - self.step * sigma * gradient);
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

    /// `slips` holds s of each contact for exact friction and skewed flows, and is empty otherwise.
    #[inline(always)]
    fn vector_chunk<const ROWS: usize, B: Block, const EXACT: bool>(
        &self,
        first: usize,
        out: &mut [f64],
        slips: &mut [f64],
    ) -> StepSums {
        let count = out.len() / ROWS;
        let current = vectors::<ROWS>(self.current, first, count);
        let before = vectors::<ROWS>(self.before, first, count);
        let bias = vectors::<ROWS>(&self.problem.bias, first, count);
        let metrics = &self.metrics[first..first + count];
        let (out, _) = out.as_chunks_mut::<ROWS>();
        let contacts = match &self.problem.delassus {
            Delassus::MatrixFree(operator) => {
                let round = &operator.space.contacts;
                &round[first.min(round.len())..(first + count).min(round.len())]
            }
            Delassus::Assembled(_) => &[],
        };
        let mut sums = StepSums::default();
        for (k, value) in out.iter_mut().enumerate() {
            let own = metrics[k];
            let metric = match self.scaling {
                Scaling::Diagonal => own,
                Scaling::None => Metric::EUCLIDEAN,
            };
            let now = B::load(&current[k]);
            let at = now + (now - B::load(&before[k])).times(self.beta);
            let mut gradient = B::load(value) + B::load(&bias[k]);
            let normal = match contacts.get(k) {
                Some(contact) => contact.normal,
                None => self.problem.delassus.normal(first + k),
            };
            let set = self.problem.set(first + k);
            if EXACT {
                let slip = &mut slips[k];
                let dilation = self.problem.dilating(first + k) * gradient.dilation(set, normal);
                *slip += self.slip_share * (dilation - *slip);
                gradient = gradient.plus_along(*slip, normal);
            }
            let z = descend(at, gradient, normal, metric, self.step).project(set, normal, metric);
            let (moved, change) = (z - at, z - now);
            let along = moved.along(normal);
            let (square, rest) = (along * along, moved.dot(moved) - along * along);
            sums.uphill += if EXACT {
                // There is no function to go uphill on: the step turns back on the last one.
                let back = along * change.along(normal);
                metric.tangential * (back - moved.dot(change)) - metric.normal * back
            } else {
                gradient.dot(change)
            };
            // The natural map of the certificate is about ρ w, the step τ times w over the metric.
            let scale = 1.0 / own.tangential;
            let (normal, across) = (metric.normal * scale, metric.tangential * scale);
            sums.step_squared += normal * normal * square + across * across * rest;
            sums.length_squared += metric.normal * square + metric.tangential * rest;
            sums.impulse_squared += z.dot(z);
            if self.sizes {
                sums.size = larger(sums.size, now.largest());
                sums.change = larger(sums.change, change.largest());
            } else {
                sums.change += change.dot(change);
            }
            z.store(value);
        }
        sums
    }
}

/// y - τ S g in the metric S⁻¹.
#[inline(always)]
pub(super) fn descend<B: Block>(at: B, gradient: B, normal: DVec3, metric: Metric, step: f64) -> B {
    let (along, across) = (step / metric.normal, step / metric.tangential);
    let normal_part = gradient.along(normal) * (across - along);
    (at - gradient.times(across)).plus_along(normal_part, normal)
}

/// `count` contacts' rows from contact `first` on.
#[inline(always)]
fn vectors<const ROWS: usize>(rows: &[f64], first: usize, count: usize) -> &[[f64; ROWS]] {
    rows[first * ROWS..(first + count) * ROWS]
        .as_chunks::<ROWS>()
        .0
}
