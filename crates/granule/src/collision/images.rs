//! Close pairs of spheres in a periodic cell: bodies near a face are there a second time beyond the other one.

use super::grid::{GridWorkspace, close_pairs};
use crate::bodies::Lattice;
use crate::math::DVec3;

/// Scratch memory for [`close_images`].
#[derive(Debug, Clone, Default)]
pub struct ImagesWorkspace {
    /// The bodies in the cell, and after them images around it.
    positions: Vec<DVec3>,
    reach: Vec<f64>,
    /// The bodies that these are images of.
    owner: Vec<u32>,
}

/// Finds all pairs i < j of which some images are as near as `reach_i + reach_j` (m), sorted by (i, j), into `pairs`.
pub fn close_images(
    positions: &[DVec3],
    reach: &[f64],
    lattice: &Lattice,
    pairs: &mut Vec<[u32; 2]>,
    (grid, images): (&mut GridWorkspace, &mut ImagesWorkspace),
) {
    let largest = reach.iter().copied().fold(0.0, f64::max);
    let center = lattice.center();
    images.owner.clear();
    images.reach.clear();
    images.reach.extend_from_slice(reach);
    images.positions.clear();
    let inside = positions.iter().map(|x| lattice.inside(*x) - center);
    images.positions.extend(inside);
    for (body, &own) in reach.iter().enumerate() {
        let at = images.positions[body];
        lattice.each_image(at, own + largest, |image| {
            images.positions.push(at + lattice.shift(image));
            images.reach.push(own);
            images.owner.push(body as u32);
        });
    }
    close_pairs(&images.positions, &images.reach, pairs, grid);
    let count = positions.len();
    let owner = |place: u32| match (place as usize).checked_sub(count) {
        None => place,
        Some(image) => images.owner[image],
    };
    for pair in pairs.iter_mut() {
        let both = pair[0] as usize >= count;
        let [i, j] = pair.map(owner);
        // Two images are near each other where their bodies are, or one of them and another image.
        *pair = if both { [0; 2] } else { [i.min(j), i.max(j)] };
    }
    pairs.retain(|[i, j]| i != j);
    pairs.sort_unstable();
    pairs.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::{Cell, CellRate, Shear, TimeFunction};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_brute_force_finds(
            bodies in proptest::collection::vec(
                (-2.0..2.0f64, -2.0..2.0f64, -2.0..2.0f64, 0.01..0.2f64), 0..80),
            tilt in -2.0..2.0f64, flat in any::<bool>(), open in any::<bool>(),
        ) {
            let depth = if flat { 0.0 } else { 0.8 };
            let size = DVec3::new(1.0, if open { 0.0 } else { 1.2 }, depth);
            let mut cell = Cell::new(DVec3::new(0.1, 0.2, 0.3), size);
            if !open {
                let rate = TimeFunction::Constant(0.0);
                cell.shear = Some(Shear { flow: 0, gradient: 1, rate });
                cell.tilt = tilt;
                cell.rate = CellRate::default();
            }
            let lattice = cell.lattice();
            let positions: Vec<DVec3> = bodies.iter().map(|b| DVec3::new(b.0, b.1, b.2)).collect();
            let reach: Vec<f64> = bodies.iter().map(|b| b.3).collect();
            let mut expected = Vec::new();
            for i in 0..positions.len() {
                for j in i + 1..positions.len() {
                    let offset = positions[i] - positions[j];
                    let offset = offset - lattice.shift(lattice.nearest(offset));
                    if offset.length() <= reach[i] + reach[j] {
                        expected.push([i as u32, j as u32]);
                    }
                }
            }
            let (mut pairs, mut grid, mut images) = Default::default();
            close_images(&positions, &reach, &lattice, &mut pairs, (&mut grid, &mut images));
            prop_assert_eq!(pairs, expected);
        }
    }
}
