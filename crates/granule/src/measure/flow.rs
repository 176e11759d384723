//! What goes through a plane.
//!
//! A grain crosses the plane through `point` with the unit normal `n` between two moments if the sign of
//! `s = n·(x - point)` of its centre changes: forwards from `s < 0` to `s ≥ 0`, backwards the other way. With the whole
//! plane open, crossings forwards less crossings backwards are therefore the change of the number of grains with
//! `s ≥ 0`, exactly, as long as none appears or vanishes. Between the two moments centres are taken to move straight,
//! which says where they cross.

use super::{Moment, Region};
use crate::math::DVec3;

/// A plane that grains go through, or the part of it that lies in a region.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::math::DVec3;
/// use granule::measure::{Gate, Grain, Moment, Region};
/// let at = |time, z| {
///     let grain = Grain {
///         id: 3,
///         position: DVec3::new(0.0, 0.0, z),
///         velocity: DVec3::ZERO,
///         radius: 0.1,
///         mass: 2.0,
///         volume: 1.0,
///         material: 0,
///     };
///     Moment::new(Dimension::Space, time, vec![grain])
/// };
/// let gate = Gate { point: DVec3::ZERO, normal: -DVec3::Z, within: Region::Everywhere };
/// let crossed = gate.crossed(&at(0.0, 0.1), &at(0.1, -0.1));
/// assert_eq!((crossed.mass, crossed.number), (2.0, 1.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// A point of the plane, m.
    pub point: DVec3,
    /// Unit normal n: forwards.
    pub normal: DVec3,
    /// What crosses the plane outside this region does not count.
    pub within: Region,
}

/// What crossed a gate: forwards less backwards.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Crossed {
    /// kg.
    pub mass: f64,
    /// Number of grains.
    pub number: f64,
}

impl Gate {
    /// What crossed between two moments. Grains that are not in both do not count.
    pub fn crossed(&self, before: &Moment, after: &Moment) -> Crossed {
        let mut sum = Crossed::default();
        let mut earlier = before.grains.iter().peekable();
        for grain in &after.grains {
            while earlier.next_if(|old| old.id < grain.id).is_some() {}
            let Some(old) = earlier.next_if(|old| old.id == grain.id) else {
                continue;
            };
            let height = |position: DVec3| self.normal.dot(position - self.point);
            // In a periodic cell it has gone the shorter way.
            let way = grain.position - old.position;
            let through = after
                .cell
                .map_or(DVec3::ZERO, |cell| cell.shift(cell.nearest(way)));
            let start = old.position + through;
            let (from, to) = (height(start), height(grain.position));
            if (from >= 0.0) == (to >= 0.0) {
                continue;
            }
            let place = start.lerp(grain.position, from / (from - to));
            if self.within.holds(place) {
                let sign = if to >= 0.0 { 1.0 } else { -1.0 };
                sum.mass += sign * grain.mass;
                sum.number += sign;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_moments::{cloud, moved};
    use super::*;

    #[test]
    fn crossings_are_the_change_of_what_is_beyond() {
        let gate = Gate {
            point: DVec3::new(0.1, 0.0, -0.1),
            normal: DVec3::new(0.3, -0.2, 0.8).normalize(),
            within: Region::Everywhere,
        };
        let beyond = |moment: &Moment| {
            let grains = moment.grains.iter();
            let beyond = grains.filter(|g| gate.normal.dot(g.position - gate.point) >= 0.0);
            beyond.fold([0.0, 0.0], |[m, n], g| [m + g.mass, n + 1.0])
        };
        for seed in 0..20 {
            let before = cloud(300, seed);
            let after = moved(&before, 0.3, seed + 100);
            let crossed = gate.crossed(&before, &after);
            let ([m, n], [mass, number]) = (beyond(&before), beyond(&after));
            assert_eq!(crossed.number, number - n);
            assert!((crossed.mass - (mass - m)).abs() < 1e-12);
            let back = gate.crossed(&after, &before);
            assert_eq!(back.number, -crossed.number);
            // Parts of the plane add up.
            let half = |sign: f64| {
                let ends = [f64::NEG_INFINITY, 0.0, f64::INFINITY];
                let [min, max] = if sign < 0.0 { [0, 1] } else { [1, 2] };
                let corner = |x| DVec3::new(x, f64::NEG_INFINITY, f64::NEG_INFINITY);
                let far = |x| DVec3::new(x, f64::INFINITY, f64::INFINITY);
                let within = Region::Box {
                    min: corner(ends[min]),
                    max: far(ends[max]),
                };
                Gate { within, ..gate }.crossed(&before, &after).number
            };
            assert_eq!(half(-1.0) + half(1.0), crossed.number);
        }
    }

    #[test]
    fn grains_that_come_and_go_are_not_counted() {
        let before = cloud(50, 1);
        let mut after = moved(&before, 5.0, 2);
        let gate = Gate {
            point: DVec3::ZERO,
            normal: DVec3::Z,
            within: Region::Everywhere,
        };
        let whole = gate.crossed(&before, &after);
        let gone = after.grains.remove(10);
        let old = before.grains[10].position;
        let crossed =
            f64::from(u8::from(gone.position.z >= 0.0)) - f64::from(u8::from(old.z >= 0.0));
        let new = super::super::Grain {
            id: 1000,
            ..after.grains[0]
        };
        after.grains.push(new);
        let rest = gate.crossed(&before, &after);
        assert_eq!(rest.number, whole.number - crossed);
    }
}
