//! `granule new`: a commented scene to start from.

use crate::failure::{Failure, print_out};
use clap::{Args, ValueEnum};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What the scenes have where their name belongs.
const PLACEHOLDER: &str = "NAME";

/// Scenes to start from.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Grains run out of a funnel and make a heap; its angle of repose
    Heap,
    /// A silo runs empty through a hole in its floor; the flow through it
    Silo,
    /// Large and small grains in a turning drum; how well they are mixed
    Drum,
    /// A motor turns an arm that pushes balls; its moment
    Machine,
}

impl Kind {
    /// The scene, with [`PLACEHOLDER`] for its name.
    fn text(self) -> &'static str {
        match self {
            Self::Heap => include_str!("heap.toml"),
            Self::Silo => include_str!("silo.toml"),
            Self::Drum => include_str!("drum.toml"),
            Self::Machine => include_str!("machine.toml"),
        }
    }

    /// What to look at after the run: what follows `granule plot FOLDER`.
    fn page(self) -> &'static str {
        match self {
            Self::Heap => "--what profile",
            Self::Silo => "--y outlet_total,rate",
            Self::Drum => "--y mixing,drum_torque_y --smooth 0.1",
            Self::Machine => "--what motors",
        }
    }
}

/// Arguments of `granule new`.
#[derive(Args)]
pub struct NewArguments {
    /// The name of the scene: NAME.toml is written, and its runs go to runs/NAME
    name: PathBuf,
    /// What the scene shows
    #[arg(long, value_enum, default_value_t = Kind::Heap)]
    kind: Kind,
}

/// Writes a scene, and says what can be done with it.
pub fn new(arguments: &NewArguments) -> Result<(), Failure> {
    let file = file_of(&arguments.name);
    let name = name_of(&file)?;
    let text = arguments.kind.text().replace(PLACEHOLDER, name);
    write_new(&file, &text)?;
    let shown = file.display();
    print_out(&format!(
        "wrote {shown}; read it, change it, and then\n\
         \x20   granule check {shown}\n\
         \x20   granule run {shown}\n\
         \x20   granule plot runs/{name} {}\n",
        arguments.kind.page()
    ))
}

/// The file of a scene, whether its name was given with the ending or without.
fn file_of(name: &Path) -> PathBuf {
    let mut file = name.as_os_str().to_owned();
    if name.extension().is_none_or(|ending| ending != "toml") {
        file.push(".toml");
    }
    file.into()
}

/// The name of the scene of a file: it is in the scene as text, names a folder, and stands in commands.
fn name_of(file: &Path) -> Result<&str, Failure> {
    let name = file.file_stem().unwrap_or_default().to_str();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let starts = |name: &&str| name.starts_with(char::is_alphanumeric);
    name.filter(|name| name.chars().all(plain))
        .filter(starts)
        .ok_or_else(|| {
            Failure::Input(format!(
                "`{}` cannot be the name of a scene: it begins with a letter or a digit, and has letters, digits, `-`, `_` \
                 and `.` only, as in `granule new first-heap`",
                file.display()
            ))
        })
}

/// Writes a file that must not be there yet.
fn write_new(file: &Path, text: &str) -> Result<(), Failure> {
    let shown = file.display();
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let mut opened = opened.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Input(format!(
            "{shown} is there already, and stays as it is: give another name, or remove it"
        )),
        ErrorKind::NotFound => Failure::Input(format!(
            "cannot write {shown}: there is no such folder; make it first"
        )),
        _ => Failure::Run(format!("cannot write {shown}: {error}")),
    })?;
    opened
        .write_all(text.as_bytes())
        .map_err(|error| Failure::Run(format!("cannot write {shown}: {error}")))
}
