//! Cylinders, cones and what is between.

use serde::{Deserialize, Serialize};

/// A solid truncated cone about the z axis: a cylinder if both radii are the same, a cone if one is zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Frustum {
    /// z of its lower end, m.
    pub bottom: f64,
    /// z of its upper end, m; above `bottom`.
    pub top: f64,
    /// Radius at its lower end, m.
    pub bottom_radius: f64,
    /// Radius at its upper end, m.
    pub top_radius: f64,
}
