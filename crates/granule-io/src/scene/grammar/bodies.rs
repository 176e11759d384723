//! `[[bodies]]` and `[[forces]]`.

use super::shapes::{
    BoxSolid, CapsuleSolid, ConeSolid, CylinderSolid, EllipseSolid, EllipsoidSolid, HullSolid,
    MeshSolid, PolygonSolid, ShapeSpec, Shaped, SphereShape, SuperellipsoidSolid, UnionSolid,
    any_shape, shaped,
};
use super::{MotionSpec, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

shaped! {
    /// One body. Give exactly one shape: `sphere`, `box` or `union`; in 3D also `ellipsoid`, `superellipsoid`,
    /// `capsule`, `cylinder`, `cone`, `hull` or `mesh`; in 2D also `ellipse` or `polygon`. In 1D bodies are spheres.
    /// A body with `mass` and `inertia` may have no shape: then it touches others with the walls that it carries.
    pub struct Body {
        /// Convex shapes joined rigidly: `{ parts = [{ sphere = { radius }, position, orientation }, …] }`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub union: Option<UnionSolid>,
        /// 3D: a solid from an STL or OBJ file, `{ file, scale, parts }`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mesh: Option<MeshSolid>,
        /// A name, by which `[[bonds]]`, `[[joints]]` and `[[walls]]` know the body. Default none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// m, where the frame of the shape is, as many numbers as dimensions: the centre of a sphere, the place of
        /// `[0, 0, 0]` among the points of a hull.
        pub position: Vector,
        /// m/s, of the centre of mass. Default zero; a body with a `motion` has none of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub velocity: Option<Vector>,
        /// rad/s, three numbers in 3D, one (about z) in 2D. Default zero.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub angular_velocity: Option<Vector>,
        /// A quaternion `[x, y, z, w]` that turns the frame of the shape, brought to unit length; only about z in
        /// 2D. Default `[0, 0, 0, 1]`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub orientation: Option<[f64; 4]>,
        /// kg. Default: from the density of the material.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mass: Option<f64>,
        /// kg m², the three moments of inertia about the principal axes of the shape, each named by the axis x, y,
        /// z of the shape that is nearest. Default: those of a homogeneous body; in 2D of a plate.
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
}

any_shape!(Body);
