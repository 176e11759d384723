//! How fast each solver finds the impulses of frictional packings: settled states of n³ spheres in a
//! box, one step, cold start.

use super::{Entry, at_least_one, in_pool};
use crate::failure::Failure;
use clap::Args;
use granule::bodies::{Bodies, Sphere};
use granule::cases;
use granule::law::{Friction, LawName, LawTable};
use granule::math::DVec3;
use granule::problem::{ContactProblem, DelassusScratch};
use granule::scheme::Recovery;
use granule::simulation::{Simulation, World};
use granule::solver::{
    Gradient, LocalStep, Method, MethodSettings, OnFailure, Scaling, SolverConfig, Status,
    SweepOrder, Sweeps, solver,
};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The errors that solvers are timed to.
const TOLERANCES: [f64; 4] = [1e-2, 1e-4, 1e-6, 1e-8];
/// Spheres along a side of the settled states: 512, 1728, 8000 and 27 000 in all.
const SIDES: [usize; 4] = [8, 12, 20, 30];
/// A solve that needs more iterations is not waited for.
const MOST_ITERATIONS: usize = 10_000;
/// A solver that takes longer than this (s) for one tolerance is not asked for the next.
const LONGEST: f64 = 10.0;
/// The problems up to which the interior point of the crate clarabel is tried, contacts.
const CLARABEL_CONTACTS: usize = 6000;
/// μ.
const FRICTION: f64 = 0.5;

/// Options of `granule bench friction`.
#[derive(Args)]
pub struct FrictionArguments {
    /// Spheres along a side of the box, n³ in all; 8, 12, 20 and 30 if not given
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    n: Option<usize>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = at_least_one, allow_negative_numbers = true)]
    threads: usize,
    /// A folder with settled states, `settled_nN_mu0.5.csv` or `dense_nN.csv`
    #[arg(long)]
    data: Option<PathBuf>,
}

/// A solver of the table.
struct Entrant {
    label: &'static str,
    config: SolverConfig,
}

/// The file with a state of n³ spheres, if the folder has one: settled, or dense at rest.
fn state_file(folder: &Path, n: usize) -> Option<PathBuf> {
    [format!("settled_n{n}_mu0.5.csv"), format!("dense_n{n}.csv")]
        .into_iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
}

/// The world of a state file: x,y,z,r,m and, if given, a quaternion, velocity and spin.
fn from_file(path: &Path) -> Result<World, Failure> {
    let bad = |line: usize, what: &str| {
        Failure::Input(format!("{}:{}: {what}", path.display(), line + 1))
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    let mut world = cases::box_drop(1, 0);
    world.bodies = Bodies::default();
    for (line, fields) in text.lines().enumerate().skip(1) {
        let numbers: Result<Vec<f64>, _> = fields.split(',').map(|f| f.trim().parse()).collect();
        let numbers = numbers.map_err(|_| bad(line, "expected numbers"))?;
        let vector = |first: usize| DVec3::from_slice(&numbers[first..first + 3]);
        if !matches!(numbers.len(), 5 | 15) {
            return Err(bad(
                line,
                "expected x,y,z,r,m or x,y,z,r,m,quaternion,velocity,spin",
            ));
        }
        let mut sphere = Sphere::new(vector(0), numbers[3], numbers[4]);
        if numbers.len() == 15 {
            sphere.velocity = vector(9);
            sphere.angular_velocity = vector(12);
        }
        world.add_sphere(&sphere);
    }
    Ok(world)
}

/// n³ spheres that fell into a box and came to rest, by our own stepping.
fn settled(n: usize) -> Result<World, Failure> {
    let mut world = cases::box_drop(n, 0);
    world.laws = LawTable::uniform(LawName::CoulombConvex.with(Friction::sliding(FRICTION)));
    let mut settings = cases::box_drop_settings(n);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-3;
    let mut simulation =
        Simulation::new(world, settings).map_err(|error| Failure::Input(error.to_string()))?;
    let bar = ProgressBar::new(1000).with_message(format!("settling {} spheres", n * n * n));
    while !simulation.finished() {
        simulation
            .step()
            .map_err(|error| Failure::Run(error.to_string()))?;
        bar.set_position((1000.0 * simulation.world().time / settings.end) as u64);
    }
    bar.finish_and_clear();
    Ok(simulation.snapshot().world)
}

/// The problem of one step from a state.
fn problem(mut world: World, n: usize, law: LawName) -> Result<ContactProblem, Failure> {
    world.laws = LawTable::uniform(law.with(Friction::sliding(FRICTION)));
    let mut settings = cases::box_drop_settings(n);
    settings.end = world.time + 1.0;
    // The printed scheme: overlaps of the given states are part of the problem.
    settings.scheme.recovery = Recovery::Velocity;
    // Only the problem is wanted, not its solution.
    settings.solver.tolerance = 0.5;
    settings.solver.on_failure = OnFailure::Warn;
    let mut simulation =
        Simulation::new(world, settings).map_err(|error| Failure::Input(error.to_string()))?;
    simulation
        .step()
        .map_err(|error| Failure::Run(error.to_string()))?;
    Ok(simulation.first_problem().problem().clone())
}

/// λ_max(W), by power iteration: the best fixed step of the printed method.
fn largest_eigenvalue(problem: &ContactProblem) -> f64 {
    let mut x: Vec<f64> = (0..problem.len())
        .map(|k| (k * 7919 % 101) as f64 - 50.0)
        .collect();
    let (mut image, mut scratch) = (x.clone(), DelassusScratch::default());
    let mut length = 1.0;
    for _ in 0..100 {
        problem.delassus.apply(&x, &mut scratch, &mut image);
        length = image.iter().map(|w| w * w).sum::<f64>().sqrt();
        x.iter_mut().zip(&image).for_each(|(x, w)| *x = w / length);
    }
    length
}

/// The solvers to compare on a problem.
fn entrants(problem: &ContactProblem) -> Vec<Entrant> {
    let printed = Entrant {
        label: "apgd-ar as printed",
        config: SolverConfig {
            own: MethodSettings::ApgdAr(Gradient {
                scaling: Scaling::None,
                step: Some(1.0 / largest_eigenvalue(problem)),
            }),
            ..SolverConfig::default()
        },
    };
    let own = Method::ALL.into_iter().map(|method| Entrant {
        label: method.name(),
        config: SolverConfig::named(method),
    });
    let colours = Sweeps {
        sweep: SweepOrder::Coloured,
        ..Sweeps::default()
    };
    let coloured = Entrant {
        label: "nlgs-pdas in colours",
        config: SolverConfig {
            own: MethodSettings::NlgsPdas(colours, LocalStep::default()),
            ..SolverConfig::default()
        },
    };
    std::iter::once(printed)
        .chain(own)
        .chain([coloured])
        .collect()
}

/// What one solver did on one problem.
struct Timed {
    seconds: f64,
    applications: usize,
    status: Status,
    scaled: f64,
}

/// One cold solve; short ones are repeated and the best counts.
fn time(problem: &ContactProblem, config: &SolverConfig) -> Timed {
    let mut solver = solver(config);
    let mut impulses = vec![0.0; problem.len()];
    let mut once = || {
        impulses.fill(0.0);
        let start = Instant::now();
        let report = solver.solve(problem, &mut impulses, &config.ask());
        (start.elapsed().as_secs_f64(), report)
    };
    let (mut seconds, report) = once();
    if seconds < 1.0 {
        for _ in 0..2 {
            seconds = seconds.min(once().0);
        }
    }
    Timed {
        seconds,
        applications: report.applications,
        status: report.status,
        scaled: report.certificate.scaled,
    }
}

/// Times every solver on one problem.
fn compare(problem: &ContactProblem, what: &str, threads: usize, entries: &mut Vec<Entry>) {
    for Entrant { label, config } in entrants(problem) {
        if config.method() == Method::Clarabel && problem.contact_count() > CLARABEL_CONTACTS {
            continue;
        }
        if solver(&config).supports(&problem.kind()).is_err() {
            continue;
        }
        for tolerance in TOLERANCES {
            let config = SolverConfig {
                tolerance,
                max_iterations: MOST_ITERATIONS,
                ..config
            };
            let timed = time(problem, &config);
            let reached = timed.status == Status::Converged;
            let note = if reached {
                format!("{} applications of W; {what}", timed.applications)
            } else {
                format!(
                    "not reached: {:.1e} after {} applications of W; {what}",
                    timed.scaled, timed.applications
                )
            };
            entries.push(Entry {
                name: "friction",
                quantity: format!("{label}, to {tolerance:.0e}"),
                value: timed.seconds,
                unit: "s",
                threads,
                note,
            });
            if !reached || timed.seconds > LONGEST {
                break;
            }
        }
    }
}

/// Measures and adds the entries.
pub fn measure(arguments: &FrictionArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let threads = arguments.threads;
    let sides = match arguments.n {
        Some(n) => vec![n],
        None => SIDES.to_vec(),
    };
    for n in sides {
        let (world, source) = match arguments.data.as_deref() {
            Some(folder) => match state_file(folder, n) {
                Some(path) => (from_file(&path)?, path.display().to_string()),
                None if arguments.n.is_some() => {
                    return Err(Failure::Input(format!(
                        "{} has no settled_n{n}_mu0.5.csv and no dense_n{n}.csv",
                        folder.display()
                    )));
                }
                None => continue,
            },
            None => (
                in_pool(threads, || settled(n))??,
                "our own state".to_owned(),
            ),
        };
        for law in [LawName::CoulombConvex, LawName::Coulomb] {
            let problem = in_pool(threads, || problem(world.clone(), n, law))??;
            let what = format!(
                "{}, {} spheres, {} contacts, {source}",
                law.name(),
                n * n * n,
                problem.contact_count()
            );
            in_pool(threads, || compare(&problem, &what, threads, entries))?;
        }
    }
    Ok(())
}
