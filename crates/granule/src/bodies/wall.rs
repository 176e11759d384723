//! Walls: surfaces at a place, or on a body.

use super::{Kinematics, Motion};
use crate::math::{DQuat, DVec3};
use crate::shapes::{Patch, Surface};
use serde::{Deserialize, Serialize};

/// A surface that bodies touch: fixed, moving as prescribed, or carried by a body and then as free as that.
///
/// Spheres and solids touch walls; walls do not touch each other, so that a plate on a free body falls through a floor
/// unless there are grains between the two. A solid of the shape of the plate does not.
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
#[serde(from = "Stored", into = "Stored")]
pub struct Wall {
    /// The shape.
    pub surface: Surface,
    /// Its pieces, in the wall's own frame.
    pub patches: Vec<Patch>,
    /// Its motion and its pose at time zero, in the world or in the frame of its carrier; the wall's z axis
    /// is the axis of its shape.
    pub kinematics: Kinematics,
    /// Index of the material.
    pub material: u16,
    /// The id of the body that carries it, for instance a [`super::RigidBody`]; on it the wall does not move.
    pub carrier: Option<u32>,
    /// How fast the surface runs while the wall stays, as that of a belt does, m/s in the world. Of it counts, where
    /// something touches, what is along the surface there.
    pub surface_velocity: DVec3,
}

/// What is stored of a wall: its pieces follow from its shape.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Wall")]
struct Stored {
    surface: Surface,
    kinematics: Kinematics,
    material: u16,
    carrier: Option<u32>,
    surface_velocity: DVec3,
}

impl From<Stored> for Wall {
    fn from(stored: Stored) -> Self {
        Self {
            patches: stored.surface.patches(),
            surface: stored.surface,
            kinematics: stored.kinematics,
            material: stored.material,
            carrier: stored.carrier,
            surface_velocity: stored.surface_velocity,
        }
    }
}

impl From<Wall> for Stored {
    fn from(wall: Wall) -> Self {
        Self {
            surface: wall.surface,
            kinematics: wall.kinematics,
            material: wall.material,
            carrier: wall.carrier,
            surface_velocity: wall.surface_velocity,
        }
    }
}

impl Wall {
    /// A wall at `position` whose z axis points along `axis` (not zero) at time zero.
    pub fn new(surface: Surface, position: DVec3, axis: DVec3, motion: Motion) -> Self {
        let orientation = DQuat::from_rotation_arc(DVec3::Z, axis.normalize());
        let kinematics = Kinematics::new(motion, position, orientation);
        let patches = surface.patches();
        Self {
            surface,
            patches,
            kinematics,
            material: 0,
            carrier: None,
            surface_velocity: DVec3::ZERO,
        }
    }

    /// A wall on the body with this id, at `position` in the frame of the body, whose z axis points along
    /// `axis` (not zero) there.
    ///
    /// ```
    /// use granule::bodies::{RigidBody, Wall};
    /// use granule::math::DVec3;
    /// use granule::shapes::{Plate, Surface};
    /// use granule::simulation::{Dimension, World};
    /// let mut world = World::new(Dimension::Space);
    /// let lid = world.add_body(&RigidBody::new(DVec3::Z, 2.0, DVec3::new(0.2, 0.2, 0.4)));
    /// let plate = Surface::Plate(Plate { width: 1.0, height: 1.0 });
    /// world.add_wall(Wall::on_body(plate, lid, DVec3::ZERO, DVec3::Z));
    /// ```
    pub fn on_body(surface: Surface, carrier: u32, position: DVec3, axis: DVec3) -> Self {
        let wall = Self::new(surface, position, axis, Motion::Fixed);
        Self {
            carrier: Some(carrier),
            ..wall
        }
    }

    /// The wall where it is at a time (s), standing still there; `body` gives the pose of the body with an id.
    pub fn placed(&self, time: f64, body: impl Fn(u32) -> Option<(DVec3, DQuat)>) -> Self {
        let (mut position, mut orientation) = self.kinematics.pose(time);
        if let Some((center, turn)) = self.carrier.and_then(body) {
            position = center + turn * position;
            orientation = turn * orientation;
        }
        Self {
            kinematics: Kinematics::new(Motion::Fixed, position, orientation),
            carrier: None,
            ..self.clone()
        }
    }

    /// Whether it stands still for ever.
    pub fn is_fixed(&self) -> bool {
        self.kinematics.motion == Motion::Fixed && self.carrier.is_none()
    }
}
