//! How well two kinds of grains are mixed: Lacey's index [lacey1954].
//!
//! ```text
//! M = (S₀² - S²) / (S₀² - S_R²)
//! ```
//!
//! with the variance S² over the cells of a grid of the part p_i of marked grains among the n_i of a cell, that of two
//! kinds kept apart `S₀² = p (1 - p)`, and that of a random mixture S_R². M is 0 for kinds kept apart and 1 on average
//! for a random mixture.
//!
//! Deviation: cells hold different numbers of grains, so that S² weighs them, `S² = Σ n_i (p_i - p)² / N`; for N grains
//! in K occupied cells, marked at random, its mean is then exactly `S_R² = p (1 - p) (K - 1) / (N - 1)`, which for equal
//! cells of n grains is nearly Lacey's p (1 - p)/n.

use super::{Grain, Grid, Moment};

/// Lacey's index M over the cells of a grid of the grains that are `marked` among the others; `None` where there are no
/// two kinds, or where no cell holds two grains.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::math::DVec3;
/// use granule::measure::{Grain, Grid, Moment, mixing};
/// let grains = (0..40).map(|id| Grain {
///     id,
///     position: DVec3::new(f64::from(id), 0.5, 0.5),
///     velocity: DVec3::ZERO,
///     radius: 0.5,
///     mass: 1.0,
///     volume: 0.5,
///     material: u16::from(id < 20),
/// });
/// let moment = Moment::new(Dimension::Space, 0.0, grains.collect());
/// let grid = Grid::new(DVec3::ZERO, DVec3::new(40.0, 1.0, 1.0), [8, 1, 1]);
/// assert_eq!(mixing(&moment, &grid, |grain| grain.material == 0), Some(0.0));
/// assert!(mixing(&moment, &grid, |grain| grain.id % 2 == 0).unwrap() > 0.9);
/// ```
pub fn mixing(moment: &Moment, grid: &Grid, marked: impl Fn(&Grain) -> bool) -> Option<f64> {
    let mut cells = vec![[0.0f64; 2]; grid.len()];
    for grain in &moment.grains {
        if let Some(cell) = grid.cell_of(grain.position) {
            cells[cell][0] += 1.0;
            cells[cell][1] += f64::from(u8::from(marked(grain)));
        }
    }
    cells.retain(|[number, _]| *number > 0.0);
    let sum = |which: usize| cells.iter().map(|cell| cell[which]).sum::<f64>();
    let (number, count) = (sum(0), cells.len() as f64);
    let part = sum(1) / number;
    let apart = part * (1.0 - part);
    let random = apart * (count - 1.0) / (number - 1.0);
    let about = |[n, m]: &[f64; 2]| n * (m / n - part) * (m / n - part);
    let variance = cells.iter().map(about).sum::<f64>() / number;
    let defined = apart > 0.0 && apart > random;
    defined.then(|| (apart - variance) / (apart - random))
}

#[cfg(test)]
mod tests {
    use super::super::test_moments::{Random, cloud};
    use super::*;
    use crate::math::DVec3;

    #[test]
    fn a_random_mixture_has_one_on_average() {
        let moment = cloud(400, 31);
        let grid = Grid::new(DVec3::splat(-1.0), DVec3::ONE, [4, 4, 3]);
        let mut random = Random::new(32);
        const COUNT: usize = 4000;
        let mut sum = 0.0;
        for _ in 0..COUNT {
            // Exactly a hundred of the grains, at random.
            let mut marked = vec![false; 400];
            let mut left = 100;
            while left > 0 {
                let place = (random.uniform() * 400.0) as usize;
                if !marked[place] {
                    marked[place] = true;
                    left -= 1;
                }
            }
            sum += mixing(&moment, &grid, |grain| marked[grain.id as usize]).unwrap();
        }
        let mean = sum / COUNT as f64;
        assert!((mean - 1.0).abs() < 2e-3, "{mean}");
    }

    #[test]
    fn one_kind_alone_is_not_mixed_or_apart() {
        let moment = cloud(50, 3);
        let grid = Grid::new(DVec3::splat(-1.0), DVec3::ONE, [2, 2, 2]);
        assert_eq!(mixing(&moment, &grid, |_| true), None);
        let empty = Moment::new(moment.dimension, 0.0, Vec::new());
        assert_eq!(mixing(&empty, &grid, |_| true), None);
        // With a cell for each grain nothing can be told.
        let fine = Grid::new(DVec3::splat(-1.0), DVec3::ONE, [200, 200, 200]);
        assert_eq!(mixing(&moment, &fine, |grain| grain.id % 2 == 0), None);
    }
}
