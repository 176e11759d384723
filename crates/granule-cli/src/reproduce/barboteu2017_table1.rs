//! A ball on a plane with five local solvers in Gauss-Seidel [barboteu2017, §5.1, Table 1, Figure 1].
//!
//! The paper prints neither ρ of its two standard methods, on which their counts depend, nor the tolerance, which
//! is taken to be that of its other examples. So their counts are drawn by ρ, and nothing is fitted.

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::math::DVec3;
use granule::problem::{Assembled, ContactProblem};
use granule::scheme::{Recovery, SchemeConfig, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, Stage, StepSize, World};
use granule::solver::{
    LocalStep, Method, MethodSettings, SolverConfig, Stop, Sweeps, WarmStart, solver,
};
use std::ops::RangeInclusive;

/// The time step, s.
const STEP: f64 = 1e-4;
const STEPS: usize = 2000;
/// m/s.
const SPEED: f64 = 1.5;
/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// ε_glob of the other examples.
pub(super) const TOLERANCE: f64 = 1e-7;
/// ρ W of the standard methods where one is needed: the one at which tables 2 and 3 are made.
pub(super) const RHO: f64 = 0.68;
/// ρ W for which counts are drawn: a hundredth to one, in thousandths.
const DRAWN: RangeInclusive<u32> = 10..=1000;

/// A method with the paper's step, which only the standard ones take.
pub(super) fn with_printed_step(method: Method, step: f64) -> MethodSettings {
    let (sweeps, step) = (Sweeps::default(), LocalStep { step });
    match method {
        Method::NlgsSbp => MethodSettings::NlgsSbp(sweeps, step),
        Method::NlgsSal => MethodSettings::NlgsSal(sweeps, step),
        other => other.into(),
    }
}

/// A solver as printed: every solve from zero, to the test (42).
fn config(method: Method, rho: f64) -> SolverConfig {
    SolverConfig {
        own: with_printed_step(method, rho),
        tolerance: TOLERANCE,
        stop: Stop::Paper,
        warm_start: WarmStart::Zero,
        ..SolverConfig::default()
    }
}

/// Figure 1: a ball of 1 kg that slides on a plane.
fn ball() -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mut ball = Sphere::new(0.1 * DVec3::Z, 0.1, 1.0);
    ball.velocity = SPEED * DVec3::X;
    world.add_sphere(&ball);
    world
}

/// What 2000 steps took.
struct Slide {
    /// The most in a step, and whether it is the same in all.
    iterations: usize,
    same: bool,
    seconds: f64,
    contact_seconds: f64,
}

fn slide(method: Method) -> Result<Slide, Error> {
    let mut settings = Settings::new(StepSize::Fixed(STEP), STEP * STEPS as f64);
    settings.scheme = SchemeConfig::named(SchemeName::MoreauJean);
    settings.scheme.recovery = Recovery::None;
    settings.solver = config(method, RHO);
    let mut simulation = Simulation::new(ball(), settings)?;
    let (mut least, mut most) = (usize::MAX, 0);
    for _ in 0..STEPS {
        let iterations = simulation.step()?.iterations;
        (least, most) = (least.min(iterations), most.max(iterations));
    }
    let seconds = |stage| simulation.times().get(stage).as_secs_f64();
    Ok(Slide {
        iterations: most,
        same: least == most,
        seconds: Stage::ALL.into_iter().map(seconds).sum(),
        contact_seconds: seconds(Stage::Solve),
    })
}

/// A step of the ball alone: v_free = -g Δt, W = 1/m.
fn one_step() -> ContactProblem {
    Assembled::from_dense(1, &[[1.0]])
        .and_then(|w| ContactProblem::explicit(w, vec![-GRAVITY * STEP]))
        .expect("one contact with finite numbers")
}

fn iterations(problem: &ContactProblem, method: Method, rho: f64) -> usize {
    let config = config(method, rho);
    let report = solver(&config).solve(problem, &mut [0.0], &config.ask());
    report.iterations
}

/// The velocity is (1 - ρ W)ᵏ of the first after k iterations; so many bring the test, which is
/// |v| (1 + p), below its tolerance.
fn predicted(rho: f64) -> usize {
    let impulse = GRAVITY * STEP;
    let mut velocity = impulse;
    let mut count = 0;
    while velocity * (1.0 + impulse - velocity) > TOLERANCE {
        velocity *= 1.0 - rho;
        count += 1;
    }
    count
}

/// The ends of the values of ρ W that give a count.
fn range(counts: &[(f64, usize)], wanted: usize) -> String {
    let those = || counts.iter().filter(|(_, count)| *count == wanted);
    match (those().next(), those().next_back()) {
        (Some((low, _)), Some((high, _))) => format!("{low:.3} to {high:.3}"),
        _ => "none".to_owned(),
    }
}

/// Iterations and times of the five solvers, and the counts of the standard ones by ρ.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    options.say("five local solvers on one contact");
    options.draw(
        &ball(),
        "barboteu2017-fig1",
        "A ball slides on a plane (figure 1)",
    )?;
    let slides = Method::BARBOTEU
        .map(slide)
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let problem = one_step();
    let scan = |method| -> Vec<(f64, usize)> {
        let rho = DRAWN.map(|k| f64::from(k) / 1000.0);
        rho.map(|rho| (rho, iterations(&problem, method, rho)))
            .collect()
    };
    let scans = [scan(Method::NlgsSbp), scan(Method::NlgsSal)];
    let mut rows = Vec::new();
    for (method, slide) in Method::BARBOTEU.into_iter().zip(&slides) {
        let name = method.name();
        let number = published.get(&format!("table1-{name}"))?;
        let printed = number.float()? as usize;
        let standard = [Method::NlgsSbp, Method::NlgsSal]
            .iter()
            .position(|m| *m == method);
        if let Some(place) = standard {
            let found = range(&scans[place], printed);
            let before = range(&scans[place], printed - 1);
            rows.push(
                Row::unpublished(
                    format!("{name}, ρ W for which it takes the printed {printed} iterations"),
                    found.as_str(),
                )
                .note(format!(
                    "the paper does not print ρ; if its test is made before the update instead of after it, {before}"
                )),
            );
        } else {
            // Whether the test is made before or after the update of a sweep is one iteration.
            let verdict = Verdict::matches(
                (printed == slide.iterations || printed == slide.iterations + 1) && slide.same,
            );
            let note = "the same in all 2000 steps; match: the printed count, or one less, by whether the test is \
                        made before or after the update";
            let row = number.row(
                format!("{name}, iterations a step"),
                slide.iterations,
                verdict,
            );
            rows.push(row.unit("iterations").note(note));
        }
    }
    let off = scans.iter().flatten();
    let off = off
        .map(|&(rho, count)| count.abs_diff(predicted(rho)))
        .max();
    let near = published.tolerance("table1-linear")?;
    let verdict = Verdict::matches(off.is_some_and(|off| near.allows(off as f64)));
    let number = published.get("table1-linear")?;
    rows.push(
        number
            .row("nlgs-sbp and nlgs-sal, largest difference from the count of linear convergence, for ρ W from 0.01 to 1", off.unwrap_or(usize::MAX), verdict)
            .unit("iterations")
            .note(near.note("at most")),
    );
    let apart = scans[0].iter().zip(&scans[1]);
    let apart = apart.filter(|(a, b)| a.1 != b.1).count();
    rows.push(
        Row::unpublished("values of ρ W for which nlgs-sbp and nlgs-sal differ", apart).note(
            "without friction they are the same map, so that no ρ gives the printed 18 of one and 17 of the other; and \
             EBP, EAL and PDAS are one closed form, which ends in one iteration",
        ),
    );
    rows.extend(times(published, &slides)?);
    draw(&scans[0], options)?;
    Ok(rows)
}

fn times(published: &Published, slides: &[Slide]) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (method, slide) in Method::BARBOTEU.into_iter().zip(slides) {
        let name = method.name();
        for (key, what, seconds) in [
            ("table1-cpu", "CPU time of 2000 steps", slide.seconds),
            (
                "table1-contact",
                "contact forces, CPU time",
                slide.contact_seconds,
            ),
        ] {
            let number = published.get(&format!("{key}-{name}"))?;
            let row = number.row(format!("{name}, {what}"), seconds, Verdict::NoReference);
            rows.push(row.note("another machine and program: not judged"));
        }
    }
    Ok(rows)
}

fn draw(counts: &[(f64, usize)], options: &Options) -> Result<(), Error> {
    let header = ["rho W", "iterations"].map(str::to_owned);
    let lines: Vec<Vec<f64>> = counts
        .iter()
        .map(|&(rho, count)| vec![rho, count as f64])
        .collect();
    options.curve("barboteu2017-table1", &header, &lines)?;
    let curve = |label: &str, color, points: Vec<(f64, f64)>| Curve {
        label: label.to_owned(),
        color,
        stroke: Stroke::Line,
        points,
    };
    let shown = || counts.iter().filter(|(rho, _)| *rho >= 0.1);
    let level = |count: f64| vec![(0.1, count), (1.0, count)];
    options.chart(
        "barboteu2017-table1",
        &Chart {
            title: "Iterations of SBP and SAL for a ball on a plane, by ρ W".to_owned(),
            x: "ρ W",
            y: "iterations a step",
            logarithmic: false,
            curves: vec![
                curve(
                    "SBP and SAL",
                    0,
                    shown().map(|&(rho, count)| (rho, count as f64)).collect(),
                ),
                curve(
                    "linear convergence",
                    4,
                    shown()
                        .map(|&(rho, _)| (rho, predicted(rho) as f64))
                        .collect(),
                ),
                curve("printed for SBP: 18", 1, level(18.0)),
                curve("printed for SAL: 17", 2, level(17.0)),
            ],
        },
    )
}
