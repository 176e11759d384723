//! All pairs of spheres that are close, by a hierarchy of grids.
//!
//! Bodies are sorted into levels by the size of their reach (radius plus how far they may go), a
//! factor of two between levels, so that a level's cell holds few bodies even when radii differ by
//! a factor of twenty and more. A body looks for partners in its own level and in coarser ones;
//! cells are as wide as the largest two reaches of their level, so the neighbouring cells suffice.
//! Cells are hashed, so a grain that flew far away costs nothing.

use crate::math::DVec3;
use crate::parallel;

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
    /// Packed cell of each entry of `sorted`.
    cells: Vec<u64>,
    /// The members of bucket k are `start[k]..start[k + 1]`.
    start: Vec<u32>,
    mask: u64,
}

/// Scratch memory for [`close_pairs`].
#[derive(Debug, Clone, Default)]
pub struct GridWorkspace {
    levels: Vec<Level>,
    level_of: Vec<u8>,
    found: Vec<Vec<[u32; 2]>>,
    count: Vec<u32>,
}

const FIELD: u64 = (1 << 21) - 1;

/// Cell coordinates packed into 63 bits. Far cells share a code (modulo 2²¹), which can only add
/// candidates, and those are tested by distance.
fn pack(x: i64, y: i64, z: i64) -> u64 {
    ((x as u64 & FIELD) << 42) | ((y as u64 & FIELD) << 21) | (z as u64 & FIELD)
}

fn bucket(cell: u64, mask: u64) -> usize {
    (cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24 & mask) as usize
}

fn coordinates(position: DVec3, inverse_cell: f64) -> [i64; 3] {
    (position * inverse_cell)
        .floor()
        .to_array()
        .map(|x| x as i64)
}

impl Level {
    fn build(&mut self, positions: &[DVec3], largest: f64) {
        self.inverse_cell = if largest > 0.0 { 0.5 / largest } else { 1.0 };
        let buckets = (2 * self.members.len()).next_power_of_two().max(16);
        self.mask = buckets as u64 - 1;
        self.start.clear();
        self.start.resize(buckets + 1, 0);
        let cell_of = |body: u32| {
            let [x, y, z] = coordinates(positions[body as usize], self.inverse_cell);
            pack(x, y, z)
        };
        for &body in &self.members {
            self.start[bucket(cell_of(body), self.mask) + 1] += 1;
        }
        for k in 0..buckets {
            self.start[k + 1] += self.start[k];
        }
        self.sorted.clear();
        self.sorted.resize(self.members.len(), 0);
        self.cells.clear();
        self.cells.resize(self.members.len(), 0);
        // Backwards, so that each bucket's end moves down to its start and order is kept.
        for &body in self.members.iter().rev() {
            let cell = cell_of(body);
            let slot = &mut self.start[bucket(cell, self.mask) + 1];
            *slot -= 1;
            self.sorted[*slot as usize] = body;
            self.cells[*slot as usize] = cell;
        }
        // The loop above left the start of bucket k in entry k + 1.
        self.start.rotate_left(1);
        self.start[buckets] = self.members.len() as u32;
    }

    fn each_near(&self, position: DVec3, mut visit: impl FnMut(u32)) {
        let [x, y, z] = coordinates(position, self.inverse_cell);
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    let cell = pack(x + dx, y + dy, z + dz);
                    let k = bucket(cell, self.mask);
                    let range = self.start[k] as usize..self.start[k + 1] as usize;
                    for (other, other_cell) in
                        self.sorted[range.clone()].iter().zip(&self.cells[range])
                    {
                        if *other_cell == cell {
                            visit(*other);
                        }
                    }
                }
            }
        }
    }
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
    let mut largest = vec![0.0f64; count_levels];
    levels.iter_mut().for_each(|level| level.members.clear());
    for (body, &level) in level_of.iter().enumerate() {
        levels[level as usize].members.push(body as u32);
        largest[level as usize] = largest[level as usize].max(reach[body]);
    }
    for (level, &largest) in levels.iter_mut().zip(&largest) {
        level.build(positions, largest);
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
                level.each_near(positions[i], |j| {
                    let other = j as usize;
                    if index == own && other <= i {
                        return;
                    }
                    let limit = reach[i] + reach[other];
                    if positions[i].distance_squared(positions[other]) <= limit * limit {
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
        let reach = vec![0.5; 51];
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
