//! `[time]` and `[solver]`: how a scene is run.

use granule::scheme::{Recovery, SchemeConfig, SchemeName};
use granule::solver::{
    ExactBy, Method, OnFailure, Scaling, SolverConfig, Stop, SweepOrder, WarmStart,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How time is stepped, and until when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// s, the length of every step. Give either `step` or `cfl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Dimensionless, for instance 0.2: steps are chosen so that no body moves farther than this
    /// fraction of the smallest radius in one of them. Give either `step` or `cfl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cfl: Option<f64>,
    /// s, the longest step with `cfl`. Default: a hundredth of `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_step: Option<f64>,
    /// s, the time to stop at; the run starts at time zero.
    pub end: f64,
    /// The time-stepping scheme, see `granule list schemes`. Default `"maury"`.
    #[serde(default)]
    pub scheme: SchemeName,
    /// How a penetration that is there at the start of a step is undone: by `"position"` (bodies
    /// are moved apart without gaining velocity), by `"velocity"` (as the papers of `"maury"`,
    /// `"shake"` and `"rattle"` print it), or `"none"` (not at all; only with `"moreau-jean"`). Default `"position"`.
    #[serde(default)]
    pub recovery: Recovery,
    /// θ of `"moreau-jean"`, 0.5 to 1: the weight of the end of the step. Default 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theta: Option<f64>,
}

impl From<&Time> for SchemeConfig {
    fn from(time: &Time) -> Self {
        let usual = Self::named(time.scheme);
        Self {
            recovery: time.recovery,
            theta: time.theta.unwrap_or(usual.theta),
            ..usual
        }
    }
}

/// How the contact impulses are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Solver {
    /// The solver, see `granule list solvers`. Default: `"ags"` with friction, `"apgd-ar"` without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// Dimensionless, above 0 and below 1: the error of a solve relative to that of doing
    /// nothing. Nominal range 1e-2 to 1e-12. Default 1e-4.
    pub tolerance: f64,
    /// Dimensionless: no single contact may err by more than this share of the step's fastest approach
    /// before contact forces act. Default 0.5.
    pub max_share: f64,
    /// m/s; also bounds the error of the worst single contact. Default: no such bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_residual: Option<f64>,
    /// The most iterations of one solve, at least 1. Default 20000.
    pub max_iterations: usize,
    /// Which test ends a solve: `"certificate"`, or `"paper"` for the one printed with the method.
    /// Default `"certificate"`.
    pub stop: Stop,
    /// The step ρ of gradients (the first one for adaptive methods) and of `nlgs-*` (times the
    /// contact's own W, as its paper gives it): dimensionless with
    /// `scaling = "diagonal"`, in kg with `"none"`. Default: a safe bound, from the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The metric of gradient steps: `"diagonal"` (each contact in its own scale) or `"none"`.
    /// Default `"diagonal"`.
    pub scaling: Scaling,
    /// The order of the sweeps of `pgs` and `nlgs-*`: `"forward"`, `"symmetric"` (and back in turns),
    /// `"shuffled"` or `"coloured"` (in parallel). Default `"forward"`.
    pub sweep: SweepOrder,
    /// How much of the way to its answer a contact of `pgs` or `nlgs-*` goes, between 0 and 2; above
    /// 1 is over-relaxation. Default 1.
    pub relaxation: f64,
    /// Where the random order of `sweep = "shuffled"` starts. Default 0.
    pub seed: u64,
    /// How exact Coulomb friction is found: by the method's own `"projection"` or by a
    /// `"fixed-point"` around the convex problem. Default `"projection"`.
    pub exact: ExactBy,
    /// With `stop = "paper"`, the change of the slip velocities that ends the fixed point. Default
    /// 1e-2.
    pub fixed_point_tolerance: f64,
    /// What a solve starts from: the impulses of the step before (`"previous"`) or `"zero"`.
    /// Default `"previous"`.
    pub warm_start: WarmStart,
    /// What happens when a step is not solved to the tolerance: `"escalate"` (try a stronger
    /// solver), `"warn"` or `"stop"`. Default `"escalate"`.
    pub on_failure: OnFailure,
}

impl Default for Solver {
    fn default() -> Self {
        Self::from(SolverConfig::default())
    }
}

impl From<SolverConfig> for Solver {
    fn from(config: SolverConfig) -> Self {
        Self {
            method: None,
            tolerance: config.tolerance,
            max_share: config.max_share,
            max_residual: config.max_residual,
            max_iterations: config.max_iterations,
            stop: config.stop,
            step: config.step,
            scaling: config.scaling,
            sweep: config.sweep,
            relaxation: config.relaxation,
            seed: config.seed,
            exact: config.exact,
            fixed_point_tolerance: config.fixed_point_tolerance,
            warm_start: config.warm_start,
            on_failure: config.on_failure,
        }
    }
}

impl From<&Solver> for SolverConfig {
    fn from(solver: &Solver) -> Self {
        Self {
            method: solver.method.unwrap_or_default(),
            tolerance: solver.tolerance,
            max_share: solver.max_share,
            max_residual: solver.max_residual,
            max_relative: None,
            max_iterations: solver.max_iterations,
            stop: solver.stop,
            step: solver.step,
            scaling: solver.scaling,
            sweep: solver.sweep,
            relaxation: solver.relaxation,
            seed: solver.seed,
            exact: solver.exact,
            fixed_point_tolerance: solver.fixed_point_tolerance,
            warm_start: solver.warm_start,
            on_failure: solver.on_failure,
        }
    }
}
