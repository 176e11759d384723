//! The gradient step of contacts with second-order cones in space, four at a time.
//!
//! The same arithmetic as [`super::gradient`] for any set, but without branches and side by side: the
//! projection is bound by arithmetic (a root and a division) and by branches that cannot be foreseen
//! (open, sticking or sliding), not by memory.

use super::lanes::{LANES, Vectors, dot};
use super::monitor::StepSums;
use crate::law::Metric;
use crate::problem::ContactGeometry;
use wide::f64x4;

/// The data of a run of contacts; all slices are of the same length.
pub(super) struct ConeStep<'a> {
    pub(super) contacts: &'a [ContactGeometry],
    pub(super) metrics: &'a [Metric],
    pub(super) friction: &'a [f64],
    pub(super) bias: &'a [[f64; 3]],
    pub(super) current: &'a [[f64; 3]],
    pub(super) before: &'a [[f64; 3]],
    /// τ.
    pub(super) step: f64,
    /// β.
    pub(super) beta: f64,
    /// How much of its new value s takes on.
    pub(super) slip_share: f64,
}

#[inline(always)]
fn transpose(v: [[f64; 3]; LANES]) -> Vectors {
    std::array::from_fn(|axis| f64x4::new([v[0][axis], v[1][axis], v[2][axis], v[3][axis]]))
}

#[inline(always)]
fn gather(values: &[[f64; 3]]) -> Vectors {
    transpose(std::array::from_fn(|k| values[k]))
}

#[inline(always)]
fn combine(a: &Vectors, factor: f64x4, b: &Vectors) -> Vectors {
    std::array::from_fn(|axis| a[axis] + factor * b[axis])
}

/// Sums of four contacts side by side.
#[derive(Default)]
struct Sums {
    uphill: f64x4,
    step_squared: f64x4,
    length_squared: f64x4,
    impulse_squared: f64x4,
    change: f64x4,
}

impl ConeStep<'_> {
    /// The step of the first contacts, a multiple of [`LANES`] of them: `out` holds W y on entry and λ⁺
    /// on return; `slips` holds s for exact friction and is empty otherwise.
    #[inline(always)]
    pub(super) fn take<const EXACT: bool>(
        &self,
        out: &mut [[f64; 3]],
        slips: &mut [f64],
    ) -> StepSums {
        let mut sums = Sums::default();
        let whole = out.len() - out.len() % LANES;
        for first in (0..whole).step_by(LANES) {
            let slips = if EXACT {
                &mut slips[first..first + LANES]
            } else {
                &mut []
            };
            self.four::<EXACT>(first, &mut out[first..first + LANES], slips, &mut sums);
        }
        StepSums {
            uphill: sums.uphill.reduce_add(),
            step_squared: sums.step_squared.reduce_add(),
            length_squared: sums.length_squared.reduce_add(),
            impulse_squared: sums.impulse_squared.reduce_add(),
            change: sums.change.reduce_add(),
            size: 0.0,
        }
    }

    #[inline(always)]
    fn four<const EXACT: bool>(
        &self,
        first: usize,
        out: &mut [[f64; 3]],
        slips: &mut [f64],
        sums: &mut Sums,
    ) {
        let range = first..first + LANES;
        let contacts = &self.contacts[range.clone()];
        let metrics = &self.metrics[range.clone()];
        let friction = &self.friction[range.clone()];
        let n = transpose(std::array::from_fn(|k| contacts[k].normal.to_array()));
        let (wn, wt) = (
            f64x4::new(std::array::from_fn(|k| metrics[k].normal)),
            f64x4::new(std::array::from_fn(|k| metrics[k].tangential)),
        );
        let mu = f64x4::new([friction[0], friction[1], friction[2], friction[3]]);
        let now = gather(&self.current[range.clone()]);
        let before = gather(&self.before[range.clone()]);
        let bias = gather(&self.bias[range]);
        let image = gather(out);
        let (zero, one) = (f64x4::ZERO, f64x4::ONE);

        let beta = f64x4::splat(self.beta);
        let at: Vectors = std::array::from_fn(|i| now[i] + beta * (now[i] - before[i]));
        let mut gradient: Vectors = std::array::from_fn(|i| image[i] + bias[i]);
        let mut along = dot(&gradient, &n);
        if EXACT {
            let across = combine(&gradient, -along, &n);
            let dilation = mu * dot(&across, &across).sqrt();
            let slip = f64x4::new([slips[0], slips[1], slips[2], slips[3]]);
            let slip = slip + f64x4::splat(self.slip_share) * (dilation - slip);
            slips.copy_from_slice(&slip.to_array());
            gradient = combine(&gradient, slip, &n);
            along += slip;
        }
        // q = y - τ S g, its part along the normal and across it.
        let inverse = one / (wn * wt);
        let step = f64x4::splat(self.step);
        let (reach_n, reach_t) = (step * wt * inverse, step * wn * inverse);
        let q = combine(&at, -reach_t, &gradient);
        let q = combine(&q, (reach_t - reach_n) * along, &n);
        let qn = dot(&q, &n);
        let across = combine(&q, -qn, &n);
        let length = dot(&across, &across).sqrt();
        // The projection onto the cone in the metric.
        let inside = qn.simd_gt(zero) & length.simd_le(mu * qn);
        let bent = mu * wt;
        let edge = (wn * qn + bent * length) / (wn + mu * bent);
        let edge = edge.fast_max(zero);
        let sliding = mu * edge / length.simd_gt(zero).select(length, one);
        let zn = inside.select(qn, edge);
        let factor = inside.select(one, sliding);
        let z: Vectors = std::array::from_fn(|i| factor * across[i] + zn * n[i]);

        let moved: Vectors = std::array::from_fn(|i| z[i] - at[i]);
        let change: Vectors = std::array::from_fn(|i| z[i] - now[i]);
        let moved_n = dot(&moved, &n);
        let square = moved_n * moved_n;
        let rest = dot(&moved, &moved) - square;
        let ratio = wn * wn * inverse;
        sums.uphill += if EXACT {
            let back = moved_n * dot(&change, &n);
            wt * (back - dot(&moved, &change)) - wn * back
        } else {
            dot(&gradient, &change)
        };
        sums.step_squared += ratio * ratio * square + rest;
        sums.length_squared += wn * square + wt * rest;
        sums.impulse_squared += dot(&z, &z);
        sums.change += dot(&change, &change);
        let columns = z.map(f64x4::to_array);
        for (k, value) in out.iter_mut().enumerate() {
            *value = [columns[0][k], columns[1][k], columns[2][k]];
        }
    }
}
