//! J Δ = r with J row by row: dense where it is small or full, sparse otherwise.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::lu::{LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Mat, MatMut, Par};

/// Matrices of up to so many rows are dense.
const SMALL: usize = 150;
/// Larger matrices are dense if this share of their entries is filled.
const FULL: f64 = 0.25;

/// A matrix in compressed rows, filled from above.
#[derive(Default)]
pub(crate) struct RowMatrix {
    start: Vec<usize>,
    column: Vec<usize>,
    value: Vec<f64>,
    analysis: Option<Analysis>,
    numeric: NumericLu<usize, f64>,
}

/// The order of elimination for a pattern, for all matrices in a row that have it.
struct Analysis {
    start: Vec<usize>,
    column: Vec<usize>,
    symbolic: SymbolicLu<usize>,
    memory: MemBuffer,
}

impl RowMatrix {
    pub(crate) fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.column.clear();
        self.value.clear();
    }

    /// An entry of the row that is being filled; columns increase.
    pub(crate) fn push(&mut self, column: usize, value: f64) {
        self.column.push(column);
        self.value.push(value);
    }

    pub(crate) fn end_row(&mut self) {
        self.start.push(self.column.len());
    }

    /// `x ← J⁻¹ x`; `None` where there is no inverse.
    pub(crate) fn solve(&mut self, x: &mut [f64]) -> Option<()> {
        let size = x.len();
        let full = self.value.len() as f64 > FULL * (size * size) as f64;
        if size <= SMALL || full {
            self.solve_dense(x);
        } else {
            self.solve_sparse(x)?;
        }
        x.iter().all(|x| x.is_finite()).then_some(())
    }

    fn solve_dense(&self, x: &mut [f64]) {
        let size = x.len();
        let mut matrix = Mat::zeros(size, size);
        for row in 0..size {
            for place in self.start[row]..self.start[row + 1] {
                matrix[(row, self.column[place])] = self.value[place];
            }
        }
        // One thread: the number of threads must change no bit.
        let mut memory = MemBuffer::new(StackReq::any_of(&[
            factor::lu_in_place_scratch::<usize, f64>(size, size, Par::Seq, Default::default()),
            solve::solve_in_place_scratch::<usize, f64>(size, 1, Par::Seq),
        ]));
        let stack = MemStack::new(&mut memory);
        let (mut order, mut inverse) = (vec![0usize; size], vec![0usize; size]);
        let (_, order) = factor::lu_in_place(
            matrix.as_mut(),
            &mut order,
            &mut inverse,
            Par::Seq,
            stack,
            Default::default(),
        );
        solve::solve_in_place(
            matrix.as_ref(),
            matrix.as_ref(),
            order,
            MatMut::from_column_major_slice_mut(x, size, 1),
            Par::Seq,
            stack,
        );
    }

    /// Analyses the pattern, unless it is the last one.
    fn analyse(&mut self, size: usize) -> Option<()> {
        let known = self.analysis.as_ref();
        if known.is_some_and(|a| a.start == self.start && a.column == self.column) {
            return Some(());
        }
        self.analysis = None;
        let pattern =
            SymbolicSparseColMatRef::new_checked(size, size, &self.start, None, &self.column);
        let symbolic = factorize_symbolic_lu(
            pattern,
            LuSymbolicParams {
                // The other way panics where a pivot is zero.
                supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
                ..LuSymbolicParams::default()
            },
        )
        .ok()?;
        let memory = MemBuffer::new(StackReq::any_of(&[
            symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default()),
            symbolic.solve_transpose_in_place_scratch::<f64>(1, Par::Seq),
        ]));
        self.analysis = Some(Analysis {
            start: self.start.clone(),
            column: self.column.clone(),
            symbolic,
            memory,
        });
        Some(())
    }

    fn solve_sparse(&mut self, x: &mut [f64]) -> Option<()> {
        let size = x.len();
        self.analyse(size)?;
        let Analysis {
            symbolic, memory, ..
        } = self.analysis.as_mut()?;
        // Rows are the columns of the transpose.
        let pattern =
            SymbolicSparseColMatRef::new_checked(size, size, &self.start, None, &self.column);
        let factor = symbolic
            .factorize_numeric_lu(
                &mut self.numeric,
                SparseColMatRef::new(pattern, &self.value),
                Par::Seq,
                MemStack::new(memory),
                Default::default(),
            )
            .ok()?;
        factor.solve_transpose_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, size, 1),
            Par::Seq,
            MemStack::new(memory),
        );
        Some(())
    }
}
