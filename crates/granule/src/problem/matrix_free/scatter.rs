//! M⁻¹ D: the velocities that impulses make.

use super::MatrixFree;
use crate::math::DVec3;
use crate::parallel::{self, BODY_CHUNK, Four, Kernel, LANES, Lanes, Quad, run};
use crate::problem::lines::{BodyLines, Line4, Line8, Load, TwoLines};
use crate::problem::round;

impl MatrixFree {
    /// M⁻¹ D x: the velocities that impulses make.
    pub(in crate::problem) fn image(&self, x: &[f64], lines: &mut BodyLines) {
        match self.space.rows {
            1 if !self.turns() => self.scatter(&mut lines.four, x, |k| self.normal_line(x[k], k)),
            1 => self.scatter(&mut lines.eight, x, |k| self.normal_line8(x[k], k)),
            2 => {
                let blocks = x.as_chunks::<2>().0;
                self.scatter(&mut lines.eight, x, |k| self.vector_line(&blocks[k], k));
            }
            3 => {
                let blocks = x.as_chunks::<3>().0;
                self.scatter(&mut lines.eight, x, |k| self.vector_line(&blocks[k], k));
            }
            _ => {
                let blocks = x.as_chunks::<6>().0;
                self.scatter(&mut lines.eight, x, |k| self.screw_lines(&blocks[k], k));
            }
        }
    }

    /// The image of x into `next`; then `extrapolated` becomes the image of x + β (x - current).
    /// Gives (x - y)·W (x - y) for the y whose image `extrapolated` was before.
    pub(in crate::problem) fn advance_image(
        &self,
        x: &[f64],
        beta: f64,
        current: &BodyLines,
        [next, extrapolated]: [&mut BodyLines; 2],
        partials: &mut Vec<f64>,
    ) -> f64 {
        let four = [&mut next.four, &mut extrapolated.four];
        let eight = [&mut next.eight, &mut extrapolated.eight];
        let ahead = (x, beta);
        match self.space.rows {
            1 if !self.turns() => self.scatter_on(four, &current.four, ahead, partials, |k| {
                self.normal_line(x[k], k)
            }),
            1 => self.scatter_on(eight, &current.eight, ahead, partials, |k| {
                self.normal_line8(x[k], k)
            }),
            2 => {
                let x = x.as_chunks::<2>().0;
                self.scatter_on(eight, &current.eight, ahead, partials, |k| {
                    self.vector_line(&x[k], k)
                })
            }
            3 => {
                let x = x.as_chunks::<3>().0;
                self.scatter_on(eight, &current.eight, ahead, partials, |k| {
                    self.vector_line(&x[k], k)
                })
            }
            _ => {
                let x = x.as_chunks::<6>().0;
                self.scatter_on(eight, &current.eight, ahead, partials, |k| {
                    self.screw_lines(&x[k], k)
                })
            }
        }
    }

    /// Adds to velocities what an impulse at contact `k` makes.
    #[inline(always)]
    pub(in crate::problem) fn change_image(&self, lines: &mut BodyLines, k: usize, change: &[f64]) {
        if let Some(block) = k.checked_sub(self.space.contacts.len()) {
            for (body, [linear, surface]) in self.block_change(block, change) {
                let line = &mut lines.eight[body as usize];
                for axis in 0..3 {
                    line[axis] += linear[axis];
                    line[4 + axis] += surface[axis];
                }
            }
            return;
        }
        match *change {
            [x] if self.turns() => self.add_load(&mut lines.eight, k, self.normal_line8(x, k)),
            [x] => self.add_load(&mut lines.four, k, self.normal_line(x, k)),
            [x, y] => self.add_load(&mut lines.eight, k, self.vector_line(&[x, y], k)),
            [x, y, z] => self.add_load(&mut lines.eight, k, self.vector_line(&[x, y, z], k)),
            [x, y, z, p, q, r] => {
                let load = self.screw_lines(&[x, y, z, p, q, r], k);
                self.add_load(&mut lines.eight, k, load);
            }
            _ => unreachable!("a contact has 1, 2, 3 or 6 rows"),
        }
    }

    #[inline(always)]
    fn add_load<const N: usize>(&self, lines: &mut [[f64; N]], k: usize, load: impl Load<N>) {
        let contact = &self.space.contacts[k];
        for (body, mut value) in [(contact.a, load.on_a()), (contact.b, load.on_b())] {
            self.divide(&mut value, body as usize);
            let line = &mut lines[body as usize];
            for (entry, x) in line.iter_mut().zip(value) {
                *entry += x;
            }
        }
    }

    /// (x - y)·W (x - y) from the images of x and y: twice the kinetic energy of the difference.
    pub(in crate::problem) fn distance_squared(
        &self,
        first: &BodyLines,
        second: &BodyLines,
        partials: &mut Vec<f64>,
    ) -> f64 {
        let bodies = self.space.body_count();
        partials.clear();
        partials.resize(bodies.div_ceil(BODY_CHUNK), 0.0);
        parallel::each_mut(partials, |chunk, sum| {
            let range = chunk * BODY_CHUNK..bodies.min((chunk + 1) * BODY_CHUNK);
            *sum = if self.turns() {
                let (first, second) = (&first.eight[range.clone()], &second.eight[range.clone()]);
                let base = range.start;
                let pairs = range.zip(first.iter().zip(second));
                let parts = pairs.map(|(i, (a, b))| self.energy(i, a, b));
                parts.sum::<f64>() + self.general.turning_energy(base, first, second)
            } else {
                range
                    .map(|i| self.energy(i, &first.four[i], &second.four[i]))
                    .sum()
            };
        });
        partials.iter().sum()
    }

    /// Adds up the impulses on the bodies of a block: first its own contacts, then its visitors.
    /// `load(k)` gives what contact k adds to its bodies.
    #[inline(always)]
    fn sum_block<const N: usize, L: Load<N>>(
        &self,
        block: usize,
        chunk: &mut [[f64; N]],
        x: &[f64],
        load: impl Fn(usize) -> L,
    ) {
        let add = |line: &mut [f64; N], value: [f64; N]| {
            // The unused entries too: whole lines are added fastest.
            for k in 0..N {
                line[k] += value[k];
            }
        };
        let base = block * self.block;
        let contacts = &self.space.contacts[..];
        chunk.fill([0.0; N]);
        for k in self.own[block] as usize..self.own[block + 1] as usize {
            let value = load(k);
            add(&mut chunk[contacts[k].a as usize - base], value.on_a());
            if let Some(line) = chunk.get_mut((contacts[k].b as usize).wrapping_sub(base)) {
                add(line, value.on_b());
            }
        }
        let visitors = self.visitor_start[block] as usize..self.visitor_start[block + 1] as usize;
        for &k in &self.visitors[visitors] {
            let home = contacts[k as usize].b as usize - base;
            add(&mut chunk[home], load(k as usize).on_b());
        }
        if N == 8 {
            let general = &x[contacts.len() * self.space.rows..];
            (self.general).add(&self.space, block, base, chunk, general);
        }
    }

    /// An impulse along the normal.
    #[inline(always)]
    fn normal_line(&self, x: f64, k: usize) -> Line4 {
        let impulse = x * self.space.contacts[k].normal;
        [impulse.x, impulse.y, impulse.z, 0.0]
    }

    /// The same for bodies that turn.
    #[inline(always)]
    fn normal_line8(&self, x: f64, k: usize) -> Line8 {
        let [a, b, c, _] = self.normal_line(x, k);
        [a, b, c, 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    /// An impulse vector and its twist.
    #[inline(always)]
    fn vector_line<const ROWS: usize>(&self, v: &[f64; ROWS], k: usize) -> Line8 {
        let impulse = DVec3::new(v[0], v[1], if ROWS == 3 { v[2] } else { 0.0 });
        let twist = round::twist_of(self.space.contacts[k].normal, impulse);
        [
            impulse.x, impulse.y, impulse.z, 0.0, twist.x, twist.y, twist.z, 0.0,
        ]
    }

    /// An impulse with a moment.
    #[inline(always)]
    fn screw_lines(&self, x: &[f64; 6], k: usize) -> TwoLines {
        let force = DVec3::from_slice(&x[..3]);
        let moment = DVec3::from_slice(&x[3..]);
        let twist = round::twist_of(self.space.contacts[k].normal, force);
        let [on_a, on_b] = round::moments(self.space.arms[k], moment);
        let line = |f: DVec3, t: DVec3| [f.x, f.y, f.z, 0.0, t.x, t.y, t.z, 0.0];
        TwoLines([line(force, twist + on_a), line(-force, twist + on_b)])
    }

    /// Divides by the mass, and by the inertia if there is one.
    #[inline(always)]
    fn divide<const N: usize>(&self, line: &mut [f64; N], body: usize) {
        let inverse_mass = self.space.inverse_mass[body];
        for value in &mut line[..3] {
            *value *= inverse_mass;
        }
        if N == 8 {
            let turning = self.turning[body];
            for value in &mut line[4..7] {
                *value *= turning;
            }
        }
    }

    /// 1/m of a body, and r²/J where it turns.
    #[inline(always)]
    fn ease<const N: usize>(&self, body: usize) -> [f64; 2] {
        let turning = if N == 8 { self.turning[body] } else { 0.0 };
        [self.space.inverse_mass[body], turning]
    }

    /// m of a body, and J/r² where it turns.
    #[inline(always)]
    fn mass<const N: usize>(&self, body: usize) -> [f64; 2] {
        let resistance = if N == 8 { self.resistance[body] } else { 0.0 };
        [self.mass[body], resistance]
    }

    /// M⁻¹ D x into `lines`.
    fn scatter<const N: usize, L: Load<N>>(
        &self,
        lines: &mut Vec<[f64; N]>,
        x: &[f64],
        load: impl Fn(usize) -> L + Sync,
    ) {
        lines.resize(self.space.inverse_mass.len(), [0.0; N]);
        parallel::chunks_mut(lines, self.block, |block, lines| {
            run(Scatter {
                operator: self,
                block,
                x,
                load: &load,
                lines,
            });
        });
    }

    /// [`MatrixFree::scatter`] of x into `next`, and while each block is in the cache,
    /// `extrapolated = next + β (next - current)`. Gives (x - y)·W (x - y) for the y whose image
    /// `extrapolated` was before.
    fn scatter_on<const N: usize, L: Load<N>>(
        &self,
        [next, extrapolated]: [&mut Vec<[f64; N]>; 2],
        current: &[[f64; N]],
        (x, beta): (&[f64], f64),
        partials: &mut Vec<f64>,
        load: impl Fn(usize) -> L + Sync,
    ) -> f64 {
        let bodies = self.space.inverse_mass.len();
        next.resize(bodies, [0.0; N]);
        partials.clear();
        partials.resize(bodies.div_ceil(self.block), 0.0);
        parallel::chunks_map2(
            next,
            extrapolated,
            [self.block; 2],
            partials,
            |block, lines, extrapolated| {
                let scatter = Scatter {
                    operator: self,
                    block,
                    x,
                    load: &load,
                    lines,
                };
                run(ScatterOn {
                    scatter,
                    current,
                    extrapolated,
                    beta,
                })
            },
        );
        partials.iter().sum()
    }

    /// Twice the kinetic energy of a body with the difference of two velocities.
    #[inline(always)]
    fn energy<const N: usize>(&self, body: usize, a: &[f64; N], b: &[f64; N]) -> f64 {
        let square = |first: usize| {
            let (x, y, z) = (
                a[first] - b[first],
                a[first + 1] - b[first + 1],
                a[first + 2] - b[first + 2],
            );
            x * x + y * y + z * z
        };
        let linear = self.mass[body] * square(0);
        if N == 8 {
            linear + self.resistance[body] * square(4)
        } else {
            linear
        }
    }
}

/// M⁻¹ D x for a block of bodies.
struct Scatter<'a, F, const N: usize> {
    operator: &'a MatrixFree,
    block: usize,
    x: &'a [f64],
    load: &'a F,
    lines: &'a mut [[f64; N]],
}

impl<T: Load<N>, F: Fn(usize) -> T, const N: usize> Kernel for Scatter<'_, F, N> {
    type Output = ();

    #[inline(always)]
    fn work<L: Lanes>(self, _: L) {
        let operator = self.operator;
        operator.sum_block(self.block, self.lines, self.x, self.load);
        for (offset, line) in self.lines.iter_mut().enumerate() {
            operator.divide(line, self.block * operator.block + offset);
        }
    }
}

/// The same, and what follows from it: see [`MatrixFree::scatter_on`].
struct ScatterOn<'a, F, const N: usize> {
    scatter: Scatter<'a, F, N>,
    current: &'a [[f64; N]],
    extrapolated: &'a mut [[f64; N]],
    beta: f64,
}

impl<T: Load<N>, F: Fn(usize) -> T, const N: usize> Kernel for ScatterOn<'_, F, N> {
    type Output = f64;

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) -> f64 {
        let Scatter {
            operator,
            block,
            x,
            load,
            lines: next,
        } = self.scatter;
        operator.sum_block(block, next, x, load);
        let base = block * operator.block;
        let (y, current) = (self.extrapolated, &self.current[base..base + next.len()]);
        let mut bend = if N == 8 {
            operator.general.turning_energy(base, next, y)
        } else {
            0.0
        };
        let beta = Four::splat(lanes, self.beta);
        for (offset, ((next, y), x)) in next.iter_mut().zip(y).zip(current).enumerate() {
            let body = base + offset;
            let (ease, mass) = (operator.ease::<N>(body), operator.mass::<N>(body));
            let mut energy = 0.0;
            for part in 0..N / LANES {
                let four = |line: &[f64; N]| Four::load(lanes, Quad::part(line, part));
                let z = four(next) * Four::splat(lanes, ease[part]);
                let difference = z - four(y);
                let Quad([a, b, c, _]) = (difference * difference).store();
                energy += mass[part] * (a + b + c);
                let ahead = z + beta * (z - four(x));
                z.store().put(next, part);
                ahead.store().put(y, part);
            }
            bend += energy;
        }
        bend
    }
}
