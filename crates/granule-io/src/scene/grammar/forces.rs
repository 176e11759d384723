//! `[[forces]]`: forces besides gravity.

use super::{Region, Vector};
use granule::bodies::TimeFunction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A force on bodies that move freely: on all of them, or on those that `material`, `bodies` and `region` choose. Give
/// exactly one kind: `direction` with `magnitude`, `drag`, `buoyancy`, `spring`, `central`, `along` or `torque`. No step is too
/// long for drag and springs; what depends on the place alone is that of the start of each step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Force {
    /// The same for all bodies: the direction, in newtons per unit of `magnitude`; as many numbers as dimensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vector>,
    /// With `direction`, a function of time: `{ constant = 2.0 }`, `{ sine = { amplitude, frequency, phase } }` or
    /// `{ piecewise = { times, values } }` with one value fewer than times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub magnitude: Option<TimeFunction>,
    /// Of a medium that resists: `{ linear = 0.1 }`, `{ quadratic = 0.1 }`, or `{ density, viscosity }` for spheres in a fluid;
    /// with `flow`, its velocity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drag: Option<DragSpec>,
    /// Of a medium that bodies are wholly in: `{ density }`, kg/m³ (kg/m² in 2D).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buoyancy: Option<BuoyancySpec>,
    /// To a point: `{ point, stiffness, damping }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<SpringToPoint>,
    /// Away from a point (towards it where negative), by the distance: `{ center, distances, forces }` or
    /// `{ center, file }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub central: Option<CentralSpec>,
    /// By the place along an axis: `{ axis, places, forces, direction }` or `{ axis, file, direction }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<AlongAxisSpec>,
    /// A torque: `{ direction, magnitude }`, N m per unit of `magnitude`; in 2D the direction is `[0, 0, 1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque: Option<TorqueSpec>,
    /// Only on bodies of this material. Default: of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Only on those of `[[bodies]]` with these names. Default: on all. Not with `direction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Vec<String>>,
    /// Only on bodies whose centres are in this part of space, as for `random` grains. Default: anywhere. Not with
    /// `direction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// What a medium does to bodies that move through it with the velocity u. Give `linear`, `quadratic`, or `density` and
/// `viscosity`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DragSpec {
    /// c of `-c u`, kg/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linear: Option<f64>,
    /// c of `-c |u| u`, kg/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quadratic: Option<f64>,
    /// kg/m³, of a fluid, with `viscosity`: the drag of spheres (Schiller and Naumann); other shapes count as spheres of their
    /// volume. Only in 3D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Pa s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<f64>,
    /// m/s, the velocity of the medium. Default zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Vector>,
}

/// A medium that bodies are wholly in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuoyancySpec {
    /// kg/m³; in 2D kg/m².
    pub density: f64,
}

/// A spring and a damper to a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringToPoint {
    /// m, where it is at rest.
    pub point: Vector,
    /// N/m.
    pub stiffness: f64,
    /// N s/m. Default 0.
    #[serde(default)]
    pub damping: f64,
}

/// A force away from a point. Give `distances` and `forces`, or `file`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CentralSpec {
    /// m.
    pub center: Vector,
    /// m, increasing. Between them the force is straight, beyond them that of the nearest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distances: Option<Vec<f64>>,
    /// N, one for each distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forces: Option<Vec<f64>>,
    /// A table with two columns, distance (m) and force (N), separated by commas; a first line of names is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

/// A force that depends on the place along an axis. Give `places` and `forces`, or `file`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlongAxisSpec {
    /// The place is the way along this direction from the origin, m; any length but zero.
    pub axis: Vector,
    /// Of the force; any length but zero. Default: that of `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vector>,
    /// m, increasing. Between them the force is straight, beyond them that of the nearest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<Vec<f64>>,
    /// N, one for each place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forces: Option<Vec<f64>>,
    /// A table with two columns, place (m) and force (N), separated by commas; a first line of names is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

/// A torque.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorqueSpec {
    /// N m per unit of `magnitude`, three numbers.
    pub direction: Vector,
    /// A function of time, as for `magnitude` of a force.
    pub magnitude: TimeFunction,
}
