//! Gauss-Seidel with five local solvers for 500 balls that settle in a box and that flow down a slope
//! [barboteu2017, §5.2, §5.3, Tables 2 and 3], and its convergence in one step [Figure 4].

use super::barboteu2017_table1::with_printed_step;
use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases;
use granule::problem::ContactProblem;
use granule::scheme::Recovery;
use granule::simulation::{Settings, Simulation, Stage, World};
use granule::solver::{Method, OnFailure, SolverConfig, Stop, WarmStart, solver};

/// ε_glob.
const TOLERANCE: f64 = 1e-7;
/// ρ W of the standard methods, which the paper does not print: with this value they need twice the
/// iterations of the others, as in Table 2.
const RHO: f64 = 0.68;
/// How far a ratio of times may be from the published one.
const SAME_RATIO: f64 = 1.5;
/// How many times faster than printed a run must be.
const FASTER: f64 = 100.0;
/// The step whose convergence Figure 4 shows.
const FIGURE_STEP: usize = 1000;

/// What a run did.
struct Run {
    seconds: f64,
    contact_seconds: f64,
    iterations: usize,
    failed: usize,
}

fn config(method: Method) -> SolverConfig {
    SolverConfig {
        own: with_printed_step(method, RHO),
        tolerance: TOLERANCE,
        stop: Stop::Paper,
        warm_start: WarmStart::Zero,
        on_failure: OnFailure::Warn,
        ..SolverConfig::default()
    }
}

/// The settings as printed: no control of drift, every step from zero.
fn printed(mut settings: Settings, method: Method) -> Settings {
    settings.scheme.recovery = Recovery::None;
    settings.solver = config(method);
    settings
}

/// Runs the five methods step by step together, so that other work on the machine slows all alike.
fn run(world: &World, settings: Settings, steps: usize) -> Result<Vec<Run>, Error> {
    let simulation = |method| Simulation::new(world.clone(), printed(settings, method));
    let mut simulations = Method::BARBOTEU
        .map(simulation)
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let mut counts = [(0, 0); Method::BARBOTEU.len()];
    for _ in 0..steps {
        for (simulation, (iterations, failed)) in simulations.iter_mut().zip(&mut counts) {
            let report = simulation.step()?;
            *iterations += report.iterations;
            *failed += usize::from(!report.certified);
        }
    }
    let runs = simulations.iter().zip(counts);
    Ok(runs
        .map(|(simulation, (iterations, failed))| {
            let seconds = |stage| simulation.times().get(stage).as_secs_f64();
            Run {
                seconds: Stage::ALL.into_iter().map(seconds).sum(),
                contact_seconds: seconds(Stage::Solve),
                iterations,
                failed,
            }
        })
        .collect())
}

/// A table of times: each method's, and their ratios to that of PDAS.
fn times(
    published: &Published,
    options: &Options,
    table: &str,
    (world, settings): (World, Settings),
    [steps, quick]: [usize; 2],
) -> Result<Vec<Row>, Error> {
    let count = if options.quick { quick } else { steps };
    options.say(format!("five local solvers, {count} steps"));
    let runs = run(&world, settings, count)?;
    let last = runs.len() - 1;
    let mut rows = Vec::new();
    for (method, run) in Method::BARBOTEU.into_iter().zip(&runs) {
        let name = method.name();
        let (time, reference) = (
            published.get(&format!("{table}-{name}"))?,
            published.get(&format!("{table}-nlgs-pdas"))?,
        );
        let printed = time.float()?;
        let faster = printed / run.seconds;
        let note = format!(
            "{count} steps, {} iterations, {} steps not solved; better: {FASTER} times faster than printed",
            run.iterations, run.failed
        );
        rows.push(if count == steps {
            let verdict = if faster >= FASTER {
                Verdict::Better
            } else {
                Verdict::Worse
            };
            time.row(format!("{name}, CPU time"), run.seconds, verdict)
                .note(format!("{faster:.0} times faster; {note}"))
        } else {
            Row::unpublished(format!("{name}, CPU time of {count} steps"), run.seconds)
                .unit("s")
                .note(note)
        });
        let contact = published.get(&format!("{table}-contact-{name}"))?;
        if count == steps {
            let verdict = if contact.float()? / run.contact_seconds >= FASTER {
                Verdict::Better
            } else {
                Verdict::Worse
            };
            rows.push(contact.row(
                format!("{name}, contact forces"),
                run.contact_seconds,
                verdict,
            ));
        }
        let ratio = run.seconds / runs[last].seconds;
        let expected = printed / reference.float()?;
        let same = 1.0 / SAME_RATIO..=SAME_RATIO;
        let verdict = Verdict::matches(same.contains(&(ratio / expected)));
        let mut row = time.row(format!("{name}, time over that of PDAS"), ratio, verdict);
        row.published = Some(expected.into());
        rows.push(row.unit("").note(format!(
            "match: within a factor of {SAME_RATIO}; iterations over those of PDAS {:.2}; ρ W of SBP and SAL, {RHO}, is ours",
            run.iterations as f64 / runs[last].iterations as f64
        )));
    }
    Ok(rows)
}

/// 500 balls that settle in a box.
pub fn table2(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let case = (cases::settling_500(0), cases::settling_500_settings());
    times(published, options, "table2", case, [1000, 300])
}

/// 500 balls on a slope.
pub fn table3(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let case = (cases::inclined_500(0), cases::inclined_500_settings());
    times(published, options, "table3", case, [10_000, 500])
}

/// The smallest number of iterations after which the paper's test is below a tolerance.
fn iterations_to(problem: &ContactProblem, method: Method, tolerance: f64) -> usize {
    let config = SolverConfig {
        tolerance,
        max_iterations: 100_000,
        ..config(method)
    };
    let mut impulses = vec![0.0; problem.len()];
    solver(&config)
        .solve(problem, &mut impulses, &config.ask())
        .iterations
}

/// The convergence at one step on the slope.
pub fn figure4(_: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let steps = if options.quick { 200 } else { FIGURE_STEP };
    options.say(format!("{steps} steps on the slope"));
    let settings = printed(cases::inclined_500_settings(), Method::NlgsPdas);
    let mut simulation = Simulation::new(cases::inclined_500(0), settings)?;
    for _ in 0..steps {
        simulation.step()?;
    }
    let problem = simulation.first_problem().problem();
    let tolerances: Vec<f64> = (8..=40).map(|k| 10f64.powf(-f64::from(k) / 4.0)).collect();
    let (mut curves, mut lines, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let shown = [Method::NlgsSbp, Method::NlgsEal, Method::NlgsPdas];
    for (color, method) in shown.into_iter().enumerate() {
        let points: Vec<(f64, f64)> = tolerances
            .iter()
            .map(|&tolerance| (iterations_to(problem, method, tolerance) as f64, tolerance))
            .collect();
        lines.extend(points.iter().map(|(iterations, error)| {
            vec![
                method.name().to_owned(),
                iterations.to_string(),
                format!("{error:e}"),
            ]
        }));
        let reached = iterations_to(problem, method, TOLERANCE);
        rows.push(
            Row::unpublished(format!("{}, iterations to 1e-7", method.name()), reached)
                .unit("iterations")
                .note("Figure 4 shows SBP far slower than EAL and PDAS, which are close"),
        );
        curves.push(Curve {
            label: method.name().to_owned(),
            color,
            stroke: Stroke::Both,
            points,
        });
    }
    let header = ["solver", "iterations", "error"].map(str::to_owned);
    options.curve("barboteu2017-fig4", &header, &lines)?;
    options.chart(
        "barboteu2017-fig4",
        &Chart {
            title: format!("Gauss-Seidel in step {steps} on the slope"),
            x: "iterations",
            y: "ε of the paper's test",
            logarithmic: true,
            curves,
        },
    )?;
    Ok(rows)
}
