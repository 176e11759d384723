//! Parts of space that are filled with grains.

use super::draw::Stream;
use crate::scene::convert;
use crate::scene::grammar::Region;
use granule::math::{DQuat, DVec3, Pose};
use granule::shapes::{Convex, Solid};

/// A region in a frame of its own.
pub(super) struct Filled {
    center: DVec3,
    orientation: DQuat,
    shape: Shape,
    /// Half lengths of the box around the region, in its own frame; zero where nothing moves.
    half: DVec3,
}

enum Shape {
    Box,
    Circle { radius: f64 },
    Cone { bottom: f64, top: f64, length: f64 },
}

impl Filled {
    pub(super) fn new(region: &Region, dimension: usize) -> Self {
        match region {
            Region::Box(region) => {
                let (min, max) = (convert::vector(&region.min), convert::vector(&region.max));
                Self {
                    center: 0.5 * (min + max),
                    orientation: DQuat::IDENTITY,
                    shape: Shape::Box,
                    half: 0.5 * (max - min),
                }
            }
            Region::Cylinder(region) if dimension == 2 => Self {
                center: convert::vector(&region.center),
                orientation: DQuat::IDENTITY,
                shape: Shape::Circle {
                    radius: region.radius,
                },
                half: DVec3::new(region.radius, region.radius, 0.0),
            },
            Region::Cylinder(region) => Self::cone(
                convert::vector(&region.center),
                region.axis.as_ref().map_or(DVec3::Z, convert::direction),
                [region.radius, region.radius],
                region.length.unwrap_or(0.0),
            ),
            Region::Cone(region) => Self::cone(
                convert::vector(&region.center),
                region.axis.as_ref().map_or(DVec3::Z, convert::direction),
                [region.bottom_radius, region.top_radius],
                region.length,
            ),
        }
    }

    fn cone(center: DVec3, axis: DVec3, [bottom, top]: [f64; 2], length: f64) -> Self {
        let radius = bottom.max(top);
        Self {
            center,
            orientation: DQuat::from_rotation_arc(DVec3::Z, axis.normalize()),
            shape: Shape::Cone {
                bottom,
                top,
                length,
            },
            half: DVec3::new(radius, radius, 0.5 * length),
        }
    }

    /// A centre for a sphere of this radius, if the one drawn lies wholly inside.
    pub(super) fn draw(&self, radius: f64, dimension: usize, stream: &mut Stream) -> Option<DVec3> {
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
    pub(super) fn holds_sphere(&self, center: DVec3, radius: f64, dimension: usize) -> bool {
        let local = self.orientation.conjugate() * (center - self.center);
        let within = (0..dimension).all(|axis| local[axis].abs() + radius <= self.half[axis]);
        within && self.holds_local(local, radius)
    }

    /// Whether a solid lies wholly inside. Where the region is round, corners are looked at: those of the solid, or of
    /// a box around a part without corners.
    pub(super) fn holds(&self, solid: &Solid, pose: &Pose, dimension: usize) -> bool {
        match self.shape {
            Shape::Box => (0..dimension).all(|axis| {
                let along = self.orientation * DVec3::AXES[axis];
                [along, -along].into_iter().all(|out| {
                    let farthest = pose.point(solid.support(pose.local_direction(out)));
                    (farthest - self.center).dot(out) <= self.half[axis]
                })
            }),
            Shape::Circle { .. } | Shape::Cone { .. } => solid.parts().iter().all(|part| {
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
        match self.shape {
            Shape::Box => true,
            Shape::Circle { radius: outer } => rho + radius <= outer,
            Shape::Cone {
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
    pub(super) fn volume(&self, dimension: usize) -> f64 {
        use std::f64::consts::PI;
        match self.shape {
            Shape::Box => (0..dimension).map(|k| 2.0 * self.half[k]).product(),
            Shape::Circle { radius } => PI * radius * radius,
            Shape::Cone {
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
