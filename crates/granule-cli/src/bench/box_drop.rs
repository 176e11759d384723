//! Spheres falling in a box [bloch2023, §3.3.1]: a whole run.

use super::{Entry, at_least_one, in_pool};
use crate::failure::Failure;
use crate::names::{parse_law, parse_method};
use clap::Args;
use granule::cases;
use granule::law::{Friction, LawName, LawTable};
use granule::simulation::{Settings, Simulation, Stage, StepReport, StepSize, World};
use granule::solver::Method;
use granule_io::results::write_file;
use granule_io::run::peak_memory;
use granule_io::scene;
use indicatif::ProgressBar;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// μ where a law with friction is asked for.
const FRICTION: f64 = 0.5;

/// Options of `granule bench box_drop`.
#[derive(Args)]
pub struct BoxDropArguments {
    /// Spheres along a side of the box, n³ in all
    #[arg(long, default_value_t = 12, value_parser = at_least_one, allow_negative_numbers = true)]
    n: usize,
    /// The time to stop at, s
    #[arg(long, default_value_t = 8.0, allow_negative_numbers = true)]
    until: f64,
    /// The step, s; a fifth of the smallest radius over the speed of a free fall through the box if not given
    #[arg(long, allow_negative_numbers = true)]
    step: Option<f64>,
    /// The tolerance
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true)]
    tolerance: f64,
    /// Also a bound for the error of the worst contact, m/s
    #[arg(long, allow_negative_numbers = true)]
    max_residual: Option<f64>,
    /// The solver, see `granule list solvers`
    #[arg(long, default_value = "apgd-ar", value_parser = parse_method)]
    solver: Method,
    /// The law, with μ = 0.5 where it has friction; see `granule list laws`
    #[arg(long, default_value = "frictionless", value_parser = parse_law)]
    law: LawName,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = at_least_one, allow_negative_numbers = true)]
    threads: usize,
    /// A folder with start states `box_nN.csv` (x,y,z,r,m)
    #[arg(long)]
    data: Option<PathBuf>,
    /// Write the final state to this file as x,y,z,r,m,v,ω
    #[arg(long)]
    state: Option<PathBuf>,
}

impl BoxDropArguments {
    /// Refuses numbers that make no sense.
    fn check(&self) -> Result<(), Failure> {
        let refused = |what: String| Err(Failure::Input(what));
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if !positive(self.until) {
            let until = self.until;
            return refused(format!("--until must be a positive time (s), not {until}"));
        }
        let tolerance = self.tolerance;
        if !(tolerance > 0.0 && tolerance < 1.0) {
            return refused(format!(
                "--tolerance must be above 0 and below 1, not {tolerance}"
            ));
        }
        if let Some(step) = self.step.filter(|step| !positive(*step)) {
            return refused(format!("--step must be a positive time (s), not {step}"));
        }
        match self.max_residual.filter(|limit| !positive(*limit)) {
            Some(limit) => refused(format!(
                "--max-residual must be positive (m/s), not {limit}"
            )),
            None => Ok(()),
        }
    }
}

/// The world of the peers' start states, read by the `csv` generator.
fn from_csv(folder: &Path, n: usize) -> Result<World, Failure> {
    let file = folder.join(format!("box_n{n}.csv"));
    let file = std::path::absolute(&file)
        .map_err(|error| Failure::Input(format!("cannot find {}: {error}", file.display())))?;
    let text = format!(
        "[scene]\nname = \"box_drop\"\ngravity = [0, 0, -1]\n[time]\nstep = 1e-3\nend = 8\n\
         [[walls]]\nbox = {{ size = [10, 10, 10] }}\nposition = [5, 5, 5]\n\
         [[grains]]\ncsv = {{ file = '{}' }}\n",
        file.display()
    );
    Ok(scene::parse(&text, Path::new("box_drop.toml"))?
        .build()?
        .world)
}

/// What the run did.
struct Outcome {
    reports: Totals,
    simulation: Simulation,
    wall: f64,
    cpu: f64,
}

#[derive(Default)]
struct Totals {
    contacts: f64,
    iterations: f64,
    applications: f64,
    worst_scaled: f64,
    worst_relative: f64,
    worst_residual: f64,
    deepest: f64,
    failed: usize,
    escalations: usize,
    last: Option<StepReport>,
}

impl Totals {
    fn add(&mut self, report: StepReport) {
        self.contacts += report.contacts as f64;
        self.iterations += report.iterations as f64;
        self.applications += report.applications as f64;
        self.worst_scaled = self.worst_scaled.max(report.certificate.scaled);
        self.worst_relative = self.worst_relative.max(report.certificate.relative);
        self.worst_residual = self.worst_residual.max(report.certificate.residual);
        self.deepest = self.deepest.max(report.certificate.max_penetration);
        self.failed += usize::from(!report.certified);
        self.escalations += report.escalations;
        self.last = Some(report);
    }
}

fn simulate(world: World, settings: Settings) -> Result<Outcome, Failure> {
    let mut simulation =
        Simulation::new(world, settings).map_err(|error| Failure::Input(error.to_string()))?;
    let bar = ProgressBar::new(1000);
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let mut reports = Totals::default();
    while !simulation.finished() {
        reports.add(
            simulation
                .step()
                .map_err(|error| Failure::Run(error.to_string()))?,
        );
        bar.set_position((1000.0 * simulation.world().time / settings.end) as u64);
    }
    bar.finish_and_clear();
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    Ok(Outcome {
        reports,
        simulation,
        wall,
        cpu,
    })
}

/// Processor time of this process so far, s; zero where the system does not tell. Linux counts it
/// in hundredths of a second.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields after the name, which is in brackets and may hold anything.
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .map_or(Vec::new(), |(_, rest)| rest.split_whitespace().collect());
    let ticks = |k: usize| {
        fields
            .get(k)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

/// The final state as the scripts of other engines write it.
fn write_state(world: &World, path: &Path) -> Result<(), Failure> {
    let mut text = String::from("x,y,z,r,m,vx,vy,vz,wx,wy,wz\n");
    let bodies = &world.bodies;
    for place in bodies.places() {
        let i = place as usize;
        let (x, v, w) = (
            bodies.position[i],
            bodies.velocity[i],
            bodies.angular_velocity[i],
        );
        let numbers = [
            x.x,
            x.y,
            x.z,
            bodies.radius[i],
            bodies.mass[i],
            v.x,
            v.y,
            v.z,
            w.x,
            w.y,
            w.z,
        ];
        let line: Vec<String> = numbers.iter().map(|number| format!("{number:e}")).collect();
        let _ = writeln!(text, "{}", line.join(","));
    }
    Ok(write_file(path, text.as_bytes())?)
}

/// Measures and adds the entries.
pub fn measure(arguments: &BoxDropArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    arguments.check()?;
    let BoxDropArguments {
        n,
        tolerance,
        threads,
        solver: method,
        ..
    } = *arguments;
    let law = arguments.law.with(Friction::sliding(FRICTION));
    let mut world = match &arguments.data {
        Some(folder) => from_csv(folder, n)?,
        None => cases::box_drop(n, 0),
    };
    world.laws = LawTable::uniform(law);
    let mut settings = cases::box_drop_settings(n);
    settings.end = arguments.until;
    if let Some(step) = arguments.step {
        settings.step = StepSize::Fixed(step);
    }
    settings.solver.max_residual = arguments.max_residual;
    settings.solver.own = method.into();
    settings.solver.tolerance = tolerance;
    let Outcome {
        reports,
        simulation,
        wall,
        cpu,
    } = in_pool(threads, || simulate(world, settings))??;
    let steps = simulation.world().steps as f64;
    let note = format!(
        "n = {n}, {}, {}, tolerance {tolerance:e}",
        law.name(),
        method.name()
    );
    let mut add = |quantity: &str, value: f64, unit| {
        entries.push(Entry {
            name: "box_drop",
            quantity: quantity.to_owned(),
            value,
            unit,
            threads,
            note: note.clone(),
        });
    };
    add("steps", steps, "-");
    add("whole run", wall, "s");
    add("whole run, processor", cpu, "s");
    add("step", wall / steps, "s");
    add("contacts, mean", reports.contacts / steps, "-");
    if let Some(last) = reports.last {
        add("contacts, final", last.contacts as f64, "-");
        add("active contacts, final", last.active as f64, "-");
    }
    add("iterations a step", reports.iterations / steps, "-");
    let solve = simulation.times().get(Stage::Solve).as_secs_f64();
    let each = reports.applications * reports.contacts / steps;
    add(
        "solve, per contact and application",
        1e9 * solve / each,
        "ns",
    );
    for stage in Stage::ALL
        .into_iter()
        .filter(|stage| *stage != Stage::Record)
    {
        let time = simulation.times().get(stage).as_secs_f64();
        add(&format!("stage {}", stage.name()), time / steps, "s/step");
    }
    add("worst scaled error", reports.worst_scaled, "-");
    add("worst relative error", reports.worst_relative, "-");
    add("worst residual", reports.worst_residual, "m/s");
    add("deepest penetration", reports.deepest, "m");
    add("steps not certified", reports.failed as f64, "-");
    add("escalations", reports.escalations as f64, "-");
    add(
        "peak memory",
        peak_memory() as f64 / (1u64 << 30) as f64,
        "GiB",
    );
    if let Some(path) = &arguments.state {
        write_state(simulation.world(), path)?;
    }
    Ok(())
}
