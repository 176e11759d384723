//! How far a run is: a bar on a terminal, else a line now and then.

use crate::failure::tell;
use granule::simulation::{Simulation, StepReport};
use granule_io::scene::Setup;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Units of the bar: thousandths of a percent of the simulated time.
const UNITS: f64 = 100_000.0;
/// Without a terminal a line comes after each such part of the way, or after so long.
const PART: f64 = 0.05;
const LONGEST: Duration = Duration::from_secs(60);

/// The progress of a run, on standard error.
pub struct Progress {
    shown: Shown,
    start: f64,
    end: f64,
}

enum Shown {
    Nothing,
    Bar(ProgressBar),
    Lines {
        name: String,
        /// The part of the way after which the next line comes.
        next: f64,
        last: Instant,
    },
}

impl Progress {
    /// For the rest of the simulation.
    pub fn new(setup: &Setup, simulation: &Simulation, quiet: bool) -> Self {
        let (start, end) = (setup.world.time, setup.settings.end);
        let part = (simulation.world().time - start) / (end - start);
        let shown = if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            Shown::Bar(bar(setup.name.clone(), part))
        } else {
            Shown::Lines {
                name: setup.name.clone(),
                next: part + PART,
                last: Instant::now(),
            }
        };
        Self { shown, start, end }
    }

    /// Shows a step.
    pub fn step(&mut self, report: &StepReport) {
        let part = (report.time - self.start) / (self.end - self.start);
        let now = || {
            format!(
                "t {:.4} s, {} contacts, {} iterations, residual {:.1e} m/s",
                report.time, report.active, report.iterations, report.certificate.residual
            )
        };
        match &mut self.shown {
            Shown::Nothing => {}
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

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
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
