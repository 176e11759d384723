//! A digger in grains, against the same grains at rest; and the digger as its boom sinks the bucket into the grains, against the
//! same three links with a prescribed motion, which is what joints and motors cost where the grains are stirred alike.

use super::{Entry, at_least_one, in_pool, thread_seconds};
use crate::failure::Failure;
use clap::Args;
use granule::simulation::{Simulation, Stage};
use granule_io::scene::grammar::{Distribution, InTime, MotionSpec, Quantity, Sections, Vector};
use granule_io::scene::{Scene, parse};
use std::path::Path;

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
    /// Of this thread's processor time.
    seconds: f64,
    contacts: f64,
    sweeps: f64,
    /// Solves beyond the first of a step.
    repeats: f64,
    uncertified: usize,
    joint_error: f64,
    /// Wall time of each stage, s.
    stages: [f64; Stage::ALL.len()],
}

fn stages(simulation: &Simulation) -> [f64; Stage::ALL.len()] {
    Stage::ALL.map(|stage| simulation.times().get(stage).as_secs_f64())
}

impl Sum {
    fn step(&mut self, simulation: &mut Simulation, counts: bool) -> Result<(), Failure> {
        let start = thread_seconds();
        let before = stages(simulation);
        let report = simulation.step().map_err(failed)?;
        self.uncertified += usize::from(!report.certified);
        self.joint_error = self.joint_error.max(report.joint_error);
        if counts {
            self.seconds += thread_seconds() - start;
            self.contacts += report.contacts as f64;
            self.sweeps += report.iterations as f64;
            self.repeats += report.repeats as f64;
            for ((sum, after), before) in self.stages.iter_mut().zip(stages(simulation)).zip(before)
            {
                *sum += after - before;
            }
        }
        Ok(())
    }
}

/// Where the boom's hinge is, m.
const PIVOT: [f64; 3] = [-1.4, 0.0, 1.0];
/// How fast the boom sinks, rad/s.
const RATE: f64 = 0.45;

/// The digger, whose boom sinks at a constant rate with arm and bucket held as they are: by the motors of its joints, or
/// `prescribed`. The grains see the same in both.
fn sunk(mut sections: Sections, prescribed: bool) -> Sections {
    let vector = |v: [f64; 3]| Vector(v.to_vec());
    if prescribed {
        sections.joints.clear();
        sections.motors.clear();
        for body in &mut sections.bodies {
            body.velocity = None;
            body.angular_velocity = None;
            body.motion = Some(MotionSpec::Rotation {
                axis: Some(vector([0.0, 1.0, 0.0])),
                rate: RATE,
                center: Some(vector(PIVOT)),
            });
        }
    }
    for motor in &mut sections.motors {
        let rate = if motor.joint == "boom" { RATE } else { 0.0 };
        motor.position = None;
        motor.strength = None;
        motor.speed = Some(InTime::Constant(rate));
    }
    sections
}

/// Steps until the boom is down, and those until the bucket is among the grains, which are not measured.
const SINKING: [usize; 2] = [400, 200];

/// Takes so many steps of each world in turns; those from `first` on count.
fn in_turns(worlds: [Sections; 2], steps: usize, first: usize) -> Result<[Sum; 2], Failure> {
    let [one, other] = worlds;
    let mut both = [simulation(one)?, simulation(other)?];
    in_pool(1, || -> Result<_, Failure> {
        let mut sums = [Sum::default(); 2];
        for k in 0..steps {
            // In turns, so that both meet the same machine.
            for (simulation, sum) in both.iter_mut().zip(&mut sums) {
                sum.step(simulation, k >= first)?;
            }
        }
        let counted = (steps - first) as f64;
        for sum in &mut sums {
            sum.seconds /= counted;
            sum.contacts /= counted;
            sum.sweeps /= counted;
            sum.repeats /= counted;
            sum.stages = sum.stages.map(|seconds| seconds / counted);
        }
        Ok(sums)
    })?
}

/// Measures and adds the entries.
pub fn measure(arguments: &DiggerArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let DiggerArguments { grains, steps } = *arguments;
    let machine = refined(grains)?;
    let mut alone = machine.clone();
    alone.bodies.clear();
    alone.joints.clear();
    alone.motors.clear();
    let sinking = [true, false].map(|prescribed| sunk(machine.clone(), prescribed));
    let [alone, digger] = in_turns([alone, machine], steps, SETTLING.min(steps / 2))?;
    let [given, driven] = in_turns(sinking, SINKING[0], SINKING[1])?;
    let runs = [alone, digger, given, driven];
    let uncertified: usize = runs.iter().map(|sum| sum.uncertified).sum();
    let note = format!(
        "{grains} grains, {:.0} contacts a step, {uncertified} steps not certified",
        digger.contacts
    );
    let mut add = |quantity: &str, value: f64, unit: &'static str| {
        entries.push(Entry {
            name: "digger",
            quantity: quantity.to_owned(),
            value,
            unit,
            threads: 1,
            note: note.clone(),
        });
    };
    let names = [
        "grains at rest",
        "digger",
        "sinking links, prescribed",
        "sinking links on joints",
    ];
    for (name, sum) in names.iter().zip(&runs) {
        add(name, 1e3 * sum.seconds, "ms/step");
        add(&format!("{name}, sweeps"), sum.sweeps, "1/step");
        add(&format!("{name}, repeated solves"), sum.repeats, "1/step");
        for (stage, seconds) in Stage::ALL.iter().zip(sum.stages) {
            let stage = stage.name();
            add(&format!("{name}, {stage}"), 1e3 * seconds, "ms/step");
        }
    }
    add(
        "digger over grains at rest",
        digger.seconds / alone.seconds,
        "-",
    );
    add(
        "joints over prescribed",
        driven.seconds / given.seconds,
        "-",
    );
    add(
        "largest joint error",
        digger.joint_error.max(driven.joint_error),
        "m",
    );
    Ok(())
}
