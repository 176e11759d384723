//! `granule run`: a scene, from its file to a folder of results, with a bar, Ctrl-C and closing words.

mod doubts;
mod progress;

use crate::failure::{Failure, tell};
use crate::view::{self, PageArguments};
use crate::{interrupt, pictures, threads};
use clap::Args;
use granule::solver::Watch;
use granule_io::results::{RunStatus, Summary};
use granule_io::run::{Run, RunError, RunFolder};
use granule_io::scene::{self, Change, Setup};
use granule_render::{ColorBy, Options};
use granule_view::Viewer;
use progress::Progress;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Arguments of `granule run`.
#[derive(Args)]
pub struct RunArguments {
    /// The scene file
    scene: PathBuf,
    /// Change a value of the scene, as in `solver.tolerance=1e-5` or `grains.0.random.count=2000`; may be given several
    /// times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Change>,
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
    /// Do not draw the end into `picture.png`
    #[arg(long)]
    no_picture: bool,
    /// No progress, no closing words and no picture
    #[arg(long)]
    quiet: bool,
    /// Show the run in the browser while it goes on, and after it until Ctrl-C
    #[arg(long)]
    view: bool,
    #[command(flatten, next_help_heading = "With --view")]
    page: PageArguments,
}

/// Runs a scene.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let scene = scene::load_with(&arguments.scene, &arguments.set)?;
    let mut setup = scene.build()?;
    for warning in scene.judge(&setup) {
        tell(format_args!("warning: {warning}"));
    }
    if let Some(until) = arguments.until {
        let start = setup.world.time;
        if !(until.is_finite() && until > start) {
            return Err(Failure::Input(match start {
                0.0 => format!("--until must be a positive time (s), not {until}"),
                _ => format!(
                    "--until must be later than {start} s, where the run goes on, not {until}"
                ),
            }));
        }
        setup.settings.end = until;
    }
    if !arguments.view && arguments.page.is_given() {
        let why = "--port and --open are about the page of --view: give that as well";
        return Err(Failure::Input(why.to_owned()));
    }
    let watch = interrupt::watch()?;
    let pool = threads::pool(arguments.threads)?;
    pool.install(|| simulate(arguments, setup, watch))
}

fn simulate(arguments: &RunArguments, setup: Setup, watch: Watch) -> Result<(), Failure> {
    for warning in setup.warnings() {
        tell(format_args!("warning: {warning}"));
    }
    let folder = choose_folder(arguments, &setup);
    let path = folder.path();
    if arguments.out.is_none() && path != setup.output.directory {
        let usual = setup.output.directory.display();
        tell(format_args!(
            "{usual} is taken: results go to {}",
            path.display()
        ));
    }
    let started = if arguments.resume {
        Run::resume(path, setup)
    } else if arguments.overwrite {
        Run::replace(path, setup).map(Some)
    } else {
        Run::create(path, setup).map(Some)
    };
    let Some(mut run) = started.map_err(|error| in_words_of_the_command(error, &folder))? else {
        return nothing_to_do(arguments, &folder);
    };
    let viewer = match arguments.view {
        true => Some(view::start(&[path.to_owned()], &arguments.page)?),
        false => None,
    };
    run.simulation_mut().set_watch(watch.clone());
    let progress = Progress::new(run.setup(), run.simulation(), watch, arguments.quiet);
    let result = run.to_end(|_, report| {
        if let Some(progress) = &progress {
            progress.step(report);
        }
        interrupt::flow()
    });
    drop(progress);
    let summary = result?;
    if summary.status == RunStatus::Interrupted {
        tell(format_args!(
            "interrupted at t = {:.6} s; go on with --resume, results so far in {}",
            summary.simulated_time,
            path.display()
        ));
        // Who stopped it from the page goes on looking.
        keep_showing(viewer);
        return Err(Failure::Interrupted);
    }
    if !arguments.quiet {
        closing_words(&summary);
        picture(&folder, arguments.no_picture);
    }
    keep_showing(viewer);
    Ok(())
}

/// Shows what is there until Ctrl-C, if there is a viewer.
fn keep_showing(viewer: Option<Viewer>) {
    if let Some(viewer) = viewer
        && interrupt::flow().is_continue()
    {
        let address = viewer.address();
        tell(format_args!("still at {address} until Ctrl-C"));
        view::until_interrupted();
    }
}

/// The folder of results: the one asked for, or a free one.
fn choose_folder(arguments: &RunArguments, setup: &Setup) -> RunFolder {
    let usual = &setup.output.directory;
    match &arguments.out {
        Some(out) => RunFolder::new(out),
        None if arguments.resume || arguments.overwrite => RunFolder::new(usual),
        None => RunFolder::free(usual),
    }
}

/// Why a run cannot start, with the options that help.
fn in_words_of_the_command(error: RunError, folder: &RunFolder) -> Failure {
    let shown = folder.path().display();
    match error {
        RunError::Occupied { .. } => Failure::Input(format!(
            "{shown} already holds a run; go on with it by --resume, replace it by --overwrite, or give another folder"
        )),
        RunError::NothingToResume { path, source, .. } => Failure::Input(format!(
            "there is no run to resume in {shown}: cannot read {}: {source}; run without --resume first",
            path.display()
        )),
        RunError::Changed { .. } => Failure::Input(format!(
            "the scene has changed since the run in {shown} was started; run {} itself to go on with the old scene, or start afresh without --resume",
            folder.scene_file().display()
        )),
        other => other.into(),
    }
}

fn nothing_to_do(arguments: &RunArguments, folder: &RunFolder) -> Result<(), Failure> {
    if !arguments.quiet {
        tell(format_args!(
            "nothing to do: the run in {} is complete, t = {:.6} s; to go on, give a later time by --until",
            folder.path().display(),
            folder.summary()?.simulated_time
        ));
    }
    Ok(())
}

/// Tells people what came out.
fn closing_words(summary: &Summary) {
    tell(format_args!(
        "{} steps to t = {:.6} s in {:.1} s; worst residual {:.2e} m/s, deepest penetration {:.2e} m, {:.1e} of the smallest radius",
        summary.steps,
        summary.simulated_time,
        summary.wall_seconds,
        summary.certificate.worst_residual,
        summary.certificate.worst_penetration,
        summary.certificate.worst_overlap
    ));
    for inlet in &summary.inlets {
        let waits = match inlet.waits {
            None | Some(0) => String::new(),
            Some(waits) => format!("; a grain found no room in {waits} steps"),
        };
        let (name, number, mass) = (&inlet.name, inlet.number, inlet.mass);
        tell(format_args!(
            "came through `{name}`: {number} grains, {mass:.4} kg{waits}"
        ));
    }
    for outlet in &summary.outlets {
        let (name, number, mass) = (&outlet.name, outlet.number, outlet.mass);
        if let Some(outside) = outlet.outside {
            if outside > 0 {
                tell(format_args!(
                    "warning: up to {outside} bodies at once were outside `{name}`, and stay"
                ));
            }
            continue;
        }
        tell(format_args!(
            "left through `{name}`: {number} bodies, {mass:.4} kg"
        ));
    }
    if summary.failed_steps > 0 {
        tell(format_args!(
            "warning: {} of {} steps did not reach the tolerance; see the column certified[-] of series.csv",
            summary.failed_steps, summary.steps
        ));
    }
    if let Some(doubts) = doubts::of_softness(summary) {
        tell(format_args!("warning: {doubts}"));
    }
    if let Some(doubts) = doubts::of_step(summary) {
        tell(format_args!("{doubts}"));
    }
    if let Some(first) = &summary.first_infeasible {
        tell(format_args!("warning: {first}"));
    }
    if let Some(existence) = &summary.existence {
        tell(format_args!(
            "with this dilatancy a solution of the last step is {existence}"
        ));
    }
}

/// Draws the end unless that is not wanted, and tells where results are.
fn picture(folder: &RunFolder, unwanted: bool) {
    let results = folder.path().display();
    if unwanted {
        tell(format_args!("results in {results}"));
        return;
    }
    let picture = folder.path().join("picture.png");
    let started = Instant::now();
    match draw_end(folder, &picture) {
        Ok(()) => tell(format_args!(
            "results in {results}, the end in {} (drawn in {:.1} s)",
            picture.display(),
            started.elapsed().as_secs_f64()
        )),
        Err(failure) => {
            tell(format_args!("results in {results}"));
            failure.print();
        }
    }
}

fn draw_end(folder: &RunFolder, picture: &Path) -> Result<(), Failure> {
    let (frames, record) = (folder.frames()?, folder.record()?);
    let last = frames.frames().len().saturating_sub(1);
    pictures::draw_frame(
        &frames,
        last,
        &record,
        &ColorBy::Id.into(),
        &Options::default(),
        (picture, None),
    )
}
