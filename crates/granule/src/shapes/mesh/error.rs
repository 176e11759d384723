//! What is wrong with a mesh that is none.

use super::Defect;
use crate::math::DVec3;

/// Why triangles make no mesh, or a mesh encloses no solid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is nothing.
    #[error("the mesh has no triangles")]
    NoTriangles,
    /// Nothing is left of what there was.
    #[error(
        "all {count} triangles of the mesh are degenerate: their corners coincide or lie on a line"
    )]
    AllDegenerate {
        /// How many there were.
        count: usize,
    },
    /// More than can be numbered.
    #[error("the mesh has {count} {what}; at most {} can be numbered", u32::MAX / 3)]
    TooMany {
        /// Vertices or triangles.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error(
        "triangle {triangle} has the vertex {vertex}, but there are only {vertices}, counted from 0"
    )]
    Index {
        /// The first such triangle.
        triangle: usize,
        /// As given.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A coordinate is not finite or much too large.
    #[error("vertex {vertex} is at {position}: coordinates must be finite and below 1e60 m")]
    Coordinate {
        /// The first such vertex.
        vertex: usize,
        /// As given, m.
        position: DVec3,
    },
    /// Too small to compute with.
    #[error("the whole mesh is only {extent} m long; is the scale right?")]
    Tiny {
        /// The diagonal of its box, m.
        extent: f64,
    },
    /// Its corners have no convex hull.
    #[error("no convex hull can be made of the mesh: {0}")]
    NoHull(
        /// Why.
        String,
    ),
    /// The triangles do not enclose a solid.
    #[error("the mesh encloses no solid: {}", list(.0))]
    NotWatertight(
        /// What is wrong.
        Vec<Defect>,
    ),
}

fn list(defects: &[Defect]) -> String {
    let texts: Vec<String> = defects.iter().map(Defect::to_string).collect();
    texts.join("; ")
}
