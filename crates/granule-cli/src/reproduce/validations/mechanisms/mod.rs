//! Validation 14: mechanisms. Chains and closed loops stay together and keep their energy, and published motions are met.

mod andrews;
mod heavy_load;
mod long_runs;
mod slider_crank;

use crate::reproduce::news::News;
use crate::reproduce::published::{Published, Tolerance};
use crate::reproduce::{Error, Options, Row};
use granule::cases::half_a_step_back;
use granule::scheme::SchemeName;
use granule::simulation::{Simulation, StepReport, World};

/// The schemes with their orders.
const SCHEMES: [(SchemeName, f64); 4] = [
    (SchemeName::Maury, 1.0),
    (SchemeName::MoreauJean, 1.0),
    (SchemeName::Shake, 2.0),
    (SchemeName::Rattle, 2.0),
];
/// What is kept of a run.
#[derive(Default)]
struct Run {
    /// The largest error of a joint, m.
    open: f64,
    iterations: usize,
    uncertified: usize,
}

impl Run {
    /// Takes a step.
    fn step(&mut self, simulation: &mut Simulation) -> Result<StepReport, Error> {
        let report = simulation.step()?;
        self.open = self.open.max(report.joint_error);
        self.iterations += report.iterations;
        self.uncertified += usize::from(!report.certified);
        Ok(report)
    }

    /// Takes steps to the end.
    fn finish(&mut self, simulation: &mut Simulation, news: &mut News) -> Result<(), Error> {
        let end = simulation.settings().end;
        while !simulation.finished() {
            let report = self.step(simulation)?;
            news.tell(report.time, end);
        }
        Ok(())
    }

    /// Whether every step was certified and no joint was open.
    fn is_good(&self, closed: &Tolerance) -> bool {
        self.uncertified == 0 && closed.allows(self.open)
    }
}

/// Whether the velocities of a scheme are those of the middles of steps.
fn is_centred(scheme: SchemeName) -> bool {
    matches!(scheme, SchemeName::Shake | SchemeName::Rattle)
}

/// The world with the velocities that a scheme starts with for steps of this length (s).
fn started(world: World, scheme: SchemeName, step: f64) -> World {
    match is_centred(scheme) {
        true => half_a_step_back(world, step),
        false => world,
    }
}

/// All of them.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut rows = long_runs::rows(published, options)?;
    rows.extend(slider_crank::rows(published, options)?);
    rows.extend(andrews::rows(published, options)?);
    rows.extend(heavy_load::rows(published, options)?);
    Ok(rows)
}
