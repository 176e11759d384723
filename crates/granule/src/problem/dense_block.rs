//! What is asked of one dense block W_kk, row by row.

use crate::law::Metric;
use crate::math::{DMat3, DVec3};

/// The block, or with six rows the part of it for forces, as a matrix of vectors; with one row along the normal.
pub(super) fn matrix(block: &[f64], rows: usize, normal: DVec3) -> DMat3 {
    match rows {
        1 => block[0] * DMat3::from_cols(normal.x * normal, normal.y * normal, normal.z * normal),
        2 => DMat3::from_cols(
            DVec3::new(block[0], block[2], 0.0),
            DVec3::new(block[1], block[3], 0.0),
            DVec3::ZERO,
        ),
        rows => {
            let line = |row: usize| DVec3::from_slice(&block[row * rows..][..3]);
            DMat3::from_cols(line(0), line(1), line(2)).transpose()
        }
    }
}

/// The block as a metric: its entry along the normal, and the mean of the others.
pub(super) fn metric(block: &[f64], rows: usize, normal: DVec3) -> Metric {
    let normal = normal.to_array();
    let trace: f64 = (0..rows).map(|i| block[i * (rows + 1)]).sum();
    if rows == 1 {
        return Metric {
            normal: trace,
            tangential: trace,
        };
    }
    let force = rows.min(3);
    let along: f64 = (0..force)
        .flat_map(|i| (0..force).map(move |j| (i, j)))
        .map(|(i, j)| normal[i] * block[i * rows + j] * normal[j])
        .sum();
    Metric {
        normal: along,
        tangential: (trace - along) / (rows - 1) as f64,
    }
}

/// The largest eigenvalue of the symmetric part of a block.
pub(super) fn largest_eigenvalue(block: &[f64], rows: usize) -> f64 {
    match rows {
        1 => block[0],
        2 => {
            let mean = 0.5 * (block[0] + block[3]);
            mean + (0.5 * (block[0] - block[3])).hypot(0.5 * (block[1] + block[2]))
        }
        3 => largest_of_three(block),
        rows => largest_by_rotations(block, rows),
    }
}

/// The largest eigenvalue of the symmetric part of a 3 × 3 matrix, by the trigonometric formula.
fn largest_of_three(m: &[f64]) -> f64 {
    let [xy, xz, yz] = [(1, 3), (2, 6), (5, 7)].map(|(i, j)| 0.5 * (m[i] + m[j]));
    let off = xy * xy + xz * xz + yz * yz;
    let mean = (m[0] + m[4] + m[8]) / 3.0;
    let (a, b, c) = (m[0] - mean, m[4] - mean, m[8] - mean);
    let spread = ((a * a + b * b + c * c + 2.0 * off) / 6.0).sqrt();
    if spread == 0.0 {
        return mean;
    }
    let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    let half = (determinant / (2.0 * spread.powi(3))).clamp(-1.0, 1.0);
    mean + 2.0 * spread * (half.acos() / 3.0).cos()
}

/// The largest eigenvalue of the symmetric part of a matrix, by Jacobi's rotations.
fn largest_by_rotations(matrix: &[f64], size: usize) -> f64 {
    let mut m = vec![0.0; size * size];
    for i in 0..size {
        for j in 0..size {
            m[i * size + j] = 0.5 * (matrix[i * size + j] + matrix[j * size + i]);
        }
    }
    // Six sweeps are two more than a matrix of this size needs.
    for _ in 0..6 {
        for p in 0..size {
            for q in p + 1..size {
                let off = m[p * size + q];
                if off == 0.0 {
                    continue;
                }
                let theta = 0.5 * (2.0 * off).atan2(m[q * size + q] - m[p * size + p]);
                let (s, c) = theta.sin_cos();
                for k in 0..size {
                    let (a, b) = (m[k * size + p], m[k * size + q]);
                    (m[k * size + p], m[k * size + q]) = (c * a - s * b, s * a + c * b);
                }
                for k in 0..size {
                    let (a, b) = (m[p * size + k], m[q * size + k]);
                    (m[p * size + k], m[q * size + k]) = (c * a - s * b, s * a + c * b);
                }
            }
        }
    }
    (0..size).map(|i| m[i * (size + 1)]).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_eigenvalue_is_that_of_known_matrices() {
        let diagonal = [1.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 2.0];
        assert!((largest_of_three(&diagonal) - 3.0).abs() < 1e-14);
        // Eigenvalues of tridiag(-1, 2, -1): 2, 2 ± √2.
        let chain = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];
        assert!((largest_of_three(&chain) - (2.0 + 2f64.sqrt())).abs() < 1e-14);
        assert_eq!(
            largest_of_three(&[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]),
            2.0
        );
        for matrix in [diagonal, chain] {
            let difference = largest_of_three(&matrix) - largest_by_rotations(&matrix, 3);
            assert!(difference.abs() < 1e-14);
        }
    }
}
