//! Square matrices of a few rows, and vectors of as many entries.

/// A square matrix, row by row.
pub(crate) type Matrix<const D: usize> = [[f64; D]; D];

/// a·b.
#[inline(always)]
pub(crate) fn dot<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let mut sum = 0.0;
    for i in 0..D {
        sum += a[i] * b[i];
    }
    sum
}

/// A x.
#[inline(always)]
pub(crate) fn times<const D: usize>(matrix: &Matrix<D>, x: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|i| dot(&matrix[i], x))
}

/// The product of two matrices.
#[inline(always)]
pub(crate) fn product<const D: usize>(a: &Matrix<D>, b: &Matrix<D>) -> Matrix<D> {
    let columns: Matrix<D> = std::array::from_fn(|j| {
        let column: [f64; D] = std::array::from_fn(|i| b[i][j]);
        times(a, &column)
    });
    std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
}

/// A⁻¹; not made of numbers where there is none.
pub(crate) fn inverse<const D: usize>(a: &Matrix<D>) -> Matrix<D> {
    let columns: Matrix<D> = std::array::from_fn(|j| {
        let unit = std::array::from_fn(|i| f64::from(u8::from(i == j)));
        solve(*a, unit).unwrap_or([f64::NAN; D])
    });
    std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
}

/// x with A x = b, by elimination with pivots; `None` where A is singular.
#[inline(always)]
pub(crate) fn solve<const D: usize>(mut a: Matrix<D>, mut b: [f64; D]) -> Option<[f64; D]> {
    for k in 0..D {
        let pivot = (k..D).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        if a[k][k] == 0.0 || !a[k][k].is_finite() {
            return None;
        }
        for i in k + 1..D {
            let factor = a[i][k] / a[k][k];
            let above = a[k];
            for (entry, above) in a[i].iter_mut().zip(above) {
                *entry -= factor * above;
            }
            b[i] -= factor * b[k];
        }
    }
    let mut x = b;
    for k in (0..D).rev() {
        for j in k + 1..D {
            x[k] -= a[k][j] * x[j];
        }
        x[k] /= a[k][k];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}
