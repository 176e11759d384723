//! SHAKE and RATTLE give the golden numbers of paper 001: how an impact is shared between steps.

use crate::golden_files::{Vector, load, numbers};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::math::DVec3;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepReport, StepSize, World};
use serde_json::Value;

/// A mass of 1 kg at q = 1 m above a floor, with the given velocity and gravity.
fn falling(velocity: f64, gravity: f64) -> World {
    let radius = 0.1;
    let mut world = World::new(Dimension::Space);
    world.gravity = -gravity * DVec3::Z;
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mut sphere = Sphere::new((1.0 + radius) * DVec3::Z, radius, 1.0);
    sphere.velocity = velocity * DVec3::Z;
    world.add_sphere(&sphere);
    world
}

/// The reports of all steps to the end, and the heights after them.
fn run(world: World, scheme: SchemeName, step: f64, end: f64) -> (Vec<StepReport>, Vec<f64>) {
    let mut settings = Settings::new(StepSize::Fixed(step), end);
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver.tolerance = 1e-13;
    let mut simulation = Simulation::new(world, settings).unwrap();
    let (mut reports, mut heights) = (Vec::new(), Vec::new());
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
        let contacts: f64 = simulation.contacts().map(|c| c.normal_impulse()).sum();
        assert!((contacts - report.normal_impulse).abs() < 1e-14);
        reports.push(report);
        heights.push(simulation.world().bodies.position[0].z);
    }
    (reports, heights)
}

/// Compares lists of steps (from 0) and numbers with golden ones.
fn compare(found: &[(u64, f64)], steps: &Value, values: &Value, tolerance: f64, what: &str) {
    let (steps, values) = (numbers(steps), numbers(values));
    assert_eq!(found.len(), values.len(), "{what}: {found:?}");
    for ((step, value), (want_step, want)) in found.iter().zip(steps.iter().zip(&values)) {
        assert_eq!(*step as f64, *want_step, "{what}");
        assert!(
            (value - want).abs() <= tolerance,
            "{what}: {value} for {want}"
        );
    }
}

#[test]
fn shake_shares_an_impact_between_two_steps_and_rattle_has_it_in_one() {
    let golden = load("g001_kleinert.json", "001-shake-rattle");
    let tolerance = golden.tolerance["abs"].as_f64().unwrap();
    let rows = golden.outputs["rows"].as_array().unwrap();
    assert_eq!(numbers(&golden.inputs["h"]).len(), rows.len());
    for row in rows {
        let step = row["h"].as_f64().unwrap();
        let what = format!("h = {step}");
        let (shake, low) = run(falling(-1.0, 0.0), SchemeName::Shake, step, 1.5);
        let (rattle, high) = run(falling(-1.0, 0.0), SchemeName::Rattle, step, 1.5);
        let hit = |reports: &[StepReport], part: fn(&StepReport) -> f64| -> Vec<(u64, f64)> {
            let struck = reports.iter().filter(|r| r.normal_impulse > tolerance);
            struck.map(|r| (r.step - 1, part(r))).collect()
        };
        let total: fn(&StepReport) -> f64 = |r| r.normal_impulse;
        let [steps, impulses] = ["shake_steps", "shake_impulses"].map(|key| &row[key]);
        compare(&hit(&shake, total), steps, impulses, tolerance, &what);
        let sum: f64 = shake.iter().map(total).sum();
        assert!((sum - row["shake_sum"].as_f64().unwrap()).abs() <= tolerance);
        let first: fn(&StepReport) -> f64 = |r| r.normal_impulse - r.normal_impulse_at_end;
        let second: fn(&StepReport) -> f64 = |r| r.normal_impulse_at_end;
        for (key, part) in [
            ("rattle_total", total),
            ("rattle_l", first),
            ("rattle_r", second),
        ] {
            let found = hit(&rattle, part);
            compare(&found, &row["rattle_steps"], &row[key], tolerance, &what);
        }
        let apart = low.iter().zip(&high).map(|(a, b)| (a - b).abs());
        let largest = apart.fold(0.0, f64::max);
        assert!((largest - row["max_pos_diff"].as_f64().unwrap()).abs() <= tolerance);
    }
}

#[test]
fn the_largest_impulse_of_a_dropped_ball_converges_with_rattle_alone() {
    let Vector {
        inputs,
        outputs,
        tolerance,
    } = load("g001_kleinert.json", "001-rattle-gravity");
    let tolerance = tolerance["abs"].as_f64().unwrap();
    let (gravity, end) = (inputs["g"].as_f64().unwrap(), inputs["T"].as_f64().unwrap());
    let limit = outputs["limit"].as_f64().unwrap();
    assert!((limit - (2.0 * gravity).sqrt()).abs() <= tolerance);
    let steps = numbers(&inputs["h"]);
    for (scheme, key) in [
        (SchemeName::Shake, "shake_max"),
        (SchemeName::Rattle, "rattle_max"),
    ] {
        for (step, want) in steps.iter().zip(numbers(&outputs[key])) {
            let (reports, _) = run(falling(0.0, gravity), scheme, *step, end);
            let largest = reports.iter().map(|r| r.normal_impulse).fold(0.0, f64::max);
            assert!(
                (largest - want).abs() <= tolerance,
                "{key}: {largest} for {want}"
            );
        }
    }
}
