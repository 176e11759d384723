//! Gauss-Seidel with the five local solvers takes the iterations of the paper's example and of
//! independent prototypes (golden vectors of paper 000).

use crate::golden_files::{Vector, load, numbers};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases;
use granule::math::DVec3;
use granule::problem::{Assembled, ContactProblem};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Simulation, StepSize, World};
use granule::solver::{Method, SolveReport, SolverConfig, Status, Stop, solver};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::Value;

const NAMES: [(&str, Method); 5] = [
    ("SBP", Method::NlgsSbp),
    ("SAL", Method::NlgsSal),
    ("EBP", Method::NlgsEbp),
    ("EAL", Method::NlgsEal),
    ("PDAS", Method::NlgsPdas),
];

fn paper(method: Method, rho: f64, tolerance: f64) -> SolverConfig {
    let mut config = SolverConfig {
        tolerance,
        stop: Stop::Paper,
        max_iterations: 10_000,
        ..SolverConfig::named(method)
    };
    if let Some((_, Some(local))) = config.own.sweeps_mut() {
        local.step = rho;
    }
    config
}

fn run(problem: &ContactProblem, config: &SolverConfig) -> (SolveReport, Vec<f64>) {
    let mut impulses = vec![0.0; problem.len()];
    let report = solver(config).solve(problem, &mut impulses, &config.ask());
    (report, impulses)
}

fn number(inputs: &Value, key: &str) -> f64 {
    inputs[key].as_f64().unwrap()
}

/// A ball on a plane: v_free = -g Δt, W = 1/m.
fn ball(inputs: &Value) -> ContactProblem {
    let velocity = -number(inputs, "g") * number(inputs, "dt");
    let w = Assembled::from_dense(1, &[vec![1.0 / number(inputs, "m")]]).unwrap();
    ContactProblem::explicit(w, vec![velocity]).unwrap()
}

#[test]
fn one_ball_takes_the_iterations_of_the_closed_form() {
    for (id, key) in [
        ("000-5.1-table1", Some("test_after_update")),
        ("000-oneball-dt0.001-tol1e-07-th0.6", None),
    ] {
        let Vector {
            inputs, outputs, ..
        } = load("g000_barboteu.json", id);
        let counts = key.map_or(&outputs, |key| &outputs[key]);
        for (name, method) in NAMES {
            let rho = number(&inputs, "rho_times_W");
            let (report, _) = run(&ball(&inputs), &paper(method, rho, number(&inputs, "tol")));
            assert_eq!(report.status, Status::Converged);
            let expected = counts[name].as_u64().unwrap() as usize;
            assert_eq!(report.iterations, expected, "{id}: {name}");
        }
    }
}

#[test]
fn a_bouncing_ball_takes_one_iteration() {
    let Vector {
        inputs, outputs, ..
    } = load("g000_barboteu.json", "000-pdas-restitution-e0.5");
    let (e, before) = (number(&inputs, "e"), number(&inputs, "v_minus"));
    let mut problem = ball(&inputs);
    let free = before + problem.bias[0];
    problem.bias[0] = free + e * before;
    let (report, impulses) = run(
        &problem,
        &paper(Method::NlgsPdas, 1.0, number(&inputs, "tol")),
    );
    assert_eq!(report.iterations, 1);
    assert!((impulses[0] - number(&outputs, "impulse")).abs() < 1e-12);
    let after = free + impulses[0] / number(&inputs, "m");
    assert!((after - number(&outputs, "v_plus")).abs() < 1e-12);
}

/// The frictionless problem of a snapshot, with W formed and contacts in the order of the list.
struct Snapshot {
    problem: ContactProblem,
    masses: Vec<f64>,
    free: Vec<[f64; 2]>,
    contacts: Vec<(usize, Option<usize>, [f64; 2])>,
}

impl Snapshot {
    fn new(inputs: &Value) -> Self {
        let masses = numbers(&inputs["masses"]);
        let free: Vec<[f64; 2]> = inputs["vfree"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| numbers(v).try_into().unwrap())
            .collect();
        let contacts: Vec<(usize, Option<usize>, [f64; 2])> = inputs["contacts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|contact| {
                let c = numbers(contact);
                let other = (c[1] >= 0.0).then_some(c[1] as usize);
                (c[0] as usize, other, [c[2], c[3]])
            })
            .collect();
        // D as columns over the degrees of freedom.
        let columns: Vec<Vec<f64>> = contacts
            .iter()
            .map(|(i, j, n)| {
                let mut column = vec![0.0; 2 * masses.len()];
                column[2 * i..2 * i + 2].copy_from_slice(n);
                if let Some(j) = j {
                    (column[2 * j], column[2 * j + 1]) = (-n[0], -n[1]);
                }
                column
            })
            .collect();
        let over_mass = |a: &[f64], b: &[f64]| -> f64 {
            let terms = a.iter().zip(b).enumerate();
            terms.map(|(d, (x, y))| x * y / masses[d / 2]).sum()
        };
        let matrix: Vec<Vec<f64>> = columns
            .iter()
            .map(|a| columns.iter().map(|b| over_mass(a, b)).collect())
            .collect();
        let flat: Vec<f64> = free.iter().flatten().copied().collect();
        let bias = columns
            .iter()
            .map(|column| column.iter().zip(&flat).map(|(d, v)| d * v).sum())
            .collect();
        Self {
            problem: ContactProblem::explicit(Assembled::from_dense(1, &matrix).unwrap(), bias)
                .unwrap(),
            masses,
            free,
            contacts,
        }
    }

    /// The velocities after the step, m/s.
    fn velocities(&self, impulses: &[f64]) -> Vec<[f64; 2]> {
        let mut v = self.free.clone();
        for ((i, j, n), p) in self.contacts.iter().zip(impulses) {
            for axis in 0..2 {
                v[*i][axis] += p * n[axis] / self.masses[*i];
                if let Some(j) = j {
                    v[*j][axis] -= p * n[axis] / self.masses[*j];
                }
            }
        }
        v
    }
}

#[test]
fn snapshots_of_a_sedimentation_take_the_iterations_of_the_prototype() {
    for id in ["000-5.2-snapshot-A", "000-5.2-snapshot-C"] {
        let Vector {
            inputs, outputs, ..
        } = load("g000_barboteu.json", id);
        let snapshot = Snapshot::new(&inputs);
        for (tolerance, name) in [(1e-7, "tol1e-07"), (1e-9, "tol1e-09")] {
            for (_, method) in NAMES {
                let standard = matches!(method, Method::NlgsSbp | Method::NlgsSal);
                let cases: &[(f64, &str)] = if standard {
                    &[(0.42, "SBP_SAL_th0.42"), (0.68, "SBP_SAL_th0.68")]
                } else {
                    &[(1.0, "exact_EBP_EAL_PDAS")]
                };
                for (rho, key) in cases {
                    let (report, _) = run(&snapshot.problem, &paper(method, *rho, tolerance));
                    let expected = &outputs["iterations"][format!("{key}_{name}")];
                    let expected = expected.as_u64().unwrap() as usize;
                    assert!(
                        report.iterations.abs_diff(expected) <= 1,
                        "{id}, {}, ρW = {rho}, {tolerance:e}: {} and not {expected}",
                        method.name(),
                        report.iterations,
                    );
                }
            }
        }
        let config = SolverConfig {
            tolerance: 1e-12,
            ..SolverConfig::named(Method::NlgsPdas)
        };
        let (report, impulses) = run(&snapshot.problem, &config);
        assert_eq!(report.status, Status::Converged);
        let expected = outputs["v"].as_array().unwrap();
        for (v, expected) in snapshot.velocities(&impulses).iter().zip(expected) {
            for (x, y) in v.iter().zip(numbers(expected)) {
                assert!((x - y).abs() < 1e-8, "{id}: {x} and not {y}");
            }
        }
    }
}

/// Disks with the radii of the paper's balls, in columns between two walls. The vector gives their
/// numbers; the grid is chosen here.
fn sedimentation(count: usize, columns: usize) -> World {
    let mut world = World::new(Dimension::Plane);
    world.gravity = -9.81 * DVec3::Y;
    let side = 1.05e-3;
    let width = side * columns as f64;
    for (point, normal) in [
        (DVec3::ZERO, DVec3::Y),
        (DVec3::ZERO, DVec3::X),
        (width * DVec3::X, DVec3::NEG_X),
    ] {
        let plane = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(plane, point, normal, Motion::Fixed));
    }
    let mut random = Pcg64::seed_from_u64(1);
    for k in 0..count {
        let radius = random.random_range(0.25e-3..0.5e-3);
        let cell = DVec3::new((k % columns) as f64 + 0.5, (k / columns) as f64 + 0.5, 0.0);
        let jitter = DVec3::new(
            random.random_range(-0.02e-3..0.02e-3),
            random.random_range(-0.02e-3..0.02e-3),
            0.0,
        );
        let mass = 2500.0 * std::f64::consts::PI * radius * radius;
        world.add_sphere(&Sphere::new(side * cell + jitter, radius, mass));
    }
    world
}

#[test]
fn standard_local_solvers_take_as_many_more_iterations_over_a_sedimentation() {
    let Vector {
        inputs,
        outputs,
        tolerance,
    } = load("g000_barboteu.json", "000-5.2-ratio");
    let whole = |key: &str| inputs[key].as_u64().unwrap() as usize;
    let mut settings = cases::settling_500_settings();
    settings.step = StepSize::Fixed(number(&inputs, "dt"));
    settings.end = number(&inputs, "dt") * whole("steps") as f64;
    settings.solver.own = Method::NlgsPdas.into();
    let mut simulation =
        Simulation::new(sedimentation(whole("N"), whole("cols")), settings).unwrap();
    let cases = [
        ("PDAS", Method::NlgsPdas, 1.0),
        ("EBP=EAL", Method::NlgsEbp, 1.0),
        ("EBP=EAL", Method::NlgsEal, 1.0),
        ("SBP=SAL th=.68", Method::NlgsSbp, 0.68),
        ("SBP=SAL th=.68", Method::NlgsSal, 0.68),
        ("SBP=SAL th=.42", Method::NlgsSbp, 0.42),
        ("SBP=SAL th=.42", Method::NlgsSal, 0.42),
    ];
    let mut totals = [0; 7];
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        if !report
            .step
            .is_multiple_of(inputs["every"].as_u64().unwrap())
        {
            continue;
        }
        let problem = simulation.first_problem().problem();
        for (total, (_, method, rho)) in totals.iter_mut().zip(cases) {
            let (report, _) = run(problem, &paper(method, rho, number(&inputs, "tol")));
            *total += report.iterations;
        }
    }
    for (total, (name, method, _)) in totals.into_iter().zip(cases) {
        let (ratio, expected) = (
            f64::from(total as u32) / f64::from(totals[0] as u32),
            number(&outputs["ratio"], name),
        );
        assert!(
            (ratio / expected - 1.0).abs() < tolerance["ratio_rel"].as_f64().unwrap(),
            "{}: {ratio} and not {expected}, of {} iterations",
            method.name(),
            totals[0]
        );
    }
}
