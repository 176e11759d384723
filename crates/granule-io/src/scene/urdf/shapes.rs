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

/// The convex hull of a mesh, its coordinates multiplied by `scale`.
fn hull(path: &Path, scale: DVec3) -> Result<Hull, String> {
    let mesh = read_mesh(path, 1.0).map_err(|error| format!("cannot be used: {error}"))?;
    let corners: Vec<DVec3> = mesh.vertices().iter().map(|v| *v * scale).collect();
    Hull::of_points(&corners).map_err(|reason| format!("has no convex hull: {reason}"))
}
