//! The series of numbers of a run, and the list of its frames.
#![no_main]

use granule_io::results::{Collection, read_series};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<(PathBuf, tempfile::TempDir)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for the file");
    (folder.path().join("series.csv"), folder)
});

fuzz_target!(|bytes: &[u8]| {
    let path = &FILE.0;
    std::fs::write(path, bytes).expect("room for the file");
    match read_series(path) {
        Ok(series) => assert!(series.columns.iter().all(|c| c.len() == series.len())),
        Err(error) => drop(error.to_string()),
    }
    if let Err(error) = Collection::read(path) {
        let _ = error.to_string();
    }
});
