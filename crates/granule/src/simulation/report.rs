//! What a step did.

use super::{EnergyAccount, Infeasible};
use crate::certify::Certificate;
use crate::solver::Method;

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at the end of the step, s.
    pub time: f64,
    /// Length of the step, s.
    pub step_size: f64,
    /// Candidate contacts.
    pub contacts: usize,
    /// Contacts that carry an impulse.
    pub active: usize,
    /// Iterations of all solves of the step.
    pub iterations: usize,
    /// Applications of W in all solves of the step.
    pub applications: usize,
    /// Convex problems solved: more than one where exact friction is found by a fixed point.
    pub convex_solves: usize,
    /// The solver whose impulses were used.
    pub method: Method,
    /// The certificate of the impulses used, the worst of all problems of the step.
    pub certificate: Certificate,
    /// Solvers tried beyond the first.
    pub escalations: usize,
    /// Whether every problem of the step has a certificate that meets the limits of the settings:
    /// contacts, recovery of overlaps, and the second problem of `rattle`.
    pub certified: bool,
    /// Whether constraints contradicted each other; see [`super::Simulation::last_infeasible`].
    pub infeasible: bool,
    /// Solves repeated because a contact had been left out.
    pub repeats: usize,
    /// The sum over contacts of their impulses along the normals, N s.
    pub normal_impulse: f64,
    /// What of it the second problem gave, at the end of the step; zero but with `rattle`, N s.
    pub normal_impulse_at_end: f64,
    /// The deepest overlap that was recovered by moving bodies (with `moreau-jean` in part), m.
    pub recovered: f64,
    /// J.
    pub kinetic_energy: f64,
    /// J.
    pub potential_energy: f64,
    /// What became of the energy in the step.
    pub energy: EnergyAccount,
    /// The momentum of all bodies that came from nowhere, from their velocities before and after the
    /// step, over the sum of all impulses.
    pub momentum_error: f64,
}

/// Why a step could not be taken. The world is as it was before the step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// There is nothing left to simulate.
    #[error("the end, {end} s, is reached; ask `finished` before each step, or set a later end")]
    Finished {
        /// The end, s.
        end: f64,
    },
    /// The solver did not reach the tolerance and the settings say to stop.
    #[error(
        "step {step} at t = {time} s: {method} reached an error of {scaled:.3e} ({residual:.3e} m/s) after {iterations} iterations, above the tolerance {tolerance:.1e}; raise `max_iterations`, loosen `tolerance`, or set `on_failure = \"escalate\"`"
    )]
    NotConverged {
        /// Number of the step.
        step: u64,
        /// Time at its start, s.
        time: f64,
        /// Name of the solver.
        method: &'static str,
        /// [`Certificate::scaled`].
        scaled: f64,
        /// [`Certificate::residual`], m/s.
        residual: f64,
        /// The tolerance on `scaled`.
        tolerance: f64,
        /// Iterations done.
        iterations: usize,
    },
    /// Constraints contradict each other and the settings do not say to go on.
    #[error("{0}")]
    Infeasible(Infeasible),
    /// A position or velocity is no longer a number.
    #[error(
        "step {step} at t = {time} s: the {quantity} of body {id} is not finite; shorten the time step or look for forces without bound"
    )]
    NotFinite {
        /// Number of the step.
        step: u64,
        /// Time at its start, s.
        time: f64,
        /// Which body.
        id: u32,
        /// "position" or "velocity".
        quantity: &'static str,
    },
}
