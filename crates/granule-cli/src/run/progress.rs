//! The progress bar.

use granule::simulation::{Simulation, StepReport};
use granule_io::scene::Setup;
use indicatif::{ProgressBar, ProgressStyle};

/// Units of the bar: thousandths of a percent of the simulated time.
const UNITS: f64 = 100_000.0;

/// A bar with the time left, on standard error where that is a terminal.
pub struct Progress {
    bar: ProgressBar,
    end: f64,
}

impl Progress {
    /// A bar for the rest of the simulation.
    pub fn new(setup: &Setup, simulation: &Simulation, quiet: bool) -> Self {
        if quiet {
            return Self {
                bar: ProgressBar::hidden(),
                end: setup.settings.end,
            };
        }
        let bar = ProgressBar::new(UNITS as u64);
        let template = "{prefix} [{bar:30}] {percent:>3}% {elapsed} left {eta}  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(setup.name.clone());
        let end = setup.settings.end;
        bar.set_position((simulation.world().time / end * UNITS) as u64);
        bar.reset_eta();
        Self { bar, end }
    }

    /// Shows a step.
    pub fn step(&self, report: &StepReport) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar
            .set_position((report.time / self.end * UNITS) as u64);
        self.bar.set_message(format!(
            "t {:.4} s, {} contacts, {} iterations, residual {:.1e} m/s",
            report.time, report.active, report.iterations, report.certificate.residual
        ));
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
