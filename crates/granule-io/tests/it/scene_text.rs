//! Scenes that are given as text: built, and run in parts.

use granule_io::run::Run;
use granule_io::scene::{self, Setup};
use std::ops::ControlFlow;
use std::path::Path;

/// What a scene becomes, or the message that says why not.
pub fn built(text: &str) -> Result<Setup, String> {
    let scene = scene::parse(text, Path::new("scene.toml"));
    scene
        .and_then(|scene| scene.build())
        .map_err(|error| error.to_string())
}

/// Runs a scene in a folder until so many steps are made, from the start or where it stopped.
pub fn run_until(folder: &Path, text: &str, resume: bool, steps: u64) {
    let setup = built(text).unwrap();
    let run = match resume {
        true => Run::resume(folder, setup).unwrap().unwrap(),
        false => Run::create(folder, setup).unwrap(),
    };
    run.to_end(|simulation, _| match simulation.world().steps >= steps {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    })
    .unwrap();
}
