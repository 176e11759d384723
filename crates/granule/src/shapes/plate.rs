//! A thin rectangle with two sides.

use super::Patch;
use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// A rectangle without thickness about the wall's origin, square to the wall's z axis; a sphere
/// touches the side it is on, or the rim.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plate {
    /// Full length along the wall's x axis, m.
    pub width: f64,
    /// Full length along the wall's y axis, m.
    pub height: f64,
}

impl Plate {
    pub(super) fn patches(self) -> Vec<Patch> {
        vec![Patch::Rectangle {
            axis: 2,
            center: DVec3::ZERO,
            half: [0.5 * self.width, 0.5 * self.height],
            inward: 1.0,
        }]
    }
}
