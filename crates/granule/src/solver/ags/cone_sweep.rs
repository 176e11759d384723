//! Gauss-Seidel sweeps over contacts with second-order cones in space, four at a time, and only over
//! those that matter.

use super::batches::{Batch, Batches, Given, Lane, NONE, lane_of};
use super::block_sweep::BlockSweep;
use super::momentum::{Pace, Slip};
use crate::law::Flow;
use crate::math::DVec3;
use crate::problem::{BodySpace, ContactProblem, MatrixFree, round};
use crate::solver::lanes::{LANES, Vectors, dot};
use crate::solver::monitor::StepSums;
use wide::f64x4;

/// Velocity of a body: [v, 1/m] and [r ω, r²/J].
pub(super) type Line = [f64x4; 2];

/// The contacts, the impulses and the velocities that these make.
#[derive(Debug, Default)]
pub(super) struct ConeSweep {
    /// Contacts that are swept.
    active: Batches,
    /// Contacts that carry nothing and, when last looked at, wanted nothing.
    passive: Vec<u32>,
    /// M⁻¹ D y, and M⁻¹ D of the last λ.
    lines: Vec<Line>,
    before: Vec<Line>,
    /// λ and the λ before it of all contacts, as far as they are not in the batches.
    impulses: Vec<[f64; 3]>,
    earlier: Vec<[f64; 3]>,
    /// s of exact friction, m/s, likewise.
    slips: Vec<f64>,
    /// Contacts to be swept from the next change of the lists on.
    chosen: Vec<u32>,
    /// What is not round.
    blocks: BlockSweep,
}

/// Sums of four contacts side by side.
#[derive(Default)]
struct Sums {
    uphill: f64x4,
    step_squared: f64x4,
    impulse_squared: f64x4,
    change: f64x4,
}

impl ConeSweep {
    /// Takes a problem, with μ of its round contacts, and a start.
    pub(super) fn prepare(
        &mut self,
        problem: &ContactProblem,
        (operator, friction): (&MatrixFree, &[f64]),
        start: &[f64],
    ) {
        let space = &operator.space;
        let (round, rest) = start.split_at(3 * space.contacts.len());
        self.blocks.prepare(problem, rest);
        self.impulses.clear();
        self.impulses.extend_from_slice(round.as_chunks::<3>().0);
        self.earlier.clone_from(&self.impulses);
        self.slips.clear();
        self.slips.resize(self.impulses.len(), 0.0);
        self.set_velocities(operator);
        self.passive.clear();
        self.passive.extend(0..space.contacts.len() as u32);
        self.active.clear(space.inverse_mass.len());
        self.wake(problem, space, friction);
    }

    /// M⁻¹ D of the impulses, anew.
    fn set_velocities(&mut self, operator: &MatrixFree) {
        let space = &operator.space;
        let set = |lines: &mut Vec<Line>, impulses: &[[f64; 3]]| {
            lines.clear();
            lines.extend((0..space.inverse_mass.len()).map(|body| {
                [
                    f64x4::new([0.0, 0.0, 0.0, space.inverse_mass[body]]),
                    f64x4::new([0.0, 0.0, 0.0, space.turning(body)]),
                ]
            }));
            for (contact, impulse) in space.contacts.iter().zip(impulses) {
                let d = DVec3::from_array(*impulse);
                if d == DVec3::ZERO {
                    continue;
                }
                let t = round::twist_of(contact.normal, d);
                let d = f64x4::new([d.x, d.y, d.z, 0.0]);
                let t = f64x4::new([t.x, t.y, t.z, 0.0]);
                add(lines, contact.a, contact.b, d, t);
            }
        };
        set(&mut self.lines, &self.impulses);
        set(&mut self.before, &self.earlier);
        (self.blocks).add_velocities(operator, &mut self.lines, &mut self.before);
    }

    /// Looks at the passive contacts and takes those up that want an impulse, or start with one.
    pub(super) fn wake(&mut self, problem: &ContactProblem, space: &BodySpace, friction: &[f64]) {
        let bias = problem.bias.as_chunks::<3>().0;
        let exact = problem.flow == Flow::Exact;
        let (lines, impulses, slips) = (&self.lines, &self.impulses, &mut self.slips);
        self.chosen.clear();
        let chosen = &mut self.chosen;
        self.passive.retain(|&k| {
            let contact = &space.contacts[k as usize];
            let (a, b) = (&lines[contact.a as usize], &lines[contact.b as usize]);
            let vector = |line: f64x4| {
                let [x, y, z, _] = line.to_array();
                DVec3::new(x, y, z)
            };
            let k = k as usize;
            let (linear, surface) = (vector(a[0] - b[0]), vector(a[1] + b[1]));
            let mut w = round::relative_velocity(contact.normal, linear, surface)
                + DVec3::from_array(bias[k]);
            if let Some(given) = space.compliance.get(k) {
                w += given.of_force(DVec3::from_array(impulses[k]), contact.normal);
            }
            let along = w.dot(contact.normal);
            let dilation = friction[k] * (w - along * contact.normal).length();
            let wanted = impulses[k] != [0.0; 3] || along < if exact { 0.0 } else { dilation };
            slips[k] = dilation;
            if wanted {
                chosen.push(k as u32);
            }
            !wanted
        });
        self.take_up(problem, space, friction);
    }

    /// Adds the chosen contacts to the sweeps.
    fn take_up(&mut self, problem: &ContactProblem, space: &BodySpace, friction: &[f64]) {
        let bias = problem.bias.as_chunks::<3>().0;
        for &contact in &self.chosen {
            let k = contact as usize;
            let lane = Lane {
                contact,
                friction: friction[k],
                bias: bias[k],
                impulse: self.impulses[k],
                before: self.earlier[k],
                slip: self.slips[k],
            };
            self.active.push(space, &lane);
        }
    }

    /// Takes the impulses out of the batches.
    fn collect(&mut self) {
        for batch in &self.active.list {
            for (lane, &contact) in batch.contact.iter().enumerate() {
                if contact != NONE {
                    self.impulses[contact as usize] = lane_of(&batch.impulse, lane);
                    self.earlier[contact as usize] = lane_of(&batch.before, lane);
                    self.slips[contact as usize] = batch.slip.as_array()[lane];
                }
            }
        }
    }

    /// Computes the velocities anew, without what rounding has added to them.
    pub(super) fn refresh(&mut self, operator: &MatrixFree) {
        self.collect();
        self.set_velocities(operator);
    }

    /// Puts the contacts in their own order again, without those that have carried nothing for two
    /// sweeps, and computes the velocities anew.
    pub(super) fn rebuild(
        &mut self,
        problem: &ContactProblem,
        operator: &MatrixFree,
        friction: &[f64],
    ) {
        let space = &operator.space;
        self.refresh(operator);
        self.active.clear(space.inverse_mass.len());
        self.chosen.clear();
        self.passive.clear();
        for k in 0..space.contacts.len() {
            let carries = self.impulses[k] != [0.0; 3] || self.earlier[k] != [0.0; 3];
            let list = if carries {
                &mut self.chosen
            } else {
                &mut self.passive
            };
            list.push(k as u32);
        }
        self.take_up(problem, space, friction);
    }

    /// λ into `out`.
    pub(super) fn impulses(&mut self, out: &mut Vec<f64>) {
        self.collect();
        out.clear();
        out.extend_from_slice(self.impulses.as_flattened());
        out.extend_from_slice(self.blocks.impulses());
    }

    /// One sweep from y = λ + β (λ - λ before).
    pub(super) fn sweep(
        &mut self,
        problem: &ContactProblem,
        operator: &MatrixFree,
        pace: Pace,
    ) -> StepSums {
        let flow = problem.flow;
        let mut sums = Sums::default();
        let ahead = Ahead {
            beta: f64x4::splat(pace.beta),
            share: f64x4::splat(pace.share),
        };
        let (lines, batches) = (&mut self.lines[..], &mut self.active);
        match (flow, pace.slip) {
            (Flow::Associated, _) => all::<Convex>(batches, lines, &ahead, &mut sums),
            (Flow::Exact, Slip::Follows) => all::<Following>(batches, lines, &ahead, &mut sums),
            (Flow::Exact, Slip::AtOnce) => all::<AtOnce>(batches, lines, &ahead, &mut sums),
        }
        let mut sums = StepSums {
            uphill: sums.uphill.reduce_add(),
            step_squared: sums.step_squared.reduce_add(),
            length_squared: 0.0,
            impulse_squared: sums.impulse_squared.reduce_add(),
            change: sums.change.reduce_add(),
            size: 0.0,
        };
        (self.blocks).sweep(operator, lines, (flow, pace), &mut sums);
        sums
    }

    /// The velocities of y = λ + β (λ - λ before) from those of λ.
    pub(super) fn extrapolate(&mut self, beta: f64) {
        let beta = f64x4::splat(beta);
        for (line, before) in self.lines.iter_mut().zip(&mut self.before) {
            let now = *line;
            for k in 0..2 {
                line[k] = now[k] + beta * (now[k] - before[k]);
            }
            *before = now;
        }
    }
}

/// Adds what an impulse d with twist t changes to both bodies of a contact.
#[inline(always)]
fn add(lines: &mut [Line], a: u32, b: u32, d: f64x4, t: f64x4) {
    // The last entries of d and t are zero, so those of the lines stay.
    let line = &mut lines[a as usize];
    let (ease, turning) = (line[0].as_array()[3], line[1].as_array()[3]);
    line[0] += d * f64x4::splat(ease);
    line[1] += t * f64x4::splat(turning);
    let line = &mut lines[b as usize];
    let (ease, turning) = (line[0].as_array()[3], line[1].as_array()[3]);
    line[0] -= d * f64x4::splat(ease);
    line[1] += t * f64x4::splat(turning);
}

/// β, and the share of its new value that the slip takes on.
struct Ahead {
    beta: f64x4,
    share: f64x4,
}

/// What four contacts alone would want, q = y - W_kk⁻¹ w.
struct Wanted {
    along: f64x4,
    /// |q_T|.
    across: f64x4,
    /// |w_T|, m/s.
    sliding: f64x4,
}

/// How one contact is solved: the impulse along the normal, and the factor of the part across it.
trait OneContact {
    fn solve(batch: &mut Batch, wanted: &Wanted, share: f64x4) -> [f64x4; 2];
}

/// The convexified law: the projection in the metric (w_n, w_T, w_T).
struct Convex;
/// The same with a slip that follows de Saxcé's.
struct Following;
/// Exact friction, solved at once.
struct AtOnce;

/// 1 / length, or 0.
#[inline(always)]
fn inverse(length: f64x4) -> f64x4 {
    let some = length.simd_gt(f64x4::ZERO);
    some.select(f64x4::ONE / some.select(length, f64x4::ONE), f64x4::ZERO)
}

#[inline(always)]
fn project(batch: &Batch, along: f64x4, across: f64x4) -> [f64x4; 2] {
    let (zero, one) = (f64x4::ZERO, f64x4::ONE);
    let (ease_n, ease_t, mu) = (batch.ease_n, batch.ease_t, batch.friction);
    let inside = along.simd_gt(zero) & across.simd_le(mu * along);
    let bent = mu * ease_n;
    let denominator = ease_t + mu * bent;
    let denominator = denominator.simd_gt(zero).select(denominator, one);
    let edge = ((ease_t * along + bent * across) / denominator).fast_max(zero);
    [
        inside.select(along, edge),
        inside.select(one, mu * edge * inverse(across)),
    ]
}

/// Lets the slip of four contacts follow.
#[inline(always)]
fn follow(batch: &mut Batch, wanted: &Wanted, share: f64x4) {
    let dilation = batch.friction * wanted.sliding;
    batch.slip += share * (dilation - batch.slip);
}

impl OneContact for Convex {
    #[inline(always)]
    fn solve(batch: &mut Batch, wanted: &Wanted, _: f64x4) -> [f64x4; 2] {
        project(batch, wanted.along, wanted.across)
    }
}

impl OneContact for Following {
    #[inline(always)]
    fn solve(batch: &mut Batch, wanted: &Wanted, share: f64x4) -> [f64x4; 2] {
        follow(batch, wanted, share);
        let along = wanted.along - batch.ease_n * batch.slip;
        project(batch, along, wanted.across)
    }
}

impl OneContact for AtOnce {
    #[inline(always)]
    fn solve(batch: &mut Batch, wanted: &Wanted, share: f64x4) -> [f64x4; 2] {
        follow(batch, wanted, share);
        let along = wanted.along.fast_max(f64x4::ZERO);
        let limit = batch.friction * along;
        let sticks = wanted.across.simd_le(limit);
        let factor = sticks.select(f64x4::ONE, limit * inverse(wanted.across));
        [along, factor]
    }
}

/// Solves the contacts of all batches, one batch after the other.
#[inline(always)]
fn all<C: OneContact>(batches: &mut Batches, lines: &mut [Line], ahead: &Ahead, sums: &mut Sums) {
    if batches.given.is_empty() {
        for batch in &mut batches.list {
            four::<C>(batch, lines, ahead, sums, |w, _, _| w);
        }
    } else {
        for (batch, given) in batches.list.iter_mut().zip(&batches.given) {
            four::<C>(batch, lines, ahead, sums, |w, y, n| given.add(w, y, n));
        }
    }
}

impl Given {
    /// w + E y.
    #[inline(always)]
    fn add(&self, w: Vectors, y: &Vectors, n: &Vectors) -> Vectors {
        let more = (self.normal - self.tangential) * dot(y, n);
        std::array::from_fn(|i| w[i] + (self.tangential * y[i] + more * n[i]))
    }
}

/// Solves the four contacts of a batch, each for the velocities at hand; `give(w, y, n)` adds E y to w.
#[inline(always)]
fn four<C: OneContact>(
    batch: &mut Batch,
    lines: &mut [Line],
    ahead: &Ahead,
    sums: &mut Sums,
    give: impl Fn(Vectors, &Vectors, &Vectors) -> Vectors,
) {
    let n = batch.normal;
    let n = &n;
    let (zero, one) = (f64x4::ZERO, f64x4::ONE);
    let pairs: [(f64x4, f64x4); LANES] = std::array::from_fn(|lane| {
        let a = &lines[batch.a[lane] as usize];
        let b = &lines[batch.b[lane] as usize];
        (a[0] - b[0], a[1] + b[1])
    });
    let [vx, vy, vz, _] = f64x4::transpose(pairs.map(|(linear, _)| linear));
    let [sx, sy, sz, _] = f64x4::transpose(pairs.map(|(_, surface)| surface));
    let u = round::relative(n, &[vx, vy, vz], &[sx, sy, sz]);
    let w: Vectors = std::array::from_fn(|i| u[i] + batch.bias[i]);
    let now = batch.impulse;
    let y: Vectors = std::array::from_fn(|i| now[i] + ahead.beta * (now[i] - batch.before[i]));
    let w = give(w, &y, n);
    let (ease_n, ease_t) = (batch.ease_n, batch.ease_t);
    let wn = dot(&w, n);
    let q: Vectors = std::array::from_fn(|i| y[i] - ease_t * w[i]);
    let raw = dot(&q, n);
    let slide: Vectors = std::array::from_fn(|i| w[i] - wn * n[i]);
    let across: Vectors = std::array::from_fn(|i| q[i] - raw * n[i]);
    let wanted = Wanted {
        along: raw + (ease_t - ease_n) * wn,
        across: dot(&across, &across).sqrt(),
        sliding: dot(&slide, &slide).sqrt(),
    };
    let [zn, factor] = C::solve(batch, &wanted, ahead.share);
    let z: Vectors = std::array::from_fn(|i| zn * n[i] + factor * across[i]);
    let d: Vectors = std::array::from_fn(|i| z[i] - y[i]);
    let t = round::twist(n, &d);
    let columns = f64x4::transpose([d[0], d[1], d[2], zero]);
    let twists = f64x4::transpose([t[0], t[1], t[2], zero]);
    for lane in 0..LANES {
        add(
            lines,
            batch.a[lane],
            batch.b[lane],
            columns[lane],
            twists[lane],
        );
    }
    let change: Vectors = std::array::from_fn(|i| z[i] - now[i]);
    let dn = dot(&d, n);
    let square = dn * dn;
    // The certificate measures along the normal with w_T too.
    let ratio = ease_t / ease_n.simd_gt(zero).select(ease_n, one);
    sums.uphill += dot(&w, &change);
    sums.step_squared += ratio * ratio * square + (dot(&d, &d) - square);
    sums.impulse_squared += dot(&z, &z);
    sums.change += dot(&change, &change);
    batch.before = now;
    batch.impulse = z;
}
