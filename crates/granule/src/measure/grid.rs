//! A grid of boxes.

use super::Region;
use crate::bodies::Dimension;
use crate::math::DVec3;

/// A box cut into equal cells along its axes; cells are counted along x first, then y, then z. An axis that the scene
/// does not have is one cell without ends.
///
/// ```
/// use granule::math::DVec3;
/// use granule::measure::Grid;
/// let grid = Grid::new(DVec3::ZERO, DVec3::ONE, [2, 2, 5]);
/// assert_eq!(grid.len(), 20);
/// assert_eq!(grid.cell_of(DVec3::new(0.9, 0.1, 0.3)), Some(5));
/// assert_eq!(grid.cell_of(DVec3::new(0.9, 0.1, 1.3)), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// The corner with the smallest coordinates, m.
    pub min: DVec3,
    /// The corner with the largest coordinates, m.
    pub max: DVec3,
    /// How many cells along each axis, at least one.
    pub counts: [usize; 3],
}

impl Grid {
    /// A box between two corners (m) with so many cells along each axis.
    pub fn new(min: DVec3, max: DVec3, counts: [usize; 3]) -> Self {
        Self { min, max, counts }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Along which places of an axis a coordinate lies; not bounded by the ends.
    fn place(&self, axis: usize, coordinate: f64) -> f64 {
        if self.counts[axis] == 1 {
            // Also where the axis has no ends.
            let inside = self.min[axis] <= coordinate && coordinate < self.max[axis];
            return if inside { 0.0 } else { -1.0 };
        }
        let count = self.counts[axis];
        let size = (self.max[axis] - self.min[axis]) / count as f64;
        let place = ((coordinate - self.min[axis]) / size).floor();
        if !(place >= 0.0 && place <= count as f64) {
            return place;
        }
        // Rounding must not put a point beside the cell whose edges hold it.
        let cell = place as usize;
        if coordinate < self.edge(axis, cell) {
            place - 1.0
        } else if cell < count && coordinate >= self.edge(axis, cell + 1) {
            place + 1.0
        } else {
            place
        }
    }

    /// The cell that holds a point, if one does.
    pub fn cell_of(&self, point: DVec3) -> Option<usize> {
        let mut cell = 0;
        for axis in (0..3).rev() {
            let place = self.place(axis, point[axis]);
            if !(place >= 0.0 && place < self.counts[axis] as f64) {
                return None;
            }
            cell = cell * self.counts[axis] + place as usize;
        }
        Some(cell)
    }

    /// Along which place of each axis a cell lies.
    fn places(&self, cell: usize) -> [usize; 3] {
        let [nx, ny, _] = self.counts;
        [cell % nx, cell / nx % ny, cell / (nx * ny)]
    }

    /// Where the cells of an axis begin or end, m.
    fn edge(&self, axis: usize, place: usize) -> f64 {
        let count = self.counts[axis];
        match place {
            0 => self.min[axis],
            _ if place == count => self.max[axis],
            _ => self.min[axis] + (self.max[axis] - self.min[axis]) * (place as f64 / count as f64),
        }
    }

    /// The cell as a region.
    pub fn region(&self, cell: usize) -> Region {
        let places = self.places(cell);
        let corner = |more: usize| {
            DVec3::from_array([0, 1, 2].map(|axis| self.edge(axis, places[axis] + more)))
        };
        Region::Box {
            min: corner(0),
            max: corner(1),
        }
    }

    /// The middle of a cell, m; zero along axes without ends.
    pub fn middle(&self, cell: usize) -> DVec3 {
        let places = self.places(cell);
        let middle = |axis: usize| {
            let ends = self.edge(axis, places[axis]) + self.edge(axis, places[axis] + 1);
            if ends.is_finite() { 0.5 * ends } else { 0.0 }
        };
        DVec3::from_array([0, 1, 2].map(middle))
    }

    /// m³; in a plane m², on a line m.
    pub fn cell_volume(&self, dimension: Dimension) -> f64 {
        let size = |axis: usize| (self.max[axis] - self.min[axis]) / self.counts[axis] as f64;
        (0..dimension.count()).map(size).product()
    }

    /// Gives every cell that the box around two points meets.
    pub(super) fn each_between(&self, from: DVec3, to: DVec3, mut give: impl FnMut(usize)) {
        let ends = [0, 1, 2].map(|axis| {
            if self.counts[axis] == 1 {
                return [0, 0];
            }
            let last = self.counts[axis] as f64 - 1.0;
            // One more cell to each side, for points on the edge.
            let low = self.place(axis, from[axis].min(to[axis])) - 1.0;
            let high = self.place(axis, from[axis].max(to[axis])) + 1.0;
            [
                low.clamp(0.0, last) as usize,
                high.clamp(0.0, last) as usize,
            ]
        });
        let [[x0, x1], [y0, y1], [z0, z1]] = ends;
        let [nx, ny, _] = self.counts;
        for z in z0..=z1 {
            for y in y0..=y1 {
                for x in x0..=x1 {
                    give((z * ny + y) * nx + x);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_in_the_region_of_its_cell_and_in_no_other() {
        let grid = Grid::new(
            DVec3::new(-1.0, 0.0, 2.0),
            DVec3::new(1.0, 0.7, 3.0),
            [4, 3, 5],
        );
        for k in 0..2000 {
            let x = f64::from(k);
            let point = DVec3::new(
                -1.2 + 2.4 * (0.618 * x).fract(),
                -0.1 + 0.9 * (0.755 * x).fract(),
                1.9 + 1.2 * (0.414 * x).fract(),
            );
            let holding: Vec<usize> = (0..grid.len())
                .filter(|&cell| grid.region(cell).holds(point))
                .collect();
            assert_eq!(holding, Vec::from_iter(grid.cell_of(point)), "{point}");
        }
        for cell in 0..grid.len() {
            assert_eq!(grid.cell_of(grid.middle(cell)), Some(cell));
        }
    }
}
