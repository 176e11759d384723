//! Meshes that a scene names: each file is read once.

use super::error::Problem;
use super::form::Form;
use super::grammar::{MeshParts, MeshSolid};
use super::key_path::KeyPath;
use crate::mesh::{Fault, read_mesh};
use granule::math::Pose;
use granule::shapes::{Convex, Hull, MeshError, Part, Solid, TriangleMesh};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The meshes of a scene.
pub(crate) struct Meshes<'a> {
    /// What names of files are relative to.
    folder: &'a Path,
    /// By file and the bits of the scale.
    surfaces: BTreeMap<(PathBuf, u64), Arc<TriangleMesh>>,
    /// What has been made of them.
    solids: Vec<(MeshSolid, Form)>,
}

impl<'a> Meshes<'a> {
    /// None has been read yet.
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self {
            folder,
            surfaces: BTreeMap::new(),
            solids: Vec::new(),
        }
    }

    /// The surface in a file, its coordinates multiplied by `scale`; `path` leads to the table that names it.
    pub(crate) fn surface(
        &mut self,
        file: &Path,
        scale: f64,
        path: &KeyPath,
    ) -> Result<Arc<TriangleMesh>, Problem> {
        let name = (file.to_owned(), scale.to_bits());
        if let Some(mesh) = self.surfaces.get(&name) {
            return Ok(Arc::clone(mesh));
        }
        let mesh = read_mesh(&self.folder.join(file), scale).map_err(|error| match &error.fault {
            Fault::Mesh(fault) => unusable(&error, fault, path),
            Fault::Io(_) | Fault::Ending | Fault::Scale(_) | Fault::Malformed(_) => {
                Problem::new(path.join("file"), error.to_string(), "this file")
                    .help("give an STL or OBJ file, named relative to the folder of the scene file; check the spelling")
            }
        })?;
        let mesh = Arc::new(mesh);
        self.surfaces.insert(name, Arc::clone(&mesh));
        Ok(mesh)
    }

    /// The solid that a mesh encloses.
    pub(crate) fn solid(&mut self, given: &MeshSolid, path: &KeyPath) -> Result<Form, Problem> {
        if let Some((_, form)) = self.solids.iter().find(|(known, _)| known == given) {
            return Ok(form.clone());
        }
        let mesh = self.surface(&given.file, given.scale, path)?;
        let unusable = |error: MeshError| unusable(&error, &error, path);
        let whole = mesh.mass_properties().map_err(unusable)?;
        let hulls = match given.parts {
            MeshParts::ConvexHull => vec![Hull::of_points(mesh.vertices()).map_err(|reason| {
                Problem::new(path.join("file"), "the mesh has no convex hull", reason)
                    .help("mend the file: the triangles of a solid do not lie in a plane")
            })?],
            MeshParts::Decomposition => mesh.decomposition().map_err(unusable)?,
        };
        let filled: f64 = hulls.iter().map(|hull| hull.mass_properties().volume).sum();
        let wrong = (filled / whole.volume - 1.0).abs();
        if given.parts == MeshParts::Decomposition && wrong > DECOMPOSED {
            return Err(Problem::new(
                path.join("parts"),
                format!(
                    "the convex parts differ from the mesh by {:.1} % of its volume",
                    100.0 * wrong
                ),
                "no good decomposition was found",
            )
            .help("join convex shapes to a `union`, or use the `convex-hull`"));
        }
        let part = |hull| Part {
            pose: Pose::IDENTITY,
            shape: Convex::Hull(hull),
        };
        let solid = Solid::with_mass(hulls.into_iter().map(part).collect(), &whole);
        let form = Form::from(solid);
        self.solids.push((given.clone(), form.clone()));
        Ok(form)
    }
}

/// Of the volume of a mesh: what its convex parts may differ by.
const DECOMPOSED: f64 = 0.02;

/// Triangles that are no surface, or enclose no solid; `message` says why.
fn unusable(message: &impl Display, fault: &MeshError, path: &KeyPath) -> Problem {
    let problem = Problem::new(path.join("file"), message.to_string(), "this file");
    match fault {
        MeshError::NotWatertight(_) => problem.help(
            "mend the file: the triangles of a solid close without gaps, each edge belongs to two of them, and their \
             normals point outwards; an open surface can be a wall",
        ),
        MeshError::Tiny { .. } | MeshError::Coordinate { .. } => {
            problem.help("`scale` is m for a length of 1 in the file: 1e-3 for millimetres")
        }
        _ => problem.help("save the mesh anew as STL or OBJ, made of triangles"),
    }
}
