//! Tests that need what is not here say so, and `./test` repeats it at its end.

use std::fs::OpenOptions;
use std::io::Write;

/// Notes that the test that calls this is skipped, and why.
pub fn skip(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Not by `eprintln`, which is shown for tests that fail only.
    let mut errors = std::io::stderr();
    writeln!(errors, "skipped: {test}: {why}").unwrap();
    if let Some(list) = std::env::var_os("GRANULE_SKIPPED") {
        let mut list = OpenOptions::new()
            .create(true)
            .append(true)
            .open(list)
            .unwrap();
        writeln!(list, "{test}: {why}").unwrap();
    }
}
