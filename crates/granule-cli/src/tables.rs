//! `granule reproduce`: the papers' tables from the command line.

use crate::failure::{Failure, print_out};
use crate::reproduce::{self, Options};
use clap::Args;
use granule::simulation::World;
use granule_io::results::{BodyStates, ContactStates, RunRecord, WallRecord};
use granule_render::{ColorBy, Options as Drawing, Quantity, Scene, Shot};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `granule reproduce`.
#[derive(Args)]
pub struct TableArguments {
    /// Which tables; all if not given
    ids: Vec<String>,
    /// Only list what there is
    #[arg(long)]
    list: bool,
    /// Leave out what takes long: everything in less than two minutes
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
    /// Print an array of {id, paper, rows} to standard output
    #[arg(long)]
    json: bool,
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
    let folder = arguments.out.clone();
    let picture = |world: &World, name: &str| {
        if let Some(folder) = &folder
            && let Err(failure) = draw(world, &folder.join(format!("{name}.png")))
        {
            failure.print();
        }
    };
    let options = Options {
        quick: arguments.quick,
        full: arguments.full,
        data: arguments.data.clone(),
        out: arguments.out.clone(),
        progress: &progress,
        picture: arguments.out.is_some().then_some(&picture),
    };
    let tables = reproduce::run(&arguments.ids, &options).map_err(|error| {
        let message = error.to_string();
        if error.is_usage() {
            Failure::Input(message)
        } else {
            Failure::Run(message)
        }
    });
    bar.finish_and_clear();
    let tables = tables?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&tables)
            .map_err(|error| Failure::Run(error.to_string()))?;
        return print_out(&(text + "\n"));
    }
    let text: Vec<String> = tables.iter().map(reproduce::print).collect();
    print_out(&text.join("\n"))
}

/// Draws a world as it is.
fn draw(world: &World, path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::Run(format!(
                "cannot make the folder {}: {error}",
                folder.display()
            ))
        })?;
    }
    let walls = world.walls.iter().map(|wall| WallRecord::new(None, wall));
    let record = RunRecord {
        solids: world.bodies.solids.clone(),
        walls: walls.collect(),
        ..RunRecord::new("", world.dimension)
    };
    let bodies = BodyStates::of(&world.bodies);
    let shot = Shot {
        bodies: &bodies,
        contacts: &ContactStates::default(),
        time: world.time,
        record: &record,
    };
    let scene = Scene::of(&shot, &ColorBy::Quantity(Quantity::SPEED).into());
    let image = scene.draw(&Drawing::default());
    image
        .write_png(path, None)
        .map_err(|error| Failure::Run(error.to_string()))
}
