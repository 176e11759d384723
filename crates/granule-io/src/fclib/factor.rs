//! The factor of a part of M.

use super::Flaw;
use super::condensation::{Entry, singular};
use granule::math::SparseFactor;

/// What M⁻¹ is applied by.
#[derive(Debug, Clone)]
pub(super) struct Factor(SparseFactor);

impl Factor {
    /// From the entries of M for these degrees of freedom, numbered from 0.
    pub(super) fn new(
        freedoms: &[usize],
        entries: &[Entry],
        symmetric: bool,
    ) -> Result<Self, Flaw> {
        let factor = SparseFactor::new(freedoms.len(), entries, symmetric);
        factor.map(Self).ok_or_else(|| singular(freedoms[0]))
    }

    /// `x ← M⁻¹ x` for `columns` vectors, one after another.
    pub(super) fn solve(&self, right: &mut [f64], columns: usize) {
        self.0.solve(right, columns);
    }
}
