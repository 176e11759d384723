//! Parts of space that bodies are put into or taken out of.

use super::{Convex, Solid};
use crate::math::{DQuat, DVec3, Pose, Stream};
use serde::{Deserialize, Serialize};

/// A part of space: a box, a disk in a plane, a cylinder or a truncated cone.
///
/// ```
/// use granule::math::DVec3;
/// use granule::shapes::Region;
/// let tower = Region::frustum(DVec3::Z, DVec3::Z, [0.5, 0.5], 2.0);
/// assert!(tower.holds_sphere(DVec3::new(0.0, 0.3, 1.5), 0.1, 3));
/// assert!(!tower.holds_sphere(DVec3::new(0.0, 0.45, 1.5), 0.1, 3));
/// assert!((tower.volume(3) - std::f64::consts::PI * 0.5).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    center: DVec3,
    orientation: DQuat,
    outline: Outline,
    /// Half lengths of the box around the region, in its own frame; zero where nothing moves.
    half: DVec3,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Outline {
    Box,
    Circle { radius: f64 },
    Cone { bottom: f64, top: f64, length: f64 },
}

impl Region {
    /// The box along the axes between two corners, m; the second is beyond the first along every axis on which
    /// bodies move.
    pub fn cuboid(min: DVec3, max: DVec3) -> Self {
        Self::turned_box(0.5 * (min + max), DQuat::IDENTITY, 0.5 * (max - min))
    }

    /// A box about a centre, turned, with these half lengths (m) along its own axes.
    pub fn turned_box(center: DVec3, orientation: DQuat, half: DVec3) -> Self {
        Self {
            center,
            orientation,
            outline: Outline::Box,
            half,
        }
    }

    /// A disk in a plane, m.
    pub fn disk(center: DVec3, radius: f64) -> Self {
        Self {
            center,
            orientation: DQuat::IDENTITY,
            outline: Outline::Circle { radius },
            half: DVec3::new(radius, radius, 0.0),
        }
    }

    /// A truncated cone about its middle, with its radii (m) where its axis begins and ends; a cylinder if they are
    /// equal.
    pub fn frustum(center: DVec3, axis: DVec3, [bottom, top]: [f64; 2], length: f64) -> Self {
        let radius = bottom.max(top);
        Self {
            center,
            orientation: DQuat::from_rotation_arc(DVec3::Z, axis.normalize_or(DVec3::Z)),
            outline: Outline::Cone {
                bottom,
                top,
                length,
            },
            half: DVec3::new(radius, radius, 0.5 * length),
        }
    }

    /// A sphere that holds the region: its centre and radius, m.
    pub fn bounding_sphere(&self) -> (DVec3, f64) {
        (self.center, self.half.length())
    }

    /// Whether all its numbers can be computed with, and it is not empty where bodies move.
    pub(crate) fn is_usable(&self, dimension: usize) -> bool {
        let finite = self.center.is_finite() && self.half.is_finite();
        finite && self.orientation.is_normalized() && (0..dimension).all(|k| self.half[k] > 0.0)
    }

    /// A centre for a sphere of this radius, if the one drawn lies wholly inside.
    pub fn draw(&self, radius: f64, dimension: usize, stream: &mut Stream) -> Option<DVec3> {
        let mut local = DVec3::ZERO;
        for axis in 0..dimension {
            let half = self.half[axis] - radius;
            if half < 0.0 {
                return None;
            }
            local[axis] = stream.between(-half, half);
        }
        let center = self.center + self.orientation * local;
        self.holds_local(local, radius).then_some(center)
    }

    /// Whether a sphere lies wholly inside.
    pub fn holds_sphere(&self, center: DVec3, radius: f64, dimension: usize) -> bool {
        let local = self.orientation.conjugate() * (center - self.center);
        let within = (0..dimension).all(|axis| local[axis].abs() + radius <= self.half[axis]);
        within && self.holds_local(local, radius)
    }

    /// Whether a solid lies wholly inside. Where the region is round, corners are looked at: those of the solid, or of
    /// a box around a part without corners.
    pub fn holds(&self, solid: &Solid, pose: &Pose, dimension: usize) -> bool {
        match self.outline {
            Outline::Box => (0..dimension).all(|axis| {
                let along = self.orientation * DVec3::AXES[axis];
                [along, -along].into_iter().all(|out| {
                    let farthest = pose.point(solid.support(pose.local_direction(out)));
                    (farthest - self.center).dot(out) <= self.half[axis]
                })
            }),
            Outline::Circle { .. } | Outline::Cone { .. } => solid.parts().iter().all(|part| {
                let at = pose.then(&part.pose);
                let (corners, radius) = corners(&part.shape);
                let flat = |corner: DVec3| match dimension {
                    2 => (corner * DVec3::new(1.0, 1.0, 0.0)).with_z(self.center.z),
                    _ => corner,
                };
                let mut corners = corners.into_iter().map(|corner| flat(at.point(corner)));
                corners.all(|corner| self.holds_sphere(corner, radius, dimension))
            }),
        }
    }

    /// Whether a sphere within the box around the region is within the region too.
    fn holds_local(&self, local: DVec3, radius: f64) -> bool {
        let rho = (local.x * local.x + local.y * local.y).sqrt();
        match self.outline {
            Outline::Box => true,
            Outline::Circle { radius: outer } => rho + radius <= outer,
            Outline::Cone {
                bottom,
                top,
                length,
            } => {
                let mantle = bottom + (top - bottom) * (local.z / length + 0.5);
                let slope = (top - bottom) / length;
                // The distance to the mantle, measured square to it.
                (mantle - rho) / (1.0 + slope * slope).sqrt() >= radius
            }
        }
    }

    /// m³, in 2D m², in 1D m.
    pub fn volume(&self, dimension: usize) -> f64 {
        use std::f64::consts::PI;
        match self.outline {
            Outline::Box => (0..dimension).map(|k| 2.0 * self.half[k]).product(),
            Outline::Circle { radius } => PI * radius * radius,
            Outline::Cone {
                bottom,
                top,
                length,
            } => PI / 3.0 * length * (bottom * bottom + bottom * top + top * top),
        }
    }
}

/// Points whose hull holds a convex solid together with all that is within a radius (m) of it.
fn corners(shape: &Convex) -> (Vec<DVec3>, f64) {
    let boxed = |low: DVec3, high: DVec3| {
        let pick = |k: u32, bit: u32, low: f64, high: f64| if k & bit == 0 { low } else { high };
        let corner = |k| {
            DVec3::new(
                pick(k, 1, low.x, high.x),
                pick(k, 2, low.y, high.y),
                pick(k, 4, low.z, high.z),
            )
        };
        ((0..8).map(corner).collect(), 0.0)
    };
    match shape {
        Convex::Hull(hull) => (hull.vertices.clone(), hull.radius),
        Convex::Superellipsoid(shape) => boxed(-shape.half_axes, shape.half_axes),
        Convex::Frustum(shape) => {
            let radius = shape.bottom_radius.max(shape.top_radius);
            boxed(
                DVec3::new(-radius, -radius, shape.bottom),
                DVec3::new(radius, radius, shape.top),
            )
        }
    }
}
