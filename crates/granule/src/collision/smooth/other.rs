//! The second solid as the first one sees it.

use crate::math::{DMat3, DVec3, Pose};
use crate::shapes::Convex;

/// A convex solid in the frame of the superellipsoid that it may touch. Rounded solids are treated as the sharp ones
/// inside them; [`Other::rounding`] is taken from the gap at the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Other<'a> {
    pub solid: &'a Convex,
    /// Origin of its frame, m.
    pub origin: DVec3,
    /// From its frame.
    pub rotation: DMat3,
    /// Into its frame.
    inverse: DMat3,
}

impl<'a> Other<'a> {
    pub fn new(solid: &'a Convex, pose: &Pose) -> Self {
        let rotation = DMat3::from_quat(pose.orientation);
        Self {
            solid,
            origin: pose.position,
            rotation,
            inverse: rotation.transpose(),
        }
    }

    /// The same solid moved by a vector, m.
    pub fn moved(&self, by: DVec3) -> Self {
        Self {
            origin: self.origin + by,
            ..*self
        }
    }

    pub fn point(&self, local: DVec3) -> DVec3 {
        self.origin + self.rotation * local
    }

    pub fn direction(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    pub fn local_point(&self, point: DVec3) -> DVec3 {
        self.inverse * (point - self.origin)
    }

    pub fn local_direction(&self, direction: DVec3) -> DVec3 {
        self.inverse * direction
    }

    /// How far the solid goes beyond the sharp one inside, m.
    pub fn rounding(&self) -> f64 {
        match self.solid {
            Convex::Hull(hull) => hull.radius,
            Convex::Superellipsoid(_) | Convex::Frustum(_) => 0.0,
        }
    }

    /// The point of the sharp solid farthest along a direction, m.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let along = self.local_direction(direction);
        self.point(match self.solid {
            Convex::Hull(hull) => hull.vertices[super::hull::farthest(hull, along)],
            Convex::Superellipsoid(other) => other.support(along),
            Convex::Frustum(frustum) => super::frustum::farthest(frustum, along),
        })
    }

    /// Centre of the solid, m, and the matrix of an ellipsoid `xᵀ E⁻¹ x ≤ 1` of about its shape, m².
    pub fn ellipsoid(&self) -> (DVec3, DMat3) {
        let (centre, squares) = match self.solid {
            Convex::Hull(hull) => super::hull::spread(hull),
            Convex::Superellipsoid(other) => {
                let axes = other.half_axes;
                (DVec3::ZERO, DMat3::from_diagonal(axes * axes))
            }
            Convex::Frustum(frustum) => super::frustum::spread(frustum),
        };
        let turned = self.rotation * squares * self.inverse;
        (self.point(centre), turned)
    }
}
