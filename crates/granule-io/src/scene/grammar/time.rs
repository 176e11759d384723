//! `[time]`: how time is stepped.

use granule::scheme::{Recovery, SchemeConfig, SchemeName};
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
