#![doc = include_str!("README.md")]

mod common_normal;
mod feature;
mod frustum;
mod hull;
mod other;
mod search;
mod simplex;

use crate::math::{DVec3, Pose};
use crate::shapes::{Convex, Superellipsoid};
use other::Other;

/// Where two convex solids are nearest: one point of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// On the surface of the first solid, in the world, m.
    pub point_a: DVec3,
    /// On the surface of the second solid, in the world, m.
    pub point_b: DVec3,
    /// The common normal: unit vector from the second towards the first, in the world.
    pub normal: DVec3,
    /// `normal·(point_a - point_b)`, m. Negative where the solids overlap: then the distance by which they must be
    /// moved apart along the normal to just touch, which is a local minimum over all normals.
    pub gap: f64,
}

impl Nearest {
    /// The same seen from the second solid.
    pub(super) fn reversed(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            gap: self.gap,
        }
    }
}

/// The nearest points of a superellipsoid and another convex solid.
///
/// ```
/// use granule::collision::smooth::nearest;
/// use granule::math::{DQuat, DVec3, Pose};
/// use granule::shapes::{Convex, Superellipsoid};
/// let lens = Superellipsoid::ellipsoid(DVec3::new(1.0, 1.0, 0.25));
/// let ball = Convex::Superellipsoid(Superellipsoid::sphere(0.5));
/// let above = Pose::new(DVec3::new(0.0, 0.0, 1.0), DQuat::IDENTITY);
/// let found = nearest(&lens, &above, &ball, &Pose::IDENTITY);
/// assert!((found.gap - 0.25).abs() < 1e-15 && found.normal == DVec3::Z);
/// ```
pub fn nearest(a: &Superellipsoid, at_a: &Pose, b: &Convex, at_b: &Pose) -> Nearest {
    if let (Some(radius), Some((centre, other_radius))) = (a.as_sphere(), ball(b)) {
        return balls(at_a.position, radius, at_b.point(centre), other_radius);
    }
    let found = search::nearest(a, &Other::new(b, &at_a.local_pose(at_b)));
    Nearest {
        point_a: at_a.point(found.point_a),
        point_b: at_a.point(found.point_b),
        normal: at_a.direction(found.normal),
        gap: found.gap,
    }
}

/// The point of a superellipsoid that is nearest to a plane or deepest in it. The plane goes through `point`, m, and
/// is solid on the side away from its unit `normal`.
pub fn with_plane(a: &Superellipsoid, at_a: &Pose, point: DVec3, normal: DVec3) -> Nearest {
    let point_a = at_a.point(a.support(at_a.local_direction(-normal)));
    let gap = normal.dot(point_a - point);
    Nearest {
        point_a,
        point_b: point_a - gap * normal,
        normal,
        gap,
    }
}

/// Centre and radius of a ball, m; none for other solids.
fn ball(solid: &Convex) -> Option<(DVec3, f64)> {
    match solid {
        Convex::Hull(hull) => match hull.vertices.as_slice() {
            [centre] => Some((*centre, hull.radius)),
            _ => None,
        },
        Convex::Superellipsoid(solid) => solid.as_sphere().map(|radius| (DVec3::ZERO, radius)),
        Convex::Frustum(_) => None,
    }
}

fn balls(centre_a: DVec3, radius_a: f64, centre_b: DVec3, radius_b: f64) -> Nearest {
    let line = centre_a - centre_b;
    let normal = line.try_normalize().unwrap_or(DVec3::Z);
    Nearest {
        point_a: centre_a - radius_a * normal,
        point_b: centre_b + radius_b * normal,
        normal,
        gap: line.length() - radius_a - radius_b,
    }
}
