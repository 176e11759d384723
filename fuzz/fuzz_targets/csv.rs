//! A table of grains, read through scenes in one, two and three dimensions.
#![no_main]

use granule_io::scene::{Scene, parse};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

struct Scenes {
    table: PathBuf,
    scenes: Vec<Scene>,
    /// Keeps the folder.
    _folder: tempfile::TempDir,
}

static SCENES: LazyLock<Scenes> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for the table");
    let origin = folder.path().join("scene.toml");
    let scene = |dimension: usize| {
        let text = format!(
            "[scene]\nname = 'table'\ndimension = {dimension}\n[time]\nstep = 1e-3\nend = 1.0\n\
             [[grains]]\ncsv = {{ file = 'table.csv' }}\n"
        );
        parse(&text, &origin).expect("a scene that makes sense")
    };
    Scenes {
        table: folder.path().join("table.csv"),
        scenes: (1..=3).map(scene).collect(),
        _folder: folder,
    }
});

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(&SCENES.table, bytes).expect("room for the table");
    for scene in &SCENES.scenes {
        if let Err(error) = scene.build() {
            let _ = error.to_string();
        }
    }
});
