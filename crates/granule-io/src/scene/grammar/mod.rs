//! The grammar of scene files, as types.
//!
//! These structs are the one description of a scene file: the parser, the JSON schema, the hints
//! in error messages and [`crate::scene::Scene::to_toml`] all come from them, and the doc comment
//! of a field is the help text that a user reads. Keys that a user may leave out and whose default
//! depends on other keys are `Option`s, which are filled in when the scene is read.

mod bodies;
mod grains;
mod motion;
mod output;
mod solver;
mod time;
mod values;
mod walls;

pub use bodies::{Body, Force, SphereShape};
pub use grains::{
    BoxRegion, ConeRegion, CsvSource, CylinderRegion, Grains, Grid, Lattice, Random, Region,
    RunSource, VtkSource,
};
pub use motion::MotionSpec;
pub use output::Output;
pub use solver::Solver;
pub use time::Time;
pub use values::{Distribution, Histogram, LogNormal, Quantity, Spacing, Vector};
pub use walls::{
    BlockShape, BoxShape, ConeShape, CylinderShape, Face, HalfSpaceShape, PlateShape, WallSpec,
};

use granule::law::{Friction, Interface, Law, LawName, LawTable, Restitution};
use granule::problem::ProblemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Walls, `[[walls]]`: surfaces that bodies touch, at rest or moving as prescribed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<WallSpec>,
    /// Many bodies at once, `[[grains]]`: on a grid, at random, or from a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grains: Vec<Grains>,
    /// Forces besides gravity, `[[forces]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<Force>,
}

impl Sections {
    /// What solvers are asked to solve in each step.
    pub(super) fn problem_kind(&self) -> ProblemKind {
        let laws = self.contacts.table(|_| 0);
        let rows = laws.rows(usize::from(self.scene.dimension));
        ProblemKind::of_contacts(rows, laws.flow())
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
    /// 1, 2 or 3: bodies move along x, in the plane z = 0 (as disks), or freely. Default 3.
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
    /// deeper than 1e-9 of the radius is an error.
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
    /// kg/m³ in 3D, kg/m² (mass over the area of a disk) in 2D, kg/m (mass over the length 2r) in
    /// 1D. Gives the mass of bodies that have no `mass` of their own. Default 2500.
    #[serde(default = "glass")]
    pub density: f64,
    /// What the density is multiplied by: the `"volume"` of a sphere, the `"area"` of a disk or
    /// the `"length"` 2r. Default: volume in 3D, area in 2D, length in 1D. Spheres that move in a
    /// plane have `"volume"`, and their density is in kg/m³.
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

/// Which law holds between bodies that touch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contacts {
    /// The law where no pair says otherwise. Default `"frictionless"`.
    #[serde(default)]
    pub law: LawName,
    /// Coefficient of sliding friction μ; needed by the laws with friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// m. Rolling resistance: the moment against rolling over the normal force. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f64>,
    /// m. Spinning resistance: the moment against spinning about the normal over the normal force.
    /// Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spinning_friction: Option<f64>,
    /// Coefficient of restitution e, 0 to 1: the velocity of departure over that of approach; not
    /// zero only with `scheme = "moreau-jean"`. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// The same across the normal, 0 to 1; for laws with friction. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangential_restitution: Option<f64>,
    /// m. Pairs nearer than this are candidates for contact, whatever their velocities. By default
    /// the distance follows from the velocities; no contact is missed in either case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_distance: Option<f64>,
    /// Laws between two materials: `[{ between = ["a", "b"], friction = 0.3 }]`. Default none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
}

/// The law between two materials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The names of the two materials, in any order; twice the same name for contacts of a
    /// material with itself.
    pub between: [String; 2],
    /// The law between them. By default that of `[contacts]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<LawName>,
    /// Coefficient of sliding friction μ; needed by the laws with friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// m. Rolling resistance: the moment against rolling over the normal force. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f64>,
    /// m. Spinning resistance: the moment against spinning about the normal over the normal force.
    /// Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spinning_friction: Option<f64>,
    /// Coefficient of restitution e, 0 to 1: the velocity of departure over that of approach; not
    /// zero only with `scheme = "moreau-jean"`. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// The same across the normal, 0 to 1; for laws with friction. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangential_restitution: Option<f64>,
}

/// The law of the given name with the coefficients that were given.
fn law(name: LawName, coefficients: [Option<f64>; 3]) -> Law {
    let [sliding, rolling, spinning] = coefficients.map(Option::unwrap_or_default);
    let friction = Friction {
        sliding,
        rolling,
        spinning,
    };
    name.with(friction)
}

/// The restitution with the coefficients that were given.
fn restitution(coefficients: [Option<f64>; 2]) -> Restitution {
    let [normal, tangential] = coefficients.map(Option::unwrap_or_default);
    Restitution { normal, tangential }
}

impl Contacts {
    /// Sliding, rolling and spinning friction as given.
    pub(super) fn coefficients(&self) -> [Option<f64>; 3] {
        [self.friction, self.rolling_friction, self.spinning_friction]
    }

    /// Restitution along and across the normal as given.
    pub(super) fn restitution(&self) -> [Option<f64>; 2] {
        [self.restitution, self.tangential_restitution]
    }

    /// What holds where no pair says otherwise.
    pub fn default_interface(&self) -> Interface {
        Interface {
            law: law(self.law, self.coefficients()),
            restitution: restitution(self.restitution()),
        }
    }

    /// The name of the law of a pair.
    pub(super) fn name_of(&self, pair: &Pair) -> LawName {
        pair.law.unwrap_or(self.law)
    }

    /// What holds for a pair.
    pub fn interface_of(&self, pair: &Pair) -> Interface {
        Interface {
            law: law(self.name_of(pair), pair.coefficients()),
            restitution: restitution(pair.restitution()),
        }
    }

    /// What holds between which materials, with the numbers of materials by their names.
    pub fn table(&self, number: impl Fn(&str) -> u16) -> LawTable {
        let pairs = self.pairs.iter().map(|pair| {
            let [a, b] = &pair.between;
            (number(a), number(b), self.interface_of(pair))
        });
        LawTable {
            default: self.default_interface(),
            pairs: pairs.collect(),
        }
    }
}

impl Pair {
    /// Sliding, rolling and spinning friction as given.
    pub(super) fn coefficients(&self) -> [Option<f64>; 3] {
        [self.friction, self.rolling_friction, self.spinning_friction]
    }

    /// Restitution along and across the normal as given.
    pub(super) fn restitution(&self) -> [Option<f64>; 2] {
        [self.restitution, self.tangential_restitution]
    }
}
