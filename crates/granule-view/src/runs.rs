//! The folders of runs, read as far as somebody looks.

use crate::digest::Digest;
use glam::DVec3;
use granule_io::results::{FrameReader, ReadError, RunRecord, RunStatus, Summary};
use granule_io::run::{Live, RunFolder};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Runs that are found in a folder of runs at most, the newest.
const MOST_RUNS: usize = 200;

/// The runs of some folders: each a run's folder, or a folder that holds such, the newest of them first.
pub fn find_runs(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in folders {
        if RunFolder::new(folder).holds_run() {
            found.push(folder.clone());
            continue;
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let inside = entries.map(|entry| entry.path());
        let runs = inside.filter(|path| RunFolder::new(path).holds_run());
        let mut dated: Vec<_> = runs
            .map(|path| (changed(&path.join("run.json")), path))
            .collect();
        dated.sort();
        found.extend(
            dated
                .into_iter()
                .rev()
                .map(|(_, path)| path)
                .take(MOST_RUNS),
        );
    }
    found
}

/// When a file was last written; the epoch if it is not there.
fn changed(path: &Path) -> SystemTime {
    let data = std::fs::metadata(path);
    data.and_then(|data| data.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

/// A run that can be looked at.
pub struct OpenRun {
    pub folder: RunFolder,
    /// What people know it by: the last part of its path.
    pub label: String,
    state: Mutex<State>,
    /// `series.csv` as far as it was read.
    digest: Mutex<Digest>,
}

#[derive(Default)]
struct State {
    index: Option<Arc<Index>>,
    /// Counts how often the run was begun anew while somebody looked.
    generation: u64,
    /// The middle of the first frame that was looked at, m.
    origin: Option<DVec3>,
}

/// What there is of a run, without what is in it.
pub struct Index {
    pub record: RunRecord,
    pub reader: FrameReader,
    /// When the lists were written: `run.json`, `frames.pvd`, and the first frame.
    stamp: [SystemTime; 3],
    /// Another number means another run in the same folder.
    pub generation: u64,
}

/// How a run is.
pub struct Standing {
    /// `running`, `paused`, `completed`, `interrupted`, `failed`, or `unfinished` if it ended without a summary.
    pub word: &'static str,
    pub live: Option<Live>,
    pub summary: Option<Summary>,
}

/// Goes on with what a thread that failed has left: everything kept under a lock can be read again.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OpenRun {
    pub fn new(path: &Path) -> Self {
        let folder = RunFolder::new(path);
        let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = full.file_name().unwrap_or(full.as_os_str());
        Self {
            label: name.to_string_lossy().into_owned(),
            digest: Mutex::new(Digest::new(&folder.series_file())),
            folder,
            state: Mutex::default(),
        }
    }

    /// The run's lists, read again if they have changed.
    pub fn index(&self) -> Result<Arc<Index>, ReadError> {
        let mut state = lock(&self.state);
        let path = self.folder.path();
        let written = |name: &str| changed(&path.join(name));
        let mut stamp = [
            written("run.json"),
            written("frames.pvd"),
            SystemTime::UNIX_EPOCH,
        ];
        if let Some(index) = &state.index {
            stamp[2] = index.first_frame();
            if index.stamp == stamp {
                return Ok(index.clone());
            }
        }
        // A run that has just begun has no list of frames yet.
        let reader = match path.join("frames.pvd").exists() {
            true => self.folder.frames()?,
            false => return Err(not_begun(path)),
        };
        for frame in reader.frames() {
            let files = [
                &frame.walls,
                &frame.contacts,
                &frame.shapes,
                &frame.cell,
                &frame.images,
            ];
            let files = files.into_iter().flatten().chain([&frame.bodies]);
            if let Some(outside) = files.into_iter().find(|file| !stays_inside(file, path)) {
                return Err(ReadError::Unsupported {
                    path: path.join("frames.pvd"),
                    what: format!(
                        "it names {}, which is not in the folder of the run",
                        outside.display()
                    ),
                });
            }
        }
        let mut index = Index {
            record: self.folder.record()?,
            reader,
            stamp,
            generation: state.generation,
        };
        index.stamp[2] = index.first_frame();
        let another = |old: &Arc<Index>| {
            let begun = !old.reader.frames().is_empty();
            old.reader.frames().len() > index.reader.frames().len()
                || (begun && old.stamp[2] != index.stamp[2])
        };
        if state.index.as_ref().is_some_and(another) {
            state.generation += 1;
            state.origin = None;
            index.generation = state.generation;
            *lock(&self.digest) = Digest::new(&self.folder.series_file());
        }
        let index = Arc::new(index);
        state.index = Some(index.clone());
        Ok(index)
    }

    /// Where places in messages are counted from, m: the middle of the first frame that is asked for.
    pub fn origin(&self, middle: DVec3) -> DVec3 {
        *lock(&self.state).origin.get_or_insert(middle)
    }

    pub fn digest(&self) -> MutexGuard<'_, Digest> {
        lock(&self.digest)
    }

    /// How the run is.
    pub fn standing(&self) -> Standing {
        let live = self.folder.live();
        let summary = self.folder.summary().ok();
        let word = match (&live, &summary) {
            (Some(live), _) if live.paused => "paused",
            (Some(_), _) => "running",
            (None, None) => "unfinished",
            (None, Some(summary)) => match summary.status {
                RunStatus::Completed => "completed",
                RunStatus::Interrupted => "interrupted",
                RunStatus::Failed => "failed",
            },
        };
        Standing {
            word,
            live,
            summary,
        }
    }
}

impl Index {
    fn first_frame(&self) -> SystemTime {
        let first = self.reader.frames().first();
        first.map_or(SystemTime::UNIX_EPOCH, |frame| changed(&frame.bodies))
    }
}

fn not_begun(path: &Path) -> ReadError {
    ReadError::Unsupported {
        path: path.join("frames.pvd"),
        what: "the run has written no frame yet".to_owned(),
    }
}

/// Whether a file that a list names is below the folder of the list.
fn stays_inside(file: &Path, folder: &Path) -> bool {
    let rest = file.strip_prefix(folder);
    rest.is_ok_and(|rest| {
        rest.components()
            .all(|part| matches!(part, Component::Normal(_)))
    })
}
