//! Joints, half-lines and friction cones in one problem: what is free in them does not move, and all
//! solvers that take them give the same velocities.

use granule::cases::{random_problem, random_problems, with_friction, with_joints};
use granule::certify::certify;
use granule::law::AdmissibleSet;
use granule::math::DVec3;
use granule::problem::{
    BodySpace, ContactGeometry, ContactProblem, DelassusScratch, Lever, MatrixFree, Sets,
};
use granule::solver::{Method, SolveReport, SolverConfig, Status, solver};

fn solve(problem: &ContactProblem, method: Method, tolerance: f64) -> (SolveReport, Vec<f64>) {
    let config = SolverConfig {
        tolerance,
        max_iterations: 200_000,
        ..SolverConfig::named(method)
    };
    let mut impulses = vec![0.0; problem.len()];
    let report = solver(&config).solve(problem, &mut impulses, &config.ask());
    (report, impulses)
}

/// W λ + b.
fn velocities(problem: &ContactProblem, impulses: &[f64]) -> Vec<f64> {
    let mut rows = vec![0.0; problem.len()];
    let mut scratch = DelassusScratch::default();
    problem.delassus.apply(impulses, &mut scratch, &mut rows);
    rows.iter().zip(&problem.bias).map(|(w, b)| w + b).collect()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, x| most.max(x.abs()))
}

#[test]
fn solvers_agree_on_joints_half_lines_and_cones() {
    let others = [Method::Ags, Method::ApgdAr, Method::IpmMf, Method::Clarabel];
    let mut seen = 0;
    for rows in [1, 2, 3] {
        for kind in random_problems(rows)
            .iter()
            .filter(|kind| (2..=60).contains(&kind.bodies) && kind.mass_ratio <= 1e2)
            .filter(|kind| kind.planar || rows != 2)
        {
            let problem = with_joints(with_friction(random_problem(kind), 7, 0.2..=0.8));
            let (report, impulses) = solve(&problem, Method::Ipm, 1e-9);
            assert_eq!(
                report.status,
                Status::Converged,
                "ipm on {kind:?} {report:?}"
            );
            let reference = velocities(&problem, &impulses);
            let scale = largest(problem.bias.iter().copied());
            for (k, w) in reference.chunks_exact(rows).enumerate() {
                if problem.set(k) == AdmissibleSet::Free {
                    assert!(largest(w.iter().copied()) < 1e-6 * scale, "{k} of {kind:?}");
                    seen += 1;
                }
            }
            for method in others {
                let (report, impulses) = solve(&problem, method, 1e-8);
                let name = method.name();
                assert_eq!(report.status, Status::Converged, "{name} on {kind:?}");
                let velocity = velocities(&problem, &impulses);
                let apart = largest(reference.iter().zip(&velocity).map(|(a, b)| a - b));
                assert!(apart < 1e-5 * scale, "{name} is {apart} off on {kind:?}");
            }
        }
    }
    assert!(seen > 100);
}

/// A chain that hangs from the ground, link after link, `ratio` times heavier at its end; all links
/// fall at 1 m/s.
fn chain(links: usize, ratio: f64) -> ContactProblem {
    let mut inverse_mass = vec![1.0; links];
    inverse_mass[links - 1] = 1.0 / ratio;
    inverse_mass.push(0.0);
    let ground = links as u32;
    let contacts = (0..links as u32)
        .map(|a| ContactGeometry {
            normal: -DVec3::Z,
            a,
            b: if a == 0 { ground } else { a - 1 },
        })
        .collect::<Vec<_>>();
    let space = BodySpace {
        rows: 3,
        inverse_mass,
        lever: Lever::None,
        contacts,
        ..BodySpace::default()
    };
    let mut bias = vec![0.0; 3 * links];
    bias[2] = -1.0;
    ContactProblem {
        sets: Sets::Mixed(vec![AdmissibleSet::Free; links]),
        ..ContactProblem::explicit(MatrixFree::new(space).unwrap(), bias).unwrap()
    }
}

#[test]
fn a_hanging_chain_carries_what_hangs_below() {
    for ratio in [1.0, 1e4] {
        let links = 20;
        let problem = chain(links, ratio);
        let (report, impulses) = solve(&problem, Method::Ipm, 1e-10);
        assert_eq!(report.status, Status::Converged);
        assert!(report.iterations <= 10, "{} iterations", report.iterations);
        // The error times the condition of W, which is about links² times the ratio.
        let bound = 1e-10 * (links * links) as f64 * ratio;
        for (k, f) in impulses.chunks_exact(3).enumerate() {
            let below = (links - k - 1) as f64 + ratio;
            assert!(
                (f[2] / below - 1.0).abs() < bound,
                "{} and not {below}",
                f[2]
            );
        }
        assert!(certify(&problem, &impulses).residual < 1e-10 * ratio * 10.0);
    }
}

#[test]
fn what_knows_cones_only_refuses_joints() {
    let problem = chain(2, 1.0);
    let config = SolverConfig::named(Method::NlgsPdas);
    let refused = solver(&config).supports(&problem.kind()).unwrap_err();
    insta::assert_snapshot!(
        refused,
        @"solver `nlgs-pdas` with joints: its solution of one contact knows cones only; try `ags` or `ipm`"
    );
}
