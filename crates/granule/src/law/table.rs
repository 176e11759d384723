//! Which law holds between which materials.

use super::{Flow, Law};
use serde::{Deserialize, Serialize};

/// Which law holds between which materials.
///
/// ```
/// use granule::law::{Friction, Law, LawTable};
/// let rough = Law::Coulomb(Friction::sliding(0.5));
/// let table = LawTable { default: rough, pairs: vec![(0, 1, Law::Frictionless)] };
/// assert_eq!(table.between(1, 0), Law::Frictionless);
/// assert_eq!(table.between(1, 1), rough);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LawTable {
    /// Where no pair says otherwise.
    pub default: Law,
    /// (material, material, law), in any order of the two.
    pub pairs: Vec<(u16, u16, Law)>,
}

impl LawTable {
    /// One law for all.
    pub fn uniform(law: Law) -> Self {
        Self {
            default: law,
            pairs: Vec::new(),
        }
    }

    /// The law between two materials.
    #[inline]
    pub fn between(&self, a: u16, b: u16) -> Law {
        self.pairs
            .iter()
            .find(|(x, y, _)| (*x, *y) == (a, b) || (*x, *y) == (b, a))
            .map_or(self.default, |(_, _, law)| *law)
    }

    /// Every law of the table.
    pub fn laws(&self) -> impl Iterator<Item = Law> {
        std::iter::once(self.default).chain(self.pairs.iter().map(|(_, _, law)| *law))
    }

    /// How impulses go with velocities.
    pub fn flow(&self) -> Flow {
        self.laws().find_map(Law::flow).unwrap_or_default()
    }

    /// Rows that a contact needs in so many dimensions: 1 without friction, 2 in a plane, 3 in space, 6
    /// with moments.
    pub fn rows(&self, dimensions: usize) -> usize {
        let any = |test: fn(&Law) -> bool| self.laws().any(|law| test(&law));
        if dimensions == 1 {
            // There is nothing across the normal.
            1
        } else if any(|law| law.friction().resists_rolling()) {
            6
        } else if any(|law| law.friction().sliding > 0.0) {
            dimensions
        } else {
            1
        }
    }

    /// What is wrong with the laws, if anything: the name of the setting and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        for law in self.laws() {
            law.friction().validate()?;
        }
        let flow = self.flow();
        if self.laws().filter_map(Law::flow).any(|other| other != flow) {
            let reason = "mixes `coulomb-convex` and `coulomb`: a step is either one convex problem \
                          or an exact one, so all pairs with friction must use the same of the two";
            return Err(("law", reason.to_owned()));
        }
        Ok(())
    }
}
