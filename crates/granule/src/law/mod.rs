#![doc = include_str!("README.md")]

mod admissible_set;
mod frictionless;

pub use admissible_set::AdmissibleSet;
pub use frictionless::Frictionless;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A contact law as users and files name it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Contacts push, and nothing else.
    #[default]
    Frictionless,
}

impl Law {
    /// Every law.
    pub const ALL: [Self; 1] = [Self::Frictionless];

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frictionless => "frictionless",
        }
    }

    /// One line for people.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Frictionless => "contacts push and nothing else: Signorini's condition",
        }
    }

    /// How many rows a contact has: 1 for the normal alone.
    pub fn rows(self) -> usize {
        match self {
            Self::Frictionless => Frictionless::ROWS,
        }
    }

    /// The set that the impulses of a contact lie in.
    pub fn admissible_set(self) -> AdmissibleSet {
        match self {
            Self::Frictionless => Frictionless.admissible_set(),
        }
    }
}
