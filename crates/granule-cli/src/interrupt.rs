//! Ctrl-C: a command stops where what it has can be used, and a second time at once.

use crate::failure::Failure;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set when the command is asked to stop.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Takes signals from now on; a second one ends the program.
pub fn watch() -> Result<(), Failure> {
    let handler = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    handler.map_err(|error| Failure::Run(format!("cannot watch for Ctrl-C: {error}")))
}

/// Whether to go on.
pub fn flow() -> ControlFlow<()> {
    match ASKED.load(Ordering::SeqCst) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}
