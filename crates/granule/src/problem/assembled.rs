//! The Delassus matrix W, formed: blocks of rows × rows numbers in compressed rows.

use super::error::{check_finite, check_length};
use super::{BodySpace, Compliance, Delassus, ProblemError, RowForm, by_rows, dense_block};
use crate::law::Metric;
use crate::math::{DMat3, DVec3};
use crate::parallel::{self, CONTACT_CHUNK};

/// W as a sparse matrix of blocks, one block row a contact.
///
/// ```
/// use granule::problem::Assembled;
/// // Q of [bloch2023, Table 1]: one contact.
/// let w = Assembled::from_dense(1, &[[0.0025]])?;
/// assert_eq!(w.contact_count(), 1);
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Assembled {
    rows: usize,
    /// The blocks of contact k are `start[k]..start[k + 1]`.
    start: Vec<u32>,
    /// Contact of each block's column; increasing within a row.
    column: Vec<u32>,
    /// The blocks, each `rows × rows`, row by row.
    values: Vec<f64>,
    /// Unit normal of each contact in the coordinates of its block.
    normals: Vec<DVec3>,
    /// The blocks W_lkᵀ in the places of the blocks W_kl; empty if W is symmetric, as they are the same.
    columns: Vec<f64>,
    /// λ_max(W_kk) of each contact.
    largest: Vec<f64>,
}

impl Assembled {
    /// W from a dense matrix; with more than one row the normal is the first coordinate of each
    /// block, as in the collections of contact problems.
    pub fn from_dense(rows: usize, matrix: &[impl AsRef<[f64]>]) -> Result<Self, ProblemError> {
        if rows == 0 || !matrix.len().is_multiple_of(rows) {
            return Err(ProblemError::Rows { rows });
        }
        for line in matrix {
            check_length("a line of W", matrix.len(), line.as_ref().len())?;
        }
        let lines = matrix.iter().enumerate();
        let entries = lines.flat_map(|(i, line)| {
            let line = line.as_ref().iter().enumerate();
            line.map(move |(j, x)| (i, j, *x))
        });
        Self::from_entries(rows, matrix.len() / rows, entries)
    }

    /// W from its entries (row, column, value), in any order; those at the same place add up. With
    /// more than one row the normal is the first coordinate of each block.
    ///
    /// W is kept as given: matrices of other codes are symmetric up to the accuracy of their
    /// geometry only. Contacts have 1, 2, 3 or 6 rows; an entry that lies outside or is not finite is an error.
    ///
    /// ```
    /// use granule::problem::{Assembled, ProblemError};
    /// let entries = [(0, 0, 2.0), (1, 1, 1.5), (1, 1, 0.5), (0, 1, -1.0)];
    /// let w = Assembled::from_entries(1, 2, entries)?;
    /// assert_eq!(w.block(1, 1), Some(&[2.0][..]));
    /// assert_eq!((w.block(0, 1), w.block(1, 0)), (Some(&[-1.0][..]), Some(&[0.0][..])));
    /// let outside = ProblemError::Outside { row: 1, column: 1, size: 1 };
    /// assert_eq!(Assembled::from_entries(1, 1, entries).unwrap_err(), outside);
    /// # Ok::<(), ProblemError>(())
    /// ```
    pub fn from_entries(
        rows: usize,
        contacts: usize,
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, ProblemError> {
        if !matches!(rows, 1 | 2 | 3 | 6) {
            return Err(ProblemError::Rows { rows });
        }
        let entries: Vec<(usize, usize, f64)> =
            entries.into_iter().filter(|entry| entry.2 != 0.0).collect();
        // Where there is a block there is its mirror, if only of zeros.
        let mut places: Vec<(u32, u32)> = (0..contacts as u32).map(|k| (k, k)).collect();
        let size = rows * contacts;
        check_finite("entry of W", entries.iter().map(|entry| entry.2))?;
        for &(row, column, _) in &entries {
            if row.max(column) >= size {
                return Err(ProblemError::Outside { row, column, size });
            }
            let (i, j) = (row, column);
            let (k, l) = ((i / rows) as u32, (j / rows) as u32);
            places.extend([(k, l), (l, k)]);
        }
        places.sort_unstable();
        places.dedup();
        let mut matrix = Self {
            rows,
            start: Vec::with_capacity(contacts + 1),
            column: places.iter().map(|place| place.1).collect(),
            values: vec![0.0; places.len() * rows * rows],
            normals: vec![DVec3::X; contacts],
            columns: Vec::new(),
            largest: Vec::new(),
        };
        for k in 0..=contacts {
            let start = places.partition_point(|place| (place.0 as usize) < k);
            matrix.start.push(start as u32);
        }
        for (i, j, value) in entries {
            let place = matrix
                .place(i / rows, j / rows)
                .expect("a place that was made above");
            matrix.values[(place * rows + i % rows) * rows + j % rows] += value;
        }
        matrix.find_columns();
        matrix.find_largest();
        Ok(matrix)
    }

    /// Copies the columns, unless W is symmetric.
    fn find_columns(&mut self) {
        let rows = self.rows;
        let mut columns = Vec::with_capacity(self.values.len());
        for k in 0..self.contact_count() {
            for (l, _) in self.row(k) {
                let block = self.block(l, k).expect("the pattern is symmetric");
                columns.extend(
                    (0..rows * rows).map(|place| block[place % rows * rows + place / rows]),
                );
            }
        }
        if columns != self.values {
            self.columns = columns;
        }
    }

    fn find_largest(&mut self) {
        let contacts = 0..self.contact_count();
        self.largest = contacts
            .map(|k| dense_block::largest_eigenvalue(self.diagonal(k), self.rows))
            .collect();
    }

    /// The entries of all blocks.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The largest |W - Wᵀ| of an entry, divided by the largest |W|.
    pub fn asymmetry(&self) -> f64 {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let pairs = self.values.iter().zip(&self.columns);
        let difference = largest(&mut pairs.map(|(a, b)| (a - b).abs()));
        if difference == 0.0 {
            return 0.0;
        }
        difference / largest(&mut self.values.iter().map(|a| a.abs()))
    }

    /// Where the block W_kl is stored.
    fn place(&self, k: usize, l: usize) -> Option<usize> {
        let range = self.start[k] as usize..self.start[k + 1] as usize;
        let place = self.column[range.clone()].binary_search(&(l as u32)).ok()?;
        Some(range.start + place)
    }

    /// W = Dᵀ M⁻¹ D from its factors.
    pub fn from_space(space: &BodySpace) -> Self {
        let rows = space.rows;
        let mut touching: Vec<Vec<u32>> = vec![Vec::new(); space.inverse_mass.len()];
        for k in 0..space.contact_count() {
            for body in space.ends(k) {
                if space.inverse_mass[body as usize] > 0.0 || space.turning(body as usize) > 0.0 {
                    touching[body as usize].push(k as u32);
                }
            }
        }
        let forms: Vec<RowForm> = (0..space.contact_count())
            .flat_map(|k| space.forms(k))
            .collect();
        let mut start = vec![0];
        let (mut column, mut values) = (Vec::new(), Vec::new());
        let mut neighbours = Vec::new();
        for k in 0..space.contact_count() {
            neighbours.clear();
            neighbours.push(k as u32);
            for body in space.ends(k) {
                neighbours.extend(&touching[body as usize]);
            }
            if space.general.common.is_some() && k >= space.contacts.len() {
                neighbours.extend(space.contacts.len() as u32..space.contact_count() as u32);
            }
            neighbours.sort_unstable();
            neighbours.dedup();
            for &l in &neighbours {
                column.push(l);
                push_block(space, &forms, k, l as usize, &mut values);
                if let (true, Some(given)) = (k == l as usize, space.compliance.get(k)) {
                    add_compliance(given, space.normal(k), rows, &mut values);
                }
            }
            start.push(column.len() as u32);
        }
        let normals = (0..space.contact_count())
            .map(|k| space.normal(k))
            .collect();
        let mut matrix = Self {
            rows,
            start,
            column,
            values,
            normals,
            columns: Vec::new(),
            largest: Vec::new(),
        };
        matrix.find_largest();
        matrix
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of blocks that are stored.
    pub fn block_count(&self) -> usize {
        self.column.len()
    }

    /// Rows a contact.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Unit normal of a contact in the coordinates of its block.
    pub fn normal(&self, contact: usize) -> DVec3 {
        self.normals[contact]
    }

    /// The block W_kl, row by row; `None` where it is zero.
    pub fn block(&self, k: usize, l: usize) -> Option<&[f64]> {
        let size = self.rows * self.rows;
        Some(&self.values[self.place(k, l)? * size..][..size])
    }

    /// The blocks of contact `k`'s row that are stored, with the contact of their column.
    pub fn row(&self, k: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let size = self.rows * self.rows;
        (self.start[k] as usize..self.start[k + 1] as usize).map(move |place| {
            (
                self.column[place] as usize,
                &self.values[place * size..][..size],
            )
        })
    }

    /// The block W_kk, row by row.
    pub fn diagonal(&self, contact: usize) -> &[f64] {
        self.block(contact, contact)
            .expect("the diagonal is always stored")
    }

    /// The block W_kk, or with six rows the part of it for forces, as a matrix of vectors.
    pub fn diagonal_block(&self, contact: usize) -> DMat3 {
        dense_block::matrix(self.diagonal(contact), self.rows, self.normals[contact])
    }

    /// λ_max(W_kk), of the symmetric part of the block.
    pub fn largest_diagonal(&self, contact: usize) -> f64 {
        self.largest[contact]
    }

    /// The diagonal block as a metric: its entry along the normal, and the mean of the others.
    pub fn metric(&self, contact: usize) -> Metric {
        dense_block::metric(self.diagonal(contact), self.rows, self.normals[contact])
    }

    /// W x.
    pub(super) fn image(&self, x: &[f64], out: &mut Vec<f64>) {
        out.resize(self.contact_count() * self.rows, 0.0);
        by_rows!(self.rows, <ROWS, B> self.multiply::<ROWS>(x, out));
    }

    /// [`Assembled::image`] with N rows a contact.
    fn multiply<const N: usize>(&self, x: &[f64], out: &mut [f64]) {
        let (blocks, sources) = (lines_of::<N>(&self.values), lines_of::<N>(x));
        parallel::chunks_mut(out, CONTACT_CHUNK * N, |chunk, w| {
            let first = chunk * CONTACT_CHUNK;
            for (offset, result) in w.chunks_exact_mut(N).enumerate() {
                let k = first + offset;
                let mut sum = [0.0; N];
                for place in self.start[k] as usize..self.start[k + 1] as usize {
                    let source = &sources[self.column[place] as usize];
                    for (value, line) in sum.iter_mut().zip(&blocks[place * N..][..N]) {
                        *value += line.iter().zip(source).map(|(m, s)| m * s).sum::<f64>();
                    }
                }
                result.copy_from_slice(&sum);
            }
        });
    }

    /// Adds the column of contact `k` times its `change` to W x.
    pub(super) fn add_column(&self, k: usize, change: &[f64], out: &mut [f64]) {
        by_rows!(self.rows, <ROWS, B> self.add_column_of::<ROWS>(k, change, out));
    }

    /// [`Assembled::add_column`] with N rows a contact.
    fn add_column_of<const N: usize>(&self, k: usize, change: &[f64], out: &mut [f64]) {
        // Where W is symmetric the column is the row, transposed.
        let columns = if self.columns.is_empty() {
            &self.values
        } else {
            &self.columns
        };
        let blocks = lines_of::<N>(columns);
        let (targets, _) = out.as_chunks_mut::<N>();
        for place in self.start[k] as usize..self.start[k + 1] as usize {
            let target = &mut targets[self.column[place] as usize];
            for (line, x) in blocks[place * N..][..N].iter().zip(change) {
                for (value, entry) in target.iter_mut().zip(line) {
                    *value += entry * x;
                }
            }
        }
    }

    /// An upper bound for λ_max(S^½ W S^½): the largest row sum (Gershgorin).
    pub fn spectral_bound(&self, scale: impl Fn(usize) -> f64) -> f64 {
        let rows = self.rows;
        let mut bound: f64 = 0.0;
        for k in 0..self.contact_count() {
            for row in 0..rows {
                let mut sum = 0.0;
                for place in self.start[k] as usize..self.start[k + 1] as usize {
                    let weight = (scale(k) * scale(self.column[place] as usize)).sqrt();
                    let line = &self.values[(place * rows + row) * rows..][..rows];
                    sum += weight * line.iter().map(|x| x.abs()).sum::<f64>();
                }
                bound = bound.max(sum);
            }
        }
        bound
    }
}

/// Appends the block W_kl, from the rows of both contacts.
fn push_block(space: &BodySpace, forms: &[RowForm], k: usize, l: usize, values: &mut Vec<f64>) {
    let rows = space.rows;
    let common = |contact: usize| {
        let common = space.general.common.as_ref()?;
        let block = contact.checked_sub(space.contacts.len())?;
        Some((
            space.inverse_mass[common.body as usize],
            common.shares[block],
        ))
    };
    // What a row does to its first and to its second body.
    let parts = |form: &RowForm| [(form.linear, form.on_a), (-form.linear, form.on_b)];
    for target in &forms[k * rows..][..rows] {
        for source in &forms[l * rows..][..rows] {
            let mut value = 0.0;
            for (body, (linear, angular)) in space.ends(k).into_iter().zip(parts(target)) {
                for (other, (force, moment)) in space.ends(l).into_iter().zip(parts(source)) {
                    if body == other {
                        value += space.inverse_mass[body as usize] * linear.dot(force);
                        value += angular.dot(space.ease_turning(body, moment));
                    }
                }
            }
            if let (Some((ease, own)), Some((_, other))) = (common(k), common(l)) {
                value += ease * (own * target.linear).dot(other * source.linear);
            }
            values.push(value);
        }
    }
}

/// Adds E to the block that was appended last.
fn add_compliance(given: &Compliance, normal: DVec3, rows: usize, values: &mut [f64]) {
    let first = values.len() - rows * rows;
    let mut unit = [0.0; 6];
    for (row, line) in values[first..].chunks_exact_mut(rows).enumerate() {
        unit[row] = 1.0;
        given.add_to(&unit[..rows], normal, line);
        unit[row] = 0.0;
    }
}

/// Numbers as lines of N.
fn lines_of<const N: usize>(values: &[f64]) -> &[[f64; N]] {
    values.as_chunks::<N>().0
}

impl From<Assembled> for Delassus {
    fn from(matrix: Assembled) -> Self {
        Self::Assembled(matrix)
    }
}
