//! Operator applications and time on one step of piles of spheres that do not turn [kleinert2017, §5,
//! Test Problems 1 to 3].

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::bodies::{Motion, Wall};
use granule::cases;
use granule::math::DVec3;
use granule::problem::ContactProblem;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Simulation, World};
use granule::solver::{Method, OnFailure, SolveReport, SolverConfig, Status, solver};
use granule_io::scene;
use std::path::Path;
use std::time::Instant;

/// Errors of the worst contact that solvers are run to, m/s.
const TOLERANCES: [f64; 6] = [5e-2, 1e-2, 2e-3, 5e-4, 1e-6, 1e-8];
/// The error for which counts are printed, m/s.
const PRINTED: f64 = 5e-4;
/// Spheres of the paper's three problems, and of a smaller one.
const PILES: [usize; 4] = [500, 2048, 5040, 10_192];
/// Spheres of a pile as large as the paper's trench, at the full size.
const LARGEST: usize = 105_144;
/// The largest pile with `--quick`.
const QUICK: usize = 2048;
/// A method that took longer than this (s) is not asked for less error.
const LONGEST: f64 = 120.0;
/// Time in which our own piles fall down, s.
const SETTLING: f64 = 0.6;

/// The spheres of a file of the authors: floor and walls at 0 and 10 m.
fn from_file(path: &Path) -> Result<World, Error> {
    let path = std::path::absolute(path).map_err(|error| Error::Data(error.to_string()))?;
    let text = format!(
        "[scene]\nname = \"pile\"\ngravity = [0, 0, -10]\nlock_rotation = true\nallow_overlap = true\n\
         [time]\nstep = 1e-2\nend = 1e-2\n[contacts]\nlaw = \"coulomb-convex\"\nfriction = 0.4\n\
         [[walls]]\nbox = {{ size = [10, 10, 10] }}\nposition = [5, 5, 5]\n\
         [[grains]]\nvtk = {{ file = '{}', radius = \"radius\", mass = \"mass\" }}\n",
        path.display()
    );
    let scene = scene::parse(&text, Path::new("pile.toml"))
        .map_err(|error| Error::Data(error.to_string()))?;
    let built = scene
        .build()
        .map_err(|error| Error::Data(error.to_string()))?;
    Ok(built.world)
}

/// The spheres on a floor: the walls of the authors' files are ten metres high, a pile is one of them wide.
fn on_floor(world: &World) -> World {
    let mut shown = world.clone();
    shown.walls.clear();
    let floor = Surface::HalfSpace(HalfSpace);
    shown.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    shown
}

/// A pile of our own that has fallen down.
pub(super) fn settled(count: usize, options: &Options) -> Result<World, Error> {
    options.say(format!("{count} spheres fall down"));
    let mut settings = cases::pile_settings(SETTLING);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-3;
    settings.scheme.recovery = granule::scheme::Recovery::Position;
    let mut simulation = Simulation::new(cases::pile(count, 1), settings)?;
    while !simulation.finished() {
        simulation.step()?;
    }
    Ok(simulation.world().clone())
}

/// The problem of the next step.
pub(super) fn problem(world: World) -> Result<ContactProblem, Error> {
    let mut settings = cases::pile_settings(world.time + 1e-2);
    settings.solver.own = Method::Ags.into();
    // Only the problem is wanted.
    settings.solver.tolerance = 0.5;
    settings.solver.on_failure = OnFailure::Warn;
    let mut simulation = Simulation::new(world, settings)?;
    simulation.step()?;
    Ok(simulation.first_problem().problem().clone())
}

/// A cold solve to an error of the worst contact, m/s.
fn solve(problem: &ContactProblem, method: Method, error: f64) -> (SolveReport, f64) {
    let config = SolverConfig {
        // Any relative error will do: the worst contact decides.
        tolerance: 0.9,
        max_residual: Some(error),
        max_iterations: 200_000,
        ..SolverConfig::named(method)
    };
    let mut impulses = vec![0.0; problem.len()];
    let start = Instant::now();
    let report = solver(&config).solve(problem, &mut impulses, &config.ask());
    (report, start.elapsed().as_secs_f64())
}

/// The iterations of the interior point over the bodies on a pile that is too large for the others, after
/// sweeps to 1e-5.
fn handed_over(
    problem: &ContactProblem,
    count: usize,
    options: &Options,
) -> Result<Vec<Row>, Error> {
    options.say(format!("{count} spheres: ags, then ipm"));
    let mut impulses = vec![0.0; problem.len()];
    let first = SolverConfig {
        tolerance: 1e-5,
        ..SolverConfig::named(Method::Ags)
    };
    let start = Instant::now();
    let sweeps = solver(&first).solve(problem, &mut impulses, &first.ask());
    let second = SolverConfig {
        tolerance: 0.9,
        max_residual: Some(PRINTED),
        ..SolverConfig::named(Method::Ipm)
    };
    let report = solver(&second).solve(problem, &mut impulses, &second.ask());
    let quantity = format!("{count} spheres, ags to 1e-5, then ipm to {PRINTED:e} m/s");
    let note = format!(
        "{} sweeps, then {} Newton iterations, {:.1} s, error {:.1e} m/s{}",
        sweeps.iterations,
        report.iterations,
        start.elapsed().as_secs_f64(),
        report.certificate.residual,
        remarks(&report),
    );
    Ok(vec![
        Row::unpublished(quantity, report.applications)
            .unit("applications")
            .note(note),
    ])
}

/// What else is to be said: who finished it, and whether it was.
fn remarks(report: &SolveReport) -> String {
    let finisher = match report.finished_by {
        Some(method) => format!(", finished by {}", method.name()),
        None => String::new(),
    };
    if report.status == Status::Converged {
        finisher
    } else {
        finisher + "; NOT reached"
    }
}

/// What a method took to an error on a pile.
struct Outcome {
    spheres: usize,
    contacts: usize,
    method: Method,
    /// What was asked for and what was left, m/s.
    wanted: f64,
    error: f64,
    seconds: f64,
    applications: usize,
}

fn compare(
    published: &Published,
    problem: &ContactProblem,
    count: usize,
    outcomes: &mut Vec<Outcome>,
    options: &Options,
) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for method in [Method::Ags, Method::Ipm, Method::IpmMf, Method::Pgj] {
        for error in TOLERANCES {
            options.say(format!(
                "{count} spheres: {} to {error:e} m/s",
                method.name()
            ));
            let (report, seconds) = solve(problem, method, error);
            let quantity = format!("{count} spheres, {} to {error:e} m/s", method.name());
            let note = format!(
                "{} iterations, {seconds:.2} s{}",
                report.iterations,
                remarks(&report)
            );
            if report.status == Status::Converged {
                outcomes.push(Outcome {
                    spheres: count,
                    contacts: problem.contact_count(),
                    method,
                    wanted: error,
                    error: report.certificate.residual,
                    seconds,
                    applications: report.applications,
                });
            }
            // Like with like: both of the paper's methods have no matrix.
            let (key, note) = match method {
                Method::Pgj => (format!("pgj-{count}-{error}"), note),
                Method::IpmMf => (format!("ipm-{count}-{error}"), note),
                Method::Ipm => (
                    String::new(),
                    note + "; it factorises a sparse matrix: not to be set against the paper's products",
                ),
                _ => (String::new(), note),
            };
            rows.push(match published.find(&key) {
                Some(number) => {
                    let applications = report.applications as f64;
                    let same = published.tolerance("products")?;
                    let verdict = Verdict::of_cost(number.float()?, applications, same.most());
                    number
                        .row(quantity, report.applications, verdict)
                        .note(same.note("within a factor of"))
                        .note(note)
                }
                None => Row::unpublished(quantity, report.applications)
                    .unit("applications")
                    .note(note),
            });
            let slow = matches!(method, Method::Pgj | Method::IpmMf);
            let enough = slow && error <= PRINTED;
            if report.status != Status::Converged || seconds > LONGEST || enough {
                break;
            }
        }
    }
    Ok(rows)
}

/// Contacts, applications and times.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    let mut outcomes = Vec::new();
    let largest = if options.quick { QUICK } else { usize::MAX };
    let more = options.full.then_some(LARGEST);
    for count in PILES
        .into_iter()
        .chain(more)
        .filter(|count| *count <= largest)
    {
        let file = options
            .data
            .as_ref()
            .map(|folder| folder.join(format!("particles{count}pile.vtu")))
            .filter(|path| path.is_file());
        let world = match &file {
            Some(path) => from_file(path)?,
            None => settled(count, options)?,
        };
        let caption = format!("{count} spheres (figure 5)");
        let name = format!("kleinert-piles-{count}");
        match &file {
            Some(_) => options.draw(&on_floor(&world), &name, caption)?,
            None => options.draw(&world, &name, caption)?,
        }
        let problem = problem(world)?;
        let contacts = problem.contact_count();
        let same = published.tolerance("contacts")?;
        let source = match &file {
            Some(_) => format!("the authors' pile; {}", same.note("within a share of")),
            None => "a pile of our own".to_owned(),
        };
        let quantity = format!("{count} spheres, pairs nearer than 8 mm");
        let number = published.find(&format!("contacts-{count}"));
        rows.push(
            match (number, &file) {
                (Some(number), Some(_)) => {
                    let close = same.allows((contacts as f64 / number.float()? - 1.0).abs());
                    number.row(quantity, contacts, Verdict::matches(close))
                }
                _ => Row::unpublished(quantity, contacts),
            }
            .note(source),
        );
        rows.extend(if count < LARGEST {
            compare(published, &problem, count, &mut outcomes, options)?
        } else {
            handed_over(&problem, count, options)?
        });
    }
    rows.extend(ratios(&outcomes, published)?);
    draw(&outcomes, options)?;
    Ok(rows)
}

/// The time of Gauss-Jacobi over that of the interior point without a matrix, to the printed error.
fn ratios(outcomes: &[Outcome], published: &Published) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for count in PILES {
        let seconds = |method| {
            let mut those = outcomes
                .iter()
                .filter(|o| o.spheres == count && o.wanted == PRINTED);
            Some(those.find(|o| o.method == method)?.seconds)
        };
        let (Some(jacobi), Some(interior)) = (seconds(Method::Pgj), seconds(Method::IpmMf)) else {
            continue;
        };
        let quantity =
            format!("{count} spheres, time of pgj over that of ipm-mf to {PRINTED:e} m/s");
        let ratio = jacobi / interior;
        rows.push(match published.find(&format!("ratio-{count}")) {
            Some(number) => {
                let least = published.tolerance("ratio")?;
                let verdict = Verdict::matches(ratio >= least.most());
                number
                    .row(quantity, ratio, verdict)
                    .note(least.note("at least"))
            }
            None => Row::unpublished(quantity, ratio),
        });
    }
    Ok(rows)
}

/// Figures 6 and 7: error over time and products for each pile, time over the size for each error.
fn draw(outcomes: &[Outcome], options: &Options) -> Result<(), Error> {
    const METHODS: [Method; 4] = [Method::Ags, Method::Ipm, Method::IpmMf, Method::Pgj];
    type Of = fn(&Outcome) -> (f64, f64);
    let curves = |meant: &dyn Fn(&Outcome) -> bool, of: Of| -> Vec<Curve> {
        let methods = METHODS.into_iter().enumerate();
        methods
            .map(|(color, method)| Curve {
                label: method.name().to_owned(),
                color,
                stroke: Stroke::Both,
                points: outcomes
                    .iter()
                    .filter(|o| o.method == method && meant(o))
                    .map(of)
                    .collect(),
            })
            .collect()
    };
    for count in PILES {
        let meant = |o: &Outcome| o.spheres == count;
        if !outcomes.iter().any(meant) {
            continue;
        }
        let time: Of = |o| (o.seconds, o.error);
        let products: Of = |o| (o.applications as f64, o.error);
        for (name, x, of) in [
            ("time", "seconds, one thread", time),
            ("products", "products with the matrix", products),
        ] {
            let chart = Chart {
                title: format!("{count} spheres: error of the worst contact (figure 6)"),
                x,
                y: "error, m/s",
                logarithmic: true,
                curves: curves(&meant, of),
            };
            options.chart(&format!("kleinert-piles-{count}-{name}"), &chart)?;
        }
    }
    for (figure, error) in [("a", TOLERANCES[0]), ("b", PRINTED)] {
        let meant = |o: &Outcome| o.wanted == error;
        let chart = Chart {
            title: format!("Time to an error of {error:e} m/s by the size of the pile (figure 7)"),
            x: "contacts",
            y: "seconds, one thread",
            logarithmic: true,
            curves: curves(&meant, |o| (o.contacts as f64, o.seconds)),
        };
        options.chart(&format!("kleinert-piles-{figure}"), &chart)?;
    }
    Ok(())
}
