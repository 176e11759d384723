//! Convex solids.

use super::{Frustum, Hull, Superellipsoid};
use serde::{Deserialize, Serialize};

/// A convex solid in a frame of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Convex {
    /// With flat faces, sharp or rounded: boxes, prisms, hulls of points; also balls, capsules and plates.
    Hull(Hull),
    /// Smooth all over.
    Superellipsoid(Superellipsoid),
    /// A cylinder or a cone.
    Frustum(Frustum),
}
