//! Shapes of bodies.
//!
//! A body, a shape of grains and a part of a union name one shape each by its key. All lengths are in m, in the
//! frame of the shape: `position` and `orientation` of a body say where that frame is.

use super::Vector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Makes a table that names one shape, of the keys that it has besides.
macro_rules! shaped {
    ($(#[$about:meta])* pub struct $name:ident { $($more:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// A sphere (a disk in 2D, a segment of length 2r in 1D): `{ radius }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub sphere: Option<SphereShape>,
            /// 3D: an ellipsoid, `{ half_axes = [a, b, c] }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub ellipsoid: Option<EllipsoidSolid>,
            /// 3D: an ellipsoid that is nearly a box or a cylinder,
            /// `{ half_axes = [a, b, c], exponents = [m, n] }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub superellipsoid: Option<SuperellipsoidSolid>,
            /// A box (a rectangle in 2D): `{ size, rounding }`.
            #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
            pub box_: Option<BoxSolid>,
            /// 3D: a cylinder with round ends, along z: `{ radius, length }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub capsule: Option<CapsuleSolid>,
            /// 3D: a cylinder along z, `{ radius, length }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub cylinder: Option<CylinderSolid>,
            /// 3D: a cone along z, whole or cut off: `{ bottom_radius, top_radius, length }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub cone: Option<ConeSolid>,
            /// 3D: the convex hull of points, `{ points = [[x, y, z], …], rounding }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub hull: Option<HullSolid>,
            /// 2D: an ellipse, `{ half_axes = [a, b], exponent }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub ellipse: Option<EllipseSolid>,
            /// 2D: a convex polygon, `{ corners = [[x, y], …], rounding }`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub polygon: Option<PolygonSolid>,
            $($more)*
        }

        impl $name {
            /// The convex shapes by their keys, each if it is given.
            fn convex_shapes(&self) -> Vec<(&'static str, Option<ShapeSpec<'_>>)> {
                vec![
                    ("sphere", self.sphere.as_ref().map(ShapeSpec::Sphere)),
                    ("ellipsoid", self.ellipsoid.as_ref().map(ShapeSpec::Ellipsoid)),
                    ("superellipsoid", self.superellipsoid.as_ref().map(ShapeSpec::Superellipsoid)),
                    ("box", self.box_.as_ref().map(ShapeSpec::Box)),
                    ("capsule", self.capsule.as_ref().map(ShapeSpec::Capsule)),
                    ("cylinder", self.cylinder.as_ref().map(ShapeSpec::Cylinder)),
                    ("cone", self.cone.as_ref().map(ShapeSpec::Cone)),
                    ("hull", self.hull.as_ref().map(ShapeSpec::Hull)),
                    ("ellipse", self.ellipse.as_ref().map(ShapeSpec::Ellipse)),
                    ("polygon", self.polygon.as_ref().map(ShapeSpec::Polygon)),
                ]
            }
        }
    };
}
pub(super) use shaped;

/// Gives a table that names any shape the means to say which.
macro_rules! any_shape {
    ($name:ident) => {
        impl Shaped for $name {
            fn shapes(&self) -> Vec<(&'static str, Option<ShapeSpec<'_>>)> {
                let mut shapes = self.convex_shapes();
                shapes.push(("union", self.union.as_ref().map(ShapeSpec::Union)));
                shapes.push(("mesh", self.mesh.as_ref().map(ShapeSpec::Mesh)));
                shapes
            }
        }
    };
}
pub(super) use any_shape;

/// What names a shape.
pub(crate) trait Shaped {
    /// All shapes that it may have by their keys, each if it is given.
    fn shapes(&self) -> Vec<(&'static str, Option<ShapeSpec<'_>>)>;

    /// The first shape that is given, with its key.
    fn shape(&self) -> Option<(&'static str, ShapeSpec<'_>)> {
        let mut shapes = self.shapes().into_iter();
        shapes.find_map(|(key, shape)| Some((key, shape?)))
    }
}

/// A shape of a scene, whichever it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ShapeSpec<'a> {
    Sphere(&'a SphereShape),
    Ellipsoid(&'a EllipsoidSolid),
    Superellipsoid(&'a SuperellipsoidSolid),
    Box(&'a BoxSolid),
    Capsule(&'a CapsuleSolid),
    Cylinder(&'a CylinderSolid),
    Cone(&'a ConeSolid),
    Hull(&'a HullSolid),
    Ellipse(&'a EllipseSolid),
    Polygon(&'a PolygonSolid),
    Union(&'a UnionSolid),
    Mesh(&'a MeshSolid),
}

impl ShapeSpec<'_> {
    /// Whether there is such a shape in so many dimensions.
    pub(crate) fn is_for(&self, dimension: usize) -> bool {
        match self {
            Self::Sphere(_) => true,
            Self::Box(_) | Self::Union(_) => dimension > 1,
            Self::Ellipse(_) | Self::Polygon(_) => dimension == 2,
            Self::Ellipsoid(_)
            | Self::Superellipsoid(_)
            | Self::Capsule(_)
            | Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Hull(_)
            | Self::Mesh(_) => dimension == 3,
        }
    }
}

/// A sphere (a disk in 2D, a segment in 1D).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// m, positive; in 1D it may be zero (a point), and then `mass` must be given.
    pub radius: f64,
}

/// `(x/a)² + (y/b)² + (z/c)² ≤ 1`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EllipsoidSolid {
    /// m, positive: half the lengths along x, y and z.
    pub half_axes: [f64; 3],
}

/// `(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n ≤ 1`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuperellipsoidSolid {
    /// m, positive: half the lengths along x, y and z.
    pub half_axes: [f64; 3],
    /// `[m, n]`, each at least 2: m across the z axis (2 is round, 8 nearly square), n along it. `[2, 2]` is an
    /// ellipsoid, `[8, 8]` nearly a box, `[2, 8]` nearly a cylinder.
    pub exponents: [f64; 2],
}

/// A box about the origin of its frame (a rectangle in 2D).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxSolid {
    /// m, positive: the full lengths, rounded edges included, as many numbers as dimensions.
    pub size: Vector,
    /// m, the radius of edges and corners; less than half of the shortest length. Default 0: sharp.
    #[serde(default)]
    pub rounding: f64,
}

/// All points within `radius` of a segment along z about the origin of its frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsuleSolid {
    /// m, positive.
    pub radius: f64,
    /// m, positive: the length of the straight part; the whole is longer by two radii.
    pub length: f64,
}

/// A solid cylinder along z about the origin of its frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderSolid {
    /// m, positive.
    pub radius: f64,
    /// m, positive.
    pub length: f64,
}

/// A solid cone along z, whole or cut off, from `-length/2` to `length/2`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConeSolid {
    /// m, the radius at `-length/2`; zero for a tip.
    pub bottom_radius: f64,
    /// m, the radius at `length/2`; zero for a tip.
    pub top_radius: f64,
    /// m, positive.
    pub length: f64,
}

/// The smallest convex solid that holds some points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HullSolid {
    /// m, at least four that do not lie in a plane, in any order; those inside are left out.
    pub points: Vec<[f64; 3]>,
    /// m: all points within this distance of the hull belong to the solid. Default 0: sharp edges.
    #[serde(default)]
    pub rounding: f64,
}

/// `|x/a|^m + |y/b|^m ≤ 1`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EllipseSolid {
    /// m, positive: half the lengths along x and y.
    pub half_axes: [f64; 2],
    /// m, at least 2: 2 for an ellipse, 8 for nearly a rectangle. Default 2.
    #[serde(default = "two")]
    pub exponent: f64,
}

fn two() -> f64 {
    2.0
}

/// A convex polygon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolygonSolid {
    /// m, at least three, in their order around a convex polygon, to the left or to the right.
    pub corners: Vec<[f64; 2]>,
    /// m: all points within this distance of the polygon belong to the shape. Default 0: sharp corners.
    #[serde(default)]
    pub rounding: f64,
}

/// Convex shapes that are joined rigidly, also to shapes that are not convex.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnionSolid {
    /// At least one: each a shape with its `position` and `orientation` in the frame of the union. Mass is
    /// distributed evenly over each; where two of them overlap, it counts twice.
    pub parts: Vec<PartSpec>,
}

shaped! {
    /// A part of a union. Give exactly one shape.
    pub struct PartSpec {
        /// m, where the frame of the part is in that of the union; as many numbers as dimensions. Default the
        /// origin.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub position: Option<Vector>,
        /// A quaternion `[x, y, z, w]` that turns the part, brought to unit length; only about z in 2D. Default
        /// `[0, 0, 0, 1]`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub orientation: Option<[f64; 4]>,
    }
}

impl Shaped for PartSpec {
    fn shapes(&self) -> Vec<(&'static str, Option<ShapeSpec<'_>>)> {
        self.convex_shapes()
    }
}

/// A solid whose surface is in a file. Its mass is that of what the surface encloses; it touches others with the
/// convex parts that are chosen here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshSolid {
    /// An STL or OBJ file, relative to the folder of the scene file. The surface must be closed, with its normals
    /// outwards.
    pub file: PathBuf,
    /// m for a length of 1 in the file, as 1e-3 for a file in millimetres. Default 1.
    #[serde(default = "one")]
    pub scale: f64,
    /// What of it touches others: its `"convex-hull"`, or the parts of a convex `"decomposition"`, which follow
    /// hollows and holes.
    pub parts: MeshParts,
}

pub(super) fn one() -> f64 {
    1.0
}

/// What of a solid from a file touches others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeshParts {
    /// The smallest convex solid that holds it.
    ConvexHull,
    /// Convex solids that make it up nearly.
    Decomposition,
}
