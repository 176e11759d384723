//! Bonds: how strong they are, and which are given one by one.

use granule::law::Bond;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How strong bonds are. A bond holds until it breaks, and then never again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BondSpec {
    /// N. The largest pull.
    pub pull: f64,
    /// N. The largest shear without load; under compression more, under tension less. Default 0: it slides freely.
    #[serde(default)]
    pub shear: f64,
    /// N m. The largest bending moment without load. Default 0: a hinge.
    #[serde(default)]
    pub bending: f64,
    /// N m. The largest moment about the normal without load; 3D only. Default 0: it spins freely.
    #[serde(default)]
    pub torsion: f64,
    /// m. How far it may flow apart under its largest pull before it breaks. Default 0: brittle.
    #[serde(default)]
    pub opening: f64,
    /// m. How far it may slip under its largest shear before it breaks. Default 0.
    #[serde(default)]
    pub slip: f64,
    /// rad. How far it may turn under its largest moments before it breaks. Default 0.
    #[serde(default)]
    pub turn: f64,
    /// m. All pairs with a gap of at most this at the start are bonded. By default only those of `[[bonds]]` are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
}

impl From<BondSpec> for Bond {
    fn from(given: BondSpec) -> Self {
        let BondSpec {
            pull,
            shear,
            bending,
            torsion,
            opening,
            slip,
            turn,
            within,
        } = given;
        Self {
            pull,
            shear,
            bending,
            torsion,
            opening,
            slip,
            turn,
            within,
        }
    }
}

/// A bond between two spheres of `[[bodies]]`, as strong as the `bond` between their materials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BondPair {
    /// The names of the two bodies. The gap between them is at most the smaller radius.
    pub between: [String; 2],
}
