//! The interior point by itself, without the sweeps that finish what it leaves, on redundant problems.

use granule::cases::{random_problem, random_problems, with_friction};
use granule::law::AdmissibleSet;
use granule::problem::{Assembled, ContactProblem, Delassus};
use granule::solver::{Method, SolveReport, SolverConfig, Spectra, Status, solver};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn solve(problem: &ContactProblem, method: Method, tolerance: f64) -> SolveReport {
    let config = SolverConfig {
        tolerance,
        max_iterations: 20_000,
        ..SolverConfig::named(method)
    };
    let mut impulses = vec![0.0; problem.len()];
    solver(&config).solve(problem, &mut impulses, &config.ask())
}

/// `Dᵀ (1 + S) D` with three times as many rows as D has lines, `S = -Sᵀ` of the given size, and `b = Dᵀ v`. It has
/// a solution: velocities v' = 0 are allowed, and among those that are the nearest to v in this metric exists.
fn redundant_with(bodies: usize, rows: usize, seed: u64, skew: f64) -> ContactProblem {
    let mut random = Pcg64::seed_from_u64(seed);
    let freedoms = 6 * bodies;
    let contacts = 3 * freedoms / rows;
    let mut line = |length: usize| -> Vec<f64> {
        (0..length)
            .map(|_| random.random_range(-1.0..1.0))
            .collect()
    };
    let directions: Vec<Vec<f64>> = (0..contacts * rows).map(|_| line(freedoms)).collect();
    let velocity = line(freedoms);
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    // 1 + S turns each pair of neighbouring velocities a little.
    let turned = |a: &[f64]| -> Vec<f64> {
        let pairs = a.chunks_exact(2);
        pairs
            .flat_map(|pair| [pair[0] - skew * pair[1], pair[1] + skew * pair[0]])
            .collect()
    };
    let matrix: Vec<Vec<f64>> = (directions.iter())
        .map(|a| directions.iter().map(|b| dot(a, &turned(b))).collect())
        .collect();
    let bias = directions.iter().map(|a| dot(a, &velocity)).collect();
    let problem =
        ContactProblem::explicit(Assembled::from_dense(rows, &matrix).unwrap(), bias).unwrap();
    with_friction(problem, seed, 0.2..=1.0)
}

/// The same with a symmetric matrix.
fn redundant(bodies: usize, rows: usize, seed: u64) -> ContactProblem {
    redundant_with(bodies, rows, seed, 0.0)
}

/// Whether it ended at its tolerance and no other method had to help.
fn by_itself(report: &SolveReport) -> bool {
    report.status == Status::Converged && report.finished_by.is_none()
}

#[test]
fn more_contacts_than_freedoms_are_no_obstacle() {
    for (rows, bodies) in [(1, 2), (2, 2), (3, 1), (3, 4), (3, 10)] {
        for seed in 0..20 {
            let problem = redundant(bodies, rows, seed);
            for method in [Method::Ipm, Method::IpmMf] {
                let report = solve(&problem, method, 1e-10);
                let place = format!("{rows} rows, {bodies} bodies, seed {seed}: {report:?}");
                assert!(by_itself(&report), "{place}");
            }
        }
    }
}

#[test]
fn a_matrix_that_is_not_symmetric_is_no_obstacle() {
    for seed in 0..20 {
        // As far from symmetric as the capsules among the published problems.
        let problem = redundant_with(3, 3, seed, 1e-3);
        let Delassus::Assembled(matrix) = &problem.delassus else {
            unreachable!("it was made of a matrix");
        };
        assert!(matrix.asymmetry() > 1e-4);
        for method in [Method::Ipm, Method::IpmMf] {
            let report = solve(&problem, method, 1e-10);
            assert!(by_itself(&report), "seed {seed}: {report:?}");
        }
    }
}

#[test]
fn spheres_are_solved_to_the_last_digits() {
    let kinds = random_problems(3).into_iter();
    for method in [Method::Ipm, Method::IpmMf] {
        let (mut count, mut solved) = (0, 0);
        for kind in kinds.clone().filter(|kind| kind.bodies <= 60) {
            let problem = with_friction(random_problem(&kind), kind.seed, 0.5..=0.5);
            let report = solve(&problem, method, 1e-10);
            assert_eq!(report.status, Status::Converged, "{kind:?}: {report:?}");
            count += 1;
            solved += usize::from(by_itself(&report));
        }
        let name = method.name();
        assert!(solved * 10 >= count * 9, "{name}: {solved} of {count}");
    }
}

#[test]
fn a_report_says_who_finished() {
    // To the last bit nothing gets by itself: the sweeps try, and are named only if theirs is the answer.
    let problem = redundant(2, 3, 7);
    let report = solve(&problem, Method::Ipm, 1e-17);
    assert_eq!(report.status, Status::Stalled);
    assert!(matches!(report.finished_by, None | Some(Method::Ags)));
    // A portfolio names what it chose.
    let report = solve(&problem, Method::Auto, 1e-8);
    assert!(
        report
            .finished_by
            .is_some_and(|method| method != Method::Auto)
    );
    assert_eq!(solve(&problem, Method::Ags, 1e-8).finished_by, None);
}

#[test]
fn the_systems_on_the_way_have_the_eigenvalues_of_their_definition() {
    let seed = 4;
    let problem = redundant(4, 3, seed);
    let spectra = Spectra::of(&problem, 1e-6).unwrap();
    let (count, rows) = (problem.contact_count(), problem.len());
    let last = spectra.iterations.last().unwrap();
    assert!(last.residual <= 1e-6, "{}", last.residual);
    assert!(last.alpha < 1e-6 * spectra.iterations[0].alpha);
    // N has the rank of the bodies' freedoms, and the trace of T⁻¹ W T⁻¹.
    assert_eq!(spectra.delassus.len(), rows);
    let largest = spectra.delassus[rows - 1];
    let rank = spectra.delassus.iter().filter(|x| **x > 1e-12 * largest);
    assert_eq!(rank.count(), 24);
    let trace: f64 = (0..count)
        .map(|k| {
            let AdmissibleSet::Cone { friction } = problem.set(k) else {
                panic!("a cone")
            };
            let block = problem.delassus.diagonal_block(k);
            block.x_axis.x / (friction * friction) + block.y_axis.y + block.z_axis.z
        })
        .sum();
    let sum: f64 = spectra.delassus.iter().sum();
    assert!((sum / trace - 1.0).abs() < 1e-12, "{sum} {trace}");
    for spectrum in &spectra.iterations {
        // F² adds to every eigenvalue (Weyl), and the blocks make the diagonal one.
        let pairs = spectrum.system.iter().zip(&spectra.delassus);
        let rounding = 1e-13 * spectrum.system[rows - 1];
        assert!(pairs.clone().all(|(a, n)| a + rounding >= *n));
        let sum: f64 = spectrum.preconditioned.iter().sum();
        assert!((sum / rows as f64 - 1.0).abs() < 1e-9, "{sum}");
    }
}

#[test]
fn spectra_are_of_friction_in_space_only() {
    let frictionless =
        ContactProblem::explicit(Assembled::from_dense(1, &[[1.0]]).unwrap(), vec![-1.0]);
    assert!(Spectra::of(&frictionless.unwrap(), 1e-6).is_none());
    assert!(Spectra::of(&redundant(3, 2, 1), 1e-6).is_none());
}
