//! Problems whose constraints contradict each other, or nearly: every solver is held to it.

use granule::cases::{RandomProblem, random_problem, random_problems, squeezed, with_friction};
use granule::certify::{Contradiction, certify};
use granule::law::Flow;
use granule::problem::{Assembled, ContactProblem, Delassus};
use granule::solver::{ExactBy, Method, SolverConfig, Status, solver};

/// A tenth of the collection, of each number of rows.
fn kinds(rows: usize) -> Vec<RandomProblem> {
    let mut kinds = random_problems(rows);
    // Two rows are for motion in a plane.
    kinds.retain(|kind| kind.planar || rows != 2);
    kinds.retain(|kind| kind.bodies <= 60 && (kind.seed % 7 == 3 || kind.bodies == 1));
    kinds
}

fn config(method: Method, flow: Flow) -> SolverConfig {
    SolverConfig {
        max_iterations: 4000,
        exact: if method == Method::Spg && flow == Flow::Exact {
            ExactBy::FixedPoint
        } else {
            ExactBy::Projection
        },
        ..SolverConfig::named(method)
    }
}

/// The problems of a kind: without friction, convexified and exact.
fn variants(kind: &RandomProblem) -> Vec<ContactProblem> {
    let problem = random_problem(kind);
    if kind.rows == 1 {
        return vec![problem];
    }
    let convex = with_friction(problem, kind.seed, 0.1..=0.8);
    let exact = ContactProblem {
        flow: Flow::Exact,
        ..convex.clone()
    };
    vec![convex, exact]
}

/// Checks a proof by plain sums over the dense matrix.
fn assert_proves(label: &str, problem: &ContactProblem, proof: &Contradiction) {
    let rows = problem.rows();
    let dense = problem.delassus.matrix();
    let d = &proof.direction;
    let mut inside = d.clone();
    problem.project(&mut inside);
    let off: f64 = inside.iter().zip(d).map(|(a, b)| (a - b).abs()).sum();
    assert!(off < 1e-12, "{label}: d is not in K by {off:.1e}");
    let (mut moved, mut work) = (0.0f64, 0.0);
    for (k, own) in d.chunks_exact(rows).enumerate() {
        let mut w = vec![0.0; rows];
        for (column, block) in dense.row(k) {
            for (i, w) in w.iter_mut().enumerate() {
                for j in 0..rows {
                    *w += block[i * rows + j] * d[column * rows + j];
                }
            }
        }
        moved += w.iter().zip(own).map(|(w, d)| w * d).sum::<f64>();
        work += (problem.bias[k * rows..].iter().zip(own))
            .map(|(b, d)| b * d)
            .sum::<f64>();
        if let Some(slip) = proof.slip.get(k) {
            let normal = problem.delassus.normal(k).to_array();
            work += slip * own.iter().zip(normal).map(|(d, n)| d * n).sum::<f64>();
        }
    }
    assert!(
        (proof.approach + work).abs() <= 1e-9 * proof.approach,
        "{label}: {work}"
    );
    // Velocities of this size (kg^½ m/s) at least would be needed: hundreds of times all there are.
    assert!(
        work < 0.0 && -work / moved.max(0.0).sqrt() > 300.0,
        "{label}: {work} {moved}"
    );
}

/// What is asked of every solver, on problems with a body between walls that close in at so much (m/s).
fn prove(closing: f64) {
    let (mut wrong, mut unproved) = (Vec::new(), Vec::new());
    let mut count = 0;
    for rows in [1, 2, 3, 6] {
        for kind in kinds(rows) {
            for problem in variants(&kind) {
                let problem = squeezed(problem, closing);
                for method in Method::ALL {
                    let config = config(method, problem.flow);
                    let mut solver = solver(&config);
                    if solver.supports(&problem.kind()).is_err() {
                        continue;
                    }
                    let mut impulses = vec![0.0; problem.len()];
                    let report = solver.solve(&problem, &mut impulses, &config.ask());
                    count += 1;
                    let label = format!("{} {:?} {kind:?}", method.name(), problem.flow);
                    if report.status == Status::Converged
                        || certify(&problem, &impulses).meets(&config.limits())
                    {
                        wrong.push(label);
                        continue;
                    }
                    match report.contradiction {
                        Some(proof) => {
                            assert_eq!(report.status, Status::Infeasible, "{label}");
                            assert_proves(&label, &problem, &proof);
                        }
                        None => unproved.push(format!("{label} {:?}", report.status)),
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} solved:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // None is passed as solved; that it is proved is asked of nearly all.
    assert!(
        unproved.len() * 50 <= count,
        "{} of {count} without a proof:\n{}",
        unproved.len(),
        unproved.join("\n")
    );
}

#[test]
fn every_solver_proves_that_there_is_no_solution() {
    // Half of it is more than half of the fastest approach: no impulses are certified.
    prove(40.0);
}

#[test]
fn hardly_any_room_is_not_taken_for_none() {
    for rows in [1, 3] {
        for kind in kinds(rows) {
            for problem in variants(&kind) {
                let problem = squeezed(problem, -1e-3);
                for method in Method::ALL {
                    let config = config(method, problem.flow);
                    let mut solver = solver(&config);
                    if solver.supports(&problem.kind()).is_err() {
                        continue;
                    }
                    let mut impulses = vec![0.0; problem.len()];
                    let report = solver.solve(&problem, &mut impulses, &config.ask());
                    assert_ne!(
                        report.status,
                        Status::Infeasible,
                        "{} {:?} {kind:?}",
                        method.name(),
                        problem.flow
                    );
                }
            }
        }
    }
}

#[test]
fn a_contradiction_of_rounding_is_none() {
    // Two contacts that stand twice ask for velocities that differ by one unit in the last place.
    let w = Assembled::from_dense(1, &[vec![1.0, -1.0], vec![-1.0, 1.0]]).unwrap();
    let mut problem = ContactProblem::explicit(Delassus::from(w), vec![1e-16, -3e-16]).unwrap();
    problem.rounding = 1e-15;
    for method in Method::ALL {
        let mut impulses = vec![0.0; 2];
        let config = config(method, Flow::Associated);
        let mut solver = solver(&config);
        let report = solver.solve(&problem, &mut impulses, &config.ask());
        assert_eq!(report.status, Status::Converged, "{}", method.name());
        assert!(report.iterations < 50, "{}", method.name());
    }
}
