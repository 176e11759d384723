//! Grains on a lattice.

use super::{Grain, Mould};
use crate::scene::convert;
use crate::scene::grammar::{Grains, Grid, Lattice, Spacing};
use granule::math::{DVec3, Purpose, Stream};

/// The grains, x running fastest.
pub(super) fn generate(
    grains: &Grains,
    grid: &Grid,
    dimension: usize,
    mould: &mut Mould<'_>,
) -> Vec<Grain> {
    let origin = convert::vector_or_zero(grid.origin.as_ref());
    let count = |k: usize| grid.counts.get(k).copied().unwrap_or(1);
    let mut places = Stream::new(grains.seed, Purpose::Place);
    let mut made = Vec::new();
    for k in 0..count(2) {
        for j in 0..count(1) {
            for i in 0..count(0) {
                let mut position = origin + site(grid, dimension, [i, j, k]);
                if grid.jitter > 0.0 {
                    for axis in 0..dimension {
                        position[axis] += places.between(-grid.jitter, grid.jitter);
                    }
                }
                let size = mould.draw_size();
                made.push(Grain::new(position, mould.cast(size, None)));
            }
        }
    }
    made
}

/// The site of a lattice, from its first one.
fn site(grid: &Grid, dimension: usize, [i, j, k]: [u32; 3]) -> DVec3 {
    let index = DVec3::new(f64::from(i), f64::from(j), f64::from(k));
    let spacing = match &grid.spacing {
        Spacing::Same(length) => DVec3::splat(*length),
        Spacing::Each(lengths) => {
            let length = |k: usize| lengths.get(k).copied().unwrap_or(0.0);
            DVec3::new(length(0), length(1), length(2))
        }
    };
    if grid.lattice == Lattice::Square || dimension == 1 {
        return index * spacing;
    }
    // Rows √3/2 apart; layers √(2/3) apart, every other one moved over the hollows.
    let shift = f64::from((j + k) % 2);
    let hollow = f64::from(k % 2) / 3.0;
    let unit = DVec3::new(
        index.x + 0.5 * shift,
        0.5 * 3.0_f64.sqrt() * (index.y + hollow),
        (2.0_f64 / 3.0).sqrt() * index.z,
    );
    unit * spacing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexagonal_neighbours_are_one_spacing_apart_in_3d() {
        let grid = Grid {
            counts: vec![4, 4, 4],
            spacing: Spacing::Same(0.2),
            origin: None,
            jitter: 0.0,
            lattice: Lattice::Hexagonal,
        };
        let sites: Vec<DVec3> = (0..64)
            .map(|n| site(&grid, 3, [n % 4, n / 4 % 4, n / 16]))
            .collect();
        let mut near = 0;
        for a in &sites {
            for b in sites.iter().filter(|b| *b != a) {
                assert!(a.distance(*b) > 0.2 - 1e-12);
                near += usize::from(a.distance(*b) < 0.2 + 1e-12);
            }
        }
        // Inner sites have 12 neighbours; the rim of this small block pulls the mean down.
        assert!(near > 7 * 64, "{near}");
    }
}
