//! The sets K of all contacts of a problem.

use crate::law::AdmissibleSet;

/// The set of each contact. The contacts of a step have sets of the same kind (where laws differ, the
/// smaller ones are members of the larger kind with zero coefficients), for which the kernels are made;
/// a problem with joints has any.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Sets {
    /// Half-lines: no friction.
    #[default]
    HalfLine,
    /// Second-order cones: μ of each contact.
    Cone(Vec<f64>),
    /// Cones with moments: μ, δ and σ of each contact, the latter two as multiples of the contact's
    /// length.
    RollingCone(Vec<[f64; 3]>),
    /// Any sets side by side.
    Mixed(Vec<AdmissibleSet>),
}

impl Sets {
    /// The set of a contact.
    #[inline(always)]
    pub fn get(&self, contact: usize) -> AdmissibleSet {
        match self {
            Self::HalfLine => AdmissibleSet::HalfLine,
            Self::Cone(friction) => AdmissibleSet::Cone {
                friction: friction[contact],
            },
            Self::RollingCone(coefficients) => {
                let [friction, rolling, spinning] = coefficients[contact];
                AdmissibleSet::RollingCone {
                    friction,
                    rolling,
                    spinning,
                }
            }
            Self::Mixed(sets) => sets[contact],
        }
    }

    /// The same cone for all contacts.
    pub fn uniform_cone(friction: f64, contacts: usize) -> Self {
        Self::Cone(vec![friction; contacts])
    }
}
