//! `granule measure`: what is measured of a finished run.

use crate::failure::{Failure, print_out, tell};
use clap::Args;
use granule_io::measures::{Measured, measure_run};
use granule_io::results::SeriesWriter;
use granule_io::run::RunFolder;
use granule_io::scene;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Arguments of `granule measure`.
#[derive(Args)]
pub struct MeasureArguments {
    /// The folder of a run
    folder: PathBuf,
    /// A file with the `[[measures]]` to take, a whole scene or these alone; those of the run's own scene if not given
    #[arg(long)]
    scene: Option<PathBuf>,
    /// Print {columns, rows, tables} to standard output
    #[arg(long)]
    json: bool,
    /// A folder for measures.csv, with a row a frame, and for NAME.csv of each measure with a file of its own
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Measures a run frame by frame.
pub fn measure(arguments: &MeasureArguments) -> Result<(), Failure> {
    let folder = RunFolder::existing(&arguments.folder)?;
    if !folder.scene_file().exists() {
        return Err(Failure::Input(format!(
            "{} has no scene.toml, since a program made its world: call `measure_run` of granule-io instead",
            arguments.folder.display()
        )));
    }
    let own = scene::load(&folder.scene_file())?;
    let scene = match &arguments.scene {
        Some(path) => own.with_measures_of(path)?,
        None => own,
    };
    let measures = scene.measures();
    if measures.is_empty() {
        return Err(Failure::Input(format!(
            "{} has no `[[measures]]`: give a file that has some with --scene",
            scene.origin().display()
        )));
    }
    let measured = measure_run(&folder, &measures)?;
    if let Some(out) = &arguments.out {
        write(&measured, out)?;
    }
    if arguments.json {
        return print_out(&(as_json(&measured).to_string() + "\n"));
    }
    if arguments.out.is_some() {
        return Ok(());
    }
    print_out(&as_csv(&measured.columns, &measured.rows))?;
    for table in &measured.tables {
        tell(format_args!(
            "`{}` has {} rows of its own: --out DIR writes them, --json prints them",
            table.name,
            table.rows.len()
        ));
    }
    Ok(())
}

fn write(measured: &Measured, out: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(out).map_err(|error| {
        Failure::Run(format!("cannot make the folder {}: {error}", out.display()))
    })?;
    let mut files = vec![("measures", &measured.columns, &measured.rows)];
    let tables = measured.tables.iter();
    files.extend(tables.map(|table| (table.name.as_str(), &table.columns, &table.rows)));
    for (name, columns, rows) in files {
        let path = out.join(format!("{name}.csv"));
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let mut file = SeriesWriter::create(&path, &columns)?;
        for row in rows {
            file.row(row)?;
        }
        file.finish()?;
        tell(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

fn as_csv(columns: &[String], rows: &[Vec<f64>]) -> String {
    let mut text = columns.join(",") + "\n";
    for row in rows {
        for (k, value) in row.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            let _ = write!(text, "{comma}{value}");
        }
        text.push('\n');
    }
    text
}

/// What is no number is `null`.
fn as_json(measured: &Measured) -> Value {
    let tables = measured.tables.iter().map(|table| {
        let value = json!({ "columns": table.columns, "rows": table.rows });
        (table.name.clone(), value)
    });
    json!({
        "columns": measured.columns,
        "rows": measured.rows,
        "tables": Value::Object(tables.collect::<Map<_, _>>()),
    })
}
