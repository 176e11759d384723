//! Other engines beside this one on the same start states: time against penetration.
//!
//! Spheres fall in a box [bloch2023, §3.3.1] with friction 0.5 to t = 8. Each engine is a program of its own with one
//! thread; what counts is the processor time of its steps alone. All take turns, forwards and backwards, so that
//! whatever else the machine does hits all alike, and the states at the end are judged by one rule.

mod engines;
mod penetration;

use super::{Entry, at_least_one};
use crate::failure::{Failure, tell};
use crate::plot::{Chart, Curve, Stroke, plot};
use clap::Args;
use engines::{Contender, Engine, Start};
use granule::cases;
use granule::simulation::World;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// μ.
const FRICTION: f64 = 0.5;
/// Seed of the start states that are made here.
const SEED: u64 = 0;

/// Options of `granule bench peers`.
#[derive(Args)]
pub struct PeersArguments {
    /// Spheres along a side of the box, n³ in all
    #[arg(long, num_args = 1.., default_values_t = [8, 12], value_parser = at_least_one, allow_negative_numbers = true)]
    n: Vec<usize>,
    /// Only these engines
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Engine>,
    /// How often each runs; the median counts
    #[arg(long, default_value_t = 1, value_parser = at_least_one, allow_negative_numbers = true)]
    repeat: usize,
    /// A run of another engine that takes longer is ended, s
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// The folder with what `peers/setup` has installed
    #[arg(long, default_value = "peers")]
    folder: PathBuf,
    /// A folder with start states `box_nN.csv` (x,y,z,r,m); made here if not given
    #[arg(long)]
    data: Option<PathBuf>,
    /// Also draw time against penetration, as .svg or .png; with several n one file each, FILE_nN
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// What one run gave.
#[derive(Debug, Clone, Copy)]
struct Ran {
    /// Processor time of the steps.
    seconds: f64,
    steps: f64,
    /// The deepest overlap at the end over the radius.
    penetration: f64,
    /// Steps without a certificate; none where there are no certificates.
    uncertified: Option<f64>,
}

/// What all runs of a contender gave.
struct Outcome<'a> {
    contender: &'a Contender,
    ran: Ran,
}

/// Measures, adds the entries and gives the tables.
pub fn measure(arguments: &PeersArguments, entries: &mut Vec<Entry>) -> Result<String, Failure> {
    let wanted = |engine: Engine| arguments.only.is_empty() || arguments.only.contains(&engine);
    let mut contenders = Contender::all();
    contenders.retain(|contender| wanted(contender.engine));
    let absent = absent(&contenders, &arguments.folder);
    contenders.retain(|contender| !absent.contains(&contender.engine));
    for engine in &absent {
        let (name, source) = (engine.name(), engine.source());
        let setup = arguments.folder.join("setup");
        tell(format_args!(
            "{name} is not here ({source}); `{} {name}` installs it",
            setup.display()
        ));
    }
    if contenders.is_empty() {
        return Err(Failure::Input(
            "none of the engines asked for is here".to_owned(),
        ));
    }
    let place = tempfile::tempdir().map_err(|error| Failure::Run(error.to_string()))?;
    let mut tables = String::new();
    for &n in &arguments.n {
        let start = match &arguments.data {
            Some(folder) => folder.join(format!("box_n{n}.csv")),
            None => made(n, place.path())?,
        };
        if !start.exists() {
            let start = start.display();
            return Err(Failure::Input(format!("there is no start state {start}")));
        }
        let end = place.path().join("end.csv");
        let run = Start {
            start: &start,
            end: &end,
            n,
            friction: FRICTION,
            limit: arguments.limit,
        };
        let mut outcomes = all(&contenders, &run, arguments)?;
        outcomes.sort_by(|a, b| a.ran.penetration.total_cmp(&b.ran.penetration));
        tables.push_str(&table(n, &outcomes));
        if let Some(path) = &arguments.plot {
            let path = numbered(path, n, arguments.n.len() > 1);
            plot(&chart(n, &outcomes), &path).map_err(|error| Failure::Run(error.to_string()))?;
        }
        outcomes
            .iter()
            .for_each(|outcome| enter(outcome, n, entries));
    }
    Ok(tables)
}

/// The engines that cannot be called from here.
fn absent(contenders: &[Contender], folder: &Path) -> Vec<Engine> {
    let mut engines: Vec<Engine> = contenders
        .iter()
        .map(|contender| contender.engine)
        .collect();
    engines.dedup();
    engines.retain(|engine| !engine.is_here(folder));
    engines
}

/// Runs all contenders as often as asked for, in turns.
fn all<'a>(
    contenders: &'a [Contender],
    run: &Start<'_>,
    arguments: &PeersArguments,
) -> Result<Vec<Outcome<'a>>, Failure> {
    let mut runs: Vec<Vec<Ran>> = vec![Vec::new(); contenders.len()];
    for turn in 0..arguments.repeat {
        let mut order: Vec<usize> = (0..contenders.len()).collect();
        if turn % 2 == 1 {
            order.reverse();
        }
        for k in order {
            let Contender { kind, setting, .. } = contenders[k];
            match once(&contenders[k], run, &arguments.folder) {
                Ok(ran) => {
                    tell(format_args!(
                        "n = {}: {kind}, {setting}: {:.2} s, penetration {:.1e}",
                        run.n, ran.seconds, ran.penetration
                    ));
                    runs[k].push(ran);
                }
                Err(what) => tell(format_args!("n = {}: {kind}, {setting}: {what}", run.n)),
            }
        }
    }
    let outcomes = contenders.iter().zip(runs);
    Ok(outcomes
        .filter_map(|(contender, mut runs)| {
            // The median by time; the states at the end hardly differ.
            runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
            let ran = *runs.get(runs.len() / 2)?;
            Some(Outcome { contender, ran })
        })
        .collect())
}

/// Runs a contender; the error says why there is no outcome.
fn once(contender: &Contender, run: &Start<'_>, folder: &Path) -> Result<Ran, String> {
    let _ = std::fs::remove_file(run.end);
    let output = contender
        .command(folder, run)?
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot be called: {error}"))?;
    if output.status.code() == Some(124) {
        return Err(format!("did not end within {} s", run.limit));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let last = complaint.lines().last().unwrap_or_default();
        return Err(format!("failed: {last}"));
    }
    let state = std::fs::read_to_string(run.end).map_err(|error| error.to_string())?;
    let balls = penetration::read(&state).ok_or("spheres are nowhere at the end")?;
    let (seconds, steps, uncertified) = match contender.engine {
        Engine::Granule => own_numbers(&said),
        _ => told_numbers(&said),
    }
    .ok_or("did not say what it took")?;
    Ok(Ran {
        seconds,
        steps,
        penetration: penetration::deepest(&balls),
        uncertified,
    })
}

/// Seconds and steps as peers say them, in the last line that is JSON.
fn told_numbers(said: &str) -> Option<(f64, f64, Option<f64>)> {
    let mut lines = said.lines().rev();
    let told: Value = lines.find_map(|line| serde_json::from_str(line.trim()).ok())?;
    let number = |key: &str| told.get(key)?.as_f64();
    Some((number("seconds")?, number("steps")?, None))
}

/// Seconds, steps and steps without a certificate as `granule bench box_drop` says them.
fn own_numbers(said: &str) -> Option<(f64, f64, Option<f64>)> {
    let told: Vec<Value> = serde_json::from_str(said).ok()?;
    let number = |quantity: &str| {
        let entry = told.iter().find(|entry| entry["quantity"] == quantity)?;
        entry["value"].as_f64()
    };
    let seconds = number("whole run, processor")?;
    Some((seconds, number("steps")?, number("steps not certified")))
}

/// Writes a start state for all and says where.
fn made(n: usize, folder: &Path) -> Result<PathBuf, Failure> {
    let World { bodies, .. } = cases::box_drop(n, SEED);
    let mut text = "x,y,z,r,m\n".to_owned();
    for place in bodies.places() {
        let i = place as usize;
        let x = bodies.position[i];
        let (radius, mass) = (bodies.radius[i], bodies.mass[i]);
        let _ = writeln!(text, "{},{},{},{radius},{mass}", x.x, x.y, x.z);
    }
    let path = folder.join(format!("box_n{n}.csv"));
    std::fs::write(&path, text).map_err(|error| Failure::Run(error.to_string()))?;
    Ok(path)
}

/// The name of a file with the number of spheres in it, if there are several.
fn numbered(path: &Path, n: usize, several: bool) -> PathBuf {
    if !several {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_n{n}.{extension}"))
}

/// For people: the least penetration first.
fn table(n: usize, outcomes: &[Outcome<'_>]) -> String {
    let mut text = format!(
        "n = {n}: {} spheres, friction {FRICTION}, to t = 8 s, one thread; penetration over the radius at the end\n\
         penetration  processor s   steps  engine\n",
        n * n * n
    );
    for Outcome { contender, ran } in outcomes {
        let Contender { kind, setting, .. } = contender;
        let certified = match ran.uncertified {
            None => String::new(),
            Some(0.0) => ", every step certified".to_owned(),
            Some(count) => format!(", {count} steps not certified"),
        };
        let _ = writeln!(
            text,
            "{:>11.1e}  {:>11.2}  {:>6}  {kind}, {setting}{certified}",
            ran.penetration, ran.seconds, ran.steps
        );
    }
    text.push('\n');
    text
}

/// Time against penetration: a curve for each engine, a point for each setting.
fn chart(n: usize, outcomes: &[Outcome<'_>]) -> Chart {
    let mut curves: Vec<Curve> = Vec::new();
    for contender in Contender::all() {
        if curves.iter().any(|curve| curve.label == contender.kind) {
            continue;
        }
        let of_kind = outcomes
            .iter()
            .filter(|outcome| outcome.contender.kind == contender.kind);
        let points: Vec<(f64, f64)> = of_kind
            .map(|outcome| (outcome.ran.penetration, outcome.ran.seconds))
            .collect();
        curves.push(Curve {
            label: contender.kind.to_owned(),
            color: curves.len(),
            stroke: Stroke::Both,
            points,
        });
    }
    curves.retain(|curve| !curve.points.is_empty());
    Chart {
        title: format!(
            "{} spheres fall in a box, friction {FRICTION}, one thread",
            n * n * n
        ),
        x: "deepest penetration at the end / radius",
        y: "processor time of all steps, s",
        logarithmic: true,
        curves,
    }
}

fn enter(outcome: &Outcome<'_>, n: usize, entries: &mut Vec<Entry>) {
    let Outcome { contender, ran } = outcome;
    let Contender { kind, setting, .. } = contender;
    let note = format!("n = {n}, {kind}, {setting}");
    let mut add = |quantity: &str, value: f64, unit| {
        entries.push(Entry {
            name: "peers",
            quantity: quantity.to_owned(),
            value,
            unit,
            threads: 1,
            note: note.clone(),
        });
    };
    add("whole run, processor", ran.seconds, "s");
    add("deepest penetration over the radius", ran.penetration, "-");
    add("steps", ran.steps, "-");
    if let Some(count) = ran.uncertified {
        add("steps not certified", count, "-");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_what_programs_say() {
        let said = "Welcome\n\n{\"seconds\": 1.5, \"steps\": 20, \"step\": 0.1}\nbye\n";
        assert_eq!(told_numbers(said), Some((1.5, 20.0, None)));
        assert_eq!(told_numbers("1.5 s\n"), None);
    }

    #[test]
    fn several_plots_have_several_names() {
        let path = Path::new("some/page.svg");
        assert_eq!(numbered(path, 8, false), path);
        assert_eq!(numbered(path, 8, true), Path::new("some/page_n8.svg"));
    }
}
