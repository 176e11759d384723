//! `[[walls]]`: surfaces that bodies touch.

use super::shapes::one;
use super::{MotionSpec, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One wall. Give exactly one shape: `half-space`, `cylinder`, `cone`, `box`, `plate`, `block` or, in 3D, `mesh`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallSpec {
    /// Solid below a plane through `position`: `{ normal = [0, 0, 1] }`.
    #[serde(
        default,
        rename = "half-space",
        skip_serializing_if = "Option::is_none"
    )]
    pub half_space: Option<HalfSpaceShape>,
    /// A cylindrical shell with its middle at `position`: `{ radius, length, axis, bottom, top }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cylinder: Option<CylinderShape>,
    /// A conical shell with its middle at `position`:
    /// `{ bottom_radius, top_radius, length, axis, bottom, top }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<ConeShape>,
    /// A box with its middle at `position`: `{ size, open }`.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub box_: Option<BoxShape>,
    /// A thin rectangle with its middle at `position`: `{ width, height, normal, up }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plate: Option<PlateShape>,
    /// A solid box seen from outside with its middle at `position`: `{ size, orientation }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockShape>,
    /// 3D: a thin surface from an STL or OBJ file, its frame at `position`: `{ file, scale, orientation }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshShape>,
    /// What other keys call this wall, for instance `forces_on` in `[output]`: letters, digits, `-`
    /// and `_`. Default: no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// m, as many numbers as dimensions. Default the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Vector>,
    /// The name of the material. Default: `default`, or the only one there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// A prescribed motion. Default `"fixed"`.
    #[serde(default)]
    pub motion: MotionSpec,
    /// m/s, how fast the surface runs while the wall stays, as a belt does; as many numbers as dimensions. Where something
    /// touches, what is along the surface counts. Default: it does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_velocity: Option<Vector>,
    /// The name of a body that carries the wall, from where it is at the start. Default: none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// Solid below a plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HalfSpaceShape {
    /// Points from the solid to the free side; any length but zero, as many numbers as dimensions.
    pub normal: Vector,
}

/// Makes a shell about an axis of its sizes and what is said about the axis.
macro_rules! shell {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($sizes:tt)* }
        axis { $(#[$axis:meta])* }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($sizes)*
            $(#[$axis])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub axis: Option<Vector>,
            /// Whether a disk closes the bottom. Default false.
            #[serde(default)]
            pub bottom: bool,
            /// Whether a disk closes the top. Default false.
            #[serde(default)]
            pub top: bool,
        }
    };
}

shell! {
    /// A cylindrical shell; bodies may be inside or outside.
    pub struct CylinderShape {
        /// m, positive.
        pub radius: f64,
        /// m, positive: the cylinder reaches half of it to either side of `position`.
        pub length: f64,
    }
    axis {
        /// Direction from the bottom to the top; any length but zero. Default `[0, 0, 1]`, which in
        /// 2D gives a circle.
    }
}

shell! {
    /// A conical shell, for instance a funnel; bodies may be inside or outside.
    pub struct ConeShape {
        /// m, the radius at the bottom; zero for a tip.
        pub bottom_radius: f64,
        /// m, the radius at the top; zero for a tip.
        pub top_radius: f64,
        /// m, positive: the cone reaches half of it to either side of `position`.
        pub length: f64,
    }
    axis {
        /// Direction from the bottom to the top; any length but zero. Default `[0, 0, 1]` in 3D,
        /// `[0, 1]` in 2D.
    }
}

/// A box, any of its faces left open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// m, the full lengths of the edges, as many numbers as dimensions.
    pub size: Vector,
    /// The faces that are not there, for instance `["+z"]` for a box without a lid. Default none.
    #[serde(default)]
    pub open: Vec<Face>,
    /// A quaternion `[x, y, z, w]` that turns the box, brought to unit length; only about z in 2D.
    /// Default `[0, 0, 0, 1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
}

/// A thin rectangle with two sides; bodies may be on either, and touch its rim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlateShape {
    /// m, positive: the full length across `up`; in 2D the length of the segment.
    pub width: f64,
    /// m, positive: the full length along `up`; needed in 3D, without meaning in 2D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// What the plate is square to; any length but zero, as many numbers as dimensions.
    pub normal: Vector,
    /// The direction of the height, as far as it is square to `normal`; only in 3D. Default
    /// `[0, 0, 1]`, or `[0, 1, 0]` where the normal is along z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Vector>,
}

/// A solid box that bodies touch from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockShape {
    /// m, the full lengths of the edges, as many numbers as dimensions.
    pub size: Vector,
    /// A quaternion `[x, y, z, w]` that turns the block, brought to unit length; only about z in
    /// 2D. Default `[0, 0, 0, 1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
}

/// A thin surface of triangles with two sides, open or closed; bodies touch the side they are on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshShape {
    /// An STL or OBJ file, relative to the folder of the scene file.
    pub file: PathBuf,
    /// m for a length of 1 in the file, as 1e-3 for a file in millimetres. Default 1.
    #[serde(default = "one")]
    pub scale: f64,
    /// A quaternion `[x, y, z, w]` that turns the mesh, brought to unit length. Default `[0, 0, 0, 1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
}

/// A face of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Face {
    /// The face with the smallest x.
    #[serde(rename = "-x")]
    MinusX,
    /// The face with the largest x.
    #[serde(rename = "+x")]
    PlusX,
    /// The face with the smallest y.
    #[serde(rename = "-y")]
    MinusY,
    /// The face with the largest y.
    #[serde(rename = "+y")]
    PlusY,
    /// The face with the smallest z.
    #[serde(rename = "-z")]
    MinusZ,
    /// The face with the largest z.
    #[serde(rename = "+z")]
    PlusZ,
}
