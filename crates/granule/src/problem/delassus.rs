//! W as solvers see it.

use super::matrix_free::BodyLines;
use super::{Assembled, MatrixFree};
use crate::math::DVec3;
use crate::parallel::CONTACT_CHUNK;

/// The Delassus operator W, in one of its forms.
///
/// Rows are numbered contact by contact. Loops over contacts go in chunks of
/// [`CONTACT_CHUNK`] contacts.
#[derive(Debug, Clone, PartialEq)]
pub enum Delassus {
    /// Dᵀ M⁻¹ D, applied through the bodies.
    MatrixFree(MatrixFree),
    /// A sparse matrix.
    Assembled(Assembled),
}

impl Default for Delassus {
    fn default() -> Self {
        Self::MatrixFree(MatrixFree::default())
    }
}

/// Scratch memory for applying W; reused from solve to solve.
#[derive(Debug, Clone, Default)]
pub struct DelassusScratch {
    pub(super) lines: BodyLines,
    sums: Vec<f64>,
}

impl Delassus {
    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        match self {
            Self::MatrixFree(operator) => operator.space.contacts.len(),
            Self::Assembled(matrix) => matrix.contact_count(),
        }
    }

    /// Rows a contact: 1, 2 or 3.
    pub fn rows(&self) -> usize {
        match self {
            Self::MatrixFree(operator) => operator.space.rows,
            Self::Assembled(matrix) => matrix.rows(),
        }
    }

    /// Length of impulse vectors.
    pub fn len(&self) -> usize {
        self.contact_count() * self.rows()
    }

    /// Whether there is no contact.
    pub fn is_empty(&self) -> bool {
        self.contact_count() == 0
    }

    /// Number of chunks that loops over contacts are cut into.
    pub fn chunk_count(&self) -> usize {
        self.contact_count().div_ceil(CONTACT_CHUNK)
    }

    /// Unit normal of a contact in the coordinates of its block.
    #[inline]
    pub fn normal(&self, contact: usize) -> DVec3 {
        match self {
            Self::MatrixFree(operator) => operator.space.contacts[contact].normal,
            Self::Assembled(matrix) => matrix.normal(contact),
        }
    }

    /// λ_max(W_kk), 1/kg.
    pub fn largest_diagonal(&self, contact: usize) -> f64 {
        match self {
            Self::MatrixFree(operator) => {
                operator.space.largest_diagonal(&operator.space.contacts[contact])
            }
            Self::Assembled(matrix) => matrix.largest_diagonal(contact),
        }
    }

    /// `out = W x`.
    pub fn apply(&self, x: &[f64], scratch: &mut DelassusScratch, out: &mut [f64]) {
        // Unit partial results take no memory, so this vector never allocates.
        let mut partials = vec![(); self.chunk_count()];
        self.apply_map(x, scratch, out, &mut partials, |_, _| ());
    }

    /// Computes W x chunk by chunk and, while a chunk is still in the cache, lets
    /// `then(chunk, w)` replace the chunk of W x by what belongs in `out`. What `then` gives is kept
    /// in `partials`, one entry a chunk, for sums in a fixed order.
    pub fn apply_map<P, F>(
        &self,
        x: &[f64],
        scratch: &mut DelassusScratch,
        out: &mut [f64],
        partials: &mut [P],
        then: F,
    ) where
        P: Send,
        F: Fn(usize, &mut [f64]) -> P + Sync,
    {
        assert_eq!(x.len(), self.len());
        assert_eq!(out.len(), self.len());
        match self {
            Self::MatrixFree(operator) => {
                operator.apply_map(x, &mut scratch.lines, out, partials, then);
            }
            Self::Assembled(matrix) => matrix.apply_map(x, out, partials, then),
        }
    }

    /// An upper bound for λ_max(S^½ W S^½), S = diag(σ_k), without iterating.
    pub fn spectral_bound(
        &self,
        scale: impl Fn(usize) -> f64,
        scratch: &mut DelassusScratch,
    ) -> f64 {
        match self {
            Self::MatrixFree(operator) => operator.spectral_bound(scale, &mut scratch.sums),
            Self::Assembled(matrix) => matrix.spectral_bound(scale),
        }
    }
}
