//! A disk that falls on an inclined plane: the exact motion, and the errors, final states and
//! fixed-point counts of an independent prototype (golden vectors of paper 004, §3.2).

use crate::golden_files::{Vector, load, numbers};
use granule::cases::{DiskState, disk_on_incline, exact_on_incline};
use granule::law::{Friction, Law, LawTable};
use granule::scheme::Recovery;
use granule::simulation::{Settings, Simulation, StepSize};
use granule::solver::{ExactBy, Method, Stop, WarmStart};

/// How penetrations are undone: the engine's own way, and the paper's. The disk never has any that
/// matters, so both must give the same.
const RECOVERIES: [Recovery; 2] = [Recovery::Position, Recovery::Velocity];

fn columns(state: &DiskState) -> [f64; 6] {
    let DiskState {
        down,
        gap,
        angle,
        velocity,
        normal_velocity,
        spin,
    } = *state;
    [down, gap, angle, velocity, normal_velocity, spin]
}

#[test]
fn the_exact_motion_is_that_of_the_corrected_appendix() {
    let Vector {
        inputs,
        outputs,
        tolerance,
    } = load("g004_bloch.json", "004-appB");
    let tolerance = tolerance["abs"].as_f64().unwrap();
    for friction in numbers(&inputs["mu"]) {
        let rows = outputs[format!("mu{friction:.1}")].as_array().unwrap();
        for (time, row) in numbers(&inputs["times"]).into_iter().zip(rows) {
            let exact = columns(&exact_on_incline(friction, time));
            for (x, y) in exact.into_iter().zip(numbers(row)) {
                assert!((x - y).abs() <= tolerance, "{friction} {time}: {x} {y}");
            }
        }
    }
}

/// What a run to t = 10 gave.
struct Run {
    /// √(Σ_k Δt |x - x_k|²), m s^½, and the same of the angle, rad s^½.
    errors: [f64; 2],
    states: Vec<DiskState>,
    /// Mean number of convex problems solved in a step.
    solves: f64,
}

/// The prototype's settings. It takes the contact into account while the disk still falls, so that
/// the slip there counts for its fixed point, which ends at `fixed_point`.
fn run(law: Law, step: f64, recovery: Recovery, fixed_point: f64) -> Run {
    let mut settings = Settings::new(StepSize::Fixed(step), 10.0);
    settings.scheme.recovery = recovery;
    settings.candidate_distance = Some(2.0);
    settings.solver.own = Method::ApgdAr.into();
    settings.solver.warm_start = WarmStart::Zero;
    settings.solver.tolerance = 1e-13;
    if matches!(law, Law::Coulomb(_)) {
        settings.solver.exact = ExactBy::FixedPoint;
        settings.solver.stop = Stop::Paper;
        settings.solver.fixed_point_tolerance = fixed_point;
    }
    let mut world = disk_on_incline();
    world.laws = LawTable::uniform(law);
    let mut simulation = Simulation::new(world, settings).unwrap();
    let mut run = Run {
        errors: [0.0; 2],
        states: Vec::new(),
        solves: 0.0,
    };
    let mut state = DiskState::default();
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        state = DiskState::of(simulation.world(), &state);
        let exact = exact_on_incline(law.friction().sliding, report.time);
        let (down, gap) = (state.down - exact.down, state.gap - exact.gap);
        run.errors[0] += step * (down * down + gap * gap);
        run.errors[1] += step * (state.angle - exact.angle).powi(2);
        run.states.push(state);
        run.solves += report.convex_solves as f64;
    }
    run.errors = run.errors.map(f64::sqrt);
    run.solves /= run.states.len() as f64;
    run
}

fn check(id: &str, law: fn(Friction) -> Law, recovery: Recovery) {
    let Vector {
        inputs,
        outputs,
        tolerance,
    } = load("g004_bloch.json", id);
    let law = law(Friction::sliding(inputs["mu"].as_f64().unwrap()));
    let steps = numbers(&inputs["dt"]);
    let bound = |name: &str| tolerance[name].as_f64().unwrap();
    let fixed_point = inputs["tolFP"].as_f64().unwrap();
    let runs: Vec<Run> = steps
        .iter()
        .map(|&h| run(law, h, recovery, fixed_point))
        .collect();
    for (place, (step, run)) in steps.iter().zip(&runs).enumerate() {
        let place_of = |name: &str| &outputs[name][place];
        for (name, error) in [("e_x", run.errors[0]), ("e_theta", run.errors[1])] {
            let want = place_of(name).as_f64().unwrap();
            assert!(
                (error - want).abs() <= bound("e_rel") * want,
                "{id} {step} {recovery:?} {name}: {error}, {want}"
            );
        }
        let last = columns(run.states.last().unwrap());
        let want = numbers(place_of("final_state_sT_gap_theta_vT_vn_omega"));
        for (x, y) in last.into_iter().zip(want) {
            assert!(
                (x - y).abs() <= bound("state_abs"),
                "{id} {step} {recovery:?}: {x}, {y}"
            );
        }
        let want = place_of("avg_fp_iterations").as_f64().unwrap();
        assert!(
            (run.solves - want).abs() <= bound("avg_fp"),
            "{id} {step} {recovery:?}: {} convex problems a step, {want}",
            run.solves
        );
    }
    let order = slope(&steps, &runs);
    let want = outputs["order_x"].as_f64().unwrap();
    assert!(
        (order - want).abs() <= bound("order"),
        "{id}: order {order}, {want}"
    );
}

/// The order of the error of positions, by least squares.
fn slope(steps: &[f64], runs: &[Run]) -> f64 {
    let x: Vec<f64> = steps.iter().map(|h| h.ln()).collect();
    let y: Vec<f64> = runs.iter().map(|run| run.errors[0].ln()).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_x, mean_y) = (mean(&x), mean(&y));
    let products = x.iter().zip(&y).map(|(x, y)| (x - mean_x) * (y - mean_y));
    products.sum::<f64>() / x.iter().map(|x| (x - mean_x).powi(2)).sum::<f64>()
}

#[test]
fn sliding_with_the_convex_law_is_the_prototypes() {
    for recovery in RECOVERIES {
        check("004-3.2-convex-mu0.1", Law::CoulombConvex, recovery);
    }
}

#[test]
fn rolling_by_the_fixed_point_is_the_prototypes() {
    for recovery in RECOVERIES {
        check("004-3.2-fp-mu1.0", Law::Coulomb, recovery);
    }
}

#[test]
fn sliding_opens_the_gap_of_the_convex_law_and_not_of_the_exact_one() {
    let Vector {
        inputs,
        outputs,
        tolerance,
    } = load("g004_bloch.json", "004-3.2.2-dilatation");
    let (step, friction) = (
        inputs["dt"].as_f64().unwrap(),
        inputs["mu"].as_f64().unwrap(),
    );
    let tolerance = tolerance["abs"].as_f64().unwrap();
    let near = |x: f64, name: &str, recovery| {
        let want = outputs[name].as_f64().unwrap();
        assert!(
            (x - want).abs() <= tolerance,
            "{name} {recovery:?}: {x}, {want}"
        );
    };
    for recovery in RECOVERIES {
        let run = |law| run(law, step, recovery, 1e-14).states;
        let law = |mu: f64| Law::CoulombConvex(Friction::sliding(mu));
        let convex = run(law(friction));
        let (middle, last) = (convex[convex.len() / 2 - 1], convex[convex.len() - 1]);
        near(middle.gap, "gap_t5", recovery);
        near(last.gap, "gap_t10", recovery);
        near(
            friction * step * last.slip().abs(),
            "mu_dt_vPT_t10",
            recovery,
        );
        let rolling = run(law(1.0));
        near(rolling[rolling.len() - 1].gap, "gap_mu1_t10", recovery);
        let exact = Law::Coulomb(Friction::sliding(friction));
        let exact = run(exact);
        near(exact[exact.len() - 1].gap, "gap_fp_t10", recovery);
    }
}
