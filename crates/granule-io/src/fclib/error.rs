//! What can be wrong with a file of a contact problem.

use crate::results::WriteError;
use granule::problem::ProblemError;
use std::fmt;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Where something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A word of a text file: its number and its line, both from 1.
    Token {
        /// Which word.
        number: usize,
        /// In which line it stands.
        line: usize,
    },
    /// A dataset or group of an HDF5 file.
    Dataset(String),
    /// A part of the problem.
    Part(&'static str),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token { number, line } => write!(f, "word {number} (line {line})"),
            Self::Dataset(name) => write!(f, "`{name}`"),
            Self::Part(name) => write!(f, "{name}"),
        }
    }
}

/// What is wrong with a contact problem, where, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {what}; {mend}")]
pub struct Flaw {
    /// Where.
    pub place: Place,
    /// What.
    pub what: String,
    /// How to mend it.
    pub mend: String,
}

impl Flaw {
    /// A flaw of a part of the problem.
    pub(super) fn of(part: &'static str, what: String, mend: &str) -> Self {
        Self {
            place: Place::Part(part),
            what,
            mend: mend.to_owned(),
        }
    }

    /// A flaw of a dataset or group.
    #[cfg(feature = "hdf5")]
    pub(super) fn in_dataset(name: &str, what: String, mend: &str) -> Self {
        Self {
            place: Place::Dataset(name.to_owned()),
            what,
            mend: mend.to_owned(),
        }
    }
}

impl From<ProblemError> for Flaw {
    fn from(error: ProblemError) -> Self {
        Self::of("W", error.to_string(), "mend what wrote the problem")
    }
}

/// A file of a contact problem could not be read or written.
#[derive(Debug, Error)]
pub enum ContactFileError {
    /// The operating system refused.
    #[error("cannot read {}: {source}; check the name and that you may read it", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file does not hold a contact problem.
    #[error("{}: {flaw}", path.display())]
    Flawed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// The problem cannot be written in that format.
    #[error("cannot write {}: {flaw}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        flaw: Flaw,
    },
    /// The operating system refused to write.
    #[error(transparent)]
    Write(#[from] WriteError),
}
