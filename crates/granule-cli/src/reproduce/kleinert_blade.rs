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
use granule::solver::Method;
use granule_io::checkpoint::CheckpointStore;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::time::Instant;

/// Errors of the worst contact, m/s.
const TOLERANCES: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];
/// Time in which the trench comes to rest, s.
const SETTLING: f64 = 1.5;
/// The change of the mean force from the third to the fourth tolerance that is still none.
const CHANGE: f64 = 0.03;

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
    missed: usize,
}

impl Draft {
    /// N, over a part of the way.
    fn mean(&self, part: Range<usize>) -> f64 {
        let part = &self.force[part];
        part.iter().map(|(_, force)| force).sum::<f64>() / part.len() as f64
    }

    /// N, over the first half of the way: later grains are elsewhere with every tolerance, as small
    /// errors grow.
    fn early(&self) -> f64 {
        self.mean(0..self.force.len() / 2)
    }

    /// N, over the second half.
    fn late(&self) -> f64 {
        self.mean(self.force.len() / 2..self.force.len())
    }
}

fn settled(trench: Trench, options: &Options) -> Result<World, Error> {
    options.say("the trench is filled");
    let mut settings = trench_settings(SETTLING);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-3;
    let mut simulation = Simulation::new(trench.filled(1), settings)?;
    while !simulation.finished() {
        simulation.step()?;
    }
    let mut world = simulation.world().clone();
    trench.add_blade(&mut world);
    Ok(world)
}

fn draw_blade(world: &World, tolerance: f64, end: f64) -> Result<Draft, Error> {
    let mut settings = trench_settings(end);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-3;
    settings.solver.max_residual = Some(tolerance);
    let mut simulation = Simulation::new(world.clone(), settings)?;
    let blade = world.walls.len() - 1;
    let (mut force, mut iterations, mut missed) = (Vec::new(), 0, 0);
    let start = Instant::now();
    while !simulation.finished() {
        let report = simulation.step()?;
        iterations += report.iterations;
        missed += usize::from(!report.certified);
        force.push((report.time, -simulation.wall_loads()[blade].force.x));
    }
    Ok(Draft {
        real_time_factor: start.elapsed().as_secs_f64() / end,
        iterations: iterations as f64 / force.len() as f64,
        force,
        missed,
    })
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
    let (mut steps, start) = (0, Instant::now());
    while !simulation.finished() {
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
        if report.step.is_multiple_of(CHECKPOINT) || simulation.finished() {
            store.save(&(simulation.snapshot(), &moments), report.step)?;
        }
        let left = (settings.end - report.time) / report.step_size;
        let minutes = start.elapsed().as_secs_f64() / f64::from(steps) * left / 60.0;
        options.say(format!(
            "{name}: {:.2} of {} s, {minutes:.0} min left",
            report.time, settings.end
        ));
    }
    Ok((simulation.world().clone(), moments))
}

/// The paper's size, to one tolerance.
fn full_size(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut settings = trench_settings(SETTLING);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-3;
    let fill = (FULL.filled(1), settings);
    let (mut world, _) = run_on("kleinert-blade-trench", fill, options)?;
    FULL.add_blade(&mut world);
    settings.end = FULL_END;
    settings.solver.tolerance = FULL_TOLERANCE;
    let (_, moments) = run_on("kleinert-blade-full", (world, settings), options)?;
    let count = moments.len() as f64;
    let seconds = moments.iter().map(|m| m.seconds).sum::<f64>() / count;
    let missed = moments.iter().filter(|m| !m.certified).count();
    let factor = published.get("blade-rtf-0.00001")?;
    let header = ["time[s]", "force[N]", "seconds[s]"].map(str::to_owned);
    let lines: Vec<Vec<f64>> = moments
        .iter()
        .map(|m| vec![m.time, m.force, m.seconds])
        .collect();
    options.curve("kleinert-blade-full", &header, &lines)?;
    let chart = Chart {
        title: "Draft force on a blade in the full trench".to_owned(),
        x: "time, s",
        y: "force, N",
        logarithmic: false,
        curves: vec![Curve {
            label: format!("{FULL_TOLERANCE:e}"),
            color: 0,
            stroke: Stroke::Line,
            points: moments.iter().map(|m| (m.time, m.force)).collect(),
        }],
    };
    options.chart("kleinert-blade-full", &chart)?;
    Ok(vec![
        Row::unpublished("time of a step".to_owned(), seconds)
            .unit("s")
            .note(format!("{missed} of {} steps not certified", moments.len())),
        factor.row(
            "real time factor",
            seconds * count / FULL_END,
            Verdict::NoReference,
        ),
    ])
}

/// Forces and times with four tolerances.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    if options.full {
        return full_size(published, options);
    }
    let (trench, end) = if options.quick {
        let counts = [12, 8, 12];
        (Trench { counts }, 0.5)
    } else {
        let counts = [24, 12, 12];
        (Trench { counts }, 1.0)
    };
    let grains: usize = trench.counts.iter().product();
    let world = settled(trench, options)?;
    let mut rows = Vec::new();
    let mut drafts = Vec::new();
    for tolerance in TOLERANCES {
        options.say(format!("{grains} grains, error below {tolerance:e} m/s"));
        let draft = draw_blade(&world, tolerance, end)?;
        rows.push(
            Row::unpublished(
                format!("mean draft force with {tolerance:e} m/s, first half"),
                draft.early(),
            )
            .unit("N")
            .note(format!(
                "{grains} grains, ags, second half {:.3} N, {:.0} sweeps a step, {} of {} steps not certified",
                draft.late(),
                draft.iterations,
                draft.missed,
                draft.force.len()
            )),
        );
        let key = format!("blade-rtf-{tolerance}");
        let quantity = format!("real time factor with {tolerance:e} m/s");
        let number = published.get(&key)?;
        rows.push(
            number
                .row(quantity, draft.real_time_factor, Verdict::NoReference)
                .note(format!(
                    "the paper's is for 105 144 grains, these are {grains}"
                )),
        );
        drafts.push(draft);
    }
    let change = |mean: fn(&Draft) -> f64| (mean(&drafts[3]) / mean(&drafts[2]) - 1.0).abs();
    let number = published.get("blade-change")?;
    let (early, late) = (change(Draft::early), change(Draft::late));
    let quantity = "change of the mean draft force from 1e-5 to 1e-6 m/s, first half";
    rows.push(
        number
            .row(quantity, early, Verdict::matches(early <= CHANGE))
            .note(format!("match: at most {CHANGE}")),
    );
    rows.push(
        Row::unpublished(quantity.replace("first", "second"), late)
            .note("grains are elsewhere with every tolerance by then"),
    );
    let mut chart = Chart {
        title: format!("Draft force on a blade in {grains} grains, by the error that is left"),
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
    options.chart("kleinert-blade", &chart)?;
    Ok(rows)
}
