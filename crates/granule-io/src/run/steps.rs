//! A run, step by step.

use super::live::{Beacon, Live, Wish};
use super::recorder::Recorder;
use super::totals::Totals;
use super::{Checkpoint, RunError, RunFolder};
use crate::checkpoint::CheckpointStore;
use crate::results::{RunStatus, Summary, WriteError, write_file};
use crate::scene::Setup;
use granule::simulation::{Simulation, Snapshot, StepError, StepReport};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// A checkpoint is written at least this often, however slow the simulation is.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// A simulation that writes a folder of results as it goes.
///
/// [`Run::create`], [`Run::replace`] and [`Run::resume`] start one. [`Run::to_end`] takes all steps;
/// a program that acts between steps calls [`Run::step`] and in the end [`Run::finish`]. A run that is
/// dropped without either leaves no summary, and can be resumed from its last checkpoint.
///
/// The number of threads is that of the pool of `rayon` in which the run is called; no result depends
/// on it.
pub struct Run {
    setup: Setup,
    folder: RunFolder,
    simulation: Simulation,
    recorder: Recorder,
    store: CheckpointStore,
    totals: Totals,
    /// When this part of the run began.
    started: Instant,
    /// When the last checkpoint was due: simulated time (s) and time of day.
    last_checkpoint: (f64, Instant),
    /// The step of the last checkpoint that holds the state as it is.
    saved: Option<u64>,
    /// Whether a step could not be taken or recorded.
    failed: bool,
    /// Shows others that the run is going on.
    beacon: Beacon,
}

impl Run {
    /// Starts a run in a folder that holds none; the folder is made if it is not there.
    pub fn create(folder: &Path, setup: Setup) -> Result<Self, RunError> {
        if RunFolder::new(folder).holds_run() {
            let folder = folder.to_owned();
            return Err(RunError::Occupied { folder });
        }
        Self::replace(folder, setup)
    }

    /// Starts a run in a folder; the files of a run that is there are written over.
    pub fn replace(folder: &Path, setup: Setup) -> Result<Self, RunError> {
        let folder = RunFolder::new(folder);
        let store = folder.store();
        let simulation = restore(&setup, None)?;
        Self::open(folder, setup, simulation, store, None)
    }

    /// Goes on with the run in a folder from its last checkpoint, or from the start if it was stopped
    /// before the first. `None` if the run is complete.
    ///
    /// The setup must be the one that the run started from; only the end may differ.
    pub fn resume(folder: &Path, setup: Setup) -> Result<Option<Self>, RunError> {
        let folder = RunFolder::new(folder);
        let mut store = folder.store();
        check_same_start(&folder, &setup, &store)?;
        let checkpoint = store.load_latest::<Checkpoint>()?;
        let checkpoint = checkpoint.map(|(checkpoint, _)| checkpoint);
        let snapshot = checkpoint.as_ref().map(|last| last.snapshot.clone());
        let simulation = restore(&setup, snapshot)?;
        if checkpoint.is_some() && is_complete(&folder, &simulation) {
            return Ok(None);
        }
        Self::open(folder, setup, simulation, store, checkpoint).map(Some)
    }

    /// Opens the files at the state of the simulation.
    fn open(
        folder: RunFolder,
        setup: Setup,
        simulation: Simulation,
        mut store: CheckpointStore,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, RunError> {
        let refused = |path: &Path, source| WriteError::io(path, source);
        std::fs::create_dir_all(folder.path()).map_err(|source| refused(folder.path(), source))?;
        let beacon = Beacon::light(&folder)?;
        if checkpoint.is_none() {
            // In this order, so that a checkpoint never stands beside the files of another run.
            store.clear()?;
            match &setup.scene {
                Some(text) => write_file(&folder.scene_file(), text.as_bytes())?,
                None => {
                    remove(&folder.scene_file())?;
                    store.save_start(&Snapshot::start(setup.world.clone(), setup.settings))?;
                }
            }
        }
        setup.record().write(folder.path())?;
        // The summary of an earlier part or run says nothing about the run that starts.
        remove(&folder.summary_file())?;
        let (totals, earlier) = match checkpoint {
            Some(last) => (last.totals, Some((last.next_frame, last.measures))),
            None => (Totals::starting(&simulation), None),
        };
        let mut run = Self {
            recorder: Recorder::open(&folder, &setup, &simulation, earlier)?,
            last_checkpoint: (simulation.world().time, Instant::now()),
            started: Instant::now(),
            saved: None,
            failed: false,
            beacon,
            setup,
            folder,
            simulation,
            store,
            totals,
        };
        run.beacon.tell(&run.live(false));
        Ok(run)
    }

    /// What is run.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Where it is written.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The simulation as it is now.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The simulation, to act on it between steps. A run that is resumed knows what was done by the
    /// state that it led to, and nothing of what was to be done later.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        self.saved = None;
        &mut self.simulation
    }

    /// Whether the end is reached.
    pub fn finished(&self) -> bool {
        self.simulation.finished()
    }

    /// Takes all steps that are left, or as many as `watch` wants, and closes the files.
    ///
    /// `watch` sees the simulation after each step and may stop the run by breaking: the state is then
    /// in a checkpoint, and the status of the summary is [`RunStatus::Interrupted`]. A run that stops
    /// because of an error has its summary as well, as far as the disk allows. A step that was broken off
    /// ([`Simulation::set_watch`]) stops the run as breaking does, in the state before that step.
    ///
    /// Others may ask it to stop in the same way, or to wait ([`RunFolder::ask`]); while it waits, `watch` sees the
    /// last step again now and then.
    pub fn to_end(
        mut self,
        mut watch: impl FnMut(&Simulation, &StepReport) -> ControlFlow<()>,
    ) -> Result<Summary, RunError> {
        while !self.finished() {
            match self.step() {
                Ok(report) if watch(&self.simulation, &report).is_continue() => {
                    match self.obey(|simulation| watch(simulation, &report)) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(ControlFlow::Break(())) => break,
                        Err(error) => return self.give_up(error),
                    }
                }
                Ok(_) => break,
                Err(error) if is_interruption(&error) => break,
                Err(error) => return self.give_up(error),
            }
        }
        self.finish()
    }

    /// Ends after an error, which is the one to tell whatever comes then.
    fn give_up(self, error: RunError) -> Result<Summary, RunError> {
        let _ = self.finish();
        Err(error)
    }

    /// Says how far the run is, and does what others ask of it ([`RunFolder::ask`]): to be called now and then by who takes the
    /// steps of a run one by one; [`Run::to_end`] does. It comes back when the run is no longer asked to wait, and breaks if it is to
    /// end; `watch` may end it while it waits.
    pub fn obey(
        &mut self,
        mut watch: impl FnMut(&Simulation) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, RunError> {
        self.beacon.tell(&self.live(false));
        let mut wish = self.beacon.look();
        if wish == Wish::Pause {
            // Who looks at a run that waits sees all of it.
            self.recorder.flush()?;
            self.beacon.tell(&self.live(true));
            while wish == Wish::Pause {
                if watch(&self.simulation).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                wish = self.beacon.wait();
            }
            self.beacon.tell(&self.live(false));
        }
        Ok(match wish {
            Wish::Stop => ControlFlow::Break(()),
            Wish::GoOn | Wish::Pause => ControlFlow::Continue(()),
        })
    }

    fn live(&self, paused: bool) -> Live {
        let world = self.simulation.world();
        Live {
            paused,
            step: world.steps,
            time: world.time,
            start: self.setup.world.time,
            end: self.setup.settings.end,
        }
    }

    /// Takes a step and records it: a row of the series, and a frame and a checkpoint if they are due. A frame is written
    /// while the run goes on: that it could not be is told by a later step, or by [`Run::finish`].
    pub fn step(&mut self) -> Result<StepReport, RunError> {
        let taken = self.recorded_step();
        self.failed |= taken.as_ref().is_err_and(|error| !is_interruption(error));
        taken
    }

    fn recorded_step(&mut self) -> Result<StepReport, RunError> {
        let clock = Instant::now();
        // The first frame shows the start.
        self.recorder.frame_if_due(&self.simulation)?;
        self.totals.record_seconds += clock.elapsed().as_secs_f64();
        let report = match self.simulation.step() {
            Ok(report) => report,
            // The step can be taken again.
            Err(error @ StepError::Interrupted { .. }) => return Err(self.cannot_go_on(error)),
            Err(error) => {
                // The state before the step that failed is the one to look at.
                self.recorder.last_frame(&self.simulation)?;
                self.save()?;
                return Err(self.cannot_go_on(error));
            }
        };
        let clock = Instant::now();
        self.totals.add(&report, &self.simulation.world().bodies);
        if let Some(infeasible) = self.simulation.last_infeasible() {
            let setup = &self.setup;
            self.totals
                .note_infeasible(|| infeasible.describe(|party| setup.name_of(party)));
        }
        self.recorder.row(&report, &self.simulation)?;
        self.recorder.frame_if_due(&self.simulation)?;
        let (time, moment) = self.last_checkpoint;
        let due = report.time - time >= self.setup.output.checkpoint_interval
            || moment.elapsed() >= CHECKPOINT_EVERY;
        if due {
            self.save()?;
            self.last_checkpoint = (report.time, Instant::now());
        }
        self.totals.record_seconds += clock.elapsed().as_secs_f64();
        Ok(report)
    }

    /// What is told of a step that could not be taken.
    fn cannot_go_on(&self, error: StepError) -> RunError {
        let what = match &error {
            StepError::Infeasible(infeasible) => format!(
                "{}; {}",
                infeasible.describe(|party| self.setup.name_of(party)),
                infeasible.remedy()
            ),
            other => other.to_string(),
        };
        RunError::Step {
            what,
            folder: self.folder.path().to_owned(),
            source: Box::new(error),
        }
    }

    /// Writes a checkpoint. It never knows of results that are not on their way to the disk.
    fn save(&mut self) -> Result<(), RunError> {
        let step = self.simulation.world().steps;
        self.recorder.flush()?;
        if self.saved != Some(step) {
            let checkpoint = Checkpoint {
                snapshot: self.simulation.snapshot(),
                totals: self.totals_now(),
                next_frame: self.recorder.next_frame(),
                measures: self.recorder.memory().clone(),
            };
            self.store.save(&checkpoint, step)?;
            self.saved = Some(step);
        }
        Ok(())
    }

    fn totals_now(&self) -> Totals {
        let elapsed = self.started.elapsed();
        self.totals.with_times(&self.simulation, elapsed)
    }

    /// Writes the last checkpoint, and the last frame if the end is reached; closes the files and
    /// writes the summary.
    pub fn finish(mut self) -> Result<Summary, RunError> {
        let mut status = match (self.failed, self.finished()) {
            (true, _) => RunStatus::Failed,
            (false, true) => RunStatus::Completed,
            (false, false) => RunStatus::Interrupted,
        };
        let clock = Instant::now();
        let kept = self.keep(status);
        self.totals.record_seconds += clock.elapsed().as_secs_f64();
        if kept.is_err() {
            status = RunStatus::Failed;
        }
        let summary = self
            .totals_now()
            .summary(status, &self.setup, &self.simulation);
        // Whatever happened, what was reached is kept as far as the disk allows.
        let written = self.recorder.finish(&summary);
        kept?;
        written?;
        Ok(summary)
    }

    fn keep(&mut self, status: RunStatus) -> Result<(), RunError> {
        if status == RunStatus::Failed {
            return Ok(());
        }
        if status == RunStatus::Completed {
            self.recorder.last_frame(&self.simulation)?;
        }
        self.save()
    }
}

/// Whether this only says that a step was broken off.
fn is_interruption(error: &RunError) -> bool {
    matches!(error, RunError::Step { source, .. } if matches!(**source, StepError::Interrupted { .. }))
}

/// The simulation of a setup at its start or at a snapshot of it, until the end of the setup.
fn restore(setup: &Setup, snapshot: Option<Snapshot>) -> Result<Simulation, RunError> {
    if let Some(what) = setup.flaw() {
        let name = setup.name.clone();
        return Err(RunError::Unrecordable { name, what });
    }
    let mut snapshot =
        snapshot.unwrap_or_else(|| Snapshot::start(setup.world.clone(), setup.settings));
    snapshot.settings.end = setup.settings.end;
    Ok(Simulation::restore(snapshot)?)
}

/// Whether the run in the folder started from this setup; only the end may differ.
fn check_same_start(
    folder: &RunFolder,
    setup: &Setup,
    store: &CheckpointStore,
) -> Result<(), RunError> {
    let nothing = |path: &Path, source| RunError::NothingToResume {
        folder: folder.path().to_owned(),
        path: path.to_owned(),
        source,
    };
    let same = match &setup.scene {
        Some(text) => {
            let path = folder.scene_file();
            let before = std::fs::read_to_string(&path).map_err(|error| nothing(&path, error))?;
            before == *text
        }
        None => {
            let start = store.load_start::<Snapshot>()?;
            let missing = || io::ErrorKind::NotFound.into();
            let mut start = start.ok_or_else(|| nothing(folder.path(), missing()))?;
            start.settings.end = setup.settings.end;
            start.world == setup.world && start.settings == setup.settings
        }
    };
    if same {
        return Ok(());
    }
    let folder = folder.path().to_owned();
    Err(RunError::Changed { folder })
}

/// Whether the run was over before it was resumed, and all of it is on the disk.
fn is_complete(folder: &RunFolder, simulation: &Simulation) -> bool {
    simulation.finished()
        && folder.summary().is_ok_and(|summary| {
            summary.status == RunStatus::Completed && summary.steps == simulation.world().steps
        })
}

/// Removes a file if it is there.
fn remove(path: &Path) -> Result<(), WriteError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WriteError::io(path, error)),
        _ => Ok(()),
    }
}
