//! `[[grains]]`: many bodies at once.

use super::shapes::{
    BoxSolid, CapsuleSolid, ConeSolid, CylinderSolid, EllipseSolid, EllipsoidSolid, HullSolid,
    MeshSolid, PolygonSolid, ShapeSpec, Shaped, SphereShape, SuperellipsoidSolid, UnionSolid,
    any_shape, shaped,
};
use super::{MotionSpec, OrientationSpec, Quantity, Spacing, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Many bodies at once, spheres unless `shape` is given. Give exactly one source: `grid`, `random`, `csv`, `vtk` or `run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// On a lattice: `{ counts, spacing, origin, jitter, lattice }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
    /// At random places that do not overlap: `{ count, region }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<Random>,
    /// From a table: `{ file }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csv: Option<CsvSource>,
    /// From points in a VTK file: `{ file, radius, velocity }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vtk: Option<VtkSource>,
    /// From a frame of an earlier run: `{ folder, frame, time }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunSource>,
    /// m: a number, or a distribution such as `{ uniform = [0.8e-3, 1.2e-3] }`. Needed for spheres unless the
    /// file has radii.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Quantity>,
    /// Another shape than a sphere: one of those of `[[bodies]]`, as in `{ box = { size = [0.02, 0.01, 0.01] } }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<GrainShape>,
    /// What all lengths of `shape` are multiplied by: a number, or a distribution such as `{ uniform = [0.8, 1.2] }`.
    /// Default: from the file, or else 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Quantity>,
    /// How grains with a `shape` are turned: `"random"` (all ways equally likely; about z in 2D), `"aligned"` as the
    /// shape is given, or all alike by a quaternion `[x, y, z, w]`. Default: from the file, or else `"random"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<OrientationSpec>,
    /// kg: a number or a distribution. Default: from the file, or else from the density of the
    /// material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<Quantity>,
    /// m/s. Default: from the file, or else zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vector>,
    /// rad/s, three numbers in 3D, one (about z) in 2D. Default: from the file, or else zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Vector>,
    /// The name of the material. Default: those of the earlier run with `run`, else `default`, or the only one there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// A prescribed motion for each of the grains, `"fixed"` for obstacles. Default: the grains
    /// move by forces and contacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
    /// Start of the random numbers: the same seed gives the same grains, bit by bit. Default 0.
    #[serde(default)]
    pub seed: u64,
}

shaped! {
    /// The shape of grains. Give exactly one.
    pub struct GrainShape {
        /// Convex shapes joined rigidly: `{ parts = [{ sphere = { radius }, position, orientation }, …] }`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub union: Option<UnionSolid>,
        /// 3D: a solid from an STL or OBJ file, `{ file, scale, parts }`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mesh: Option<MeshSolid>,
    }
}

any_shape!(GrainShape);

/// Centres (of mass) on a lattice, the first coordinate running fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// How many along each direction, as many numbers as dimensions.
    pub counts: Vec<u32>,
    /// m between neighbouring centres: a number, or one for each direction (square lattice only).
    pub spacing: Spacing,
    /// m, the first centre. Default the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Vector>,
    /// m: each coordinate of each centre is moved by a random length between `-jitter` and
    /// `jitter`. Default 0.
    #[serde(default)]
    pub jitter: f64,
    /// `"square"` (cubic in 3D), or `"hexagonal"` for the densest one. Default `"square"`.
    #[serde(default)]
    pub lattice: Lattice,
}

/// The kind of lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lattice {
    /// Rows straight above rows.
    #[default]
    Square,
    /// Every other row moved by half the spacing, rows √3/2 of it apart; in 3D every other layer
    /// over the hollows of the one below.
    Hexagonal,
}

/// Random places, drawn one after another (largest first) until each overlaps nothing:
/// neither grains nor the bodies, grains and walls that stand before it in the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// How many.
    pub count: u32,
    /// Where: `{ box = { min, max } }`, `{ cylinder = { center, axis, radius, length } }` or
    /// `{ cone = { center, axis, bottom_radius, top_radius, length } }`. Grains lie wholly inside. Default: everywhere in
    /// the periodic `[cell]`, also across its faces; without one, a region must be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// A part of space to fill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Region {
    /// A box along the axes.
    Box(BoxRegion),
    /// A cylinder (a circle in 2D).
    Cylinder(CylinderRegion),
    /// A truncated cone; only in 3D.
    Cone(ConeRegion),
}

/// A box along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxRegion {
    /// m, the corner with the smallest coordinates.
    pub min: Vector,
    /// m, the corner with the largest coordinates.
    pub max: Vector,
}

/// A cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderRegion {
    /// m, the middle.
    pub center: Vector,
    /// Any length but zero. Default `[0, 0, 1]`, the only one in 2D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// m, positive.
    pub radius: f64,
    /// m, positive; needed in 3D, without meaning in 2D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

/// A truncated cone, described as a wall of that shape is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConeRegion {
    /// m, the middle of its axis.
    pub center: Vector,
    /// From the bottom to the top; any length but zero. Default `[0, 0, 1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// m, zero for a tip.
    pub bottom_radius: f64,
    /// m, zero for a tip.
    pub top_radius: f64,
    /// m, positive.
    pub length: f64,
}

/// A table with a header. Columns: `x, y, z` (m), `r` (m), `m` (kg), `q0, q1, q2, q3` (the
/// orientation as a quaternion w, x, y, z), `vx, vy, vz` (m/s), `wx, wy, wz` (rad/s). Only
/// the coordinates are needed (and `r` unless `radius` is given). Grains with a `shape` have a column `s` in the
/// place of `r`: what its lengths are multiplied by. Their place and orientation are those of the frame of the
/// shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CsvSource {
    /// The file, relative to the folder of the scene file.
    pub file: PathBuf,
}

/// Points of a VTK file (.vtp or .vtu).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VtkSource {
    /// The file, relative to the folder of the scene file.
    pub file: PathBuf,
    /// The name of the array of radii (m). Default: none, and `radius` of the grains is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<String>,
    /// The name of the array of masses (kg). Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<String>,
    /// The name of the array of velocities (m/s). Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<String>,
}

/// The bodies of a frame of an earlier run, as they were: shapes, masses, positions, orientations, velocities, ids and
/// materials, which this scene must have by the same names unless `material` of this entry is given. All other bodies of
/// the scene get ids after the largest; if another entry has brought one of the ids before, so do all of this entry.
///
/// Motion is that of this entry. What only carried walls is left out, and contacts start anew: springs are at rest, and
/// bonds are those that this scene makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunSource {
    /// The folder of the run's results, relative to the folder of the scene file.
    pub folder: PathBuf,
    /// Which frame, counted from 0. Default: the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<usize>,
    /// The time at the start: `"zero"`, or `"continue"` for that of the frame. All functions of time then go on, `end`
    /// of `[time]` is on the same clock, and walls and bodies that move as prescribed are where they get by then from
    /// their `position` at time zero. Default `"zero"`.
    #[serde(default)]
    pub time: Clock,
}

/// The time at the start of a run that goes on from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Zero.
    #[default]
    Zero,
    /// The time of the frame.
    Continue,
}
