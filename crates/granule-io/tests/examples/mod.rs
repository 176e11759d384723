//! The scenes that come with the program, in a folder of their own.

use granule_io::results::{BodyFrame, Bounds, ContactFrame, FrameWriter};
use granule_io::scene;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A copy of all scenes; the run that `blade` goes on from is there too, with its first frame.
pub struct Examples {
    /// The scene files, sorted.
    pub paths: Vec<PathBuf>,
    /// Removed when it is dropped.
    _folder: TempDir,
}

impl Examples {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let copies = folder.path().join("scenes");
        std::fs::create_dir(&copies).unwrap();
        let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(scenes).unwrap() {
            let from = entry.unwrap().path();
            let to = copies.join(from.file_name().unwrap());
            std::fs::copy(&from, &to).unwrap();
            if to.extension().is_some_and(|extension| extension == "toml") {
                paths.push(to);
            }
        }
        paths.sort();
        let trench = scene::load(&copies.join("trench.toml")).unwrap();
        let bodies = trench.build().unwrap().world.bodies;
        let run = folder.path().join("runs/trench");
        let mut frames = FrameWriter::create(&run, Bounds::default()).unwrap();
        let frame = BodyFrame::of(&bodies);
        frames
            .write(0.0, &frame, &ContactFrame::default(), &[])
            .unwrap();
        Self {
            paths,
            _folder: folder,
        }
    }
}
