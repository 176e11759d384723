//! A box seen from inside, with any of its faces left open.

use super::Patch;
use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// A box about the wall's origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BoxContainer {
    /// Full lengths along x, y, z, m.
    pub size: [f64; 3],
    /// Whether each face is there: -x, +x, -y, +y, -z, +z.
    pub closed: [bool; 6],
}

impl BoxContainer {
    /// A box with all six faces.
    pub fn closed(size: [f64; 3]) -> Self {
        Self {
            size,
            closed: [true; 6],
        }
    }

    pub(super) fn patches(self) -> Vec<Patch> {
        let half = self.size.map(|length| 0.5 * length);
        (0..6)
            .filter(|&face| self.closed[face])
            .map(|face| {
                let axis = face / 2;
                let side = if face % 2 == 0 { -1.0 } else { 1.0 };
                let mut center = DVec3::ZERO;
                center[axis] = side * half[axis];
                Patch::Rectangle {
                    axis,
                    center,
                    half: [half[(axis + 1) % 3], half[(axis + 2) % 3]],
                    inward: -side,
                }
            })
            .collect()
    }
}
