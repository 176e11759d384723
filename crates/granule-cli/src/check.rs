//! `granule check`: what a scene would do.

use crate::failure::{Failure, print_out};
use granule::simulation::Simulation;
use granule_io::scene;
use std::path::Path;

/// Validates a scene and prints what would be run.
pub fn check(path: &Path) -> Result<(), Failure> {
    let setup = scene::load(path)?.build()?;
    let facts = setup.describe();
    let notes: Vec<String> = setup
        .notes
        .iter()
        .map(|note| format!("note: {note}\n"))
        .collect();
    // Combinations that do not fit are found here as they would be by a run.
    Simulation::new(setup.world, setup.settings)
        .map_err(|error| Failure::Input(error.to_string()))?;
    let width = facts
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (name, value) in facts {
        text.push_str(&format!("{name:width$}  {value}\n"));
    }
    text.extend(notes);
    print_out(&text)
}
