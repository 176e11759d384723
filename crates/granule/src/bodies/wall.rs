//! Walls: surfaces at a place, perhaps moving.

use super::{Kinematics, Motion};
use crate::math::{DQuat, DVec3};
use crate::shapes::{Patch, Surface};
use serde::{Deserialize, Serialize};

/// A surface at a place, perhaps moving.
///
/// ```
/// use granule::bodies::{Motion, Wall};
/// use granule::math::DVec3;
/// use granule::shapes::{HalfSpace, Surface};
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
        Self {
            surface,
            patches: surface.patches(),
            kinematics,
            material: 0,
        }
    }
}
