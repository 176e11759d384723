//! Ctrl-C and SIGTERM: a command stops where what it has can be used, and a second time at once.

use crate::failure::Failure;
use granule::solver::Watch;
use std::ops::ControlFlow;
use std::sync::LazyLock;

/// Stopped when the command is asked to stop.
static WATCH: LazyLock<Watch> = LazyLock::new(Watch::default);

/// Takes signals from now on; a second one ends the program. What is given is to be set as the watch of simulations, so
/// that they stop within a step.
pub fn watch() -> Result<Watch, Failure> {
    let handler = ctrlc::set_handler(|| {
        if WATCH.is_stopped() {
            std::process::exit(130);
        }
        WATCH.stop();
    });
    handler.map_err(|error| Failure::Run(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(seen())
}

/// What simulations are to be watched by.
pub fn seen() -> Watch {
    WATCH.clone()
}

/// Whether to go on.
pub fn flow() -> ControlFlow<()> {
    match WATCH.is_stopped() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}
