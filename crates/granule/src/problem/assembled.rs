//! The Delassus matrix W, formed: blocks of rows × rows numbers in compressed rows.

use super::{BodySpace, Delassus};
use crate::law::Metric;
use crate::math::{DVec3, Screw};
use crate::parallel::{self, CONTACT_CHUNK};

/// W as a sparse matrix of blocks, one block row a contact.
///
/// ```
/// use granule::problem::Assembled;
/// // Q of [bloch2023, Table 1]: one contact.
/// let w = Assembled::from_dense(1, &[vec![0.0025]]);
/// assert_eq!(w.contact_count(), 1);
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
}

impl Assembled {
    /// W from a dense symmetric matrix; with more than one row the normal is the first coordinate
    /// of each block, as in the collections of contact problems.
    pub fn from_dense(rows: usize, matrix: &[Vec<f64>]) -> Self {
        let contacts = matrix.len() / rows;
        let mut start = vec![0];
        let (mut column, mut values) = (Vec::new(), Vec::new());
        for k in 0..contacts {
            for l in 0..contacts {
                let block: Vec<f64> = (0..rows)
                    .flat_map(|i| (0..rows).map(move |j| matrix[k * rows + i][l * rows + j]))
                    .collect();
                if k == l || block.iter().any(|x| *x != 0.0) {
                    column.push(l as u32);
                    values.extend(block);
                }
            }
            start.push(column.len() as u32);
        }
        Self {
            rows,
            start,
            column,
            values,
            normals: vec![DVec3::X; contacts],
        }
    }

    /// W = Dᵀ M⁻¹ D from its factors.
    pub fn from_space(space: &BodySpace) -> Self {
        let rows = space.rows;
        let mut touching: Vec<Vec<u32>> = vec![Vec::new(); space.inverse_mass.len()];
        for (k, c) in space.contacts.iter().enumerate() {
            for body in [c.a, c.b] {
                if space.inverse_mass[body as usize] > 0.0 || space.turning(body as usize) > 0.0 {
                    touching[body as usize].push(k as u32);
                }
            }
        }
        let mut start = vec![0];
        let (mut column, mut values) = (Vec::new(), Vec::new());
        let mut neighbours = Vec::new();
        for k in 0..space.contacts.len() {
            let c = space.contacts[k];
            neighbours.clear();
            neighbours.push(k as u32);
            neighbours.extend(&touching[c.a as usize]);
            neighbours.extend(&touching[c.b as usize]);
            neighbours.sort_unstable();
            neighbours.dedup();
            for &l in &neighbours {
                column.push(l);
                push_block(space, k, l as usize, &mut values);
            }
            start.push(column.len() as u32);
        }
        let normals = space.contacts.iter().map(|c| c.normal).collect();
        Self {
            rows,
            start,
            column,
            values,
            normals,
        }
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.start.len() - 1
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
        let range = self.start[k] as usize..self.start[k + 1] as usize;
        let place = self.column[range.clone()].binary_search(&(l as u32)).ok()?;
        let size = self.rows * self.rows;
        Some(&self.values[(range.start + place) * size..][..size])
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

    /// λ_max(W_kk).
    pub fn largest_diagonal(&self, contact: usize) -> f64 {
        let block = self
            .block(contact, contact)
            .expect("the diagonal is always stored");
        match self.rows {
            1 => block[0],
            2 => {
                let mean = 0.5 * (block[0] + block[3]);
                mean + (0.5 * (block[0] - block[3])).hypot(block[1])
            }
            3 => largest_eigenvalue(block),
            rows => largest_by_rotations(block, rows),
        }
    }

    /// The diagonal block as a metric: its entry along the normal, and the mean of the others.
    pub fn metric(&self, contact: usize) -> Metric {
        let block = self
            .block(contact, contact)
            .expect("the diagonal is always stored");
        let rows = self.rows;
        let normal = self.normals[contact].to_array();
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

    /// W x.
    pub(super) fn image(&self, x: &[f64], out: &mut Vec<f64>) {
        let rows = self.rows;
        out.resize(self.contact_count() * rows, 0.0);
        parallel::chunks_mut(out, CONTACT_CHUNK * rows, |chunk, w| {
            let first = chunk * CONTACT_CHUNK;
            for (offset, result) in w.chunks_exact_mut(rows).enumerate() {
                result.fill(0.0);
                let k = first + offset;
                for place in self.start[k] as usize..self.start[k + 1] as usize {
                    let source = &x[self.column[place] as usize * rows..][..rows];
                    let block = &self.values[place * rows * rows..][..rows * rows];
                    for (value, line) in result.iter_mut().zip(block.chunks_exact(rows)) {
                        *value += line.iter().zip(source).map(|(m, s)| m * s).sum::<f64>();
                    }
                }
            }
        });
    }

    /// Adds the column of contact `k` times its `change` to W x; the column is the row, transposed.
    pub(super) fn add_column(&self, k: usize, change: &[f64], out: &mut [f64]) {
        let rows = self.rows;
        for (l, block) in self.row(k) {
            let target = &mut out[l * rows..][..rows];
            for (line, x) in block.chunks_exact(rows).zip(change) {
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

/// Appends the block W_kl: the relative velocity at contact k that unit impulses at l make.
fn push_block(space: &BodySpace, k: usize, l: usize, values: &mut Vec<f64>) {
    let (target, source) = (&space.contacts[k], &space.contacts[l]);
    let rows = space.rows;
    let unit = |axis: usize| match (rows, axis) {
        (1, _) => Screw::linear(source.normal),
        (_, 0..3) => Screw::linear(DVec3::AXES[axis]),
        _ => Screw {
            linear: DVec3::ZERO,
            angular: DVec3::AXES[axis - 3],
        },
    };
    let arms = |contact: usize| space.arms.get(contact).copied().unwrap_or_default();
    let (target_arms, source_arms) = (arms(k), arms(l));
    let columns: Vec<Screw> = (0..rows)
        .map(|axis| {
            let impulse = unit(axis);
            let twist = impulse.linear.cross(source.normal);
            let mut velocity = Screw::default();
            for (body, sign, arm) in [
                (target.a, 1.0, target_arms[0]),
                (target.b, -1.0, target_arms[1]),
            ] {
                for (other, other_sign, other_arm) in [
                    (source.a, 1.0, source_arms[0]),
                    (source.b, -1.0, source_arms[1]),
                ] {
                    if body == other {
                        let i = body as usize;
                        velocity.linear +=
                            sign * other_sign * space.inverse_mass[i] * impulse.linear;
                        if rows > 1 {
                            let moment = twist + other_sign * other_arm * impulse.angular;
                            let surface = space.turning(i) * moment;
                            velocity.linear += target.normal.cross(surface);
                            velocity.angular += sign * arm * surface;
                        }
                    }
                }
            }
            velocity
        })
        .collect();
    for row in 0..rows {
        for column in &columns {
            values.push(match (rows, row) {
                (1, _) => column.linear.dot(target.normal),
                (_, 0..3) => column.linear[row],
                _ => column.angular[row - 3],
            });
        }
    }
}

/// The largest eigenvalue of a symmetric matrix, by Jacobi's rotations.
fn largest_by_rotations(matrix: &[f64], size: usize) -> f64 {
    let mut m = matrix.to_vec();
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

/// The largest eigenvalue of a symmetric 3 × 3 matrix, by the trigonometric formula.
fn largest_eigenvalue(m: &[f64]) -> f64 {
    let off = m[1] * m[1] + m[2] * m[2] + m[5] * m[5];
    let mean = (m[0] + m[4] + m[8]) / 3.0;
    let (a, b, c) = (m[0] - mean, m[4] - mean, m[8] - mean);
    let spread = ((a * a + b * b + c * c + 2.0 * off) / 6.0).sqrt();
    if spread == 0.0 {
        return mean;
    }
    let determinant = a * (b * c - m[5] * m[5]) - m[1] * (m[1] * c - m[5] * m[2])
        + m[2] * (m[1] * m[5] - b * m[2]);
    let half = (determinant / (2.0 * spread.powi(3))).clamp(-1.0, 1.0);
    mean + 2.0 * spread * (half.acos() / 3.0).cos()
}

impl From<Assembled> for Delassus {
    fn from(matrix: Assembled) -> Self {
        Self::Assembled(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_eigenvalue_is_that_of_known_matrices() {
        let diagonal = [1.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 2.0];
        assert!((largest_eigenvalue(&diagonal) - 3.0).abs() < 1e-14);
        // Eigenvalues of tridiag(-1, 2, -1): 2, 2 ± √2.
        let chain = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];
        assert!((largest_eigenvalue(&chain) - (2.0 + 2f64.sqrt())).abs() < 1e-14);
        assert_eq!(
            largest_eigenvalue(&[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]),
            2.0
        );
        for matrix in [diagonal, chain] {
            let difference = largest_eigenvalue(&matrix) - largest_by_rotations(&matrix, 3);
            assert!(difference.abs() < 1e-14);
        }
    }
}
