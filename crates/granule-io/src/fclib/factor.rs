//! The factor of a part of M.

use super::Flaw;
use super::condensation::{Entry, singular};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::linalg::solvers::Qr;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par, Side};
use std::sync::Arc;

/// What M⁻¹ is applied by.
#[derive(Debug, Clone)]
pub(super) enum Factor {
    Cholesky(Arc<SymbolicCholesky<usize>>, Vec<f64>),
    /// Where M is not symmetric or not positive. Not LU: that of the library panics at a pivot of zero.
    Orthogonal(Qr<usize, f64>),
}

impl Factor {
    /// From the entries of M for these degrees of freedom, numbered from 0.
    pub(super) fn new(
        freedoms: &[usize],
        entries: &[Entry],
        symmetric: bool,
    ) -> Result<Self, Flaw> {
        let broken = || singular(freedoms[0]);
        let size = freedoms.len();
        let triplets: Vec<Triplet<usize, usize, f64>> = entries
            .iter()
            .map(|(row, column, value)| Triplet::new(*row, *column, *value))
            .collect();
        let matrix =
            SparseColMat::try_new_from_triplets(size, size, &triplets).map_err(|_| broken())?;
        if symmetric && let Some(factor) = Self::cholesky(&matrix) {
            return Ok(factor);
        }
        let factor = matrix.sp_qr().map_err(|_| broken())?;
        Ok(Self::Orthogonal(factor))
    }

    fn cholesky(matrix: &SparseColMat<usize, f64>) -> Option<Self> {
        let side = Side::Lower;
        let symbolic = factorize_symbolic_cholesky(
            matrix.symbolic(),
            side,
            Default::default(),
            Default::default(),
        )
        .ok()?;
        let mut values = vec![0.0; symbolic.len_val()];
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        symbolic
            .factorize_numeric_llt(
                &mut values,
                matrix.as_ref(),
                side,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(scratch)),
                Default::default(),
            )
            .ok()?;
        Some(Self::Cholesky(Arc::new(symbolic), values))
    }

    /// `x ← M⁻¹ x` for `columns` vectors, one after another.
    pub(super) fn solve(&self, right: &mut [f64], columns: usize) {
        let size = right.len() / columns;
        let right = MatMut::from_column_major_slice_mut(right, size, columns);
        match self {
            Self::Cholesky(symbolic, values) => {
                let scratch = symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq);
                LltRef::new(symbolic, values).solve_in_place_with_conj(
                    Conj::No,
                    right,
                    Par::Seq,
                    MemStack::new(&mut MemBuffer::new(scratch)),
                );
            }
            // The library is built without threads, so one thread here too.
            Self::Orthogonal(factor) => factor.solve_in_place(right),
        }
    }
}
