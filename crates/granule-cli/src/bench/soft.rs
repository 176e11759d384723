//! What contacts that give, hold and yield cost: the same packing with rigid contacts and with others, step by step in
//! turns.

use super::{Entry, at_least_one, in_pool, thread_seconds};
use crate::failure::Failure;
use crate::names::parse_law;
use clap::Args;
use granule::cases;
use granule::law::{Cohesion, Elasticity, Friction, Interface, LawName, LawTable, Strength};
use granule::simulation::{Simulation, Stage, StageTimes, StepReport, World};
use granule::solver::Method;
use granule_io::scene;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

/// μ.
const FRICTION: f64 = 0.5;
/// The tolerance of the steps that make the packing.
const SETTLING: f64 = 1e-3;
/// Steps from the packing before those that count, in which springs are loaded and what was remembered of it is gone.
const FIRST: usize = 40;
/// Steps of one packing before it is another's turn.
const TURN: usize = 5;

/// Options of `granule bench soft`.
#[derive(Args)]
pub struct SoftArguments {
    /// Spheres along a side of the box, n³ in all
    #[arg(long, default_value_t = 20, value_parser = at_least_one, allow_negative_numbers = true)]
    n: usize,
    /// Steps that count
    #[arg(long, default_value_t = 60, value_parser = at_least_one, allow_negative_numbers = true)]
    steps: usize,
    /// How long the spheres fall and settle with rigid contacts before, s
    #[arg(long, default_value_t = 8.0, allow_negative_numbers = true)]
    from: f64,
    /// Only this law, coulomb-convex or coulomb
    #[arg(long, value_parser = parse_law)]
    law: Option<LawName>,
    /// Only this tolerance, in place of 1e-3 and 1e-4
    #[arg(long, allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// A file with a packing (x,y,z,r,m) in the box [0, 10]³ to start from, in place of one that is made
    #[arg(long)]
    data: Option<PathBuf>,
}

/// What is between the spheres.
struct Kind {
    name: &'static str,
    interface: Interface,
}

/// All kinds that go with a law, the rigid one first. A sphere weighs 1.5 N, the lowest ones carry about 30 N in the
/// mean: springs give by 1e-3 of a radius, contacts hold twice a weight, and some of them are crushed.
fn kinds(law: LawName) -> Vec<Kind> {
    let rigid = Interface::from(law.with(Friction::sliding(FRICTION)));
    let springs = Interface {
        elasticity: Elasticity {
            damping: 2e-3,
            ..Elasticity::springs(1e5, 8e4)
        },
        ..rigid
    };
    let cohesion = Cohesion {
        strength: 3.0,
        range: 1e-2,
    };
    let held = Interface {
        cohesion,
        ..springs
    };
    let mut kinds = vec![
        ("rigid", rigid),
        ("rigid + cohesion", Interface { cohesion, ..rigid }),
        ("compliance", springs),
        ("compliance + cohesion", held),
    ];
    // For exact friction no law with a cap is known.
    if law == LawName::CoulombConvex {
        let strength = Strength {
            rounding: 0.0,
            cap: Some(50.0),
        };
        let capped = Interface { strength, ..held };
        kinds.push(("compliance + cohesion + cap", capped));
    }
    let kind = |(name, interface)| Kind { name, interface };
    kinds.into_iter().map(kind).collect()
}

fn input(error: granule::simulation::SetupError) -> Failure {
    Failure::Input(error.to_string())
}

fn step(simulation: &mut Simulation, bar: &ProgressBar) -> Result<StepReport, Failure> {
    bar.tick();
    simulation
        .step()
        .map_err(|error| Failure::Run(error.to_string()))
}

/// The packing of a file.
fn from_csv(file: &Path) -> Result<World, Failure> {
    let file = std::path::absolute(file)
        .map_err(|error| Failure::Input(format!("cannot find {}: {error}", file.display())))?;
    let text = format!(
        "[scene]\nname = \"soft\"\nallow_overlap = true\ngravity = [0, 0, -1]\n[time]\nstep = 1e-3\nend = 8\n\
         [[walls]]\nbox = {{ size = [10, 10, 10] }}\nposition = [5, 5, 5]\n\
         [[grains]]\ncsv = {{ file = '{}' }}\n",
        file.display()
    );
    Ok(scene::parse(&text, Path::new("soft.toml"))?.build()?.world)
}

/// The packing that spheres make which fall into the box with rigid contacts.
fn settled(n: usize, from: f64, bar: &ProgressBar) -> Result<World, Failure> {
    let mut world = cases::box_drop(n, 0);
    let law = LawName::CoulombConvex.with(Friction::sliding(FRICTION));
    world.laws = LawTable::uniform(law);
    let mut settings = cases::box_drop_settings(n);
    settings.end = from;
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = SETTLING;
    let mut simulation = Simulation::new(world, settings).map_err(input)?;
    while !simulation.finished() {
        step(&mut simulation, bar)?;
        bar.set_message(format!("t = {:.2} s", simulation.world().time));
    }
    let mut world = simulation.world().clone();
    (world.time, world.steps) = (0.0, 0);
    Ok(world)
}

/// A packing with its kind of contacts, and what its steps took.
struct Packing {
    kind: Kind,
    simulation: Simulation,
    seconds: f64,
    /// Times of the stages when the steps that count began.
    before: StageTimes,
    iterations: usize,
    escalations: usize,
    failed: usize,
    contacts: usize,
    active: usize,
}

impl Packing {
    fn new(world: &World, n: usize, kind: Kind, tolerance: f64) -> Result<Self, Failure> {
        let mut world = world.clone();
        world.laws = LawTable::uniform(kind.interface);
        let mut settings = cases::box_drop_settings(n);
        settings.end = 1e3;
        settings.solver.own = Method::Ags.into();
        settings.solver.tolerance = tolerance;
        let simulation = Simulation::new(world, settings).map_err(input)?;
        Ok(Self {
            kind,
            before: *simulation.times(),
            simulation,
            seconds: 0.0,
            iterations: 0,
            escalations: 0,
            failed: 0,
            contacts: 0,
            active: 0,
        })
    }

    fn turn(&mut self, steps: usize, bar: &ProgressBar) -> Result<(), Failure> {
        let start = thread_seconds();
        for _ in 0..steps {
            let report = step(&mut self.simulation, bar)?;
            self.iterations += report.iterations;
            self.escalations += report.escalations;
            self.failed += usize::from(!report.certified);
            (self.contacts, self.active) = (report.contacts, report.active);
        }
        self.seconds += thread_seconds() - start;
        Ok(())
    }

    /// The share of the time that went into a stage.
    fn share(&self, stage: Stage) -> f64 {
        let spent = |stage| {
            let times = self.simulation.times();
            (times.get(stage) - self.before.get(stage)).as_secs_f64()
        };
        spent(stage) / Stage::ALL.into_iter().map(spent).sum::<f64>()
    }
}

/// The steps that count of all kinds, in turns.
fn in_turns(
    world: &World,
    arguments: &SoftArguments,
    law: LawName,
    tolerance: f64,
    bar: &ProgressBar,
) -> Result<Vec<Packing>, Failure> {
    let packing = |kind| Packing::new(world, arguments.n, kind, tolerance);
    let made: Result<Vec<Packing>, Failure> = kinds(law).into_iter().map(packing).collect();
    let mut packings = made?;
    for packing in &mut packings {
        bar.set_message(format!("{tolerance:.0e}, {}", packing.kind.name));
        for _ in 0..FIRST {
            step(&mut packing.simulation, bar)?;
        }
        packing.before = *packing.simulation.times();
    }
    let mut left = arguments.steps;
    while left > 0 {
        let steps = left.min(TURN);
        left -= steps;
        bar.set_message(format!("{tolerance:.0e}, {left} steps left"));
        for packing in &mut packings {
            packing.turn(steps, bar)?;
        }
    }
    Ok(packings)
}

/// Measures and adds the entries.
pub fn measure(arguments: &SoftArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let laws = [LawName::CoulombConvex, LawName::Coulomb];
    let wanted = |law: &LawName| arguments.law.is_none_or(|name| name == *law);
    if !laws.iter().any(wanted) {
        let reason = "--law must be coulomb-convex or coulomb";
        return Err(Failure::Input(reason.to_owned()));
    }
    let (from, tolerances) = (arguments.from, arguments.tolerance);
    if !(from > 0.0 && from.is_finite()) {
        let reason = format!("--from must be a positive time (s), not {from}");
        return Err(Failure::Input(reason));
    }
    if let Some(tolerance) = tolerances.filter(|x| !(*x > 0.0 && *x < 1.0)) {
        let reason = format!("--tolerance must be above 0 and below 1, not {tolerance}");
        return Err(Failure::Input(reason));
    }
    let tolerances = tolerances.map_or(vec![1e-3, 1e-4], |tolerance| vec![tolerance]);
    let bar = ProgressBar::new_spinner();
    let world = match &arguments.data {
        Some(file) => from_csv(file)?,
        None => in_pool(1, || settled(arguments.n, from, &bar))??,
    };
    for law in laws.into_iter().filter(wanted) {
        for &tolerance in &tolerances {
            let packings = in_pool(1, || in_turns(&world, arguments, law, tolerance, &bar))??;
            let rigid = packings[0].seconds;
            for packing in &packings {
                packing.enter((law, tolerance), arguments.steps, rigid, entries);
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

impl Packing {
    fn enter(
        &self,
        (law, tolerance): (LawName, f64),
        steps: usize,
        rigid: f64,
        entries: &mut Vec<Entry>,
    ) {
        let kind = self.kind.name;
        let note = format!(
            "{}, to {tolerance:.0e}, {} spheres, {} contacts, {} of them loaded",
            law.name(),
            self.simulation.world().bodies.len(),
            self.contacts,
            self.active
        );
        let mut add = |quantity: &str, value: f64, unit| {
            entries.push(Entry {
                name: "soft",
                quantity: format!("{kind}: {quantity}"),
                value,
                unit,
                threads: 1,
                note: note.clone(),
            });
        };
        let each = self.seconds / steps as f64;
        add("step over rigid", self.seconds / rigid, "-");
        add("step, processor", each, "s");
        add("sweeps a step", self.iterations as f64 / steps as f64, "-");
        for stage in Stage::ALL {
            if stage != Stage::Record {
                let part = each * self.share(stage);
                add(&format!("stage {}", stage.name()), part, "s/step");
            }
        }
        add("escalations", self.escalations as f64, "-");
        add("steps not certified", self.failed as f64, "-");
    }
}
