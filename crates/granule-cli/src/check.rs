//! `granule check`: what a scene would do.

use crate::convergence;
use crate::failure::{Failure, print_out, tell};
use clap::Args;
use granule::simulation::Simulation;
use granule_io::scene::{self, Change};
use std::path::PathBuf;

/// Arguments of `granule check`.
#[derive(Args)]
pub struct CheckArguments {
    /// The scene file
    scene: PathBuf,
    /// Change a value of the scene first, as in `solver.tolerance=1e-5`; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Change>,
    /// Run a short piece with the step and its half, the tolerance and its tenth, and say what changes
    #[arg(long)]
    convergence: bool,
    /// How long that piece is, s; a tenth of the run and at most 200 steps if not given
    #[arg(
        long = "for",
        value_name = "SECONDS",
        requires = "convergence",
        allow_negative_numbers = true
    )]
    piece: Option<f64>,
}

/// Validates a scene and prints what would be run.
pub fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let scene = scene::load_with(&arguments.scene, &arguments.set)?;
    let setup = scene.build()?;
    let judgement = scene.judge(&setup);
    if arguments.convergence {
        return print_out(&convergence::table(&setup, arguments.piece)?);
    }
    let facts = setup.describe();
    let warnings = setup.warnings();
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
    print_out(&text)?;
    for warning in warnings {
        tell(format_args!("warning: {warning}"));
    }
    for warning in judgement {
        tell(format_args!("warning: {warning}"));
    }
    Ok(())
}
