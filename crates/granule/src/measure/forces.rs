//! How normal forces of contacts are distributed about their mean.

use super::{Moment, Region};

/// A histogram of `f = F_n / ⟨F_n⟩` over contacts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForceDistribution {
    /// ⟨F_n⟩, N: the mean; zero if there are no contacts.
    pub mean: f64,
    /// The largest, N.
    pub largest: f64,
    /// How many contacts there are.
    pub number: usize,
    /// Width of a bin, in means.
    pub width: f64,
    /// The probability density P(f) in each bin, the first of which begins at 0. Times the width they add up to 1, less
    /// what lies beyond the last.
    pub density: Vec<f64>,
}

impl ForceDistribution {
    /// Over the contacts whose point is in a region, in so many bins from 0 to `end` means.
    ///
    /// ```
    /// use granule::bodies::Dimension;
    /// use granule::math::DVec3;
    /// use granule::measure::{ForceDistribution, Grain, Moment, Region};
    /// let grain = Grain {
    ///     id: 0,
    ///     position: DVec3::ZERO,
    ///     velocity: DVec3::ZERO,
    ///     radius: 1.0,
    ///     mass: 1.0,
    ///     volume: 1.0,
    ///     material: 0,
    /// };
    /// let mut moment = Moment::new(Dimension::Space, 0.0, vec![grain]);
    /// for force in [1.0, 3.0] {
    ///     moment.add_contact([Some(0), None], DVec3::ZERO, DVec3::Z, force * DVec3::Z);
    /// }
    /// let found = ForceDistribution::of(&moment, &Region::Everywhere, 4, 2.0);
    /// assert_eq!(found.mean, 2.0);
    /// assert_eq!(found.density, [0.0, 1.0, 0.0, 1.0]);
    /// ```
    pub fn of(moment: &Moment, region: &Region, bins: usize, end: f64) -> Self {
        let inside = moment
            .touches
            .iter()
            .filter(|touch| region.holds(touch.point));
        let forces: Vec<f64> = inside
            .map(|touch| touch.force.dot(touch.normal).abs())
            .collect();
        let number = forces.len();
        let width = end / bins as f64;
        let mut density = vec![0.0; bins];
        let sum: f64 = forces.iter().sum();
        let mean = if number == 0 {
            0.0
        } else {
            sum / number as f64
        };
        if mean > 0.0 {
            for force in &forces {
                if let Some(bin) = density.get_mut((force / mean / width) as usize) {
                    *bin += 1.0 / (number as f64 * width);
                }
            }
        }
        Self {
            mean,
            largest: forces.iter().copied().fold(0.0, f64::max),
            number,
            width,
            density,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_moments::{Random, chained, cloud};
    use super::*;

    #[test]
    fn an_exponential_distribution_is_found() {
        let mut moment = chained(&cloud(100, 41), 40_000, 42);
        let mut random = Random::new(43);
        for touch in &mut moment.touches {
            touch.force = -7.0 * random.uniform().max(1e-300).ln() * touch.normal;
        }
        let found = ForceDistribution::of(&moment, &Region::Everywhere, 20, 4.0);
        assert!((found.mean / 7.0 - 1.0).abs() < 0.02);
        for (k, density) in found.density.iter().enumerate() {
            let (from, to) = (0.2 * k as f64, 0.2 * (k + 1) as f64);
            let exact = ((-from).exp() - (-to).exp()) / 0.2;
            assert!((density - exact).abs() < 0.03, "{density} {exact}");
        }
        let sum: f64 = found.density.iter().map(|density| 0.2 * density).sum();
        assert!((sum - 1.0 + (-4.0f64).exp()).abs() < 0.005);
    }
}
