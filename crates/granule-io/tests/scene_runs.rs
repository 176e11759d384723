//! The example scenes run, and end where they should.

use granule::simulation::Simulation;
use granule_io::scene::{self, Setup};
use std::path::{Path, PathBuf};

fn scenes_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn setup(path: &Path) -> Setup {
    scene::load(path)
        .and_then(|scene| scene.build())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn run(setup: Setup) -> Simulation {
    let mut simulation = Simulation::new(setup.world, setup.settings).unwrap();
    while !simulation.finished() {
        simulation.step().unwrap();
    }
    simulation
}

#[test]
fn sticky_particles_end_together_whatever_the_step() {
    let simulation = run(setup(&scenes_folder().join("sticky_1d.toml")));
    let bodies = &simulation.world().bodies;
    for k in 0..bodies.len() {
        assert!((bodies.position[k].x - 0.8028572904143143).abs() < 1e-9);
        assert!((bodies.velocity[k].x - 0.10095243013810476).abs() < 1e-9);
    }
}

/// Prints what each example costs: `cargo test --test scene_runs -- --ignored --nocapture`.
#[test]
#[ignore = "takes a few minutes; for choosing sizes and steps of the examples"]
fn every_example_runs_to_its_end() {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(scenes_folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    paths.sort();
    for path in paths {
        let setup = setup(&path);
        let (name, bodies) = (setup.name.clone(), setup.world.bodies.len());
        let start = std::time::Instant::now();
        let mut simulation = Simulation::new(setup.world, setup.settings).unwrap();
        let (mut contacts, mut iterations, mut failed, mut deepest) = (0, 0, 0, 0.0_f64);
        while !simulation.finished() {
            let report = simulation.step().unwrap();
            contacts = report.active;
            iterations += report.iterations;
            failed += usize::from(!report.certified);
            deepest = deepest.max(report.recovered);
        }
        let world = simulation.world();
        let heights = world.bodies.position.iter().map(|p| p.z);
        println!(
            "{name}: {bodies} bodies, {} steps, {contacts} active at the end, {iterations} \
             iterations, {failed} steps not certified, recovered {deepest:.1e} m, z from {:.3} to \
             {:.3}, {:.1} s",
            world.steps,
            heights.clone().fold(f64::INFINITY, f64::min),
            heights.fold(f64::NEG_INFINITY, f64::max),
            start.elapsed().as_secs_f64()
        );
    }
}
