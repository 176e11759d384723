//! `granule reproduce`: the papers' tables from the command line.

use crate::failure::{Failure, print_out};
use crate::report::{self, Section};
use crate::reproduce::{self, Gate, Options, Record, Table};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Arguments of `granule reproduce`.
#[derive(Args)]
pub struct TableArguments {
    /// Which tables; all if not given
    ids: Vec<String>,
    /// Only list what there is
    #[arg(long)]
    list: bool,
    /// Leave out what takes long: everything in five minutes on two processors
    #[arg(long)]
    quick: bool,
    /// The paper's size where that takes hours (kleinert-blade); goes on from its last checkpoint
    #[arg(long, conflicts_with = "quick", requires = "out")]
    full: bool,
    /// The folder with the papers' data
    #[arg(long)]
    data: Option<PathBuf>,
    /// The folder for curves (CSV) and pictures (PNG)
    #[arg(long)]
    out: Option<PathBuf>,
    /// Of what goes on from checkpoints at most so many steps, then show how far it is
    #[arg(long, requires = "full", value_name = "STEPS")]
    sitting: Option<u64>,
    /// Print an array of {id, paper, rows} to standard output
    #[arg(long)]
    json: bool,
    /// Write a page with every table and figure into this folder: what is kept in the repository, and all
    /// targets at their quick size
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["full", "json", "record", "check"])]
    report: Option<PathBuf>,
    /// Keep the tables and their figures in this folder, `reproduce/records`
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["json", "check"])]
    record: Option<PathBuf>,
    /// What is to be known of a record: its extent, the machine
    #[arg(long, requires = "record", value_name = "TEXT")]
    remark: Option<String>,
    /// End with an error if a verdict is worse than the repository's list says (`reproduce/verdicts.toml`)
    #[arg(long, requires = "quick", conflicts_with = "json")]
    check: bool,
}

/// Regenerates tables and prints them.
pub fn tables(arguments: &TableArguments) -> Result<(), Failure> {
    if arguments.list {
        let lines: String = reproduce::list()
            .iter()
            .map(|target| format!("{:26}  {}\n", target.id, target.description))
            .collect();
        return print_out(&lines);
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    let progress = |message: &str| bar.set_message(message.to_owned());
    let options = Options {
        quick: arguments.quick,
        full: arguments.full,
        sitting: arguments.sitting,
        data: arguments.data.clone(),
        out: arguments.out.clone(),
        progress: &progress,
        figures: None,
    };
    let text = made(arguments, &options);
    bar.finish_and_clear();
    let (text, failure) = text.map_err(failed)?;
    print_out(&text)?;
    failure.map_or(Ok(()), Err)
}

/// What is printed, and why the command fails nevertheless.
fn made(
    arguments: &TableArguments,
    options: &Options,
) -> Result<(String, Option<Failure>), reproduce::Error> {
    let ids = &arguments.ids;
    if let Some(folder) = &arguments.report {
        return reported(ids, options, folder);
    }
    if arguments.check {
        return checked(ids, options);
    }
    if let Some(folder) = &arguments.record {
        return recorded(ids, options, folder, arguments.remark.as_deref());
    }
    let tables = reproduce::run(ids, options)?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&tables)
            .map_err(|error| reproduce::Error::Data(error.to_string()))?;
        return Ok((text + "\n", None));
    }
    let text: Vec<String> = tables.iter().map(reproduce::print).collect();
    Ok((text.join("\n"), None))
}

/// The page of all tables and figures.
fn reported(
    ids: &[String],
    options: &Options,
    folder: &Path,
) -> Result<(String, Option<Failure>), reproduce::Error> {
    let options = Options {
        quick: true,
        full: false,
        data: options.data.clone(),
        out: options.out.clone(),
        ..*options
    };
    let sections = reproduce::at_once(&reproduce::select(ids)?, &options, Section::of)?;
    let sections: Vec<Section> = sections.into_iter().collect::<Result<_, _>>()?;
    report::write(&sections, folder)?;
    let page = folder.join(report::PAGE);
    let errors: Vec<String> = (sections.iter())
        .filter_map(|section| Some((section.target.id, section.fresh.as_ref().err()?)))
        .map(|(id, error)| format!("{id}: {error}"))
        .collect();
    let failure = (!errors.is_empty()).then(|| Failure::Run(errors.join("\n")));
    Ok((format!("{}\n", page.display()), failure))
}

/// Whether no verdict is worse than it is known to be; a target that ends with an error is.
fn checked(
    ids: &[String],
    options: &Options,
) -> Result<(String, Option<Failure>), reproduce::Error> {
    let gate = Gate::kept()?;
    let targets = reproduce::select(ids)?;
    let checked = reproduce::at_once(&targets, options, |target, options| {
        let start = Instant::now();
        let found = match target.run(options) {
            Ok(table) => gate.complaints(&table),
            Err(error) => vec![format!("{}: {error}", target.id)],
        };
        (found, start.elapsed().as_secs_f64())
    })?;
    let (mut text, mut complaints) = (String::new(), Vec::new());
    for (target, (found, seconds)) in targets.iter().zip(checked) {
        let state = if found.is_empty() {
            "as known"
        } else {
            "WORSE"
        };
        text += &format!("{:26}  {state}  {seconds:.1} s\n", target.id);
        complaints.extend(found);
    }
    let failure = (!complaints.is_empty()).then(|| Failure::Run(complaints.join("\n")));
    Ok((text, failure))
}

/// Tables, each kept as soon as it is made.
fn recorded(
    ids: &[String],
    options: &Options,
    folder: &Path,
    remark: Option<&str>,
) -> Result<(String, Option<Failure>), reproduce::Error> {
    let mut text = String::new();
    for target in reproduce::select(ids)? {
        let mut record = target.record(options)?;
        record.made.remark = remark.unwrap_or_default().to_owned();
        let table = Table {
            id: target.id,
            paper: target.paper()?,
            rows: record.rows.clone(),
        };
        text += &reproduce::print(&table);
        record.write(folder, &Record::name(target.id, options.full))?;
    }
    Ok((text, None))
}

fn failed(error: reproduce::Error) -> Failure {
    let message = error.to_string();
    if error.is_usage() {
        Failure::Input(message)
    } else {
        Failure::Run(message)
    }
}
