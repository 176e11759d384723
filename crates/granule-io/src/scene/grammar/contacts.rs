//! `[contacts]`: which law holds between bodies that touch, and its pairs of materials.

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
            /// Coefficient of restitution e, 0 to 1: the velocity of departure over that of approach; not
            /// zero only with `scheme = "moreau-jean"`. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub restitution: Option<f64>,
            /// The same across the normal, 0 to 1; for laws with friction. Default 0.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub tangential_restitution: Option<f64>,
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
        #[serde(default)]
        pub law: LawName,
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
        self.interface(self.law)
    }

    /// The name of the law of a pair.
    pub(in super::super) fn name_of(&self, pair: &Pair) -> LawName {
        pair.law.unwrap_or(self.law)
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
