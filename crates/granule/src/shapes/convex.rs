//! Convex solids.

use super::{Frustum, Hull, MassProperties, Superellipsoid};
use crate::math::{DMat3, DVec3, Pose};
use serde::{Deserialize, Serialize};

/// A convex solid in a frame of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Convex {
    /// With flat faces, sharp or rounded: boxes, prisms, hulls of points; also balls, capsules and plates.
    Hull(Hull),
    /// Smooth all over.
    Superellipsoid(Superellipsoid),
    /// A cylinder or a cone.
    Frustum(Frustum),
}

impl Convex {
    /// What is wrong with its numbers, if anything.
    pub fn validate(&self) -> Result<(), String> {
        match self {
            Self::Hull(shape) => shape.validate(),
            Self::Superellipsoid(shape) => shape.validate(),
            Self::Frustum(shape) => shape.validate(),
        }
    }

    /// The point that is farthest in a direction (not zero), m.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match self {
            Self::Hull(shape) => shape.support(direction),
            Self::Superellipsoid(shape) => shape.support(direction),
            Self::Frustum(shape) => shape.support(direction),
        }
    }

    /// Volume, centre and moments of inertia.
    pub fn mass_properties(&self) -> MassProperties {
        match self {
            Self::Hull(shape) => shape.mass_properties(),
            Self::Superellipsoid(shape) => MassProperties {
                volume: shape.volume(),
                centroid: DVec3::ZERO,
                inertia: DMat3::from_diagonal(shape.moments()),
            },
            Self::Frustum(shape) => shape.mass_properties(),
        }
    }

    /// The radius of a sphere about the origin that holds it, m.
    #[inline]
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Hull(shape) => shape.bounding_radius(),
            Self::Superellipsoid(shape) => shape.bounding_radius(),
            Self::Frustum(shape) => shape.bounding_radius(),
        }
    }

    /// The corners of a box with edges along the axes outside that holds it in this pose, m.
    pub fn bounds(&self, pose: &Pose) -> (DVec3, DVec3) {
        let reach = |axis: DVec3| {
            let local = pose.local_direction(axis);
            pose.point(self.support(local)).dot(axis)
        };
        let max = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
        let min = DVec3::new(
            -reach(DVec3::NEG_X),
            -reach(DVec3::NEG_Y),
            -reach(DVec3::NEG_Z),
        );
        (min, max)
    }

    /// Half the least distance between two parallel planes that hold it between them, m.
    pub fn thickness(&self) -> f64 {
        match self {
            Self::Hull(shape) => shape.thickness(),
            Self::Superellipsoid(shape) => shape.half_axes.min_element(),
            Self::Frustum(shape) => shape.thickness(),
        }
    }
}

impl From<Hull> for Convex {
    fn from(shape: Hull) -> Self {
        Self::Hull(shape)
    }
}

impl From<Superellipsoid> for Convex {
    fn from(shape: Superellipsoid) -> Self {
        Self::Superellipsoid(shape)
    }
}

impl From<Frustum> for Convex {
    fn from(shape: Frustum) -> Self {
        Self::Frustum(shape)
    }
}
