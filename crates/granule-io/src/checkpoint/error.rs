//! What can go wrong with checkpoints.

use super::file::Damage;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A checkpoint could not be written or read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The operating system refused to write.
    #[error("cannot write {}: {source}; {}", path.display(), still_there(folder, *last))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
        /// The folder of the checkpoints.
        folder: PathBuf,
        /// The step of the last checkpoint that is whole, if there is one.
        last: Option<u64>,
    },
    /// The operating system refused to read or remove.
    #[error("cannot use {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The value has no binary form.
    #[error("cannot write a checkpoint in {}: {source}", folder.display())]
    Encode {
        /// The folder of the checkpoints.
        folder: PathBuf,
        /// What the encoder said.
        source: postcard::Error,
    },
    /// There are checkpoints, but none can be used.
    #[error(
        "no checkpoint in {} can be used ({damage}); start the run afresh, without resuming",
        folder.display()
    )]
    NoneWhole {
        /// The folder of the checkpoints.
        folder: PathBuf,
        /// What is wrong with each file.
        damage: String,
    },
}

fn still_there(folder: &std::path::Path, last: Option<u64>) -> String {
    match last {
        Some(step) => {
            format!(
                "the last checkpoint in {} (step {step}) is intact",
                folder.display()
            )
        }
        None => "there is no earlier checkpoint; choose another output folder".to_owned(),
    }
}

pub(super) fn list(damaged: &[(PathBuf, Damage)]) -> String {
    let one = |(path, damage): &(PathBuf, Damage)| {
        format!(
            "{}: {damage}",
            path.file_name().unwrap_or_default().display()
        )
    };
    damaged.iter().map(one).collect::<Vec<_>>().join("; ")
}
