//! `granule bench`: speed on this machine, as nanoseconds a contact, seconds a step, and ratios
//! taken in one run.

mod box_drop;
mod fclib;
mod friction;
mod operator;
mod pools;
mod settled_box;
mod siconos;
mod stream;

use crate::failure::{Failure, print_out};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

/// A benchmark.
#[derive(Clone, Copy, ValueEnum, PartialEq)]
#[value(rename_all = "snake_case")]
enum Name {
    /// One application of W, and one iteration of APGD, against the memory bandwidth
    Operator,
    /// A few contacts of another kind beside many round ones: an iteration of ags and of apgd-ar, with and without
    Pools,
    /// n³ spheres falling in a box: seconds a step, contacts, iterations, time a stage
    BoxDrop,
    /// Every solver on settled frictional packings: time and products to 1e-2, 1e-4, 1e-6 and 1e-8
    Friction,
    /// A box of spheres at rest with friction: each step of the last second to 1e-6 (convexified) and
    /// 1e-5 (exact)
    SettledBox,
    /// Contact problems of other codes in a folder: every solver to 1e-4 and 1e-8, with a performance
    /// profile
    Fclib,
}

/// An argument: a benchmark, or the folder of `fclib`.
#[derive(Clone)]
enum Wanted {
    Name(Name),
    Folder(PathBuf),
}

fn parse_wanted(text: &str) -> Result<Wanted, String> {
    if let Ok(name) = Name::from_str(text, false) {
        return Ok(Wanted::Name(name));
    }
    let path = PathBuf::from(text);
    if path.is_dir() {
        return Ok(Wanted::Folder(path));
    }
    let names = Name::value_variants().iter();
    let known: Vec<String> = names
        .filter_map(|name| name.to_possible_value())
        .map(|value| value.get_name().to_owned())
        .collect();
    Err(format!(
        "neither a benchmark ({}) nor a folder",
        known.join(", ")
    ))
}

/// Arguments of `granule bench`.
#[derive(Args)]
pub struct BenchArguments {
    /// Which benchmarks, and for `fclib` the folder with the problems; all but `fclib` if not given
    #[arg(value_parser = parse_wanted, value_name = "NAME")]
    wanted: Vec<Wanted>,
    /// Print an array of {name, quantity, value, unit, threads, note} to standard output
    #[arg(long)]
    json: bool,
    /// Spheres along a side of the box (n³ in all); by default 12 for box_drop, 20 for settled_box,
    /// and 8, 12, 20 and 30 for friction
    #[arg(long, allow_negative_numbers = true)]
    n: Option<usize>,
    /// box_drop: the time to stop at, s
    #[arg(long, default_value_t = 8.0, allow_negative_numbers = true)]
    until: f64,
    /// box_drop: the tolerance
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true)]
    tolerance: f64,
    /// box_drop: also a bound for the error of the worst contact, m/s
    #[arg(long, allow_negative_numbers = true)]
    max_residual: Option<f64>,
    /// box_drop: the solver
    #[arg(long, default_value = "apgd-ar")]
    solver: String,
    /// settled_box: only this law, coulomb-convex or coulomb; box_drop: this law with μ = 0.5 instead
    /// of no friction
    #[arg(long)]
    law: Option<String>,
    /// box_drop, friction, settled_box: threads
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    threads: usize,
    /// A folder with states: `box_nN.csv` (x,y,z,r,m) for box_drop, `settled_nN_mu0.5.csv` or
    /// `dense_nN.csv` for friction
    #[arg(long)]
    data: Option<PathBuf>,
    /// fclib: the solvers, as `auto,ags`
    #[arg(long)]
    solvers: Option<String>,
    /// fclib: also run this code on the same problems; `siconos`
    #[arg(long)]
    peer: Option<String>,
    /// fclib: the folder for the table and the performance profiles; `runs/bench-fclib` if not given
    #[arg(long)]
    out: Option<PathBuf>,
    /// box_drop: write the final state to this file as x,y,z,r,m,v,ω
    #[arg(long)]
    state: Option<PathBuf>,
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
    let named = |name| {
        let mut all = arguments.wanted.iter();
        all.any(|wanted| matches!(wanted, Wanted::Name(other) if *other == name))
    };
    let folder = arguments.wanted.iter().find_map(|wanted| match wanted {
        Wanted::Folder(folder) => Some(folder.as_path()),
        Wanted::Name(_) => None,
    });
    if folder.is_some() && !named(Name::Fclib) {
        return Err(Failure::Input(
            "only the benchmark fclib takes a folder: granule bench fclib FOLDER".to_owned(),
        ));
    }
    let wanted = |name| arguments.wanted.is_empty() || named(name);
    if wanted(Name::Operator) {
        operator::measure(&mut entries)?;
    }
    if wanted(Name::Pools) {
        pools::measure(&mut entries)?;
    }
    if wanted(Name::BoxDrop) {
        box_drop::measure(arguments, &mut entries)?;
    }
    if wanted(Name::Friction) {
        friction::measure(arguments, &mut entries)?;
    }
    if wanted(Name::SettledBox) {
        settled_box::measure(arguments, &mut entries)?;
    }
    if named(Name::Fclib) {
        fclib::measure(arguments, folder, &mut entries)?;
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&entries)
            .map_err(|error| Failure::Run(error.to_string()))?;
        return print_out(&(text + "\n"));
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
