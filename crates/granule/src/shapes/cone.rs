//! A truncated conical shell (a funnel), open or closed.

use super::Patch;
use serde::{Deserialize, Serialize};

/// A truncated cone about the wall's z axis, from `-length/2` to `length/2`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cone {
    /// Radius at `-length/2`, m (may be zero).
    pub bottom_radius: f64,
    /// Radius at `+length/2`, m (may be zero).
    pub top_radius: f64,
    /// m.
    pub length: f64,
    /// Whether a disk closes the end at `-length/2`.
    pub bottom: bool,
    /// Whether a disk closes the end at `+length/2`.
    pub top: bool,
}

impl Cone {
    pub(super) fn patches(self) -> Vec<Patch> {
        frustum(
            self.bottom_radius,
            self.top_radius,
            self.length,
            self.bottom,
            self.top,
        )
    }
}

/// The mantle and the closed ends of a frustum.
pub(super) fn frustum(
    bottom_radius: f64,
    top_radius: f64,
    length: f64,
    bottom: bool,
    top: bool,
) -> Vec<Patch> {
    let (low, high) = (-0.5 * length, 0.5 * length);
    let mut patches = vec![Patch::Revolved {
        start: [bottom_radius, low],
        end: [top_radius, high],
    }];
    if bottom && bottom_radius > 0.0 {
        patches.push(Patch::Revolved {
            start: [0.0, low],
            end: [bottom_radius, low],
        });
    }
    if top && top_radius > 0.0 {
        patches.push(Patch::Revolved {
            start: [0.0, high],
            end: [top_radius, high],
        });
    }
    patches
}
