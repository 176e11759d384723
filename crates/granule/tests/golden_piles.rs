//! One cone complementarity problem of piles of spheres that do not turn: velocities, and the
//! iterations of projected Gauss-Jacobi and of the interior point (golden vectors of paper 001).

mod golden_files;

use golden_files::{Vector, load, numbers};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::problem::{ContactProblem, DelassusScratch};
use granule::scheme::Recovery;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::{Method, OnFailure, SolverConfig, Status, solver};
use serde_json::Value;

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap()
}

/// The pyramid of the vectors, as its inputs describe it in words.
fn pyramid(inputs: &Value) -> Vec<(DVec3, f64, DVec3)> {
    let layers = inputs["nb"].as_u64().unwrap() as usize;
    let size = 0.012;
    let mean = 1.15 * size;
    let mut spheres = Vec::new();
    for layer in 0..layers {
        let side = layers - layer;
        for i in 0..side {
            for j in 0..side {
                let k = spheres.len() as f64;
                let shift = 0.5 * layer as f64;
                let place = DVec3::new(
                    2.02 * mean * (i as f64 + shift) + 0.02 * size * (1.1 * k).sin(),
                    2.02 * mean * (j as f64 + shift) + 0.02 * size * (1.7 * k).cos(),
                    1.01 * mean + 1.45 * mean * layer as f64,
                );
                let radius = size * (1.0 + 0.15 * (2.399963 * k + 0.3).sin());
                let velocity = DVec3::new(0.2 * k.sin(), 0.2 * (2.0 * k).cos(), -1.0);
                spheres.push((place, radius, velocity));
            }
        }
    }
    spheres
}

/// A state given as lists.
fn state(inputs: &Value) -> Vec<(DVec3, f64, DVec3)> {
    let vectors = |key: &str| -> Vec<DVec3> {
        let list: Vec<[f64; 3]> = serde_json::from_value(inputs[key].clone()).unwrap();
        list.into_iter().map(DVec3::from).collect()
    };
    let radii = numbers(&inputs["r"]);
    let places = vectors("x").into_iter().zip(radii);
    let both = places.zip(vectors("v"));
    both.map(|((x, r), v)| (x, r, v)).collect()
}

fn simulation(inputs: &Value, spheres: &[(DVec3, f64, DVec3)], method: Method) -> Simulation {
    let mut world = World::new(Dimension::Space);
    world.gravity = -number(inputs, "g") * DVec3::Z;
    world.lock_rotation = true;
    let friction = Friction::sliding(number(inputs, "mu"));
    world.laws = LawTable::uniform(Law::CoulombConvex(friction));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    for (place, radius, velocity) in spheres {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let mut sphere = Sphere::new(*place, *radius, number(inputs, "density") * volume);
        sphere.velocity = *velocity;
        world.add_sphere(&sphere);
    }
    let step = number(inputs, "h");
    let mut settings = Settings::new(StepSize::Fixed(step), step);
    settings.scheme.recovery = Recovery::Velocity;
    settings.candidate_distance = Some(number(inputs, "contact_margin"));
    settings.solver.method = method;
    settings.solver.tolerance = 1e-8;
    settings.solver.on_failure = OnFailure::Warn;
    Simulation::new(world, settings).unwrap()
}

/// ‖γ - P(γ - u/W)‖/‖γ‖ and max_k W |γ - P(γ - u/W)|_k (m/s), W = 1/m_a + 1/m_b.
fn errors(problem: &ContactProblem, impulses: &[f64]) -> (f64, f64) {
    let mut w = vec![0.0; problem.len()];
    let scratch = &mut DelassusScratch::default();
    problem.delassus.apply(impulses, scratch, &mut w);
    let (mut error, mut size, mut worst) = (0.0, 0.0, 0.0f64);
    for k in 0..problem.contact_count() {
        let ease = problem.delassus.metric(k).normal;
        let vector = |values: &[f64]| DVec3::from_slice(&values[3 * k..]);
        let (g, u) = (vector(impulses), vector(&w) + vector(&problem.bias));
        let normal = problem.delassus.normal(k);
        let left = g - problem.sets.get(k).project(g - u / ease, normal);
        error += left.length_squared();
        size += g.length_squared();
        worst = worst.max(ease * left.length());
    }
    ((error / size).sqrt(), worst)
}

/// The errors after so many iterations of Gauss-Jacobi with ω = 0.3 from zero.
fn after(problem: &ContactProblem, iterations: usize) -> (f64, f64) {
    let mut impulses = vec![0.0; problem.len()];
    let config = SolverConfig {
        method: Method::Pgj,
        tolerance: 1e-15,
        max_iterations: iterations,
        ..SolverConfig::default()
    };
    if iterations > 0 {
        solver(&config).solve(problem, &mut impulses);
    }
    errors(problem, &impulses)
}

fn compare(id: &str, spheres: impl Fn(&Value) -> Vec<(DVec3, f64, DVec3)>, apart: f64) {
    let Vector {
        inputs, outputs, ..
    } = load("g001_kleinert.json", id);
    let spheres = spheres(&inputs);
    let expected: Vec<[f64; 3]> = serde_json::from_value(outputs["v_new"].clone()).unwrap();
    for method in [Method::Ipm, Method::IpmMf, Method::Ags] {
        let mut simulation = simulation(&inputs, &spheres, method);
        let report = simulation.step().unwrap();
        assert_eq!(
            report.contacts as u64,
            outputs["n_contacts"].as_u64().unwrap()
        );
        assert!(report.certified, "{}: {report:?}", method.name());
        let world = simulation.world();
        let bodies = &world.bodies;
        for (place, expected) in bodies.places().into_iter().zip(&expected) {
            let v = bodies.velocity[place as usize];
            let apart_by = (v - DVec3::from(*expected)).length();
            assert!(apart_by < apart, "{id}, {}: {apart_by}", method.name());
        }
    }
    let mut simulation = simulation(&inputs, &spheres, Method::Ags);
    simulation.step().unwrap();
    let (problem, _) = simulation.problem();
    for (key, part) in [
        ("pgj_iterations_omega0_3", 0),
        ("pgj_rel2", 0),
        ("pgj_maxvel", 1),
    ] {
        let Some(counts) = outputs[key].as_object() else {
            continue;
        };
        for (tolerance, count) in counts {
            let tolerance: f64 = tolerance.parse().unwrap();
            let count = count.as_u64().unwrap() as usize;
            let error = |iterations: usize| {
                let (relative, worst) = after(problem, iterations);
                if part == 0 { relative } else { worst }
            };
            assert!(error(count + 2) <= tolerance, "{id}, {key}, {tolerance:e}");
            if count > 2 {
                assert!(error(count - 3) > tolerance, "{id}, {key}, {tolerance:e}");
            }
        }
    }
    // The printed way of solving the linear systems takes as many products as a prototype, within a
    // factor of two, or fewer.
    for (key, relative) in [
        ("ipm_krylov", true),
        ("ipm_krylov_rel2", true),
        ("ipm_krylov_maxvel", false),
    ] {
        let Some(counts) = outputs[key].as_object() else {
            continue;
        };
        for (tolerance, count) in counts {
            let bound: f64 = tolerance.parse().unwrap();
            let config = SolverConfig {
                method: Method::IpmMf,
                tolerance: if relative { bound } else { 1.0 - 1e-9 },
                max_residual: (!relative).then_some(bound),
                ..SolverConfig::default()
            };
            let mut impulses = vec![0.0; problem.len()];
            let report = solver(&config).solve(problem, &mut impulses);
            assert_eq!(report.status, Status::Converged, "{id}, {key}, {tolerance}");
            let most = 2 * count.as_u64().unwrap() as usize;
            assert!(
                report.applications <= most,
                "{id}, {key}, {tolerance}: {} products, more than {most}",
                report.applications
            );
        }
    }
}

#[test]
fn a_pyramid_of_three_layers() {
    compare("001-ccp-pyr3-mu0.25", pyramid, 1e-6);
}

#[test]
fn a_pyramid_of_four_layers() {
    compare("001-ccp-pyr4-mu0.5", pyramid, 1e-6);
}

#[test]
fn a_settled_pile() {
    compare("001-settled-pile-A", state, 1e-5);
}
