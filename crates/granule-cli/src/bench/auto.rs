//! `auto` against single solvers on contact problems from files, to 1e-4 and 1e-6: who is fastest on each, and how much
//! longer `auto` takes.
//!
//! `auto` goes first. Each of the others is broken off when it has taken a quarter more than the fastest so far, so that
//! one that fails does not cost more than the answer is worth.

use super::fclib::{Given, LEAST, load};
use super::{Entry, ThreadClock, in_pool};
use crate::failure::{Failure, tell};
use crate::names::parse_method;
use clap::Args;
use granule::law::Flow;
use granule::problem::{ContactProblem, ProblemKind};
use granule::solver::{
    Ask, ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Watch, solver,
};
use granule_io::fclib;
use granule_io::results::write_file;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The errors that problems are solved to.
const TOLERANCES: [f64; 2] = [1e-4, 1e-6];
/// More than any solver makes within its time.
const MOST_ITERATIONS: usize = 100_000_000;
/// A solve is repeated so often, or until all have taken so long (s), and the shortest counts.
const REPEATS: usize = 20;
const LONG: f64 = 0.05;
/// What a solver may take to the fastest so far.
const PATIENCE: f64 = 1.25;
/// Solves of less than this are timed by the clock, since the system counts processor time in steps, s.
const TICK: f64 = 5e-3;
/// How often a solve is looked at for the end of its time.
const LOOK: Duration = Duration::from_millis(2);
/// Where the fastest takes less than this, ratios say nothing, s.
const SHORT: f64 = 1e-3;
/// The ratio that is to be kept.
const GOAL: f64 = 1.5;
/// The single solvers, if none is named.
const USUAL: [Method; 8] = [
    Method::Ags,
    Method::NlgsCases,
    Method::Newton,
    Method::NlgsEal,
    Method::NlgsPdas,
    Method::Pgs,
    Method::ApgdAr,
    Method::Ipm,
];

/// Options of `granule bench auto`.
#[derive(Args)]
pub struct AutoArguments {
    /// The folder with the contact problems, FCLib's .hdf5 and Siconos' .dat; `peers/exports` makes some
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    /// The single solvers beside `auto`, as `ags,newton`
    #[arg(long, value_parser = parse_method, value_delimiter = ',')]
    solvers: Vec<Method>,
    /// Processor time after which a solve is broken off, s
    #[arg(long, default_value_t = 20.0, value_parser = positive, allow_negative_numbers = true)]
    limit: f64,
    /// Also write all times to this file, as CSV
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if number > 0.0 => Ok(number),
        Ok(_) => Err("must be above 0".to_owned()),
        Err(_) => Err("is not a number".to_owned()),
    }
}

/// A solver whose solves are timed.
struct Timed {
    own: Box<dyn ContactSolver>,
    seconds: f64,
}

impl ContactSolver for Timed {
    fn method(&self) -> Method {
        self.own.method()
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        self.own.supports(kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        let (clock, processor) = (Instant::now(), ThreadClock::here());
        let before = processor.seconds();
        let report = self.own.solve(problem, impulses, ask);
        let passed = clock.elapsed().as_secs_f64();
        self.seconds += match processor.seconds() - before {
            used if passed > TICK && used > 0.0 => used,
            _ => passed,
        };
        report
    }
}

/// What a solver has done with a problem.
struct Tries {
    method: Method,
    /// The shortest solve, s.
    shortest: f64,
    /// What all have taken, s.
    all: f64,
    solved: bool,
    iterations: usize,
    /// The larger of the certificate's and the community's error.
    error: f64,
    finished_by: Option<Method>,
}

impl Tries {
    fn new(method: Method) -> Self {
        Self {
            method,
            shortest: f64::INFINITY,
            all: 0.0,
            solved: true,
            iterations: 0,
            error: f64::INFINITY,
            finished_by: None,
        }
    }

    /// Tries once more, unless that has taken long enough; for so many seconds of the processor at most.
    fn again(&mut self, given: &Given, tolerance: f64, most: f64) {
        if self.all > LONG || !self.solved {
            return;
        }
        let config = config(self.method, tolerance);
        let mut timed = Timed {
            own: solver(&config),
            seconds: 0.0,
        };
        let ask = config.ask();
        let answer = within(most, &ask.watch, || {
            fclib::solve(&given.file, &given.engine, Flow::Exact, &ask, &mut timed)
        });
        self.all += timed.seconds;
        self.shortest = self.shortest.min(timed.seconds);
        self.error = answer.certificate.scaled.max(answer.community);
        self.solved = self.error <= tolerance;
        self.iterations = answer.report.iterations;
        self.finished_by = answer.report.finished_by;
    }

    /// Seconds, or where it was not solved more than those.
    fn words(&self) -> String {
        match self.solved {
            true => format!("{:.3e}", self.shortest),
            false => format!(">{:.1e}", self.shortest),
        }
    }
}

fn config(method: Method, tolerance: f64) -> SolverConfig {
    SolverConfig {
        tolerance,
        max_relative: Some(tolerance),
        max_iterations: MOST_ITERATIONS,
        ..SolverConfig::named(method)
    }
}

/// Does some work of this thread, and asks it to stop when it has taken so many seconds of the processor.
fn within<T>(most: f64, watch: &Watch, work: impl FnOnce() -> T) -> T {
    let clock = ThreadClock::here();
    let before = clock.seconds();
    let (done, ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if clock.seconds() - before > most {
                    watch.stop();
                    return;
                }
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// `auto` and single solvers on one problem, to one tolerance.
struct Row {
    name: String,
    contacts: usize,
    tolerance: f64,
    auto: Tries,
    others: Vec<Tries>,
}

impl Row {
    fn measure(given: &Given, tolerance: f64, arguments: &AutoArguments) -> Result<Self, Failure> {
        let asked = match &arguments.solvers[..] {
            [] => &USUAL[..],
            asked => asked,
        };
        let kind = given.engine.problem.kind();
        let takes = |method: &Method| solver(&config(*method, tolerance)).supports(&kind).is_ok();
        let others = asked.iter().copied().filter(takes);
        let mut row = Self {
            name: given.name.clone(),
            contacts: given.file.contact_count(),
            tolerance,
            auto: Tries::new(Method::Auto),
            others: others.map(Tries::new).collect(),
        };
        in_pool(1, || {
            // In turns, so that a slow minute of the machine is everybody's.
            for _ in 0..REPEATS {
                row.auto.again(given, tolerance, arguments.limit);
                for at in 0..row.others.len() {
                    let fastest = row.all().filter(|tries| tries.solved);
                    let fastest = fastest.map(|tries| tries.shortest);
                    let most = PATIENCE * fastest.fold(f64::INFINITY, f64::min).max(TICK);
                    row.others[at].again(given, tolerance, most.min(arguments.limit));
                }
            }
        })?;
        Ok(row)
    }

    fn all(&self) -> impl Iterator<Item = &Tries> {
        std::iter::once(&self.auto).chain(&self.others)
    }

    /// The fastest single solver that has solved it.
    fn best(&self) -> Option<&Tries> {
        let solved = self.others.iter().filter(|tries| tries.solved);
        solved.min_by(|a, b| a.shortest.total_cmp(&b.shortest))
    }

    /// What `auto` takes to the best; without end if it alone fails, and `None` where no single solver was fast enough.
    fn ratio(&self) -> Option<f64> {
        let best = self.best()?.shortest.max(LEAST);
        Some(match self.auto.solved {
            true => self.auto.shortest.max(LEAST) / best,
            false => f64::INFINITY,
        })
    }

    /// Whether `auto` takes too long.
    fn misses(&self) -> bool {
        let counts = self.best().is_some_and(|best| best.shortest > SHORT);
        counts && self.ratio().is_some_and(|ratio| ratio > GOAL)
    }

    fn line(&self) -> String {
        let (best, ratio) = match (self.best(), self.ratio()) {
            (Some(best), Some(ratio)) => (
                format!("{} {}", best.method.name(), best.words()),
                format!("{ratio:.2}"),
            ),
            _ => ("-".to_owned(), "-".to_owned()),
        };
        let last = self.auto.finished_by.map_or("", Method::name);
        let mark = if self.misses() { "  <" } else { "" };
        format!(
            "{:44} {:>6} {:>6.0e} {:>10} {:24} {:>6}  {last}{mark}\n",
            self.name,
            self.contacts,
            self.tolerance,
            self.auto.words(),
            best,
            ratio,
        )
    }
}

/// The rows, and those that miss the goal.
fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:44} {:>6} {:>6} {:>10} {:24} {:>6}  {}\n",
        "problem", "rows", "to", "auto (s)", "best single solver (s)", "ratio", "ended by"
    );
    rows.iter().for_each(|row| text.push_str(&row.line()));
    for tolerance in TOLERANCES {
        let of = || rows.iter().filter(|row| row.tolerance == tolerance);
        let missing: Vec<&Row> = of().filter(|row| row.misses()).collect();
        let seconds: f64 = of().map(|row| row.auto.shortest).sum();
        let solved = of().filter(|row| row.auto.solved).count();
        let _ = writeln!(
            text,
            "to {tolerance:e}: auto solves {solved} of {} in {seconds:.3e} s; more than {GOAL} times the best of more than a millisecond: {}",
            of().count(),
            missing.len(),
        );
        for row in missing {
            let ratio = row.ratio().unwrap_or(f64::NAN);
            let _ = writeln!(text, "  {} {ratio:.2}", row.name);
        }
    }
    text
}

/// All times, as CSV.
fn csv(rows: &[Row]) -> String {
    let mut text = "problem,contacts,tolerance,solver,seconds,solved,iterations,error\n".to_owned();
    for row in rows {
        for tries in row.all() {
            let _ = writeln!(
                text,
                "{},{},{:e},{},{:e},{},{},{:e}",
                row.name,
                row.contacts,
                row.tolerance,
                tries.method.name(),
                tries.shortest,
                tries.solved,
                tries.iterations,
                tries.error
            );
        }
    }
    text
}

fn write(rows: &[Row], path: &Path) -> Result<(), Failure> {
    write_file(path, csv(rows).as_bytes()).map_err(|error| Failure::Run(error.to_string()))
}

/// Measures, adds the entries and gives the table.
pub(super) fn measure(
    arguments: &AutoArguments,
    entries: &mut Vec<Entry>,
) -> Result<String, Failure> {
    let problems = load(&arguments.data)?;
    let mut rows = Vec::new();
    for given in &problems {
        for tolerance in TOLERANCES {
            let row = Row::measure(given, tolerance, arguments)?;
            // A long benchmark says what it has so far.
            tell(format_args!("{}", row.line().trim_end()));
            entries.push(Entry {
                name: "auto",
                quantity: format!("{} to {tolerance:e}", row.name),
                value: row.auto.shortest,
                unit: "s",
                threads: 1,
                note: row.line().trim_end().to_owned(),
            });
            rows.push(row);
            if let Some(path) = &arguments.out {
                write(&rows, path)?;
            }
        }
    }
    Ok(table(&rows))
}
