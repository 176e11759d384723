//! Newton's impact law: how much of its approach a contact gives back.
//!
//! ```text
//! w = v⁺ + e v⁻                                                  [barboteu2017, eq. (21)], times 1 + e
//! ```
//!
//! with the relative velocities v⁻ and v⁺ at the start and at the end of the step: where the law
//! asks for `w_n = 0` the contact leaves with `v_n⁺ = -e v_n⁻`. The paper divides by 1 + e, which
//! changes neither the sign nor the zero of w; with its division the operator is W/(1 + e)
//! throughout (its equations (17), (30), (31), (34) and (40) leave that out).
//!
//! As with Moreau, v⁻ counts whatever its sign: a contact that opens and is closed again within the
//! step may approach with up to `e v_n⁻` at its end, and gives that back in the next. Only what
//! approaches rebounds: for `v_n⁻ > 0` the bound on v⁺ is negative, never a push.
//!
//! Across the normal the same holds with a coefficient of its own, for what friction can hold:
//! `v_T⁺ = -e_T v_T⁻` while the contact does not slide (in the sense of w). With one coefficient
//! for all contacts (and e_T = e where there is friction) impacts gain no energy, however many
//! there are at once; with coefficients that differ Newton's law can gain some.

use serde::{Deserialize, Serialize};

/// The coefficients of restitution between two materials.
///
/// ```
/// use granule::law::Restitution;
/// assert!(Restitution::normal(0.8).validate().is_ok());
/// assert!(Restitution::normal(1.1).validate().is_err());
/// assert!(Restitution::default().is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
pub struct Restitution {
    /// e: the velocity of departure over that of approach, 0 to 1.
    pub normal: f64,
    /// e_T: the same across the normal, 0 to 1.
    pub tangential: f64,
}

impl Restitution {
    /// Only along the normal.
    pub fn normal(coefficient: f64) -> Self {
        Self {
            normal: coefficient,
            ..Self::default()
        }
    }

    /// Whether impacts are inelastic.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// What is wrong with the numbers, if anything: the name of the coefficient and the reason.
    pub fn validate(self) -> Result<(), (&'static str, String)> {
        for (name, value) in [
            ("restitution", self.normal),
            ("tangential_restitution", self.tangential),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err((name, format!("must be between 0 and 1, not {value}")));
            }
        }
        Ok(())
    }
}
