//! Contacts whose cone is rounded and capped: what one of them does, and that all solvers find the same.

use crate::dense_reference::space;
use granule::cases::{
    random_problem, random_problems, squeezed, with_compliance, with_friction, with_other_shapes,
    with_yield,
};
use granule::certify::{Contradiction, certify};
use granule::law::{AdmissibleSet, Flow};
use granule::problem::{Assembled, ContactProblem, Delassus, DelassusScratch, ProblemError, Sets};
use granule::solver::{ExactBy, Method, SolverConfig, Status, solver};

/// Those that need not refuse contacts that yield.
const SOLVERS: [Method; 12] = [
    Method::Pgd,
    Method::Pgj,
    Method::Apgd,
    Method::ApgdAs,
    Method::ApgdAr,
    Method::ApgdAsr,
    Method::Ags,
    Method::Spg,
    Method::Newton,
    Method::Auto,
    Method::Usual,
    Method::Clarabel,
];

/// One contact of a mass of 1 kg that can be turned as easily as pushed.
fn one_contact(set: AdmissibleSet, bias: &[f64]) -> ContactProblem {
    let rows = bias.len();
    let identity: Vec<Vec<f64>> = (0..rows)
        .map(|i| (0..rows).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    ContactProblem {
        sets: Sets::Mixed(vec![set]),
        ..ContactProblem::explicit(
            Assembled::from_dense(rows, &identity).unwrap(),
            bias.to_vec(),
        )
        .unwrap()
    }
}

fn yields(friction: f64, rounding: f64, cap: f64) -> AdmissibleSet {
    AdmissibleSet::Yield {
        friction,
        rounding,
        cap,
    }
}

fn solved(method: Method, problem: &ContactProblem, tolerance: f64) -> Vec<f64> {
    let config = SolverConfig {
        tolerance,
        max_iterations: 1_000_000,
        ..SolverConfig::named(method)
    };
    let mut solver = solver(&config);
    let name = method.name();
    assert!(solver.supports(&problem.kind()).is_ok(), "{name}");
    let mut found = vec![0.0; problem.len()];
    let report = solver.solve(problem, &mut found, &config.ask());
    assert_eq!(report.status, Status::Converged, "{name}: {report:?}");
    assert!(certify(problem, &found).meets(&config.limits()), "{name}");
    found
}

#[test]
fn one_contact_gives_way_under_its_cap_and_holds_up_to_its_rounding() {
    // With W = 1 and b = -x the impulse is the nearest to x, and the velocity what is left of it.
    let infinite = f64::INFINITY;
    for (set, bias, want) in [
        // Crushed: 5 m/s against a cap of 3 N s leave 2 m/s, with one row and with more.
        (yields(0.0, 0.0, 3.0), vec![-5.0], vec![3.0]),
        (
            yields(0.5, 0.0, 3.0),
            vec![-5.0, 0.0, 0.0],
            vec![3.0, 0.0, 0.0],
        ),
        // Pulled: 5 m/s against 2 N s leave 3 m/s.
        (
            yields(0.5, 2.0, infinite),
            vec![5.0, 0.0, 0.0],
            vec![-2.0, 0.0, 0.0],
        ),
        (yields(0.0, 2.0, 1.0), vec![5.0], vec![-2.0]),
        // Sheared without pressure, μ = 3/4: d √(1 + μ²) = 2.5 N s hold, and the slip opens, w = (0.6, -0.8).
        (yields(0.75, 2.0, infinite), vec![0.6, -3.3], vec![0.0, 2.5]),
        // Crushed and sheared: as much across as the rim has, μ r + d √(1 + μ²).
        (
            yields(0.75, 2.0, 4.0),
            vec![-50.0, 90.0, 0.0],
            vec![4.0, -5.5, 0.0],
        ),
    ] {
        let problem = one_contact(set, &bias);
        assert_eq!(problem.validate(), Ok(()));
        for method in SOLVERS {
            let found = solved(method, &problem, 1e-12);
            for (x, y) in found.iter().zip(&want) {
                assert!((x - y).abs() < 1e-8, "{} {set:?}: {found:?}", method.name());
            }
            let certificate = certify(&problem, &found);
            assert!(certificate.complementarity < 1e-6, "{certificate:?}");
            // ½ |b|² - ½ |w|² of a mass of 1 kg.
            let energy = |w: &[f64]| 0.5 * w.iter().map(|w| w * w).sum::<f64>();
            let left: Vec<f64> = bias.iter().zip(&found).map(|(b, x)| b + x).collect();
            let lost = energy(&bias) - energy(&left);
            assert!((certificate.dissipation - lost).abs() < 1e-9 * (1.0 + lost));
            assert!(lost >= 0.0);
        }
    }
}

#[test]
fn the_certificate_sees_impulses_beyond_the_limits() {
    let problem = one_contact(yields(0.5, 1.0, 3.0), &[-2.0, 0.0, 0.0]);
    let right = certify(&problem, &[2.0, 0.0, 0.0]);
    assert!(right.residual < 1e-15 && right.complementarity < 1e-15);
    assert_eq!(right.cone_violation, 0.0);
    // Beyond the cap, beyond the ball, and too little.
    let above = certify(&problem, &[5.0, 0.0, 0.0]);
    assert!((above.cone_violation - 2.0).abs() < 1e-12 && above.residual > 1.0);
    let below = certify(&problem, &[-1.5, 0.0, 0.0]);
    assert!((below.cone_violation - 0.5).abs() < 1e-12);
    let little = certify(&problem, &[1.0, 0.0, 0.0]);
    assert!((little.residual - 1.0).abs() < 1e-12 && little.cone_violation == 0.0);
    // The work that is missing: σ(-w) + λ·w with w = -1 along the normal is 3 - 1.
    assert!((little.complementarity - 2.0).abs() < 1e-12);
    // What is crushed approaches, and that is no penetration; without a cap it is.
    let crushed = one_contact(yields(0.5, 1.0, 3.0), &[-5.0, 0.0, 0.0]);
    assert_eq!(certify(&crushed, &[3.0, 0.0, 0.0]).max_penetration, 0.0);
    let rigid = one_contact(yields(0.5, 1.0, f64::INFINITY), &[-5.0, 0.0, 0.0]);
    assert_eq!(certify(&rigid, &[3.0, 0.0, 0.0]).max_penetration, 2.0);
}

/// Small problems with unique impulses, and others.
fn problems(rows: usize) -> Vec<(String, ContactProblem)> {
    let mut kinds = random_problems(rows);
    kinds.retain(|kind| {
        let small = kind.bodies <= 10 && kind.mass_ratio <= 100.0;
        (kind.planar || rows != 2) && small && kind.seed % 3 != 1
    });
    let mut list = Vec::new();
    for kind in kinds {
        let round = random_problem(&kind);
        let round = match rows {
            1 => round,
            _ => with_friction(round, kind.seed, 0.2..=0.8),
        };
        let mixed = with_other_shapes(round.clone(), 2, kind.seed + 1);
        let soft = with_compliance(mixed.clone(), 0.5, kind.seed + 2);
        for (name, problem) in [("round", round), ("mixed", mixed), ("compliant", soft)] {
            let problem = with_yield(problem, 0.5, kind.seed + 3);
            list.push((format!("{name} {kind:?}"), problem));
        }
    }
    list
}

fn velocities(problem: &ContactProblem, impulses: &[f64]) -> Vec<f64> {
    let matrix = Delassus::from(Assembled::from_space(space(problem)));
    let mut out = vec![0.0; impulses.len()];
    matrix.apply(impulses, &mut DelassusScratch::default(), &mut out);
    out
}

#[test]
fn solvers_agree_on_contacts_that_yield() {
    let mut pieces = [0; 3];
    for rows in [1, 2, 3, 6] {
        for (name, problem) in problems(rows) {
            assert_eq!(problem.validate(), Ok(()), "{name}");
            let soft = problem.kind().compliance;
            let reference = solved(Method::Clarabel, &problem, 1e-12);
            let want = velocities(&problem, &reference);
            let size = |list: &[f64]| list.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            for method in SOLVERS {
                // Methods without restart crawl where masses differ, and to the last digits anywhere.
                let slow = matches!(
                    method,
                    Method::Pgd | Method::Pgj | Method::Apgd | Method::ApgdAs
                );
                if slow && name.contains("mass_ratio: 100.0") {
                    continue;
                }
                let found = solved(method, &problem, if slow { 1e-10 } else { 1e-12 });
                let label = format!("{} {name}", method.name());
                for (a, b) in velocities(&problem, &found).iter().zip(&want) {
                    assert!((a - b).abs() < 1e-8 * size(&want), "{label}: {a} {b}");
                }
                // Where contacts give there is one answer.
                for (a, b) in found.iter().zip(&reference).filter(|_| soft) {
                    assert!((a - b).abs() < 1e-8 * size(&reference), "{label}: {a} {b}");
                }
            }
            // Limits are reached: impulses that pull, and impulses at the cap.
            for (k, impulse) in reference.chunks_exact(rows).enumerate() {
                if let AdmissibleSet::Yield { cap, .. } = problem.set(k) {
                    let normal = problem.delassus.normal(k).to_array();
                    let along: f64 = match rows {
                        1 => impulse[0],
                        _ => impulse.iter().zip(normal).map(|(x, n)| x * n).sum(),
                    };
                    pieces[0] += usize::from(along < -1e-6);
                    pieces[1] += usize::from(along > cap * (1.0 - 1e-9));
                    pieces[2] += 1;
                }
            }
        }
    }
    let [pulled, capped, all] = pieces;
    assert!(10 * pulled > all && 10 * capped > all, "{pieces:?}");
}

#[test]
fn the_reference_hardly_ever_needs_help() {
    // Its own method alone, whose cones are made of the definition of the sets and not of their projections. Where
    // masses differ the last digits may be added by another.
    let (mut alone, mut all) = (0, 0);
    for rows in [1, 2, 3, 6] {
        for (name, problem) in problems(rows) {
            let config = SolverConfig {
                tolerance: 1e-6,
                ..SolverConfig::named(Method::Clarabel)
            };
            let mut found = vec![0.0; problem.len()];
            let report = solver(&config).solve(&problem, &mut found, &config.ask());
            assert_eq!(report.status, Status::Converged, "{name}: {report:?}");
            (alone, all) = (alone + usize::from(report.finished_by.is_none()), all + 1);
        }
    }
    assert!(10 * alone >= 9 * all, "{alone} of {all}");
}

#[test]
fn shifted_sets_that_yield_are_solved_by_all() {
    for rows in [1, 2, 3, 6] {
        let (name, problem) = problems(rows).pop().unwrap();
        let shift = (0..problem.contact_count()).map(|k| 0.1 * (k % 3) as f64);
        let shifted = problem.clone().with_shift(shift.collect()).unwrap();
        let want = solved(Method::Clarabel, &shifted, 1e-10);
        for method in SOLVERS {
            let found = solved(method, &shifted, 1e-10);
            for (a, b) in found.iter().zip(&want) {
                assert!(
                    (a - b).abs() < 1e-8 * (1.0 + b.abs()),
                    "{} {name}",
                    method.name()
                );
            }
        }
        // What the bodies feel does the work.
        let mut real = want.clone();
        shifted.unshift(&mut real);
        let (judged, plain) = (certify(&shifted, &want), certify(&problem, &real));
        assert!(
            (judged.dissipation - plain.dissipation).abs() < 1e-9 * (1.0 + plain.dissipation.abs())
        );
    }
}

#[test]
fn solvers_that_know_cones_refuse_and_say_who_does_not() {
    let problem = one_contact(yields(0.5, 1.0, 3.0), &[-2.0, 0.0, 0.0]);
    let mut refusals = 0;
    for method in Method::ALL {
        let verdict = solver(&SolverConfig::named(method)).supports(&problem.kind());
        assert_eq!(
            verdict.is_ok(),
            SOLVERS.contains(&method),
            "{}",
            method.name()
        );
        if let Err(refusal) = verdict {
            let text = refusal.to_string();
            assert!(
                text.contains("yield") && text.contains("`ags`") && text.contains("`clarabel`")
            );
            refusals += 1;
        }
    }
    assert!(refusals > 5);
}

#[test]
fn exact_friction_is_refused_where_contacts_yield() {
    let exact = |bias: &[f64]| ContactProblem {
        flow: Flow::Exact,
        ..one_contact(yields(0.5, 1.0, 3.0), bias)
    };
    let refused = exact(&[-2.0, 0.0, 0.0]);
    let error = refused.validate().unwrap_err();
    assert_eq!(error, ProblemError::ExactYield { contact: 0 });
    assert!(error.to_string().contains("`coulomb-convex`"));
    // Without friction there is nothing to be exact about.
    let scalar = exact(&[-2.0]);
    assert_eq!(scalar.validate(), Ok(()));
    for method in Method::ALL {
        for by in [ExactBy::Projection, ExactBy::FixedPoint] {
            let config = SolverConfig {
                exact: by,
                ..SolverConfig::named(method)
            };
            let solver = solver(&config);
            let text = solver.supports(&refused.kind()).unwrap_err().to_string();
            assert!(text.contains("yield"), "{text}");
            if SOLVERS.contains(&method) {
                assert!(text.contains("`coulomb-convex`"), "{text}");
                assert!(solver.supports(&scalar.kind()).is_ok(), "{}", method.name());
            }
        }
    }
}

#[test]
fn a_cap_lets_walls_close_in_and_without_it_they_contradict() {
    for rows in [1, 3] {
        let kind = random_problems(rows)[14];
        let round = random_problem(&kind);
        let round = match rows {
            1 => round,
            _ => with_friction(round, 1, 0.5..=0.5),
        };
        let base = squeezed(round, 0.1);
        let contacts = base.contact_count();
        let with = |rounding: f64, cap: f64| {
            let sets = (0..contacts).map(|k| match base.set(k) {
                AdmissibleSet::Cone { friction } => yields(friction, rounding, cap),
                _ => yields(0.0, rounding, cap),
            });
            ContactProblem {
                sets: Sets::Mixed(sets.collect()),
                ..base.clone()
            }
        };
        let mut direction = vec![0.0; base.len()];
        for (k, rows) in direction
            .chunks_exact_mut(rows)
            .enumerate()
            .skip(contacts - 2)
        {
            let normal = base.delassus.normal(k).to_array();
            match rows {
                [only] => *only = 1.0,
                _ => rows.copy_from_slice(&normal[..rows.len()]),
            }
        }
        let open = with(0.3, f64::INFINITY);
        let proof = Contradiction::of(&open, &direction, &direction).unwrap();
        assert!((proof.approach - 0.05).abs() < 1e-12, "{proof:?}");
        let capped = with(0.3, 20.0);
        assert!(Contradiction::of(&capped, &direction, &direction).is_none());
        for method in [Method::ApgdAr, Method::Ags, Method::Clarabel] {
            let config = SolverConfig {
                tolerance: 1e-6,
                max_iterations: 100_000,
                ..SolverConfig::named(method)
            };
            let mut found = vec![0.0; base.len()];
            let report = solver(&config).solve(&open, &mut found, &config.ask());
            assert_eq!(
                report.status,
                Status::Infeasible,
                "{}: {report:?}",
                method.name()
            );
            let found = solved(method, &capped, 1e-6);
            assert!(certify(&capped, &found).cone_violation < 1e-12);
        }
    }
}
