//! What can go wrong with a run.

use crate::checkpoint::CheckpointError;
use crate::results::{ReadError, ResumeError, WriteError};
use crate::scene::SceneError;
use granule::simulation::{SetupError, StepError};
use std::path::PathBuf;
use thiserror::Error;

/// A run could not be started, gone on with, or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is a run in the folder, and nobody said that it may be replaced.
    #[error(
        "{} already holds a run; resume it, replace it, or give another folder",
        folder.display()
    )]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// Another program runs in the folder at this moment.
    #[error(
        "another program is running in {}; stop it first, or give another folder",
        folder.display()
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// There is no run in the folder that could be resumed.
    #[error(
        "there is no run to resume in {}: cannot read {}: {source}; start it first",
        folder.display(),
        path.display()
    )]
    NothingToResume {
        /// The folder.
        folder: PathBuf,
        /// The file that would tell what the run started from.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The run in the folder was started from something else than what is to be resumed.
    #[error(
        "the scene has changed since the run in {} was started; resume it with what it started from, or start afresh",
        folder.display()
    )]
    Changed {
        /// The folder.
        folder: PathBuf,
    },
    /// The names, or what is to be written, cannot be.
    #[error("the run of `{name}` cannot be recorded: {what}")]
    Unrecordable {
        /// The name of the scene.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// Something cannot be measured of a run.
    #[error("the run in {} cannot be measured: {what}", folder.display())]
    Unmeasurable {
        /// The folder.
        folder: PathBuf,
        /// Why.
        what: String,
    },
    /// The world and the settings cannot be simulated.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A step could not be taken; the state before it is in the last frame and the last checkpoint.
    #[error("{what}\nresults so far in {}", folder.display())]
    Step {
        /// The reason, with bodies and walls by their names.
        what: String,
        /// The run's folder.
        folder: PathBuf,
        /// The reason, for programs.
        source: Box<StepError>,
    },
    /// A result could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The frames of the run that is resumed could not be taken up.
    #[error(transparent)]
    Frames(#[from] ResumeError),
    /// A checkpoint could not be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A result could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// There is no run in the folder.
    #[error("there is no run in {}: give the folder that a run has written", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// The run has no such step.
    #[error(
        "the run in {} has {count} steps, counted from 1, so none is number {step}",
        folder.display()
    )]
    NoSuchStep {
        /// The folder.
        folder: PathBuf,
        /// The step asked for.
        step: u64,
        /// How many there are.
        count: u64,
    },
    /// The scene of the run could not be made again.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A step of a recorded run could not be taken again.
    #[error("the run in {} cannot be taken again: {source}", folder.display())]
    Replay {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: Box<StepError>,
    },
}
