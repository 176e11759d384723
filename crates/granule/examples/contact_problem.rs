//! A contact problem from arrays: no bodies, no steps.
//!
//! Given W, b and K, find λ ∈ K with -(W λ + b) ∈ N_K(λ). Any solver takes the problem, and the
//! certificate, which is no part of a solver, says how good an answer is.
//!
//! `cargo run --release -p granule --example contact_problem`

use granule::certify::certify;
use granule::law::Flow;
use granule::problem::{Assembled, ContactProblem, Sets};
use granule::solver::{Method, SolverConfig, Status, solver};
use std::error::Error;

/// Solves a problem with several methods and gives the impulses of the last.
fn solve(problem: &ContactProblem, methods: &[Method]) -> Vec<f64> {
    let mut impulses = Vec::new();
    for &method in methods {
        let config = SolverConfig {
            tolerance: 1e-10,
            max_iterations: 100_000,
            ..SolverConfig::named(method)
        };
        impulses = vec![0.0; problem.len()];
        let report = solver(&config).solve(problem, &mut impulses, &config.ask());
        let certificate = certify(problem, &impulses);
        println!(
            "{:8} {:4} iterations, residual {:.1e} m/s, λ = {impulses:.6?}",
            method.name(),
            report.iterations,
            certificate.residual
        );
        assert_eq!(report.status, Status::Converged);
        assert!(certificate.residual < 1e-8);
    }
    impulses
}

/// Solves a problem without friction and one with it.
pub fn main() -> Result<(), Box<dyn Error>> {
    // Four balls of 2 kg that touch in a row hit a wall with 1 m/s. Contact 0 is that of the first ball
    // with the wall, contact k that of balls k-1 and k; one row each, along the normal.
    let (count, mass) = (4, 2.0);
    let mut rows = vec![vec![0.0; count]; count];
    for k in 0..count {
        rows[k][k] = if k == 0 { 1.0 } else { 2.0 } / mass;
        if k > 0 {
            rows[k][k - 1] = -1.0 / mass;
            rows[k - 1][k] = -1.0 / mass;
        }
    }
    let mut approach = vec![0.0; count];
    approach[0] = -1.0;
    let train = ContactProblem::explicit(Assembled::from_dense(1, &rows)?, approach)?;
    println!("a train that hits a wall");
    let impulses = solve(&train, &[Method::ApgdAr, Method::Ags]);
    // Each contact stops all balls behind it.
    for (k, impulse) in impulses.iter().enumerate() {
        assert!((impulse - mass * (count - k) as f64).abs() < 1e-7);
    }

    // A point of 2 kg hits a floor with 1 m/s and slides with 3 m/s: three rows, the normal first. With
    // exact Coulomb friction the floor gives m · 1 m/s, and friction μ times that.
    let friction = 0.5;
    let inverse: Vec<Vec<f64>> = (0..3)
        .map(|i| {
            (0..3)
                .map(|j| if i == j { 1.0 / mass } else { 0.0 })
                .collect()
        })
        .collect();
    let mut point =
        ContactProblem::explicit(Assembled::from_dense(3, &inverse)?, vec![-1.0, 3.0, 0.0])?;
    point.sets = Sets::uniform_cone(friction, 1);
    point.flow = Flow::Exact;
    println!("a point that hits a floor");
    let impulses = solve(&point, &[Method::NlgsCases, Method::Ags]);
    let exact = [mass, -friction * mass, 0.0];
    for (found, exact) in impulses.iter().zip(exact) {
        assert!((found - exact).abs() < 1e-7);
    }
    Ok(())
}
