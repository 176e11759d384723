#![doc = include_str!("README.md")]

mod admissible_set;
mod bond;
mod cohesion;
mod coulomb;
mod dilatancy;
mod elasticity;
mod opening;
mod restitution;
mod strength;
mod table;

pub use admissible_set::{AdmissibleSet, Metric};
pub use bond::Bond;
pub use cohesion::Cohesion;
pub use coulomb::Friction;
pub use elasticity::{Elasticity, Flexibility, Stiffness};
pub use opening::Opening;
pub use restitution::Restitution;
pub use strength::Strength;
pub use table::{Interface, LawTable};

use serde::{Deserialize, Serialize};

/// A contact law as users and files name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LawName {
    /// Contacts push, and nothing else.
    #[default]
    Frictionless,
    /// Coulomb friction, convexified: sliding contacts open a little.
    CoulombConvex,
    /// Exact Coulomb friction.
    Coulomb,
}

impl LawName {
    /// Every law.
    pub const ALL: [Self; 3] = [Self::Frictionless, Self::CoulombConvex, Self::Coulomb];

    /// The law of this name with the given coefficients, of which `frictionless` needs none.
    pub fn with(self, friction: Friction) -> Law {
        match self {
            Self::Frictionless => Law::Frictionless,
            Self::CoulombConvex => Law::CoulombConvex(friction),
            Self::Coulomb => Law::Coulomb(friction),
        }
    }

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frictionless => "frictionless",
            Self::CoulombConvex => "coulomb-convex",
            Self::Coulomb => "coulomb",
        }
    }

    /// One line for people.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Frictionless => "contacts push and nothing else: Signorini's condition",
            Self::CoulombConvex => {
                "friction, rolling and spinning resistance, convexified: sliding contacts open by μ h |v|"
            }
            Self::Coulomb => "exact Coulomb friction, with rolling and spinning resistance",
        }
    }
}

/// How impulses go with velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum Flow {
    /// `-w ∈ N_K(λ)`: the minimisation of a convex function.
    #[default]
    Associated,
    /// `-(w + s(w) n) ∈ N_K(λ)` with de Saxcé's `s = μ |w_T| + δ |ω_T| + σ |ω_n|`: exact friction.
    Exact,
    /// `-H w ∈ N_K(λ)` with a matrix H for each contact ([`crate::problem::Skew`]): what flows is not normal to K
    /// [tasora2013, eq. (53)].
    Skewed,
}

/// A contact law with its coefficients.
///
/// ```
/// use granule::law::{Friction, Law};
/// let law = Law::Coulomb(Friction::sliding(0.5));
/// assert_eq!(law.name(), "coulomb");
/// assert_eq!(law.friction().sliding, 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
pub enum Law {
    /// Contacts push, and nothing else.
    #[default]
    Frictionless,
    /// Coulomb friction, convexified.
    CoulombConvex(Friction),
    /// Exact Coulomb friction.
    Coulomb(Friction),
}

impl Law {
    /// Which law, without its coefficients.
    pub fn kind(self) -> LawName {
        match self {
            Self::Frictionless => LawName::Frictionless,
            Self::CoulombConvex(_) => LawName::CoulombConvex,
            Self::Coulomb(_) => LawName::Coulomb,
        }
    }

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        self.kind().name()
    }

    /// The coefficients; zero for a law without friction.
    pub fn friction(self) -> Friction {
        match self {
            Self::Frictionless => Friction::default(),
            Self::CoulombConvex(friction) | Self::Coulomb(friction) => friction,
        }
    }

    /// How impulses go with velocities; `None` where friction is not part of the law, so that it
    /// goes with either.
    pub fn flow(self) -> Option<Flow> {
        match self {
            Self::Frictionless => None,
            Self::CoulombConvex(_) => Some(Flow::Associated),
            Self::Coulomb(_) => Some(Flow::Exact),
        }
    }
}
