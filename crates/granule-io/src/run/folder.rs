//! A run's folder: what is in it, and how it is read.

use super::RunError;
use crate::checkpoint::CheckpointStore;
use crate::results::{FrameReader, ReadError, RunRecord, Series, Summary, read_series};
use std::path::{Path, PathBuf};

/// The folder of a run. Nothing is read before it is asked for, so a run that is going on can be
/// looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// A folder, which need not be there.
    pub fn new(path: &Path) -> Self {
        let path = path.to_owned();
        Self { path }
    }

    /// The first folder of `first`, `first-2`, `first-3`, … that holds no run.
    pub fn free(first: &Path) -> Self {
        let name = first.file_name().unwrap_or_default().to_string_lossy();
        let numbered = (2..).map(|k: u32| first.with_file_name(format!("{name}-{k}")));
        let mut folders = std::iter::once(first.to_owned()).chain(numbered);
        let path = folders.find(|path| !Self::new(path).holds_run());
        Self::new(path.as_deref().unwrap_or(first))
    }

    /// Whether a run has been started in the folder.
    pub fn holds_run(&self) -> bool {
        self.scene_file().exists() || self.path.join("run.json").exists()
    }

    /// The folder of a run that has been started.
    ///
    /// # Errors
    ///
    /// [`RunError::NoRun`] if none has.
    pub fn existing(path: &Path) -> Result<Self, RunError> {
        let folder = Self::new(path);
        match folder.holds_run() {
            true => Ok(folder),
            false => Err(RunError::NoRun {
                folder: folder.path,
            }),
        }
    }

    /// A folder with a run, or with what is left of one: its series or its frames.
    ///
    /// # Errors
    ///
    /// [`RunError::NoRun`] if there is nothing of a run.
    pub fn with_results(path: &Path) -> Result<Self, RunError> {
        let results = ["frames.pvd", "series.csv"];
        match results.iter().any(|name| path.join(name).exists()) {
            true => Ok(Self::new(path)),
            false => Self::existing(path),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `scene.toml`: the scene as it was run. Not there if a program made the world.
    pub fn scene_file(&self) -> PathBuf {
        self.path.join("scene.toml")
    }

    /// `series.csv`: a row a step.
    pub fn series_file(&self) -> PathBuf {
        self.path.join("series.csv")
    }

    /// `measures`: the files of measures that have one of their own.
    pub fn measures_folder(&self) -> PathBuf {
        self.path.join("measures")
    }

    /// `summary.json`: what happened. Not there while the run is going on.
    pub fn summary_file(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// Walls, materials and all else that stays during the run.
    pub fn record(&self) -> Result<RunRecord, ReadError> {
        RunRecord::read(&self.path)
    }

    /// The frames: bodies, contacts and walls of some moments.
    pub fn frames(&self) -> Result<FrameReader, ReadError> {
        FrameReader::open(&self.path)
    }

    /// The numbers of every step.
    pub fn series(&self) -> Result<Series, ReadError> {
        read_series(&self.series_file())
    }

    /// What happened.
    pub fn summary(&self) -> Result<Summary, ReadError> {
        Summary::read(&self.summary_file())
    }

    /// The steps after which there is a checkpoint that is whole, in increasing order.
    pub fn checkpoints(&self) -> Vec<u64> {
        self.store().steps()
    }

    pub(super) fn store(&self) -> CheckpointStore {
        CheckpointStore::new(&self.path.join("checkpoint"))
    }
}
