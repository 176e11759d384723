//! The draft force of a blade in a trench of spheres, by the tolerance [kleinert2017, §5, figure 10 and
//! Table 1].
//!
//! The trench here is smaller than the paper's. Its full size is in `scenes/trench.toml` and
//! `scenes/blade.toml`, with progress and checkpoints.

use super::chart::{Chart, Curve, Stroke};
use super::published::Published;
use super::{Error, Options, Row, Verdict};
use granule::cases::{Trench, trench_settings};
use granule::simulation::{Simulation, World};
use granule::solver::Method;
use std::time::Instant;

/// Errors of the worst contact, m/s.
const TOLERANCES: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];
/// Time in which the trench comes to rest, s.
const SETTLING: f64 = 1.5;
/// The change of the mean force from the third to the fourth tolerance that is still none.
const CHANGE: f64 = 0.03;

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
    /// N, over the second half of the way.
    fn mean(&self) -> f64 {
        let late = &self.force[self.force.len() / 2..];
        late.iter().map(|(_, force)| force).sum::<f64>() / late.len() as f64
    }
}

fn settled(trench: Trench, options: &Options) -> Result<World, Error> {
    options.say("the trench is filled");
    let mut settings = trench_settings(SETTLING);
    settings.solver.method = Method::Ags;
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
    settings.solver.method = Method::Ags;
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

/// Forces and times with four tolerances.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let (trench, end) = if options.quick {
        let counts = [12, 8, 12];
        (Trench { counts }, 0.5)
    } else {
        let counts = [24, 12, 24];
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
                format!("mean draft force with {tolerance:e} m/s"),
                draft.mean(),
            )
            .unit("N")
            .note(format!(
                "{grains} grains, ags, {:.0} sweeps a step, {} of {} steps not certified",
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
    let (third, fourth) = (drafts[2].mean(), drafts[3].mean());
    let change = (fourth / third - 1.0).abs();
    let number = published.get("blade-change")?;
    let quantity = "change of the mean draft force from 1e-5 to 1e-6 m/s";
    rows.push(
        number
            .row(quantity, change, Verdict::matches(change <= CHANGE))
            .note(format!("match: at most {CHANGE}")),
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
