//! Runs of spheres that fill a box, with the paper's own solver parameters [bloch2023, §3.3.1].

use super::news::News;
use super::{Error, Options};
use granule::cases;
use granule::collision::{Partner, near_pairs};
use granule::math::DVec3;
use granule::scheme::Recovery;
use granule::simulation::{Settings, Simulation, Stage, StepReport, StepSize, World};
use granule::solver::{Gradient, Method, OnFailure, Scaling, SolverConfig, Stop, WarmStart};
use serde::{Deserialize, Serialize};

/// Seed of the initial state.
const SEED: u64 = 0;

/// Steps measured after the spheres have settled, in a short run.
pub const WINDOW: u64 = 5;

/// How much longer steps are while spheres settle for a short run.
const SETTLING: f64 = 4.0;

/// The largest radius of 125 000 spheres, m: 0.9 of half the spacing of 50 in 10 m.
pub const SMALLEST_THRESHOLD: f64 = 0.09;

/// Into so many parts the largest radius is divided.
pub const SHARES: usize = 40;

/// What a run gave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Number of spheres.
    pub particles: usize,
    /// Constraints in the last step.
    pub constraints: usize,
    /// Those of them with walls.
    pub with_walls: usize,
    /// Constraints with a force in the last step.
    pub active: usize,
    /// Pairs of spheres, and of spheres and walls, that are nearer at the end than each of [`thresholds`].
    pub near: Vec<[usize; 2]>,
    /// Number of steps.
    pub steps: usize,
    /// Iterations of all steps.
    pub iterations: usize,
    /// Time of all solves, s.
    pub seconds: f64,
    /// Steps whose solve ended at the limit of iterations.
    pub unfinished: usize,
    /// Time, constraints, active contacts and iterations of each step.
    pub history: Vec<Vec<f64>>,
}

impl Measured {
    fn add(&mut self, report: &StepReport) {
        self.constraints = report.contacts;
        self.active = report.active;
        self.steps += 1;
        self.iterations += report.iterations;
        self.unfinished += usize::from(!report.certified);
        let counts = [report.contacts, report.active, report.iterations];
        let line = std::iter::once(report.time).chain(counts.map(|count| count as f64));
        self.history.push(line.collect());
    }

    fn finish(mut self, simulation: &Simulation) -> Self {
        let contacts = simulation.contacts();
        let bodies = contacts.filter(|c| matches!(c.partner, Partner::Body(_)));
        self.with_walls = self.constraints - bodies.count();
        let world = simulation.world();
        self.near = thresholds(world).map(|most| near(world, most)).collect();
        self.seconds = simulation.times().get(Stage::Solve).as_secs_f64();
        self
    }

    /// Mean time of an iteration, s.
    pub fn seconds_per_iteration(&self) -> f64 {
        self.seconds / self.iterations.max(1) as f64
    }

    /// Mean iterations a step.
    pub fn iterations_per_step(&self) -> f64 {
        self.iterations as f64 / self.steps.max(1) as f64
    }
}

/// Distances that the paper's D_max could have been, m: shares of the largest radius, in [`SHARES`]ths, and
/// the largest radius of 125 000 spheres.
fn thresholds(world: &World) -> impl Iterator<Item = f64> {
    let largest = world.bodies.radius.iter().copied().fold(0.0, f64::max);
    let shares = (0..=SHARES).map(move |k| largest * k as f64 / SHARES as f64);
    shares.chain([SMALLEST_THRESHOLD])
}

/// Pairs of spheres, and of spheres and the walls of the box, nearer than a distance (m).
fn near(world: &World, most: f64) -> [usize; 2] {
    let bodies = &world.bodies;
    let pairs = near_pairs(bodies, |radius| radius + 0.5 * most);
    let sides = |(place, radius): (&DVec3, &f64)| {
        let near = |x: f64| usize::from(x - radius <= most);
        let axes = place.to_array().into_iter();
        axes.map(|x| near(x) + near(10.0 - x)).sum::<usize>()
    };
    let walls = bodies.position.iter().zip(&bodies.radius).map(sides);
    [pairs.len(), walls.sum()]
}

/// Where and how runs are done.
pub struct Runner<'a> {
    /// The threads of the runs; this engine's results do not depend on them, times do.
    pub pool: &'a rayon::ThreadPool,
    /// Told what is being done.
    pub options: &'a Options<'a>,
}

impl Runner<'_> {
    /// The whole runs of n³ spheres to t = 8, one for each solver.
    pub fn whole(&self, n: usize) -> Result<Vec<Measured>, Error> {
        let world = cases::box_drop(n, SEED);
        let count = world.bodies.len();
        let name = |when| format!("bloch2023-table2-{count}-{when}");
        let caption = format!("{count} spheres in a box, at the start (figure 9, left)");
        self.options.draw(&world, &name("start"), caption)?;
        self.run(&world, cases::box_drop_settings(n))
    }

    /// The same, from the folder for output if they have been done before, and kept there. `None` if there is no
    /// time left for them in this sitting.
    pub fn kept(&self, n: usize, sitting: &mut u64) -> Result<Option<Vec<Measured>>, Error> {
        let folder = self.options.out.as_ref().ok_or(Error::NoFolder)?;
        let path = folder.join(format!("bloch2023-table2-{}.json", n * n * n));
        let wrong = |what: String| Error::Data(format!("{}: {what}", path.display()));
        if path.is_file() {
            let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
            let runs = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
            return Ok(Some(runs));
        }
        if *sitting == 0 {
            return Ok(None);
        }
        *sitting -= 1;
        let runs = self.whole(n)?;
        let text = serde_json::to_string(&runs).map_err(|error| wrong(error.to_string()))?;
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|source| Error::Write { path, source })?;
        Ok(Some(runs))
    }

    /// The state of n³ spheres at t = 8, reached with longer steps and this engine's own solver.
    fn settle(&self, n: usize) -> Result<World, Error> {
        let mut settings = cases::box_drop_settings(n);
        if let StepSize::Fixed(step) = &mut settings.step {
            *step *= SETTLING;
        }
        settings.solver.tolerance = 1e-3;
        let mut simulation = Simulation::new(cases::box_drop(n, SEED), settings)?;
        let mut news = News::start(self.options, format!("{} spheres, settling", n * n * n));
        while !simulation.finished() {
            let report = self.pool.install(|| simulation.step())?;
            news.tell(report.time, settings.end);
        }
        let mut world = simulation.world().clone();
        (world.time, world.steps) = (0.0, 0);
        Ok(world)
    }

    /// A few steps of the paper's length from a settled state, once for each solver.
    pub fn short(&self, n: usize) -> Result<Vec<Measured>, Error> {
        let world = self.settle(n)?;
        let mut settings = cases::box_drop_settings(n);
        if let StepSize::Fixed(step) = settings.step {
            settings.end = WINDOW as f64 * step;
        }
        self.run(&world, settings)
    }

    /// Runs a world with each solver, all of them step by step together, so that whatever else the
    /// machine does slows all of them alike.
    fn run(&self, world: &World, settings: Settings) -> Result<Vec<Measured>, Error> {
        let mut runs = Vec::new();
        for method in Method::BLOCH {
            let (world, settings) = as_printed(world.clone(), settings, method);
            let measured = Measured {
                particles: world.bodies.len(),
                ..Measured::default()
            };
            runs.push((Simulation::new(world, settings)?, measured));
        }
        let mut news = News::start(
            self.options,
            format!("{} spheres, five solvers", world.bodies.len()),
        );
        while !runs.iter().all(|(simulation, _)| simulation.finished()) {
            for (simulation, measured) in &mut runs {
                let report = self.pool.install(|| simulation.step())?;
                measured.add(&report);
                news.tell(report.time, settings.end);
            }
        }
        let end = &runs[runs.len() - 1].0;
        let count = world.bodies.len();
        let caption = format!("{count} spheres in a box, at the end (figure 9, right)");
        let name = format!("bloch2023-table2-{count}-end");
        self.options.draw(end.world(), &name, caption)?;
        Ok(runs
            .into_iter()
            .map(|(s, measured)| measured.finish(&s))
            .collect())
    }
}

/// The world and settings of the paper: every solve starts from zero, ends on the paper's own test
/// at 1e-3, and penetrations are undone by the velocity.
///
/// The paper's unknowns are forces f with ρ = 0.2/Δt² and the matrix Δt² W; ours are impulses
/// λ = Δt f, so that the step is 0.2. Its test adds 1 N to a force; ours adds 1 N Δt to an impulse.
fn as_printed(world: World, mut settings: Settings, method: Method) -> (World, Settings) {
    let largest = world.bodies.radius.iter().copied().fold(0.0, f64::max);
    settings.candidate_distance = Some(largest);
    settings.scheme.recovery = Recovery::Velocity;
    settings.solver = SolverConfig {
        tolerance: 1e-3,
        stop: Stop::Paper,
        warm_start: WarmStart::Zero,
        on_failure: OnFailure::Warn,
        ..SolverConfig::named(method)
    };
    if let Some(gradient) = settings.solver.own.gradient_mut() {
        *gradient = Gradient {
            step: Some(0.2),
            scaling: Scaling::None,
        };
    }
    (world, settings)
}
