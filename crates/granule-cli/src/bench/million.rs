//! A million spheres at rest: what a step takes, in which stage, and how much memory.

use super::dense::dense;
use super::stretch::Stretch;
use super::{Entry, at_least_one, in_pool};
use crate::failure::{Failure, tell};
use crate::names::parse_law;
use clap::Args;
use granule::law::LawName;
use granule::simulation::{Simulation, Stage};
use granule_io::run::peak_memory;
use std::time::Instant;

/// Options of `granule bench million`.
#[derive(Args)]
pub struct MillionArguments {
    /// Spheres along a side of the box, n³ in all
    #[arg(long, default_value_t = 100, value_parser = at_least_one, allow_negative_numbers = true)]
    n: usize,
    /// The law, with μ = 0.5 where it has friction; see `granule list laws`
    #[arg(long, default_value = "coulomb", value_parser = parse_law)]
    law: LawName,
    /// The tolerance
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true)]
    tolerance: f64,
    /// Threads; as many as there are cores if not given
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// Steps after the first, which starts without impulses and is told apart
    #[arg(long, default_value_t = 3, value_parser = at_least_one, allow_negative_numbers = true)]
    steps: usize,
}

/// Measures and adds the entries.
pub fn measure(arguments: &MillionArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let MillionArguments {
        n,
        law,
        tolerance,
        steps,
        ..
    } = *arguments;
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(Failure::Input(format!(
            "--tolerance must be above 0 and below 1, not {tolerance}"
        )));
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = arguments.threads.unwrap_or(cores);
    let (world, settings) = in_pool(threads, || dense(n, law, tolerance))??;
    let spheres = world.bodies.len();
    let gibibytes = || peak_memory() as f64 / (1u64 << 30) as f64;
    let made = gibibytes();
    let start = Instant::now();
    let mut simulation = in_pool(threads, || Simulation::new(world, settings))?
        .map_err(|error| Failure::Input(error.to_string()))?;
    let starting = start.elapsed().as_secs_f64();
    let mut go = |steps: usize| in_pool(threads, || Stretch::take(&mut simulation, steps))?;
    let first = go(1)?;
    tell(format_args!(
        "first step: {:.2} s, {:.0} contacts",
        first.step(),
        first.contacts()
    ));
    let later = go(steps)?;
    let note = format!("{spheres} spheres, {}, tolerance {tolerance:e}", law.name());
    let mut add = |quantity: &str, value: f64, unit| {
        entries.push(Entry {
            name: "million",
            quantity: quantity.to_owned(),
            value,
            unit,
            threads,
            note: note.clone(),
        });
    };
    add("memory of the world", made, "GiB");
    add("start of the simulation", starting, "s");
    for (name, stretch) in [("first step", &first), ("later steps", &later)] {
        add(name, stretch.step(), "s/step");
        add(&format!("{name}, contacts"), stretch.contacts(), "-");
        add(&format!("{name}, passes"), stretch.passes(), "-");
        let uncertified = stretch.uncertified as f64;
        add(&format!("{name}, not certified"), uncertified, "-");
    }
    add("later steps, per contact", later.whole_cost(), "ns");
    add("later steps, pass per contact", later.pass_cost(), "ns");
    for stage in Stage::ALL {
        if stage != Stage::Record {
            let quantity = format!("later steps, stage {}", stage.name());
            add(&quantity, later.stage(stage), "s/step");
        }
    }
    add("peak memory", gibibytes(), "GiB");
    Ok(())
}
