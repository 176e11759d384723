//! Why a table could not be regenerated.

use granule::simulation::{SetupError, StepError};
use std::path::PathBuf;

/// Why a table could not be regenerated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No target has this name.
    #[error("there is no target `{id}`; did you mean `{nearest}`? Known targets: {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        id: String,
        /// The known name most like it.
        nearest: &'static str,
        /// All known names.
        known: Vec<&'static str>,
    },
    /// The folder with the papers' data is not there.
    #[error("there is no folder `{}` to read data from", .0.display())]
    NoData(PathBuf),
    /// A file of the papers' data could not be read.
    #[error("{0}")]
    Data(String),
    /// The full size needs a place for its checkpoints.
    #[error("the full size takes hours and needs a folder for its checkpoints: add `--out FOLDER`")]
    NoFolder,
    /// A checkpoint could not be written or read.
    #[error(transparent)]
    Checkpoint(#[from] granule_io::checkpoint::CheckpointError),
    /// A file of published numbers does not hold what a target asks for.
    #[error("published numbers: {0}")]
    Published(String),
    /// A kept record is not whole.
    #[error("record of {0}")]
    Record(String),
    /// A simulation could not be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A simulation failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The threads for a timing could not be started.
    #[error("threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A chart could not be drawn.
    #[error(transparent)]
    Chart(#[from] crate::plot::PlotError),
    /// Another program that is compared with failed.
    #[error("{0}")]
    Peer(String),
    /// A file could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Error {
    /// Whether the one who asked made the mistake, and not the run.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Unknown { .. } | Self::NoData(_) | Self::NoFolder
        )
    }
}
