//! Frictionless contact: Signorini's condition.
//!
//! `λ ≥ 0, w ≥ 0, λ w = 0` with the impulse λ along the normal (N s) and w the normal velocity
//! after the step as the scheme defines it (m/s): [bloch2023, eq. (1)], [maury2006, eq. (11)].

use super::AdmissibleSet;

/// The frictionless law; it has no parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frictionless;

impl Frictionless {
    /// Only the normal.
    pub const ROWS: usize = 1;

    /// K = { λ ≥ 0 }.
    pub fn admissible_set(self) -> AdmissibleSet {
        AdmissibleSet::HalfLine
    }
}
