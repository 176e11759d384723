//! A scene as text: read, checked, written again and, if it is small, built and set up.
#![no_main]

use granule::simulation::Simulation;
use granule_io::scene::{Scene, parse};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

/// Most grains that are placed.
const MOST: u64 = 60;

/// Whether building reads no files, which may be anywhere, and makes few bodies.
fn is_small(scene: &Scene) -> bool {
    let sections = scene.sections();
    let walls = sections.walls.iter().any(|wall| wall.mesh.is_some());
    let bodies = sections.bodies.iter().any(|body| body.mesh.is_some());
    let shapes = sections.grains.iter().filter_map(|grains| grains.shape.as_ref());
    if walls || bodies || shapes.into_iter().any(|shape| shape.mesh.is_some()) {
        return false;
    }
    let counts = sections.grains.iter().map(|grains| {
        let random = grains.random.as_ref().map(|random| u64::from(random.count));
        let grid = grains.grid.as_ref().map(|grid| {
            let counts = grid.counts.iter().map(|n| u64::from(*n));
            counts.fold(1, u64::saturating_mul)
        });
        random.or(grid)
    });
    let total = counts.fold(Some(0), |sum, count| Some(count? + sum?));
    total.is_some_and(|total: u64| total <= MOST)
}

fuzz_target!(|text: &str| {
    let origin = Path::new("no such folder/scene.toml");
    let scene = match parse(text, origin) {
        Ok(scene) => scene,
        Err(error) => {
            let _ = error.to_string();
            return;
        }
    };
    // What is written can be read again, and says the same.
    let written = scene.to_toml().expect("text has only Unicode");
    let again = parse(&written, origin).expect("a scene that was written");
    assert_eq!(again.to_toml().expect("as before"), written);
    if is_small(&scene)
        && let Ok(setup) = scene.build()
    {
        let _ = setup.describe();
        let _ = Simulation::new(setup.world, setup.settings);
    }
});
