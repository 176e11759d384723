//! Some steps of a simulation, and what they cost. Times are medians: whatever else the machine does for a moment does
//! not count.

use crate::failure::Failure;
use granule::simulation::{Simulation, Stage};
use std::time::Instant;

/// What some steps cost.
#[derive(Debug, Default)]
pub struct Stretch {
    steps: Vec<StepCost>,
    /// Steps without a certificate.
    pub uncertified: usize,
}

/// What one step cost.
#[derive(Debug)]
struct StepCost {
    contacts: f64,
    /// Passes over the contacts: sweeps, or products with W.
    passes: f64,
    /// Wall time, s.
    seconds: f64,
    /// The same for each stage that the engine tells, in the order of [`Stage::ALL`].
    stages: [f64; Stage::ALL.len()],
}

impl StepCost {
    fn stage(&self, stage: Stage) -> f64 {
        let stages = Stage::ALL.iter().zip(self.stages);
        let own = stages.filter(|(other, _)| **other == stage);
        own.map(|(_, seconds)| seconds).sum()
    }
}

impl Stretch {
    /// Takes so many steps, at least one.
    pub fn take(simulation: &mut Simulation, steps: usize) -> Result<Self, Failure> {
        let mut stretch = Self::default();
        let now = |simulation: &Simulation| {
            Stage::ALL.map(|stage| simulation.times().get(stage).as_secs_f64())
        };
        for _ in 0..steps {
            let (before, start) = (now(simulation), Instant::now());
            let report = simulation
                .step()
                .map_err(|error| Failure::Run(error.to_string()))?;
            let seconds = start.elapsed().as_secs_f64();
            let mut stages = now(simulation);
            for (time, before) in stages.iter_mut().zip(before) {
                *time -= before;
            }
            stretch.steps.push(StepCost {
                contacts: report.contacts as f64,
                passes: report.applications as f64,
                seconds,
                stages,
            });
            stretch.uncertified += usize::from(!report.certified);
        }
        Ok(stretch)
    }

    /// How many there were.
    pub fn count(&self) -> usize {
        self.steps.len()
    }

    fn mean(&self, value: impl Fn(&StepCost) -> f64) -> f64 {
        self.steps.iter().map(value).sum::<f64>() / self.count() as f64
    }

    fn median(&self, value: impl Fn(&StepCost) -> f64) -> f64 {
        let mut values: Vec<f64> = self.steps.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Contacts of a step, mean.
    pub fn contacts(&self) -> f64 {
        self.mean(|step| step.contacts)
    }

    /// Passes of a step, mean.
    pub fn passes(&self) -> f64 {
        self.mean(|step| step.passes)
    }

    /// Seconds a step.
    pub fn step(&self) -> f64 {
        self.median(|step| step.seconds)
    }

    /// Seconds a step of a stage.
    pub fn stage(&self, stage: Stage) -> f64 {
        self.median(|step| step.stage(stage))
    }

    /// A whole step, ns a contact.
    pub fn whole_cost(&self) -> f64 {
        self.median(|step| 1e9 * step.seconds / step.contacts)
    }

    /// A step without its solve, ns a contact.
    pub fn fixed_cost(&self) -> f64 {
        self.median(|step| 1e9 * (step.seconds - step.stage(Stage::Solve)) / step.contacts)
    }

    /// One pass of the solver over the contacts, ns a contact.
    pub fn pass_cost(&self) -> f64 {
        self.median(|step| 1e9 * step.stage(Stage::Solve) / (step.contacts * step.passes))
    }
}
