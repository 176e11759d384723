//! A half-space: solid below a plane.

use super::Patch;
use serde::{Deserialize, Serialize};

/// Solid below the plane through the wall's position, free above it; "above" is the wall's z axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HalfSpace;

impl HalfSpace {
    pub(super) fn patches(self) -> Vec<Patch> {
        vec![Patch::Plane]
    }
}
