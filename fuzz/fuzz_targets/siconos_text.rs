//! A contact problem in Siconos' text: read, written, read again, and brought to the engine.
#![no_main]

use granule::law::Flow;
use granule_io::fclib::{read_text, write_text};
use libfuzzer_sys::fuzz_target;

/// Most rows of a problem that is condensed.
const MOST: usize = 60;

fuzz_target!(|text: &str| {
    let file = match read_text(text) {
        Ok(file) => file,
        Err(flaw) => {
            let _ = flaw.to_string();
            return;
        }
    };
    if let Ok(written) = write_text(&file) {
        read_text(&written).expect("a problem that was written");
    }
    if file.row_count() + file.freedom_count() <= MOST {
        let _ = file.engine_problem(Flow::Exact);
    }
});
