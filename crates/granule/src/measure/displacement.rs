//! How far grains have come: the mean square displacement `⟨|x - x₀|²⟩`, in a periodic cell also through its faces.

use super::Moment;
use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// Where grains were when they were first seen, by id.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::math::DVec3;
/// use granule::measure::{Grain, Moment, Origins};
/// let at = |x| {
///     let grain = Grain {
///         id: 5,
///         position: x * DVec3::X,
///         velocity: DVec3::ZERO,
///         radius: 1.0,
///         mass: 1.0,
///         volume: 1.0,
///         material: 0,
///     };
///     Moment::new(Dimension::Space, 0.0, vec![grain])
/// };
/// let mut origins = Origins::default();
/// origins.note(&at(1.0));
/// origins.note(&at(3.0));
/// assert_eq!(origins.mean_square_displacement(&at(4.0)), 9.0);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Origins {
    /// In the order of ids.
    places: Vec<(u32, DVec3)>,
}

impl Origins {
    /// Notes where grains are that have not been seen before, and forgets those that are gone.
    pub fn note(&mut self, moment: &Moment) {
        let same = self.places.len() == moment.grains.len()
            && (self.places.iter().zip(&moment.grains)).all(|((id, _), grain)| *id == grain.id);
        if same {
            return;
        }
        let places = moment.grains.iter().enumerate().map(|(place, grain)| {
            let known = self.of(grain.id).unwrap_or_else(|| moment.unfolded(place));
            (grain.id, known)
        });
        self.places = places.collect();
    }

    fn of(&self, id: u32) -> Option<DVec3> {
        let place = self.places.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.places[place].1)
    }

    /// The mean over all grains that have been noted of the squares of their ways, m²; zero if there are none.
    pub fn mean_square_displacement(&self, moment: &Moment) -> f64 {
        let (mut sum, mut count) = (0.0, 0usize);
        for (place, grain) in moment.grains.iter().enumerate() {
            if let Some(origin) = self.of(grain.id) {
                sum += moment.unfolded(place).distance_squared(origin);
                count += 1;
            }
        }
        if count == 0 { 0.0 } else { sum / count as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_moments::{cloud, moved};
    use super::*;

    #[test]
    fn a_random_walk_spreads_with_the_number_of_its_steps() {
        let start = cloud(2000, 51);
        let mut origins = Origins::default();
        origins.note(&start);
        let mut now = start;
        // A step is uniform in a cube of half-width a: its mean square is a².
        for step in 1..=40u64 {
            now = moved(&now, 0.1, 60 + step);
            origins.note(&now);
            let found = origins.mean_square_displacement(&now);
            let expected = 0.01 * step as f64;
            assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
        }
    }

    #[test]
    fn grains_that_come_start_where_they_come() {
        let mut now = cloud(10, 1);
        let mut origins = Origins::default();
        origins.note(&now);
        let mut new = now.grains[9];
        new.id = 99;
        now.grains.remove(3);
        now.grains.push(new);
        origins.note(&now);
        assert_eq!(origins.mean_square_displacement(&now), 0.0);
        now.grains[9].position += DVec3::Z;
        assert!((origins.mean_square_displacement(&now) - 0.1).abs() < 1e-12);
    }
}
