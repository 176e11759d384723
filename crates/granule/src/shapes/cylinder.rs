//! A cylindrical shell, open or closed.

use super::Patch;
use serde::{Deserialize, Serialize};

/// A cylinder about the wall's z axis, from `-length/2` to `length/2`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cylinder {
    /// m.
    pub radius: f64,
    /// m.
    pub length: f64,
    /// Whether a disk closes the end at `-length/2`.
    pub bottom: bool,
    /// Whether a disk closes the end at `+length/2`.
    pub top: bool,
}

impl Cylinder {
    pub(super) fn patches(self) -> Vec<Patch> {
        super::cone::frustum(self.radius, self.radius, self.length, self.bottom, self.top)
    }
}
