//! Contacts that hold when they are pulled.
//!
//! The cone of impulses is shifted by the cohesion c, a force [tasora2013, figure 3]: once its bodies have touched, a
//! contact can be pulled by up to c, and slides at `|f_T| = μ (f_n + c)`. Pulled harder it flows apart under the
//! constant pull c; where it has flowed by more than its range it lets go. A cohesive contact holds again when its bodies
//! touch again, a bond never does.

use serde::{Deserialize, Serialize};

/// How much the contacts between two materials hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
pub struct Cohesion {
    /// c, N: the largest pull.
    pub strength: f64,
    /// m: how far a contact may flow apart before it lets go.
    pub range: f64,
}

impl Cohesion {
    /// Whether contacts can be pulled.
    pub fn holds(&self) -> bool {
        self.strength > 0.0
    }

    /// What is wrong with the numbers, if anything: the name of the setting and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        for (name, value, unit) in [
            ("cohesion", self.strength, "N"),
            ("cohesion_range", self.range, "m"),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err((name, format!("must be zero or more ({unit}), not {value}")));
            }
        }
        Ok(())
    }
}
