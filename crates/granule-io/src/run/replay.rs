//! A recorded run, taken again to one of its steps.

use super::{Checkpoint, RunError, RunFolder};
use crate::checkpoint::CheckpointStore;
use crate::scene;
use granule::simulation::{Simulation, Snapshot, StepReport};

impl RunFolder {
    /// The simulation right after a step (counted from 1), with the report of that step: from the
    /// nearest checkpoint before it, or from the start, with the same bits as in the run.
    ///
    /// What a program did to the simulation between steps ([`super::Run::simulation_mut`]) is not done
    /// again.
    pub fn replay(&self, step: u64) -> Result<(Simulation, StepReport), RunError> {
        let mut store = Self::existing(self.path())?.store();
        let last = store.load_latest::<Checkpoint>()?;
        let no_such_step = |count: u64| RunError::NoSuchStep {
            folder: self.path().to_owned(),
            step,
            count,
        };
        let Some(before) = step.checked_sub(1) else {
            return Err(no_such_step(last.map_or(0, |(_, last)| last)));
        };
        // The run may have ended at another time than its scene.
        let end = last.map(|(last, _)| last.snapshot.settings.end);
        let mut snapshot = match store.load_until::<Checkpoint>(before)? {
            Some((checkpoint, _)) => checkpoint.snapshot,
            None => self.start(&store, step)?,
        };
        snapshot.settings.end = end.unwrap_or(snapshot.settings.end);
        let mut simulation = Simulation::restore(snapshot)?;
        while !simulation.finished() {
            let report = simulation.step().map_err(|source| RunError::Replay {
                folder: self.path().to_owned(),
                source: Box::new(source),
            })?;
            if report.step == step {
                return Ok((simulation, report));
            }
        }
        Err(no_such_step(simulation.world().steps))
    }

    /// The state before the first step; a scene is built again, which needs the files that it names.
    fn start(&self, store: &CheckpointStore, step: u64) -> Result<Snapshot, RunError> {
        if let Some(start) = store.load_start()? {
            return Ok(start);
        }
        let built = scene::load(&self.scene_file()).and_then(|scene| scene.build());
        let setup = built.map_err(|error| {
            error.note(format!(
                "no checkpoint is left from before step {step}, so the run is made again from its \
                 start, with the files and runs that its scene names"
            ))
        })?;
        Ok(Snapshot::start(setup.world, setup.settings))
    }
}
