//! The shape of a heap: its height profile, its angle of repose, how far it reaches.
//!
//! The surface is measured in cells about one mean diameter wide, as the highest point of the
//! grains in each of them. Grains count that lie on the floor or on each other, near enough to touch: what falls onto the
//! heap, or hangs in a funnel above it, does not. In space the cells are the sectors of rings about the heap's axis, and
//! the height at a distance is the mean over the ring, empty cells counting as the floor; in a
//! plane they are stripes, and left and right are kept apart. The angle of repose is that of the
//! straight line through the flank, the least-squares fit between 20 % and 80 % of the height: the
//! rounded top and the thin foot do not count. What does not lie on a level floor (a bed in a drum or a funnel, a layer on
//! a slope) is no heap, and has no angle of repose.

mod level;
mod resting;

use crate::bodies::Dimension;
use crate::math::DVec3;
use level::raised;
use resting::resting;
use std::f64::consts::TAU;
use thiserror::Error;

/// The flank is what lies between these fractions of the height.
const FLANK: [f64; 2] = [0.2, 0.8];
/// A line needs so many cells.
const FEWEST: usize = 3;
/// What is lower than so many mean diameters is a layer, and has no flank.
const LOWEST: f64 = 1.5;
/// What lies on no level floor in more than this part of its columns is no heap.
const MOST_RAISED: f64 = 0.15;
/// Cells from the axis beyond which grains have flown off.
const FARTHEST: f64 = 4096.0;

/// The height profile of a heap.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::math::DVec3;
/// use granule::measure::HeapProfile;
/// // Disks stacked as a triangle: rows of 20, 19, 18, … with centres one diameter apart.
/// let rows = (0..20).flat_map(|row| (0..20 - row).map(move |k| (row, k)));
/// let centers: Vec<DVec3> = rows
///     .map(|(row, k)| DVec3::new(2.0 * f64::from(k) + f64::from(row), 3f64.sqrt() * f64::from(row), 0.0))
///     .collect();
/// let radii = vec![1.0; centers.len()];
/// let heap = HeapProfile::of(&centers, &radii, DVec3::Y, Dimension::Plane).unwrap();
/// assert!((heap.angle_of_repose().unwrap() - 60.0).abs() < 1.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HeapProfile {
    /// In how many dimensions the grains lie: two or three.
    pub dimension: Dimension,
    /// m, where the axis meets the floor: below the median grain, as low as the lowest grain.
    pub foot: DVec3,
    /// m between neighbouring distances: the mean diameter of the grains.
    pub width: f64,
    /// m, the middles of the cells: distances from the axis in space; in a plane coordinates to
    /// the right of it, negative to the left.
    pub distance: Vec<f64>,
    /// m above the floor, at each distance.
    pub height: Vec<f64>,
    /// The part of it under which there is no floor as deep as under the rest, from 0 to 1.
    pub raised: f64,
}

/// Why a heap has no angle of repose.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NoFlank {
    /// It is a layer.
    #[error(
        "it is {height:.3e} m high, and a heap lower than {least:.3e} m (1.5 mean diameters) is a layer"
    )]
    Low {
        /// m.
        height: f64,
        /// The least height of a heap, m.
        least: f64,
    },
    /// It does not lie on a level floor.
    #[error(
        "it is no heap: under {:.0} % of it the lowest grains lie more than two mean diameters above the lowest of all, as \
         in a drum, in a funnel or on a slope",
        100.0 * raised
    )]
    NoFloor {
        /// The part of it that lies higher, from 0 to 1.
        raised: f64,
    },
    /// It falls too steeply for its grains, as a layer between walls does.
    #[error(
        "between 20 % and 80 % of its height of {height:.3e} m it falls through fewer than {FEWEST} mean diameters"
    )]
    Short {
        /// m.
        height: f64,
    },
}

/// A flank of a heap: the straight line that fits it best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flank {
    /// The first and the last distance that belong to it, m.
    pub between: [f64; 2],
    /// The height of the line at those, m.
    pub height: [f64; 2],
    /// Its angle with the floor, degrees; positive if the heap falls away from its top.
    pub angle: f64,
}

impl HeapProfile {
    /// The profile of a heap of spheres (disks, in a plane) with these centres and radii (m),
    /// where `up` is the direction against gravity. `None` if there is no heap: no grains with a
    /// size and a place, none near the axis, a direction of length zero, or bodies on a line.
    pub fn of(centers: &[DVec3], radii: &[f64], up: DVec3, dimension: Dimension) -> Option<Self> {
        let up = up.try_normalize()?;
        let grains: Vec<(DVec3, f64)> = centers
            .iter()
            .copied()
            .zip(radii.iter().copied())
            .filter(|(center, radius)| center.is_finite() && radius.is_finite() && *radius > 0.0)
            .collect();
        if grains.is_empty() || dimension == Dimension::Line {
            return None;
        }
        let (right, ahead) = match dimension {
            Dimension::Plane => (DVec3::new(up.y, -up.x, 0.0).try_normalize()?, DVec3::ZERO),
            _ => up.any_orthonormal_pair(),
        };
        let floor = grains
            .iter()
            .map(|(center, radius)| up.dot(*center) - radius)
            .fold(f64::INFINITY, f64::min);
        let axis = [right, ahead].map(|side| median(grains.iter().map(|(c, _)| side.dot(*c))));
        let foot = floor * up + axis[0] * right + axis[1] * ahead;
        let width =
            2.0 * grains.iter().map(|(_, radius)| radius).sum::<f64>() / grains.len() as f64;
        let grains = resting(&grains, floor, up, width);
        let tops = grains.iter().map(|(center, radius)| {
            let from_foot = *center - foot;
            let place = [right.dot(from_foot) / width, ahead.dot(from_foot) / width];
            (place, up.dot(from_foot), radius)
        });
        let tops: Vec<_> = tops
            .filter(|(place, _, _)| place.iter().all(|x| x.abs() < FARTHEST))
            .collect();
        let bottoms = tops.iter();
        let raised =
            raised(bottoms.map(|(place, height, radius)| {
                (*place, (height - *radius) / width, *radius / width)
            }));
        let tops = tops
            .iter()
            .map(|(place, height, radius)| (*place, height + *radius));
        let (distance, height) = match dimension {
            Dimension::Plane => stripes(tops.map(|([x, _], top)| (x, top))),
            _ => rings(&tops.collect::<Vec<_>>()),
        };
        if height.is_empty() {
            return None;
        }
        Some(Self {
            dimension,
            foot,
            width,
            distance: distance.into_iter().map(|cells| width * cells).collect(),
            height,
            raised,
        })
    }

    /// The height of the heap, m: that of its highest stripe or ring.
    pub fn top(&self) -> f64 {
        self.height.iter().copied().fold(0.0, f64::max)
    }

    /// The flanks: left and right of the top in a plane, one in space. A side that falls through
    /// fewer than three cells has none, nor has a layer lower than 1.5 mean diameters, nor what lies on no level floor.
    pub fn flanks(&self) -> Vec<Flank> {
        if self.top() < LOWEST * self.width || self.raised > MOST_RAISED {
            return Vec::new();
        }
        let peak = self.peak();
        // Cells from the top outwards; what lies inside a ring is no flank.
        let left: Vec<usize> = match self.dimension {
            Dimension::Plane => (0..=peak).rev().collect(),
            _ => Vec::new(),
        };
        let right: Vec<usize> = (peak..self.height.len()).collect();
        [left, right]
            .iter()
            .filter_map(|cells| self.flank(cells))
            .collect()
    }

    /// The angle of repose in degrees: the mean over the flanks.
    pub fn angle_of_repose(&self) -> Option<f64> {
        self.measured_angle().ok()
    }

    /// The angle of repose in degrees, or why there is none.
    pub fn measured_angle(&self) -> Result<f64, NoFlank> {
        let (flanks, height) = (self.flanks(), self.top());
        let sum: f64 = flanks.iter().map(|flank| flank.angle).sum();
        let least = LOWEST * self.width;
        match flanks.len() {
            0 if height < least => Err(NoFlank::Low { height, least }),
            0 if self.raised > MOST_RAISED => Err(NoFlank::NoFloor {
                raised: self.raised,
            }),
            0 => Err(NoFlank::Short { height }),
            count => Ok(sum / count as f64),
        }
    }

    /// How far the heap reaches, m: where its height, going outwards from the top, first stays
    /// below half a mean diameter for two cells. Grains that were thrown farther do not count. The
    /// fronts to the left and to the right of the axis in a plane, `[-reach, reach]` in space.
    pub fn fronts(&self) -> [f64; 2] {
        let peak = self.peak();
        let half = 0.5 * self.width;
        let place = |cell: Option<usize>| self.distance[cell.unwrap_or(peak)];
        let right = place(self.last_high(peak..self.height.len())) + half;
        match self.dimension {
            Dimension::Plane => [place(self.last_high((0..=peak).rev())) - half, right],
            _ => [-right, right],
        }
    }

    /// The last of these cells that is high enough to belong to the heap, before two that are not.
    fn last_high(&self, cells: impl Iterator<Item = usize>) -> Option<usize> {
        let (mut last, mut low) = (None, 0);
        for cell in cells {
            if self.height[cell] >= 0.5 * self.width {
                (last, low) = (Some(cell), 0);
            } else if low == 1 {
                break;
            } else {
                low = 1;
            }
        }
        last
    }

    fn peak(&self) -> usize {
        let mut peak = 0;
        for (cell, height) in self.height.iter().enumerate() {
            if *height > self.height[peak] {
                peak = cell;
            }
        }
        peak
    }

    /// The line through the flank along these cells, from the top outwards.
    fn flank(&self, cells: &[usize]) -> Option<Flank> {
        let [low, high] = FLANK.map(|fraction| fraction * self.top());
        let begin = cells.iter().rposition(|&cell| self.height[cell] > high)? + 1;
        let flank: Vec<usize> = cells[begin..]
            .iter()
            .copied()
            .take_while(|&cell| self.height[cell] >= low)
            .collect();
        let (&first, &last) = (flank.first()?, flank.last()?);
        if flank.len() < FEWEST {
            return None;
        }
        let count = flank.len() as f64;
        let mean = |values: &[f64]| flank.iter().map(|&k| values[k]).sum::<f64>() / count;
        let (x, z) = (mean(&self.distance), mean(&self.height));
        let (mut square, mut product) = (0.0, 0.0);
        for &k in &flank {
            square += (self.distance[k] - x) * (self.distance[k] - x);
            product += (self.distance[k] - x) * (self.height[k] - z);
        }
        let slope = product / square;
        let line = |cell: usize| z + slope * (self.distance[cell] - x);
        let outwards = if last > first { 1.0 } else { -1.0 };
        Some(Flank {
            between: [self.distance[first], self.distance[last]],
            height: [line(first), line(last)],
            angle: (-outwards * slope).atan().to_degrees(),
        })
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The highest top in each stripe one cell wide, from the leftmost to the rightmost that holds a
/// grain; places in cells.
fn stripes(tops: impl Iterator<Item = (f64, f64)>) -> (Vec<f64>, Vec<f64>) {
    let tops: Vec<(i64, f64)> = tops.map(|(x, top)| (x.round() as i64, top)).collect();
    let first = tops.iter().map(|(cell, _)| *cell).min().unwrap_or(0);
    let last = tops.iter().map(|(cell, _)| *cell).max().unwrap_or(-1);
    let mut height = vec![0.0_f64; (last - first + 1) as usize];
    for (cell, top) in tops {
        let highest = &mut height[(cell - first) as usize];
        *highest = highest.max(top);
    }
    ((first..=last).map(|cell| cell as f64).collect(), height)
}

/// The mean over each ring one cell wide of the highest tops in its sectors, which are about as
/// long as wide; places in cells. The innermost ring is a disk, one cell.
fn rings(tops: &[([f64; 2], f64)]) -> (Vec<f64>, Vec<f64>) {
    let ring_of = |[x, y]: [f64; 2]| x.hypot(y).round() as usize;
    let count = tops.iter().map(|(place, _)| ring_of(*place) + 1).max();
    let mut sectors: Vec<Vec<f64>> = (0..count.unwrap_or(0))
        .map(|ring| vec![0.0; ((TAU * ring as f64).round() as usize).max(1)])
        .collect();
    for (place, top) in tops {
        let sectors = &mut sectors[ring_of(*place)];
        let turn = place[1].atan2(place[0]).rem_euclid(TAU) / TAU;
        let sector = ((turn * sectors.len() as f64) as usize).min(sectors.len() - 1);
        sectors[sector] = sectors[sector].max(*top);
    }
    let mean = |ring: &Vec<f64>| ring.iter().sum::<f64>() / ring.len() as f64;
    (
        (0..sectors.len()).map(|ring| ring as f64).collect(),
        sectors.iter().map(mean).collect(),
    )
}

#[cfg(test)]
mod tests;
