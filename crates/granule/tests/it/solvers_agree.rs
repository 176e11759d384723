//! All solvers give the same velocities, those of an independent conic solver among them, and stop
//! for the reasons they say.

use crate::dense_reference::{delassus, dot, largest_eigenvalue, multiply, space};
use crate::extent::extent;
use granule::cases::{RandomProblem, random_problem, random_problems};
use granule::certify::certify;
use granule::problem::{Assembled, ContactProblem};
use granule::solver::{Method, MethodSettings, Scaling, SolveReport, SolverConfig, Status, solver};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The tolerance that each method reaches on every problem of the collection.
///
/// Without restarts convergence is slow, so on large problems less is asked. The printed adaptive
/// step without restart lowers L by 3 % in each iteration while its momentum never ends: on some
/// problems it hovers at 1e-5 … 1e-4 for ever, which the certificate tells.
fn tolerance(method: Method, contacts: usize) -> f64 {
    match method {
        Method::Pgd | Method::Pgj | Method::Apgd if contacts > 100 => 1e-4,
        Method::Pgd | Method::Pgj | Method::Apgd => 1e-6,
        Method::ApgdAs => 1e-3,
        Method::Pgs
        | Method::NlgsSbp
        | Method::NlgsSal
        | Method::NlgsEbp
        | Method::NlgsEal
        | Method::NlgsPdas
        | Method::NlgsCases
            if contacts > 100 =>
        {
            1e-6
        }
        Method::Pgs
        | Method::NlgsSbp
        | Method::NlgsSal
        | Method::NlgsEbp
        | Method::NlgsEal
        | Method::NlgsPdas
        | Method::NlgsCases
        | Method::Ipm
        | Method::IpmMf => 1e-8,
        Method::Auto
        | Method::ApgdAr
        | Method::ApgdAsr
        | Method::Ags
        | Method::Spg
        | Method::Newton
        | Method::Clarabel
        | Method::Usual => 1e-10,
    }
}

fn config(method: Method) -> SolverConfig {
    config_for(method, 0)
}

fn config_for(method: Method, contacts: usize) -> SolverConfig {
    SolverConfig {
        tolerance: tolerance(method, contacts),
        max_iterations: 400_000,
        ..SolverConfig::named(method)
    }
}

fn solve(
    problem: &ContactProblem,
    config: &SolverConfig,
    start: &[f64],
) -> (SolveReport, Vec<f64>) {
    let mut impulses = start.to_vec();
    let report = solver(config).solve(problem, &mut impulses, &config.ask());
    (report, impulses)
}

/// How far two certified answers may be apart in velocity, |M⁻¹D(λ - μ)|_M.
///
/// Let e = λ - P_K(λ - ρ w) be the natural map of λ, z = λ - e ∈ K, and the same with primes for μ.
/// The projections give (e/ρ - w)·(z - z') ≥ 0 and (e'/ρ - w')·(z' - z) ≥ 0. Their sum, with
/// d = λ - μ, δ = e - e' and w - w' = W d, is
///
/// ```text
/// d·W d ≤ (δ/ρ)·d + δ·W d - |δ|²_{1/ρ} ≤ ε |d|_{1/ρ} + ε √L √(d·W d)
/// ```
///
/// with ε ≥ |δ|_{1/ρ} and L = λ_max(ρ^½ W ρ^½). So √(d·Wd) ≤ √L ε + √(ε |d|_{1/ρ}), and by the
/// certified residuals r, r' (m/s, |e_i| ≤ ρ_i r) ε = (r + r') (Σ ρ_i)^½ will do.
fn allowed_difference(residuals: f64, rho: &[f64], bound: f64, difference: &[f64]) -> f64 {
    let rows = difference.len() / rho.len();
    let epsilon = residuals * rho.iter().sum::<f64>().sqrt();
    let length: f64 = difference
        .chunks(rows)
        .zip(rho)
        .map(|(d, rho)| dot(d, d) / rho)
        .sum();
    bound.sqrt() * epsilon + (epsilon * length.sqrt()).sqrt()
}

fn all_agree(rows: usize, kinds: &[RandomProblem]) {
    // (how much of the allowed difference is used, relative difference, where)
    let mut worst = (0.0, 0.0, String::new());
    for kind in kinds {
        let problem = random_problem(kind);
        let matrix = delassus(space(&problem));
        let rho: Vec<f64> = (0..problem.contact_count())
            .map(|k| 1.0 / problem.delassus.largest_diagonal(k))
            .collect();
        let scale: Vec<f64> = rho.iter().flat_map(|r| vec![*r; rows]).collect();
        let bound = 1.01 * largest_eigenvalue(&matrix, &scale);
        let zero = vec![0.0; problem.len()];
        let (reference, best) = solve(&problem, &config(Method::ApgdAsr), &zero);
        let size = dot(&best, &multiply(&matrix, &best)).sqrt();
        for method in Method::ALL {
            let mut config = config_for(method, problem.contact_count());
            if let MethodSettings::Pgj(jacobi) = &mut config.own {
                // Its usual damping is no bound, and too little for a light body among many heavy ones.
                jacobi.step = f64::min(0.3, 1.0 / bound);
            }
            let (report, impulses) = solve(&problem, &config, &zero);
            let name = method.name();
            assert_eq!(report.status, Status::Converged, "{name} on {kind:?}");
            assert_eq!(report.certificate, certify(&problem, &impulses), "{name}");
            assert!(report.certificate.scaled <= config.tolerance);
            let difference: Vec<f64> = impulses.iter().zip(&best).map(|(x, y)| x - y).collect();
            let apart = dot(&difference, &multiply(&matrix, &difference))
                .max(0.0)
                .sqrt();
            let residuals = report.certificate.residual + reference.certificate.residual;
            let allowed =
                allowed_difference(residuals, &rho, bound, &difference) + 1e-14 * size.max(1e-300);
            let used = apart / allowed;
            // What that comes to, where the tolerance is tight enough for a claim of its own.
            let limit = 5.0 * config.tolerance.sqrt();
            assert!(
                apart <= limit * size || config.tolerance > 1e-6,
                "{name} on {kind:?}: {apart:.1e} of {size:.1e}"
            );
            if used > worst.0 || apart > worst.1 * size {
                let relative = apart / size.max(1e-300);
                worst = (
                    used.max(worst.0),
                    relative.max(worst.1),
                    format!("{name} on {kind:?}: {apart:.2e} apart, {allowed:.2e} allowed"),
                );
            }
        }
    }
    let (used, relative, place) = worst;
    println!("rows {rows}: {used:.2} of the allowed difference, {relative:.1e} relative; {place}");
    assert!(used <= 1.0, "beyond the certificate: {place}");
}

#[test]
fn all_solvers_give_the_same_velocities_with_normal_impulses() {
    let mut kinds = random_problems(1);
    kinds.retain(|kind| kind.bodies <= extent(60, 150));
    all_agree(1, &kinds);
}

#[test]
fn all_solvers_give_the_same_velocities_with_impulse_vectors() {
    for rows in [2, 3] {
        // Two rows are for planar problems; the largest ones add nothing but time.
        let kinds: Vec<RandomProblem> = random_problems(rows)
            .into_iter()
            .filter(|kind| kind.bodies <= extent(10, 60) && kind.planar == (rows == 2))
            .collect();
        all_agree(rows, &kinds);
    }
}

fn small_problems() -> Vec<ContactProblem> {
    let kinds = random_problems(1).into_iter().chain(random_problems(3));
    kinds
        .filter(|kind| kind.bodies == 10)
        .map(|kind| random_problem(&kind))
        .collect()
}

#[test]
fn the_exact_guess_takes_no_iterations() {
    for problem in small_problems() {
        for method in Method::ALL {
            let zero = vec![0.0; problem.len()];
            let precise = SolverConfig {
                tolerance: 1e-12,
                ..config(Method::ApgdAsr)
            };
            let (_, exact) = solve(&problem, &precise, &zero);
            let (report, impulses) = solve(&problem, &config(method), &exact);
            assert_eq!(report.status, Status::Converged);
            assert_eq!(report.iterations, 0, "{}", method.name());
            assert_eq!(impulses, exact, "an accepted start is returned as it came");
        }
    }
}

#[test]
fn an_impossible_tolerance_ends_with_a_word_and_a_good_answer() {
    for (problem, scaling) in small_problems()
        .into_iter()
        .zip([Scaling::Diagonal, Scaling::None].into_iter().cycle())
    {
        for method in Method::ALL {
            let mut impossible = SolverConfig {
                tolerance: 1e-300,
                max_iterations: extent(10_000, 30_000),
                ..config(method)
            };
            if let Some(gradient) = impossible.own.gradient_mut() {
                gradient.scaling = scaling;
            }
            let zero = vec![0.0; problem.len()];
            let (report, impulses) = solve(&problem, &impossible, &zero);
            let certificate = certify(&problem, &impulses);
            assert_eq!(report.certificate, certificate, "{}", method.name());
            match report.status {
                Status::Stalled | Status::MaxIterations => {}
                Status::Converged => assert_eq!(certificate.scaled, 0.0, "{}", method.name()),
                Status::NumericalFailure | Status::Infeasible | Status::Interrupted => {
                    panic!("{} failed", method.name())
                }
            }
            // These have long reached what the arithmetic allows.
            let fast = matches!(
                method,
                Method::ApgdAr | Method::ApgdAsr | Method::Ags | Method::Spg | Method::Clarabel
            );
            if fast && scaling == Scaling::Diagonal {
                assert!(
                    certificate.scaled < 1e-8,
                    "{}: {certificate:?}",
                    method.name()
                );
            }
        }
    }
}

#[test]
fn numbers_that_are_none_never_pass() {
    for mut problem in small_problems() {
        let middle = problem.len() / 2;
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            problem.bias[middle] = bad;
            for method in Method::ALL {
                let start = vec![0.1; problem.len()];
                let (report, impulses) = solve(&problem, &config(method), &start);
                assert_eq!(
                    report.status,
                    Status::NumericalFailure,
                    "{} with {bad}",
                    method.name()
                );
                assert!(report.certificate.scaled > 0.5, "{report:?}");
                assert!(report.certificate.residual > 1e300, "{report:?}");
                assert_eq!(impulses, start, "the impulses are those of the start");
                assert_eq!(report.certificate, certify(&problem, &impulses));
            }
        }
        problem.bias[middle] = -1.0;
        for method in Method::ALL {
            let mut start = vec![0.1; problem.len()];
            start[middle] = f64::NAN;
            let (report, _) = solve(&problem, &config(method), &start);
            assert_eq!(report.status, Status::NumericalFailure, "{}", method.name());
            assert!(report.certificate.scaled > 0.5);
        }
    }
}

#[test]
fn garbage_as_a_start_is_forgotten() {
    let mut random = Pcg64::seed_from_u64(7);
    for problem in small_problems() {
        for method in Method::ALL {
            // The plain gradient forgets a huge start too slowly to wait for.
            let plain = matches!(method, Method::Pgd | Method::Pgj);
            let huge = if plain { 10.0 } else { 1e6 };
            for size in [1.0, huge] {
                let start: Vec<f64> = (0..problem.len())
                    .map(|_| size * random.random_range(-1.0..1.0))
                    .collect();
                let (report, _) = solve(&problem, &config(method), &start);
                assert_eq!(
                    report.status,
                    Status::Converged,
                    "{} from {size}: {:?}",
                    method.name(),
                    report.certificate
                );
            }
        }
    }
}

#[test]
fn a_problem_without_contacts_is_solved_at_once() {
    for method in Method::ALL {
        let (report, _) = solve(&ContactProblem::default(), &config(method), &[]);
        assert_eq!((report.status, report.iterations), (Status::Converged, 0));
    }
}

#[test]
fn the_two_forms_of_a_problem_have_the_same_solution() {
    for kind in random_problems(1).iter().filter(|kind| kind.bodies <= 60) {
        let free = random_problem(kind);
        let formed =
            ContactProblem::explicit(Assembled::from_space(space(&free)), free.bias.clone())
                .unwrap();
        let matrix = delassus(space(&free));
        for method in [Method::ApgdAr, Method::ApgdAsr] {
            let zero = vec![0.0; free.len()];
            let (_, first) = solve(&free, &config(method), &zero);
            let (report, second) = solve(&formed, &config(method), &zero);
            assert_eq!(report.status, Status::Converged, "{kind:?}");
            let (a, b) = (multiply(&matrix, &first), multiply(&matrix, &second));
            for (x, y) in a.iter().zip(&b) {
                assert!((x - y).abs() < 1e-5, "{kind:?}: {x} {y}");
            }
        }
    }
}
