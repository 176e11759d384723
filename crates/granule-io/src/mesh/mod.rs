//! Files of triangles: STL, binary or text, and Wavefront's OBJ.
//!
//! What is read is one [`TriangleMesh`], whatever solids, groups and materials the file has. Files have no
//! unit: the scale says how many metres one of theirs is.

mod error;
mod obj;
mod polygon;
mod stl;
mod stl_text;

pub use error::{Fault, MeshFileError};
pub use stl::{stl_bytes, write_stl};

use glam::DVec3;
use granule::shapes::TriangleMesh;
use std::fs;
use std::path::Path;

/// Vertices in the unit of the file, and the places of the corners of triangles among them.
#[derive(Debug, Clone, PartialEq, Default)]
struct Triangles {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Triangles {
    /// Adds a triangle with vertices of its own.
    fn push(&mut self, corners: [DVec3; 3]) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(corners);
        self.triangles.push([first, first + 1, first + 2]);
    }
}

/// Reads a mesh from a file whose name ends in `.stl` or `.obj`; one unit of the file is `scale` metres.
///
/// ```
/// # use granule_io::mesh::{read_mesh, write_stl};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tetrahedron.obj");
/// std::fs::write(&path, "v 0 0 0\nv 6 0 0\nv 0 5 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")?;
/// let mesh = read_mesh(&path, 0.01)?;
/// let volume = mesh.mass_properties()?.volume;
/// assert!((volume - 20e-6).abs() < 1e-19);
/// // Also as STL, in single precision and in metres.
/// # let path = folder.path().join("tetrahedron.stl");
/// write_stl(&path, &mesh)?;
/// let again = read_mesh(&path, 1.0)?;
/// assert!(again.is_watertight());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_mesh(path: &Path, scale: f64) -> Result<TriangleMesh, MeshFileError> {
    let error = |fault| MeshFileError {
        path: path.to_owned(),
        fault,
    };
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(error(Fault::Scale(scale)));
    }
    let ending = path.extension().unwrap_or_default();
    let parse = match ending.to_string_lossy().to_lowercase().as_str() {
        "stl" => stl::parse,
        "obj" => obj::parse,
        _ => return Err(error(Fault::Ending)),
    };
    let bytes = fs::read(path).map_err(|source| error(Fault::Io(source)))?;
    made_of(parse(&bytes), scale).map_err(error)
}

/// The mesh of triangles that were found in a file.
fn made_of(found: Result<Triangles, String>, scale: f64) -> Result<TriangleMesh, Fault> {
    let mut found = found.map_err(Fault::Malformed)?;
    for vertex in &mut found.vertices {
        *vertex *= scale;
    }
    TriangleMesh::new(&found.vertices, &found.triangles).map_err(Fault::Mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACET: &str = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 .5 0\nvertex 0 1 -2e-1\n\
                         endloop\nendfacet\n";
    const FACES: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv .1 .2 1\nf 1 2 3 4\nf -1 -2 -3\n";

    /// A file of triangles, with the reader for it.
    type File = (fn(&[u8]) -> Result<Triangles, String>, Vec<u8>);

    /// Bytes changed and files cut short at every place end in a mesh or an error.
    #[test]
    fn damaged_files_never_panic() {
        let text = format!("solid\n{FACET}{FACET}endsolid\n");
        let mesh = made_of(obj::parse(FACES.as_bytes()), 1.0).unwrap();
        let files: [File; 3] = [
            (stl::parse, stl_bytes(&mesh)),
            (stl::parse, text.into_bytes()),
            (obj::parse, FACES.into()),
        ];
        for (parse, bytes) in files {
            assert!(made_of(parse(&bytes), 1.0).is_ok());
            let check = |bytes: &[u8]| {
                if let Ok(mesh) = made_of(parse(bytes), 1.0) {
                    let _ = mesh.mass_properties();
                    let mut contacts = Vec::new();
                    mesh.ball_contacts(mesh.vertices()[0], 10.0, &mut contacts);
                    let mut normals = contacts.iter().map(|contact| contact.normal);
                    assert!(normals.all(DVec3::is_normalized));
                }
            };
            for k in 0..bytes.len() {
                check(&bytes[..k]);
                for bit in 0..8 {
                    let mut changed = bytes.clone();
                    changed[k] ^= 1 << bit;
                    check(&changed);
                }
            }
        }
    }
}
