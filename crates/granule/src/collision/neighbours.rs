//! The list of pairs that can come near in the next few steps.

use super::grid::{GridWorkspace, close_pairs};
use super::{ContactKey, Partner, Patches};
use crate::bodies::{Bodies, Dimension};
use crate::math::DVec3;

/// A reused list of neighbours.
///
/// It holds every pair whose gap is at most the sum of their *ranges*. As long as no body has gone
/// farther from where it was when the list was built than its range less its present allowance,
/// the list holds every pair whose gap is at most the sum of the present allowances.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// The pairs, sorted.
    pub keys: Vec<ContactKey>,
    built: bool,
    /// Positions at the time of building, m.
    from: Vec<DVec3>,
    /// How far each body may go, m.
    range: Vec<f64>,
    /// How far any point of a wall may go, m.
    wall_range: f64,
    /// An upper bound for how far the walls have gone since the list was built, m.
    walls_moved: f64,
    /// How often the list was built.
    pub builds: u64,
    reach: Vec<f64>,
    pairs: Vec<[u32; 2]>,
    grid: GridWorkspace,
}

impl Neighbours {
    /// Makes the next [`Neighbours::update`] build the list anew.
    pub fn invalidate(&mut self) {
        self.built = false;
    }

    /// To be told how far walls went (an upper bound, m) in each step.
    pub fn walls_went(&mut self, distance: f64) {
        self.walls_moved += distance;
    }

    /// Whether the list holds all pairs within the given allowances (m).
    fn covers(&self, positions: &[DVec3], allowance: &[f64], wall_allowance: f64) -> bool {
        self.built
            && self.from.len() == positions.len()
            && self.walls_moved + wall_allowance <= self.wall_range
            && positions
                .iter()
                .zip(&self.from)
                .zip(allowance)
                .zip(&self.range)
                .all(|(((now, from), allowance), range)| {
                    let left = range - allowance;
                    left >= 0.0 && now.distance_squared(*from) <= left * left
                })
    }

    /// Builds the list anew unless it still holds all pairs whose gap is at most the sum of the
    /// allowances (how far each body, and any wall, may go in the coming step; m), with the centres
    /// of the bodies at `positions` (m).
    pub fn update(
        &mut self,
        bodies: &Bodies,
        positions: &[DVec3],
        dimension: Dimension,
        patches: &Patches,
        allowance: &[f64],
        wall_allowance: f64,
    ) {
        if self.covers(positions, allowance, wall_allowance) {
            return;
        }
        self.built = true;
        self.builds += 1;
        self.walls_moved = 0.0;
        self.wall_range = wall_range(bodies, wall_allowance);
        self.from.clear();
        self.from.extend_from_slice(positions);
        self.range.clear();
        // A body at rest can stay in the list until it has gone a tenth of its radius; a fast one
        // for some four steps like the coming one.
        self.range.extend(
            allowance
                .iter()
                .zip(&bodies.radius)
                .map(|(a, r)| a + 0.1 * r + (3.0 * a).min(0.4 * r).max(0.5 * a)),
        );
        self.keys.clear();
        if dimension == Dimension::Line {
            // On a line bodies keep their order, and only neighbours can touch.
            let last = bodies.len().saturating_sub(1) as u32;
            self.pairs.clear();
            self.pairs.extend((0..last).map(|i| [i, i + 1]));
        } else {
            self.reach.clear();
            self.reach
                .extend(self.range.iter().zip(&bodies.radius).map(|(a, b)| a + b));
            close_pairs(positions, &self.reach, &mut self.pairs, &mut self.grid);
        }
        let moves = |pair: &&[u32; 2]| {
            bodies.is_dynamic(pair[0] as usize) || bodies.is_dynamic(pair[1] as usize)
        };
        self.keys.extend(
            self.pairs
                .iter()
                .filter(moves)
                .map(|&[i, j]| (i, Partner::Body(j))),
        );
        let between = self.keys.len();
        for body in (0..bodies.len()).filter(|&i| bodies.is_dynamic(i)) {
            let limit = bodies.radius[body] + self.range[body] + self.wall_range;
            for patch in 0..patches.len() {
                if patches.is_within(patch, positions[body], limit) {
                    self.keys.push((body as u32, Partner::Patch(patch as u32)));
                }
            }
        }
        if self.keys.len() > between {
            // Two sorted runs; the stable sort merges them.
            self.keys.sort();
        }
    }
}

/// How far walls may go before the list is built anew (m), given how far they may go in the coming
/// step: as far as in some four steps like it, or a tenth of the smallest radius if that is more.
fn wall_range(bodies: &Bodies, wall_allowance: f64) -> f64 {
    if wall_allowance == 0.0 {
        return 0.0;
    }
    let smallest = bodies.radius.iter().copied().fold(f64::INFINITY, f64::min);
    (0.1 * smallest).max(4.0 * wall_allowance)
}
