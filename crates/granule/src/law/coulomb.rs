//! Coulomb friction, convexified and exact, with resistance to rolling and spinning.
//!
//! ```text
//! K = { (f, τ) : |f_T| ≤ μ f_n,  |τ_T| ≤ δ f_n,  |τ_n| ≤ σ f_n }        [bloch2023, eq. (19)]
//! ```
//!
//! with the impulse f (N s) and the moment τ (N m s) that resists the relative spin; without δ and
//! σ it is the second-order cone and there is no moment. (The paper prints (19) with N and T
//! interchanged.)
//!
//! **Convexified** (`coulomb-convex`): `-w ∈ N_K(λ)`. Its dual is the constraint
//! `D + h w_n ≥ μ h |w_T|` of [bloch2023, eq. (28)]: a contact that slides opens by `μ h |w_T|` a
//! step; see the README of this folder for when that vanishes with the step, and when not.
//!
//! **Exact** (`coulomb`): the same with de Saxcé's correction, `-(w + (μ |w_T| + δ |ω_T| + σ |ω_n|)
//! n) ∈ N_K(λ)`, the fixed point of [bloch2023, eq. (27)]: then `w_n = 0` while it slides. The
//! problem is no longer the minimisation of a convex function.

use serde::{Deserialize, Serialize};

/// The coefficients of friction between two materials.
///
/// ```
/// use granule::law::Friction;
/// assert!(Friction::sliding(0.5).validate().is_ok());
/// assert!(Friction::sliding(-0.1).validate().is_err());
/// assert!(!Friction::sliding(0.5).resists_rolling());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
pub struct Friction {
    /// μ: the largest tangential over normal impulse.
    pub sliding: f64,
    /// δ, m: the largest moment against rolling over the normal impulse.
    pub rolling: f64,
    /// σ, m: the largest moment against spinning about the normal over the normal impulse.
    pub spinning: f64,
}

impl Friction {
    /// The largest coefficient that is taken: far above, squares would overflow.
    pub const LARGEST: f64 = 1e12;

    /// Only against sliding.
    pub fn sliding(coefficient: f64) -> Self {
        Self {
            sliding: coefficient,
            ..Self::default()
        }
    }

    /// Whether there are moments.
    pub fn resists_rolling(self) -> bool {
        self.rolling > 0.0 || self.spinning > 0.0
    }

    /// What is wrong with the numbers, if anything: the name of the coefficient and the reason.
    pub fn validate(self) -> Result<(), (&'static str, String)> {
        let unit = |name| if name == "friction" { "" } else { " (m)" };
        for (name, value) in [
            ("friction", self.sliding),
            ("rolling_friction", self.rolling),
            ("spinning_friction", self.spinning),
        ] {
            if !(0.0..=Self::LARGEST).contains(&value) {
                let reason = format!(
                    "must be between 0 and {:e}{}, not {value}",
                    Self::LARGEST,
                    unit(name)
                );
                return Err((name, reason));
            }
        }
        Ok(())
    }
}
