//! Surfaces that users name, and walls that carry them.

use super::{BoxContainer, Cone, Cylinder, HalfSpace, Patch};
use crate::bodies::{Kinematics, Motion};
use crate::math::{DQuat, DVec3};
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
}

impl Surface {
    /// The pieces that contacts are made with.
    pub fn patches(&self) -> Vec<Patch> {
        match self {
            Self::HalfSpace(shape) => shape.patches(),
            Self::Cylinder(shape) => shape.patches(),
            Self::Cone(shape) => shape.patches(),
            Self::Box(shape) => shape.patches(),
        }
    }
}

/// A surface at a place, perhaps moving.
///
/// ```
/// use granule::bodies::Motion;
/// use granule::math::DVec3;
/// use granule::shapes::{HalfSpace, Surface, Wall};
/// let floor = Wall::new(Surface::HalfSpace(HalfSpace), DVec3::ZERO, DVec3::Z, Motion::Fixed);
/// let near = floor.patches[0].closest_point(DVec3::new(1.0, 2.0, 0.3));
/// assert_eq!(near.distance, 0.3);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wall {
    /// The shape.
    pub surface: Surface,
    /// Its pieces, in the wall's own frame.
    pub patches: Vec<Patch>,
    /// Its motion and the pose at time zero; the wall's z axis is the axis of its shape.
    pub kinematics: Kinematics,
    /// Index of the material.
    pub material: u16,
}

impl Wall {
    /// A wall at `position` whose z axis points along `axis` (not zero) at time zero.
    pub fn new(surface: Surface, position: DVec3, axis: DVec3, motion: Motion) -> Self {
        let orientation = DQuat::from_rotation_arc(DVec3::Z, axis.normalize());
        let kinematics = Kinematics::new(motion, position, orientation);
        Self { surface, patches: surface.patches(), kinematics, material: 0 }
    }
}
