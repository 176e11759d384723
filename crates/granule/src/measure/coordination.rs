//! How many neighbours grains have.
//!
//! Contacts that carry a force count: two grains count once, in however many points they touch, and every point on a
//! wall (or on a body that moves as prescribed) counts. With n_i for grain i, over the grains whose centre is in the
//! region, the coordination number is `Z = Σ n_i / N`. The mechanical one leaves out those that hold nothing up, N₀ with
//! no contact and N₁ with one: `Z_m = (Σ n_i - N₁) / (N - N₀ - N₁)` [thornton2000].

use super::{Moment, Region};
use std::collections::BTreeSet;

/// The mean number of contacts of grains.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Coordination {
    /// Z: over all grains; zero if there are none.
    pub all: f64,
    /// Z_m: over the grains with two contacts or more; zero if there are none.
    pub mechanical: f64,
    /// The part of the grains that have fewer than two.
    pub rattlers: f64,
}

impl Coordination {
    /// Of the grains whose centre is in a region.
    ///
    /// ```
    /// use granule::bodies::Dimension;
    /// use granule::math::DVec3;
    /// use granule::measure::{Coordination, Grain, Moment, Region};
    /// let grain = |id| Grain {
    ///     id,
    ///     position: DVec3::ZERO,
    ///     velocity: DVec3::ZERO,
    ///     radius: 1.0,
    ///     mass: 1.0,
    ///     volume: 1.0,
    ///     material: 0,
    /// };
    /// // Two that lie on each other on a floor, and one that flies.
    /// let mut moment = Moment::new(Dimension::Space, 0.0, vec![grain(0), grain(1), grain(2)]);
    /// moment.add_contact([Some(0), None], DVec3::ZERO, DVec3::Z, DVec3::Z);
    /// moment.add_contact([Some(1), Some(0)], DVec3::ZERO, DVec3::Z, DVec3::Z);
    /// let found = Coordination::of(&moment, &Region::Everywhere);
    /// assert_eq!((found.all, found.mechanical), (1.0, 2.0));
    /// ```
    pub fn of(moment: &Moment, region: &Region) -> Self {
        let mut contacts = vec![0u32; moment.grains.len()];
        let mut pairs = BTreeSet::new();
        for touch in &moment.touches {
            match touch.other {
                None => contacts[touch.grain] += 1,
                Some(other) => {
                    let pair = [touch.grain.min(other), touch.grain.max(other)];
                    if pairs.insert(pair) {
                        pair.iter().for_each(|&place| contacts[place] += 1);
                    }
                }
            }
        }
        let grains = moment.grains.iter().zip(&contacts);
        let inside = grains.filter(|(grain, _)| region.holds(grain.position));
        let (mut number, mut loose) = (0u32, 0u32);
        let (mut sum, mut held) = (0u32, 0u32);
        for (_, &count) in inside {
            number += 1;
            sum += count;
            match count {
                0 | 1 => loose += 1,
                _ => held += count,
            }
        }
        let ratio = |above: u32, below: u32| match below {
            0 => 0.0,
            _ => f64::from(above) / f64::from(below),
        };
        Self {
            all: ratio(sum, number),
            mechanical: ratio(held, number - loose),
            rattlers: ratio(loose, number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_moments::{chained, cloud};
    use super::*;
    use crate::math::DVec3;

    #[test]
    fn counting_pair_by_pair_agrees() {
        let moment = chained(&cloud(120, 21), 700, 22);
        let region = Region::Box {
            min: DVec3::new(-1.0, -1.0, -0.2),
            max: DVec3::ONE,
        };
        let touching = |a: usize, b: usize| {
            let pairs = [(a, Some(b)), (b, Some(a))];
            moment
                .touches
                .iter()
                .any(|t| pairs.contains(&(t.grain, t.other)))
        };
        let count = moment.grains.len();
        let neighbours = |a: usize| {
            let grains = (0..count).filter(|&b| b != a && touching(a, b)).count();
            let walls = moment
                .touches
                .iter()
                .filter(|t| t.grain == a && t.other.is_none());
            grains + walls.count()
        };
        let inside = (0..count).filter(|&a| region.holds(moment.grains[a].position));
        let counts: Vec<usize> = inside.map(neighbours).collect();
        let mean = |counts: &[usize]| counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        let backbone: Vec<usize> = counts.iter().copied().filter(|&n| n > 1).collect();
        let found = Coordination::of(&moment, &region);
        assert!((found.all - mean(&counts)).abs() < 1e-12);
        assert!((found.mechanical - mean(&backbone)).abs() < 1e-12);
        let rattlers = 1.0 - backbone.len() as f64 / counts.len() as f64;
        assert!((found.rattlers - rattlers).abs() < 1e-12);
    }
}
