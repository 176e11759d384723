//! A digger in grains, against the same grains alone.

use super::{Entry, at_least_one, in_pool};
use crate::failure::Failure;
use clap::Args;
use granule::simulation::Simulation;
use granule_io::scene::grammar::{Distribution, Quantity, Sections};
use granule_io::scene::{Scene, parse};
use std::path::Path;
use std::time::Instant;

/// The scene that is measured, with finer grains.
const SCENE: &str = include_str!("../../../../scenes/digger.toml");

/// Arguments of `granule bench digger`.
#[derive(Args)]
pub struct DiggerArguments {
    /// Grains
    #[arg(long, default_value_t = 20_000, value_parser = at_least_one)]
    grains: usize,
    /// Steps of 2 ms; the machine sets out after 150 and is done after 1100. Those before are not measured
    #[arg(long, default_value_t = 1200, value_parser = at_least_one)]
    steps: usize,
}

/// Steps in which grains settle.
const SETTLING: usize = 150;

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Run(error.to_string())
}

/// The scene with so many grains that fill the box as those of the file do.
fn refined(grains: usize) -> Result<Sections, Failure> {
    let scene = parse(SCENE, Path::new("digger.toml")).map_err(failed)?;
    let mut sections = scene.sections().clone();
    for set in &mut sections.grains {
        if let Some(random) = &mut set.random {
            let finer = (random.count as f64 / grains as f64).cbrt();
            random.count = grains as u32;
            if let Some(Quantity::Drawn(Distribution::Uniform(range))) = &mut set.radius {
                *range = range.map(|radius| finer * radius);
            }
        }
    }
    Ok(sections)
}

fn simulation(sections: Sections) -> Result<Simulation, Failure> {
    let scene = Scene::new(sections, Path::new("digger.toml")).map_err(failed)?;
    let setup = scene.build().map_err(failed)?;
    Simulation::new(setup.world, setup.settings).map_err(failed)
}

/// What the steps that count took.
#[derive(Clone, Copy, Default)]
struct Sum {
    seconds: f64,
    contacts: f64,
    sweeps: f64,
    /// Solves beyond the first of a step.
    repeats: f64,
    uncertified: usize,
    joint_error: f64,
}

impl Sum {
    fn step(&mut self, simulation: &mut Simulation, counts: bool) -> Result<(), Failure> {
        let start = Instant::now();
        let report = simulation.step().map_err(failed)?;
        self.uncertified += usize::from(!report.certified);
        self.joint_error = self.joint_error.max(report.joint_error);
        if counts {
            self.seconds += start.elapsed().as_secs_f64();
            self.contacts += report.contacts as f64;
            self.sweeps += report.iterations as f64;
            self.repeats += report.repeats as f64;
        }
        Ok(())
    }
}

/// Measures and adds the entries.
pub fn measure(arguments: &DiggerArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let DiggerArguments { grains, steps } = *arguments;
    let machine = refined(grains)?;
    let mut alone = machine.clone();
    alone.bodies.clear();
    alone.joints.clear();
    alone.motors.clear();
    let mut both = [simulation(alone)?, simulation(machine)?];
    let sums = in_pool(1, || -> Result<_, Failure> {
        let mut sums = [Sum::default(); 2];
        for k in 0..steps {
            // In turns, so that both meet the same machine.
            for (simulation, sum) in both.iter_mut().zip(&mut sums) {
                sum.step(simulation, k >= SETTLING.min(steps / 2))?;
            }
        }
        Ok(sums)
    })??;
    let counted = (steps - SETTLING.min(steps / 2)) as f64;
    let [alone, digger] = sums;
    let note = format!(
        "{grains} grains, {:.0} contacts a step, {} and {} steps not certified",
        digger.contacts / counted,
        alone.uncertified,
        digger.uncertified
    );
    for (quantity, value, unit) in [
        ("grains alone", 1e3 * alone.seconds / counted, "ms/step"),
        ("with the digger", 1e3 * digger.seconds / counted, "ms/step"),
        ("ratio", digger.seconds / alone.seconds, "-"),
        ("grains alone, sweeps", alone.sweeps / counted, "1/step"),
        ("with the digger, sweeps", digger.sweeps / counted, "1/step"),
        (
            "grains alone, repeated solves",
            alone.repeats / counted,
            "1/step",
        ),
        (
            "with the digger, repeated solves",
            digger.repeats / counted,
            "1/step",
        ),
        ("largest joint error", digger.joint_error, "m"),
    ] {
        entries.push(Entry {
            name: "digger",
            quantity: quantity.to_owned(),
            value,
            unit,
            threads: 1,
            note: note.clone(),
        });
    }
    Ok(())
}
