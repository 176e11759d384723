//! Shapes of bodies as triangles.

mod hull;
mod planar;
mod round;

use glam::DVec3;
use granule::bodies::Dimension;
use granule::math::Pose;
use granule::shapes::{Convex, Solid};
use std::collections::BTreeMap;

/// The surface of a shape as triangles, in the frame of the body. In a plane it is the shape itself, filled, at z = 0.
///
/// Every convex part has a closed surface of its own, inside others where parts overlap. At a sharp edge each of
/// its sides has points of its own, with normals of its own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolidMesh {
    /// m.
    pub points: Vec<DVec3>,
    /// The outward unit normal of the shape at each point.
    pub normals: Vec<DVec3>,
    /// Indices of points, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Turns a shape into triangles; where it is round, a polygon of so many sides stands for a circle.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::math::DVec3;
/// use granule::shapes::{Hull, Solid};
/// use granule_io::results::tessellate_solid;
/// let brick = Solid::from(Hull::cuboid(DVec3::new(0.1, 0.05, 0.03)));
/// let mesh = tessellate_solid(&brick, Dimension::Space, 24);
/// assert_eq!((mesh.points.len(), mesh.triangles.len()), (24, 12));
/// assert_eq!(mesh.welded().points.len(), 8);
/// ```
pub fn tessellate_solid(solid: &Solid, dimension: Dimension, sides: u32) -> SolidMesh {
    let sides = sides.clamp(4, 1024);
    let mut mesh = SolidMesh::default();
    for part in solid.parts() {
        match dimension {
            Dimension::Space => {
                let own = match &part.shape {
                    Convex::Hull(shape) => hull::mesh(shape, sides),
                    Convex::Superellipsoid(shape) => round::superellipsoid(shape, sides),
                    Convex::Frustum(shape) => round::frustum(shape, sides),
                };
                mesh.append(&own, &part.pose);
            }
            Dimension::Plane | Dimension::Line => {
                mesh.append(&planar::mesh(part, sides), &Pose::IDENTITY);
            }
        }
    }
    mesh
}

impl SolidMesh {
    /// Adds a point (m) with its normal and gives its index.
    fn add(&mut self, point: DVec3, normal: DVec3) -> u32 {
        self.points.push(point);
        self.normals.push(normal);
        self.points.len() as u32 - 1
    }

    /// Adds a mesh that is given in a frame with this pose.
    fn append(&mut self, other: &Self, pose: &Pose) {
        let first = self.points.len() as u32;
        self.points
            .extend(other.points.iter().map(|p| pose.point(*p)));
        let normals = other.normals.iter().map(|n| pose.direction(*n));
        self.normals.extend(normals);
        let triangles = other.triangles.iter();
        self.triangles
            .extend(triangles.map(|t| t.map(|corner| first + corner)));
    }

    /// The same surface with points in one place as one point, whose normal is that of one of them.
    pub fn welded(&self) -> Self {
        let mut welded = Self::default();
        let mut found = BTreeMap::new();
        let mut index = Vec::with_capacity(self.points.len());
        for (&point, &normal) in self.points.iter().zip(&self.normals) {
            // Adding zero makes one of the two zeros.
            let place = (point + DVec3::ZERO).to_array().map(f64::to_bits);
            index.push(
                *found
                    .entry(place)
                    .or_insert_with(|| welded.add(point, normal)),
            );
        }
        let triangles = self.triangles.iter();
        welded.triangles = triangles
            .map(|t| t.map(|corner| index[corner as usize]))
            .collect();
        welded
    }
}

#[cfg(test)]
mod tests;
