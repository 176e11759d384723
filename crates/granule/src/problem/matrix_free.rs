//! The Delassus operator W = Dᵀ M⁻¹ D, applied without ever being formed.
//!
//! One application is a scatter (each contact adds its impulse to two bodies) and a gather (each
//! contact reads two velocities). It is bound by memory, so a contact is 32 bytes (two indices and
//! a normal) and a body one or half a cache line.
//!
//! **Parallel by owner.** Bodies are cut into blocks of consecutive places. The contacts are sorted
//! by their first body, so those of a block are consecutive too, and the block's owner adds them
//! up alone; contacts whose second body lies in another block stand in that block's list of
//! visitors and are added after its own. Each body's sum thus has one fixed order, whatever the
//! number of threads, and no two threads write to the same body. With bodies in spatial order few
//! contacts are visitors.

use super::delassus::map_contacts;
use super::general_lines::{GeneralLines, velocities_of};
use super::lines::{BodyLines, Line4, Line8, Load, TwoLines, relative, relative_spin};
use super::{BodySpace, Delassus, Lever};
use crate::law::Metric;
use crate::math::DVec3;
use crate::parallel::{self, BODY_CHUNK, CONTACT_CHUNK};

/// The operator, ready to be applied.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixFree {
    /// Contacts, bodies and masses.
    pub space: BodySpace,
    /// Bodies in a block.
    block: usize,
    /// The contacts of block k are `own[k]..own[k + 1]`.
    own: Vec<u32>,
    /// The contacts whose `b` lies in block k and `a` does not are `visitors[visitor_start[k]..]`.
    visitors: Vec<u32>,
    visitor_start: Vec<u32>,
    /// Contacts that are not round, and joints.
    general: GeneralLines,
    /// r²/J of each body, 1/kg; one for what turns by a tensor; empty where bodies do not turn.
    turning: Vec<f64>,
    /// m of each body, kg; zero for what does not move.
    mass: Vec<f64>,
    /// J/r² of each body, kg; zero for what does not turn, and for what turns by a tensor; empty where bodies do not
    /// turn.
    resistance: Vec<f64>,
}

impl Default for MatrixFree {
    fn default() -> Self {
        Self::new(BodySpace::default())
    }
}

impl MatrixFree {
    /// Prepares the operator; `space` must satisfy [`BodySpace::assert_valid`].
    pub fn new(space: BodySpace) -> Self {
        let mut operator = Self {
            space,
            block: 0,
            own: Vec::new(),
            visitors: Vec::new(),
            visitor_start: Vec::new(),
            general: GeneralLines::default(),
            turning: Vec::new(),
            mass: Vec::new(),
            resistance: Vec::new(),
        };
        operator.prepare();
        operator
    }

    /// Recomputes what depends on the contacts after [`MatrixFree::space`] was changed. Allocates
    /// only when there are more contacts or bodies than ever before.
    pub fn prepare(&mut self) {
        if cfg!(debug_assertions) {
            self.space.assert_valid();
        }
        let bodies = self.space.inverse_mass.len();
        // Enough blocks for many threads, large enough that few contacts cross them.
        self.block = (bodies / 32).clamp(512, 4096);
        let blocks = bodies.div_ceil(self.block);
        self.own.clear();
        self.own.resize(blocks + 1, 0);
        self.visitor_start.clear();
        self.visitor_start.resize(blocks + 2, 0);
        let visits = |space: &BodySpace, block: usize, index: usize| {
            let contact = &space.contacts[index];
            let home = contact.b as usize / block;
            let moves = space.inverse_mass[contact.b as usize] > 0.0;
            (moves && home != contact.a as usize / block).then_some(home)
        };
        for index in 0..self.space.contacts.len() {
            self.own[self.space.contacts[index].a as usize / self.block + 1] += 1;
            if let Some(home) = visits(&self.space, self.block, index) {
                self.visitor_start[home + 2] += 1;
            }
        }
        for k in 0..blocks {
            self.own[k + 1] += self.own[k];
            self.visitor_start[k + 2] += self.visitor_start[k + 1];
        }
        self.visitors.clear();
        self.visitors
            .resize(self.visitor_start[blocks + 1] as usize, 0);
        for index in 0..self.space.contacts.len() {
            if let Some(home) = visits(&self.space, self.block, index) {
                let slot = &mut self.visitor_start[home + 1];
                self.visitors[*slot as usize] = index as u32;
                *slot += 1;
            }
        }
        let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        self.mass.clear();
        self.mass
            .extend(self.space.inverse_mass.iter().map(|&x| inverse(x)));
        self.turning.clear();
        self.resistance.clear();
        self.space.prepare_general();
        self.general.prepare(&self.space, self.block);
        if self.turns() {
            self.turning
                .extend((0..bodies).map(|body| self.space.turning(body)));
            self.resistance
                .extend(self.turning.iter().map(|&x| inverse(x)));
            for (body, _) in &self.space.general.tensors {
                self.turning[*body as usize] = 1.0;
                self.resistance[*body as usize] = 0.0;
            }
        }
    }

    /// Whether impulses turn bodies: always but where all contacts are round and without friction.
    fn turns(&self) -> bool {
        self.space.rows > 1 || !self.space.general.is_empty()
    }

    /// M⁻¹ D x: the velocities that impulses make.
    pub(super) fn image(&self, x: &[f64], lines: &mut BodyLines) {
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

    /// Dᵀ of the velocities, chunk by chunk: see [`Delassus::map_image`].
    pub(super) fn map_image<P, F>(
        &self,
        lines: &BodyLines,
        out: &mut [f64],
        memory: &mut [f64],
        partials: &mut [P],
        then: F,
    ) where
        P: Send,
        F: Fn(usize, &mut [f64], &mut [f64]) -> P + Sync,
    {
        match self.space.rows {
            1 => self.gather::<1, P, _>(lines, [out, memory], partials, then),
            2 => self.gather::<2, P, _>(lines, [out, memory], partials, then),
            3 => self.gather::<3, P, _>(lines, [out, memory], partials, then),
            _ => self.gather::<6, P, _>(lines, [out, memory], partials, then),
        }
    }

    /// The rows of contact `k` of Dᵀ times velocities.
    #[inline(always)]
    pub(super) fn rows_of(&self, lines: &BodyLines, k: usize, w: &mut [f64]) {
        match k.checked_sub(self.space.contacts.len()) {
            None => self.round_rows(lines, k, w),
            Some(block) => self.general_rows(lines, block, w),
        }
    }

    fn general_rows(&self, lines: &BodyLines, block: usize, w: &mut [f64]) {
        let ends = &self.space.general.blocks[block];
        let of = |body: u32| velocities_of(&lines.eight[body as usize]);
        self.general.velocity(block, [of(ends.a), of(ends.b)], w);
    }

    /// [`MatrixFree::rows_of`] a general block for velocities (v, r ω) of its bodies.
    pub(crate) fn block_velocity(&self, block: usize, bodies: [[DVec3; 2]; 2], out: &mut [f64]) {
        self.general.velocity(block, bodies, out);
    }

    /// The bodies of a general block, and how an impulse changes their velocities (v, r ω).
    pub(crate) fn block_change(&self, block: usize, change: &[f64]) -> [(u32, [DVec3; 2]); 2] {
        self.general.change(&self.space, block, change)
    }

    #[inline(always)]
    fn round_rows(&self, lines: &BodyLines, k: usize, w: &mut [f64]) {
        let contact = &self.space.contacts[k];
        match w.len() {
            1 if self.turns() => {
                let (va, vb) = (
                    &lines.eight[contact.a as usize],
                    &lines.eight[contact.b as usize],
                );
                w[0] = contact.normal.x * (va[0] - vb[0])
                    + contact.normal.y * (va[1] - vb[1])
                    + contact.normal.z * (va[2] - vb[2]);
            }
            1 => {
                let bodies = &lines.four[..];
                let (va, vb) = (&bodies[contact.a as usize], &bodies[contact.b as usize]);
                w[0] = contact.normal.x * (va[0] - vb[0])
                    + contact.normal.y * (va[1] - vb[1])
                    + contact.normal.z * (va[2] - vb[2]);
            }
            6 => {
                let u = relative(&lines.eight, contact);
                let spin = relative_spin(&lines.eight, contact, self.space.arms[k]);
                w.copy_from_slice(&[u.x, u.y, u.z, spin.x, spin.y, spin.z]);
            }
            rows => {
                let u = relative(&lines.eight, contact).to_array();
                w.copy_from_slice(&u[..rows]);
            }
        }
    }

    /// Adds to velocities what an impulse at contact `k` makes.
    #[inline(always)]
    pub(super) fn change_image(&self, lines: &mut BodyLines, k: usize, change: &[f64]) {
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
    pub(super) fn distance_squared(
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

    /// The velocity change M⁻¹ D x of every body: `each(body, linear, angular)` in m/s and rad/s.
    pub fn velocities(
        &self,
        x: &[f64],
        scratch: &mut super::DelassusScratch,
        mut each: impl FnMut(usize, DVec3, DVec3),
    ) {
        let lines = &mut scratch.image.lines;
        let bodies = self.space.body_count();
        self.image(x, lines);
        if !self.turns() {
            for (body, v) in lines.four[..bodies].iter().enumerate() {
                each(body, DVec3::new(v[0], v[1], v[2]), DVec3::ZERO);
            }
            return;
        }
        let radius = match &self.space.lever {
            Lever::None => None,
            Lever::Radial { radius, .. } => Some(radius),
        };
        for (body, v) in lines.eight[..bodies].iter().enumerate() {
            let surface = DVec3::new(v[4], v[5], v[6]);
            let angular = match radius {
                Some(radius) if radius[body] > 0.0 => surface / radius[body],
                _ => DVec3::ZERO,
            };
            each(body, DVec3::new(v[0], v[1], v[2]), angular);
        }
    }

    fn gather<const ROWS: usize, P, F>(
        &self,
        lines: &BodyLines,
        [out, memory]: [&mut [f64]; 2],
        partials: &mut [P],
        then: F,
    ) where
        P: Send,
        F: Fn(usize, &mut [f64], &mut [f64]) -> P + Sync,
    {
        let round = self.space.contacts.len();
        map_contacts(ROWS, out, memory, partials, |chunk, rows, memory| {
            let first = chunk * CONTACT_CHUNK;
            let (contacts, _) = rows.as_chunks_mut::<ROWS>();
            let split = contacts.len().min(round.saturating_sub(first));
            let (spheres, others) = contacts.split_at_mut(split);
            for (k, w) in spheres.iter_mut().enumerate() {
                self.round_rows(lines, first + k, w);
            }
            for (k, w) in others.iter_mut().enumerate() {
                self.general_rows(lines, first + split + k - round, w);
            }
            then(chunk, rows, memory)
        });
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
        let twist = impulse.cross(self.space.contacts[k].normal);
        [
            impulse.x, impulse.y, impulse.z, 0.0, twist.x, twist.y, twist.z, 0.0,
        ]
    }

    /// An impulse with a moment.
    #[inline(always)]
    fn screw_lines(&self, x: &[f64; 6], k: usize) -> TwoLines {
        let force = DVec3::from_slice(&x[..3]);
        let moment = DVec3::from_slice(&x[3..]);
        let twist = force.cross(self.space.contacts[k].normal);
        let [arm_a, arm_b] = self.space.arms[k];
        let line = |f: DVec3, t: DVec3| [f.x, f.y, f.z, 0.0, t.x, t.y, t.z, 0.0];
        TwoLines([
            line(force, twist + arm_a * moment),
            line(-force, twist - arm_b * moment),
        ])
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

    /// M⁻¹ D x into `lines`.
    fn scatter<const N: usize, L: Load<N>>(
        &self,
        lines: &mut Vec<[f64; N]>,
        x: &[f64],
        load: impl Fn(usize) -> L + Sync,
    ) {
        lines.resize(self.space.inverse_mass.len(), [0.0; N]);
        parallel::chunks_mut(lines, self.block, |block, chunk| {
            self.sum_block(block, chunk, x, &load);
            for (offset, line) in chunk.iter_mut().enumerate() {
                self.divide(line, block * self.block + offset);
            }
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
            |block, next, y| {
                self.sum_block(block, next, x, &load);
                let base = block * self.block;
                let current = &current[base..base + next.len()];
                let mut bend = if N == 8 {
                    self.general.turning_energy(base, next, y)
                } else {
                    0.0
                };
                for (offset, ((z, y), x)) in next.iter_mut().zip(y).zip(current).enumerate() {
                    self.divide(z, base + offset);
                    bend += self.energy(base + offset, z, y);
                    for k in 0..N {
                        y[k] = z[k] + beta * (z[k] - x[k]);
                    }
                }
                bend
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

    /// The image of x into `next`; then `extrapolated` becomes the image of x + β (x - current).
    /// Gives (x - y)·W (x - y) for the y whose image `extrapolated` was before.
    pub(super) fn advance_image(
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

    /// An upper bound for λ_max(S^½ W S^½) with S⁻¹ = diag(σ_n, σ_T, σ_T): the Gershgorin bound in
    /// body space
    ///
    /// ```text
    /// max_i Σ_{k ∋ i} d_ki (d_ka + d_kb),   d_ki² = max(1/(σ_n m_i), (1/m_i + r_i²/J_i)/σ_T)
    /// ```
    ///
    /// the bound of [maury2006, Remark 8] with the true masses, neighbours and steps in place of
    /// their extremes, and with rotations (and, with moments, `r²/J (1 + ℓ²/r²)`); for general blocks d_ki² is the
    /// trace of their part in body i over the smaller σ.
    pub fn spectral_bound(&self, metric: impl Fn(usize) -> Metric, sums: &mut Vec<f64>) -> f64 {
        let size = |metric: Metric, body: u32, arm: f64| {
            let body = body as usize;
            // Without friction round contacts do not turn bodies, even where others do.
            let turning = match self.space.rows {
                1 => 0.0,
                _ => self.turning[body],
            };
            let inverse_mass = self.space.inverse_mass[body];
            let across = inverse_mass + turning * (1.0 + arm * arm);
            let both = (inverse_mass / metric.normal).max(across / metric.tangential);
            both.sqrt()
        };
        sums.clear();
        sums.resize(self.space.inverse_mass.len(), 0.0);
        for (k, c) in self.space.contacts.iter().enumerate() {
            let [arm_a, arm_b] = self.space.arms.get(k).copied().unwrap_or_default();
            let metric = metric(k);
            let (da, db) = (size(metric, c.a, arm_a), size(metric, c.b, arm_b));
            let both = da + db;
            sums[c.a as usize] += both * da;
            sums[c.b as usize] += both * db;
        }
        let round = self.space.contacts.len();
        for (k, ends) in self.space.general.blocks.iter().enumerate() {
            let Metric { normal, tangential } = metric(round + k);
            let [da, db] = (self.general.ease(&self.space, k))
                .map(|ease| (ease / normal.min(tangential)).sqrt());
            sums[ends.a as usize] += (da + db) * da;
            sums[ends.b as usize] += (da + db) * db;
        }
        sums.iter().copied().fold(0.0, f64::max)
    }
}

impl From<MatrixFree> for Delassus {
    fn from(operator: MatrixFree) -> Self {
        Self::MatrixFree(operator)
    }
}
