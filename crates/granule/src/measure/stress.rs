//! The mean stress of the grains in a region.
//!
//! ```text
//! σ = 1/V Σ_c s_c f_c ⊗ l_c  +  1/V Σ_i m_i c_i ⊗ c_i
//! ```
//!
//! with the volume V of the region (the area in a plane); for each contact the force f on a grain and the branch l from
//! the centre of what it touches to its own centre, where walls have the contact point for a centre; s is the part of
//! the branch that lies in the region. The second sum goes over the grains whose centre lies in it, with velocities c
//! about their mean (over mass), in a periodic cell about its flow and the mean. **Compression is positive.**
//!
//! [goldhirsch2010] with the indicator of the region for the coarse-graining function, and walls as in
//! [weinhart2012]. Since s is the part of the branch, σ is the mean over the region of forces through planes: momentum is
//! balanced exactly, however small the region is. With the whole packing as the region all s are 1, and the sum is that
//! of Love and Weber.

use super::{Grid, Moment, Region};
use crate::bodies::Dimension;
use crate::math::{DMat3, DVec3};

/// A stress, compression positive. Pa; in a plane N/m, on a line N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stress {
    /// What contacts carry; row i of column j is the force along i through planes normal to j.
    pub contacts: DMat3,
    /// What grains carry that move about their mean.
    pub kinetic: DMat3,
}

impl Stress {
    /// None.
    pub const ZERO: Self = Self {
        contacts: DMat3::ZERO,
        kinetic: DMat3::ZERO,
    };

    /// The mean over a region; zero if the region has no volume.
    ///
    /// ```
    /// use granule::bodies::Dimension;
    /// use granule::math::DVec3;
    /// use granule::measure::{Grain, Moment, Region, Stress};
    /// // A ball of radius 1 between two plates that press with 6 N.
    /// let grain = Grain {
    ///     id: 0,
    ///     position: DVec3::ZERO,
    ///     velocity: DVec3::ZERO,
    ///     radius: 1.0,
    ///     mass: 1.0,
    ///     volume: Dimension::Space.ball_volume(1.0),
    ///     material: 0,
    /// };
    /// let mut moment = Moment::new(Dimension::Space, 0.0, vec![grain]);
    /// for side in [1.0, -1.0] {
    ///     let normal = side * DVec3::Z;
    ///     moment.add_contact([Some(0), None], -normal, normal, 6.0 * normal);
    /// }
    /// // 6 N on the 4 m² of the box around it.
    /// let stress = Stress::of(&moment, &Region::Everywhere).total();
    /// assert!((stress.z_axis.z - 1.5).abs() < 1e-15);
    /// ```
    pub fn of(moment: &Moment, region: &Region) -> Self {
        let volume = region.volume(moment);
        if volume <= 0.0 {
            return Self::ZERO;
        }
        let mut sum = DMat3::ZERO;
        for touch in &moment.touches {
            let mut add = |[from, to]: [DVec3; 2]| {
                let share = region.share(from, to);
                if share > 0.0 {
                    sum += outer(touch.force, share * (to - from));
                }
            };
            match region {
                Region::Everywhere => add(moment.branch(touch)),
                Region::Box { .. } | Region::Cylinder { .. } | Region::Sphere { .. } => {
                    moment.each_branch(touch, add);
                }
            }
        }
        Self {
            contacts: sum * volume.recip(),
            kinetic: fluctuation(moment, region) * volume.recip(),
        }
    }

    /// The mean over each cell of a grid, in the order of the grid.
    pub fn on_grid(moment: &Moment, grid: &Grid) -> Vec<Self> {
        let cells: Vec<Region> = (0..grid.len()).map(|cell| grid.region(cell)).collect();
        let volume = grid.cell_volume(moment.dimension);
        let mut sums = vec![Self::ZERO; cells.len()];
        for touch in &moment.touches {
            moment.each_branch(touch, |[from, to]| {
                grid.each_between(from, to, |cell| {
                    let way = cells[cell].share(from, to) * (to - from);
                    sums[cell].contacts += outer(touch.force, way);
                });
            });
        }
        let mut motions = vec![Motion::ZERO; cells.len()];
        for grain in &moment.grains {
            if let Some(cell) = grid.cell_of(grain.position) {
                motions[cell].add(grain.mass, moment.peculiar(grain));
            }
        }
        for (sum, motion) in sums.iter_mut().zip(&motions) {
            sum.contacts *= volume.recip();
            sum.kinetic = motion.fluctuation() * volume.recip();
        }
        sums
    }

    /// Both parts together.
    pub fn total(&self) -> DMat3 {
        self.contacts + self.kinetic
    }

    /// The mean of the diagonal, over as many axes as there are dimensions.
    pub fn pressure(&self, dimension: Dimension) -> f64 {
        let total = self.total();
        let count = dimension.count();
        let diagonal = (0..count).map(|k| total.col(k)[k]);
        diagonal.sum::<f64>() / count as f64
    }
}

/// Σ m c⊗c over the grains in a region, about their mean velocity, J.
fn fluctuation(moment: &Moment, region: &Region) -> DMat3 {
    let mut motion = Motion::ZERO;
    for grain in moment.grains.iter().filter(|g| region.holds(g.position)) {
        motion.add(grain.mass, moment.peculiar(grain));
    }
    motion.fluctuation()
}

/// Sums of mass, momentum and m v⊗v, taken about the velocity of the first grain so that a common motion does not
/// cancel digits.
#[derive(Clone, Copy)]
struct Motion {
    first: Option<DVec3>,
    mass: f64,
    momentum: DVec3,
    square: DMat3,
}

impl Motion {
    const ZERO: Self = Self {
        first: None,
        mass: 0.0,
        momentum: DVec3::ZERO,
        square: DMat3::ZERO,
    };

    fn add(&mut self, mass: f64, velocity: DVec3) {
        let velocity = velocity - *self.first.get_or_insert(velocity);
        self.mass += mass;
        self.momentum += mass * velocity;
        self.square += outer(mass * velocity, velocity);
    }

    fn fluctuation(&self) -> DMat3 {
        if self.mass <= 0.0 {
            return DMat3::ZERO;
        }
        self.square - outer(self.momentum, self.momentum / self.mass)
    }
}

/// a ⊗ b: row i of column j is a_i b_j.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}

#[cfg(test)]
mod tests {
    use super::super::test_moments::{chained, cloud};
    use super::*;

    /// The force on what is beyond a plane z from what is before it, by counting branches.
    fn through(moment: &Moment, z: f64) -> DVec3 {
        let branches = moment
            .touches
            .iter()
            .map(|touch| (touch.force, moment.branch(touch)));
        branches
            .filter(|(_, [from, to])| (from.z < z) != (to.z < z))
            .map(|(force, [from, to])| if to.z > from.z { force } else { -force })
            .sum()
    }

    #[test]
    fn the_stress_of_a_slab_is_the_mean_force_through_its_planes() {
        let moment = chained(&cloud(400, 3), 900, 4);
        let [low, high] = [-0.4, 0.35];
        let far = 10.0;
        let region = Region::Box {
            min: DVec3::new(-far, -far, low),
            max: DVec3::new(far, far, high),
        };
        const COUNT: usize = 20_000;
        let planes = (0..COUNT).map(|k| low + (high - low) * (k as f64 + 0.5) / COUNT as f64);
        let mean = planes.map(|z| through(&moment, z)).sum::<DVec3>() / COUNT as f64;
        let found = Stress::of(&moment, &region).contacts.z_axis * (4.0 * far * far);
        assert!(
            (found - mean).length() < 1e-3 * mean.length(),
            "{found} {mean}"
        );
    }

    #[test]
    fn cells_of_a_grid_add_up_to_the_whole() {
        let moment = chained(&cloud(300, 7), 600, 8);
        let grid = Grid::new(DVec3::splat(-1.0), DVec3::splat(1.0), [3, 4, 2]);
        let cells = Stress::on_grid(&moment, &grid);
        for (cell, stress) in cells.iter().enumerate() {
            let alone = Stress::of(&moment, &grid.region(cell));
            let error = (stress.total() - alone.total()).abs();
            let scale = alone.total().abs().to_cols_array().iter().sum::<f64>();
            assert!(
                error.to_cols_array().iter().all(|e| *e <= 1e-12 * scale),
                "{cell} {error} {scale}"
            );
        }
        let whole = Region::Box {
            min: DVec3::splat(-1.0),
            max: DVec3::splat(1.0),
        };
        let sum = cells.iter().map(|cell| cell.contacts).sum::<DMat3>() * (8.0 / 24.0);
        let found = Stress::of(&moment, &whole).contacts * 8.0;
        assert!(
            (sum - found)
                .abs()
                .to_cols_array()
                .iter()
                .all(|e| *e < 1e-9)
        );
    }

    #[test]
    fn a_gas_has_the_pressure_of_its_temperature_whatever_wind_blows() {
        let mut moment = cloud(5000, 9);
        for grain in &mut moment.grains {
            grain.velocity += DVec3::new(1e6, 0.0, 0.0);
        }
        let region = Region::Everywhere;
        let volume = region.volume(&moment);
        let mass: f64 = moment.grains.iter().map(|g| g.mass).sum();
        let momentum: DVec3 = moment.grains.iter().map(|g| g.mass * g.velocity).sum();
        let square =
            |g: &super::super::Grain| g.mass * (g.velocity - momentum / mass).length_squared();
        let energy: f64 = moment.grains.iter().map(square).sum();
        let pressure = Stress::of(&moment, &region).pressure(Dimension::Space);
        let expected = energy / (3.0 * volume);
        assert!(
            (pressure / expected - 1.0).abs() < 1e-9,
            "{pressure} {expected}"
        );
    }
}
