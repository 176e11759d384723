//! Sets that stand elsewhere along the normal (cohesion): every solver finds what the definition says.

use crate::dense_reference::space;
use granule::cases::{
    random_problem, random_problems, with_compliance, with_friction, with_other_shapes,
};
use granule::certify::certify;
use granule::math::DVec3;
use granule::problem::{Assembled, ContactProblem, Delassus, DelassusScratch, ProblemError};
use granule::solver::{Method, SolverConfig, Status, solver};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Small problems in which impulses are unique, with a shift of each contact: some hold, some push before they touch,
/// some are as they were.
fn problems(rows: usize) -> Vec<(String, ContactProblem, Vec<f64>)> {
    let mut kinds = random_problems(rows);
    kinds.retain(|kind| (kind.planar || rows != 2) && kind.bodies <= 10 && kind.seed % 5 == 0);
    let mut list = Vec::new();
    for kind in kinds {
        let round = random_problem(&kind);
        let round = match rows {
            1 => round,
            _ => with_friction(round, kind.seed, 0.2..=0.8),
        };
        let mixed = with_other_shapes(round.clone(), 2, kind.seed);
        for (name, problem) in [("round", round), ("mixed", mixed)] {
            let problem = with_compliance(problem, 0.5, kind.seed + 1);
            let mut random = Pcg64::seed_from_u64(kind.seed + 2);
            let shift = (0..problem.contact_count())
                .map(|k| match k % 3 {
                    0 => 0.0,
                    1 => random.random_range(0.0..0.5),
                    _ => random.random_range(-0.1..0.0),
                })
                .collect();
            list.push((format!("{name} {kind:?}"), problem, shift));
        }
    }
    list
}

/// c n, one entry a row.
fn along_normals(problem: &ContactProblem, shift: &[f64]) -> Vec<f64> {
    let rows = problem.rows();
    let mut out = vec![0.0; problem.len()];
    for (k, (c, out)) in shift.iter().zip(out.chunks_exact_mut(rows)).enumerate() {
        if rows == 1 {
            out[0] = *c;
            continue;
        }
        let normal: DVec3 = problem.delassus.normal(k);
        (out.iter_mut().zip(normal.to_array())).for_each(|(out, n)| *out = c * n);
    }
    out
}

fn apply(matrix: &Delassus, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    matrix.apply(x, &mut DelassusScratch::default(), &mut out);
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The minimum of ½ λ·Wλ + b·λ over K - c n, by accelerated projected gradients on the formed matrix.
fn reference(problem: &ContactProblem, shift: &[f64]) -> Vec<f64> {
    let matrix = Delassus::from(Assembled::from_space(space(problem)));
    let bound = matrix.spectral_bound(
        |_| granule::law::Metric::EUCLIDEAN,
        &mut DelassusScratch::default(),
    );
    let moved = along_normals(problem, shift);
    let mut x = vec![0.0; problem.len()];
    let (mut y, mut theta) = (x.clone(), 1.0f64);
    for _ in 0..60_000 {
        let w = apply(&matrix, &y);
        let mut next: Vec<f64> = (0..x.len())
            .map(|i| y[i] - (w[i] + problem.bias[i]) / bound + moved[i])
            .collect();
        problem.project(&mut next);
        (next.iter_mut().zip(&moved)).for_each(|(x, c)| *x -= c);
        let later = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        let step: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let uphill: f64 = (0..x.len()).map(|i| (y[i] - next[i]) * step[i]).sum();
        let beta = if uphill > 0.0 {
            0.0
        } else {
            (theta - 1.0) / later
        };
        theta = if uphill > 0.0 { 1.0 } else { later };
        y = next.iter().zip(&step).map(|(x, d)| x + beta * d).collect();
        x = next;
        if step.iter().all(|d| d.abs() < 1e-15) {
            break;
        }
    }
    x
}

#[test]
fn all_solvers_find_the_minimum_over_shifted_sets() {
    for rows in [1, 2, 3, 6] {
        for (name, problem, shift) in problems(rows) {
            let want = reference(&problem, &shift);
            let matrix = Delassus::from(Assembled::from_space(space(&problem)));
            let velocity = apply(&matrix, &want);
            let shifted = problem.clone().with_shift(shift).unwrap();
            let mut solved = 0;
            for method in Method::ALL {
                if matches!(method, Method::Pgd | Method::Pgj) {
                    continue;
                }
                let config = SolverConfig {
                    tolerance: 1e-9,
                    max_iterations: 200_000,
                    ..SolverConfig::named(method)
                };
                let mut solver = solver(&config);
                if solver.supports(&shifted.kind()).is_err() {
                    continue;
                }
                let mut found = vec![0.0; problem.len()];
                let report = solver.solve(&shifted, &mut found, &config.ask());
                let label = format!("{} {name}: {report:?}", method.name());
                assert_eq!(report.status, Status::Converged, "{label}");
                shifted.unshift(&mut found);
                let reached = apply(&matrix, &found);
                let size = velocity.iter().fold(1.0, |m: f64, w| m.max(w.abs()));
                for (a, b) in reached.iter().zip(&velocity) {
                    assert!((a - b).abs() < 1e-6 * size, "{label}: {a} {b}");
                }
                solved += 1;
            }
            assert!(solved >= 6, "{name}");
        }
    }
}

#[test]
fn the_work_is_that_of_the_impulses_between_bodies() {
    for rows in [1, 2, 3, 6] {
        for (name, problem, shift) in problems(rows) {
            let shifted = problem.clone().with_shift(shift.clone()).unwrap();
            let mut random = Pcg64::seed_from_u64(5);
            let mut impulses: Vec<f64> = (0..problem.len())
                .map(|_| random.random_range(-1.0..1.0))
                .collect();
            shifted.project(&mut impulses);
            let judged = certify(&shifted, &impulses);
            let mut real = impulses.clone();
            shifted.unshift(&mut real);
            // Without the shift the same impulses do the same work, though they lie in no set.
            let want = certify(&problem, &real);
            let off = (judged.dissipation - want.dissipation).abs();
            assert!(
                off < 1e-10 * (1.0 + want.dissipation.abs()),
                "{name}: {off}"
            );
            let off = (judged.max_penetration - want.max_penetration).abs();
            assert!(off < 1e-10, "{name}: {off}");
            assert!(judged.cone_violation < 1e-14, "{name}");
            // And back.
            shifted.shift_impulses(&mut real);
            for (a, b) in real.iter().zip(&impulses) {
                assert!((a - b).abs() < 1e-14, "{name}");
            }
        }
    }
}

#[test]
fn a_shift_is_set_and_undone_in_place() {
    let largest = problems(3)
        .into_iter()
        .max_by_key(|(_, problem, _)| problem.contact_count());
    let (_, problem, shift) = largest.unwrap();
    let mut changed = problem.clone();
    let (mut memory, mut scratch) = (Vec::new(), DelassusScratch::default());
    changed
        .set_shift(&shift, &mut memory, &mut scratch)
        .unwrap();
    let once = problem.clone().with_shift(shift.clone()).unwrap();
    assert_eq!(changed, once);
    let moved = along_normals(&problem, &shift);
    let work = dot(&moved, &once.shift.velocity);
    assert!(work > 0.0, "W c n makes c n move");
    let twice: Vec<f64> = shift.iter().map(|c| 2.0 * c).collect();
    changed
        .set_shift(&twice, &mut memory, &mut scratch)
        .unwrap();
    changed.set_shift(&[], &mut memory, &mut scratch).unwrap();
    assert!(changed.shift.is_empty());
    for (a, b) in changed.bias.iter().zip(&problem.bias) {
        assert!((a - b).abs() < 1e-12);
    }
    let wrong = changed.set_shift(&shift[1..], &mut memory, &mut scratch);
    assert!(matches!(
        wrong,
        Err(ProblemError::Length { what: "shift", .. })
    ));
}
