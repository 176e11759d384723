//! Numbers of places, as measures give them for the cells of a grid.

use super::quantity::Shot;
use glam::DVec3;

/// Numbers of places at some times.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Field {
    /// Name and unit of the number.
    pub title: String,
    /// Times (s) in increasing order, each with places (m) and their numbers.
    pub moments: Vec<(f64, Vec<(DVec3, f64)>)>,
}

impl Field {
    /// Of each body the number of the nearest place, at the last time that is not after it.
    pub(super) fn values(&self, shot: &Shot<'_>) -> Vec<f64> {
        let slack = 1e-9 * shot.time.abs();
        let after = self
            .moments
            .partition_point(|(time, _)| *time <= shot.time + slack);
        let places = match after.checked_sub(1) {
            Some(last) => &self.moments[last].1[..],
            None => &[],
        };
        let nearest = |center: &DVec3| {
            let way = |place: &DVec3| place.distance_squared(*center);
            let nearest = places.iter().min_by(|a, b| way(&a.0).total_cmp(&way(&b.0)));
            nearest.map_or(f64::NAN, |(_, value)| *value)
        };
        shot.bodies.position.iter().map(nearest).collect()
    }
}
