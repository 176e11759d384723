//! Which law holds between which materials.

use super::{Bond, Cohesion, Elasticity, Flow, Law, Restitution, Strength};
use serde::{Deserialize, Serialize};

/// What holds between two materials.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Interface {
    /// What a contact may transmit.
    pub law: Law,
    /// What an impact gives back; not zero only with a scheme that knows impacts.
    pub restitution: Restitution,
    /// How far a contact gives.
    pub elasticity: Elasticity,
    /// How much a contact holds.
    pub cohesion: Cohesion,
    /// Where a contact yields.
    pub strength: Strength,
    /// tan ψ: what a contact that slides opens, over its slip, under `coulomb-convex`; `None` for that of the law, μ.
    pub dilatancy: Option<f64>,
    /// How strong bonds are, where some are made.
    pub bond: Option<Bond>,
}

impl Interface {
    /// Whether contacts remember more than their impulses: springs, cohesion, plastic flow and bonds.
    pub fn remembers(&self) -> bool {
        self.remembers_unbonded() || self.bond.is_some()
    }

    /// Whether contacts that are not bonded do, too.
    pub fn remembers_unbonded(&self) -> bool {
        self.elasticity.gives() || self.flows()
    }

    /// Whether contacts overlap on purpose: springs and what is crushed.
    pub fn overlaps(&self) -> bool {
        self.elasticity.gives() || self.strength.cap.is_some()
    }

    /// Whether contacts flow along the normal, apart or into each other.
    pub fn flows(&self) -> bool {
        self.cohesion.holds() || self.strength.yields()
    }
}

impl From<Law> for Interface {
    fn from(law: Law) -> Self {
        Self {
            law,
            ..Self::default()
        }
    }
}

/// What holds between which materials.
///
/// ```
/// use granule::law::{Friction, Law, LawTable};
/// let rough = Law::Coulomb(Friction::sliding(0.5));
/// let table = LawTable {
///     default: rough.into(),
///     pairs: vec![(0, 1, Law::Frictionless.into())],
/// };
/// assert_eq!(table.between(1, 0).law, Law::Frictionless);
/// assert_eq!(table.between(1, 1).law, rough);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LawTable {
    /// Where no pair says otherwise.
    pub default: Interface,
    /// (material, material, what holds), in any order of the two.
    pub pairs: Vec<(u16, u16, Interface)>,
}

impl LawTable {
    /// One law for all.
    pub fn uniform(law: impl Into<Interface>) -> Self {
        Self {
            default: law.into(),
            pairs: Vec::new(),
        }
    }

    /// The number of what holds between two materials, see [`LawTable::interface`].
    pub fn number(&self, a: u16, b: u16) -> u16 {
        let same = |(x, y, _): &(u16, u16, Interface)| (*x, *y) == (a, b) || (*x, *y) == (b, a);
        let place = self.pairs.iter().position(same);
        place.map_or(0, |place| place as u16 + 1)
    }

    /// What has this number: 0 for the default, k + 1 for pair k.
    #[inline]
    pub fn interface(&self, number: u16) -> &Interface {
        match number.checked_sub(1) {
            None => &self.default,
            Some(place) => &self.pairs[usize::from(place)].2,
        }
    }

    /// What holds between two materials.
    pub fn between(&self, a: u16, b: u16) -> &Interface {
        self.interface(self.number(a, b))
    }

    /// Everything that holds between some materials.
    pub fn interfaces(&self) -> impl Iterator<Item = &Interface> {
        let pairs = self.pairs.iter().map(|(_, _, interface)| interface);
        std::iter::once(&self.default).chain(pairs)
    }

    /// Every law of the table.
    pub fn laws(&self) -> impl Iterator<Item = Law> {
        self.interfaces().map(|interface| interface.law)
    }

    /// Whether every impact is inelastic.
    pub fn is_inelastic(&self) -> bool {
        self.interfaces().all(|i| i.restitution.is_none())
    }

    /// Whether some contacts give.
    pub fn give(&self) -> bool {
        self.interfaces().any(|i| i.elasticity.gives())
    }

    /// Whether some contacts hold when they are pulled: they flow along the normal, or are bonded.
    pub fn hold(&self) -> bool {
        self.interfaces().any(|i| i.flows() || i.bond.is_some())
    }

    /// The bonds of all interfaces.
    pub fn bonds(&self) -> impl Iterator<Item = Bond> {
        self.interfaces().filter_map(|i| i.bond)
    }

    /// Whether some contacts yield otherwise than by sliding and opening.
    pub fn yield_somewhere(&self) -> bool {
        self.interfaces().any(|i| i.strength.yields())
    }

    /// Whether some contacts remember more than their impulses.
    pub fn remember(&self) -> bool {
        self.interfaces().any(|i| i.remembers())
    }

    /// How impulses go with velocities: skewed where some pair has a dilatancy of its own. Bonds flow as the contacts of the
    /// scene do; where none has friction, exactly.
    pub fn flow(&self) -> Flow {
        match self.interfaces().any(|i| i.dilatancy.is_some()) {
            true => Flow::Skewed,
            false => self.law_flow(),
        }
    }

    /// The flow of the laws themselves.
    fn law_flow(&self) -> Flow {
        let flow = self.laws().find_map(Law::flow);
        flow.unwrap_or_else(|| match self.bonds().any(|bond| bond.resists()) {
            true => Flow::Exact,
            false => Flow::default(),
        })
    }

    /// Rows that a contact needs in so many dimensions: 1 without friction, 2 in a plane, 3 in space, 6
    /// with moments; bonds count as contacts do.
    pub fn rows(&self, dimensions: usize) -> usize {
        let any = |test: fn(&Law) -> bool| self.laws().any(|law| test(&law));
        if dimensions == 1 {
            // There is nothing across the normal.
            1
        } else if any(|law| law.friction().resists_rolling())
            || self.bonds().any(|bond| bond.has_moments())
        {
            6
        } else if any(|law| law.friction().sliding > 0.0)
            || self.bonds().any(|bond| bond.shear > 0.0)
        {
            dimensions
        } else {
            1
        }
    }

    /// What is wrong with the laws, if anything: the name of the setting and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        for interface in self.interfaces() {
            let Interface {
                law,
                restitution,
                elasticity,
                cohesion,
                strength,
                dilatancy,
                bond,
            } = *interface;
            law.friction().validate()?;
            restitution.validate()?;
            elasticity.validate()?;
            cohesion.validate()?;
            strength.validate()?;
            interface.check_dilatancy()?;
            if let Some(bond) = bond {
                bond.validate()?;
                if strength.yields() || dilatancy.is_some() {
                    let reason = "does not go with `rounding`, `cap` and `dilatancy`: the set of a bonded contact is a cone \
                                  with a flow of its own";
                    return Err(("bond", reason.to_owned()));
                }
            }
            if strength.yields() && law.flow() == Some(Flow::Exact) {
                let name = if strength.rounding > 0.0 {
                    "rounding"
                } else {
                    "cap"
                };
                let reason = "goes with `coulomb-convex` or `frictionless`: for exact friction no such law is known";
                return Err((name, reason.to_owned()));
            }
            if interface.remembers() && !restitution.is_none() {
                let reason = "is zero where contacts give or hold: what they give back follows from \
                              stiffness and damping";
                return Err(("restitution", reason.to_owned()));
            }
            if restitution.tangential > 0.0 && law.friction().sliding == 0.0 {
                let reason = "needs friction: without it nothing acts across the normal";
                return Err(("tangential_restitution", reason.to_owned()));
            }
        }
        if self.pairs.len() >= usize::from(u16::MAX) {
            return Err(("pairs", format!("are at most {}", u16::MAX - 1)));
        }
        if self.flow() == Flow::Skewed {
            let turns = self.laws().any(|law| law.friction().resists_rolling());
            let others = match self.yield_somewhere() {
                _ if turns => "`rolling_friction` and `spinning_friction`",
                true => "`rounding` and `cap`",
                false => "",
            };
            if !others.is_empty() {
                let reason =
                    format!("does not go with {others}, of any pair: no such law is known");
                return Err(("dilatancy", reason));
            }
        }
        let flow = self.law_flow();
        if self.laws().filter_map(Law::flow).any(|other| other != flow) {
            let reason = "mixes `coulomb-convex` and `coulomb`: a step is either one convex problem \
                          or an exact one, so all pairs with friction must use the same of the two";
            return Err(("law", reason.to_owned()));
        }
        Ok(())
    }
}
