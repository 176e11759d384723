//! One sweep over contacts with second-order cones in space, which may be capped, four at a time.

use super::batches::{Batch, Batches, Given};
use super::momentum::Pace;
use crate::parallel::{Four, Kernel, LANES, Lanes, Quad};
use crate::problem::round;
use crate::solver::lanes::{LaneSums, Vectors, dot, load, store};
use crate::solver::monitor::StepSums;

/// Velocity of a body: [v, 1/m] and [r ω, r²/J].
pub(super) type QuadLine = [Quad; 2];

/// A sweep over all batches, with the convexified law or exact friction, and that with a slip that follows or at once.
pub(super) struct Sweep<'a, const EXACT: bool, const AT_ONCE: bool> {
    pub(super) batches: &'a mut Batches,
    pub(super) lines: &'a mut [QuadLine],
    pub(super) pace: Pace,
}

impl<const EXACT: bool, const AT_ONCE: bool> Kernel for Sweep<'_, EXACT, AT_ONCE> {
    type Output = StepSums;

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) -> StepSums {
        let splat = |number: f64| Four::splat(lanes, number);
        let constants = Constants {
            lanes,
            zero: splat(0.0),
            one: splat(1.0),
            beta: splat(self.pace.beta),
            share: splat(self.pace.share),
        };
        let mut sums = LaneSums::new(lanes);
        let Batches {
            list, given, caps, ..
        } = self.batches;
        for (place, batch) in list.iter_mut().enumerate() {
            let more = (given.get(place), caps.get(place));
            four::<L, EXACT, AT_ONCE>(batch, more, self.lines, &constants, &mut sums);
        }
        sums.total()
    }
}

/// The velocities of y = λ + β (λ - λ before) from those of λ, which become the ones before.
pub(super) struct Extrapolation<'a> {
    pub(super) lines: &'a mut [QuadLine],
    pub(super) before: &'a mut [QuadLine],
    pub(super) beta: f64,
}

impl Kernel for Extrapolation<'_> {
    type Output = ();

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) {
        let beta = Four::splat(lanes, self.beta);
        for (line, before) in self.lines.iter_mut().zip(self.before) {
            let now = *line;
            for k in 0..2 {
                let (new, old) = (Four::load(lanes, now[k]), Four::load(lanes, before[k]));
                line[k] = (new + beta * (new - old)).store();
            }
            *before = now;
        }
    }
}

/// What is the same for all contacts.
struct Constants<L: Lanes> {
    lanes: L,
    zero: Four<L>,
    one: Four<L>,
    /// β.
    beta: Four<L>,
    /// The share of its new value that the slip takes on.
    share: Four<L>,
}

/// Adds what an impulse d with twist t changes to both bodies of a contact.
#[inline(always)]
pub(super) fn add<L: Lanes>(
    lanes: L,
    lines: &mut [QuadLine],
    [a, b]: [u32; 2],
    d: Four<L>,
    t: Four<L>,
) {
    // The last entries of d and t are zero, so those of the lines stay.
    let parts = |line: &QuadLine| {
        let [ease, turning] = line.map(|part| Four::splat(lanes, part.0[3]));
        let now = line.map(|part| Four::load(lanes, part));
        (now, d * ease, t * turning)
    };
    let line = &mut lines[a as usize];
    let ([linear, surface], push, twist) = parts(line);
    *line = [(linear + push).store(), (surface + twist).store()];
    let line = &mut lines[b as usize];
    let ([linear, surface], push, twist) = parts(line);
    *line = [(linear - push).store(), (surface + twist).store()];
}

/// Four contacts.
struct FourContacts<L: Lanes> {
    /// μ.
    friction: Four<L>,
    /// 1/w_n and 1/w_T, kg.
    ease_n: Four<L>,
    ease_t: Four<L>,
    /// s of exact friction, m/s.
    slip: Four<L>,
}

/// What four contacts alone would want, q = y - W_kk⁻¹ w.
struct Wanted<L: Lanes> {
    along: Four<L>,
    /// |q_T|.
    across: Four<L>,
    /// |w_T|, m/s.
    sliding: Four<L>,
}

impl<L: Lanes> Constants<L> {
    /// 1 / length, or 0.
    #[inline(always)]
    fn inverse(&self, length: Four<L>) -> Four<L> {
        let some = length.above(self.zero);
        some.choose(self.one / some.choose(length, self.one), self.zero)
    }
}

impl<L: Lanes> FourContacts<L> {
    #[inline(always)]
    fn project(&self, along: Four<L>, across: Four<L>, constants: &Constants<L>) -> [Four<L>; 2] {
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
        cap: Four<L>,
        [along, factor]: [Four<L>; 2],
        wanted: &Wanted<L>,
        constants: &Constants<L>,
    ) -> [Four<L>; 2] {
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
        wanted: &Wanted<L>,
        constants: &Constants<L>,
    ) -> [Four<L>; 2] {
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

/// Solves the four contacts of a batch, each for the velocities at hand, with what they give and where they are capped.
#[inline(always)]
fn four<L: Lanes, const EXACT: bool, const AT_ONCE: bool>(
    batch: &mut Batch,
    (given, cap): (Option<&Given>, Option<&Quad>),
    lines: &mut [QuadLine],
    constants: &Constants<L>,
    sums: &mut LaneSums<L>,
) {
    let &Constants {
        lanes, zero, one, ..
    } = constants;
    let number = |quad: Quad| Four::load(lanes, quad);
    let mut contacts = FourContacts {
        friction: number(batch.friction),
        ease_n: number(batch.ease_n),
        ease_t: number(batch.ease_t),
        slip: number(batch.slip),
    };
    let n = &load(lanes, &batch.normal);
    let pairs: [[Four<L>; 2]; LANES] = std::array::from_fn(|lane| {
        let a = lines[batch.a[lane] as usize].map(number);
        let b = lines[batch.b[lane] as usize].map(number);
        [a[0] - b[0], a[1] + b[1]]
    });
    let [vx, vy, vz, _] = Four::transpose(pairs.map(|[linear, _]| linear));
    let [sx, sy, sz, _] = Four::transpose(pairs.map(|[_, surface]| surface));
    let u = round::relative(n, &[vx, vy, vz], &[sx, sy, sz]);
    let bias = load(lanes, &batch.bias);
    let mut w: Vectors<L> = std::array::from_fn(|i| u[i] + bias[i]);
    let now = load(lanes, &batch.impulse);
    let before = load(lanes, &batch.before);
    let y: Vectors<L> = std::array::from_fn(|i| now[i] + constants.beta * (now[i] - before[i]));
    if let Some(given) = given {
        let (along, across) = (number(given.normal), number(given.tangential));
        let more = (along - across) * dot(&y, n);
        w = std::array::from_fn(|i| w[i] + (across * y[i] + more * n[i]));
    }
    let (ease_n, ease_t) = (contacts.ease_n, contacts.ease_t);
    let wn = dot(&w, n);
    let q: Vectors<L> = std::array::from_fn(|i| y[i] - ease_t * w[i]);
    let raw = dot(&q, n);
    let slide: Vectors<L> = std::array::from_fn(|i| w[i] - wn * n[i]);
    let across: Vectors<L> = std::array::from_fn(|i| q[i] - raw * n[i]);
    let wanted = Wanted {
        along: raw + (ease_t - ease_n) * wn,
        across: dot(&across, &across).sqrt(),
        sliding: dot(&slide, &slide).sqrt(),
    };
    let [mut zn, mut factor] = contacts.solve::<EXACT, AT_ONCE>(&wanted, constants);
    if let Some(cap) = cap {
        [zn, factor] = contacts.cut(number(*cap), [zn, factor], &wanted, constants);
    }
    let z: Vectors<L> = std::array::from_fn(|i| zn * n[i] + factor * across[i]);
    let d: Vectors<L> = std::array::from_fn(|i| z[i] - y[i]);
    let t = round::twist(n, &d);
    let columns = Four::transpose([d[0], d[1], d[2], zero]);
    let twists = Four::transpose([t[0], t[1], t[2], zero]);
    for lane in 0..LANES {
        let bodies = [batch.a[lane], batch.b[lane]];
        add(lanes, lines, bodies, columns[lane], twists[lane]);
    }
    let change: Vectors<L> = std::array::from_fn(|i| z[i] - now[i]);
    let dn = dot(&d, n);
    let square = dn * dn;
    // The certificate measures along the normal with w_T too.
    let ratio = ease_t / ease_n.above(zero).choose(ease_n, one);
    sums.uphill += dot(&w, &change);
    sums.step_squared += ratio * ratio * square + (dot(&d, &d) - square);
    sums.impulse_squared += dot(&z, &z);
    sums.change += dot(&change, &change);
    batch.before = batch.impulse;
    batch.impulse = store(z);
    if EXACT {
        batch.slip = contacts.slip.store();
    }
}
