//! Prescribed motions, with vectors of as many numbers as the scene has dimensions.

use super::Vector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a wall or a body moves as a function of time: the engine's [`granule::bodies::Motion`] in
/// the words of a scene file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MotionSpec {
    /// Does not move.
    #[default]
    Fixed,
    /// Constant velocity.
    Velocity {
        /// m/s.
        linear: Vector,
    },
    /// Turns at a constant rate about a fixed axis.
    Rotation {
        /// Direction of the axis, three numbers; any length but zero. Default `[0, 0, 1]`, the
        /// only one in 2D.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<Vector>,
        /// rad/s.
        rate: f64,
        /// m, a point of the axis. Default: the body's own centre.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        center: Option<Vector>,
    },
    /// `amplitude · (sin(2π frequency t + phase) - sin(phase))`.
    Oscillation {
        /// m, a vector.
        amplitude: Vector,
        /// Hz.
        frequency: f64,
        /// rad. Default 0.
        #[serde(default)]
        phase: f64,
    },
    /// Constant velocity between given times: `velocities[k]` from `times[k]` to `times[k+1]`; at
    /// rest before the first time, and the last velocity holds on after the last time.
    Piecewise {
        /// s, increasing.
        times: Vec<f64>,
        /// m/s, one for each time.
        velocities: Vec<Vector>,
    },
}
