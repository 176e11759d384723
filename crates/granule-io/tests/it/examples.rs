//! The scenes that come with the program.

use granule_io::scene::{self, Change, Scene, SceneError};
use std::path::{Path, PathBuf};

/// The scene files, sorted.
pub fn paths() -> Vec<PathBuf> {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let entries = std::fs::read_dir(scenes).unwrap();
    let mut paths: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    paths.sort();
    paths
}

/// One of them; of the million spheres a few.
pub fn load(path: &Path) -> Result<Scene, SceneError> {
    let few: Change = "grains.0.grid.counts=[6, 6, 6]".parse().unwrap();
    match path.ends_with("million.toml") {
        true => scene::load_with(path, &[few]),
        false => scene::load(path),
    }
}
