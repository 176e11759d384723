//! The stages of a step, and the time each takes.

use std::time::{Duration, Instant};

/// A stage of the step. Timers, counters and progress use these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Free velocities and prescribed motion.
    Predict,
    /// Neighbour list, narrow phase, contact identity.
    Detect,
    /// The contact problem.
    Assemble,
    /// The start of the solve from the last step's impulses.
    WarmStart,
    /// The impulses.
    Solve,
    /// The judgement, escalation, and recovery of positions.
    Certify,
    /// Velocities and positions.
    Advance,
    /// Energies and the like.
    Measure,
    /// Files; timed by whoever writes them.
    Record,
}

impl Stage {
    /// All stages, in their order.
    pub const ALL: [Self; 9] = [
        Self::Predict,
        Self::Detect,
        Self::Assemble,
        Self::WarmStart,
        Self::Solve,
        Self::Certify,
        Self::Advance,
        Self::Measure,
        Self::Record,
    ];

    /// The name of the stage in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Detect => "detect",
            Self::Assemble => "assemble",
            Self::WarmStart => "warm_start",
            Self::Solve => "solve",
            Self::Certify => "certify",
            Self::Advance => "advance",
            Self::Measure => "measure",
            Self::Record => "record",
        }
    }
}

/// The time spent in each stage.
#[derive(Debug, Clone, Copy, Default)]
pub struct StageTimes {
    times: [Duration; Stage::ALL.len()],
}

impl StageTimes {
    /// The time spent in a stage so far.
    pub fn get(&self, stage: Stage) -> Duration {
        self.times[stage as usize]
    }

    /// Adds the time since `*since` to a stage, and sets `*since` to now.
    pub fn lap(&mut self, stage: Stage, since: &mut Instant) {
        let now = Instant::now();
        self.times[stage as usize] += now - *since;
        *since = now;
    }
}
