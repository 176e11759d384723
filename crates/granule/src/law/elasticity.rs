//! Contacts that give: springs and dampers in them.
//!
//! ```text
//! γ = -K y_E - R dy_E/dt,   R = α_M m + α_K K,   y = y_E + y_P          [tasora2013, eq. (25), (45)]
//! dy_P/dt ∈ -N(γ)                                                       [tasora2013, eq. (46)]
//! ```
//!
//! with the force γ, the displacement y of the contact (the gap along the normal, the way that its two points have gone
//! against each other across it), its elastic part y_E and its plastic part y_P. Over a step of length h with the impulse
//! λ = h γ at its end this is
//!
//! ```text
//! w = u + E λ + s = dy_P/dt ∈ -N(λ),   E = 1/(h (h K + R)),   s = K y_E/(h K + R)     [tasora2013, eq. (41), (50), (51)]
//! y_E⁺ = (R y_E - λ)/(h K + R)
//! ```
//!
//! (the paper prints E, and s in (30), with the wrong sign). For K → ∞ it is the rigid contact. No step is too long for a
//! stiff spring: this is the implicit Euler method.

use serde::{Deserialize, Serialize};

/// How stiff a contact is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
pub enum Stiffness {
    /// Rigid.
    #[default]
    Rigid,
    /// The same for all contacts of the two materials; none for a direction that does not give.
    Springs {
        /// K along the normal, N/m.
        normal: f64,
        /// K across it, N/m.
        tangential: Option<f64>,
        /// K against rolling, N m/rad.
        rolling: Option<f64>,
        /// K against spinning about the normal, N m/rad.
        spinning: Option<f64>,
    },
    /// That of spheres of an elastic material, from Hertz' law `F = 4/3 E* √R* δ^(3/2)`: the secant up to the overlap
    /// δ = `overlap` R*, so `K = 4/3 E* R* √overlap`, with the reduced radius R* (1/R* = 1/R_a + 1/R_b) and for two
    /// bodies of the same material E* = E/(2 (1 - ν²)). Across the normal `2 (1 - ν)/(2 - ν)` times as stiff, as Mindlin
    /// has it for small slips.
    Spheres {
        /// Young's modulus E, Pa.
        young: f64,
        /// Poisson's ratio ν.
        poisson: f64,
        /// The overlap at which the force is Hertz' own, as a part of the reduced radius.
        overlap: f64,
    },
}

/// Stiffness and damping of the contacts between two materials.
///
/// ```
/// use granule::law::Elasticity;
/// let soft = Elasticity::springs(1e6, 5e5);
/// assert!(soft.gives() && soft.validate().is_ok());
/// let ease = soft.flexibility(0.01);
/// assert_eq!((ease.normal, ease.tangential, ease.rolling), (1e-6, 2e-6, 0.0));
/// assert!(!Elasticity::default().gives());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
pub struct Elasticity {
    /// K.
    pub stiffness: Stiffness,
    /// α_K, s: damping as a multiple of the stiffness.
    pub damping: f64,
    /// α_M, 1/s: damping as a multiple of the reduced mass of the two bodies.
    pub mass_damping: f64,
}

/// 1/K of a contact, zero where it is rigid.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flexibility {
    /// Along the normal, m/N.
    pub normal: f64,
    /// Across it, m/N.
    pub tangential: f64,
    /// Against rolling, rad/(N m).
    pub rolling: f64,
    /// Against spinning, rad/(N m).
    pub spinning: f64,
}

impl Elasticity {
    /// Springs along the normal and across it (N/m) without damping.
    pub fn springs(normal: f64, tangential: f64) -> Self {
        Self {
            stiffness: Stiffness::Springs {
                normal,
                tangential: Some(tangential),
                rolling: None,
                spinning: None,
            },
            ..Self::default()
        }
    }

    /// Whether contacts give at all.
    pub fn gives(&self) -> bool {
        self.stiffness != Stiffness::Rigid
    }

    /// 1/K of a contact with the reduced radius R* (m).
    pub fn flexibility(&self, radius: f64) -> Flexibility {
        let inverse = |stiffness: Option<f64>| stiffness.map_or(0.0, |k| 1.0 / k);
        match self.stiffness {
            Stiffness::Rigid => Flexibility::default(),
            Stiffness::Springs {
                normal,
                tangential,
                rolling,
                spinning,
            } => Flexibility {
                normal: 1.0 / normal,
                tangential: inverse(tangential),
                rolling: inverse(rolling),
                spinning: inverse(spinning),
            },
            Stiffness::Spheres {
                young,
                poisson,
                overlap,
            } => {
                let modulus = young / (2.0 * (1.0 - poisson * poisson));
                let normal = 4.0 / 3.0 * modulus * radius * overlap.sqrt();
                let tangential = normal * 2.0 * (1.0 - poisson) / (2.0 - poisson);
                Flexibility {
                    normal: 1.0 / normal,
                    tangential: 1.0 / tangential,
                    ..Flexibility::default()
                }
            }
        }
    }

    /// What is wrong with the numbers, if anything: the name of the setting and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        let positive = |name, value: f64, unit: &str| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err((name, format!("must be above zero ({unit}), not {value}")))
            }
        };
        match self.stiffness {
            Stiffness::Rigid => {}
            Stiffness::Springs {
                normal,
                tangential,
                rolling,
                spinning,
            } => {
                positive("stiffness", normal, "N/m")?;
                for (name, value, unit) in [
                    ("tangential_stiffness", tangential, "N/m"),
                    ("rolling_stiffness", rolling, "N m/rad"),
                    ("spinning_stiffness", spinning, "N m/rad"),
                ] {
                    positive(name, value.unwrap_or(1.0), unit)?;
                }
            }
            Stiffness::Spheres {
                young,
                poisson,
                overlap,
            } => {
                positive("young", young, "Pa")?;
                if !(-1.0 < poisson && poisson <= 0.5) {
                    let reason = format!("must be above -1 and at most 0.5, not {poisson}");
                    return Err(("poisson", reason));
                }
                if !(overlap > 0.0 && overlap <= 0.5) {
                    let reason = format!("must be above 0 and at most 0.5, not {overlap}");
                    return Err(("reference_overlap", reason));
                }
            }
        }
        for (name, value, unit) in [
            ("damping", self.damping, "s"),
            ("mass_damping", self.mass_damping, "1/s"),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                let reason = format!("must be zero or more ({unit}), not {value}");
                return Err((name, reason));
            }
        }
        Ok(())
    }
}
