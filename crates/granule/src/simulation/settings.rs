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
    /// for a distance that follows from the velocities. No contact is missed in either case.
    pub candidate_distance: Option<f64>,
}
