//! `granule run`: a scene, from its file to a folder of results.

mod names;
mod progress;
mod recorder;
mod replay;
mod totals;

pub use recorder::{COLUMNS, LOAD_COLUMNS};
pub use replay::replay;
pub use totals::peak_memory;

use crate::failure::{Failure, tell};
use crate::pictures;
use crate::render::{ColorBy, Options};
use clap::Args;
use granule::simulation::{Simulation, Snapshot, StepError};
use granule_io::checkpoint::CheckpointStore;
use granule_io::results::{FrameReader, RunRecord, RunStatus, Summary};
use granule_io::scene::{self, Scene, Setup};
use progress::Progress;
use recorder::Recorder;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use totals::Totals;

/// Arguments of `granule run`.
#[derive(Args)]
pub struct RunArguments {
    /// The scene file
    scene: PathBuf,
    /// The folder of results; `runs/NAME` if not given, with a number where that is taken
    #[arg(long)]
    out: Option<PathBuf>,
    /// Threads; as many as there are cores if not given. The result does not depend on it
    #[arg(long, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// The time to stop at (s), instead of the scene's
    #[arg(long, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Go on from the last checkpoint in the folder
    #[arg(long)]
    resume: bool,
    /// Replace an earlier run in the folder
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,
    /// No progress bar and no closing words
    #[arg(long)]
    quiet: bool,
}

/// A checkpoint is written at least this often, however slow the simulation is.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// What a checkpoint holds.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    snapshot: Snapshot,
    totals: Totals,
    /// Simulated time of the next frame, s.
    next_frame: f64,
}

/// Set when the run is asked to stop.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Runs a scene.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let scene = scene::load(&arguments.scene)?;
    let mut setup = scene.build()?;
    if let Some(until) = arguments.until {
        if !(until.is_finite() && until > 0.0) {
            return Err(Failure::Input(format!(
                "--until must be a positive time (s), not {until}"
            )));
        }
        setup.settings.end = until;
    }
    let threads = match arguments.threads {
        Some(0) => return Err(Failure::Input("--threads must be at least 1".to_owned())),
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, |n| n.get()),
    };
    let folder = choose_folder(arguments, &setup)?;
    let mut store = CheckpointStore::new(&folder.join("checkpoint"));
    let checkpoint = if arguments.resume {
        load(&folder, &scene, &mut store)?
    } else {
        None
    };

    // A second signal ends the program at once.
    let handler = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    handler.map_err(|error| Failure::Run(format!("cannot watch for Ctrl-C: {error}")))?;

    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::Run(format!("cannot start {threads} threads: {error}")))?;
    let job = Job {
        scene,
        record: setup.record(),
        setup,
        folder,
        threads,
        quiet: arguments.quiet,
        started: Instant::now(),
    };
    pool.install(|| job.simulate(store, checkpoint))
}

/// The folder of results: the one asked for, or a free one.
fn choose_folder(arguments: &RunArguments, setup: &Setup) -> Result<PathBuf, Failure> {
    let holds_run = |folder: &Path| folder.join("scene.toml").exists();
    if let Some(out) = &arguments.out {
        if !arguments.resume && !arguments.overwrite && holds_run(out) {
            return Err(Failure::Input(format!(
                "{} already holds a run; go on with it by --resume, replace it by --overwrite, or give another folder",
                out.display()
            )));
        }
        return Ok(out.clone());
    }
    let first = setup.output.directory.clone();
    if arguments.resume || arguments.overwrite || !holds_run(&first) {
        return Ok(first);
    }
    let name = first
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let numbered = (2..).map(|k: u32| first.with_file_name(format!("{name}-{k}")));
    Ok(numbered
        .into_iter()
        .find(|folder| !holds_run(folder))
        .unwrap_or(first))
}

/// The checkpoint to go on from; `None` if the run was stopped before the first.
fn load(
    folder: &Path,
    scene: &Scene,
    store: &mut CheckpointStore,
) -> Result<Option<Checkpoint>, Failure> {
    let path = folder.join("scene.toml");
    let before = std::fs::read_to_string(&path).map_err(|error| {
        Failure::Input(format!(
            "there is no run to resume in {}: cannot read {}: {error}; run without --resume first",
            folder.display(),
            path.display()
        ))
    })?;
    if before != scene.to_toml()? {
        return Err(Failure::Input(format!(
            "the scene has changed since the run in {} was started; run {} itself to go on with the old scene, or start afresh without --resume",
            folder.display(),
            path.display()
        )));
    }
    Ok(store
        .load_latest::<Checkpoint>()?
        .map(|(checkpoint, _)| checkpoint))
}

/// A run that is ready to start.
struct Job {
    scene: Scene,
    setup: Setup,
    record: RunRecord,
    folder: PathBuf,
    threads: usize,
    quiet: bool,
    started: Instant,
}

impl Job {
    fn simulate(
        &self,
        mut store: CheckpointStore,
        checkpoint: Option<Checkpoint>,
    ) -> Result<(), Failure> {
        let fresh = checkpoint.is_none();
        let (snapshot, mut totals, next_frame) = match checkpoint {
            Some(Checkpoint {
                mut snapshot,
                totals,
                next_frame,
            }) => {
                snapshot.settings.end = self.setup.settings.end;
                (snapshot, totals, next_frame)
            }
            None => (self.first_snapshot(), Totals::default(), 0.0),
        };
        let mut simulation =
            Simulation::restore(snapshot).map_err(|error| Failure::Input(error.to_string()))?;
        if !fresh && self.is_complete(&simulation) {
            self.nothing_to_do(&simulation);
            return Ok(());
        }
        recorder::make_folder(&self.folder)?;
        if fresh {
            // In this order, so that a checkpoint never stands beside the files of another run.
            store.clear()?;
            recorder::write_scene(&self.folder, &self.scene.to_toml()?)?;
        }
        self.record.write(&self.folder)?;
        recorder::remove_summary(&self.folder)?;
        let mut recorder = Recorder::open(&self.folder, &self.setup, &simulation, next_frame)?;
        let mut progress = Progress::new(&self.setup, &simulation, self.quiet);
        let status = self.steps(
            &mut simulation,
            &mut store,
            &mut recorder,
            &mut totals,
            &mut progress,
        );
        progress.clear();
        // Whatever happened, what was reached is kept as far as the disk allows.
        let (state, failure) = match status {
            Ok(RunStatus::Interrupted) => (RunStatus::Interrupted, Some(Failure::Interrupted)),
            Ok(state) => (state, None),
            Err(failure) => (RunStatus::Failed, Some(failure)),
        };
        let summary = totals
            .with_times(&simulation, self.started.elapsed())
            .summary(state, &self.setup, &simulation, self.threads);
        let written = recorder.finish(&summary);
        if let Some(failure) = failure {
            if matches!(failure, Failure::Interrupted) {
                tell(format_args!(
                    "interrupted at t = {:.6} s; go on with --resume, results so far in {}",
                    simulation.world().time,
                    self.folder.display()
                ));
            }
            return Err(failure);
        }
        written?;
        self.closing_words(&summary);
        Ok(())
    }

    /// Whether the run was over before it was resumed, and all of it is on the disk.
    fn is_complete(&self, simulation: &Simulation) -> bool {
        let summary = Summary::read(&self.folder.join("summary.json"));
        simulation.finished()
            && summary.is_ok_and(|summary| {
                summary.status == RunStatus::Completed && summary.steps == simulation.world().steps
            })
    }

    fn nothing_to_do(&self, simulation: &Simulation) {
        if !self.quiet {
            tell(format_args!(
                "nothing to do: the run in {} is complete, t = {:.6} s; to go on, give a later time by --until",
                self.folder.display(),
                simulation.world().time
            ));
        }
    }

    fn first_snapshot(&self) -> Snapshot {
        Snapshot {
            world: self.setup.world.clone(),
            settings: self.setup.settings,
            contacts: Vec::new(),
            last_step: 0.0,
            allowed: 0.0,
        }
    }

    fn steps(
        &self,
        simulation: &mut Simulation,
        store: &mut CheckpointStore,
        recorder: &mut Recorder,
        totals: &mut Totals,
        progress: &mut Progress,
    ) -> Result<RunStatus, Failure> {
        let plan = &self.setup.output;
        let mut last_checkpoint = (simulation.world().time, Instant::now());
        recorder.frame_if_due(simulation)?;
        while !simulation.finished() {
            let report = match simulation.step() {
                Ok(report) => report,
                Err(error) => {
                    // The state before the step that failed is the one to look at.
                    recorder.last_frame(simulation)?;
                    self.save(simulation, store, recorder, totals)?;
                    return Err(self.failed(&error));
                }
            };
            totals.add(&report);
            if let Some(infeasible) = simulation.last_infeasible() {
                totals.note_infeasible(|| {
                    infeasible.describe(|party| names::name(&self.setup, party))
                });
            }
            let clock = Instant::now();
            recorder.row(&report, simulation)?;
            recorder.frame_if_due(simulation)?;
            progress.step(&report);
            let due = report.time - last_checkpoint.0 >= plan.checkpoint_interval
                || last_checkpoint.1.elapsed() >= CHECKPOINT_EVERY;
            let interrupted = INTERRUPTED.load(Ordering::SeqCst);
            if due || interrupted {
                self.save(simulation, store, recorder, totals)?;
                last_checkpoint = (report.time, Instant::now());
            }
            totals.record_seconds += clock.elapsed().as_secs_f64();
            if interrupted && !simulation.finished() {
                return Ok(RunStatus::Interrupted);
            }
        }
        recorder.last_frame(simulation)?;
        self.save(simulation, store, recorder, totals)?;
        Ok(RunStatus::Completed)
    }

    /// What people are told of a step that could not be taken.
    fn failed(&self, error: &StepError) -> Failure {
        let what = match error {
            StepError::Infeasible(infeasible) => format!(
                "{}; {}",
                infeasible.describe(|party| names::name(&self.setup, party)),
                infeasible.remedy()
            ),
            other => other.to_string(),
        };
        Failure::Run(format!(
            "{what}\nresults so far in {}",
            self.folder.display()
        ))
    }

    /// A checkpoint never knows of results that are not on their way to the disk.
    fn save(
        &self,
        simulation: &Simulation,
        store: &mut CheckpointStore,
        recorder: &mut Recorder,
        totals: &Totals,
    ) -> Result<(), Failure> {
        recorder.flush()?;
        let checkpoint = Checkpoint {
            snapshot: simulation.snapshot(),
            totals: totals.with_times(simulation, self.started.elapsed()),
            next_frame: recorder.next_frame(),
        };
        Ok(store.save(&checkpoint, simulation.world().steps)?)
    }

    /// Tells people what came out, and draws the last frame.
    fn closing_words(&self, summary: &Summary) {
        if self.quiet {
            return;
        }
        tell(format_args!(
            "{} steps to t = {:.6} s in {:.1} s; worst residual {:.2e} m/s, deepest penetration {:.2e} m",
            summary.steps,
            summary.simulated_time,
            summary.wall_seconds,
            summary.certificate.worst_residual,
            summary.certificate.worst_penetration
        ));
        if summary.failed_steps > 0 {
            tell(format_args!(
                "warning: {} of {} steps did not reach the tolerance; see the column certified[-] of series.csv",
                summary.failed_steps, summary.steps
            ));
        }
        if let Some(first) = &summary.first_infeasible {
            tell(format_args!("warning: {first}"));
        }
        let picture = self.folder.join("picture.png");
        let drawn = FrameReader::open(&self.folder)
            .map_err(Failure::from)
            .and_then(|reader| {
                let last = reader.frames().len().saturating_sub(1);
                pictures::draw_frame(
                    &reader,
                    last,
                    &self.record,
                    ColorBy::Id,
                    Options::default(),
                    &picture,
                )
            });
        match drawn {
            Ok(()) => tell(format_args!(
                "results in {}, the end in {}",
                self.folder.display(),
                picture.display()
            )),
            Err(failure) => {
                tell(format_args!("results in {}", self.folder.display()));
                failure.print();
            }
        }
    }
}
