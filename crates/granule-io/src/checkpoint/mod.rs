//! Checkpoints: two generations, so that one is always whole.
//!
//! A checkpoint is written under a temporary name, brought to the disk, and then renamed over the
//! *older* of the two generations `a.bin` and `b.bin`. Whatever happens on the way (a crash, a
//! full disk, a lost power line), the newer generation is still there. A header with length and
//! checksum tells a torn file from a whole one. A run without a scene file has its start beside
//! them, `start.bin`, in the same layout.
//!
//! ```text
//! offset  bytes  content (little endian)
//!      0      8  "GRANCKPT"
//!      8      8  version of this layout and of the payload
//!     16      8  generation: counts up with every save
//!     24      8  step
//!     32      8  length of the payload
//!     40      8  FNV-1a checksum of the bytes 8 to 40 and the payload
//!     48         payload (postcard, bit for bit)
//! ```

mod error;
mod file;

pub use error::CheckpointError;

use crate::results::temporary_name;
use file::{Damage, Header};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const NAMES: [&str; 2] = ["a.bin", "b.bin"];

/// The state before the first step, where no scene file tells it.
const START: &str = "start.bin";

/// The two checkpoints of a run.
///
/// ```
/// use granule_io::checkpoint::CheckpointStore;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let mut store = CheckpointStore::new(&folder.path().join("checkpoint"));
/// assert!(store.load_latest::<Vec<f64>>()?.is_none());
/// store.save(&vec![1.0, -0.0], 10)?;
/// store.save(&vec![2.0, 0.5], 20)?;
/// assert_eq!(store.load_latest::<Vec<f64>>()?, Some((vec![2.0, 0.5], 20)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CheckpointStore {
    folder: PathBuf,
    /// The slot and header of the newest checkpoint that is known to be whole; looked up on disk
    /// before the first save.
    newest: Option<(usize, Header)>,
}

impl CheckpointStore {
    /// The checkpoints in `folder`, which is made by the first save.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            newest: None,
        }
    }

    /// Forgets the checkpoints of an earlier run in the same folder, and its start.
    pub fn clear(&mut self) -> Result<(), CheckpointError> {
        self.newest = None;
        for name in NAMES.into_iter().chain([START]) {
            let path = self.folder.join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(CheckpointError::Read {
                        path,
                        source: error,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn path(&self, slot: usize) -> PathBuf {
        self.folder.join(NAMES[slot])
    }

    /// Saves `value` as the checkpoint of `step`; on return it is on the disk.
    ///
    /// The binary form is not self-describing: types with serde's `flatten`, `untagged` or
    /// `skip_serializing_if` cannot be read back.
    pub fn save<T: Serialize>(&mut self, value: &T, step: u64) -> Result<(), CheckpointError> {
        if self.newest.is_none() {
            self.newest = self.whole().max_by_key(|(_, header)| header.generation);
        }
        let (slot, generation) = match &self.newest {
            None => (0, 1),
            Some((slot, header)) => (1 - slot, header.generation + 1),
        };
        let header = self.put(&self.path(slot), value, generation, step)?;
        self.newest = Some((slot, header));
        Ok(())
    }

    /// Saves what a run starts from, beside the two checkpoints: it stays there until
    /// [`CheckpointStore::clear`].
    pub fn save_start<T: Serialize>(&self, value: &T) -> Result<(), CheckpointError> {
        self.put(&self.folder.join(START), value, 0, 0)?;
        Ok(())
    }

    /// Loads what [`CheckpointStore::save_start`] has saved; `None` if there is no such file.
    pub fn load_start<T: DeserializeOwned>(&self) -> Result<Option<T>, CheckpointError> {
        let path = self.folder.join(START);
        match read::<T>(&path) {
            Ok(found) => Ok(found.map(|(value, _)| value)),
            Err(damage) => Err(self.unusable(&[(path, damage)])),
        }
    }

    fn put<T: Serialize>(
        &self,
        path: &Path,
        value: &T,
        generation: u64,
        step: u64,
    ) -> Result<Header, CheckpointError> {
        let payload = postcard::to_stdvec(value).map_err(|source| CheckpointError::Encode {
            folder: self.folder.clone(),
            source,
        })?;
        let header = Header::new(generation, step, &payload);
        match self.write(path, &header, &payload) {
            Ok(()) => Ok(header),
            Err(source) => Err(CheckpointError::Write {
                path: path.to_owned(),
                source,
                folder: self.folder.clone(),
                last: self.newest.as_ref().map(|(_, header)| header.step),
            }),
        }
    }

    fn unusable(&self, damaged: &[(PathBuf, Damage)]) -> CheckpointError {
        CheckpointError::NoneWhole {
            folder: self.folder.clone(),
            damage: error::list(damaged),
        }
    }

    fn write(&self, path: &Path, header: &Header, payload: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let temporary = temporary_name(path);
        let written = File::create(&temporary).and_then(|mut file| {
            file.write_all(&header.to_bytes())?;
            file.write_all(payload)?;
            file.sync_all()
        });
        written
            .and_then(|()| fs::rename(&temporary, path))
            .inspect_err(|_| {
                let _ = fs::remove_file(&temporary);
            })?;
        // The rename itself; not every system lets a folder be synced, and the older generation
        // covers the case that it is lost.
        if let Ok(folder) = File::open(&self.folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// The slots and headers of the checkpoints that are whole.
    fn whole(&self) -> impl Iterator<Item = (usize, Header)> {
        (0..NAMES.len()).filter_map(|slot| {
            let bytes = fs::read(self.path(slot)).ok()?;
            Some((slot, file::open(&bytes).ok()?.0))
        })
    }

    /// Loads the newest checkpoint that is whole, and its step; `None` if there is no checkpoint.
    ///
    /// If neither generation can be read, the error says what is wrong with each.
    pub fn load_latest<T: DeserializeOwned>(
        &mut self,
    ) -> Result<Option<(T, u64)>, CheckpointError> {
        let best = self.load_newest::<T>(u64::MAX)?;
        Ok(best.map(|(value, slot, header)| {
            let step = header.step;
            self.newest = Some((slot, header));
            (value, step)
        }))
    }

    /// Loads the newest checkpoint that is whole and not later than a step, and its own step; `None`
    /// if there is none.
    pub fn load_until<T: DeserializeOwned>(
        &self,
        step: u64,
    ) -> Result<Option<(T, u64)>, CheckpointError> {
        let best = self.load_newest::<T>(step)?;
        Ok(best.map(|(value, _, header)| (value, header.step)))
    }

    /// The newest checkpoint that is whole and not later than a step.
    fn load_newest<T: DeserializeOwned>(
        &self,
        last: u64,
    ) -> Result<Option<(T, usize, Header)>, CheckpointError> {
        let mut damaged = Vec::new();
        let mut later = false;
        let mut best: Option<(T, usize, Header)> = None;
        for slot in 0..NAMES.len() {
            let path = self.path(slot);
            match read::<T>(&path) {
                Ok(None) => {}
                Err(damage) => damaged.push((path, damage)),
                Ok(Some((_, header))) if header.step > last => later = true,
                Ok(Some((value, header))) => {
                    if best
                        .as_ref()
                        .is_none_or(|(_, _, b)| b.generation < header.generation)
                    {
                        best = Some((value, slot, header));
                    }
                }
            }
        }
        if best.is_some() || later || damaged.is_empty() {
            return Ok(best);
        }
        Err(self.unusable(&damaged))
    }

    /// The steps of the checkpoints that are whole, in increasing order.
    pub fn steps(&self) -> Vec<u64> {
        let mut steps: Vec<u64> = self.whole().map(|(_, header)| header.step).collect();
        steps.sort_unstable();
        steps
    }
}

/// The value of a file and its header; `None` if there is no such file.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<(T, Header)>, Damage> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Damage::Unreadable(error)),
    };
    let (header, payload) = file::open(&bytes)?;
    Ok(Some((file::decode(payload)?, header)))
}
