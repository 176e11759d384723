//! Contacts that yield: rounded cones, and cones that are cut off in compression.
//!
//! The set of forces is `(C ⊕ B) ∩ { f·n ≤ r }`: the Coulomb cone C and a ball B of radius d [tasora2013, figure 4], cut off
//! at the cap r (what the paper's figure 5 shows is not known; this reading is ours). Pulled by more than d a contact
//! flows apart, pressed by more than r it is crushed.

use serde::{Deserialize, Serialize};

/// Where the contacts between two materials yield.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Strength {
    /// d, N: the radius of the ball that rounds the cone.
    pub rounding: f64,
    /// r, N: the largest compression; none where every one is borne.
    pub cap: Option<f64>,
}

impl Strength {
    /// Whether contacts yield otherwise than by sliding and opening.
    pub fn yields(&self) -> bool {
        *self != Self::default()
    }

    /// What is wrong with the numbers, if anything: the name of the setting and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        let Self { rounding, cap } = *self;
        if !(rounding >= 0.0 && rounding.is_finite()) {
            let reason = format!("must be zero or more (N), not {rounding}");
            return Err(("rounding", reason));
        }
        match cap {
            Some(cap) if !(cap > 0.0 && cap.is_finite()) => {
                Err(("cap", format!("must be above zero (N), not {cap}")))
            }
            _ => Ok(()),
        }
    }
}
