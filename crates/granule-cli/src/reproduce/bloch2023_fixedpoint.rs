//! Iterations of the fixed point for a cube of spheres that falls on a plane [bloch2023, §3.3.2].
//!
//! The paper's fixed point starts from s = 0 in every step and ends when `‖s⁺ - s‖/(‖s⁺‖ + 1)` is
//! below a tolerance; the convex problems inside are solved far more exactly (the paper takes an
//! interior-point library). That tolerance is printed for a single disk only (1e-2, §3.2.2), and the
//! time step for N = 1728 only; ours for other N goes with the radii. Beside that stand this engine's
//! own ways to the exact law, all to one certificate.

use super::news::News;
use super::published::Published;
use super::{Error, Options, Row, Value, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases;
use granule::law::{Friction, Law};
use granule::scheme::Recovery;
use granule::simulation::{Simulation, World};
use granule::solver::{ExactBy, OnFailure, SolverConfig, Stop, WarmStart};

/// Seed of the initial state.
const SEED: u64 = 0;
/// Spheres along an edge of the cube.
const EDGES: [usize; 3] = [8, 10, 12];
/// The same with `--quick`.
const QUICK: [usize; 1] = [8];
/// The tolerance printed for a single disk.
const PRINTED: f64 = 1e-2;
/// What else the paper's runs may have ended at; it is not printed.
const OTHERS: [f64; 4] = [1e-1, 1e-3, 1e-4, 1e-5];
/// The same with `--quick`.
const QUICK_OTHERS: [f64; 2] = [1e-1, 1e-3];
/// What the convex problems are solved to where the paper's test ends the fixed point: the change of
/// an impulse in an iteration, N s, where the weight of a sphere in a step is about 0.01.
const INNER: f64 = 1e-8;
/// The certificate of our own ways.
const TOLERANCE: f64 = 1e-4;

/// What a run gave.
#[derive(Default)]
struct Run {
    steps: usize,
    /// Convex problems.
    solves: usize,
    /// Gradient iterations.
    iterations: usize,
    uncertified: usize,
    /// Largest error of a step by the certificate.
    error: f64,
}

impl Run {
    fn mean(&self, count: usize) -> f64 {
        count as f64 / self.steps as f64
    }
}

fn run(n: usize, friction: f64, solver: SolverConfig, options: &Options) -> Result<Run, Error> {
    let law = Law::Coulomb(Friction::sliding(friction));
    let world: World = cases::plane_drop(n, law, SEED);
    let mut settings = cases::plane_drop_settings(n);
    settings.candidate_distance = Some(world.bodies.radius.iter().copied().fold(0.0, f64::max));
    settings.scheme.recovery = Recovery::Velocity;
    settings.solver = solver;
    let mut simulation = Simulation::new(world, settings)?;
    let what = format!("{} spheres on a plane, μ = {friction}", n * n * n);
    let mut news = News::start(options, what);
    let mut run = Run::default();
    while !simulation.finished() {
        let report = simulation.step()?;
        news.tell(report.time, settings.end);
        run.steps += 1;
        run.solves += report.convex_solves;
        run.iterations += report.iterations;
        run.uncertified += usize::from(!report.certified);
        run.error = run.error.max(report.certificate.scaled);
    }
    if solver.stop == Stop::Paper && solver.fixed_point_tolerance == PRINTED {
        let name = format!("bloch2023-fixedpoint-{}-mu{friction}", n * n * n);
        let caption = format!(
            "{} spheres on a plane, μ = {friction}, t = {:.2} s (figure 11)",
            n * n * n,
            simulation.world().time
        );
        options.draw(simulation.world(), &name, caption)?;
    }
    Ok(run)
}

/// Mean outer iterations, and what our own ways cost beside them.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let printed = |fixed_point_tolerance| SolverConfig {
        tolerance: INNER,
        stop: Stop::Paper,
        exact: ExactBy::FixedPoint,
        fixed_point_tolerance,
        warm_start: WarmStart::Zero,
        on_failure: OnFailure::Warn,
        ..SolverConfig::default()
    };
    let fixed_point = SolverConfig {
        tolerance: TOLERANCE,
        exact: ExactBy::FixedPoint,
        on_failure: OnFailure::Warn,
        ..SolverConfig::default()
    };
    let projection = SolverConfig {
        exact: ExactBy::Projection,
        ..fixed_point
    };
    let (edges, others): (&[usize], &[f64]) = match options.quick {
        true => (&QUICK, &QUICK_OTHERS),
        false => (&EDGES, &OTHERS),
    };
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for &n in edges {
        for friction in [0.1, 1.0] {
            let of = |what: &str| format!("N = {}, μ = {friction}: {what}", n * n * n);
            let number = published.get(&format!("fixedpoint-mu{friction}"))?;
            let certificate =
                |run: &Run| format!("worst certificate {:.0e} of doing nothing", run.error);
            let theirs = run(n, friction, printed(PRINTED), options)?;
            let mean = theirs.mean(theirs.solves);
            let published_mean = number.float()?;
            let ratio = (mean / published_mean).max(published_mean / mean);
            let same = published.tolerance("fixedpoint-count")?;
            let quantity = of("mean fixed-point iterations a step");
            rows.push(
                number
                    .row(quantity, mean, Verdict::matches(same.allows(ratio)))
                    .note(format!(
                        "to {PRINTED:e}, the paper's tolerance for one disk: none is printed for this test"
                    ))
                    .note(same.note("within a factor"))
                    .note(certificate(&theirs)),
            );
            let mut means = vec![(PRINTED, mean)];
            for &tolerance in others {
                let other = run(n, friction, printed(tolerance), options)?;
                let quantity = of(&format!("the same to {tolerance:e}"));
                means.push((tolerance, other.mean(other.solves)));
                rows.push(
                    Row::unpublished(quantity, other.mean(other.solves))
                        .note("to show what the tolerance does; it is not in the paper")
                        .note(certificate(&other)),
                );
            }
            means.sort_by(|a, b| b.0.total_cmp(&a.0));
            rows.push(
                Row::unpublished(
                    of("tolerance that gives the published mean"),
                    reached(&means, published_mean),
                )
                .note("between those that were tried, linear in the logarithm"),
            );
            curves.push(Curve {
                label: format!("N = {}, μ = {friction}", n * n * n),
                color: curves.len(),
                stroke: Stroke::Both,
                points: means,
            });
            if options.quick {
                continue;
            }
            let ours = run(n, friction, projection, options)?;
            let around = run(n, friction, fixed_point, options)?;
            for (what, run) in [
                ("exact law in the projection", &ours),
                ("fixed point", &around),
            ] {
                let quantity = of(&format!("gradient iterations a step, {what}"));
                rows.push(Row::unpublished(quantity, run.mean(run.iterations)).note(format!(
                    "to the certificate {TOLERANCE:e}, from the last step's impulses; {} of {} steps do not reach it",
                    run.uncertified, run.steps
                )));
            }
            let ratio = ours.mean(ours.iterations) / around.mean(around.iterations);
            let quantity = of("iterations of the projection / of the fixed point");
            rows.push(Row::unpublished(quantity, ratio));
        }
    }
    draw(curves, published, options)?;
    Ok(rows)
}

/// The tolerance at which a mean is reached.
fn reached(means: &[(f64, f64)], wanted: f64) -> Value {
    let between = means
        .windows(2)
        .find(|pair| (pair[0].1..=pair[1].1).contains(&wanted));
    match between {
        Some(pair) => {
            let part = (wanted - pair[0].1) / (pair[1].1 - pair[0].1);
            let (from, to) = (pair[0].0.log10(), pair[1].0.log10());
            format!("{:.1e}", 10f64.powf(from + part * (to - from)))
                .as_str()
                .into()
        }
        None => "none of those tried".into(),
    }
}

/// Means over the tolerance, with the published ones.
fn draw(mut curves: Vec<Curve>, published: &Published, options: &Options) -> Result<(), Error> {
    for (color, friction) in [(4, 0.1), (5, 1.0)] {
        let mean = published
            .get(&format!("fixedpoint-mu{friction}"))?
            .float()?;
        let (low, high) = (OTHERS[OTHERS.len() - 1], OTHERS[0]);
        curves.push(Curve {
            label: format!("published, μ = {friction}"),
            color,
            stroke: Stroke::Line,
            points: vec![(low, mean), (high, mean)],
        });
    }
    let header = ["curve", "tolerance", "mean"].map(str::to_owned);
    let lines: Vec<Vec<String>> = (curves.iter())
        .flat_map(|c| {
            c.points
                .iter()
                .map(|p| vec![c.label.clone(), format!("{:e}", p.0), p.1.to_string()])
        })
        .collect();
    options.curve("bloch2023-fixedpoint", &header, &lines)?;
    options.chart(
        "bloch2023-fixedpoint",
        &Chart {
            title: "Mean fixed-point iterations a step, by the tolerance".to_owned(),
            x: "tolerance of the fixed point",
            y: "mean iterations",
            logarithmic: true,
            curves,
        },
    )
}
