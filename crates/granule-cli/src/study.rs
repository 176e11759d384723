//! `granule study`: a scene with all combinations of some values, or with values that change together, and a table of
//! what came out.

use crate::failure::{Failure, print_out, tell};
use crate::{interrupt, threads};
use clap::Args;
use granule::solver::Watch;
use granule_io::measures::Formula;
use granule_io::results::{RunStatus, Series, Summary, write_file};
use granule_io::run::{Run, RunError, RunFolder};
use granule_io::scene::{self, Change};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Arguments of `granule study`.
#[derive(Args)]
pub struct StudyArguments {
    /// The scene file
    scene: PathBuf,
    /// A key of the scene and its values, as in `contacts.friction=0.1,0.3`; with several keys all combinations are run
    #[arg(long, value_name = "KEY=VALUE,VALUE", required = true)]
    set: Vec<Axis>,
    /// Change the keys together: the first values of all, then the second ones, and so on; a key with one value keeps it
    #[arg(long)]
    together: bool,
    /// The folder of the runs and of `study.csv`; `studies/NAME` if not given. What is there is not run again
    #[arg(long)]
    out: Option<PathBuf>,
    /// Runs at a time, each on one thread; one at a time on all cores if not given
    #[arg(long)]
    jobs: Option<usize>,
    /// Columns of `series.csv` whose last values are printed, as in `rate,bodies`; all are in `study.csv`
    #[arg(long, value_delimiter = ',')]
    show: Vec<String>,
    /// A column of the table to work out, as in `mean_speed=rate / friction`: of the last values of columns of
    /// `series.csv`, and of the keys that are set, by their last words; may be given several times
    #[arg(long, value_name = "NAME=FORMULA")]
    formula: Vec<Derived>,
}

/// A key of a scene with the values that are tried.
#[derive(Clone)]
struct Axis(Vec<Change>);

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let list = match text.split_once('=') {
            Some((key, values)) if !values.trim_start().starts_with('[') => {
                let values: Vec<String> = values.split(',').map(as_toml).collect();
                format!("{key}=[{}]", values.join(", "))
            }
            _ => text.to_owned(),
        };
        let choices = list.parse::<Change>()?.choices();
        match choices.is_empty() {
            true => Err(format!("`{text}` has no values: write KEY=VALUE,VALUE")),
            false => Ok(Self(choices)),
        }
    }
}

/// A value as a scene file has it: words need quotes there.
fn as_toml(value: &str) -> String {
    let value = value.trim();
    match toml::from_str::<toml::Table>(&format!("value = {value}")) {
        Ok(_) => value.to_owned(),
        Err(_) => format!("{value:?}"),
    }
}

/// A column that is worked out from others.
#[derive(Clone)]
struct Derived {
    name: String,
    formula: Formula,
}

impl FromStr for Derived {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, formula) = (text.split_once('='))
            .ok_or("a formula has a name, as in `ratio=outlet_rate / friction`")?;
        Ok(Self {
            name: name.trim().to_owned(),
            formula: Formula::parse(formula)?,
        })
    }
}

impl Derived {
    /// The value for a run.
    fn value(&self, case: &[Change], series: &Series) -> Result<f64, Failure> {
        let number = |name: &String| {
            let set = case.iter().find(|change| {
                let key = change.key();
                key == *name || key.rsplit('.').next() == Some(name)
            });
            match set {
                Some(change) => change.value().parse().map_err(|_| {
                    Failure::Input(format!(
                        "`{}` is `{}`, no number for the formula of `{}`",
                        change.key(),
                        change.value(),
                        self.name
                    ))
                }),
                None => {
                    let last = series.column(name).and_then(<[f64]>::last);
                    last.copied().ok_or_else(|| {
                        let keys: Vec<String> = case.iter().map(Change::key).collect();
                        Failure::Input(format!(
                            "the formula of `{}` names `{name}`, which is none of the keys {} and of the columns {}",
                            self.name,
                            keys.join(", "),
                            series.names.join(", ")
                        ))
                    })
                }
            }
        };
        let numbers: Result<Vec<f64>, Failure> = self.formula.names().iter().map(number).collect();
        Ok(self.formula.value(&numbers?))
    }
}

/// All combinations, the last key running fastest.
fn combinations(axes: &[Axis]) -> Vec<Vec<Change>> {
    axes.iter().fold(vec![Vec::new()], |found, Axis(choices)| {
        let longer = found.iter().flat_map(|chosen| {
            choices.iter().map(move |choice| {
                let mut chosen = chosen.clone();
                chosen.push(choice.clone());
                chosen
            })
        });
        longer.collect()
    })
}

/// The first values of all, then the second ones, and so on; an only value goes with all.
fn together(axes: &[Axis]) -> Result<Vec<Vec<Change>>, Failure> {
    let count = axes.iter().map(|Axis(choices)| choices.len()).max();
    let count = count.unwrap_or(0);
    let other = |Axis(choices): &&Axis| choices.len() != 1 && choices.len() != count;
    if let Some(Axis(choices)) = axes.iter().find(other) {
        return Err(Failure::Input(format!(
            "with --together all keys have as many values, or one: `{}` has {}, another key {count}",
            choices[0].key(),
            choices.len()
        )));
    }
    let case = |k: usize| {
        let chosen = axes.iter().map(|Axis(choices)| &choices[k % choices.len()]);
        chosen.cloned().collect()
    };
    Ok((0..count).map(case).collect())
}

/// A run of the study that is done.
struct Done {
    summary: Summary,
    series: Series,
}

/// Runs a scene with all combinations of values and writes the table.
pub fn study(arguments: &StudyArguments) -> Result<(), Failure> {
    let cases = match arguments.together {
        true => together(&arguments.set)?,
        false => combinations(&arguments.set),
    };
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => Path::new("studies").join(&scene::load(&arguments.scene)?.build()?.name),
    };
    let watch = interrupt::watch()?;
    let done: Vec<Mutex<Option<Result<Done, Failure>>>> =
        cases.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = |threads: Option<usize>| {
        while interrupt::flow().is_continue() {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(k) else { break };
            let folder = out.join(format!("{:03}", k + 1));
            let result = threads::pool(threads)
                .and_then(|pool| pool.install(|| one(&arguments.scene, case, &folder, &watch)));
            let names: Vec<String> = case.iter().map(Change::to_string).collect();
            let ended = match &result {
                Ok(_) => "done",
                Err(Failure::Interrupted) => "stopped",
                Err(_) => "failed",
            };
            tell(format_args!(
                "{} of {}, {ended}: {}",
                k + 1,
                cases.len(),
                names.join(" ")
            ));
            if let Ok(mut slot) = done[k].lock() {
                *slot = Some(result);
            }
        }
    };
    match arguments.jobs {
        Some(0) => return Err(Failure::Input("--jobs must be at least 1".to_owned())),
        Some(jobs) => std::thread::scope(|scope| {
            (0..jobs.min(cases.len())).for_each(|_| {
                scope.spawn(|| work(Some(1)));
            });
        }),
        None => work(None),
    }
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for (case, slot) in cases.iter().zip(done) {
        match slot.into_inner().ok().flatten() {
            Some(Ok(run)) => rows.push((case, run)),
            Some(Err(failure)) => failures.push(failure),
            None => {}
        }
    }
    let file = out.join("study.csv");
    if !rows.is_empty() {
        write_file(&file, table(&rows, arguments)?.as_bytes())?;
        print_out(&shown(&rows, arguments)?)?;
        tell(format_args!("wrote {}", file.display()));
    }
    if interrupt::flow().is_break() && rows.len() + failed(&failures) < cases.len() {
        tell(format_args!(
            "interrupted: {} of {} runs are done; the same command goes on with the others",
            rows.len(),
            cases.len()
        ));
        return Err(Failure::Interrupted);
    }
    // The table is there; the first failure is the one to tell.
    failures.into_iter().next().map_or(Ok(()), Err)
}

/// How many failed for another reason than that they were to stop.
fn failed(failures: &[Failure]) -> usize {
    let stopped = |failure: &&Failure| matches!(failure, Failure::Interrupted);
    failures.len() - failures.iter().filter(stopped).count()
}

/// One run of the study, gone on with where it was cut off.
fn one(file: &Path, case: &[Change], folder: &Path, watch: &Watch) -> Result<Done, Failure> {
    let setup = scene::load_with(file, case)?.build()?;
    let run = match RunFolder::new(folder).holds_run() {
        true => Run::resume(folder, setup).map_err(in_words_of_a_study)?,
        false => Some(Run::create(folder, setup)?),
    };
    if let Some(mut run) = run {
        run.simulation_mut().set_watch(watch.clone());
        let summary = run.to_end(|_, _| interrupt::flow())?;
        if summary.status == RunStatus::Interrupted {
            return Err(Failure::Interrupted);
        }
    }
    let folder = RunFolder::new(folder);
    Ok(Done {
        summary: folder.summary()?,
        series: folder.series()?,
    })
}

/// Why a run of the study cannot go on, with what helps.
fn in_words_of_a_study(error: RunError) -> Failure {
    match error {
        RunError::Changed { folder } => Failure::Input(format!(
            "{} holds a run of another study: the scene or the values have changed since; give another folder by --out, or \
             remove that one",
            folder.display()
        )),
        other => other.into(),
    }
}

/// The mean over the rows of a run.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The name of a column with its unit, as people read it.
fn with_unit(name: &str, series: &Series) -> String {
    let place = series.names.iter().position(|other| other == name);
    match place.map(|place| series.units[place].as_str()) {
        Some("-") | None => name.to_owned(),
        Some(unit) => format!("{name}, {unit}"),
    }
}

/// A cell of a table in which commas separate.
fn cell(text: &str) -> String {
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// `study.csv`: the values that were set, what formulas and the summary say, and the last and the mean value of each
/// column.
fn table(rows: &[(&Vec<Change>, Done)], arguments: &StudyArguments) -> Result<String, Failure> {
    let keys = arguments.set.iter().map(|Axis(choices)| choices[0].key());
    let mut header: Vec<String> = keys.map(|key| cell(&key)).collect();
    header.extend(arguments.formula.iter().map(|derived| cell(&derived.name)));
    let usual = [
        "steps[-]",
        "wall_time[s]",
        "failed_steps[-]",
        "worst_penetration[m]",
    ];
    header.extend(usual.map(str::to_owned));
    let names = &rows[0].1.series.names;
    let units = &rows[0].1.series.units;
    header.extend(
        names
            .iter()
            .zip(units)
            .flat_map(|(name, unit)| ["last", "mean"].map(|what| format!("{what} {name}[{unit}]"))),
    );
    let mut text = header.join(",") + "\n";
    for (case, Done { summary, series }) in rows {
        let mut cells: Vec<String> = case.iter().map(|change| cell(&change.value())).collect();
        for derived in &arguments.formula {
            cells.push(derived.value(case, series)?.to_string());
        }
        cells.push(summary.steps.to_string());
        cells.push(summary.wall_seconds.to_string());
        cells.push(summary.failed_steps.to_string());
        cells.push(summary.certificate.worst_penetration.to_string());
        for name in names {
            // Columns may differ where a value changes what is measured.
            let place = series.names.iter().position(|other| other == name);
            let column = place.map_or(&[][..], |place| &series.columns[place]);
            let last = column.last().map_or(String::new(), f64::to_string);
            cells.extend([last, mean(column).to_string()]);
        }
        text += &(cells.join(",") + "\n");
    }
    Ok(text)
}

/// The table for people: what was set, steps that were not certified, the last values of some columns, and formulas.
fn shown(rows: &[(&Vec<Change>, Done)], arguments: &StudyArguments) -> Result<String, Failure> {
    let show = &arguments.show;
    let mut lines = Vec::new();
    let mut header: Vec<String> = rows[0].0.iter().map(Change::key).collect();
    header.extend(["wall time, s".to_owned(), "not certified".to_owned()]);
    header.extend(show.iter().map(|name| with_unit(name, &rows[0].1.series)));
    header.extend(arguments.formula.iter().map(|derived| derived.name.clone()));
    lines.push(header);
    for (case, Done { summary, series }) in rows {
        let mut line: Vec<String> = case.iter().map(|change| change.value()).collect();
        line.push(format!("{:.1}", summary.wall_seconds));
        line.push(format!("{} of {}", summary.failed_steps, summary.steps));
        for name in show {
            let Some(column) = series.column(name) else {
                let known = series.names.join(", ");
                return Err(Failure::Input(format!(
                    "there is no column `{name}`; there are {known}"
                )));
            };
            line.push(
                column
                    .last()
                    .map_or(String::new(), |last| format!("{last:.6}")),
            );
        }
        for derived in &arguments.formula {
            line.push(format!("{:.6}", derived.value(case, series)?));
        }
        lines.push(line);
    }
    let width = |k: usize| lines.iter().map(|line| line[k].chars().count()).max();
    let widths: Vec<usize> = (0..lines[0].len()).filter_map(width).collect();
    let padded = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:>width$}"))
            .collect();
        cells.join("  ") + "\n"
    };
    Ok(lines.iter().map(padded).collect())
}
