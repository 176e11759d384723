//! What can go wrong with result files.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A result file could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The operating system refused.
    #[error("cannot write {}: {source}; {}", path.display(), advice(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The arrays of a frame, or the values of a row, do not belong together.
    #[error("cannot write {}: {what} has {found} entries where {expected} were expected", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// The name of the array.
        what: String,
        /// How many entries it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// The names of columns are not what a series needs.
    #[error("cannot write {}: {what}", path.display())]
    Columns {
        /// The file.
        path: PathBuf,
        /// What is wrong, and how it should be.
        what: String,
    },
}

impl WriteError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// How to mend an error of the operating system.
fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space and resume; the frames and checkpoints written before are intact"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose an output folder that you may write to"
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            "check that the output folder exists and is a folder"
        }
        _ => "what was written before is intact",
    }
}

/// A result file could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is damaged, or is not what its name says.
    #[error("cannot read {}: {what}; the file is damaged or was cut short", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// The file is valid, but uses something this reader does not know.
    #[error("cannot read {}: {what}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What is not known, and what to use instead.
        what: String,
    },
    /// The run's folder has no `run.json`.
    #[error(
        "{0} has no run.json: an earlier version of Granule made this run; make it again with `granule run {0}/scene.toml --out {0} --overwrite`",
        folder.display()
    )]
    NoRecord {
        /// The run's folder.
        folder: PathBuf,
    },
    /// The run's folder has no such frame.
    #[error("{} has no frame {frame}: it has {count}, counted from 0", path.display())]
    NoSuchFrame {
        /// The run's folder.
        path: PathBuf,
        /// The frame asked for.
        frame: usize,
        /// How many there are.
        count: usize,
    },
}

impl ReadError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn malformed(path: &Path, what: impl Into<String>) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            what: what.into(),
        }
    }
}
