//! The gradient step of contacts with second-order cones in space, four at a time.
//!
//! The same arithmetic as [`super::gradient`] for any set, but without branches and side by side: the
//! projection is bound by arithmetic (a root and a division) and by branches that cannot be foreseen
//! (open, sticking or sliding), not by memory.

use super::lanes::{LaneSums, Vectors, dot};
use super::monitor::StepSums;
use crate::law::Metric;
use crate::parallel::{Four, Kernel, LANES, Lanes, Quad, run};
use crate::problem::ContactGeometry;

/// The data of a run of contacts; all slices are of the same length.
#[derive(Clone, Copy)]
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
fn each<L: Lanes>(lanes: L, number: impl Fn(usize) -> f64) -> Four<L> {
    Four::load(lanes, Quad([number(0), number(1), number(2), number(3)]))
}

#[inline(always)]
fn gather<L: Lanes>(lanes: L, vector: impl Fn(usize) -> [f64; 3]) -> Vectors<L> {
    let v: [[f64; 3]; LANES] = std::array::from_fn(vector);
    std::array::from_fn(|axis| each(lanes, |k| v[k][axis]))
}

/// a + factor b.
#[inline(always)]
fn plus<L: Lanes>(a: &Vectors<L>, factor: Four<L>, b: &Vectors<L>) -> Vectors<L> {
    std::array::from_fn(|axis| a[axis] + factor * b[axis])
}

/// a - factor b.
#[inline(always)]
fn minus<L: Lanes>(a: &Vectors<L>, factor: Four<L>, b: &Vectors<L>) -> Vectors<L> {
    std::array::from_fn(|axis| a[axis] - factor * b[axis])
}

/// The step of as many contacts as fit side by side.
struct Fours<'a, const EXACT: bool> {
    step: &'a ConeStep<'a>,
    out: &'a mut [[f64; 3]],
    slips: &'a mut [f64],
}

impl<const EXACT: bool> Kernel for Fours<'_, EXACT> {
    type Output = StepSums;

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) -> StepSums {
        // A copy, of which it is known that `out` does not change it.
        let (step, out, slips) = (*self.step, self.out, self.slips);
        let mut sums = LaneSums::new(lanes);
        let whole = out.len() - out.len() % LANES;
        for first in (0..whole).step_by(LANES) {
            let slips = if EXACT {
                &mut slips[first..first + LANES]
            } else {
                &mut []
            };
            let out = &mut out[first..first + LANES];
            step.four::<L, EXACT>(lanes, first, out, slips, &mut sums);
        }
        sums.total()
    }
}

impl ConeStep<'_> {
    /// The step of the first contacts, a multiple of [`LANES`] of them: `out` holds W y on entry and λ⁺
    /// on return; `slips` holds s for exact friction and is empty otherwise.
    pub(super) fn take<const EXACT: bool>(
        &self,
        out: &mut [[f64; 3]],
        slips: &mut [f64],
    ) -> StepSums {
        run(Fours::<EXACT> {
            step: self,
            out,
            slips,
        })
    }

    #[inline(always)]
    fn four<L: Lanes, const EXACT: bool>(
        &self,
        lanes: L,
        first: usize,
        out: &mut [[f64; 3]],
        slips: &mut [f64],
        sums: &mut LaneSums<L>,
    ) {
        let range = first..first + LANES;
        let contacts = &self.contacts[range.clone()];
        let metrics = &self.metrics[range.clone()];
        let friction = &self.friction[range.clone()];
        let [current, before, bias] =
            [self.current, self.before, self.bias].map(|list| &list[range.clone()]);
        let n = gather(lanes, |k| contacts[k].normal.to_array());
        let (wn, wt) = (
            each(lanes, |k| metrics[k].normal),
            each(lanes, |k| metrics[k].tangential),
        );
        let mu = each(lanes, |k| friction[k]);
        let now = gather(lanes, |k| current[k]);
        let before = gather(lanes, |k| before[k]);
        let bias = gather(lanes, |k| bias[k]);
        let image = gather(lanes, |k| out[k]);
        let splat = |number: f64| Four::splat(lanes, number);
        let (zero, one) = (splat(0.0), splat(1.0));

        let beta = splat(self.beta);
        let at: Vectors<L> = std::array::from_fn(|i| now[i] + beta * (now[i] - before[i]));
        let mut gradient: Vectors<L> = std::array::from_fn(|i| image[i] + bias[i]);
        let mut along = dot(&gradient, &n);
        if EXACT {
            let across = minus(&gradient, along, &n);
            let dilation = mu * dot(&across, &across).sqrt();
            let slip = each(lanes, |k| slips[k]);
            let slip = slip + splat(self.slip_share) * (dilation - slip);
            slips.copy_from_slice(&slip.store().0);
            gradient = plus(&gradient, slip, &n);
            along += slip;
        }
        // q = y - τ S g, its part along the normal and across it.
        let inverse = one / (wn * wt);
        let step = splat(self.step);
        let (reach_n, reach_t) = (step * wt * inverse, step * wn * inverse);
        let q = minus(&at, reach_t, &gradient);
        let q = plus(&q, (reach_t - reach_n) * along, &n);
        let qn = dot(&q, &n);
        let across = minus(&q, qn, &n);
        let length = dot(&across, &across).sqrt();
        // The projection onto the cone in the metric.
        let inside = qn.above(zero) & length.at_most(mu * qn);
        let bent = mu * wt;
        let edge = (wn * qn + bent * length) / (wn + mu * bent);
        let edge = edge.larger(zero);
        let sliding = mu * edge / length.above(zero).choose(length, one);
        let zn = inside.choose(qn, edge);
        let factor = inside.choose(one, sliding);
        let z: Vectors<L> = std::array::from_fn(|i| factor * across[i] + zn * n[i]);

        let moved: Vectors<L> = std::array::from_fn(|i| z[i] - at[i]);
        let change: Vectors<L> = std::array::from_fn(|i| z[i] - now[i]);
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
        let columns = z.map(|component| component.store().0);
        for (k, value) in out.iter_mut().enumerate() {
            *value = [columns[0][k], columns[1][k], columns[2][k]];
        }
    }
}
