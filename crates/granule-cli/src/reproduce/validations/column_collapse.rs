//! Validation 8: the runout of collapsing columns of disks grows as a power of their aspect ratio.
//!
//! Disks settle without friction between a wall and a gate; then the gate is gone and friction is
//! there. The runout is taken after six times the time √(H/g), and averaged over columns that differ in
//! their disks. All columns have the same number of
//! disks, so that grains are as small beside the deposit of a low column as beside that of a tall one.

use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::fit::exponent;
use crate::reproduce::news::News;
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::Column;
use granule::measure;
use granule::simulation::{Settings, Simulation, StepSize};
use granule::solver::Method;

const FRICTION: f64 = 0.5;
/// While columns settle. At 1e-3 tall ones never come to rest: every step is certified, and yet they
/// swell.
const SETTLING: f64 = 1e-5;
/// While they collapse.
const TOLERANCE: f64 = 1e-4;

/// Which columns collapse.
struct Plan {
    /// In each column.
    disks: usize,
    aspects: &'static [f64],
    /// Columns of each aspect ratio, with different disks; their mean counts.
    repeats: u64,
}

const FULL: Plan = Plan {
    disks: 800,
    aspects: &[3.0, 4.5, 7.0, 10.5, 15.0],
    repeats: 3,
};
const QUICK: Plan = Plan {
    disks: 200,
    aspects: &[3.0, 7.0, 15.0],
    repeats: 1,
};

/// What became of a column.
struct Collapse {
    disks: usize,
    /// Grains.
    width: usize,
    aspect: f64,
    runout: f64,
    steps: usize,
    uncertified: usize,
    /// Kinetic energy at the release and at the end, as shares of the potential energy m g H/2 at
    /// the start.
    moving: [f64; 2],
}

fn collapse(column: &Column, options: &Options) -> Result<Collapse, Error> {
    let loose = column.loose();
    let (height, gravity) = (column.aspect * column.width(), loose.gravity.length());
    let time = (height / gravity).sqrt();
    let disks = (0..loose.bodies.len()).filter(|&i| loose.bodies.is_dynamic(i));
    let disks = disks.count();
    let mut news = News::start(options, format!("a column of {disks} disks"));
    let step = |fraction: f64| StepSize::Cfl {
        fraction,
        longest: 0.005 * time,
    };
    let mut settings = Settings::new(step(1.0), 2.0 * time);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = SETTLING;
    let mut simulation = Simulation::new(loose, settings)?;
    while !simulation.finished() {
        let report = simulation.step()?;
        news.tell(report.time, settings.end);
    }
    let settled = simulation.world().clone();
    let aspect = column.aspect_ratio(&settled);
    let mut settings = Settings::new(step(0.5), 6.0 * time);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = TOLERANCE;
    let name = format!("validations-column-{}-{}", column.aspect, column.seed);
    let world = column.released(settled, FRICTION);
    let mass: f64 = (0..world.bodies.len())
        .filter(|&i| world.bodies.is_dynamic(i))
        .map(|i| world.bodies.mass[i])
        .sum();
    let potential = 0.5 * mass * gravity * height;
    let before = measure::kinetic_energy(&world.bodies) / potential;
    let mut simulation = Simulation::new(world, settings)?;
    let (mut steps, mut uncertified) = (0, 0);
    while !simulation.finished() {
        let report = simulation.step()?;
        news.tell(report.time, settings.end);
        steps += 1;
        uncertified += usize::from(!report.certified);
    }
    let caption = format!("A column of aspect ratio {aspect:.1} after its collapse");
    options.draw(simulation.world(), &name, caption)?;
    let world = simulation.world();
    Ok(Collapse {
        disks,
        width: column.width,
        aspect,
        runout: column.runout(world),
        steps,
        uncertified,
        moving: [before, measure::kinetic_energy(&world.bodies) / potential],
    })
}

/// The exponent, and the runouts behind it.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let plan = if options.quick { &QUICK } else { &FULL };
    let mut runs = Vec::new();
    let mut points = Vec::new();
    for &aspect in plan.aspects {
        let first = runs.len();
        for seed in 0..plan.repeats {
            runs.push(collapse(
                &Column::of_disks(plan.disks, aspect, seed),
                options,
            )?);
        }
        let mean = |of: fn(&Collapse) -> f64| {
            runs[first..].iter().map(of).sum::<f64>() / plan.repeats as f64
        };
        points.push((mean(|run| run.aspect), mean(|run| run.runout)));
    }
    let exponent = exponent(&points);
    let number = published.get("column-exponent")?;
    let range = published.tolerance("column-exponent")?;
    let verdict = Verdict::matches(range.allows(exponent));
    let quantity = "8: exponent of the runout of columns by aspect ratio";
    // Columns of few grains show that it runs, not what the exponent is.
    let head = if options.quick {
        Row::unpublished(quantity, exponent).note("full runs are judged")
    } else {
        number.row(quantity, exponent, verdict)
    };
    let mut rows = vec![head.note(format!(
        "{} columns of about {} disks, μ = {FRICTION}, exact law, rough floor, tolerance {TOLERANCE:e}; {}",
        runs.len(),
        plan.disks,
        range.note("from")
    ))];
    for run in &runs {
        let quantity = format!("8: runout (L - L0)/L0 at aspect ratio {:.2}", run.aspect);
        rows.push(Row::unpublished(quantity, run.runout).note(format!(
            "{} disks, L0 is {} of them; {} steps of which {} not certified; kinetic energy {:.0e} of the potential at the release, {:.0e} at the end",
            run.disks, run.width, run.steps, run.uncertified, run.moving[0], run.moving[1]
        )));
    }
    let header = ["aspect_ratio", "runout"].map(str::to_owned);
    let lines: Vec<Vec<f64>> = points.iter().map(|&(a, l)| vec![a, l]).collect();
    options.curve("validations-column", &header, &lines)?;
    let chart = Chart {
        title: "Runout of columns of disks".to_owned(),
        x: "aspect ratio H/L0",
        y: "runout (L - L0)/L0",
        logarithmic: true,
        curves: vec![Curve {
            label: format!("exponent {exponent:.2}"),
            color: 0,
            stroke: Stroke::Both,
            points,
        }],
    };
    options.chart("validations-column", &chart)?;
    Ok(rows)
}
