//! The example scenes run, and end where they should.

use crate::extent::extent;
use granule::simulation::Simulation;
use granule_io::scene::{self, Setup};
use std::path::{Path, PathBuf};

fn scenes_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn setup(path: &Path) -> Setup {
    crate::examples::load(path)
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

#[test]
fn the_ball_comes_to_rest_and_the_last_ball_of_the_cradle_leaves() {
    let simulation = run(setup(&scenes_folder().join("bouncing_ball.toml")));
    let bodies = &simulation.world().bodies;
    // At rest on the floor, but for what a step of gravity makes of it and what is not recovered.
    assert!(bodies.velocity[0].length() < 1e-2, "{}", bodies.velocity[0]);
    let gap = bodies.position[0].z - 0.1;
    assert!(gap.abs() < 3e-5, "{gap}");

    let simulation = run(setup(&scenes_folder().join("newtons_cradle.toml")));
    let speeds = simulation.world().bodies.velocity.iter().map(|v| v.x);
    for (speed, exact) in speeds.zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
        assert!((speed - exact).abs() < 1e-9, "{speed} for {exact}");
    }
}

#[test]
fn the_disk_slides_and_turns_as_it_must() {
    let simulation = run(setup(&scenes_folder().join("disk_on_incline.toml")));
    let bodies = &simulation.world().bodies;
    let (time, friction) = (simulation.world().time, 0.1);
    let (sine, cosine) = (30f64.to_radians().sin(), 30f64.to_radians().cos());
    // [bloch2023, appendix B]: the impulse of the plane is that of the weight, sliding at the limit.
    let speed = (sine - friction * cosine) * time;
    let (down, normal) = (
        bodies.velocity[0].x * cosine - bodies.velocity[0].y * sine,
        bodies.velocity[0].x * sine + bodies.velocity[0].y * cosine,
    );
    assert!((down - speed).abs() < 1e-3, "{down} for {speed}");
    assert!(normal.abs() < 1e-3, "{normal}");
    let spin = -2.0 * friction * cosine * time;
    let found = bodies.angular_velocity[0].z;
    assert!((found - spin).abs() < 1e-3, "{found} for {spin}");
}

#[test]
fn the_pyramid_stands_with_enough_friction_and_falls_with_less() {
    let text = std::fs::read_to_string(scenes_folder().join("four_sphere_pyramid.toml")).unwrap();
    let drop = |text: &str| {
        let scene = scene::parse(text, Path::new("pyramid.toml")).unwrap();
        let simulation = run(scene.build().unwrap());
        let bodies = &simulation.world().bodies;
        let top = bodies.position.iter().map(|p| p.z);
        0.1316496580927726 - top.fold(0.0, f64::max)
    };
    let stands = drop(&text);
    assert!(stands.abs() < 1e-5, "{stands}");
    // Thresholds: 0.317837 between the balls, 0.079459 on the floor.
    for (from, to) in [("= 0.35", "= 0.31"), ("= 0.1 ", "= 0.075 ")] {
        assert!(text.contains(from));
        let falls = drop(&text.replace(from, to));
        assert!(falls > 1e-3, "{falls} with {to}");
    }
}

#[test]
fn no_example_is_warned_of() {
    for path in &crate::examples::paths() {
        let scene = crate::examples::load(path).unwrap();
        let setup = scene.build().unwrap();
        let found: Vec<String> = (scene.judge(&setup).iter().map(ToString::to_string))
            .chain(setup.warnings())
            .collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
}

#[test]
fn every_example_takes_certified_steps() {
    for path in &crate::examples::paths() {
        let setup = setup(path);
        let name = setup.name.clone();
        let mut simulation = Simulation::new(setup.world, setup.settings).unwrap();
        for _ in 0..extent(15, 40) {
            if simulation.finished() {
                break;
            }
            let report = simulation.step().unwrap();
            assert!(report.certified, "{name}: {report:?}");
        }
    }
}

/// Prints what each example costs: `cargo test -p granule-io --test it every_example_runs -- --ignored --nocapture`.
#[test]
#[ignore = "takes a few minutes; for choosing sizes and steps of the examples"]
fn every_example_runs_to_its_end() {
    for path in &crate::examples::paths() {
        let setup = setup(path);
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
