//! Contact problems of other codes: every file of a folder with every solver, to 1e-4 and 1e-8, and a
//! performance profile; on request Siconos on the same files beside it.

use super::siconos::{self, PeerProblem};
use super::{Entry, in_pool};
use crate::failure::Failure;
use crate::names::parse_method;
use crate::plot::{self, Chart, Curve, Stroke};
use clap::{Args, ValueEnum};
use granule::certify::certify;
use granule::law::Flow;
use granule::solver::{Method, SolverConfig, solver};
use granule_io::fclib::{self, Answer, ContactFile, EngineProblem};
use granule_io::results::write_file;
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The errors that problems are solved to.
const TOLERANCES: [f64; 2] = [1e-4, 1e-8];
/// A solve that needs more iterations is not waited for.
const MOST_ITERATIONS: usize = 20_000;
/// A solve is repeated so often, or until all have taken so long (s), and the shortest counts.
const REPEATS: usize = 30;
const LONG: f64 = 0.1;
/// Times below this are all the same, s.
pub(super) const LEAST: f64 = 1e-6;
/// The peer's name in tables; its curves have circles.
const PEER: &str = "Siconos";
/// Who takes part if nobody is named: as many as there are colours.
const USUAL: [Method; 5] = [
    Method::Auto,
    Method::Newton,
    Method::Ags,
    Method::NlgsPdas,
    Method::NlgsCases,
];

/// Options of `granule bench fclib`.
#[derive(Args)]
pub struct FclibArguments {
    /// The folder with the contact problems, FCLib's .hdf5 and Siconos' .dat
    folder: PathBuf,
    /// The solvers, as `auto,ags`
    #[arg(long, value_parser = parse_method, value_delimiter = ',')]
    solvers: Vec<Method>,
    /// Also run this code on the same problems
    #[arg(long, value_enum)]
    peer: Option<Peer>,
    /// The folder for the table and the performance profiles
    #[arg(long, default_value = "runs/bench-fclib")]
    out: PathBuf,
}

/// Another code.
#[derive(Clone, Copy, ValueEnum)]
enum Peer {
    /// Siconos, as the Python module `siconos`
    Siconos,
}

/// A problem of the folder.
pub(super) struct Given {
    pub(super) name: String,
    pub(super) file: ContactFile,
    pub(super) engine: EngineProblem,
}

/// What one solver did with one problem.
pub(super) struct Outcome {
    pub(super) problem: usize,
    pub(super) solver: String,
    pub(super) tolerance: f64,
    pub(super) seconds: f64,
    pub(super) iterations: usize,
    pub(super) scaled: f64,
    pub(super) community: f64,
}

impl Outcome {
    fn solved(&self) -> bool {
        self.scaled <= self.tolerance && self.community <= self.tolerance
    }
}

/// All files below a folder that may be contact problems, in order.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error| {
        Failure::Input(format!(
            "cannot read the folder {}: {error}",
            folder.display()
        ))
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            found.extend(files_in(&path)?);
        } else if path
            .extension()
            .is_some_and(|end| end == "dat" || end == "hdf5")
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

pub(super) fn load(folder: &Path) -> Result<Vec<Given>, Failure> {
    let files = files_in(folder)?;
    if files.is_empty() {
        return Err(Failure::Input(format!(
            "there is no .dat or .hdf5 file in {}",
            folder.display()
        )));
    }
    let read = |path: &PathBuf| {
        let file = fclib::read(path).map_err(|error| Failure::Input(error.to_string()))?;
        let engine = file
            .engine_problem(Flow::Exact)
            .map_err(|flaw| Failure::Input(format!("{}: {flaw}", path.display())))?;
        let name = path.strip_prefix(folder).unwrap_or(path);
        Ok(Given {
            name: name.display().to_string(),
            file,
            engine,
        })
    };
    files.iter().map(read).collect()
}

/// A solver's tries at a problem.
struct Tries {
    config: SolverConfig,
    shortest: Option<Answer>,
    /// What all tries have taken, s.
    all: f64,
}

impl Tries {
    /// `None` where the solver does not take the problem.
    fn new(given: &Given, method: Method, tolerance: f64) -> Option<Self> {
        let config = SolverConfig {
            tolerance,
            max_relative: Some(tolerance),
            max_iterations: MOST_ITERATIONS,
            ..SolverConfig::named(method)
        };
        let own = solver(&config);
        own.supports(&given.engine.problem.kind()).ok()?;
        Some(Self {
            config,
            shortest: None,
            all: 0.0,
        })
    }

    /// Tries once more, unless that has taken long enough.
    fn again(&mut self, given: &Given) {
        if self.all > LONG {
            return;
        }
        let mut own = solver(&self.config);
        let answer = fclib::solve(
            &given.file,
            &given.engine,
            Flow::Exact,
            &self.config.ask(),
            own.as_mut(),
        );
        self.all += answer.seconds;
        let best = self.shortest.as_ref().map(|best| best.seconds);
        if best.is_none_or(|best| answer.seconds < best) {
            self.shortest = Some(answer);
        }
    }

    fn outcome(&self, problem: usize) -> Option<(Outcome, &[f64])> {
        let answer = self.shortest.as_ref()?;
        let outcome = Outcome {
            problem,
            solver: self.config.method().name().to_owned(),
            tolerance: self.config.tolerance,
            seconds: answer.seconds,
            iterations: answer.report.iterations,
            scaled: answer.certificate.scaled,
            community: answer.community,
        };
        Some((outcome, &answer.solution.impulses))
    }
}

/// The share of problems that a solver has solved within each multiple of the best time.
fn profile(outcomes: &[Outcome], tolerance: f64, count: usize) -> Chart {
    let of = |outcome: &&Outcome| outcome.tolerance == tolerance && outcome.solved();
    let mut best = vec![f64::INFINITY; count];
    for outcome in outcomes.iter().filter(of) {
        best[outcome.problem] = best[outcome.problem].min(outcome.seconds);
    }
    let mut ratios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|o| o.tolerance == tolerance) {
        let list = ratios.entry(&outcome.solver).or_default();
        if outcome.solved() {
            let least = best[outcome.problem].max(LEAST);
            list.push((outcome.seconds.max(LEAST) / least).log2());
        }
    }
    let longest = ratios.values().flatten().copied().fold(1.0, f64::max);
    let curves = ratios
        .into_iter()
        .enumerate()
        .map(|(color, (solver, mut list))| {
            list.sort_by(f64::total_cmp);
            let mut points = vec![(0.0, 0.0)];
            for (solved, ratio) in list.iter().enumerate() {
                let share = |n: usize| n as f64 / count as f64;
                points.push((*ratio, share(solved)));
                points.push((*ratio, share(solved + 1)));
            }
            points.push((longest, points.last().map_or(0.0, |point| point.1)));
            Curve {
                label: solver.to_owned(),
                color,
                stroke: if solver.starts_with(PEER) {
                    Stroke::Both
                } else {
                    Stroke::Line
                },
                points,
            }
        })
        .collect();
    Chart {
        title: format!("{count} contact problems to {tolerance:e}"),
        x: "log2 (time / least time)",
        y: "share of problems solved",
        logarithmic: false,
        curves,
    }
}

/// All outcomes as a table.
fn table(problems: &[Given], outcomes: &[Outcome]) -> String {
    let mut text =
        "problem,contacts,rows,solver,tolerance,seconds,iterations,scaled,community,solved\n"
            .to_owned();
    for outcome in outcomes {
        let given = &problems[outcome.problem];
        text.push_str(&format!(
            "{},{},{},{},{:e},{:e},{},{:e},{:e},{}\n",
            given.name,
            given.file.contact_count(),
            given.file.row_count(),
            outcome.solver,
            outcome.tolerance,
            outcome.seconds,
            outcome.iterations,
            outcome.scaled,
            outcome.community,
            outcome.solved()
        ));
    }
    text
}

/// The sums of each solver, and by whom `auto` is beaten.
fn summarise(problems: &[Given], outcomes: &[Outcome], entries: &mut Vec<Entry>) {
    let mut entry = |quantity: String, value: f64, note: String| {
        entries.push(Entry {
            name: "fclib",
            quantity,
            value,
            unit: "s",
            threads: 1,
            note,
        });
    };
    for tolerance in TOLERANCES {
        let mut solvers: Vec<&str> = outcomes.iter().map(|o| o.solver.as_str()).collect();
        solvers.sort_unstable();
        solvers.dedup();
        for solver in solvers {
            let own = || {
                outcomes
                    .iter()
                    .filter(|o| o.solver == solver && o.tolerance == tolerance)
            };
            let solved = own().filter(|o| o.solved()).count();
            let unsolved = own()
                .filter(|o| !o.solved())
                .fold(0.0, |sum, o| sum + o.seconds);
            entry(
                format!("all by {solver} to {tolerance:e}"),
                own().map(|o| o.seconds).sum(),
                format!(
                    "{solved} of {} solved; {unsolved:.3} s on the others",
                    problems.len()
                ),
            );
        }
        for outcome in outcomes
            .iter()
            .filter(|o| o.solver == Method::Auto.name() && o.tolerance == tolerance)
        {
            let fastest = outcomes
                .iter()
                .filter(|o| o.problem == outcome.problem && o.tolerance == tolerance)
                .filter(|o| o.solved() && o.solver != outcome.solver)
                .min_by(|a, b| a.seconds.total_cmp(&b.seconds));
            let note = match fastest {
                _ if !outcome.solved() => format!(
                    "NOT solved: scaled {:.1e}, community's {:.1e}",
                    outcome.scaled, outcome.community
                ),
                Some(best) => format!(
                    "{} iterations, scaled {:.0e}, community's {:.0e}; {:.1} times {} ({:.1e} s)",
                    outcome.iterations,
                    outcome.scaled,
                    outcome.community,
                    outcome.seconds.max(LEAST) / best.seconds.max(LEAST),
                    best.solver,
                    best.seconds
                ),
                None => String::new(),
            };
            let name = &problems[outcome.problem].name;
            entry(
                format!("{name}, auto to {tolerance:e}"),
                outcome.seconds,
                note,
            );
        }
    }
}

/// Runs the benchmark.
pub(super) fn measure(arguments: &FclibArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let methods = match &arguments.solvers[..] {
        [] => &USUAL[..],
        asked => asked,
    };
    let problems = load(&arguments.folder)?;
    let bar = ProgressBar::new((problems.len() * TOLERANCES.len()) as u64);
    let mut outcomes = Vec::new();
    let mut best: Vec<Option<(f64, Vec<f64>)>> = problems.iter().map(|_| None).collect();
    for (problem, given) in problems.iter().enumerate() {
        for tolerance in TOLERANCES {
            let enter = |method: &Method| Tries::new(given, *method, tolerance);
            let mut all: Vec<Tries> = methods.iter().filter_map(enter).collect();
            // In turns, so that a slow minute of the machine is everybody's.
            in_pool(1, || {
                for _ in 0..REPEATS {
                    all.iter_mut().for_each(|tries| tries.again(given));
                }
            })?;
            bar.inc(1);
            for (outcome, impulses) in all.iter().filter_map(|tries| tries.outcome(problem)) {
                let error = outcome.scaled.max(outcome.community);
                if best[problem]
                    .as_ref()
                    .is_none_or(|(least, _)| error < *least)
                {
                    best[problem] = Some((error, impulses.to_vec()));
                }
                outcomes.push(outcome);
            }
        }
    }
    bar.finish_and_clear();
    if let Some(Peer::Siconos) = arguments.peer {
        ask_siconos(&problems, best, &mut outcomes, entries)?;
    }
    summarise(&problems, &outcomes, entries);
    let out = &arguments.out;
    std::fs::create_dir_all(out)
        .map_err(|error| Failure::Run(format!("cannot make {}: {error}", out.display())))?;
    for tolerance in TOLERANCES {
        let page = profile(&outcomes, tolerance, problems.len());
        plot::plot(&page, &out.join(format!("profile-{tolerance:e}.png")))
            .map_err(|error| Failure::Run(error.to_string()))?;
    }
    write_file(
        &out.join("outcomes.csv"),
        table(&problems, &outcomes).as_bytes(),
    )
    .map_err(|error| Failure::Run(error.to_string()))?;
    eprintln!("table and performance profiles in {}", out.display());
    Ok(())
}

/// Adds what Siconos does with the same problems, and what it thinks of our best impulses.
fn ask_siconos(
    problems: &[Given],
    best: Vec<Option<(f64, Vec<f64>)>>,
    outcomes: &mut Vec<Outcome>,
    entries: &mut Vec<Entry>,
) -> Result<(), Failure> {
    let tasks: Vec<PeerProblem> = problems
        .iter()
        .zip(best)
        .filter(|(given, _)| given.file.contact_count() > 0)
        .map(|(given, best)| PeerProblem {
            name: given.name.clone(),
            file: given.file.clone(),
            impulses: best.map(|(_, impulses)| impulses).unwrap_or_default(),
        })
        .collect();
    for answer in siconos::ask(tasks, &TOLERANCES)? {
        let Some(problem) = problems.iter().position(|given| given.name == answer.name) else {
            continue;
        };
        let given = &problems[problem];
        match answer.solution {
            Some(solution) => {
                let engine = given.engine.engine_impulses(&solution.impulses);
                let judged = given.engine.solution(&given.file, &engine);
                outcomes.push(Outcome {
                    problem,
                    solver: format!("{PEER} {}", solution.solver),
                    tolerance: solution.tolerance,
                    seconds: solution.seconds,
                    iterations: solution.iterations,
                    scaled: certify(&given.engine.problem, &engine).scaled,
                    community: given.file.community_error(
                        Flow::Exact,
                        &judged.impulses,
                        &judged.velocities,
                    ),
                });
            }
            None => entries.push(Entry {
                name: "fclib",
                quantity: format!("{}, our best by Siconos' own error", answer.name),
                value: answer.check.unwrap_or(f64::NAN),
                unit: "",
                threads: 1,
                note: String::new(),
            }),
        }
    }
    Ok(())
}
