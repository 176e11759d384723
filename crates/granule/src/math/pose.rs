//! Where a frame is and how it is turned.

use super::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// The place of a frame in another: a point x of the frame is at `position + orientation x` there.
///
/// ```
/// use granule::math::{DQuat, DVec3, Pose};
/// let pose = Pose::new(DVec3::Z, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
/// let point = pose.point(DVec3::X);
/// assert!((point - DVec3::new(0.0, 1.0, 1.0)).length() < 1e-15);
/// assert!((pose.local_point(point) - DVec3::X).length() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// The origin of the frame, m.
    pub position: DVec3,
    /// How it is turned, a unit quaternion.
    pub orientation: DQuat,
}

impl Pose {
    /// The frame itself.
    pub const IDENTITY: Self = Self {
        position: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
    };

    /// A frame at this place.
    pub fn new(position: DVec3, orientation: DQuat) -> Self {
        Self {
            position,
            orientation,
        }
    }

    /// A point of the frame, seen from outside, m.
    #[inline]
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.orientation * local
    }

    /// A direction of the frame, seen from outside.
    #[inline]
    pub fn direction(&self, local: DVec3) -> DVec3 {
        self.orientation * local
    }

    /// A point outside, seen from the frame, m.
    #[inline]
    pub fn local_point(&self, point: DVec3) -> DVec3 {
        self.orientation.conjugate() * (point - self.position)
    }

    /// A direction outside, seen from the frame.
    #[inline]
    pub fn local_direction(&self, direction: DVec3) -> DVec3 {
        self.orientation.conjugate() * direction
    }

    /// The pose of a frame whose pose in this one is `inner`.
    #[inline]
    pub fn then(&self, inner: &Self) -> Self {
        Self {
            position: self.point(inner.position),
            orientation: self.orientation * inner.orientation,
        }
    }

    /// The pose of `other`, which is seen from outside, as this frame sees it.
    #[inline]
    pub fn local_pose(&self, other: &Self) -> Self {
        Self {
            position: self.local_point(other.position),
            orientation: self.orientation.conjugate() * other.orientation,
        }
    }
}
