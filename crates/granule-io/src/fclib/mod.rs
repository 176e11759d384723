#![doc = include_str!("README.md")]

mod community_error;
mod condensation;
mod contact_file;
mod engine;
mod error;
#[cfg(feature = "second-order")]
mod factor;
#[cfg(not(feature = "second-order"))]
#[path = "without_factor.rs"]
mod factor;
#[cfg(feature = "hdf5")]
mod hdf5_reader;
#[cfg(feature = "hdf5")]
mod hdf5_writer;
mod matrix;
mod solve;
mod step;
mod text_reader;
mod text_writer;
#[cfg(not(feature = "hdf5"))]
mod without_hdf5;

pub use condensation::{Condensed, Dynamics};
pub use contact_file::{ContactFile, Form, GlobalForm, Info, Solution};
pub use engine::EngineProblem;
pub use error::{ContactFileError, Flaw, Place};
#[cfg(feature = "hdf5")]
pub use hdf5_reader::read_hdf5;
#[cfg(feature = "hdf5")]
pub use hdf5_writer::write_hdf5;
pub use matrix::SparseMatrix;
pub use solve::{Answer, solve};
pub use step::{FreeMotion, from_step, from_step_local};
pub use text_reader::read_text;
pub use text_writer::write_text;
#[cfg(not(feature = "hdf5"))]
pub use without_hdf5::{read_hdf5, write_hdf5};

use crate::results::write_file;
use std::path::Path;

/// What every HDF5 file begins with.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// A contact problem from the bytes of a file; the format is that of its contents, whatever its name.
pub fn read_bytes(bytes: Vec<u8>) -> Result<ContactFile, Flaw> {
    if bytes.starts_with(HDF5) {
        read_hdf5(bytes)
    } else {
        read_text(&String::from_utf8_lossy(&bytes))
    }
}

/// Reads a contact problem; the format is that of the contents, whatever the file is called.
pub fn read(path: &Path) -> Result<ContactFile, ContactFileError> {
    let bytes = std::fs::read(path).map_err(|source| ContactFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    read_bytes(bytes).map_err(|flaw| ContactFileError::Flawed {
        path: path.to_owned(),
        flaw,
    })
}

/// Writes a contact problem: as text if the name ends in `.dat`, otherwise as HDF5.
pub fn write(path: &Path, file: &ContactFile) -> Result<(), ContactFileError> {
    let contents = if path.extension().is_some_and(|end| end == "dat") {
        write_text(file).map(String::into_bytes)
    } else {
        write_hdf5(file)
    };
    let contents = contents.map_err(|flaw| ContactFileError::Unwritable {
        path: path.to_owned(),
        flaw,
    })?;
    Ok(write_file(path, &contents)?)
}
