//! Spectral projected gradients find the minimum of a reference in about the iterations of an independent prototype
//! (golden vectors of paper 003).

use crate::golden_files::{Vector, load, numbers};
use granule::problem::{Assembled, ContactProblem, Sets};
use granule::solver::{Method, SolverConfig, Status, solver};

/// N = A Aᵀ/n + ε 1 with A_ij = sin(1.3 i + 0.7 j + 0.11 i j).
fn matrix(size: usize, added: f64) -> Vec<Vec<f64>> {
    let a = |i: usize, j: usize| {
        let (i, j) = (i as f64, j as f64);
        (1.3 * i + 0.7 * j + 0.11 * i * j).sin()
    };
    let entry = |i: usize, j: usize| {
        let product: f64 = (0..size).map(|l| a(i, l) * a(j, l)).sum();
        product / size as f64 + if i == j { added } else { 0.0 }
    };
    (0..size)
        .map(|i| (0..size).map(|j| entry(i, j)).collect())
        .collect()
}

#[test]
fn minima_over_cones_are_those_of_the_reference() {
    for id in ["003-spg-nc4", "003-spg-nc1"] {
        let Vector {
            inputs,
            outputs,
            tolerance,
        } = load("g003_tasora.json", id);
        let number = |value: &serde_json::Value, key: &str| value[key].as_f64().unwrap();
        let contacts = inputs["nc"].as_u64().unwrap() as usize;
        let size = 3 * contacts;
        let matrix = matrix(size, number(&inputs, "eps"));
        let bias: Vec<f64> = (0..size)
            .map(|i| {
                let normal = if i % 3 == 0 { -1.0 } else { 0.0 };
                normal + 0.8 * (2.1 * i as f64).cos()
            })
            .collect();
        let problem = ContactProblem {
            sets: Sets::uniform_cone(number(&inputs, "mu"), contacts),
            ..ContactProblem::explicit(Assembled::from_dense(3, &matrix).unwrap(), bias.clone())
                .unwrap()
        };
        let config = SolverConfig {
            tolerance: 1e-10,
            ..SolverConfig::named(Method::Spg)
        };
        let mut found = vec![0.0; size];
        let report = solver(&config).solve(&problem, &mut found, &config.ask());
        assert_eq!(report.status, Status::Converged, "{id}: {report:?}");
        for (x, want) in found.iter().zip(numbers(&outputs["gamma"])) {
            let off = (x - want).abs();
            assert!(off <= number(&tolerance, "gamma_abs"), "{id}: {x} {want}");
        }
        let value: f64 = (0..size)
            .map(|i| {
                let image: f64 = matrix[i].iter().zip(&found).map(|(m, x)| m * x).sum();
                found[i] * (0.5 * image + bias[i])
            })
            .sum();
        let off = (value - number(&outputs, "objective")).abs();
        assert!(off <= number(&tolerance, "obj_abs"), "{id}: {off}");
        let prototype = number(&outputs, "prototype_spg_iterations_tol1e_10");
        let most = number(&tolerance, "iterations_factor") * prototype;
        assert!(report.iterations as f64 <= most, "{id}: {report:?}");
    }
}
