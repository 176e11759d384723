//! Surfaces that users name.

use super::{Block, BoxContainer, Cone, Cylinder, HalfSpace, Patch, Plate, TriangleMesh};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Lengths of a shape (m) between which squares neither vanish nor overflow.
const SMALLEST: f64 = 1e-150;
const LARGEST: f64 = 1e60;

/// The shape of a wall.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    /// A thin surface of triangles with two sides.
    Mesh(Arc<TriangleMesh>),
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
            Self::Mesh(mesh) => vec![Patch::Mesh(Arc::clone(mesh))],
        }
    }

    /// What is wrong with the sizes of this shape, if anything.
    pub fn validate(&self) -> Result<(), String> {
        let positive = |name: &str, lengths: &[f64]| match lengths
            .iter()
            .find(|x| !(SMALLEST..=LARGEST).contains(*x))
        {
            None => Ok(()),
            Some(length) => Err(format!("the {name} must be positive (m), not {length}")),
        };
        match self {
            Self::HalfSpace(_) | Self::Mesh(_) => Ok(()),
            Self::Cylinder(shape) => {
                positive("radius of the cylinder", &[shape.radius])?;
                positive("length of the cylinder", &[shape.length])
            }
            Self::Cone(shape) => {
                let radii = [shape.bottom_radius, shape.top_radius];
                if !radii.iter().all(|r| (0.0..=LARGEST).contains(r)) {
                    return Err(format!(
                        "the radii of the cone must not be negative (m): {radii:?}"
                    ));
                }
                positive("larger radius of the cone", &[radii[0].max(radii[1])])?;
                positive("length of the cone", &[shape.length])
            }
            Self::Box(shape) => positive("size of the box", &shape.size),
            Self::Plate(shape) => positive("size of the plate", &[shape.width, shape.height]),
            Self::Block(shape) => positive("size of the block", &shape.size),
        }
    }
}
