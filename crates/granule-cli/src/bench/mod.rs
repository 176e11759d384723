//! `granule bench`: speed on this machine, as nanoseconds a contact, seconds a step, and ratios
//! taken in one run.

mod auto;
mod box_drop;
mod dense;
mod digger;
mod fclib;
mod friction;
mod hopper;
mod million;
mod operator;
mod peers;
mod pools;
mod scaling;
mod settled_box;
mod shapes;
mod siconos;
mod soft;
mod stream;
mod stretch;

use crate::failure::{Failure, print_out};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `granule bench`.
#[derive(Args)]
pub struct BenchArguments {
    /// Which benchmark; if none is given all but `fclib`, `auto`, `peers`, `scaling` and `million`
    #[command(subcommand)]
    which: Option<Benchmark>,
    /// Print an array of {name, quantity, value, unit, threads, note} to standard output
    #[arg(long, global = true)]
    json: bool,
}

/// A benchmark with its options.
#[derive(Subcommand)]
#[command(rename_all = "snake_case")]
enum Benchmark {
    /// One application of W, and one iteration of APGD, against the memory bandwidth
    Operator,
    /// A few contacts of another kind beside many round ones: an iteration of ags and of apgd-ar, with and without
    Pools,
    /// n³ spheres falling in a box: seconds a step, contacts, iterations, time a stage
    BoxDrop(box_drop::BoxDropArguments),
    /// Every solver on settled frictional packings: time and products to 1e-2, 1e-4, 1e-6 and 1e-8
    Friction(friction::FrictionArguments),
    /// A box of spheres at rest with friction: each step of the last second to 1e-6 (convexified) and
    /// 1e-5 (exact)
    SettledBox(settled_box::SettledBoxArguments),
    /// Bodies of each shape falling into a box: the cost of finding their contacts, against spheres
    Shapes(shapes::ShapesArguments),
    /// Spheres in a hopper of triangles, against the same hopper of a cone and a cylinder
    Hopper(hopper::HopperArguments),
    /// A packing whose contacts give, hold and yield, against the same one with rigid contacts
    Soft(soft::SoftArguments),
    /// A digger in grains, against the same grains alone
    Digger(digger::DiggerArguments),
    /// Contact problems of other codes in a folder: every solver to 1e-4 and 1e-8, with a performance
    /// profile
    Fclib(fclib::FclibArguments),
    /// The solver `auto` against each single one on the contact problems of a folder, to 1e-4 and 1e-6
    Auto(auto::AutoArguments),
    /// Other engines, where they are installed, beside this one on the same start states: time against penetration
    Peers(peers::PeersArguments),
    /// Dense boxes of more and more spheres: what a step costs for each contact
    Scaling(scaling::ScalingArguments),
    /// A million spheres at rest: seconds a step, contacts, time a stage, memory
    Million(million::MillionArguments),
}

impl Benchmark {
    /// All that need nothing but this program, with their usual options.
    fn usual() -> Result<Vec<Self>, Failure> {
        Ok(vec![
            Self::Operator,
            Self::Pools,
            Self::BoxDrop(usual()?),
            Self::Friction(usual()?),
            Self::SettledBox(usual()?),
            Self::Shapes(usual()?),
            Self::Hopper(usual()?),
            Self::Soft(usual()?),
            Self::Digger(usual()?),
        ])
    }

    /// Measures and adds the entries; some give a table, which people read in their place.
    fn measure(&self, entries: &mut Vec<Entry>) -> Result<Option<String>, Failure> {
        let measured = match self {
            Self::Auto(arguments) => return auto::measure(arguments, entries).map(Some),
            Self::Peers(arguments) => return peers::measure(arguments, entries).map(Some),
            Self::Scaling(arguments) => return scaling::measure(arguments, entries).map(Some),
            Self::Million(arguments) => million::measure(arguments, entries),
            Self::Operator => operator::measure(entries),
            Self::Pools => pools::measure(entries),
            Self::BoxDrop(arguments) => box_drop::measure(arguments, entries),
            Self::Friction(arguments) => friction::measure(arguments, entries),
            Self::SettledBox(arguments) => settled_box::measure(arguments, entries),
            Self::Shapes(arguments) => shapes::measure(arguments, entries),
            Self::Hopper(arguments) => hopper::measure(arguments, entries),
            Self::Soft(arguments) => soft::measure(arguments, entries),
            Self::Digger(arguments) => digger::measure(arguments, entries),
            Self::Fclib(arguments) => fclib::measure(arguments, entries),
        };
        measured.map(|()| None)
    }
}

/// The options of a benchmark when none is given.
fn usual<A: Args>() -> Result<A, Failure> {
    let command = A::augment_args(clap::Command::new("bench").no_binary_name(true));
    command
        .try_get_matches_from([] as [&str; 0])
        .and_then(|matches| A::from_arg_matches(&matches))
        .map_err(|error| Failure::Input(error.to_string()))
}

/// Spheres along a side of a box, or threads: at least one.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("is not a whole number".to_owned()),
    }
}

/// One measured number.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    quantity: String,
    value: f64,
    unit: &'static str,
    threads: usize,
    note: String,
}

/// Runs benchmarks and prints what they measured.
pub fn bench(arguments: &BenchArguments) -> Result<(), Failure> {
    let mut entries = Vec::new();
    let mut table = None;
    match &arguments.which {
        Some(benchmark) => table = benchmark.measure(&mut entries)?,
        None => {
            for benchmark in Benchmark::usual()? {
                benchmark.measure(&mut entries)?;
            }
        }
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&entries)
            .map_err(|error| Failure::Run(error.to_string()))?;
        return print_out(&(text + "\n"));
    }
    if let Some(table) = table {
        return print_out(&table);
    }
    let mut text = String::new();
    for entry in &entries {
        text.push_str(&format!(
            "{:9} {:44} {:>12} {:14} {} thread{}  {}\n",
            entry.name,
            entry.quantity,
            short(entry.value),
            entry.unit,
            entry.threads,
            if entry.threads == 1 { "" } else { "s" },
            entry.note
        ));
    }
    print_out(&text)
}

fn short(value: f64) -> String {
    if value != 0.0 && (value.abs() < 1e-2 || value.abs() >= 1e6) {
        format!("{value:.3e}")
    } else if value.fract() == 0.0 {
        format!("{value}")
    } else {
        format!("{value:.3}")
    }
}

/// Runs `work` in a pool of `threads` threads.
fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::Run(format!("cannot start {threads} threads: {error}")))?;
    Ok(pool.install(work))
}

/// Processor time of this thread so far, s; zero where the system does not tell.
fn thread_seconds() -> f64 {
    ThreadClock::here().seconds()
}

/// The processor time of a thread, which any thread may look at.
struct ThreadClock(PathBuf);

impl ThreadClock {
    /// Of this thread.
    fn here() -> Self {
        let own = std::fs::read_link("/proc/thread-self").unwrap_or_default();
        Self(Path::new("/proc").join(own).join("schedstat"))
    }

    /// So far, s; zero where the system does not tell.
    fn seconds(&self) -> f64 {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        let nanoseconds = text
            .split_whitespace()
            .next()
            .and_then(|x| x.parse::<f64>().ok());
        1e-9 * nanoseconds.unwrap_or(0.0)
    }
}
