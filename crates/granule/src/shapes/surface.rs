//! Surfaces that users name.

use super::{Block, BoxContainer, Cone, Cylinder, HalfSpace, Patch, Plate};
use serde::{Deserialize, Serialize};

/// The shape of a wall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Surface {
    /// Solid below a plane.
    HalfSpace(HalfSpace),
    /// A cylindrical shell.
    Cylinder(Cylinder),
    /// A conical shell.
    Cone(Cone),
    /// A box seen from inside.
    Box(BoxContainer),
    /// A thin rectangle with two sides.
    Plate(Plate),
    /// A solid box seen from outside.
    Block(Block),
}

impl Surface {
    /// The pieces that contacts are made with.
    pub fn patches(&self) -> Vec<Patch> {
        match self {
            Self::HalfSpace(shape) => shape.patches(),
            Self::Cylinder(shape) => shape.patches(),
            Self::Cone(shape) => shape.patches(),
            Self::Box(shape) => shape.patches(),
            Self::Plate(shape) => shape.patches(),
            Self::Block(shape) => shape.patches(),
        }
    }
}
