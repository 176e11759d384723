//! Along which normals a solid may touch a triangle of a mesh.

use super::{Beyond, TriangleMesh};
use crate::math::DVec3;

/// Cosine of the angle to a triangle's own normal up to which a normal counts as its own (2.6°): that of a face
/// which lies on the triangle, but not quite.
const OWN: f64 = 0.999;
/// Of the size of the mesh: points nearer to an edge than this are on it.
const ON_EDGE: f64 = 1e-9;
/// Rounding of the cosine between two normals.
const ROUNDING: f64 = 1e-9;

impl TriangleMesh {
    /// The point of the mesh nearest to `center` (m), and the normal of its triangle there.
    pub fn nearest_point(&self, center: DVec3) -> (DVec3, DVec3) {
        let nearest = |within: f64| {
            let mut best: Option<(f64, u32, DVec3)> = None;
            let far = DVec3::splat(within);
            let mut near = Vec::new();
            self.near(center - far, center + far, &mut near);
            for triangle in near {
                let (_, point) = self.closest_point(triangle, center);
                let distance = point.distance(center);
                if best.is_none_or(|(least, ..)| distance < least) {
                    best = Some((distance, triangle, point));
                }
            }
            best
        };
        let [min, max] = self.bounds();
        let outside = (min - center).max(center - max).max(DVec3::ZERO).length();
        // What is found within a distance is nearest if it is within that distance.
        let mut within = outside + 1e-3 * min.distance(max);
        loop {
            match nearest(within) {
                Some((distance, triangle, point)) if distance <= within => {
                    return (point, self.facet_normal(triangle));
                }
                _ => within *= 2.0,
            }
        }
    }

    /// Whether a solid may touch a triangle at this point of it (m) along a unit normal that points away from the
    /// mesh, to either side.
    ///
    /// Inside the triangle that is along its own normal. At an edge with a triangle beyond that falls, along all
    /// normals between those of the two; beyond an edge that is flat or a valley the other triangle is nearer.
    /// At a rim along any.
    pub fn touches_along(&self, triangle: u32, point: DVec3, normal: DVec3) -> bool {
        let facet = self.facet_normal(triangle);
        let side = if normal.dot(facet) < 0.0 { -1.0 } else { 1.0 };
        let along = side * normal.dot(facet);
        if along >= OWN {
            return true;
        }
        let corners = self.corners(triangle);
        let mut on_rim = false;
        for (edge, corner) in corners.into_iter().enumerate() {
            if (point - corner).dot(self.inward(triangle, edge)) > ON_EDGE * self.scale {
                continue;
            }
            let other = match (self.beyond(triangle, edge), side > 0.0) {
                (Beyond::Open | Beyond::Branching, _) => {
                    on_rim = true;
                    continue;
                }
                (Beyond::Flat, _)
                | (Beyond::Concave { .. }, true)
                | (Beyond::Convex { .. }, false) => return false,
                (Beyond::Convex { normal }, true) | (Beyond::Concave { normal }, false) => {
                    side * normal
                }
            };
            // Between the two normals it is as near to each as they are to each other.
            let apart = side * facet.dot(other);
            if along < apart - ROUNDING || normal.dot(other) < apart - ROUNDING {
                return false;
            }
            on_rim = true;
        }
        on_rim
    }
}
