//! Points and their data in VTK's XML.
#![no_main]

use granule_io::results::read_points;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<(PathBuf, tempfile::TempDir)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for the file");
    (folder.path().join("points.vtp"), folder)
});

fuzz_target!(|bytes: &[u8]| {
    let path = &FILE.0;
    std::fs::write(path, bytes).expect("room for the file");
    match read_points(path) {
        Ok(cloud) => {
            let whole = |(components, values): &(usize, Vec<f64>)| {
                values.len() == components * cloud.points.len()
            };
            assert!(cloud.arrays.values().all(whole));
        }
        Err(error) => drop(error.to_string()),
    }
});
