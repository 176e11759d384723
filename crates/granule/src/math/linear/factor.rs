//! The factor of any sparse matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::linalg::solvers::Qr;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par, Side};
use std::sync::Arc;

/// What the inverse of a sparse matrix is applied by, on one thread, so that no bit depends on their number.
///
/// ```
/// use granule::math::SparseFactor;
/// let entries = [(0, 0, 2.0), (1, 0, 1.0), (1, 1, 4.0)];
/// let factor = SparseFactor::new(2, &entries, false).expect("a matrix with an inverse");
/// let mut x = [2.0, 9.0];
/// factor.solve(&mut x, 1);
/// assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct SparseFactor(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Cholesky(Arc<SymbolicCholesky<usize>>, Vec<f64>),
    /// Where the matrix is not symmetric or not positive. Not LU: that of the library panics at a pivot of zero.
    Orthogonal(Qr<usize, f64>),
}

impl SparseFactor {
    /// From entries (row, column, value) of a square matrix with `size` rows; those at the same place are added. None
    /// where there is no factor; that there is one does not say that the matrix has an inverse.
    pub fn new(size: usize, entries: &[(usize, usize, f64)], symmetric: bool) -> Option<Self> {
        let triplets: Vec<Triplet<usize, usize, f64>> = entries
            .iter()
            .map(|(row, column, value)| Triplet::new(*row, *column, *value))
            .collect();
        let matrix = SparseColMat::try_new_from_triplets(size, size, &triplets).ok()?;
        if symmetric && let Some(factor) = cholesky(&matrix) {
            return Some(Self(factor));
        }
        let factor = matrix.sp_qr().ok()?;
        Some(Self(Kind::Orthogonal(factor)))
    }

    /// `x ← A⁻¹ x` for `columns` vectors, one after another.
    pub fn solve(&self, right: &mut [f64], columns: usize) {
        let size = right.len() / columns;
        let right = MatMut::from_column_major_slice_mut(right, size, columns);
        match &self.0 {
            Kind::Cholesky(symbolic, values) => {
                let scratch = symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq);
                LltRef::new(symbolic, values).solve_in_place_with_conj(
                    Conj::No,
                    right,
                    Par::Seq,
                    MemStack::new(&mut MemBuffer::new(scratch)),
                );
            }
            // The library is built without threads, so one thread here too.
            Kind::Orthogonal(factor) => factor.solve_in_place(right),
        }
    }
}

fn cholesky(matrix: &SparseColMat<usize, f64>) -> Option<Kind> {
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
    Some(Kind::Cholesky(Arc::new(symbolic), values))
}
