//! Parts of space in which something is measured.

use super::Moment;
use crate::bodies::Dimension;
use crate::math::DVec3;
use std::f64::consts::PI;

/// A convex part of space.
///
/// In a plane a box has no ends along z ([`Region::rectangle`]) and a circle is a [`Region::Sphere`].
///
/// ```
/// use granule::math::DVec3;
/// use granule::measure::Region;
/// let region = Region::Box { min: DVec3::ZERO, max: DVec3::ONE };
/// assert!(region.holds(DVec3::splat(0.5)));
/// // A quarter of this line is inside.
/// assert_eq!(region.share(DVec3::new(0.5, 0.5, 0.75), DVec3::new(0.5, 0.5, 1.75)), 0.25);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Region {
    /// Everything; its volume is that of the box around all grains, along the periodic axes of a cell that of the cell.
    #[default]
    Everywhere,
    /// A box along the axes.
    Box {
        /// The corner with the smallest coordinates, m.
        min: DVec3,
        /// The corner with the largest coordinates, m.
        max: DVec3,
    },
    /// A cylinder.
    Cylinder {
        /// Its middle, m.
        center: DVec3,
        /// Unit vector along it.
        axis: DVec3,
        /// m.
        radius: f64,
        /// m.
        length: f64,
    },
    /// A ball; in a plane a disk.
    Sphere {
        /// m.
        center: DVec3,
        /// m.
        radius: f64,
    },
}

impl Region {
    /// A rectangle in the plane of a scene, or a segment of its line: what lies beyond the dimension does not count.
    pub fn rectangle(min: DVec3, max: DVec3, dimension: Dimension) -> Self {
        let (mut min, mut max) = (min, max);
        for axis in dimension.count()..3 {
            (min[axis], max[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        Self::Box { min, max }
    }

    /// Whether a point is inside. A box has its lower ends and not its upper ones, so that no point is in two of a grid.
    pub fn holds(&self, point: DVec3) -> bool {
        match *self {
            Self::Everywhere => true,
            Self::Box { min, max } => point.cmpge(min).all() && point.cmplt(max).all(),
            Self::Cylinder {
                center,
                axis,
                radius,
                length,
            } => {
                let way = point - center;
                let along = way.dot(axis);
                2.0 * along.abs() <= length && (way - along * axis).length() <= radius
            }
            Self::Sphere { center, radius } => point.distance(center) <= radius,
        }
    }

    /// How far the nearest point of the surface is from a point (m), negative inside; outside a box or a cylinder no
    /// more than that.
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        match *self {
            Self::Everywhere => f64::NEG_INFINITY,
            Self::Box { min, max } => (min - point).max(point - max).max_element(),
            Self::Cylinder {
                center,
                axis,
                radius,
                length,
            } => {
                let way = point - center;
                let along = way.dot(axis);
                let across = (way - along * axis).length() - radius;
                across.max(along.abs() - 0.5 * length)
            }
            Self::Sphere { center, radius } => point.distance(center) - radius,
        }
    }

    /// How high above the centre of a ball (m) the only plane is that cuts it, if it is cut by a plane and nothing else.
    pub(super) fn only_plane(&self, center: DVec3, radius: f64) -> Option<f64> {
        let heights: [f64; 6] = match *self {
            Self::Everywhere | Self::Sphere { .. } => return None,
            Self::Box { min, max } => {
                let (low, high) = (center - min, max - center);
                [low.x, low.y, low.z, high.x, high.y, high.z]
            }
            Self::Cylinder {
                center: middle,
                axis,
                radius: wide,
                length,
            } => {
                let way = center - middle;
                let along = way.dot(axis);
                let side = wide - (way - along * axis).length();
                if side < radius {
                    return None;
                }
                let mut ends = [side; 6];
                (ends[0], ends[1]) = (0.5 * length - along, 0.5 * length + along);
                ends
            }
        };
        let mut cutting = heights.into_iter().filter(|height| *height < radius);
        let first = cutting.next();
        first.filter(|_| cutting.next().is_none())
    }

    /// The part, from 0 to 1, of the straight line between two points that is inside.
    pub fn share(&self, from: DVec3, to: DVec3) -> f64 {
        let way = to - from;
        if way == DVec3::ZERO {
            return f64::from(u8::from(self.holds(from)));
        }
        let [begin, end] = match *self {
            Self::Everywhere => return 1.0,
            Self::Box { min, max } => {
                let slabs = (0..3).map(|k| between(way[k], min[k] - from[k], max[k] - from[k]));
                slabs.fold([0.0, 1.0], both)
            }
            Self::Cylinder {
                center,
                axis,
                radius,
                length,
            } => {
                let start = from - center;
                let (along, speed) = (start.dot(axis), way.dot(axis));
                let (start, way) = (start - along * axis, way - speed * axis);
                let ends = between(speed, -0.5 * length - along, 0.5 * length - along);
                both(both([0.0, 1.0], ends), within(start, way, radius))
            }
            Self::Sphere { center, radius } => both([0.0, 1.0], within(from - center, way, radius)),
        };
        (end - begin).max(0.0)
    }

    /// m³; in a plane m², on a line m.
    pub fn volume(&self, moment: &Moment) -> f64 {
        let dimension = moment.dimension;
        let product = |size: DVec3| size.to_array()[..dimension.count()].iter().product();
        match *self {
            Self::Everywhere => {
                let [min, max] = moment.bounds();
                let mut size = max - min;
                if let Some(cell) = &moment.cell {
                    let periodic = cell.size().cmpgt(DVec3::ZERO);
                    size = DVec3::select(periodic, cell.size(), size);
                }
                product(size)
            }
            Self::Box { min, max } => product(max - min),
            Self::Cylinder { radius, length, .. } => PI * radius * radius * length,
            Self::Sphere { radius, .. } => dimension.ball_volume(radius),
        }
    }
}

/// The times at which something with this speed is between two places.
fn between(speed: f64, low: f64, high: f64) -> [f64; 2] {
    if speed == 0.0 {
        return if low <= 0.0 && 0.0 < high {
            [0.0, 1.0]
        } else {
            NEVER
        };
    }
    let (one, other) = (low / speed, high / speed);
    [one.min(other), one.max(other)]
}

/// The times at which a point is within a radius of the origin.
fn within(start: DVec3, way: DVec3, radius: f64) -> [f64; 2] {
    let (square, half) = (way.length_squared(), start.dot(way));
    let rest = start.length_squared() - radius * radius;
    if square == 0.0 {
        return if rest <= 0.0 { [0.0, 1.0] } else { NEVER };
    }
    let root = half * half - square * rest;
    if root < 0.0 {
        return NEVER;
    }
    [
        (-half - root.sqrt()) / square,
        (-half + root.sqrt()) / square,
    ]
}

const NEVER: [f64; 2] = [1.0, 0.0];

fn both([begin, end]: [f64; 2], [from, to]: [f64; 2]) -> [f64; 2] {
    [begin.max(from), end.min(to)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn regions() -> [Region; 4] {
        let center = DVec3::new(0.1, -0.2, 0.05);
        [
            Region::Everywhere,
            Region::Box {
                min: DVec3::new(-0.4, -0.5, -0.3),
                max: DVec3::new(0.6, 0.2, 0.7),
            },
            Region::Cylinder {
                center,
                axis: DVec3::new(1.0, 2.0, -0.5).normalize(),
                radius: 0.4,
                length: 0.7,
            },
            Region::Sphere {
                center,
                radius: 0.6,
            },
        ]
    }

    fn points() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn the_share_of_a_line_is_that_of_its_points(from in points(), to in points()) {
            const COUNT: usize = 4000;
            for region in regions() {
                let inside = (0..COUNT)
                    .map(|k| from.lerp(to, (k as f64 + 0.5) / COUNT as f64))
                    .filter(|point| region.holds(*point));
                let counted = inside.count() as f64 / COUNT as f64;
                let share = region.share(from, to);
                prop_assert!((share - counted).abs() <= 2.0 / COUNT as f64, "{region:?}");
            }
        }

        #[test]
        fn the_depth_bounds_the_way_to_the_surface(point in points(), way in points()) {
            for region in regions() {
                let depth = region.depth(point);
                let near = point + 0.999 * depth.abs().min(9.0) * way.normalize_or_zero();
                prop_assert_eq!(region.holds(point), depth <= 0.0);
                prop_assert_eq!(region.holds(near), region.holds(point), "{:?}", region);
            }
        }
    }

    #[test]
    fn volumes_are_those_of_random_points() {
        let moment = Moment::new(Dimension::Space, 0.0, Vec::new());
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        const COUNT: usize = 200_000;
        let points: Vec<DVec3> = (0..COUNT)
            .map(|_| DVec3::new(random(), random(), random()) * 2.0 - 1.0)
            .collect();
        for region in &regions()[1..] {
            let inside = points.iter().filter(|point| region.holds(**point)).count();
            let (found, counted) = (region.volume(&moment), 8.0 * inside as f64 / COUNT as f64);
            assert!(
                (found / counted - 1.0).abs() < 0.02,
                "{found} {counted} {region:?}"
            );
        }
    }
}
