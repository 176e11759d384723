//! All pairs of spheres that are close, by a hierarchy of grids.
//!
//! Bodies are sorted into levels by the size of their reach (radius plus how far they may go), a
//! factor of two between levels, so that a level's cell holds few bodies even when radii differ by
//! a factor of twenty and more. A body looks for partners in its own level and in coarser ones;
//! cells are as wide as the largest two reaches of their level, so the neighbouring cells suffice.
//! Where the bounding box would have too many cells, they are hashed, so a grain that flew far away
//! costs nothing.

use crate::bodies::Bodies;
use crate::math::DVec3;
use crate::parallel;
use std::ops::Range;

/// Bodies whose pairs are searched by one task.
const CHUNK: usize = 1024;

/// One level of the hierarchy.
#[derive(Debug, Clone, Default)]
struct Level {
    inverse_cell: f64,
    /// Bodies of the level.
    members: Vec<u32>,
    /// Members sorted by bucket.
    sorted: Vec<u32>,
    /// Where these are, and their reach, m: side by side, as they are looked at.
    balls: Vec<[f64; 4]>,
    /// The members of bucket k are `start[k]..start[k + 1]`.
    start: Vec<u32>,
    cells: Cells,
}

/// How cells are numbered.
#[derive(Debug, Clone, Copy)]
enum Cells {
    /// Every cell of the bounding box has a bucket of its own; those along z follow each other.
    Dense { low: [i64; 3], size: [i64; 3] },
    /// The box would have too many cells: buckets by a hash of the cell. Cells may share a bucket,
    /// which only adds candidates.
    Hashed { mask: u64 },
}

impl Default for Cells {
    fn default() -> Self {
        Self::Hashed { mask: 0 }
    }
}

impl Cells {
    fn bucket(self, [x, y, z]: [i64; 3]) -> usize {
        match self {
            Self::Dense { low, size } => {
                (((x - low[0]) * size[1] + (y - low[1])) * size[2] + (z - low[2])) as usize
            }
            Self::Hashed { mask } => {
                let mixed = (x as u64)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .wrapping_add((y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
                    .wrapping_add((z as u64).wrapping_mul(0x1656_67b1_9e37_79f9));
                ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32 & mask) as usize
            }
        }
    }
}

/// Scratch memory for [`close_pairs`].
#[derive(Debug, Clone, Default)]
pub struct GridWorkspace {
    levels: Vec<Level>,
    level_of: Vec<u8>,
    /// The place of each body among the sorted of its level.
    slots: Vec<u32>,
    found: Vec<Vec<[u32; 2]>>,
    count: Vec<u32>,
}

/// Cells farther out than this from the origin are one: numbers of cells can then be added, and what is
/// near stays near.
const FARTHEST_CELL: f64 = (1i64 << 60) as f64;

fn coordinates(position: DVec3, inverse_cell: f64) -> [i64; 3] {
    (position * inverse_cell)
        .floor()
        .to_array()
        .map(|x| x.clamp(-FARTHEST_CELL, FARTHEST_CELL) as i64)
}

impl Level {
    /// Sorts the members; `slots` takes the place of each among them.
    fn build(&mut self, positions: &[DVec3], reach: &[f64], largest: f64, slots: &mut [u32]) {
        if self.members.is_empty() {
            return;
        }
        self.inverse_cell = 0.5 / largest;
        let cell_of = |body: u32| coordinates(positions[body as usize], self.inverse_cell);
        let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
        for &body in &self.members {
            let cell = cell_of(body);
            for axis in 0..3 {
                low[axis] = low[axis].min(cell[axis]);
                high[axis] = high[axis].max(cell[axis]);
            }
        }
        let size: [i64; 3] =
            std::array::from_fn(|axis| high[axis].saturating_sub(low[axis]).saturating_add(1));
        let all = size[0].saturating_mul(size[1]).saturating_mul(size[2]);
        let buckets = if all <= 8 * self.members.len() as i64 + 1000 {
            self.cells = Cells::Dense { low, size };
            all as usize
        } else {
            let buckets = (2 * self.members.len()).next_power_of_two().max(16);
            self.cells = Cells::Hashed {
                mask: buckets as u64 - 1,
            };
            buckets
        };
        self.start.clear();
        self.start.resize(buckets + 1, 0);
        for &body in &self.members {
            self.start[self.cells.bucket(cell_of(body)) + 1] += 1;
        }
        for k in 0..buckets {
            self.start[k + 1] += self.start[k];
        }
        self.sorted.clear();
        self.sorted.resize(self.members.len(), 0);
        // Backwards, so that each bucket's end moves down to its start and order is kept.
        for &body in self.members.iter().rev() {
            let slot = &mut self.start[self.cells.bucket(cell_of(body)) + 1];
            *slot -= 1;
            self.sorted[*slot as usize] = body;
        }
        // The loop above left the start of bucket k in entry k + 1.
        self.start.rotate_left(1);
        self.start[buckets] = self.members.len() as u32;
        self.balls.clear();
        for (slot, &body) in self.sorted.iter().enumerate() {
            let [x, y, z] = positions[body as usize].to_array();
            self.balls.push([x, y, z, reach[body as usize]]);
            slots[body as usize] = slot as u32;
        }
    }

    /// Visits the members in the cells around `position`, from a place among the sorted on.
    fn each_near(&self, position: DVec3, first: usize, mut visit: impl FnMut(u32, &[f64; 4])) {
        let mut visit_all = |range: Range<usize>| {
            for slot in range.start.max(first)..range.end {
                visit(self.sorted[slot], &self.balls[slot]);
            }
        };
        let [x, y, z] = coordinates(position, self.inverse_cell);
        match self.cells {
            Cells::Dense { low, size } => {
                let span = |axis: usize, at: i64| {
                    (at - 1).max(low[axis])..(at + 2).min(low[axis] + size[axis])
                };
                let along = span(2, z);
                if along.is_empty() {
                    return;
                }
                for x in span(0, x) {
                    for y in span(1, y) {
                        let begin = self.cells.bucket([x, y, along.start]);
                        let end = begin + (along.end - along.start) as usize;
                        visit_all(self.start[begin] as usize..self.start[end] as usize);
                    }
                }
            }
            Cells::Hashed { .. } => {
                let mut buckets = [0; 27];
                for (k, bucket) in buckets.iter_mut().enumerate() {
                    let (dx, dy, dz) = (k as i64 / 9 - 1, k as i64 / 3 % 3 - 1, k as i64 % 3 - 1);
                    *bucket = self.cells.bucket([
                        x.wrapping_add(dx),
                        y.wrapping_add(dy),
                        z.wrapping_add(dz),
                    ]);
                }
                // Cells that share a bucket must be visited once.
                buckets.sort_unstable();
                let mut last = usize::MAX;
                for bucket in buckets {
                    if bucket != last {
                        visit_all(self.start[bucket] as usize..self.start[bucket + 1] as usize);
                    }
                    last = bucket;
                }
            }
        }
    }
}

/// The places of all bodies whose spheres would touch if their radii were what `reach` makes of them; sorted.
pub fn near_pairs(bodies: &Bodies, reach: impl Fn(f64) -> f64) -> Vec<[usize; 2]> {
    let reach: Vec<f64> = bodies.radius.iter().map(|&radius| reach(radius)).collect();
    let (mut pairs, mut workspace) = (Vec::new(), GridWorkspace::default());
    close_pairs(&bodies.position, &reach, &mut pairs, &mut workspace);
    pairs
        .iter()
        .map(|pair| pair.map(|place| place as usize))
        .collect()
}

/// Finds all pairs i < j with `|x_i - x_j| ≤ reach_i + reach_j`, sorted by (i, j), into `pairs`.
///
/// ```
/// use granule::collision::close_pairs;
/// use granule::math::DVec3;
/// let positions = [DVec3::ZERO, DVec3::X, DVec3::new(9.0, 0.0, 0.0)];
/// let mut pairs = Vec::new();
/// close_pairs(&positions, &[0.5, 0.6, 1.0], &mut pairs, &mut Default::default());
/// assert_eq!(pairs, [[0, 1]]);
/// ```
pub fn close_pairs(
    positions: &[DVec3],
    reach: &[f64],
    pairs: &mut Vec<[u32; 2]>,
    workspace: &mut GridWorkspace,
) {
    pairs.clear();
    let GridWorkspace {
        levels,
        level_of,
        slots,
        found,
        count,
    } = workspace;
    let smallest = reach
        .iter()
        .copied()
        .filter(|r| *r > 0.0)
        .fold(f64::INFINITY, f64::min);
    if !smallest.is_finite() {
        return;
    }
    let level = |r: f64| (r.max(smallest) / smallest).log2().floor().clamp(0.0, 30.0) as u8;
    level_of.clear();
    level_of.extend(reach.iter().map(|&r| level(r)));
    let count_levels = level_of.iter().copied().max().unwrap_or(0) as usize + 1;
    levels.resize_with(count_levels, Level::default);
    slots.clear();
    slots.resize(positions.len(), 0);
    let mut largest = vec![0.0f64; count_levels];
    levels.iter_mut().for_each(|level| level.members.clear());
    for (body, &level) in level_of.iter().enumerate() {
        levels[level as usize].members.push(body as u32);
        largest[level as usize] = largest[level as usize].max(reach[body]);
    }
    for (level, &largest) in levels.iter_mut().zip(&largest) {
        level.build(positions, reach, largest, slots);
    }
    found.resize_with(positions.len().div_ceil(CHUNK), Vec::new);
    parallel::each_mut(found, |chunk, found| {
        found.clear();
        let end = positions.len().min((chunk + 1) * CHUNK);
        for i in chunk * CHUNK..end {
            let own = level_of[i] as usize;
            for (index, level) in levels.iter().enumerate().skip(own) {
                if level.members.is_empty() {
                    continue;
                }
                // Of two of a level the one that is sorted first finds the other.
                let first = if index == own {
                    slots[i] as usize + 1
                } else {
                    0
                };
                level.each_near(positions[i], first, |j, &[x, y, z, other]| {
                    let limit = reach[i] + other;
                    if positions[i].distance_squared(DVec3::new(x, y, z)) <= limit * limit {
                        found.push([(i as u32).min(j), (i as u32).max(j)]);
                    }
                });
            }
        }
    });
    sort_by_first(found, positions.len(), pairs, count);
}

/// Gathers the chunks' pairs, sorted by (i, j): counting sort by i, then each body's few partners.
fn sort_by_first(
    found: &[Vec<[u32; 2]>],
    bodies: usize,
    pairs: &mut Vec<[u32; 2]>,
    count: &mut Vec<u32>,
) {
    count.clear();
    count.resize(bodies + 1, 0);
    for [i, _] in found.iter().flatten() {
        count[*i as usize + 1] += 1;
    }
    for k in 0..bodies {
        count[k + 1] += count[k];
    }
    pairs.resize(count[bodies] as usize, [0; 2]);
    for pair in found.iter().flatten() {
        let slot = &mut count[pair[0] as usize];
        pairs[*slot as usize] = *pair;
        *slot += 1;
    }
    let mut first = 0;
    for &end in &count[..bodies] {
        let end = end as usize;
        pairs[first..end].sort_unstable();
        first = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute_force(positions: &[DVec3], reach: &[f64]) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for i in 0..positions.len() {
            for j in i + 1..positions.len() {
                let limit = reach[i] + reach[j];
                if positions[i].distance_squared(positions[j]) <= limit * limit {
                    pairs.push([i as u32, j as u32]);
                }
            }
        }
        pairs
    }

    proptest! {
        #[test]
        fn finds_what_brute_force_finds(
            bodies in proptest::collection::vec(
                (-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64, 0.0..1.0f64, any::<bool>()), 0..120),
            flat in any::<bool>(),
            spread in 0.1..20.0f64,
        ) {
            let positions: Vec<DVec3> = bodies.iter()
                .map(|b| spread * DVec3::new(b.0, b.1, if flat { 0.0 } else { b.2 })).collect();
            // Radii over a ratio of up to 1:200.
            let reach: Vec<f64> = bodies.iter()
                .map(|b| if b.4 { 0.005 + 0.1 * b.3 } else { 1.0 * b.3 }).collect();
            let mut pairs = Vec::new();
            close_pairs(&positions, &reach, &mut pairs, &mut GridWorkspace::default());
            prop_assert_eq!(pairs, brute_force(&positions, &reach));
        }
    }

    #[test]
    fn a_grain_that_flew_away_does_no_harm() {
        let mut positions: Vec<DVec3> = (0..50)
            .map(|k| DVec3::new(0.9 * k as f64, 0.0, 0.0))
            .collect();
        positions.push(DVec3::new(1e12, -1e12, 1e15));
        positions.push(DVec3::new(1e60, -1e60, 0.0));
        let reach = vec![0.5; 52];
        let mut pairs = Vec::new();
        close_pairs(
            &positions,
            &reach,
            &mut pairs,
            &mut GridWorkspace::default(),
        );
        assert_eq!(pairs.len(), 49);
    }
}
