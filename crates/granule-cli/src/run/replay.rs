//! A recorded run, taken again to one of its steps.

use super::Checkpoint;
use crate::failure::Failure;
use granule::simulation::{Simulation, StepReport};
use granule_io::checkpoint::CheckpointStore;
use granule_io::scene::{self, Setup};
use std::path::Path;

/// The scene of a run at its start, which needs the files that the scene names.
fn build(path: &Path, step: u64) -> Result<Setup, Failure> {
    let built = scene::load(path).and_then(|scene| scene.build());
    built.map_err(|error| {
        let why = format!(
            "no checkpoint is left from before step {step}, so the run is made again from its start, \
             with the files and runs that its scene names"
        );
        Failure::from(error.note(why))
    })
}

/// The simulation of the run in a folder right after a step (counted from 1), with the report of that
/// step: from the nearest checkpoint before it, or from the start, with the same bits as in the run.
pub fn replay(folder: &Path, step: u64) -> Result<(Simulation, StepReport), Failure> {
    if step == 0 {
        return Err(Failure::Input("steps are counted from 1".to_owned()));
    }
    let path = folder.join("scene.toml");
    if !path.exists() {
        return Err(Failure::Input(format!(
            "there is no run in {}: give the folder that `granule run` wrote",
            folder.display()
        )));
    }
    let mut store = CheckpointStore::new(&folder.join("checkpoint"));
    let bad = |error: granule::simulation::SetupError| Failure::Input(error.to_string());
    let last = store.load_latest::<Checkpoint>()?;
    // The run may have ended at another time than its scene.
    let end = last.map(|(last, _)| last.snapshot.settings.end);
    let mut simulation = match store.load_until::<Checkpoint>(step - 1)? {
        Some((checkpoint, _)) => {
            let mut snapshot = checkpoint.snapshot;
            snapshot.settings.end = end.unwrap_or(snapshot.settings.end);
            Simulation::restore(snapshot)
        }
        None => {
            let setup = build(&path, step)?;
            let mut settings = setup.settings;
            settings.end = end.unwrap_or(settings.end);
            Simulation::new(setup.world, settings)
        }
    }
    .map_err(bad)?;
    loop {
        if simulation.finished() {
            return Err(Failure::Input(format!(
                "the run in {} has {} steps, so none is number {step}",
                folder.display(),
                simulation.world().steps
            )));
        }
        let report = simulation
            .step()
            .map_err(|error| Failure::Run(error.to_string()))?;
        if report.step == step {
            return Ok((simulation, report));
        }
    }
}
