//! Parts of space that are filled with spheres.

use super::draw::Stream;
use crate::scene::convert;
use crate::scene::grammar::Region;
use granule::math::{DQuat, DVec3};

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
        let rho = (local.x * local.x + local.y * local.y).sqrt();
        let inside = match self.shape {
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
        };
        inside.then(|| self.center + self.orientation * local)
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
