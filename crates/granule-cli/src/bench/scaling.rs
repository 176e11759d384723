//! The cost of a step against the size of the box: what a contact costs when there are many.

use super::dense::dense;
use super::stretch::Stretch;
use super::{Entry, at_least_one, in_pool};
use crate::failure::{Failure, tell};
use crate::names::parse_law;
use crate::plot::{Chart, Curve, Stroke, plot};
use clap::Args;
use granule::law::LawName;
use granule::simulation::Simulation;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Options of `granule bench scaling`.
#[derive(Args)]
pub struct ScalingArguments {
    /// Spheres along a side of the box, n³ in all
    #[arg(long, num_args = 1.., default_values_t = [8, 12, 20, 30, 40], value_parser = at_least_one, allow_negative_numbers = true)]
    n: Vec<usize>,
    /// The law, with μ = 0.5 where it has friction; see `granule list laws`
    #[arg(long, default_value = "coulomb-convex", value_parser = parse_law)]
    law: LawName,
    /// The tolerance
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true)]
    tolerance: f64,
    /// Threads besides one; as many as there are cores if not given
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// Steps that count; half as many before them do not
    #[arg(long, default_value_t = 10, value_parser = at_least_one, allow_negative_numbers = true)]
    steps: usize,
    /// Also draw the costs against the number of contacts, as .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// What the steps of one box cost with a number of threads.
struct Point {
    n: usize,
    spheres: usize,
    threads: usize,
    stretch: Stretch,
}

/// Measures, adds the entries and gives the table.
pub fn measure(arguments: &ScalingArguments, entries: &mut Vec<Entry>) -> Result<String, Failure> {
    let tolerance = arguments.tolerance;
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(Failure::Input(format!(
            "--tolerance must be above 0 and below 1, not {tolerance}"
        )));
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let mut threads = vec![1, arguments.threads.unwrap_or(cores)];
    threads.dedup();
    let mut points = Vec::new();
    for &n in &arguments.n {
        let (world, settings) = dense(n, arguments.law, tolerance)?;
        let spheres = world.bodies.len();
        for &threads in &threads {
            let world = world.clone();
            let stretch = in_pool(threads, || {
                let mut simulation = Simulation::new(world, settings)
                    .map_err(|error| Failure::Input(error.to_string()))?;
                Stretch::take(&mut simulation, arguments.steps.div_ceil(2))?;
                Stretch::take(&mut simulation, arguments.steps)
            })??;
            // A long benchmark says what it has so far.
            tell(format_args!(
                "n = {n}, threads {threads}: {:.3} s a step, {:.0} contacts",
                stretch.step(),
                stretch.contacts()
            ));
            points.push(Point {
                n,
                spheres,
                threads,
                stretch,
            });
        }
    }
    points
        .iter()
        .for_each(|point| enter(point, arguments, entries));
    if let Some(path) = &arguments.plot {
        plot(&chart(&points, arguments), path).map_err(|error| Failure::Run(error.to_string()))?;
    }
    Ok(table(&points, arguments))
}

fn enter(point: &Point, arguments: &ScalingArguments, entries: &mut Vec<Entry>) {
    let Point { n, stretch, .. } = point;
    let note = format!(
        "n = {n}, {}, tolerance {:e}",
        arguments.law.name(),
        arguments.tolerance
    );
    let mut add = |quantity: &str, value: f64, unit| {
        entries.push(Entry {
            name: "scaling",
            quantity: quantity.to_owned(),
            value,
            unit,
            threads: point.threads,
            note: note.clone(),
        });
    };
    add("spheres", point.spheres as f64, "-");
    add("contacts, mean", stretch.contacts(), "-");
    add("step", stretch.step(), "s");
    add("step, per contact", stretch.whole_cost(), "ns");
    add(
        "step without solve, per contact",
        stretch.fixed_cost(),
        "ns",
    );
    add("passes a step", stretch.passes(), "-");
    add("pass, per contact", stretch.pass_cost(), "ns");
    add("steps not certified", stretch.uncertified as f64, "-");
}

/// For people.
fn table(points: &[Point], arguments: &ScalingArguments) -> String {
    let mut text = format!(
        "dense boxes, {}, friction 0.5, to {:e}; ns are for each contact\n\
         {:>9} {:>9} {:>7} {:>10} {:>9} {:>9} {:>7} {:>8}\n",
        arguments.law.name(),
        arguments.tolerance,
        "spheres",
        "contacts",
        "threads",
        "s a step",
        "ns, step",
        "ns, fixed",
        "passes",
        "ns, pass",
    );
    for point in points {
        let stretch = &point.stretch;
        let failed = match stretch.uncertified {
            0 => String::new(),
            count => format!("  {count} of {} steps not certified", stretch.count()),
        };
        let _ = writeln!(
            text,
            "{:>9} {:>9.0} {:>7} {:>10.4} {:>9.0} {:>9.0} {:>7.0} {:>8.1}{failed}",
            point.spheres,
            stretch.contacts(),
            point.threads,
            stretch.step(),
            stretch.whole_cost(),
            stretch.fixed_cost(),
            stretch.passes(),
            stretch.pass_cost(),
        );
    }
    text
}

/// The costs of a contact against their number.
fn chart(points: &[Point], arguments: &ScalingArguments) -> Chart {
    let mut threads: Vec<usize> = points.iter().map(|point| point.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    type Cost = fn(&Stretch) -> f64;
    let costs: [(&str, Cost); 3] = [
        ("whole step", Stretch::whole_cost),
        ("step without solve", Stretch::fixed_cost),
        ("one pass", Stretch::pass_cost),
    ];
    let mut curves = Vec::new();
    for (place, &threads) in threads.iter().enumerate() {
        for (color, (what, cost)) in costs.iter().enumerate() {
            let own = points.iter().filter(|point| point.threads == threads);
            curves.push(Curve {
                label: format!(
                    "{what}, {threads} thread{}",
                    if threads == 1 { "" } else { "s" }
                ),
                color,
                stroke: if place == 0 {
                    Stroke::Both
                } else {
                    Stroke::Line
                },
                points: own
                    .map(|point| (point.stretch.contacts(), cost(&point.stretch)))
                    .collect(),
            });
        }
    }
    Chart {
        title: format!(
            "Dense boxes of spheres, {}, to {:e}",
            arguments.law.name(),
            arguments.tolerance
        ),
        x: "contacts",
        y: "ns for each contact",
        logarithmic: true,
        curves,
    }
}
