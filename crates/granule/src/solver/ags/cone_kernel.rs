//! One sweep over contacts with second-order cones, which may be capped, several at a time.

use super::batches::{Batch, Batches, Given};
use super::momentum::Pace;
use super::precision::Precision;
use crate::parallel::{Lanes, Side, Width};
use crate::problem::round;
use crate::solver::lanes::{LaneSums, Vectors, dot, load, store};
use crate::solver::monitor::StepSums;

/// A sweep over all batches, with the convexified law or exact friction, and that with a slip that follows or at once.
pub(super) struct Sweep<'a, P: Precision, const EXACT: bool, const AT_ONCE: bool> {
    pub(super) batches: &'a mut Batches<P>,
    pub(super) lines: &'a mut [P::Line],
    pub(super) pace: Pace,
}

/// Sweeps over all batches.
#[inline(always)]
pub(super) fn sweep_all<
    L: Lanes + Width<P>,
    P: Precision,
    const EXACT: bool,
    const AT_ONCE: bool,
>(
    lanes: L,
    sweep: Sweep<'_, P, EXACT, AT_ONCE>,
) -> StepSums {
    let splat = |number: f64| Side::splat(lanes, number);
    let constants = Constants {
        lanes,
        zero: splat(0.0),
        one: splat(1.0),
        beta: splat(sweep.pace.beta),
        share: splat(sweep.pace.share),
    };
    let mut sums = LaneSums::new(lanes);
    let Batches {
        list, given, caps, ..
    } = sweep.batches;
    for (place, batch) in list.iter_mut().enumerate() {
        let more = (given.get(place), caps.get(place));
        visit::<L, P, EXACT, AT_ONCE>(batch, more, sweep.lines, &constants, &mut sums);
    }
    sums.total()
}

/// What is the same for all contacts.
struct Constants<L: Width<P>, P> {
    lanes: L,
    zero: Side<L, P>,
    one: Side<L, P>,
    /// β.
    beta: Side<L, P>,
    /// The share of its new value that the slip takes on.
    share: Side<L, P>,
}

/// Contacts side by side.
struct Contacts<L: Width<P>, P> {
    /// μ.
    friction: Side<L, P>,
    /// 1/w_n and 1/w_T, kg.
    ease_n: Side<L, P>,
    ease_t: Side<L, P>,
    /// s of exact friction, m/s.
    slip: Side<L, P>,
}

/// What the contacts alone would want, q = y - W_kk⁻¹ w.
struct Wanted<L: Width<P>, P> {
    along: Side<L, P>,
    /// |q_T|.
    across: Side<L, P>,
    /// |w_T|, m/s.
    sliding: Side<L, P>,
}

impl<L: Width<P>, P: Precision> Constants<L, P> {
    /// 1 / length, or 0.
    #[inline(always)]
    fn inverse(&self, length: Side<L, P>) -> Side<L, P> {
        let some = length.above(self.zero);
        some.choose(self.one / some.choose(length, self.one), self.zero)
    }
}

impl<L: Width<P>, P: Precision> Contacts<L, P> {
    #[inline(always)]
    fn project(
        &self,
        along: Side<L, P>,
        across: Side<L, P>,
        constants: &Constants<L, P>,
    ) -> [Side<L, P>; 2] {
        let &Constants { zero, one, .. } = constants;
        let mu = self.friction;
        let inside = along.above(zero) & across.at_most(mu * along);
        let bent = mu * self.ease_n;
        let denominator = self.ease_t + mu * bent;
        let denominator = denominator.above(zero).choose(denominator, one);
        let edge = ((self.ease_t * along + bent * across) / denominator).larger(zero);
        [
            inside.choose(along, edge),
            inside.choose(one, mu * edge * constants.inverse(across)),
        ]
    }

    /// An impulse along the normal with the factor of what is wanted across it, or where it is above the cap the nearest
    /// on the lid: see `law::admissible_set::yield_profile`.
    #[inline(always)]
    fn cut(
        &self,
        cap: Side<L, P>,
        [along, factor]: [Side<L, P>; 2],
        wanted: &Wanted<L, P>,
        constants: &Constants<L, P>,
    ) -> [Side<L, P>; 2] {
        let rim = self.friction * cap;
        let fits = wanted.across.at_most(rim);
        let on_lid = fits.choose(constants.one, rim * constants.inverse(wanted.across));
        let below = along.at_most(cap);
        [below.choose(along, cap), below.choose(factor, on_lid)]
    }

    /// The impulse along the normal, and the factor of what is wanted across it: the projection in the metric
    /// (w_n, w_T, w_T) for the convexified law; for exact friction the same with a slip that follows de Saxcé's, or
    /// the contact's own solution at once.
    #[inline(always)]
    fn solve<const EXACT: bool, const AT_ONCE: bool>(
        &mut self,
        wanted: &Wanted<L, P>,
        constants: &Constants<L, P>,
    ) -> [Side<L, P>; 2] {
        if !EXACT {
            return self.project(wanted.along, wanted.across, constants);
        }
        let dilation = self.friction * wanted.sliding;
        self.slip += constants.share * (dilation - self.slip);
        if !AT_ONCE {
            let along = wanted.along - self.ease_n * self.slip;
            return self.project(along, wanted.across, constants);
        }
        let along = wanted.along.larger(constants.zero);
        let limit = self.friction * along;
        let sticks = wanted.across.at_most(limit);
        let sliding = limit * constants.inverse(wanted.across);
        [along, sticks.choose(constants.one, sliding)]
    }
}

/// Solves the contacts of a batch, each for the velocities at hand, with what they give and where they are capped.
#[inline(always)]
fn visit<L: Lanes + Width<P>, P: Precision, const EXACT: bool, const AT_ONCE: bool>(
    batch: &mut Batch<P>,
    (given, cap): (Option<&Given<P>>, Option<&P>),
    lines: &mut [P::Line],
    constants: &Constants<L, P>,
    sums: &mut LaneSums<L, P>,
) {
    let &Constants {
        lanes, zero, one, ..
    } = constants;
    let number = |numbers: P| Side::load(lanes, numbers);
    let mut contacts = Contacts {
        friction: number(batch.friction),
        ease_n: number(batch.ease_n),
        ease_t: number(batch.ease_t),
        slip: number(batch.slip),
    };
    let n = &load(lanes, &batch.normal);
    let [linear, surface] = P::relative(lanes, lines, [&batch.a, &batch.b]);
    let u = round::relative(n, &linear, &surface);
    let bias = load(lanes, &batch.bias);
    let mut w: Vectors<L, P> = std::array::from_fn(|i| u[i] + bias[i]);
    let now = load(lanes, &batch.impulse);
    let before = load(lanes, &batch.before);
    let y: Vectors<L, P> = std::array::from_fn(|i| now[i] + constants.beta * (now[i] - before[i]));
    if let Some(given) = given {
        let (along, across) = (number(given.normal), number(given.tangential));
        let more = (along - across) * dot(&y, n);
        w = std::array::from_fn(|i| w[i] + (across * y[i] + more * n[i]));
    }
    let (ease_n, ease_t) = (contacts.ease_n, contacts.ease_t);
    let wn = dot(&w, n);
    let q: Vectors<L, P> = std::array::from_fn(|i| y[i] - ease_t * w[i]);
    let raw = dot(&q, n);
    let across: Vectors<L, P> = std::array::from_fn(|i| q[i] - raw * n[i]);
    let sliding = if EXACT {
        let slide: Vectors<L, P> = std::array::from_fn(|i| w[i] - wn * n[i]);
        dot(&slide, &slide).sqrt()
    } else {
        zero
    };
    let wanted = Wanted {
        along: raw + (ease_t - ease_n) * wn,
        across: dot(&across, &across).sqrt(),
        sliding,
    };
    let [mut zn, mut factor] = contacts.solve::<EXACT, AT_ONCE>(&wanted, constants);
    if let Some(cap) = cap {
        [zn, factor] = contacts.cut(number(*cap), [zn, factor], &wanted, constants);
    }
    let z: Vectors<L, P> = std::array::from_fn(|i| zn * n[i] + factor * across[i]);
    let d: Vectors<L, P> = std::array::from_fn(|i| z[i] - y[i]);
    let t = round::twist(n, &d);
    P::add(lanes, lines, [&batch.a, &batch.b], &d, &t);
    let change: Vectors<L, P> = std::array::from_fn(|i| z[i] - now[i]);
    let dn = dot(&d, n);
    let square = dn * dn;
    // The certificate measures along the normal with w_T too.
    let ratio = ease_t / ease_n.above(zero).choose(ease_n, one);
    sums.uphill += dot(&w, &change);
    let step = ratio * ratio * square + (dot(&d, &d) - square);
    let size = dot(&z, &z);
    let per_mass = constants.inverse(ease_t);
    let per_mass = per_mass * per_mass;
    sums.step_squared += step;
    sums.impulse_squared += size;
    sums.step_velocity_squared += per_mass * step;
    sums.impulse_velocity_squared += per_mass * size;
    sums.change += dot(&change, &change);
    batch.before = batch.impulse;
    batch.impulse = store(z);
    if EXACT {
        batch.slip = contacts.slip.store();
    }
}
