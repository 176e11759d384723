//! Arrays between the engine and numpy.

use glam::{DQuat, DVec3};
use numpy::ndarray::ArrayView2;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyReadwriteArray2,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An array with a row of `N` numbers for each entry. The numbers are written once, into memory that numpy then owns.
pub fn rows<'py, const N: usize>(
    py: Python<'py>,
    entries: impl ExactSizeIterator<Item = [f64; N]>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = entries.len();
    let mut numbers = Vec::with_capacity(N * count);
    entries.for_each(|entry| numbers.extend_from_slice(&entry));
    PyArray1::from_vec(py, numbers).reshape([count, N])
}

/// Vectors as an array of three columns.
pub fn vectors<'py>(
    py: Python<'py>,
    vectors: impl ExactSizeIterator<Item = DVec3>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows(py, vectors.map(|v| v.to_array()))
}

/// Quaternions as an array of four columns, the scalar last.
pub fn quaternions<'py>(
    py: Python<'py>,
    quaternions: impl ExactSizeIterator<Item = DQuat>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows(py, quaternions.map(|q| q.to_array()))
}

/// Numbers as an array that takes over their memory.
pub fn numbers<T: Element>(py: Python<'_>, numbers: Vec<T>) -> Bound<'_, PyArray1<T>> {
    PyArray1::from_vec(py, numbers)
}

/// Writes a row of `N` numbers for each entry into an array that is there.
pub fn fill<const N: usize>(
    out: &mut PyReadwriteArray2<'_, f64>,
    entries: impl ExactSizeIterator<Item = [f64; N]>,
) -> PyResult<()> {
    let wrong = || {
        PyValueError::new_err(format!(
            "`out` must be an array of float64 of the shape ({}, {N}), in the order of C",
            entries.len()
        ))
    };
    // In another order the numbers would lie in one piece as well.
    if out.shape() != [entries.len(), N] || !out.is_c_contiguous() {
        return Err(wrong());
    }
    let Ok(numbers) = out.as_slice_mut() else {
        return Err(wrong());
    };
    for (row, entry) in numbers.as_chunks_mut::<N>().0.iter_mut().zip(entries) {
        *row = entry;
    }
    Ok(())
}

/// The rows of an array that must have `N` columns and `count` rows.
pub fn checked<'a, const N: usize>(
    what: &str,
    array: &'a PyReadonlyArray2<'_, f64>,
    count: usize,
) -> PyResult<ArrayView2<'a, f64>> {
    let found = array.shape();
    if found == [count, N] {
        return Ok(array.as_array());
    }
    Err(PyValueError::new_err(format!(
        "`{what}` must have the shape ({count}, {N}), not ({}, {})",
        found[0], found[1]
    )))
}

/// The vector in a row of an array.
pub fn vector(array: &ArrayView2<'_, f64>, row: usize) -> DVec3 {
    DVec3::new(array[[row, 0]], array[[row, 1]], array[[row, 2]])
}

/// The quaternion in a row of an array.
pub fn quaternion(array: &ArrayView2<'_, f64>, row: usize) -> DQuat {
    DQuat::from_xyzw(
        array[[row, 0]],
        array[[row, 1]],
        array[[row, 2]],
        array[[row, 3]],
    )
}
