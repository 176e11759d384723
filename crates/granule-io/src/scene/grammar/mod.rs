//! The grammar of scene files, as types.
//!
//! These structs are the one description of a scene file: the parser, the JSON schema, the hints
//! in error messages and [`crate::scene::Scene::to_toml`] all come from them, and the doc comment
//! of a field is the help text that a user reads. Keys that a user may leave out and whose default
//! depends on other keys are `Option`s, which are filled in when the scene is read.

mod bodies;
mod bonds;
mod cell;
mod contacts;
mod exchange;
mod forces;
mod grains;
mod joints;
mod measures;
mod mechanisms;
mod motion;
mod output;
mod shapes;
mod solver;
mod springs;
mod time;
mod values;
mod walls;

pub use bodies::Body;
pub use bonds::{BondPair, BondSpec};
pub use cell::{AlongAxes, AxisName, CellSpec, ShearSpec};
pub use contacts::{Contacts, Pair};
pub use exchange::{Domain, FaceSpec, InletSpec, OutletSpec, PlaneSpec};
pub use forces::{
    AlongAxisSpec, BuoyancySpec, CentralSpec, DragSpec, Force, SpringToPoint, TorqueSpec,
};
pub use grains::{
    BoxRegion, Clock, ConeRegion, CsvSource, CylinderRegion, GrainShape, Grains, Grid, Lattice,
    Random, Region, RunSource, VtkSource,
};
pub use joints::{AlongSpec, JointKind, JointSpec, JointSpring, LimitsSpec, MotorSpec, ServoSpec};
pub use measures::{
    FlowSpec, ForcesSpec, GridSpec, InRegion, MeasureRegion, MeasureSpec, MixingSpec, Nothing,
    ProfileSpec, SphereRegion,
};
pub use mechanisms::{Mechanism, UrdfFile};
pub use motion::MotionSpec;
pub use output::Output;
pub use shapes::{
    BoxSolid, CapsuleSolid, ConeSolid, CylinderSolid, EllipseSolid, EllipsoidSolid, HullSolid,
    MeshParts, MeshSolid, PartSpec, PolygonSolid, SphereShape, SuperellipsoidSolid, UnionSolid,
};
pub(crate) use shapes::{ShapeSpec, Shaped};
pub use solver::Solver;
pub(crate) use springs::SpringKeys;
pub use time::Time;
pub use values::{
    Distribution, Histogram, InTime, LogNormal, OrientationSpec, Quantity, Spacing, Vector,
};
pub use walls::{
    BlockShape, BoxShape, ConeShape, CylinderShape, Face, HalfSpaceShape, MeshShape, PlateShape,
    WallSpec,
};

use granule::problem::ProblemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A scene file of Granule. All units are SI: m, kg, s, rad.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sections {
    /// What the scene is: its name, its dimension, its gravity.
    pub scene: General,
    /// How time is stepped, and until when.
    pub time: Time,
    /// How the contact impulses are found in each step. Every key has a default.
    #[serde(default)]
    pub solver: Solver,
    /// Materials by name, `[materials.NAME]`. If there is none, one called `default` exists.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
    /// Which law holds between bodies that touch. Every key has a default.
    #[serde(default)]
    pub contacts: Contacts,
    /// What a run writes. Every key has a default.
    #[serde(default)]
    pub output: Output,
    /// Bodies one by one, `[[bodies]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Body>,
    /// Bonds between bodies, one by one, `[[bonds]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bonds: Vec<BondPair>,
    /// Joints between bodies, `[[joints]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointSpec>,
    /// Motors on joints, `[[motors]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motors: Vec<MotorSpec>,
    /// Robots and other machines from files, `[[mechanisms]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mechanisms: Vec<Mechanism>,
    /// Walls that hold a force or a stress, `[[servos]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servos: Vec<ServoSpec>,
    /// Walls, `[[walls]]`: surfaces that bodies touch, at rest or moving as prescribed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<WallSpec>,
    /// Many bodies at once, `[[grains]]`: on a grid, at random, or from a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grains: Vec<Grains>,
    /// Where grains are poured in while the run goes on, `[[inlets]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlets: Vec<InletSpec>,
    /// Where bodies leave, `[[outlets]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlets: Vec<OutletSpec>,
    /// The bounds of the scene. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// A periodic cell. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<CellSpec>,
    /// Forces besides gravity, `[[forces]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<Force>,
    /// What is measured, `[[measures]]`: columns of `series.csv` and small files beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<MeasureSpec>,
}

impl Sections {
    /// What solvers are asked to solve in each step.
    pub(super) fn problem_kind(&self) -> ProblemKind {
        let laws = self.contacts.table(|_| 0);
        let mut kind = ProblemKind::of_laws(&laws, usize::from(self.scene.dimension));
        super::machines::add_kinds(self, &mut kind);
        kind
    }

    /// All files and folders that the scene names to read from.
    pub(super) fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        let mut files = Vec::new();
        let walls = self.walls.iter_mut().filter_map(|wall| wall.mesh.as_mut());
        files.extend(walls.map(|mesh| &mut mesh.file));
        let bodies = self.bodies.iter_mut().filter_map(|body| body.mesh.as_mut());
        files.extend(bodies.map(|mesh| &mut mesh.file));
        for mechanism in &mut self.mechanisms {
            files.push(&mut mechanism.urdf.file);
            files.extend(mechanism.urdf.packages.as_mut());
        }
        for grains in &mut self.grains {
            files.extend(grains.csv.as_mut().map(|source| &mut source.file));
            files.extend(grains.vtk.as_mut().map(|source| &mut source.file));
            files.extend(grains.run.as_mut().map(|source| &mut source.folder));
            let mesh = grains.shape.as_mut().and_then(|shape| shape.mesh.as_mut());
            files.extend(mesh.map(|mesh| &mut mesh.file));
        }
        for force in &mut self.forces {
            let central = force.central.as_mut();
            files.extend(central.and_then(|central| central.file.as_mut()));
            files.extend(force.along.as_mut().and_then(|along| along.file.as_mut()));
        }
        for inlet in &mut self.inlets {
            let mesh = inlet.shape.as_mut().and_then(|shape| shape.mesh.as_mut());
            files.extend(mesh.map(|mesh| &mut mesh.file));
        }
        files
    }
}

/// What the scene is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct General {
    /// A short name; also names the folder of results.
    pub name: String,
    /// What the scene shows, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// 1, 2 or 3: bodies move along x, in the plane z = 0 (as disks and other flat shapes), or freely. Default 3.
    #[serde(default = "three")]
    pub dimension: u8,
    /// m/s², as many numbers as dimensions. Default 9.81 downwards: `[0, 0, -9.81]` in 3D,
    /// `[0, -9.81]` in 2D, `[0]` in 1D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<Vector>,
    /// Whether bodies do not turn. Default false.
    #[serde(default)]
    pub lock_rotation: bool,
    /// Whether bodies may overlap each other and walls at the start. Default false: an overlap
    /// deeper than 1e-9 of the radius (of a body of another shape, of the radius of a sphere around it) is an
    /// error.
    #[serde(default)]
    pub allow_overlap: bool,
}

fn three() -> u8 {
    3
}

/// What a body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// kg/m³ in 3D, kg/m² (mass over the area) in 2D, kg/m (mass over the length 2r) in
    /// 1D. Gives the mass of bodies that have no `mass` of their own. Default 2500.
    #[serde(default = "glass")]
    pub density: f64,
    /// What the density is multiplied by: the `"volume"` of a sphere, the `"area"` of a disk or
    /// the `"length"` 2r. Default: volume in 3D, area in 2D, length in 1D. Spheres that move in a
    /// plane have `"volume"`, and their density is in kg/m³. Other shapes have a volume in 3D and an area in 2D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_from: Option<MassFrom>,
}

/// What a density is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MassFrom {
    /// 4/3 π r³.
    Volume,
    /// π r².
    Area,
    /// 2 r.
    Length,
}

fn glass() -> f64 {
    2500.0
}

impl Default for Material {
    fn default() -> Self {
        Self {
            density: glass(),
            mass_from: None,
        }
    }
}
