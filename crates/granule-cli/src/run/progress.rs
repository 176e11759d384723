//! How far a run is: a bar on a terminal, else a line now and then; also while a step takes long.

use crate::failure::tell;
use granule::simulation::{Simulation, StepReport};
use granule::solver::Watch;
use granule_io::scene::Setup;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Units of the bar: thousandths of a percent of the simulated time.
const UNITS: f64 = 100_000.0;
/// Without a terminal a line comes after each such part of the way, or after so long.
const PART: f64 = 0.05;
const LONGEST: Duration = Duration::from_secs(60);
/// A step that takes longer than this is told of while it goes on, as often as `AGAIN`.
const LONG_STEP: Duration = Duration::from_secs(3);
const AGAIN: Duration = Duration::from_secs(1);

/// The progress of a run, on standard error.
pub struct Progress {
    state: Arc<Mutex<State>>,
    /// Tells of long steps until this is dropped.
    clock: Option<(Sender<()>, JoinHandle<()>)>,
}

struct State {
    shown: Shown,
    start: f64,
    end: f64,
    watch: Watch,
    /// The time (s) that is reached, since when, and the iterations of all steps until then.
    reached: (f64, Instant, usize),
}

enum Shown {
    Bar(ProgressBar),
    Lines {
        name: String,
        /// The part of the way after which the next line comes.
        next: f64,
        last: Instant,
    },
}

impl Progress {
    /// For the rest of the simulation, whose solves `watch` looks at.
    pub fn new(setup: &Setup, simulation: &Simulation, watch: Watch, quiet: bool) -> Option<Self> {
        if quiet {
            return None;
        }
        let (start, end) = (setup.world.time, setup.settings.end);
        let time = simulation.world().time;
        let part = (time - start) / (end - start);
        let shown = if std::io::stderr().is_terminal() {
            Shown::Bar(bar(setup.name.clone(), part))
        } else {
            Shown::Lines {
                name: setup.name.clone(),
                next: part + PART,
                last: Instant::now(),
            }
        };
        let state = Arc::new(Mutex::new(State {
            shown,
            start,
            end,
            reached: (time, Instant::now(), watch.iterations()),
            watch,
        }));
        let (stop, stopped) = mpsc::channel::<()>();
        let looked_at = Arc::clone(&state);
        let clock = std::thread::spawn(move || {
            while stopped.recv_timeout(AGAIN) == Err(RecvTimeoutError::Timeout) {
                lock(&looked_at).tick();
            }
        });
        Some(Self {
            state,
            clock: Some((stop, clock)),
        })
    }

    /// Shows a step.
    pub fn step(&self, report: &StepReport) {
        lock(&self.state).step(report);
    }
}

/// Takes the bar away.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, clock)) = self.clock.take() {
            drop(stop);
            // Nothing is lost if it could not tell of a step.
            let _ = clock.join();
        }
        if let Shown::Bar(bar) = &lock(&self.state).shown {
            bar.finish_and_clear();
        }
    }
}

/// What is shown is of use even where a thread has failed.
fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn step(&mut self, report: &StepReport) {
        self.reached = (report.time, Instant::now(), self.watch.iterations());
        let part = (report.time - self.start) / (self.end - self.start);
        let now = || {
            format!(
                "t {:.4} s, {} contacts, {} iterations, residual {:.1e} m/s",
                report.time, report.active, report.iterations, report.certificate.residual
            )
        };
        match &mut self.shown {
            Shown::Bar(bar) => {
                bar.set_position((part * UNITS) as u64);
                bar.set_message(now());
            }
            Shown::Lines { name, next, last } => {
                if part >= *next || last.elapsed() >= LONGEST {
                    tell(format_args!("{name} {:.0} %: {}", 100.0 * part, now()));
                    *next = part + PART;
                    *last = Instant::now();
                }
            }
        }
    }

    /// Tells of a step that takes long.
    fn tick(&mut self) {
        let (time, since, before) = self.reached;
        if since.elapsed() < LONG_STEP {
            return;
        }
        let seconds = since.elapsed().as_secs();
        let iterations = self.watch.iterations() - before;
        let now =
            format!("t {time:.4} s, a step takes {seconds} s so far, {iterations} iterations");
        match &mut self.shown {
            Shown::Bar(bar) => bar.set_message(now),
            Shown::Lines { name, last, .. } => {
                if last.elapsed() >= LONGEST {
                    tell(format_args!("{name}: {now}"));
                    *last = Instant::now();
                }
            }
        }
    }
}

/// A bar with the time left, as wide as the terminal: what does not fit is cut off.
fn bar(name: String, part: f64) -> ProgressBar {
    let bar = ProgressBar::new(UNITS as u64);
    let template = "{prefix} [{bar:20}] {percent:>3}% {elapsed} left {eta}  {wide_msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(name);
    bar.set_position((part * UNITS) as u64);
    bar.reset_eta();
    bar
}
