//! One sweep over contacts with second-order cones in space, four at a time.

use super::batches::{Batch, Batches, Given};
use super::momentum::Pace;
use crate::parallel::{Four, Kernel, LANES, Lanes, Quad};
use crate::problem::round;
use crate::solver::lanes::{Vectors, dot, load, store};
use crate::solver::monitor::StepSums;
use std::marker::PhantomData;

/// Velocity of a body: [v, 1/m] and [r ω, r²/J].
pub(super) type Line = [Quad; 2];

/// A sweep over all batches, each contact solved as `C` does.
pub(super) struct Sweep<'a, C> {
    batches: &'a mut Batches,
    lines: &'a mut [Line],
    pace: Pace,
    one: PhantomData<C>,
}

impl<'a, C: OneContact> Sweep<'a, C> {
    pub(super) fn new(batches: &'a mut Batches, lines: &'a mut [Line], pace: Pace) -> Self {
        Self {
            batches,
            lines,
            pace,
            one: PhantomData,
        }
    }
}

impl<C: OneContact> Kernel for Sweep<'_, C> {
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
        let mut sums = Sums {
            uphill: constants.zero,
            step_squared: constants.zero,
            impulse_squared: constants.zero,
            change: constants.zero,
        };
        let Batches { list, given, .. } = self.batches;
        for (place, batch) in list.iter_mut().enumerate() {
            four::<L, C>(batch, given.get(place), self.lines, &constants, &mut sums);
        }
        StepSums {
            uphill: sums.uphill.sum(),
            step_squared: sums.step_squared.sum(),
            length_squared: 0.0,
            impulse_squared: sums.impulse_squared.sum(),
            change: sums.change.sum(),
            size: 0.0,
        }
    }
}

/// The velocities of y = λ + β (λ - λ before) from those of λ, which become the ones before.
pub(super) struct Extrapolation<'a> {
    pub(super) lines: &'a mut [Line],
    pub(super) before: &'a mut [Line],
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

/// Sums of four contacts side by side.
struct Sums<L: Lanes> {
    uphill: Four<L>,
    step_squared: Four<L>,
    impulse_squared: Four<L>,
    change: Four<L>,
}

/// Adds what an impulse d with twist t changes to both bodies of a contact.
#[inline(always)]
pub(super) fn add<L: Lanes>(
    lanes: L,
    lines: &mut [Line],
    [a, b]: [u32; 2],
    d: Four<L>,
    t: Four<L>,
) {
    // The last entries of d and t are zero, so those of the lines stay.
    let parts = |line: &Line| {
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
struct Contacts<L: Lanes> {
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

/// How one contact is solved: the impulse along the normal, and the factor of the part across it.
pub(super) trait OneContact {
    /// Whether the slip of the contacts changes.
    const SLIPS: bool;

    #[expect(private_interfaces, reason = "used in this file alone")]
    fn solve<L: Lanes>(
        contacts: &mut Contacts<L>,
        wanted: &Wanted<L>,
        constants: &Constants<L>,
    ) -> [Four<L>; 2];
}

/// The convexified law: the projection in the metric (w_n, w_T, w_T).
pub(super) struct Convex;
/// The same with a slip that follows de Saxcé's.
pub(super) struct Following;
/// Exact friction, solved at once.
pub(super) struct AtOnce;

impl<L: Lanes> Constants<L> {
    /// 1 / length, or 0.
    #[inline(always)]
    fn inverse(&self, length: Four<L>) -> Four<L> {
        let some = length.above(self.zero);
        some.choose(self.one / some.choose(length, self.one), self.zero)
    }
}

impl<L: Lanes> Contacts<L> {
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

    /// Lets the slip follow.
    #[inline(always)]
    fn follow(&mut self, wanted: &Wanted<L>, share: Four<L>) {
        let dilation = self.friction * wanted.sliding;
        self.slip += share * (dilation - self.slip);
    }
}

#[expect(private_interfaces, reason = "used in this file alone")]
impl OneContact for Convex {
    const SLIPS: bool = false;

    #[inline(always)]
    fn solve<L: Lanes>(
        contacts: &mut Contacts<L>,
        wanted: &Wanted<L>,
        constants: &Constants<L>,
    ) -> [Four<L>; 2] {
        contacts.project(wanted.along, wanted.across, constants)
    }
}

#[expect(private_interfaces, reason = "used in this file alone")]
impl OneContact for Following {
    const SLIPS: bool = true;

    #[inline(always)]
    fn solve<L: Lanes>(
        contacts: &mut Contacts<L>,
        wanted: &Wanted<L>,
        constants: &Constants<L>,
    ) -> [Four<L>; 2] {
        contacts.follow(wanted, constants.share);
        let along = wanted.along - contacts.ease_n * contacts.slip;
        contacts.project(along, wanted.across, constants)
    }
}

#[expect(private_interfaces, reason = "used in this file alone")]
impl OneContact for AtOnce {
    const SLIPS: bool = true;

    #[inline(always)]
    fn solve<L: Lanes>(
        contacts: &mut Contacts<L>,
        wanted: &Wanted<L>,
        constants: &Constants<L>,
    ) -> [Four<L>; 2] {
        contacts.follow(wanted, constants.share);
        let along = wanted.along.larger(constants.zero);
        let limit = contacts.friction * along;
        let sticks = wanted.across.at_most(limit);
        let sliding = limit * constants.inverse(wanted.across);
        [along, sticks.choose(constants.one, sliding)]
    }
}

/// Solves the four contacts of a batch, each for the velocities at hand; `given` where they give.
#[inline(always)]
fn four<L: Lanes, C: OneContact>(
    batch: &mut Batch,
    given: Option<&Given>,
    lines: &mut [Line],
    constants: &Constants<L>,
    sums: &mut Sums<L>,
) {
    let &Constants {
        lanes, zero, one, ..
    } = constants;
    let number = |quad: Quad| Four::load(lanes, quad);
    let mut contacts = Contacts {
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
    let [zn, factor] = C::solve(&mut contacts, &wanted, constants);
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
    if C::SLIPS {
        batch.slip = contacts.slip.store();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::{Plain, run};
    use crate::solver::ags::momentum::Slip;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    const BODIES: u32 = 40;

    fn quad(random: &mut Pcg64, range: std::ops::Range<f64>) -> Quad {
        Quad(std::array::from_fn(|_| random.random_range(range.clone())))
    }

    /// Contacts of spheres in random places with random impulses, some of them none.
    fn batch(random: &mut Pcg64) -> Batch {
        let mut normal = [Quad::default(); 3];
        for lane in 0..LANES {
            let mut component = || random.random_range(-1.0..1.0);
            let n = crate::math::DVec3::new(component(), component(), component()).normalize();
            for (axis, x) in n.to_array().into_iter().enumerate() {
                normal[axis].0[lane] = x;
            }
        }
        let carries = f64::from(random.random_bool(0.5));
        let vectors = |random: &mut Pcg64, size: f64| {
            std::array::from_fn(|_| Quad(quad(random, -1.0..1.0).0.map(|x| size * x)))
        };
        let mut bodies = || std::array::from_fn(|_| random.random_range(0..BODIES));
        Batch {
            contact: [0, 1, 2, 3],
            a: bodies(),
            b: bodies(),
            normal,
            bias: vectors(random, 1.0),
            friction: quad(random, 0.0..1.0),
            ease_n: quad(random, 0.1..2.0),
            ease_t: quad(random, 0.1..1.0),
            impulse: vectors(random, carries),
            before: vectors(random, carries),
            slip: quad(random, 0.0..0.1),
        }
    }

    #[derive(Clone)]
    struct State {
        batches: Batches,
        lines: Vec<Line>,
    }

    fn bits(State { batches, lines }: &State) -> Vec<u64> {
        let of_batches = batches.list.iter().flat_map(|batch| {
            let vectors = batch.impulse.into_iter().chain(batch.before);
            vectors.chain([batch.slip])
        });
        let quads = of_batches.chain(lines.iter().copied().flatten());
        quads.flat_map(|quad| quad.0.map(f64::to_bits)).collect()
    }

    fn sums_bits(sums: &StepSums) -> [u64; 4] {
        let StepSums {
            uphill,
            step_squared,
            impulse_squared,
            change,
            ..
        } = *sums;
        [uphill, step_squared, impulse_squared, change].map(f64::to_bits)
    }

    fn sweeps_agree<C: OneContact>(state: &State) {
        let pace = Pace {
            beta: 0.7,
            share: 0.25,
            slip: Slip::Follows,
        };
        let (mut one, mut other) = (state.clone(), state.clone());
        for _ in 0..5 {
            let first = run(Sweep::<C>::new(&mut one.batches, &mut one.lines, pace));
            let second = Sweep::<C>::new(&mut other.batches, &mut other.lines, pace).work(Plain);
            assert_eq!(sums_bits(&first), sums_bits(&second));
            assert_eq!(bits(&one), bits(&other));
        }
        assert_ne!(bits(&one), bits(state));
    }

    #[test]
    fn a_sweep_has_the_same_bits_on_all_processors() {
        let mut random = Pcg64::seed_from_u64(1);
        let list: Vec<Batch> = (0..50).map(|_| batch(&mut random)).collect();
        let mut line = || [quad(&mut random, -1.0..1.0), quad(&mut random, -1.0..1.0)];
        let lines = (0..BODIES).map(|_| line().map(|Quad([x, y, z, w])| Quad([x, y, z, w.abs()])));
        let mut state = State {
            lines: lines.collect(),
            batches: Batches::default(),
        };
        state.batches.list.extend(list);
        sweeps_agree::<Convex>(&state);
        sweeps_agree::<Following>(&state);
        sweeps_agree::<AtOnce>(&state);
        // The same with contacts that give.
        let given = || Given {
            normal: quad(&mut random, 0.0..0.2),
            tangential: quad(&mut random, 0.0..0.2),
        };
        state.batches.given = std::iter::repeat_with(given).take(50).collect();
        sweeps_agree::<Convex>(&state);
        sweeps_agree::<Following>(&state);
        sweeps_agree::<AtOnce>(&state);
    }
}
