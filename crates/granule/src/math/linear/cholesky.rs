//! The sparse Cholesky factor of a symmetric matrix of blocks.

use crate::math::DMat3;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// Pivots are at least this share of the largest entry: what is smaller, or negative, is rounding.
const PIVOT: f64 = 1e-14;

/// The lower triangle of a matrix of blocks, each of `parts` × `parts` matrices of 3 × 3.
#[derive(Default)]
pub(crate) struct BlockMatrix {
    /// Rows a block: 3 or 6.
    size: usize,
    /// Where the entries of a block column begin, in blocks; the first of each is on the diagonal.
    starts: Vec<usize>,
    /// The block rows of these entries, rising in each column.
    rows: Vec<usize>,
    /// The entries, block after block, each by columns.
    values: Vec<f64>,
    factor: Factor,
}

impl BlockMatrix {
    /// A matrix of zeros with the given pairs (row > column, both below `count`) off its diagonal.
    pub(crate) fn reset(&mut self, count: usize, size: usize, pairs: &mut Vec<(u32, u32)>) {
        pairs.sort_unstable();
        pairs.dedup();
        self.size = size;
        self.starts.clear();
        self.rows.clear();
        let mut pairs = pairs.iter().peekable();
        for column in 0..count {
            self.starts.push(self.rows.len());
            self.rows.push(column);
            while let Some((_, row)) = pairs.next_if(|(c, _)| *c as usize == column) {
                self.rows.push(*row as usize);
            }
        }
        self.starts.push(self.rows.len());
        self.values.clear();
        self.values.resize(self.rows.len() * size * size, 0.0);
    }

    /// The block at (row ≥ column), by columns.
    fn block(&mut self, row: usize, column: usize) -> &mut [f64] {
        let range = self.starts[column]..self.starts[column + 1];
        let place = range.start
            + self.rows[range]
                .binary_search(&row)
                .expect("a pair that was announced");
        let area = self.size * self.size;
        &mut self.values[place * area..][..area]
    }

    /// Adds a 3 × 3 matrix to the given part of a block.
    pub(crate) fn add(&mut self, (row, column): (usize, usize), (i, j): (usize, usize), m: &DMat3) {
        let size = self.size;
        let block = self.block(row, column);
        for (c, values) in m.to_cols_array_2d().iter().enumerate() {
            let place = (3 * j + c) * size + 3 * i;
            for (entry, value) in block[place..place + 3].iter_mut().zip(values) {
                *entry += value;
            }
        }
    }

    /// Adds numbers to the diagonal of a block on the diagonal.
    pub(crate) fn add_diagonal(&mut self, place: usize, part: usize, value: f64) {
        let size = self.size;
        let block = self.block(place, place);
        for k in 3 * part..3 * part + 3 {
            block[k * (size + 1)] += value;
        }
    }

    /// Factorises. Where that fails, [`BlockMatrix::solve`] changes nothing: iterations go on without it.
    pub(crate) fn factorise(&mut self) {
        let mut factor = std::mem::take(&mut self.factor);
        factor.set(self);
        self.factor = factor;
    }

    /// `x ← A⁻¹ x`, after [`BlockMatrix::factorise`].
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }
}

/// The factor L of `P A Pᵀ = L Lᵀ`.
#[derive(Default)]
struct Factor {
    symbolic: Option<SymbolicCholesky<usize>>,
    values: Vec<f64>,
    columns: Vec<usize>,
    rows: Vec<usize>,
    entries: Vec<f64>,
    work: Option<MemBuffer>,
}

impl Factor {
    /// An order of the blocks that keeps the factor sparse (approximate minimum degree), entry by
    /// entry, and its inverse.
    fn order(matrix: &BlockMatrix) -> Option<(Vec<usize>, Vec<usize>)> {
        let count = matrix.starts.len() - 1;
        let pattern =
            SymbolicSparseColMatRef::new_checked(count, count, &matrix.starts, None, &matrix.rows);
        let (mut order, mut inverse) = (vec![0; count], vec![0; count]);
        let mut memory = MemBuffer::new(amd::order_scratch::<usize>(count, matrix.rows.len()));
        amd::order(
            &mut order,
            &mut inverse,
            pattern,
            amd::Control::default(),
            MemStack::new(&mut memory),
        )
        .ok()?;
        let size = matrix.size;
        let spread = |blocks: &[usize]| -> Vec<usize> {
            let entries = blocks
                .iter()
                .flat_map(|b| (0..size).map(move |k| b * size + k));
            entries.collect()
        };
        let order = spread(&order);
        let mut inverse = vec![0; order.len()];
        for (place, &entry) in order.iter().enumerate() {
            inverse[entry] = place;
        }
        Some((order, inverse))
    }

    /// The entries of the lower triangle, column by column.
    fn set_entries(&mut self, matrix: &BlockMatrix) {
        let (size, area) = (matrix.size, matrix.size * matrix.size);
        for list in [&mut self.columns, &mut self.rows] {
            list.clear();
        }
        self.entries.clear();
        for column in 0..matrix.starts.len() - 1 {
            let blocks = matrix.starts[column]..matrix.starts[column + 1];
            for c in 0..size {
                self.columns.push(self.rows.len());
                for place in blocks.clone() {
                    let row = matrix.rows[place];
                    let first = if row == column { c } else { 0 };
                    let values = &matrix.values[place * area + c * size..][..size];
                    self.rows.extend((first..size).map(|r| row * size + r));
                    self.entries.extend_from_slice(&values[first..]);
                }
            }
        }
        self.columns.push(self.rows.len());
    }

    /// That of a matrix, or none where it fails.
    fn set(&mut self, matrix: &BlockMatrix) {
        self.symbolic = None;
        self.set_entries(matrix);
        let count = self.columns.len() - 1;
        let Some((order, inverse)) = Self::order(matrix) else {
            return;
        };
        let pattern =
            SymbolicSparseColMatRef::new_checked(count, count, &self.columns, None, &self.rows);
        let symbolic = factorize_symbolic_cholesky(
            pattern,
            Side::Lower,
            SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, count)),
            CholeskySymbolicParams::default(),
        );
        let Ok(symbolic) = symbolic else {
            return;
        };
        self.values.clear();
        self.values.resize(symbolic.len_val(), 0.0);
        let mut work = MemBuffer::new(StackReq::any_of(&[
            symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        ]));
        let diagonal = self.columns[..count].iter().map(|&k| self.entries[k]);
        let smallest = PIVOT * diagonal.fold(0.0, f64::max);
        let good = symbolic
            .factorize_numeric_llt(
                &mut self.values,
                SparseColMatRef::new(pattern, &self.entries),
                Side::Lower,
                LltRegularization {
                    dynamic_regularization_delta: smallest,
                    dynamic_regularization_epsilon: smallest,
                },
                Par::Seq,
                MemStack::new(&mut work),
                Default::default(),
            )
            .is_ok();
        self.symbolic = good.then_some(symbolic);
        self.work = Some(work);
    }

    fn solve(&mut self, x: &mut [f64]) {
        let (Some(symbolic), Some(work)) = (&self.symbolic, &mut self.work) else {
            return;
        };
        let count = x.len();
        LltRef::new(symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, count, 1),
            Par::Seq,
            MemStack::new(work),
        );
    }
}
