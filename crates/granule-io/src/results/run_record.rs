//! `run.json`: what frames do not say of a run, so that its folder stands alone.

use super::atomic::write_atomically;
use super::json::to_json;
use super::{ReadError, WriteError};
use glam::{DQuat, DVec3};
use granule::bodies::{Dimension, Kinematics, Motion, Wall};
use granule::joints::{Anchor, Joint, Kind};
use granule::shapes::{Solid, Surface};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The layout that is written and read.
const FORMAT: u32 = 1;

/// What does not change during a run: what pictures and plots need besides the frames and the
/// series. The names of the fields are the keys of `run.json`; vectors are arrays of three numbers.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule_io::results::RunRecord;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let record = RunRecord {
///     materials: vec!["glass".to_owned()],
///     ..RunRecord::new("hourglass", Dimension::Space)
/// };
/// record.write(folder.path())?;
/// assert_eq!(RunRecord::read(folder.path())?, record);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// Version of the layout of the file, 1.
    pub format: u32,
    /// Version of the program.
    pub version: String,
    /// Name of the scene.
    pub scene: String,
    /// 1, 2 or 3 in the file.
    #[serde(with = "count")]
    pub dimension: Dimension,
    /// m/s².
    pub gravity: DVec3,
    /// s of simulated time between frames.
    pub frame_interval: f64,
    /// The names of the materials; frames and walls have their places in this list.
    pub materials: Vec<String>,
    /// Ids of the bodies whose motion is prescribed, in increasing order.
    pub prescribed: Vec<u32>,
    /// The walls; a contact with wall w has `body_b = -1 - w`.
    pub walls: Vec<WallRecord>,
    /// The shapes of bodies that are no spheres; frames have their places in this list as `shape`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub solids: Vec<Solid>,
    /// The joints, in the order of the scene.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointRecord>,
}

/// A joint: what it leaves free, and where it is on its bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointRecord {
    /// What the scene calls it.
    pub name: Option<String>,
    /// What it leaves free.
    pub kind: Kind,
    /// The ids of the two bodies; `None` for the ground.
    pub bodies: [Option<u32>; 2],
    /// Where it is on each of them, z along its axis; lengths in m.
    pub anchors: [Anchor; 2],
}

impl JointRecord {
    /// The record of a joint.
    pub fn new(name: Option<String>, joint: &Joint) -> Self {
        Self {
            name,
            kind: joint.kind,
            bodies: joint.bodies,
            anchors: joint.anchors,
        }
    }
}

/// A wall: its shape, and where it is at any time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WallRecord {
    /// What the scene calls it.
    pub name: Option<String>,
    /// Its material, as a place in the list of them.
    pub material: u16,
    /// Its shape about its own origin, lengths in m.
    pub surface: Surface,
    /// m, at time zero.
    pub position: DVec3,
    /// At time zero: a quaternion x, y, z, w.
    pub orientation: DQuat,
    /// How it moves from there.
    pub motion: Motion,
    /// The id of the body that carries it, if one does; its position and orientation are then in the frame
    /// of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<u32>,
    /// How fast its surface runs while it stays, m/s.
    #[serde(default, skip_serializing_if = "stands")]
    pub surface_velocity: DVec3,
}

fn stands(velocity: &DVec3) -> bool {
    *velocity == DVec3::ZERO
}

impl WallRecord {
    /// The record of a wall.
    pub fn new(name: Option<String>, wall: &Wall) -> Self {
        let kinematics = &wall.kinematics;
        Self {
            name,
            material: wall.material,
            surface: wall.surface.clone(),
            position: kinematics.start_position,
            orientation: kinematics.start_orientation,
            motion: kinematics.motion.clone(),
            carrier: wall.carrier,
            surface_velocity: wall.surface_velocity,
        }
    }

    /// The wall.
    pub fn wall(&self) -> Wall {
        let motion = self.motion.clone();
        Wall {
            patches: self.surface.patches(),
            surface: self.surface.clone(),
            kinematics: Kinematics::new(motion, self.position, self.orientation),
            material: self.material,
            carrier: self.carrier,
            surface_velocity: self.surface_velocity,
        }
    }

    /// What is wrong with it, if anything.
    fn flaw(&self, materials: usize) -> Option<String> {
        if usize::from(self.material) >= materials {
            return Some(format!("is of material {} of {materials}", self.material));
        }
        if !self.orientation.is_normalized() {
            return Some("has an orientation that is not of unit length".to_owned());
        }
        if lengths(&self.surface).iter().any(|&length| length < 0.0) {
            return Some("has a negative length".to_owned());
        }
        let motion = self.motion.validate().err();
        motion.map(|reason| format!("has a motion that cannot be: {reason}"))
    }
}

/// Every length of a shape, m.
fn lengths(surface: &Surface) -> Vec<f64> {
    match surface {
        // A mesh checks itself as it is read.
        Surface::HalfSpace(_) | Surface::Mesh(_) => Vec::new(),
        Surface::Cylinder(shape) => vec![shape.radius, shape.length],
        Surface::Cone(shape) => vec![shape.bottom_radius, shape.top_radius, shape.length],
        Surface::Box(shape) => shape.size.to_vec(),
        Surface::Plate(shape) => vec![shape.width, shape.height],
        Surface::Block(shape) => shape.size.to_vec(),
    }
}

impl RunRecord {
    /// A run without walls, gravity or materials, with a frame a second.
    pub fn new(scene: &str, dimension: Dimension) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: scene.to_owned(),
            dimension,
            gravity: DVec3::ZERO,
            frame_interval: 1.0,
            materials: Vec::new(),
            prescribed: Vec::new(),
            walls: Vec::new(),
            solids: Vec::new(),
            joints: Vec::new(),
        }
    }

    /// The walls.
    pub fn walls(&self) -> Vec<Wall> {
        self.walls.iter().map(WallRecord::wall).collect()
    }

    /// Whether the motion of the body with this id is prescribed.
    pub fn is_prescribed(&self, id: u32) -> bool {
        self.prescribed.binary_search(&id).is_ok()
    }

    /// Writes `run.json` into a run's folder, under a temporary name first.
    pub fn write(&self, folder: &Path) -> Result<(), WriteError> {
        let path = folder.join("run.json");
        let text = to_json(self).map_err(|error| WriteError::io(&path, io::Error::other(error)))?;
        write_atomically(&path, &[&text, b"\n"])
    }

    /// Reads `run.json` of a run's folder.
    pub fn read(folder: &Path) -> Result<Self, ReadError> {
        let path = folder.join("run.json");
        let text = std::fs::read_to_string(&path).map_err(|source| {
            if source.kind() == io::ErrorKind::NotFound {
                let folder = folder.to_owned();
                ReadError::NoRecord { folder }
            } else {
                ReadError::io(&path, source)
            }
        })?;
        let malformed = |error: serde_json::Error| ReadError::malformed(&path, error.to_string());
        let Head { format, version } = serde_json::from_str(&text).map_err(malformed)?;
        if format != FORMAT {
            let what = format!(
                "its format is {format}, and this version of Granule reads {FORMAT}; use the \
                 version {version}, which wrote it"
            );
            return Err(ReadError::Unsupported { path, what });
        }
        let record: Self = serde_json::from_str(&text).map_err(malformed)?;
        match record.flaw() {
            None => Ok(record),
            Some(what) => Err(ReadError::malformed(&path, what)),
        }
    }

    /// What is wrong with it, if anything.
    pub(crate) fn flaw(&self) -> Option<String> {
        if self.frame_interval <= 0.0 {
            return Some(format!("`frame_interval` is {} s", self.frame_interval));
        }
        if !self.prescribed.is_sorted() {
            return Some("`prescribed` is not in increasing order".to_owned());
        }
        let mut walls = self.walls.iter().enumerate();
        let wall = walls.find_map(|(number, wall)| {
            let flaw = wall.flaw(self.materials.len())?;
            Some(format!("wall {number} {flaw}"))
        });
        let mut solids = self.solids.iter().enumerate();
        wall.or_else(|| {
            solids.find_map(|(number, solid)| {
                let flaw = solid.validate().err()?;
                Some(format!("solid {number} cannot be: {flaw}"))
            })
        })
    }
}

/// What every layout has.
#[derive(Deserialize)]
struct Head {
    format: u32,
    version: String,
}

/// A dimension as the number of its axes.
mod count {
    use granule::bodies::Dimension;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(value: &Dimension, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(value.count() as u64)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Dimension, D::Error> {
        let all = [Dimension::Line, Dimension::Plane, Dimension::Space];
        let count = u64::deserialize(from)?;
        let known = |dimension: &Dimension| dimension.count() as u64 == count;
        let found = all.into_iter().find(known);
        found.ok_or_else(|| D::Error::custom(format!("a dimension is 1, 2 or 3, not {count}")))
    }
}
