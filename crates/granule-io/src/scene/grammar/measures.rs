//! `[[measures]]`: what is measured while a scene runs.

use super::{BoxRegion, CylinderRegion, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that is measured after every step: columns of `series.csv`, or rows of a file `measures/NAME.csv` now and
/// then. Grains are the bodies that have a shape of their own and move by forces. Has a `name` and one of `flow`,
/// `stress`, `stress-field`, `solid-fraction`, `coordination`, `profile`, `mixing`, `force-distribution`, `repose`,
/// `displacement` and `expression`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeasureSpec {
    /// What its columns or its file are called: letters, digits and `_`, a letter first.
    pub name: String,
    /// What goes through a plane: `NAME_mass[kg]` and `NAME_number[-]` in the step, `NAME_rate[kg/s]`, and since the
    /// start `NAME_total[kg]`; forwards less backwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowSpec>,
    /// The mean stress in a region, compression positive, of contacts and of motion about the mean: `NAME_xx[Pa]` and so
    /// on (the symmetric part), `NAME_pressure[Pa]`; N/m in 2D, N in 1D. Everywhere: `{}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress: Option<InRegion>,
    /// The same in each cell of a grid, in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress_field: Option<GridSpec>,
    /// The volume of grains over the volume of a region, `NAME[-]`. The porosity is one less this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solid_fraction: Option<InRegion>,
    /// The mean number of contacts of the grains in a region, `NAME[-]`; without those that have fewer than two
    /// `NAME_mechanical[-]`, the part of these `NAME_rattlers[-]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordination: Option<InRegion>,
    /// Density and velocity in slices of a region along an axis, in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileSpec>,
    /// Lacey's index of mixing of two kinds of grains, `NAME[-]`: 0 kept apart, 1 mixed at random, `NaN` where there are
    /// no two kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixing: Option<MixingSpec>,
    /// How normal forces of contacts are distributed about their mean, in a file; `NAME_mean[N]` and `NAME_largest[N]`
    /// in `series.csv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_distribution: Option<ForcesSpec>,
    /// The angle of repose of a heap of all grains, `NAME_angle[deg]` (`NaN` where there is no flank), and its height
    /// `NAME_height[m]`: `{}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repose: Option<Nothing>,
    /// The mean square of the ways of grains since the start (or since they came), `NAME[m^2]`: `{}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displacement: Option<Nothing>,
    /// A formula of other columns of `series.csv`, by their names without units, as in `"outlet_total / time"`; of
    /// measures those that stand before it. `+ - * / ^`, `sqrt`, `exp`, `ln`, `sin`, `abs`, `min`, `max` and the like. Powers come
    /// before signs: `-x^2` is `-(x^2)`; a sign after an operator needs brackets, as in `2 * (-x)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// The unit of an `expression`, written into the header. Default `-`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// s of simulated time between the rows of a file. Default: that between frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
}

/// No keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A plane that grains go through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// m, a point of the plane.
    pub point: Vector,
    /// Forwards: normal to the plane, any length but zero.
    pub normal: Vector,
    /// Only what crosses the plane in here counts. Default: the whole plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<MeasureRegion>,
}

/// Where something is measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InRegion {
    /// `{ box = { min, max } }`, `{ cylinder = { center, axis, radius, length } }` or `{ sphere = { center, radius } }`.
    /// Default: everywhere, with the volume of the box around all grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<MeasureRegion>,
}

/// A part of space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeasureRegion {
    /// A box along the axes.
    Box(BoxRegion),
    /// A cylinder (a circle in 2D).
    Cylinder(CylinderRegion),
    /// A ball (a circle in 2D).
    Sphere(SphereRegion),
}

/// A ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereRegion {
    /// m.
    pub center: Vector,
    /// m, positive.
    pub radius: f64,
}

/// A box cut into equal cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridSpec {
    /// m, the corner with the smallest coordinates.
    pub min: Vector,
    /// m, the corner with the largest coordinates.
    pub max: Vector,
    /// How many cells along each axis.
    pub counts: Vec<u32>,
}

/// Slices along an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileSpec {
    /// A box, cut along one of its edges, or (in 3D) a cylinder, cut along its axis.
    pub region: MeasureRegion,
    /// Across the slices: along x, y or z, or along the axis of the cylinder.
    pub axis: Vector,
    /// How many slices.
    pub bins: u32,
}

/// Two kinds of grains, in the cells of a grid. Has one of `material` and `larger_than`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MixingSpec {
    /// Cells in which the two kinds are counted: about ten grains each.
    pub grid: GridSpec,
    /// Grains of this material, and all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// m: grains with a larger radius (of a ball of their volume), and all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub larger_than: Option<f64>,
}

/// A histogram of forces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForcesSpec {
    /// As for `stress`: contacts in here count. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<MeasureRegion>,
    /// How many bins. Default 50.
    #[serde(default = "fifty")]
    pub bins: u32,
    /// Where the last bin ends, in means of the force. Default 5.
    #[serde(default = "five")]
    pub end: f64,
}

fn fifty() -> u32 {
    50
}

fn five() -> f64 {
    5.0
}
