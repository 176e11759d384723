//! Bonds: contacts that hold until they break, for good.
//!
//! While a contact is bonded its set is the cone of the bond with its apex at the largest pull c
//! [tasora2013, §8, footnote 2], with moments:
//!
//! ```text
//! K = { (f, τ) : |f_T| ≤ μ_b (f_n + c),  |τ_T| ≤ δ_b (f_n + c),  |τ_n| ≤ σ_b (f_n + c) }
//! μ_b = shear/pull,   δ_b = bending/pull,   σ_b = torsion/pull,   c = pull
//! ```
//!
//! Without load it holds the shear, the bending moment and the torsion that are given, under compression more and under
//! tension less. A direction without strength is free: a bond without `bending` is a hinge. The slopes are the bond's own,
//! whatever the friction of the interface is.
//!
//! Beyond that it flows, and it breaks at the end of the step in which it has opened, slipped or turned by flow by more
//! than its limits, which are zero for a brittle bond. Then the ordinary law of the interface holds between the two. Flow in
//! directions without strength does not break it. Under a convexified law what slips or turns by flow also opens.

use super::Friction;
use serde::{Deserialize, Serialize};

/// How strong the bonds between two materials are, and when they break.
///
/// ```
/// use granule::law::Bond;
/// let glue = Bond { shear: 50.0, ..Bond::pulled(100.0) };
/// assert!(glue.validate().is_ok());
/// assert_eq!(glue.slopes(), [0.5, 0.0, 0.0]);
/// assert!(Bond::pulled(0.0).validate().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bond {
    /// c, N: the largest pull.
    pub pull: f64,
    /// N: the largest shear without load; zero if it slides freely.
    pub shear: f64,
    /// N m: the largest bending moment without load; zero for a hinge.
    pub bending: f64,
    /// N m: the largest moment about the normal without load; zero if it spins freely.
    pub torsion: f64,
    /// m: it breaks when it has flowed apart by more than this.
    pub opening: f64,
    /// m: it breaks when it has slipped by more than this.
    pub slip: f64,
    /// rad: it breaks when it has turned by flow by more than this.
    pub turn: f64,
    /// m: at the start all pairs with a gap of at most this are bonded; none where bonds are made one by one.
    pub within: Option<f64>,
}

impl Bond {
    /// A brittle bond that holds this pull (N) and nothing else, made one by one.
    pub fn pulled(pull: f64) -> Self {
        Self {
            pull,
            shear: 0.0,
            bending: 0.0,
            torsion: 0.0,
            opening: 0.0,
            slip: 0.0,
            turn: 0.0,
            within: None,
        }
    }

    /// Whether it resists shear or moments.
    pub fn resists(&self) -> bool {
        self.shear > 0.0 || self.has_moments()
    }

    /// Whether it resists bending or torsion.
    pub fn has_moments(&self) -> bool {
        self.bending > 0.0 || self.torsion > 0.0
    }

    /// μ_b, δ_b (m) and σ_b (m).
    pub fn slopes(&self) -> [f64; 3] {
        [self.shear, self.bending, self.torsion].map(|strength| strength / self.pull)
    }

    /// What is wrong with the numbers, if anything: the name of the setting and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        let Self {
            pull,
            shear,
            bending,
            torsion,
            opening,
            slip,
            turn,
            within,
        } = *self;
        if !(pull > 0.0 && pull.is_finite()) {
            return Err(("pull", format!("must be above zero (N), not {pull}")));
        }
        for (name, value, unit) in [
            ("shear", shear, "N"),
            ("bending", bending, "N m"),
            ("torsion", torsion, "N m"),
            ("opening", opening, "m"),
            ("slip", slip, "m"),
            ("turn", turn, "rad"),
            ("within", within.unwrap_or_default(), "m"),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err((name, format!("must be zero or more ({unit}), not {value}")));
            }
        }
        let names = ["shear", "bending", "torsion"];
        match self.slopes().iter().position(|s| *s > Friction::LARGEST) {
            None => Ok(()),
            Some(k) => {
                let reason = format!("must be at most {:e} times the pull", Friction::LARGEST);
                Err((names[k], reason))
            }
        }
    }
}
