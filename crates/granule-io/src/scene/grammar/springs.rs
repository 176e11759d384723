//! What contacts give and hold, as the keys of `[contacts]` and its pairs say it.

use granule::law::{Cohesion, Elasticity, Stiffness, Strength};

/// The overlap, as a part of the reduced radius, up to which the secant of Hertz' law is taken if none is given.
const REFERENCE_OVERLAP: f64 = 0.01;

/// The keys about springs and cohesion, as given.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SpringKeys {
    pub stiffness: Option<f64>,
    pub tangential_stiffness: Option<f64>,
    pub rolling_stiffness: Option<f64>,
    pub spinning_stiffness: Option<f64>,
    pub young: Option<f64>,
    pub poisson: Option<f64>,
    pub reference_overlap: Option<f64>,
    pub damping: Option<f64>,
    pub mass_damping: Option<f64>,
    pub cohesion: Option<f64>,
    pub cohesion_range: Option<f64>,
    pub rounding: Option<f64>,
    pub cap: Option<f64>,
}

impl SpringKeys {
    /// Stiffness and damping.
    pub fn elasticity(&self) -> Elasticity {
        let stiffness = match (self.stiffness, self.young) {
            (Some(normal), _) => Stiffness::Springs {
                normal,
                tangential: self.tangential_stiffness.or(Some(normal)),
                rolling: self.rolling_stiffness,
                spinning: self.spinning_stiffness,
            },
            (None, Some(young)) => Stiffness::Spheres {
                young,
                poisson: self.poisson.unwrap_or_default(),
                overlap: self.reference_overlap.unwrap_or(REFERENCE_OVERLAP),
            },
            (None, None) => Stiffness::Rigid,
        };
        Elasticity {
            stiffness,
            damping: self.damping.unwrap_or_default(),
            mass_damping: self.mass_damping.unwrap_or_default(),
        }
    }

    /// The first key that is given of those that make contacts yield.
    pub fn yields(&self) -> Option<&'static str> {
        let keys = [("rounding", self.rounding), ("cap", self.cap)];
        let given = keys.iter().find(|(_, value)| value.is_some());
        given.map(|(key, _)| *key)
    }

    /// Where contacts yield.
    pub fn strength(&self) -> Strength {
        Strength {
            rounding: self.rounding.unwrap_or_default(),
            cap: self.cap,
        }
    }

    /// Cohesion.
    pub fn held(&self) -> Cohesion {
        Cohesion {
            strength: self.cohesion.unwrap_or_default(),
            range: self.cohesion_range.unwrap_or_default(),
        }
    }
}
