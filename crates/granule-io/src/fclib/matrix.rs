//! Sparse matrices as files have them.

use super::Flaw;

/// A sparse matrix: its entries by columns, and by rows in each; no two at the same place, none zero.
///
/// ```
/// use granule_io::fclib::SparseMatrix;
/// let matrix = SparseMatrix::from_entries(2, 3, vec![(0, 2, 1.0), (1, 0, 2.0), (0, 2, 4.0)])?;
/// assert_eq!(matrix.multiply(&[1.0, 10.0, 100.0]), [500.0, 2.0]);
/// assert_eq!(matrix.multiply_transposed(&[1.0, 10.0]), [20.0, 0.0, 5.0]);
/// assert!(SparseMatrix::from_entries(2, 3, vec![(2, 0, 1.0)]).is_err());
/// # Ok::<(), granule_io::fclib::Flaw>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseMatrix {
    rows: usize,
    columns: usize,
    /// (row, column, value).
    entries: Vec<(u32, u32, f64)>,
}

impl SparseMatrix {
    /// A matrix from entries (row, column, value) in any order; those at the same place add up.
    ///
    /// Takes memory for the entries only, however large the matrix claims to be.
    pub fn from_entries(
        rows: usize,
        columns: usize,
        entries: Vec<(usize, usize, f64)>,
    ) -> Result<Self, Flaw> {
        let limit = u32::MAX as usize;
        if rows > limit || columns > limit {
            return Err(Flaw::of(
                "matrix",
                format!("{rows} rows and {columns} columns are too many"),
                "matrices have at most 4294967295 of each",
            ));
        }
        let mut sorted = Vec::with_capacity(entries.len());
        for (row, column, value) in entries {
            if row >= rows || column >= columns {
                return Err(Flaw::of(
                    "matrix",
                    format!(
                        "entry ({row}, {column}) lies outside of {rows} rows and {columns} columns"
                    ),
                    "indices count from 0; check the sizes and the order of rows and columns",
                ));
            }
            if !value.is_finite() {
                return Err(Flaw::of(
                    "matrix",
                    format!("entry ({row}, {column}) is {value}"),
                    "entries must be finite numbers",
                ));
            }
            sorted.push((row as u32, column as u32, value));
        }
        // Stable, so that sums do not depend on the sort.
        sorted.sort_by_key(|(row, column, _)| (*column, *row));
        let mut entries: Vec<(u32, u32, f64)> = Vec::with_capacity(sorted.len());
        for (row, column, value) in sorted {
            match entries.last_mut() {
                Some(last) if (last.0, last.1) == (row, column) => last.2 += value,
                _ => entries.push((row, column, value)),
            }
        }
        entries.retain(|entry| entry.2 != 0.0);
        Ok(Self {
            rows,
            columns,
            entries,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of entries that are not zero.
    pub fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// The entries (row, column, value), by columns and by rows in each.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (usize, usize, f64)> + '_ {
        let entries = self.entries.iter();
        entries.map(|(row, column, value)| (*row as usize, *column as usize, *value))
    }

    /// The matrix times a vector with one entry a column.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.rows];
        for (row, column, value) in self.entries() {
            out[row] += value * x[column];
        }
        out
    }

    /// The transposed matrix times a vector with one entry a row.
    pub fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.columns];
        for (row, column, value) in self.entries() {
            out[column] += value * x[row];
        }
        out
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Self {
        let mut entries: Vec<(u32, u32, f64)> = self
            .entries
            .iter()
            .map(|(row, column, value)| (*column, *row, *value))
            .collect();
        entries.sort_by_key(|(row, column, _)| (*column, *row));
        Self {
            rows: self.columns,
            columns: self.rows,
            entries,
        }
    }

    /// The largest difference between an entry and its mirror, over the largest entry.
    pub fn asymmetry(&self) -> f64 {
        let mirrored = self.transposed().entries;
        let (mut left, mut right) = (self.entries.iter().peekable(), mirrored.iter().peekable());
        let key = |entry: &&&(u32, u32, f64)| (entry.1, entry.0);
        let (mut worst, mut largest): (f64, f64) = (0.0, 0.0);
        loop {
            let (a, b) = (left.peek().map(|e| key(&e)), right.peek().map(|e| key(&e)));
            let difference = match (a, b) {
                (None, None) => break,
                (Some(a), Some(b)) if a == b => match (left.next(), right.next()) {
                    (Some(x), Some(y)) => x.2 - y.2,
                    _ => 0.0,
                },
                (Some(a), Some(b)) if a < b => left.next().map_or(0.0, |x| x.2),
                (Some(_), None) => left.next().map_or(0.0, |x| x.2),
                _ => right.next().map_or(0.0, |y| y.2),
            };
            worst = worst.max(difference.abs());
        }
        for entry in &self.entries {
            largest = largest.max(entry.2.abs());
        }
        if largest > 0.0 { worst / largest } else { 0.0 }
    }

    /// The matrix with the mirror images of its entries, if it has entries above its diagonal and
    /// none below it: what some codes write for a symmetric matrix.
    #[cfg(feature = "hdf5")]
    pub(super) fn completed(self) -> Self {
        let above = self.entries.iter().any(|(row, column, _)| row < column);
        let below = self.entries.iter().any(|(row, column, _)| row > column);
        if self.rows != self.columns || !above || below {
            return self;
        }
        let mut entries = self.entries;
        let mirrored: Vec<(u32, u32, f64)> = entries
            .iter()
            .filter(|(row, column, _)| row != column)
            .map(|(row, column, value)| (*column, *row, *value))
            .collect();
        entries.extend(mirrored);
        entries.sort_by_key(|(row, column, _)| (*column, *row));
        Self { entries, ..self }
    }
}
