//! Gauss-Seidel with five local solvers for 500 balls that settle in a box and that flow down a slope
//! [barboteu2017, §5.2, §5.3, Tables 2 and 3], its convergence in one step [Figure 4], and the same with friction,
//! which the paper leaves open [§6].
//!
//! All runs begin when the balls have come together: a start on a grid falls for most of the printed steps, in which
//! there is nothing to solve.

use super::barboteu2017_table1::{RHO, TOLERANCE, with_printed_step};
use super::news::News;
use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases;
use granule::law::{Friction, Law, LawTable};
use granule::problem::ContactProblem;
use granule::scheme::Recovery;
use granule::simulation::{Settings, Simulation, Stage, StepSize, World};
use granule::solver::{Method, OnFailure, SolverConfig, Stop, WarmStart, solver};

/// Why times are not judged.
const UNLIKE: &str = "not judged: the start is not printed, and a total is as long as balls lie on each other in it; ours \
                      do in all steps; ours is by the clock, all five methods step by step together, so that other work on \
                      the machine slows all alike";
/// Of balls with friction.
const FRICTION: f64 = 0.3;
/// The most sweeps a step with friction.
const PATIENCE: usize = 5000;

/// A scene of the paper.
struct Scene {
    /// In names of numbers and files.
    table: &'static str,
    loose: fn(u64) -> World,
    settings: fn() -> Settings,
    /// Time in which the balls come together, s.
    gather: f64,
    /// Steps of the table, and with `--quick`.
    steps: [usize; 2],
    /// Pictures: what they show.
    captions: [&'static str; 2],
}

const BOX: Scene = Scene {
    table: "table2",
    loose: cases::settling_500,
    settings: cases::settling_500_settings,
    gather: 0.06,
    steps: [1000, 40],
    captions: [
        "500 balls about to fall in a box (figure 2, left)",
        "500 balls that have come together in the box (figure 2, right): the start of the times",
    ],
};

const SLOPE: Scene = Scene {
    table: "table3",
    loose: cases::inclined_500,
    settings: cases::inclined_500_settings,
    gather: 0.05,
    steps: [10_000, 40],
    captions: [
        "350 balls about to fall on 150 fixed ones on a slope (figure 3)",
        "The same when they have come together: the start of the times",
    ],
};

impl Scene {
    /// The balls when they have come together, by this engine's own solver.
    fn gathered(&self, options: &Options) -> Result<World, Error> {
        let mut settings = (self.settings)();
        settings.step = StepSize::Fixed(1e-4);
        settings.end = self.gather;
        settings.solver = SolverConfig {
            tolerance: 1e-4,
            ..SolverConfig::named(Method::Ags)
        };
        let loose = (self.loose)(0);
        let name = |when: &str| format!("barboteu2017-{}-{when}", self.table);
        options.draw(&loose, &name("start"), self.captions[0])?;
        let mut news = News::start(options, format!("{}: balls come together", self.table));
        let mut simulation = Simulation::new(loose, settings)?;
        while !simulation.finished() {
            let report = simulation.step()?;
            news.tell(report.time, settings.end);
        }
        let mut world = simulation.world().clone();
        (world.time, world.steps) = (0.0, 0);
        options.draw(&world, &name("gathered"), self.captions[1])?;
        Ok(world)
    }
}

/// What a run did.
#[derive(Clone, Copy, Default)]
struct Run {
    seconds: f64,
    contact_seconds: f64,
    iterations: usize,
    failed: usize,
    /// Sums over the steps of contacts, and of those with a force.
    contacts: usize,
    active: usize,
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
fn run(
    world: &World,
    settings: impl Fn(Method) -> Settings,
    steps: usize,
    mut news: News,
) -> Result<Vec<Run>, Error> {
    let simulation = |method| Simulation::new(world.clone(), settings(method));
    let mut simulations = Method::BARBOTEU
        .map(simulation)
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let mut runs = vec![Run::default(); simulations.len()];
    for step in 0..steps {
        for (simulation, run) in simulations.iter_mut().zip(&mut runs) {
            let report = simulation.step()?;
            run.iterations += report.iterations;
            run.failed +=
                usize::from(report.iterations >= simulation.settings().solver.max_iterations);
            run.contacts += report.contacts;
            run.active += report.active;
        }
        news.tell(step as f64, steps as f64);
    }
    for (simulation, run) in simulations.iter().zip(&mut runs) {
        let seconds = |stage| simulation.times().get(stage).as_secs_f64();
        run.seconds = Stage::ALL.into_iter().map(seconds).sum();
        run.contact_seconds = seconds(Stage::Solve);
    }
    Ok(runs)
}

/// A table of times: each method's, and their ratios to that of PDAS.
fn times(scene: &Scene, published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let table = scene.table;
    let count = scene.steps[usize::from(options.quick)];
    let world = scene.gathered(options)?;
    let news = News::start(
        options,
        format!("{table}: five local solvers, {count} steps"),
    );
    let settings = (scene.settings)();
    let runs = run(&world, |method| printed(settings, method), count, news)?;
    let last = runs.len() - 1;
    let mut rows = Vec::new();
    let mean = |sum: usize| sum as f64 / count as f64;
    rows.push(
        Row::unpublished("contacts a step", mean(runs[last].contacts))
            .note(format!("mean of {count} steps that begin when the balls have come together; the fall is in no time")),
    );
    rows.push(Row::unpublished(
        "contacts with a force a step",
        mean(runs[last].active),
    ));
    for (method, run) in Method::BARBOTEU.into_iter().zip(&runs) {
        let name = method.name();
        let (time, reference) = (
            published.get(&format!("{table}-{name}"))?,
            published.get(&format!("{table}-nlgs-pdas"))?,
        );
        let contact = published.get(&format!("{table}-contact-{name}"))?;
        rows.push(
            Row::unpublished(format!("{name}, iterations a step"), mean(run.iterations))
                .unit("iterations")
                .note(format!(
                    "to the paper's test (42) below {TOLERANCE:e}, from zero; {} steps ended at the limit of iterations",
                    run.failed
                )),
        );
        for (what, number, seconds) in [
            ("CPU time", time, run.seconds),
            ("contact forces, CPU time", contact, run.contact_seconds),
        ] {
            if options.quick {
                rows.push(
                    Row::unpublished(format!("{name}, {what} of {count} steps"), seconds).unit("s"),
                );
                continue;
            }
            rows.push(
                number
                    .row(format!("{name}, {what}"), seconds, Verdict::NoReference)
                    .note(UNLIKE),
            );
        }
        let ratio = run.seconds / runs[last].seconds;
        let expected = time.float()? / reference.float()?;
        let quantity = format!("{name}, time over that of PDAS");
        let more = run.iterations as f64 / runs[last].iterations as f64;
        rows.push(match method {
            Method::NlgsSbp | Method::NlgsSal => {
                let same = published.tolerance("time-ratio")?;
                let verdict = Verdict::matches(
                    same.allows((ratio / expected).max(expected / ratio)),
                );
                let mut row = time.row(quantity, ratio, verdict);
                row.published = Some(expected.into());
                row.unit("").note(same.note("within a factor of")).note(format!(
                    "iterations over those of PDAS {more:.2}; ρ W = {RHO} is ours, the paper's is not printed, and the \
                     counts depend on it"
                ))
            }
            _ => Row::unpublished(quantity, ratio).note(
                "EBP, EAL and PDAS coincide without friction: they are one closed form here, so that their ratios, \
                 1.03 to 1.30 in the paper, are noise",
            ),
        });
    }
    let same = runs[2..]
        .iter()
        .all(|run| run.iterations == runs[last].iterations);
    let number = published.get("coincide")?;
    rows.push(number.row(
        "EBP, EAL and PDAS take the same iterations",
        if same { "yes" } else { "no" },
        Verdict::matches(same),
    ));
    Ok(rows)
}

/// 500 balls that settle in a box.
pub fn table2(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    times(&BOX, published, options)
}

/// 500 balls on a slope.
pub fn table3(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    times(&SLOPE, published, options)
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

/// The convergence at one step on the slope, in which hundreds of contacts have a force.
pub fn figure4(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let world = SLOPE.gathered(&Options {
        data: None,
        out: None,
        figures: None,
        ..*options
    })?;
    let mut settings = printed((SLOPE.settings)(), Method::NlgsPdas);
    settings.solver.warm_start = WarmStart::Previous;
    let mut simulation = Simulation::new(world, settings)?;
    let report = simulation.step()?;
    let problem = simulation.first_problem().problem();
    let tolerances: Vec<f64> = (8..=40).map(|k| 10f64.powf(-f64::from(k) / 4.0)).collect();
    let (mut curves, mut lines, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    let shown = [Method::NlgsSbp, Method::NlgsEal, Method::NlgsPdas];
    for (color, method) in shown.into_iter().enumerate() {
        options.say(format!("convergence of {}", method.name()));
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
        counts.push(iterations_to(problem, method, TOLERANCE));
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
            title: format!(
                "Gauss-Seidel in a step with {} contacts on the slope",
                report.active
            ),
            x: "iterations",
            y: "ε of the paper's test",
            logarithmic: true,
            curves,
        },
    )?;
    let mut rows = vec![
        Row::unpublished("contacts with a force in the step", report.active).note(format!(
            "of {} contacts; the paper shows its step 1000 and not how many there are",
            report.contacts
        )),
    ];
    for (method, &count) in shown.into_iter().zip(&counts) {
        let quantity = format!("{}, iterations to 1e-7", method.name());
        rows.push(Row::unpublished(quantity, count).unit("iterations"));
    }
    let slower = counts[0] as f64 / counts[2] as f64;
    let very = published.tolerance("fig4-slower")?;
    rows.push(
        published
            .get("fig4-sbp-slower")?
            .row(
                "iterations of SBP over those of PDAS",
                slower,
                Verdict::matches(slower >= very.most()),
            )
            .note(very.note("at least"))
            .note(format!("ρ W = {RHO}")),
    );
    let close = counts[1].abs_diff(counts[2]) as f64 / counts[2] as f64;
    let very = published.tolerance("fig4-close")?;
    rows.push(
        published
            .get("fig4-eal-close")?
            .row(
                "difference of EAL and PDAS in iterations, relative",
                close,
                Verdict::matches(very.allows(close)),
            )
            .note(very.note("at most"))
            .note("without friction both have a closed form of their own, and the two coincide"),
    );
    Ok(rows)
}

/// How far the five get in one solve, and what it costs.
fn random_blocks(options: &Options) -> Vec<Row> {
    let kinds = cases::random_problems(3);
    let kinds: Vec<_> = match options.quick {
        true => kinds.into_iter().step_by(8).collect(),
        false => kinds,
    };
    let mut rows = Vec::new();
    for method in Method::BARBOTEU {
        options.say(format!("{} on random problems", method.name()));
        let config = SolverConfig {
            tolerance: 1e-8,
            max_iterations: PATIENCE,
            own: with_printed_step(method, RHO),
            ..SolverConfig::default()
        };
        let solved = kinds.iter().filter(|kind| {
            let problem = cases::random_problem(kind);
            let problem = cases::with_friction(problem, kind.seed, 0.2..=0.8);
            let mut impulses = vec![0.0; problem.len()];
            let report = solver(&config).solve(&problem, &mut impulses, &config.ask());
            report.status == granule::solver::Status::Converged
        });
        let quantity = format!(
            "{}, random problems solved to the certificate 1e-8",
            method.name()
        );
        rows.push(Row::unpublished(quantity, solved.count()).unit("problems").note(format!(
            "of {}, with μ from 0.2 to 0.8, mass ratios up to 10⁴ and redundant contacts, in at most {PATIENCE} sweeps",
            kinds.len()
        )));
    }
    rows
}

/// The tables with friction, where the paper has none.
pub fn friction(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let count = if options.quick { 5 } else { 200 };
    let mut rows = Vec::new();
    for scene in [&BOX, &SLOPE] {
        let mut world = scene.gathered(&Options {
            data: None,
            out: None,
            figures: None,
            ..*options
        })?;
        world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(FRICTION)));
        let what = match scene.table {
            "table2" => "in the box",
            _ => "on the slope",
        };
        let news = News::start(options, format!("500 balls with friction {what}"));
        let settings = |method| {
            let mut settings = printed((scene.settings)(), method);
            settings.solver.max_iterations = PATIENCE;
            settings
        };
        let runs = run(&world, settings, count, news)?;
        let last = runs[runs.len() - 1];
        let mean = |sum: usize| sum as f64 / count as f64;
        rows.push(
            Row::unpublished(
                format!("{what}: contacts with a force a step"),
                mean(last.active),
            )
            .note(format!(
                "{count} steps, μ = {FRICTION}, of {:.0} contacts",
                mean(last.contacts)
            )),
        );
        for (method, run) in Method::BARBOTEU.into_iter().zip(&runs) {
            let name = method.name();
            rows.push(
                Row::unpublished(
                    format!("{what}: {name}, iterations a step"),
                    mean(run.iterations),
                )
                .unit("iterations")
                .note(format!(
                    "{} of {count} steps ended at the limit of {PATIENCE} sweeps",
                    run.failed
                )),
            );
            rows.push(Row::unpublished(
                format!("{what}: {name}, time over that of PDAS"),
                run.seconds / last.seconds,
            ));
        }
        let solved = last.failed == 0;
        let number = published.get("friction-pdas")?;
        rows.push(
            number
                .row(
                    format!("{what}: steps that PDAS with friction does not solve"),
                    last.failed,
                    Verdict::matches(solved),
                )
                .note("match: none; blocks of round bodies do not couple the normal with the tangents"),
        );
    }
    rows.extend(random_blocks(options));
    Ok(rows)
}
