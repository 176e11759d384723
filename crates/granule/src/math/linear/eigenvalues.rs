//! Eigenvalues of dense symmetric matrices.

use faer::{MatRef, Side};

/// The eigenvalues, in ascending order, of the symmetric matrix of which this is the lower half, in columns. `None` if
/// they are not found, or for what is not finite.
pub(crate) fn symmetric_eigenvalues(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    if matrix.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let matrix = MatRef::from_column_major_slice(matrix, size, size);
    matrix.self_adjoint_eigenvalues(Side::Lower).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_springs_has_its_frequencies() {
        // 2 on the diagonal and -1 beside it: 2 - 2 cos(k π/(n + 1)).
        let size = 40;
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let matrix: Vec<f64> = (0..size * size)
            .map(|k| entry(k % size, k / size))
            .collect();
        let found = symmetric_eigenvalues(&matrix, size).unwrap();
        for (k, value) in found.iter().enumerate() {
            let angle = (k + 1) as f64 * std::f64::consts::PI / (size + 1) as f64;
            assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-13);
        }
        assert!(symmetric_eigenvalues(&[f64::NAN], 1).is_none());
    }
}
