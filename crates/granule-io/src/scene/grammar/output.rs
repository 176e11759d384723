//! `[output]`: what a run writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a run writes. In a scene that has been read, every key has a value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The folder of results, relative to where the command runs. Default `runs/NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// s of simulated time between frames. Default: a hundredth of `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_interval: Option<f64>,
    /// Whether frames hold the contacts besides the bodies. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contacts: Option<bool>,
    /// s of simulated time between checkpoints. Default: a tenth of `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_interval: Option<f64>,
    /// Names of walls: `series.csv` then has the force (N) and the torque (N m, about the wall's
    /// position) that bodies exert on each of them. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forces_on: Option<Vec<String>>,
}
