//! Solids with flat faces, their edges rounded or not.

use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// A face of a [`Hull`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HullFace {
    /// Its corners (places in [`Hull::vertices`]), counter-clockwise seen from outside.
    pub corners: Vec<u32>,
    /// Unit normal, outwards.
    pub normal: DVec3,
}

/// An edge of a [`Hull`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HullEdge {
    /// Its ends (places in [`Hull::vertices`]), the lower one first.
    pub ends: [u32; 2],
    /// The faces on its two sides (places in [`Hull::faces`]); none for a segment, which has no faces.
    pub faces: Option<[u32; 2]>,
}

/// All points within `radius` of a convex polyhedron: a box, a prism, a hull of points, rounded or
/// sharp; with one corner a ball, with two a capsule, with the two sides of a polygon a thin plate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hull {
    /// Corners of the polyhedron, m.
    pub vertices: Vec<DVec3>,
    /// Its faces: none for a point or a segment, two for a flat polygon.
    pub faces: Vec<HullFace>,
    /// Its edges, each once.
    pub edges: Vec<HullEdge>,
    /// How far the solid goes beyond the polyhedron, m; zero for sharp edges.
    pub radius: f64,
}
