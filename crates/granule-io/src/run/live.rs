//! A run that is going on, as others see it: what it tells of itself, and what they ask of it.
//!
//! While a [`super::Run`] is there it holds a lock on `live.json` of its folder, in which it says how far it is. The
//! system takes the lock away when the program ends, however it ends, so a run that was killed never looks alive.
//! Who wants something of it writes a word into `control`: `pause` or `stop`; without the file it goes on.

use super::{RunError, RunFolder};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often a run looks for what is asked of it.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often it says how far it is.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// Who looks whether a run is alive holds the lock for a moment; so long a run that starts waits for that.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a run that is going on tells of itself: `live.json`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// Whether it waits because it was asked to.
    pub paused: bool,
    /// Steps taken.
    pub step: u64,
    /// Where it is, s.
    pub time: f64,
    /// Where it began, s.
    pub start: f64,
    /// Where it will end, s.
    pub end: f64,
}

/// What is asked of a run that is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wish {
    /// To go on.
    #[default]
    GoOn,
    /// To wait until it is asked to go on.
    Pause,
    /// To end as after Ctrl-C: results are kept, and the run can be resumed.
    Stop,
}

impl RunFolder {
    fn live_file(&self) -> PathBuf {
        self.path().join("live.json")
    }

    fn control_file(&self) -> PathBuf {
        self.path().join("control")
    }

    /// How far the run is that is going on in the folder; `None` if none is.
    pub fn live(&self) -> Option<Live> {
        // A file that is being written is whole a moment later.
        (0..5).find_map(|attempt| {
            if attempt > 0 {
                sleep(Duration::from_millis(1));
            }
            let mut file = File::open(self.live_file()).ok()?;
            let TryLockError::WouldBlock = file.try_lock_shared().err()? else {
                return None;
            };
            let mut text = String::new();
            file.read_to_string(&mut text).ok()?;
            serde_json::from_str(&text).ok()
        })
    }

    /// Asks something of the run that is going on in the folder; it does it after the step that it is in.
    pub fn ask(&self, wish: Wish) -> io::Result<()> {
        let word = match wish {
            Wish::GoOn => {
                return match std::fs::remove_file(self.control_file()) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                };
            }
            Wish::Pause => "pause\n",
            Wish::Stop => "stop\n",
        };
        std::fs::write(self.control_file(), word)
    }

    fn wish(&self) -> Wish {
        match std::fs::read_to_string(self.control_file()).as_deref() {
            Ok("pause\n" | "pause") => Wish::Pause,
            Ok("stop\n" | "stop") => Wish::Stop,
            _ => Wish::GoOn,
        }
    }
}

/// The side of the run: holds the lock, says how far it is, and looks for what is asked.
pub(super) struct Beacon {
    folder: RunFolder,
    /// `None` where the file system has no locks: nobody sees the run then, and nobody can ask for anything.
    file: Option<File>,
    told: Option<Instant>,
    looked: Instant,
}

impl Beacon {
    /// For a run in this folder; an error if another program runs in it.
    pub(super) fn light(folder: &RunFolder) -> Result<Self, RunError> {
        let began = Instant::now();
        let opened = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.live_file());
        let mut file = opened.ok();
        while let Some(held) = &file {
            match held.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => sleep(LOOK_EVERY),
                Err(TryLockError::WouldBlock) => {
                    let folder = folder.path().to_owned();
                    return Err(RunError::Busy { folder });
                }
                Err(TryLockError::Error(_)) => file = None,
            }
        }
        // What was asked of an earlier run is not asked of this one.
        let _ = folder.ask(Wish::GoOn);
        Ok(Self {
            folder: folder.clone(),
            file,
            told: None,
            looked: began,
        })
    }

    /// Says how far the run is. It is no result, so that it cannot be said is no error.
    pub(super) fn tell(&mut self, live: &Live) {
        let due = |told: Instant| told.elapsed() >= TELL_EVERY;
        if live.paused || self.told.is_none_or(due) {
            self.told = (!live.paused).then(Instant::now);
            if let (Some(file), Ok(text)) = (&mut self.file, serde_json::to_vec(live)) {
                let _ = file
                    .rewind()
                    .and_then(|()| file.write_all(&text))
                    .and_then(|()| file.set_len(text.len() as u64));
            }
        }
    }

    /// What is asked of the run, if it is time to look.
    pub(super) fn look(&mut self) -> Wish {
        if self.file.is_none() || self.looked.elapsed() < LOOK_EVERY {
            return Wish::GoOn;
        }
        self.looked = Instant::now();
        self.folder.wish()
    }

    /// What is asked of the run after a while, for one that waits.
    pub(super) fn wait(&self) -> Wish {
        sleep(LOOK_EVERY);
        self.folder.wish()
    }
}

impl Drop for Beacon {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = std::fs::remove_file(self.folder.live_file());
            let _ = self.folder.ask(Wish::GoOn);
        }
    }
}
