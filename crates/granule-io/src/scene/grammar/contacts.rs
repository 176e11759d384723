//! `[contacts]`: which law holds between bodies that touch, and its pairs of materials.

use super::BondSpec;
use super::springs::SpringKeys;
use granule::law::{Friction, Interface, LawName, LawTable, Restitution};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes a section of the keys that stand before the coefficients of a law, the coefficients, and the
/// keys that stand after them. (Serde's `flatten` would do the same, but then unknown keys pass.)
macro_rules! with_coefficients {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($before:tt)* }
        after { $($after:tt)* }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($before)*
            /// Coefficient of sliding friction μ; needed by the laws with friction.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub friction: Option<f64>,
            /// m. Rolling resistance: the moment against rolling over the normal force. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub rolling_friction: Option<f64>,
            /// m. Spinning resistance: the moment against spinning about the normal over the normal force.
            /// Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub spinning_friction: Option<f64>,
            /// tan ψ, above 0 and at most `friction`: a contact that slides opens by this times its slip, in place of `friction`
            /// times; for `coulomb-convex`. Default `friction`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub dilatancy: Option<f64>,
            /// Coefficient of restitution e, 0 to 1: the velocity of departure over that of approach; not
            /// zero only with `scheme = "moreau-jean"`. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub restitution: Option<f64>,
            /// The same across the normal, 0 to 1; for laws with friction. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub tangential_restitution: Option<f64>,
            /// N/m. How stiff contacts are along the normal; the overlap under a force F is F over this. Rigid if it is not
            /// given.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub stiffness: Option<f64>,
            /// N/m. The same across the normal. Default: as along it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub tangential_stiffness: Option<f64>,
            /// N m/rad. How stiff contacts are against rolling. Rigid if it is not given.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub rolling_stiffness: Option<f64>,
            /// N m/rad. How stiff contacts are against spinning about the normal. Rigid if it is not given.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub spinning_stiffness: Option<f64>,
            /// Pa. Young's modulus of spheres, in place of `stiffness`: the secant of Hertz' law up to `reference_overlap`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub young: Option<f64>,
            /// Poisson's ratio, with `young`. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub poisson: Option<f64>,
            /// The overlap, as a part of the reduced radius, at which a sphere of `young` carries what Hertz' law says.
            /// Default 0.01.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub reference_overlap: Option<f64>,
            /// s. Damping as a multiple of the stiffness, α_K. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub damping: Option<f64>,
            /// 1/s. Damping as a multiple of the reduced mass of the two bodies, α_M. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub mass_damping: Option<f64>,
            /// N. The pull that a contact holds once its bodies have touched. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub cohesion: Option<f64>,
            /// m. How far a contact flows apart under a larger pull before it lets go; needed with `cohesion`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub cohesion_range: Option<f64>,
            /// N. Rounds the cone of friction: the radius of a ball that is added to it, so that a contact also holds this
            /// pull; for `coulomb-convex` and `frictionless`. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub rounding: Option<f64>,
            /// N. The largest compression: pressed harder, a contact is crushed under this force; for `coulomb-convex` and
            /// `frictionless`. Default none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub cap: Option<f64>,
            /// How strong bonds are, which break for good: `{ pull, shear, bending, torsion, opening, slip, turn, within }`.
            /// Default: there are none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub bond: Option<BondSpec>,
            $($after)*
        }

        impl $name {
            /// Sliding, rolling and spinning friction as given.
            pub(in super::super) fn coefficients(&self) -> [Option<f64>; 3] {
                [self.friction, self.rolling_friction, self.spinning_friction]
            }

            /// Restitution along and across the normal as given.
            pub(in super::super) fn restitution(&self) -> [Option<f64>; 2] {
                [self.restitution, self.tangential_restitution]
            }

            /// Springs and cohesion as given.
            pub(in super::super) fn springs(&self) -> SpringKeys {
                SpringKeys {
                    stiffness: self.stiffness,
                    tangential_stiffness: self.tangential_stiffness,
                    rolling_stiffness: self.rolling_stiffness,
                    spinning_stiffness: self.spinning_stiffness,
                    young: self.young,
                    poisson: self.poisson,
                    reference_overlap: self.reference_overlap,
                    damping: self.damping,
                    mass_damping: self.mass_damping,
                    cohesion: self.cohesion,
                    cohesion_range: self.cohesion_range,
                    rounding: self.rounding,
                    cap: self.cap,
                }
            }

            /// The interface with these coefficients and the law of the given name.
            fn interface(&self, law: LawName) -> Interface {
                let [sliding, rolling, spinning] = self.coefficients().map(Option::unwrap_or_default);
                let [normal, tangential] = self.restitution().map(Option::unwrap_or_default);
                Interface {
                    law: law.with(Friction {
                        sliding,
                        rolling,
                        spinning,
                    }),
                    restitution: Restitution { normal, tangential },
                    elasticity: self.springs().elasticity(),
                    cohesion: self.springs().held(),
                    strength: self.springs().strength(),
                    dilatancy: self.dilatancy,
                    bond: self.bond.map(Into::into),
                }
            }
        }
    };
}

with_coefficients! {
    /// Which law holds between bodies that touch.
    #[derive(Default)]
    pub struct Contacts {
        /// The law where no pair says otherwise. Default `"frictionless"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub law: Option<LawName>,
    }
    after {
        /// m. Pairs nearer than this are candidates for contact, whatever their velocities. By default
        /// the distance follows from the velocities; no contact is missed in either case.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub candidate_distance: Option<f64>,
        /// Laws between two materials: `[{ between = ["a", "b"], friction = 0.3 }]`. Default none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub pairs: Vec<Pair>,
    }
}

with_coefficients! {
    /// The law between two materials.
    pub struct Pair {
        /// The names of the two materials, in any order; twice the same name for contacts of a
        /// material with itself.
        pub between: [String; 2],
        /// The law between them. By default that of `[contacts]`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub law: Option<LawName>,
    }
    after {}
}

impl Contacts {
    /// What holds where no pair says otherwise.
    pub fn default_interface(&self) -> Interface {
        self.interface(self.name())
    }

    /// The name of the law where no pair says otherwise.
    pub(in super::super) fn name(&self) -> LawName {
        self.law.unwrap_or_default()
    }

    /// Whether a law is named, for all contacts or for some.
    pub(in super::super) fn names_a_law(&self) -> bool {
        self.law.is_some() || self.pairs.iter().any(|pair| pair.law.is_some())
    }

    /// The name of the law of a pair.
    pub(in super::super) fn name_of(&self, pair: &Pair) -> LawName {
        pair.law.unwrap_or(self.name())
    }

    /// What holds for a pair.
    pub fn interface_of(&self, pair: &Pair) -> Interface {
        pair.interface(self.name_of(pair))
    }

    /// What holds between which materials, with the numbers of materials by their names.
    pub fn table(&self, number: impl Fn(&str) -> u16) -> LawTable {
        let pairs = self.pairs.iter().map(|pair| {
            let [a, b] = &pair.between;
            (number(a), number(b), self.interface_of(pair))
        });
        LawTable {
            default: self.default_interface(),
            pairs: pairs.collect(),
        }
    }
}
