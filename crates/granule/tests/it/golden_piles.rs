//! One cone complementarity problem of piles of spheres that do not turn: velocities, and the
//! iterations of projected Gauss-Jacobi and of the interior point (golden vectors of paper 001).

use crate::golden_files::{Vector, load, numbers};
use granule::math::DVec3;
use granule::problem::{
    BodySpace, ContactGeometry, ContactProblem, Delassus, DelassusScratch, Lever, MatrixFree, Sets,
};
use granule::solver::{Method, SolverConfig, Status, solver};
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

/// The problem over pairs nearer than the margin, with the velocities without contacts; the floor is the
/// plane z = 0. A step of the engine would take more pairs: those that can meet in it.
struct Pile {
    problem: ContactProblem,
    masses: Vec<f64>,
    free: Vec<DVec3>,
}

impl Pile {
    fn new(inputs: &Value, spheres: &[(DVec3, f64, DVec3)]) -> Self {
        let (step, margin) = (number(inputs, "h"), number(inputs, "contact_margin"));
        let density = number(inputs, "density");
        let mass = |r: f64| density * 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
        let masses: Vec<f64> = spheres.iter().map(|(_, r, _)| mass(*r)).collect();
        let fall = -number(inputs, "g") * step * DVec3::Z;
        let free: Vec<DVec3> = spheres.iter().map(|(_, _, v)| *v + fall).collect();
        let ground = spheres.len() as u32;
        let (mut contacts, mut bias) = (Vec::new(), Vec::new());
        let mut add = |a: usize, b: u32, normal: DVec3, gap: f64, velocity: DVec3| {
            if gap < margin {
                let a = a as u32;
                contacts.push(ContactGeometry { normal, a, b });
                bias.extend((velocity + gap / step * normal).to_array());
            }
        };
        for (a, (x, r, _)) in spheres.iter().enumerate() {
            add(a, ground, DVec3::Z, x.z - r, free[a]);
            for (b, (y, s, _)) in spheres.iter().enumerate().skip(a + 1) {
                let apart = (*x - *y).length();
                let normal = (*x - *y) / apart;
                add(a, b as u32, normal, apart - r - s, free[a] - free[b]);
            }
        }
        let count = contacts.len();
        let space = BodySpace {
            rows: 3,
            inverse_mass: masses.iter().map(|m| 1.0 / m).chain([0.0]).collect(),
            lever: Lever::None,
            contacts,
            ..BodySpace::default()
        };
        let mut problem = ContactProblem::explicit(MatrixFree::new(space).unwrap(), bias).unwrap();
        problem.step = step;
        problem.sets = Sets::uniform_cone(number(inputs, "mu"), count);
        Self {
            problem,
            masses,
            free,
        }
    }

    /// v_free + M⁻¹ D λ.
    fn velocities(&self, impulses: &[f64]) -> Vec<DVec3> {
        let mut v = self.free.clone();
        let Delassus::MatrixFree(operator) = &self.problem.delassus else {
            unreachable!("made so");
        };
        for (contact, f) in operator.space().contacts.iter().zip(impulses.chunks(3)) {
            let (a, b) = (contact.a as usize, contact.b as usize);
            v[a] += DVec3::from_slice(f) / self.masses[a];
            if b < v.len() {
                v[b] -= DVec3::from_slice(f) / self.masses[b];
            }
        }
        v
    }
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
        let left = g - problem.set(k).project(g - u / ease, normal);
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
        tolerance: 1e-15,
        max_iterations: iterations,
        ..SolverConfig::named(Method::Pgj)
    };
    if iterations > 0 {
        solver(&config).solve(problem, &mut impulses, &config.ask());
    }
    errors(problem, &impulses)
}

fn compare(id: &str, spheres: impl Fn(&Value) -> Vec<(DVec3, f64, DVec3)>, apart: f64) {
    let Vector {
        inputs, outputs, ..
    } = load("g001_kleinert.json", id);
    let pile = Pile::new(&inputs, &spheres(&inputs));
    let problem = &pile.problem;
    assert_eq!(
        problem.contact_count() as u64,
        outputs["n_contacts"].as_u64().unwrap()
    );
    let expected: Vec<[f64; 3]> = serde_json::from_value(outputs["v_new"].clone()).unwrap();
    for method in [Method::Ipm, Method::IpmMf, Method::Ags] {
        let config = SolverConfig {
            tolerance: 1e-8,
            ..SolverConfig::named(method)
        };
        let mut impulses = vec![0.0; problem.len()];
        let report = solver(&config).solve(problem, &mut impulses, &config.ask());
        assert_eq!(report.status, Status::Converged, "{id}: {report:?}");
        for (v, expected) in pile.velocities(&impulses).iter().zip(&expected) {
            let apart_by = (*v - DVec3::from(*expected)).length();
            assert!(apart_by < apart, "{id}, {}: {apart_by}", method.name());
        }
    }
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
    // Newton's method by itself: sweeps, which finish what it leaves, would be many more.
    for method in [Method::Ipm, Method::IpmMf] {
        let config = SolverConfig {
            tolerance: 1e-6,
            ..SolverConfig::named(method)
        };
        let report = solver(&config).solve(problem, &mut vec![0.0; problem.len()], &config.ask());
        let count = report.iterations;
        assert!(count <= 40, "{id}, {}: {count} iterations", method.name());
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
                tolerance: if relative { bound } else { 1.0 - 1e-9 },
                max_residual: (!relative).then_some(bound),
                ..SolverConfig::named(Method::IpmMf)
            };
            let mut impulses = vec![0.0; problem.len()];
            let report = solver(&config).solve(problem, &mut impulses, &config.ask());
            assert_eq!(report.status, Status::Converged, "{id}, {key}, {tolerance}");
            let most = 2 * count.as_u64().unwrap() as usize;
            // Without the certificate and N x of each iteration, and those at the start.
            let krylov = report.applications - 2 * report.iterations - 3;
            assert!(
                krylov <= most,
                "{id}, {key}, {tolerance}: {krylov} products, more than {most}"
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
