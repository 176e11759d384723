//! How a world is simulated.

use crate::scheme::SchemeConfig;
use crate::solver::SolverConfig;
use serde::{Deserialize, Serialize};

/// The length of time steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum StepSize {
    /// Always the same, s.
    Fixed(f64),
    /// So that no body moves farther than `fraction` of the smallest radius in a step, and never
    /// longer than `longest` (s). Chosen anew for each step from the free velocities.
    Cfl {
        /// Dimensionless, for instance 0.2.
        fraction: f64,
        /// s.
        longest: f64,
    },
}

/// How a world is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The length of time steps.
    pub step: StepSize,
    /// The time to stop at, s.
    pub end: f64,
    /// How time is stepped.
    pub scheme: SchemeConfig,
    /// How the impulses are found.
    pub solver: SolverConfig,
    /// Pairs nearer than this (m) are candidates for contact, whatever their velocities; `None`
    /// for a distance that follows from the velocities. No contact is missed in either case. Of no
    /// effect with `moreau-jean`, whose contacts are the closed ones.
    pub candidate_distance: Option<f64>,
}

impl Settings {
    /// The given steps, and defaults for everything else.
    pub fn new(step: StepSize, end: f64) -> Self {
        Self {
            step,
            end,
            scheme: SchemeConfig::default(),
            solver: SolverConfig::default(),
            candidate_distance: None,
        }
    }

    /// Checks the numbers.
    pub(super) fn validate(&self) -> Result<(), super::SetupError> {
        let setting = |name, reason: String| Err(super::SetupError::Setting { name, reason });
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match self.step {
            StepSize::Fixed(step) if !positive(step) => {
                return setting("step", format!("must be positive (s), not {step}"));
            }
            StepSize::Cfl { fraction, longest } if !positive(fraction) || !positive(longest) => {
                return setting(
                    "cfl",
                    format!("must be positive, not {fraction} (longest {longest} s)"),
                );
            }
            _ => {}
        }
        if !positive(self.end) {
            return setting("end", format!("must be positive (s), not {}", self.end));
        }
        if self
            .candidate_distance
            .is_some_and(|d| !(d.is_finite() && d >= 0.0))
        {
            return setting("candidate_distance", "must not be negative (m)".to_owned());
        }
        self.scheme
            .validate()
            .or_else(|(name, reason)| setting(name, reason))?;
        self.solver
            .validate()
            .map_err(|(name, reason)| super::SetupError::Setting { name, reason })
    }
}
