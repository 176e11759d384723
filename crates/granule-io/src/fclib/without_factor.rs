//! What stands for factors of matrices in a build without them.

use super::Flaw;
use super::condensation::Entry;

/// There is none.
#[derive(Debug, Clone)]
pub(super) enum Factor {}

impl Factor {
    /// Says how to get it.
    pub(super) fn new(_: &[usize], _: &[Entry], _: bool) -> Result<Self, Flaw> {
        Err(Flaw::of(
            "M",
            "it couples degrees of freedom, and this build was made without factors of matrices"
                .to_owned(),
            "build with `--features second-order`",
        ))
    }

    pub(super) fn solve(&self, _: &mut [f64], _: usize) {
        match *self {}
    }
}
