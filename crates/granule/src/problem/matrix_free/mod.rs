//! The Delassus operator W = Dᵀ M⁻¹ D, applied without ever being formed.
//!
//! One application is a scatter (each contact adds its impulse to two bodies) and a gather (each
//! contact reads two velocities). It is bound by memory, so a contact is 32 bytes (two indices and
//! a normal) and a body one or half a cache line. The two halves are in `scatter.rs` and `gather.rs`.
//!
//! **Parallel by owner.** Bodies are cut into blocks of consecutive places. The contacts are sorted
//! by their first body, so those of a block are consecutive too, and the block's owner adds them
//! up alone; contacts whose second body lies in another block stand in that block's list of
//! visitors and are added after its own. Each body's sum thus has one fixed order, whatever the
//! number of threads, and no two threads write to the same body. With bodies in spatial order few
//! contacts are visitors.

mod blocks;
mod gather;
mod scatter;

use super::general_lines::GeneralLines;
use super::{BodySpace, Delassus, Lever, ProblemError};
use crate::law::Metric;
use crate::math::DVec3;
use std::ops::Deref;

/// The operator, ready to be applied.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixFree {
    /// Contacts, bodies and masses: what all else here was made for.
    pub(crate) space: Sealed,
    /// Bodies in a block.
    block: usize,
    /// The contacts of block k are `own[k]..own[k + 1]`.
    own: Vec<u32>,
    /// The contacts whose `b` lies in block k and `a` does not are `visitors[visitor_start[k]..]`.
    visitors: Vec<u32>,
    visitor_start: Vec<u32>,
    /// The same with their blocks, in the order of the contacts.
    visits: Vec<(u32, u32)>,
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

/// A space that is only read: what is made of it would no longer fit if it changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sealed(BodySpace);

impl Deref for Sealed {
    type Target = BodySpace;

    fn deref(&self) -> &BodySpace {
        &self.0
    }
}

impl Default for MatrixFree {
    fn default() -> Self {
        Self::prepared(BodySpace::default())
    }
}

impl MatrixFree {
    /// Prepares the operator, or tells why there is none ([`BodySpace::validate`]).
    pub fn new(space: BodySpace) -> Result<Self, ProblemError> {
        space.validate()?;
        Ok(Self::prepared(space))
    }

    /// Contacts, bodies and masses.
    pub fn space(&self) -> &BodySpace {
        &self.space
    }

    /// Contacts, bodies and masses, to make another operator of.
    pub fn into_space(self) -> BodySpace {
        self.space.0
    }

    /// Prepares the operator for what `fill` makes of the space, in the memory of the last one: allocates only when
    /// there are more contacts or bodies than ever before. Lengths, the order of contacts and their bodies are looked
    /// at; that numbers are finite is left to the certificate. After an error there are no contacts.
    pub fn rebuild(&mut self, fill: impl FnOnce(&mut BodySpace)) -> Result<(), ProblemError> {
        fill(&mut self.space.0);
        let checked = self.space.check_structure();
        if checked.is_err() {
            self.space = Sealed(BodySpace::default());
        }
        self.prepare();
        checked
    }

    fn prepared(space: BodySpace) -> Self {
        let mut operator = Self {
            space: Sealed(space),
            block: 0,
            own: Vec::new(),
            visitors: Vec::new(),
            visitor_start: Vec::new(),
            visits: Vec::new(),
            general: GeneralLines::default(),
            turning: Vec::new(),
            mass: Vec::new(),
            resistance: Vec::new(),
        };
        operator.prepare();
        operator
    }

    /// Computes what depends on the space.
    fn prepare(&mut self) {
        let bodies = self.space.inverse_mass.len();
        // Enough blocks for many threads, large enough that few contacts cross them.
        self.block = (bodies / 32).clamp(512, 4096);
        let blocks = bodies.div_ceil(self.block);
        self.own.clear();
        self.own.resize(blocks + 1, 0);
        self.visitor_start.clear();
        self.visitor_start.resize(blocks + 2, 0);
        let (space, size) = (&self.space, self.block);
        // The contacts are sorted by their first bodies.
        let mut first = 0;
        for (block, own) in self.own.iter_mut().enumerate() {
            let rest = &space.contacts[first..];
            first += rest.partition_point(|contact| (contact.a as usize) < block * size);
            *own = first as u32;
        }
        self.visits.clear();
        for block in 0..blocks {
            let own = self.own[block]..self.own[block + 1];
            let home = block * size..(block + 1) * size;
            for index in own {
                let b = space.contacts[index as usize].b as usize;
                if home.contains(&b) {
                    continue;
                }
                if space.inverse_mass[b] > 0.0 || space.turning(b) > 0.0 {
                    self.visits.push(((b / size) as u32, index));
                }
            }
        }
        for (home, _) in &self.visits {
            self.visitor_start[*home as usize + 2] += 1;
        }
        for k in 0..blocks {
            self.visitor_start[k + 2] += self.visitor_start[k + 1];
        }
        self.visitors.clear();
        self.visitors.resize(self.visits.len(), 0);
        for (home, index) in &self.visits {
            let slot = &mut self.visitor_start[*home as usize + 1];
            self.visitors[*slot as usize] = *index;
            *slot += 1;
        }
        let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        self.mass.clear();
        self.mass
            .extend(self.space.inverse_mass.iter().map(|&x| inverse(x)));
        self.turning.clear();
        self.resistance.clear();
        self.space.0.prepare_general();
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
            let share = |ease: f64| (ease / normal.min(tangential)).sqrt();
            let [da, db] = self.general.ease(&self.space, k).map(share);
            let dc = share(self.space.ease_of_common(k));
            let all = da + db + dc;
            sums[ends.a as usize] += all * da;
            sums[ends.b as usize] += all * db;
            if let Some(common) = &self.space.general.common {
                sums[common.body as usize] += all * dc;
            }
        }
        sums.iter().copied().fold(0.0, f64::max)
    }
}

impl From<MatrixFree> for Delassus {
    fn from(operator: MatrixFree) -> Self {
        Self::MatrixFree(operator)
    }
}
