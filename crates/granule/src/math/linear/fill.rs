//! What eliminating a sparse matrix costs, before it is done.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Multiplications by which an LU factor of a matrix with this symmetric pattern is found, pivots on the diagonal, in an
/// order by approximate minimum degree. The entries of column k are in `rows[starts[k]..starts[k + 1]]`, rising.
pub(crate) fn elimination_operations(starts: &[usize], rows: &[usize]) -> f64 {
    let size = starts.len().saturating_sub(1);
    let (mut order, mut inverse) = (vec![0; size], vec![0; size]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(size, rows.len()));
    let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, rows);
    let stack = MemStack::new(&mut memory);
    let counted = amd::order(&mut order, &mut inverse, pattern, Default::default(), stack);
    // Too large to be counted is too large to be done.
    counted.map_or(f64::INFINITY, |count| count.n_mult_subs_lu)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pattern of a matrix that has an entry wherever `has` says so.
    fn operations(size: usize, has: impl Fn(usize, usize) -> bool) -> f64 {
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for column in 0..size {
            rows.extend((0..size).filter(|row| *row == column || has(*row, column)));
            starts.push(rows.len());
        }
        elimination_operations(&starts, &rows)
    }

    #[test]
    fn patterns_without_fill_cost_what_their_entries_do() {
        assert_eq!(operations(50, |_, _| false), 0.0);
        // Each of the first 49 pivots changes one entry.
        assert_eq!(operations(50, |i, j| i.abs_diff(j) == 1), 49.0);
        // An arrow whose point comes last.
        assert_eq!(operations(50, |i, j| i == 0 || j == 0), 49.0);
    }

    #[test]
    fn a_full_matrix_costs_a_third_of_its_cube() {
        let full: f64 = (1..50).map(|k| f64::from(k * k)).sum();
        assert_eq!(operations(50, |_, _| true), full);
    }
}
