//! `[[bodies]]` and `[[forces]]`.

use super::{MotionSpec, Vector};
use granule::bodies::TimeFunction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The shape: a sphere in 3D, a disk in 2D, a segment of length 2r in 1D.
    pub sphere: SphereShape,
    /// The centre, m, as many numbers as dimensions.
    pub position: Vector,
    /// m/s. Default zero; a body with a `motion` has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vector>,
    /// rad/s, three numbers in 3D, one (about z) in 2D. Default zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Vector>,
    /// A quaternion `[x, y, z, w]`, brought to unit length. Default `[0, 0, 0, 1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// kg. Default: from the density of the material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// kg m², the three principal moments of inertia. Default: a homogeneous sphere (2/5 m r²),
    /// in 2D a disk (1/2 m r²).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[f64; 3]>,
    /// The name of the material. Default: `default`, or the only one there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// A prescribed motion, `"fixed"` for none at all: contacts do not move such a body. Default:
    /// the body moves by forces and contacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
}

/// A sphere (a disk in 2D, a segment in 1D).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// m, positive; in 1D it may be zero (a point), and then `mass` must be given.
    pub radius: f64,
}

/// A force on every body of a material, or on all of them: `direction · magnitude(t)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Force {
    /// The direction, in newtons per unit of `magnitude`; as many numbers as dimensions.
    pub direction: Vector,
    /// A function of time: `{ constant = 2.0 }`, `{ sine = { amplitude, frequency, phase } }` or
    /// `{ piecewise = { times, values } }` with one value fewer than times.
    pub magnitude: TimeFunction,
    /// Only on bodies of this material. Default: on all bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
}
