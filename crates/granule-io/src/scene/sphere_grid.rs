//! Spheres of any sizes, found by place: cells in layers, a layer for each power of two of the
//! diameter, so that small spheres between large ones cost no more than small ones alone.

use granule::math::DVec3;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// Spheres by place.
#[derive(Default)]
pub(crate) struct SphereGrid {
    layers: BTreeMap<i32, Layer>,
}

#[derive(Default)]
struct Layer {
    cells: HashMap<[i64; 3], Vec<u32>, BuildHasherDefault<CellHasher>>,
    spheres: Vec<(DVec3, f64)>,
    names: Vec<u32>,
    /// The largest radius, m.
    largest: f64,
}

/// Mixes the numbers of a cell: with a million spheres the usual hash is most of what a search takes.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        for number in bytes.as_chunks::<8>().0 {
            self.write_u64(u64::from_le_bytes(*number));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // The golden ratio spreads numbers that follow each other.
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// The layer of a sphere: the least power of two that is not below the diameter. Lengths below
/// 1e-33 share one layer.
fn layer_of(radius: f64) -> i32 {
    (2.0 * radius).max(1e-33).log2().ceil() as i32
}

fn cell_size(layer: i32) -> f64 {
    f64::from(2.0_f32).powi(layer)
}

fn cell_of(point: DVec3, size: f64) -> [i64; 3] {
    // The conversion saturates, so that points beyond the range share the outermost cells.
    (point / size).floor().to_array().map(|x| x as i64)
}

impl SphereGrid {
    /// Adds a sphere under the given number.
    pub(crate) fn insert(&mut self, name: u32, center: DVec3, radius: f64) {
        let number = layer_of(radius);
        let layer = self.layers.entry(number).or_default();
        let place = layer.spheres.len() as u32;
        layer.spheres.push((center, radius));
        layer.names.push(name);
        layer.largest = layer.largest.max(radius);
        layer
            .cells
            .entry(cell_of(center, cell_size(number)))
            .or_default()
            .push(place);
    }

    /// Whether the sphere overlaps none of those inserted, but for those of which `apart` says by name that what is
    /// inside of the two does not.
    pub(crate) fn is_free(
        &self,
        center: DVec3,
        radius: f64,
        apart: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        let mut free = true;
        for (&number, layer) in &self.layers {
            layer.visit(number, center, radius, &mut |name, other, other_radius| {
                let reach = radius + other_radius;
                free = free && (other.distance_squared(center) >= reach * reach || apart(name));
            });
            if !free {
                return false;
            }
        }
        true
    }

    /// Calls `found(name, center, radius)` for spheres of the given one's layer and the layers
    /// above that may overlap it: with each sphere asking in turn, every pair is found from its
    /// smaller side, and pairs of the same layer from both.
    pub(crate) fn larger_neighbours(
        &self,
        center: DVec3,
        radius: f64,
        found: &mut impl FnMut(u32, DVec3, f64),
    ) {
        for (&number, layer) in self.layers.range(layer_of(radius)..) {
            layer.visit(number, center, radius, found);
        }
    }
}

impl Layer {
    fn visit(
        &self,
        number: i32,
        center: DVec3,
        radius: f64,
        found: &mut impl FnMut(u32, DVec3, f64),
    ) {
        let size = cell_size(number);
        let reach = DVec3::splat(radius + self.largest);
        let (low, high) = (cell_of(center - reach, size), cell_of(center + reach, size));
        let cells = (0..3).fold(1.0, |n, k| n * (high[k] as f64 - low[k] as f64 + 1.0));
        let mut visit = |place: usize| {
            let (center, radius) = self.spheres[place];
            found(self.names[place], center, radius);
        };
        // A sphere much larger than the cells looks at all spheres rather than at all cells.
        if cells > self.cells.len() as f64 {
            (0..self.spheres.len()).for_each(visit);
            return;
        }
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let places = self.cells.get(&[x, y, z]);
                    places
                        .into_iter()
                        .flatten()
                        .for_each(|&place| visit(place as usize));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_all_sizes_are_found() {
        let mut grid = SphereGrid::default();
        grid.insert(0, DVec3::ZERO, 1.0);
        grid.insert(1, DVec3::new(1.05, 0.0, 0.0), 0.01);
        grid.insert(2, DVec3::new(500.0, 0.0, 0.0), 498.0);
        let is_free = |x, y, z, radius| grid.is_free(DVec3::new(x, y, z), radius, &mut |_| false);
        assert!(!is_free(0.0, 1.0, 0.0, 1e-6));
        assert!(!is_free(1.5, 0.0, 0.0, 0.5));
        assert!(is_free(0.0, 1.1, 0.0, 0.05));
        assert!(!is_free(1.97, 0.0, 0.0, 0.04));
        assert!(!is_free(0.0, 0.0, 1e6, 1e6));
        assert!(grid.is_free(DVec3::new(0.0, 1.0, 0.0), 0.5, &mut |name| name == 0));
    }
}
