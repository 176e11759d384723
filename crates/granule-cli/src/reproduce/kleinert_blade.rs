//! The draft force of a blade in a trench of spheres, by the tolerance [kleinert2017, §5, figure 10 and
//! Table 1].
//!
//! The trench is smaller than the paper's unless the full size is asked for, which goes on from its last
//! checkpoint when it is asked for again.

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases::{Trench, trench_settings};
use granule::simulation::{Settings, Simulation, Snapshot, World};
use granule::solver::{Method, OnFailure, SolverConfig};
use granule_io::checkpoint::CheckpointStore;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Errors of the worst contact, m/s.
const TOLERANCES: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];
/// Time in which the trench comes to rest, s.
const SETTLING: f64 = 1.5;
/// The step of all runs, s.
const STEP: f64 = 1e-2;
/// The most iterations of Gauss-Jacobi a step.
const PATIENCE: usize = 20_000;

/// The trench of the paper, 4 m by 1 m, with 105 896 grains; the paper's has 105 144.
const FULL: Trench = Trench {
    counts: [122, 31, 28],
};
/// The paper's blade moves for so long, s.
const FULL_END: f64 = 15.0;
/// Its tolerance, of [`granule::certify::Certificate::scaled`].
const FULL_TOLERANCE: f64 = 1e-5;
/// Steps between checkpoints.
const CHECKPOINT: u64 = 10;

/// A step of the full size.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Moment {
    time: f64,
    force: f64,
    seconds: f64,
    certified: bool,
}

/// What the blade met with one tolerance.
struct Draft {
    /// Time (s) and force along x on the blade (N).
    force: Vec<(f64, f64)>,
    /// Seconds for a second.
    real_time_factor: f64,
    iterations: f64,
    /// Mean error of the worst contact, m/s.
    error: f64,
    /// The fastest grain in all steps, m/s.
    fastest: f64,
    missed: usize,
}

impl Draft {
    /// N, over the way but its first fifth, in which the blade enters.
    fn mean(&self) -> f64 {
        let part = &self.force[self.force.len() / 5..];
        part.iter().map(|(_, force)| force).sum::<f64>() / part.len() as f64
    }
}

fn settled(trench: Trench, seed: u64, options: &Options) -> Result<World, Error> {
    options.say("the trench is filled");
    let mut settings = trench_settings(SETTLING);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-3;
    let mut simulation = Simulation::new(trench.filled(seed), settings)?;
    while !simulation.finished() {
        simulation.step()?;
    }
    let mut world = simulation.world().clone();
    trench.add_blade(&mut world);
    Ok(world)
}

fn draw_blade(world: &World, method: Method, tolerance: f64, end: f64) -> Result<Draft, Error> {
    let mut settings = trench_settings(end);
    settings.solver = SolverConfig {
        tolerance: 1e-3,
        max_residual: Some(tolerance),
        on_failure: OnFailure::Warn,
        ..SolverConfig::named(method)
    };
    if method == Method::Pgj {
        settings.solver.max_iterations = PATIENCE;
    }
    let mut simulation = Simulation::new(world.clone(), settings)?;
    let blade = world.walls.len() - 1;
    let mut draft = Draft {
        force: Vec::new(),
        real_time_factor: 0.0,
        iterations: 0.0,
        error: 0.0,
        fastest: 0.0,
        missed: 0,
    };
    let start = Instant::now();
    while !simulation.finished() {
        let report = simulation.step()?;
        draft.iterations += match method {
            Method::Ags => report.iterations,
            _ => report.applications,
        } as f64;
        draft.error += report.certificate.residual;
        draft.missed += usize::from(!report.certified);
        let speeds = simulation
            .world()
            .bodies
            .velocity
            .iter()
            .map(|v| v.length());
        draft.fastest = speeds.fold(draft.fastest, f64::max);
        let force = -simulation.wall_loads()[blade].force.x;
        draft.force.push((report.time, force));
    }
    let steps = draft.force.len() as f64;
    draft.real_time_factor = start.elapsed().as_secs_f64() / end;
    draft.iterations /= steps;
    draft.error /= steps;
    Ok(draft)
}

/// Runs to the end, with checkpoints in a folder of this name; the last wall is the one whose force is
/// told.
fn run_on(
    name: &str,
    (world, settings): (World, Settings),
    options: &Options,
) -> Result<(World, Vec<Moment>), Error> {
    let folder = options.out.as_ref().ok_or(Error::NoFolder)?;
    let mut store = CheckpointStore::new(&folder.join(name));
    let (mut simulation, mut moments) = match store.load_latest::<(Snapshot, Vec<Moment>)>()? {
        Some(((snapshot, moments), _)) => (Simulation::restore(snapshot)?, moments),
        None => (Simulation::new(world, settings)?, Vec::new()),
    };
    let (mut steps, start) = (0u64, Instant::now());
    let sitting = options.sitting.unwrap_or(u64::MAX);
    while !simulation.finished() && steps < sitting {
        let begin = Instant::now();
        let report = simulation.step()?;
        let load = simulation.wall_loads().last().copied();
        moments.push(Moment {
            time: report.time,
            force: load.map_or(0.0, |load| -load.force.x),
            seconds: begin.elapsed().as_secs_f64(),
            certified: report.certified,
        });
        steps += 1;
        let last = simulation.finished() || steps == sitting;
        if report.step.is_multiple_of(CHECKPOINT) || last {
            store.save(&(simulation.snapshot(), &moments), report.step)?;
        }
        let left = (settings.end - report.time) / report.step_size;
        let minutes = start.elapsed().as_secs_f64() / steps as f64 * left / 60.0;
        options.say(format!(
            "{name}: {:.2} of {} s, {minutes:.0} min left",
            report.time, settings.end
        ));
    }
    Ok((simulation.world().clone(), moments))
}

/// The paper's size, to one tolerance, as far as it has come.
fn full_size(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut settings = trench_settings(SETTLING);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-3;
    let fill = (FULL.filled(1), settings);
    let (mut world, moments) = run_on("kleinert-blade-trench", fill, options)?;
    let grains = world.bodies.len();
    if world.time < SETTLING - 0.5 * STEP {
        let row = Row::unpublished("steps in which the trench came to rest", moments.len());
        return Ok(vec![row.note(format!("of {:.0}", SETTLING / STEP))]);
    }
    FULL.add_blade(&mut world);
    settings.end = FULL_END;
    settings.solver.tolerance = FULL_TOLERANCE;
    let (world, moments) = run_on("kleinert-blade-full", (world, settings), options)?;
    let caption = format!(
        "{grains} grains, the blade after {:.2} of {FULL_END} s (figures 8 and 9)",
        world.time
    );
    options.draw(&world, "kleinert-blade-full-trench", caption)?;
    let header = ["time[s]", "force[N]", "seconds[s]"].map(str::to_owned);
    let lines: Vec<Vec<f64>> = moments
        .iter()
        .map(|m| vec![m.time, m.force, m.seconds])
        .collect();
    options.curve("kleinert-blade-full", &header, &lines)?;
    let chart = Chart {
        title: format!(
            "Draft force on the blade in {grains} grains, the first {:.1} of {FULL_END} s (figure 10)",
            world.time
        ),
        x: "time, s",
        y: "force, N",
        logarithmic: false,
        curves: vec![Curve {
            label: format!("tolerance {FULL_TOLERANCE:e}"),
            color: 0,
            stroke: Stroke::Line,
            points: moments.iter().map(|m| (m.time, m.force)).collect(),
        }],
    };
    options.chart("kleinert-blade-full", &chart)?;
    let steps = moments.len();
    let mut rows = vec![
        Row::unpublished("full size: steps done", steps).note(format!(
            "of {:.0}, with {grains} grains; the same command goes on from there",
            FULL_END / STEP
        )),
    ];
    if steps == 0 {
        return Ok(rows);
    }
    let seconds = moments.iter().map(|m| m.seconds).sum::<f64>();
    let missed = moments.iter().filter(|m| !m.certified).count();
    let factor = published.get("blade-rtf-0.00001")?;
    let measured = seconds / (steps as f64 * STEP);
    let verdict = Verdict::matches(missed == 0);
    rows.push(
        published
            .get("blade-certified")?
            .row("full size: steps not certified", missed, verdict)
            .note("match: none"),
    );
    rows.push(
        Row::unpublished("full size: time of a step", seconds / steps as f64)
            .unit("s")
            .note("wall time on one thread beside other work"),
    );
    let machine = published.tolerance("blade-machine")?;
    let verdict = Verdict::of_cost(factor.float()?, measured, machine.most());
    let row = factor.row("full size: real time factor", measured, verdict);
    let row = row.note(format!(
        "over the steps done; ags to a certificate of {FULL_TOLERANCE:e}, the paper to an error that it does not define"
    ));
    rows.push(row.note(machine.note("within a factor of")));
    let force: Vec<f64> = moments.iter().map(|m| m.force).collect();
    let mean = force.iter().sum::<f64>() / force.len() as f64;
    rows.push(
        Row::unpublished("full size: mean draft force over the steps done", mean)
            .unit("N")
            .note("figure 10 has curves only"),
    );
    Ok(rows)
}

/// What the reduced trench is.
struct Plan {
    trench: Trench,
    /// How long the blade moves, s.
    end: f64,
    /// Fills with other grains.
    seeds: u64,
    /// So many standard errors bound 95 % of what chance does to a mean over the fills (Student's t).
    bound: f64,
    /// Steps in which the three methods are compared.
    compared: f64,
}

const QUICK: Plan = Plan {
    trench: Trench { counts: [12, 8, 8] },
    end: 0.2,
    seeds: 3,
    bound: 4.30,
    compared: 3.0,
};
const REDUCED: Plan = Plan {
    trench: Trench {
        counts: [24, 12, 12],
    },
    end: 1.0,
    seeds: 5,
    bound: 2.78,
    compared: 10.0,
};

/// Forces and times with four tolerances.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    if options.full {
        return full_size(published, options);
    }
    let plan = if options.quick { &QUICK } else { &REDUCED };
    let grains: usize = plan.trench.counts.iter().product();
    let world = settled(plan.trench, 1, options)?;
    options.draw(
        &world,
        "kleinert-blade",
        format!("{grains} grains, the blade before it enters (figure 8)"),
    )?;
    let mut rows = Vec::new();
    let mut drafts = Vec::new();
    for tolerance in TOLERANCES {
        options.say(format!("{grains} grains, error below {tolerance:e} m/s"));
        drafts.push(draw_blade(&world, Method::Ags, tolerance, plan.end)?);
    }
    for (draft, tolerance) in drafts.iter().zip(TOLERANCES) {
        rows.extend(columns(draft, Method::Ags, tolerance, published)?);
        rows.push(
            Row::unpublished(
                format!("ags to {tolerance:e} m/s: mean draft force"),
                draft.mean(),
            )
            .unit("N")
            .note(format!(
                "{grains} grains, {} steps but the first fifth",
                draft.force.len()
            )),
        );
    }
    for method in [Method::IpmMf, Method::Pgj] {
        for tolerance in [TOLERANCES[0], TOLERANCES[2]] {
            options.say(format!(
                "{grains} grains, {} to {tolerance:e} m/s",
                method.name()
            ));
            let draft = draw_blade(&world, method, tolerance, plan.compared * STEP)?;
            rows.extend(columns(&draft, method, tolerance, published)?);
        }
    }
    rows.push(loose(&world, plan, published, &drafts[2], options)?);
    rows.extend(change(plan, &drafts, published, options)?);
    draw(&drafts, grains, options)?;
    Ok(rows)
}

/// The columns of Table 1.
fn columns(
    draft: &Draft,
    method: Method,
    tolerance: f64,
    published: &Published,
) -> Result<Vec<Row>, Error> {
    let name = method.name();
    let of = |what: &str| format!("{name} to {tolerance:e} m/s: {what}");
    let number = |column: &str| published.get(&format!("blade-{column}-{tolerance}"));
    let unlike = format!(
        "not judged: the paper has 105 144 spheres and its interior point, these are {} steps with fewer",
        draft.force.len()
    );
    let unit = match method {
        Method::Ags => "sweeps",
        _ => "products",
    };
    let error = number("error")?
        .row(of("mean error of a step"), draft.error, Verdict::NoReference)
        .unit("m/s")
        .note("the worst of contacts and of the recovery of overlaps, which has a tolerance of its own; the paper does not define its error");
    let mut certified = published
        .get("blade-certified")?
        .row(
            of("steps not certified"),
            draft.missed,
            Verdict::matches(draft.missed == 0),
        )
        .note(format!("of {}; match: none", draft.force.len()));
    if method == Method::Pgj {
        // The paper itself does not get there with it.
        certified.verdict = Verdict::NoReference;
    }
    Ok(vec![
        number("rtf")?
            .row(
                of("real time factor"),
                draft.real_time_factor,
                Verdict::NoReference,
            )
            .note(&unlike),
        number("iterations")?
            .row(
                of("iterations a step"),
                draft.iterations,
                Verdict::NoReference,
            )
            .unit(unit)
            .note(&unlike),
        error,
        certified,
    ])
}

/// What comes of a tolerance with which the paper's simulation failed.
fn loose(
    world: &World,
    plan: &Plan,
    published: &Published,
    tight: &Draft,
    options: &Options,
) -> Result<Row, Error> {
    options.say("error below 1e-2 m/s");
    let loose = draw_blade(world, Method::Ags, 1e-2, plan.end)?;
    let number = published.get("blade-unstable")?;
    let quantity = "ags to 1e-2 m/s: the fastest grain over that of 1e-5 m/s";
    let row = number.row(
        quantity,
        loose.fastest / tight.fastest,
        Verdict::NoReference,
    );
    Ok(row.note(format!(
        "not judged: how the paper's run failed is not said; ours ends, all but {} of {} steps certified, with a mean \
         force of {:.2} N",
        loose.missed,
        loose.force.len(),
        loose.mean()
    )))
}

/// The difference of the mean forces with the third and the fourth tolerance, over fills with other grains.
///
/// Paths of grains that differ by anything at all part, so that two curves of force do, too; means over many fills
/// need not. Decided before any was seen: the mean over the way but its first fifth, the same fills with both
/// tolerances; they agree if the mean difference is within what chance does to it in 95 of 100 cases and that
/// is at most a tenth of the force, so that it could have been told.
fn change(
    plan: &Plan,
    drafts: &[Draft],
    published: &Published,
    options: &Options,
) -> Result<Vec<Row>, Error> {
    let mut pairs = vec![[drafts[2].mean(), drafts[3].mean()]];
    for seed in 2..=plan.seeds {
        options.say(format!("fill {seed} of {}", plan.seeds));
        let world = settled(plan.trench, seed, options)?;
        let mean = |tolerance| -> Result<f64, Error> {
            Ok(draw_blade(&world, Method::Ags, tolerance, plan.end)?.mean())
        };
        pairs.push([mean(TOLERANCES[2])?, mean(TOLERANCES[3])?]);
    }
    let count = pairs.len() as f64;
    let force = pairs.iter().map(|[a, b]| 0.5 * (a + b)).sum::<f64>() / count;
    let mean = pairs.iter().map(|[a, b]| b - a).sum::<f64>() / count;
    let squares = pairs
        .iter()
        .map(|[a, b]| (b - a - mean).powi(2))
        .sum::<f64>();
    let error = (squares / (count - 1.0) / count).sqrt();
    let bound = plan.bound * error;
    let doubt = published.tolerance("blade-doubt")?;
    let agree = mean.abs() <= bound && doubt.allows(bound / force);
    let verdict = match options.quick {
        true => Verdict::NoReference,
        false => Verdict::matches(agree),
    };
    let number = published.get("blade-change")?;
    let quantity =
        "change of the mean draft force from 1e-5 to 1e-6 m/s, mean over the fills, relative";
    Ok(vec![
        number.row(quantity, mean / force, verdict).note(format!(
            "{count} fills; match: at most {} standard errors (95 % of what chance does, Student), and those at most {doubt} \
             of the force{}",
            plan.bound,
            if options.quick { "; judged at the larger size" } else { "" }
        )),
        Row::unpublished("standard error of that", error / force),
        Row::unpublished("mean draft force over the fills", force).unit("N"),
    ])
}

fn draw(drafts: &[Draft], grains: usize, options: &Options) -> Result<(), Error> {
    let mut chart = Chart {
        title: format!(
            "Draft force on a blade in {grains} grains, by the error that is left (figure 10)"
        ),
        x: "time, s",
        y: "force, N",
        logarithmic: false,
        curves: Vec::new(),
    };
    for (color, (draft, tolerance)) in drafts.iter().zip(TOLERANCES).enumerate() {
        chart.curves.push(Curve {
            label: format!("{tolerance:e} m/s"),
            color,
            stroke: Stroke::Line,
            points: draft.force.clone(),
        });
    }
    let header: Vec<String> = std::iter::once("time[s]".to_owned())
        .chain(TOLERANCES.map(|tolerance| format!("force at {tolerance:e} m/s[N]")))
        .collect();
    let lines: Vec<Vec<f64>> = (0..drafts[0].force.len())
        .map(|k| {
            std::iter::once(drafts[0].force[k].0)
                .chain(drafts.iter().map(|draft| draft.force[k].1))
                .collect()
        })
        .collect();
    options.curve("kleinert-blade", &header, &lines)?;
    options.chart("kleinert-blade", &chart)
}
