//! `[[mechanisms]]`: robots and other machines from files.

use super::Vector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A mechanism from a file, in 3D. Links that fixed joints hold together are one body; bodies that a joint joins do not
/// touch each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mechanism {
    /// What the names of its joints begin with, as `NAME_JOINT` in `[[motors]]` and columns of `series.csv`: letters, digits,
    /// `-` and `_`. Default: joints have the names of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A robot description in the Unified Robot Description Format:
    /// `{ file, position, orientation, fixed, packages }`.
    pub urdf: UrdfFile,
    /// The name of its material. Default: the one called `default`, or the only one. Masses are those of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Where joints stand at the start, rad or m, by their names in the file: `{ elbow = 1.2 }`. Default 0, which is the pose
    /// that the file describes. Stops and motors count from there, too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pose: BTreeMap<String, f64>,
    /// Whether its links touch each other, but for those that a joint joins. Default false.
    #[serde(default)]
    pub self_collide: bool,
}

/// A robot description.
///
/// Collision shapes are boxes, cylinders, spheres, capsules and the convex hulls of meshes (STL or OBJ). `damping` and
/// `friction` of joints act, `lower` and `upper` are stops, and `effort` is the strength of motors that have no other. What is
/// drawn (`visual`), `velocity` limits and `mimic` are not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UrdfFile {
    /// The file, relative to the folder of the scene file.
    pub file: PathBuf,
    /// m. Where the frame of the root link is. Default the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Vector>,
    /// How the frame of the root link is turned, `[x, y, z, w]`. Default not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// Whether the root link does not move. Default true.
    #[serde(default = "yes")]
    pub fixed: bool,
    /// The folder that meshes `package://NAME/…` are looked up in, as `NAME/…`. Default: the folder of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packages: Option<PathBuf>,
}

fn yes() -> bool {
    true
}
