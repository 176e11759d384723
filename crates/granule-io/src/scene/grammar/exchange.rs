//! `[[inlets]]`, `[[outlets]]` and `[domain]`: bodies that come and go.

use super::{GrainShape, OrientationSpec, Quantity, Region, Vector};
use granule::exchange::OnExit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Grains that are poured in while the run goes on. Give where (`region` or `face`), how fast (`number_rate` or
/// `mass_rate`) and what (`radius`, or `shape`). Grains never overlap anything as they appear: one for which there is no
/// room waits, and the steps in which one waited are counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InletSpec {
    /// What its columns of `series.csv` are called. Default `inlet`, or `inlet_2` and so on for further ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where: a region as for `random` grains, such as `{ box = { min, max } }`. Grains lie wholly inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Where: a face that grains come out of, `{ center, normal, radius }` or `{ center, normal, size }`. They appear in a
    /// layer in front of it that is as thick as the largest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub face: Option<FaceSpec>,
    /// Grains a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number_rate: Option<f64>,
    /// kg/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_rate: Option<f64>,
    /// s, when it opens. Default 0.
    #[serde(default)]
    pub start: f64,
    /// s, when it closes. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// It closes when so many grains have come; with `number_rate`. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_number: Option<u64>,
    /// kg: it closes when so much has come; with `mass_rate`. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_mass: Option<f64>,
    /// m, of spheres: a number, or a distribution such as `{ uniform = [0.8e-3, 1.2e-3] }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Quantity>,
    /// Another shape than a sphere, as for `[[grains]]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<GrainShape>,
    /// What all lengths of `shape` are multiplied by: a number, or a distribution, of which 32 values are drawn that the
    /// grains have. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Quantity>,
    /// How grains with a `shape` are turned: `"random"`, `"aligned"` or a quaternion `[x, y, z, w]`. Default `"random"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<OrientationSpec>,
    /// kg, of a grain: a number, or for spheres a distribution. Default: from the density of the material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<Quantity>,
    /// m/s, as they appear. Default zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vector>,
    /// rad/s, as they appear; three numbers in 3D, one (about z) in 2D. Default zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Vector>,
    /// The name of the material. Default: `default`, or the only one there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Start of the random numbers: the same seed gives the same grains, bit by bit. Default 0.
    #[serde(default)]
    pub seed: u64,
}

/// A flat face.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaceSpec {
    /// m, the middle.
    pub center: Vector,
    /// The side on which grains appear; any length but zero.
    pub normal: Vector,
    /// m, of a round face; only in 3D. Give this or `size`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// m, width and height of a rectangular face in 3D, `[width]` in 2D. With a normal along z they are along x and y;
    /// otherwise these directions are turned with the normal the shortest way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Vector>,
}

/// Where bodies leave. Give `beyond` or `region`; what counts is the centre of a body. Bodies of joints, bodies that carry
/// walls and those with a prescribed motion never leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutletSpec {
    /// What its columns of `series.csv` are called. Default `outlet`, or `outlet_2` and so on for further ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Beyond a plane: `{ point, direction }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<PlaneSpec>,
    /// In a region, as for `random` grains. What is so fast that it is through within a step is not seen there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// `"remove"`: they are taken out and counted; `"warn"`: they stay, and the run tells how many are there; `"stop"`: the
    /// run ends with an error. Default `"remove"`.
    #[serde(default)]
    pub on_exit: OnExit,
}

/// A plane with two sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneSpec {
    /// m, any point of it.
    pub point: Vector,
    /// To the side beyond; any length but zero.
    pub direction: Vector,
}

/// The bounds of the scene, `[domain]`: what becomes of bodies whose centres are outside a box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// m, the corner with the smallest coordinates.
    pub min: Vector,
    /// m, the corner with the largest coordinates.
    pub max: Vector,
    /// As for `[[outlets]]`: `"remove"`, `"warn"` or `"stop"`. Default `"remove"`. Its columns are called `domain`.
    #[serde(default)]
    pub on_exit: OnExit,
}
