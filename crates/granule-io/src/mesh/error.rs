//! What can go wrong with files of triangles.

use granule::shapes::MeshError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A mesh could not be read or written.
#[derive(Debug, Error)]
#[error("{}: {fault}", path.display())]
pub struct MeshFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a file of triangles.
#[derive(Debug, Error)]
pub enum Fault {
    /// The operating system refused.
    #[error("cannot read it: {0}")]
    Io(io::Error),
    /// The name does not say what it is.
    #[error("its name must end in .stl or .obj")]
    Ending,
    /// The scale is no length.
    #[error("the scale must be positive and finite, not {0}")]
    Scale(f64),
    /// The file is damaged, or is not what its name says.
    #[error("{0}")]
    Malformed(String),
    /// Its triangles are no mesh.
    #[error("{0}")]
    Mesh(MeshError),
}
