//! What stands for FCLib's HDF5 in a build without it.

use super::{ContactFile, Flaw};

/// Says how to get the format.
pub fn read_hdf5(_bytes: Vec<u8>) -> Result<ContactFile, Flaw> {
    Err(unavailable())
}

/// Says how to get the format.
pub fn write_hdf5(_file: &ContactFile) -> Result<Vec<u8>, Flaw> {
    Err(unavailable())
}

fn unavailable() -> Flaw {
    Flaw::of(
        "HDF5",
        "this build was made without it".to_owned(),
        "build with `--features hdf5`, or use Siconos' text (`.dat`)",
    )
}
