//! What a user may ask of a scheme.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time-stepping scheme by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "kebab-case")]
pub enum SchemeName {
    /// Maury's linearised gap.
    #[default]
    Maury,
}

impl SchemeName {
    /// Every scheme.
    pub const ALL: [Self; 1] = [Self::Maury];

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Maury => "maury",
        }
    }

    /// One line for people.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Maury => {
                "gap linearised over the step, inelastic: feasible and stable for any step"
            }
        }
    }
}

/// How a penetration that is there at the start of a step is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// By moving the bodies apart without giving them velocity: what the last certificate
    /// allowed is undone by the velocity, anything deeper (curved walls, overlapping starts) by a
    /// displacement of its own, so that no energy goes into the motion.
    #[default]
    Position,
    /// By the velocity alone, as the papers print it: a penetration d gives the velocity d/h.
    Velocity,
}

/// A scheme with its knobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct SchemeConfig {
    /// Which scheme.
    pub name: SchemeName,
    /// How penetrations are undone.
    pub recovery: Recovery,
}
