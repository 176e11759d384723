//! `[time]` and `[solver]`: how a scene is run.

use granule::problem::ProblemKind;
use granule::scheme::{Recovery, SchemeConfig, SchemeName};
use granule::solver::{
    ExactBy, Knob, Method, OnFailure, Scaling, SolverConfig, Stop, SweepOrder, WarmStart,
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
    /// The solver, see `granule list solvers`, which also names the keys below that each reads; the
    /// others are refused. Default `"usual"`: `"ags"` with friction, `"apgd-ar"` without.
    pub method: Method,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// The step ρ of gradients (the first one for adaptive methods) and of `nlgs-*` (times the
    /// contact's own W, as its paper gives it): dimensionless with
    /// `scaling = "diagonal"`, in kg with `"none"`. Default: a safe bound, from the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The metric of gradient steps: `"diagonal"` (each contact in its own scale) or `"none"`.
    /// Default `"diagonal"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling: Option<Scaling>,
    /// The order of the sweeps of `pgs` and `nlgs-*`: `"forward"`, `"symmetric"` (and back in turns),
    /// `"shuffled"` or `"coloured"` (in parallel). Default `"forward"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepOrder>,
    /// How much of the way to its answer a contact of `pgs` or `nlgs-*` goes, between 0 and 2; above
    /// 1 is over-relaxation. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relaxation: Option<f64>,
    /// Where the random order of `sweep = "shuffled"` starts. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How exact Coulomb friction is found: by the method's own `"projection"` or by a
    /// `"fixed-point"` around the convex problem. Default `"projection"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactBy>,
    /// With `stop = "paper"`, the change of the slip velocities that ends the fixed point. Default
    /// 1e-2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_point_tolerance: Option<f64>,
    /// What a solve starts from: the impulses of the step before (`"previous"`) or `"zero"`.
    /// Default `"previous"`.
    pub warm_start: WarmStart,
    /// What happens when a step is not solved to the tolerance: `"escalate"` (try a stronger
    /// solver), `"warn"` or `"stop"`. Default `"escalate"`.
    pub on_failure: OnFailure,
}

impl Default for Solver {
    fn default() -> Self {
        let usual = SolverConfig::default();
        Self {
            method: usual.method,
            tolerance: usual.tolerance,
            max_share: usual.max_share,
            max_residual: usual.max_residual,
            max_iterations: usual.max_iterations,
            stop: None,
            step: None,
            scaling: None,
            sweep: None,
            relaxation: None,
            seed: None,
            exact: None,
            fixed_point_tolerance: None,
            warm_start: usual.warm_start,
            on_failure: usual.on_failure,
        }
    }
}

impl Solver {
    /// Whether one of the keys that not every method reads has a value.
    pub(crate) fn gives(&self, knob: Knob) -> bool {
        match knob {
            Knob::Stop => self.stop.is_some(),
            Knob::Step => self.step.is_some(),
            Knob::Scaling => self.scaling.is_some(),
            Knob::Sweep => self.sweep.is_some(),
            Knob::Relaxation => self.relaxation.is_some(),
            Knob::Seed => self.seed.is_some(),
            Knob::Exact => self.exact.is_some(),
            Knob::FixedPointTolerance => self.fixed_point_tolerance.is_some(),
        }
    }

    /// Names the method and writes down the defaults of the keys that it reads, for problems of this
    /// kind.
    pub(crate) fn fill(&mut self, kind: &ProblemKind) {
        self.method = self.method.named(kind.rows);
        let config = SolverConfig::from(&*self);
        let has_default = |knob: &Knob| config.idle(*knob, kind).is_none();
        for knob in Knob::ALL.into_iter().filter(has_default) {
            match knob {
                Knob::Stop => self.stop = Some(config.stop),
                Knob::Step => self.step = config.step,
                Knob::Scaling => self.scaling = Some(config.scaling),
                Knob::Sweep => self.sweep = Some(config.sweep),
                Knob::Relaxation => self.relaxation = Some(config.relaxation),
                Knob::Seed => self.seed = Some(config.seed),
                Knob::Exact => self.exact = Some(config.exact),
                Knob::FixedPointTolerance => {
                    self.fixed_point_tolerance = Some(config.fixed_point_tolerance);
                }
            }
        }
    }
}

impl From<&Solver> for SolverConfig {
    fn from(solver: &Solver) -> Self {
        let usual = Self::default();
        Self {
            method: solver.method,
            tolerance: solver.tolerance,
            max_share: solver.max_share,
            max_residual: solver.max_residual,
            max_relative: usual.max_relative,
            max_iterations: solver.max_iterations,
            stop: solver.stop.unwrap_or(usual.stop),
            step: solver.step,
            scaling: solver.scaling.unwrap_or(usual.scaling),
            sweep: solver.sweep.unwrap_or(usual.sweep),
            relaxation: solver.relaxation.unwrap_or(usual.relaxation),
            seed: solver.seed.unwrap_or(usual.seed),
            exact: solver.exact.unwrap_or(usual.exact),
            fixed_point_tolerance: solver
                .fixed_point_tolerance
                .unwrap_or(usual.fixed_point_tolerance),
            warm_start: solver.warm_start,
            on_failure: solver.on_failure,
        }
    }
}
