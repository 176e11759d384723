//! The point of a superellipsoid that is nearest to a given one.

use super::{Superellipsoid, SurfacePoint};
use crate::math::{DMat2, DVec2, DVec3};
use crate::shapes::ClosestPoint;

/// Most steps: few are needed, except to flat spots.
const MOST_STEPS: usize = 100;

/// Of lengths: what is smaller is rounding.
const ROUNDING: f64 = 1e-15;

/// Shortest part of a step that is tried.
const SHORTEST: f64 = 1e-12;

impl Superellipsoid {
    /// The point of the surface nearest to `point`, m. The distance, m, is negative inside, where the point found is
    /// nearer than all others close to it, and than those straight along the axes.
    ///
    /// Newton's method on the surface: with g the distance along the normal and K the curvature, `(1 + g K) d = r` for
    /// a step d, where r is the tangential part of what is left. Steps are shortened until they lead nearer.
    pub fn closest_point(&self, point: DVec3) -> ClosestPoint {
        let mut here = self.surface_point(self.start(point));
        for _ in 0..MOST_STEPS {
            let Some(next) = self.nearer(point, &here) else {
                break;
            };
            here = next;
        }
        ClosestPoint {
            point: here.point,
            normal: here.normal,
            distance: here.normal.dot(point - here.point),
        }
    }

    /// A point of the surface to begin with: of those on the ray from the centre and along the axes the nearest one.
    fn start(&self, point: DVec3) -> DVec3 {
        let gauge = self.gauge(point);
        if gauge > 1.0 {
            return point;
        }
        let mut best = (f64::INFINITY, DVec3::Z);
        if gauge > 0.0 {
            best = (point.distance_squared(point / gauge), point);
        }
        for axis in 0..3 {
            let mut straight = point;
            straight[axis] = 0.0;
            // Beyond the surface, then back onto it: between the two it is met once.
            let side = if point[axis] < 0.0 { -1.0 } else { 1.0 };
            let (mut inside, mut outside) = (0.0, 1.0);
            for _ in 0..20 {
                let middle = 0.5 * (inside + outside);
                straight[axis] = side * middle * self.half_axes[axis];
                if self.gauge(straight) < 1.0 {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            let distance = point.distance_squared(straight);
            if distance < best.0 {
                best = (distance, straight);
            }
        }
        best.1
    }

    /// A point of the surface that is nearer than this one; none if there is none nearby.
    fn nearer(&self, point: DVec3, here: &SurfacePoint) -> Option<SurfacePoint> {
        let tangent = here.normal.any_orthonormal_vector();
        let tangents = [tangent, here.normal.cross(tangent)];
        let flat = |v: DVec3| DVec2::new(tangents[0].dot(v), tangents[1].dot(v));
        let away = point - here.point;
        let (left, height) = (flat(away), here.normal.dot(away));
        let [b, c] = here.bends.map(flat);
        let turn = DMat2::from_cols(b * b.x + c * c.x, b * b.y + c * c.y);
        let matrix = DMat2::IDENTITY + turn * height;
        // Where the matrix is not positive the way downhill will do.
        let positive = matrix.determinant() > 0.0 && matrix.x_axis.x + matrix.y_axis.y > 0.0;
        let step = if positive {
            matrix.inverse() * left
        } else {
            left
        };
        let distance = away.length();
        let rounding = ROUNDING * (distance + self.half_axes.max_element());
        let mut part = 1.0;
        while part > SHORTEST {
            let step = step * part;
            let next = self.surface_point(here.point + tangents[0] * step.x + tangents[1] * step.y);
            let rest = point - next.point;
            // Near the end distances differ by less than rounding, but not what is left across the normal.
            let across = rest.reject_from_normalized(next.normal).length();
            let nearer = rest.length() < distance - rounding;
            let straighter = across < 0.9 * left.length();
            if nearer || (straighter && rest.length() < distance + rounding) {
                return Some(next);
            }
            part *= 0.5;
        }
        None
    }
}
