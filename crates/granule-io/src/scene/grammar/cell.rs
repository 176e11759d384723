//! `[cell]`: a periodic cell.

use super::{InTime, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A periodic cell: a grain that leaves it through one face comes in through the opposite one, and grains at opposite
/// faces touch each other. Walls in it are half-spaces along its periodic axes. Regions of measures count inside the cell
/// as it is at the time: keep them within a cell that shrinks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellSpec {
    /// m, the corner with the smallest coordinates.
    pub min: Vector,
    /// m, the corner with the largest coordinates.
    pub max: Vector,
    /// The axes along which it is periodic, such as `["x", "y"]`. Default: all. Along others grains may leave the box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periodic: Option<Vec<AxisName>>,
    /// A shear of all that is in it (Lees and Edwards), such as `{ flow = "x", gradient = "y", rate = 2.0 }`. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shear: Option<ShearSpec>,
    /// Pa (in 2D N/m), compression positive: the cell shrinks or grows along these axes until contacts press back with it,
    /// such as `{ y = 1000.0 }`. Needs a cell that is periodic along all axes. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress: Option<AlongAxes>,
    /// 1/s: the cell grows along these axes at this rate of strain, negative where it shrinks, such as `{ z = -0.1 }`.
    /// Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strain_rate: Option<AlongAxes>,
    /// kg, what moves with faces under a stress. Default: the mass of all grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
}

/// An axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AxisName {
    /// `"x"`.
    X,
    /// `"y"`.
    Y,
    /// `"z"`.
    Z,
}

impl AxisName {
    /// 0, 1 or 2.
    pub(crate) fn index(self) -> usize {
        match self {
            Self::X => 0,
            Self::Y => 1,
            Self::Z => 2,
        }
    }
}

/// A shear.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShearSpec {
    /// The axis along which grains flow. Default `"x"`.
    #[serde(default = "along_x")]
    pub flow: AxisName,
    /// The axis along which their velocity changes. Default `"y"`.
    #[serde(default = "along_y")]
    pub gradient: AxisName,
    /// 1/s, by how much: a number, or a function of time.
    pub rate: InTime,
}

fn along_x() -> AxisName {
    AxisName::X
}

fn along_y() -> AxisName {
    AxisName::Y
}

/// Numbers along some of the axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlongAxes {
    /// Along x: a number, or a function of time. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<InTime>,
    /// Along y. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<InTime>,
    /// Along z. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<InTime>,
}

impl AlongAxes {
    /// Along x, y and z.
    pub(crate) fn all(&self) -> [Option<&InTime>; 3] {
        [self.x.as_ref(), self.y.as_ref(), self.z.as_ref()]
    }
}

impl CellSpec {
    /// Whether it is periodic along an axis, in so many dimensions.
    pub(crate) fn is_periodic(&self, axis: usize, dimension: usize) -> bool {
        let named = |axes: &Vec<AxisName>| axes.iter().any(|name| name.index() == axis);
        axis < dimension && self.periodic.as_ref().is_none_or(named)
    }
}
