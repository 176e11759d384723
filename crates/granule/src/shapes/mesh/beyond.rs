//! What lies beyond the edges of a triangle.

use super::TriangleMesh;
use crate::math::DVec3;

/// Facets whose normals differ by less than this angle (rad) are in one plane: about what single precision,
/// in which meshes are stored, leaves of a plane.
const FLAT: f64 = 1e-6;

/// What lies beyond an edge of a triangle, seen from the side that the triangle's normal points to; from the
/// other side convex and concave change places and the normals their signs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Beyond {
    /// Nothing: the edge is a rim.
    Open,
    /// A triangle in the same plane.
    Flat,
    /// A triangle that rises, as in a valley.
    Concave {
        /// Its unit normal, on the same side of the surface.
        normal: DVec3,
    },
    /// A triangle that falls, as from a ridge. The normals of the mesh at the edge are those between its own
    /// and the triangle's.
    Convex {
        /// Its unit normal, on the same side of the surface.
        normal: DVec3,
    },
    /// Two triangles or more.
    Branching,
}

impl TriangleMesh {
    /// What lies beyond an edge of a triangle: 0 from its first corner to its second, 1 from its second to
    /// its third, 2 from its third to its first.
    pub fn beyond(&self, triangle: u32, edge: usize) -> Beyond {
        let number = self.adjacency.sides[triangle as usize][edge];
        let other = match self.adjacency.triangles_at.of(number) {
            [_] => return Beyond::Open,
            &[a, b] => a ^ b ^ triangle,
            _ => return Beyond::Branching,
        };
        let sides = self.adjacency.sides[other as usize];
        let side = usize::from(sides[1] == number) + 2 * usize::from(sides[2] == number);
        // Two triangles with the same side up run along their edge in opposite ways.
        let alike = self.runs_forward(triangle, edge) != self.runs_forward(other, side);
        let normal = self.normals[other as usize] * if alike { 1.0 } else { -1.0 };
        let own = self.normals[triangle as usize];
        let rise = own.dot(self.inward(other, side));
        if rise.abs() <= FLAT && own.dot(normal) > 0.0 {
            Beyond::Flat
        } else if rise > FLAT {
            Beyond::Concave { normal }
        } else {
            // A triangle folded back on its neighbour is a rim to both sides.
            Beyond::Convex { normal }
        }
    }
}
