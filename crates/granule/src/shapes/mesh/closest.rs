//! The point of a triangle that is closest to a given one.

use super::TriangleMesh;
use crate::math::DVec3;

/// What of a triangle a point lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feature {
    /// Inside.
    Face,
    /// On an edge of the mesh, between its ends.
    Edge(u32),
    /// On a vertex of the mesh.
    Corner(u32),
}

impl TriangleMesh {
    /// How far a point is above the plane of a triangle, on the side of its normal, m.
    #[inline]
    pub(super) fn height(&self, triangle: u32, point: DVec3) -> f64 {
        let corner = self.triangles[triangle as usize][0];
        let offset = point - self.vertices[corner as usize];
        offset.dot(self.normals[triangle as usize])
    }

    /// Unit vector in the plane of a triangle, square to the edge that is its `side`-th, into the triangle.
    #[inline]
    pub(super) fn inward(&self, triangle: u32, side: usize) -> DVec3 {
        let edge = &self.adjacency.edges[self.adjacency.sides[triangle as usize][side] as usize];
        let square = self.normals[triangle as usize].cross(edge.direction);
        if self.runs_forward(triangle, side) {
            square
        } else {
            -square
        }
    }

    /// Whether a triangle has the ends of its `side`-th edge in the order of the edge itself.
    #[inline]
    pub(super) fn runs_forward(&self, triangle: u32, side: usize) -> bool {
        let edge = self.adjacency.sides[triangle as usize][side];
        let start = self.triangles[triangle as usize][side];
        start == self.adjacency.edges[edge as usize].ends[0]
    }

    /// The point of a triangle closest to `center`, and what it lies on.
    ///
    /// Points on an edge are computed from the edge alone, so that all triangles that share it have the
    /// same one, to the last bit.
    #[inline]
    pub(super) fn closest_point(&self, triangle: u32, center: DVec3) -> (Feature, DVec3) {
        let corners = self.triangles[triangle as usize];
        let mut outside = false;
        for (side, &corner) in corners.iter().enumerate() {
            let offset = center - self.vertices[corner as usize];
            if offset.dot(self.inward(triangle, side)) >= 0.0 {
                continue;
            }
            outside = true;
            // Beside this edge, unless before or behind it.
            let number = self.adjacency.sides[triangle as usize][side];
            let edge = &self.adjacency.edges[number as usize];
            let start = self.vertices[edge.ends[0] as usize];
            let along = (center - start).dot(edge.direction);
            if along > 0.0 && along < edge.length {
                return (Feature::Edge(number), start + along * edge.direction);
            }
        }
        if !outside {
            let normal = self.normals[triangle as usize];
            let point = center - self.height(triangle, center) * normal;
            return (Feature::Face, point);
        }
        let distance = |k: u32| center.distance_squared(self.vertices[k as usize]);
        let mut nearest = corners[0];
        for corner in [corners[1], corners[2]] {
            if distance(corner) < distance(nearest) {
                nearest = corner;
            }
        }
        (Feature::Corner(nearest), self.vertices[nearest as usize])
    }
}
