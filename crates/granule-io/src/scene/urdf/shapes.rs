//! Collision shapes of links as convex parts.

use super::Fault;
use super::read::{Collision, Geometry, Link};
use crate::mesh::read_mesh;
use granule::math::{DVec3, Pose};
use granule::shapes::{Convex, Frustum, Hull, Part};
use std::path::{Path, PathBuf};

/// Where files of meshes are.
pub(super) struct Folders<'a> {
    /// That of the robot description.
    pub(super) own: &'a Path,
    /// That of packages.
    pub(super) packages: &'a Path,
}

impl Folders<'_> {
    /// The file that a description calls this.
    fn find(&self, name: &str) -> PathBuf {
        for scheme in ["package://", "model://"] {
            if let Some(inside) = name.strip_prefix(scheme) {
                return self.packages.join(inside);
            }
        }
        self.own.join(name.strip_prefix("file://").unwrap_or(name))
    }

    /// The collision shapes of a link whose frame has this pose. Meshes that cannot be read because of their format are
    /// left out, with a note.
    pub(super) fn parts(
        &self,
        link: &Link,
        pose: &Pose,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Part>, Fault> {
        let mut parts = Vec::new();
        for collision in &link.collisions {
            if let Some(shape) = self.convex(link, collision, notes)? {
                let pose = pose.then(&collision.pose);
                parts.push(Part { pose, shape });
            }
        }
        Ok(parts)
    }

    fn convex(
        &self,
        link: &Link,
        collision: &Collision,
        notes: &mut Vec<String>,
    ) -> Result<Option<Convex>, Fault> {
        let shape: Convex = match &collision.geometry {
            Geometry::Box(size) => Hull::cuboid(0.5 * *size).into(),
            Geometry::Sphere(radius) => Hull::ball(*radius).into(),
            Geometry::Capsule { radius, length } => Hull::segment(0.5 * length, *radius).into(),
            Geometry::Cylinder { radius, length } => Frustum {
                bottom: -0.5 * length,
                top: 0.5 * length,
                bottom_radius: *radius,
                top_radius: *radius,
            }
            .into(),
            Geometry::Mesh { file, scale } => {
                let path = self.find(file);
                let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
                if ending != "stl" && ending != "obj" {
                    notes.push(format!(
                        "link `{}`: `{file}` is neither STL nor OBJ, and nothing touches what it shows",
                        link.name
                    ));
                    return Ok(None);
                }
                hull(&path, *scale)
                    .map_err(|reason| {
                        Fault::at(
                            collision.line,
                            format!("link `{}`: the mesh `{file}` {reason}", link.name),
                            "names of meshes are relative to the folder of this file, and those of `package://` to the folder \
                             that `packages` gives; a mesh has triangles that do not lie in one plane",
                        )
                    })?
                    .into()
            }
        };
        let unusable = |reason: String| {
            Fault::at(
                collision.line,
                format!("link `{}`: {reason}", link.name),
                "give a shape with a size that can be computed with, in m",
            )
        };
        shape.validate().map_err(unusable)?;
        Ok(Some(shape))
    }
}

/// Meshes of more vertices than this have a hull of those that are farthest in so many directions.
const MOST_CORNERS: usize = 256;

/// The convex hull of a mesh, its coordinates multiplied by `scale`. That of many vertices is made of those that are farthest
/// in directions all round; where these are too near to each other or to one plane for a hull, of fewer directions.
fn hull(path: &Path, scale: DVec3) -> Result<Hull, String> {
    let mesh = read_mesh(path, 1.0).map_err(|error| format!("cannot be used: {error}"))?;
    let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| *v * scale).collect();
    let mut made = match vertices.len() {
        0..=MOST_CORNERS => Hull::of_points(&vertices),
        _ => Err("it has too many vertices".to_owned()),
    };
    let mut directions = MOST_CORNERS;
    while made.is_err() && directions >= 32 {
        made = Hull::of_points(&farthest(&vertices, directions));
        directions /= 2;
    }
    made.map_err(|reason| format!("has no convex hull: {reason}"))
}

/// The points that are farthest in so many directions, spread evenly over the sphere.
fn farthest(points: &[DVec3], directions: usize) -> Vec<DVec3> {
    // By the golden angle from one to the next, from pole to pole; none is along an axis.
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let direction = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f64 / directions as f64;
        let (sin, cos) = libm::sincos(golden * k as f64);
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z)
    };
    let mut found: Vec<usize> = (0..directions)
        .filter_map(|k| {
            let way = direction(k);
            let far = |point: &DVec3| point.dot(way);
            let all = points.iter().enumerate();
            let (place, _) = all.max_by(|(_, a), (_, b)| far(a).total_cmp(&far(b)))?;
            Some(place)
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|place| points[place]).collect()
}
