//! Contacts that give: every method takes them, all find the same, and one of them is one sweep.

use granule::cases::{
    random_problem, random_problems, with_compliance, with_friction, with_other_shapes,
};
use granule::certify::certify;
use granule::law::Flow;
use granule::math::DVec3;
use granule::problem::{
    BodySpace, Compliance, ContactGeometry, ContactProblem, Lever, MatrixFree, Sets,
};
use granule::solver::{Ask, Method, SolverConfig, Status, solver};

/// Problems of some hundreds of contacts and of a few, round and with other shapes among them.
fn problems(rows: usize) -> Vec<(String, ContactProblem)> {
    let mut kinds = random_problems(rows);
    kinds.retain(|kind| (kind.planar || rows != 2) && kind.mass_ratio < 1e4);
    let mut list = Vec::new();
    for bodies in [10, 60] {
        let kind = kinds.iter().find(|kind| kind.bodies == bodies).unwrap();
        let round = random_problem(kind);
        let round = match rows {
            1 => round,
            _ => with_friction(round, kind.seed, 0.2..=0.8),
        };
        let mixed = with_other_shapes(round.clone(), 3, kind.seed);
        for (name, problem) in [("round", round), ("mixed", mixed)] {
            let problem = with_compliance(problem, 0.5, kind.seed + 1);
            list.push((format!("{name}, {rows} rows, {bodies} bodies"), problem));
        }
    }
    list
}

/// The impulses that a method finds, with whether it takes the problem at all.
fn solved(method: Method, problem: &ContactProblem, tolerance: f64) -> Option<Vec<f64>> {
    let config = SolverConfig {
        tolerance,
        max_iterations: 400_000,
        ..SolverConfig::named(method)
    };
    let mut solver = solver(&config);
    if let Err(refusal) = solver.supports(&problem.kind()) {
        // Whoever is refused is told what to use.
        let text = refusal.to_string();
        let named = |other: Method| text.contains(&format!("`{}`", other.name()));
        let mut others = Method::ALL.into_iter().filter(|other| *other != method);
        assert!(others.any(named) || text.contains("fixed-point"), "{text}");
        return None;
    }
    let mut found = vec![0.0; problem.len()];
    let report = solver.solve(problem, &mut found, &config.ask());
    assert_eq!(
        report.status,
        Status::Converged,
        "{} {report:?}",
        method.name()
    );
    Some(found)
}

/// E makes the convex problem's impulses unique: all must be the same.
#[test]
fn every_method_finds_the_impulses_of_contacts_that_give() {
    for rows in [1, 2, 3, 6] {
        for (name, problem) in problems(rows) {
            let want = solved(Method::Ags, &problem, 1e-11).unwrap();
            let size = want.iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!(size > 0.1, "{name}");
            let mut taken = 0;
            for method in Method::ALL {
                // Rates without momentum: thousands of sweeps to the same end.
                let slow = matches!(method, Method::Pgd | Method::Pgj);
                let tolerance = if slow { 1e-4 } else { 1e-7 };
                let Some(found) = solved(method, &problem, tolerance) else {
                    continue;
                };
                taken += 1;
                let squares = found.iter().zip(&want).map(|(a, b)| (a - b).powi(2));
                let off = squares.sum::<f64>().sqrt();
                // E is a share of W at each contact, so errors of impulses are some times that of the certificate.
                assert!(
                    off < 1e3 * tolerance * size,
                    "{} {name}: {off:.1e} of {size:.1e}",
                    method.name()
                );
            }
            assert!(taken >= 11, "{name}: {taken}");
        }
    }
}

/// With exact friction there may be several solutions; each that is found must be one.
#[test]
fn every_method_solves_contacts_that_give_with_exact_friction() {
    for rows in [2, 3, 6] {
        // The small ones: what sweeps do not solve there takes minutes with hundreds.
        for (name, mut problem) in problems(rows).into_iter().take(2) {
            problem.flow = Flow::Exact;
            for method in Method::ALL {
                if matches!(method, Method::Pgd | Method::Pgj) {
                    continue;
                }
                let Some(found) = solved(method, &problem, 1e-6) else {
                    continue;
                };
                let certificate = certify(&problem, &found);
                assert!(certificate.scaled < 1e-6, "{} {name}", method.name());
            }
        }
    }
}

/// One contact between two spheres, or with the ground, that gives like this.
fn one_contact(rows: usize, given: Compliance, bias: &[f64]) -> ContactProblem {
    let space = BodySpace {
        rows,
        inverse_mass: vec![0.5, 0.2, 0.0],
        lever: match rows {
            1 => Lever::None,
            _ => Lever::Radial {
                radius: vec![0.3, 0.4, 0.0],
                inverse_inertia: vec![9.0, 5.0, 0.0],
            },
        },
        contacts: vec![ContactGeometry {
            normal: DVec3::new(0.6, 0.8, 0.0),
            a: 0,
            b: 1,
        }],
        compliance: vec![given],
        ..BodySpace::default()
    };
    let sets = match rows {
        1 => Sets::HalfLine,
        _ => Sets::uniform_cone(0.4, 1),
    };
    let operator = MatrixFree::new(space).unwrap();
    ContactProblem {
        sets,
        ..ContactProblem::explicit(operator, bias.to_vec()).unwrap()
    }
}

/// `ags` solves one contact exactly in one sweep, however much it gives, sticking, sliding, held and pulled apart. A second
/// one is allowed: where the first finds the start no better than nothing it is thrown away.
#[test]
fn one_contact_that_gives_is_one_sweep() {
    let cases: [(usize, &[f64]); 8] = [
        (1, &[-2.0]),
        (1, &[1.0]),
        (2, &[-2.0, -1.0]),
        (2, &[-0.6, 3.0]),
        (2, &[0.9, 1.2]),
        (3, &[-1.0, -2.0, 0.3]),
        (3, &[-0.5, -0.8, 4.0]),
        (3, &[2.0, 1.0, 0.5]),
    ];
    let config = SolverConfig {
        // Above what rounding makes of E c.
        tolerance: 1e-11,
        ..SolverConfig::named(Method::Ags)
    };
    let mut solver = solver(&config);
    let once = Ask {
        iterations: 2,
        ..config.ask()
    };
    let mut swept = 0;
    for (rows, bias) in cases {
        for normal in [0.0, 0.3, 50.0] {
            for shift in [0.0, 0.7, 20.0] {
                let given = Compliance {
                    normal,
                    tangential: 2.0 * normal,
                    ..Compliance::default()
                };
                let problem = one_contact(rows, given, bias);
                let problem = problem.with_shift(vec![shift]).unwrap();
                let mut impulses = vec![0.0; rows];
                problem.shift_impulses(&mut impulses);
                let report = solver.solve(&problem, &mut impulses, &once);
                let label = format!("{rows} rows, {bias:?}, {given:?}, {shift}: {report:?}");
                assert_eq!(report.status, Status::Converged, "{label}");
                swept += report.iterations;
            }
        }
    }
    assert!(swept > 30, "{swept}");
}
