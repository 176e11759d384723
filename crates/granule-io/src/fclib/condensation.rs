//! From the global form to the local one: W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + w.
//!
//! M falls into parts that are not coupled, most often one a body, and each is factorised by itself:
//! so W couples only contacts that share a part, and none of its zeros is computed.

use super::{ContactFile, Flaw, Form, SparseMatrix};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, Qr};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};
use std::collections::BTreeMap;

/// W is not formed beyond so many entries, about 2 GB.
const MOST_ENTRIES: usize = 1 << 26;

/// Columns of H that are solved for at a time.
const BATCH: usize = 64;

/// The local form of a problem, and what leads back to a global one.
#[derive(Debug, Clone)]
pub struct Condensed {
    /// W.
    pub matrix: SparseMatrix,
    /// q, one entry a row.
    pub free: Vec<f64>,
    /// M, factorised; `None` if the problem was local.
    pub dynamics: Option<Dynamics>,
}

/// M, factorised part by part.
#[derive(Debug, Clone)]
pub struct Dynamics {
    parts: Vec<Part>,
    /// The part of each degree of freedom, and its place there.
    place: Vec<(usize, usize)>,
    symmetric: bool,
}

#[derive(Debug, Clone)]
struct Part {
    /// Its degrees of freedom, rising.
    freedoms: Vec<usize>,
    factor: Factor,
}

#[derive(Debug, Clone)]
enum Factor {
    /// One degree of freedom.
    Number(f64),
    Cholesky(Llt<usize, f64>),
    /// Where M is not symmetric or not positive. Not LU: that of the library panics at a pivot of zero.
    Orthogonal(Qr<usize, f64>),
}

fn singular(freedom: usize) -> Flaw {
    Flaw::of(
        "M",
        format!("it has no inverse around degree of freedom {freedom}"),
        "every degree of freedom needs a mass; leave out those that do not move",
    )
}

/// The degrees of freedom of each part that M does not couple to others, in their order.
fn find_parts(mass: &SparseMatrix) -> Vec<Vec<usize>> {
    let mut leader: Vec<usize> = (0..mass.rows()).collect();
    fn find(leader: &mut [usize], mut k: usize) -> usize {
        while leader[k] != k {
            leader[k] = leader[leader[k]];
            k = leader[k];
        }
        k
    }
    for (row, column, _) in mass.entries() {
        let (a, b) = (find(&mut leader, row), find(&mut leader, column));
        leader[a.max(b)] = a.min(b);
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for k in 0..mass.rows() {
        parts.entry(find(&mut leader, k)).or_default().push(k);
    }
    parts.into_values().collect()
}

impl Part {
    /// From the entries of M in the part, with its own numbers of degrees of freedom.
    fn new(
        freedoms: Vec<usize>,
        entries: &[(usize, usize, f64)],
        symmetric: bool,
    ) -> Result<Self, Flaw> {
        let size = freedoms.len();
        let broken = singular(freedoms[0]);
        if size == 1 {
            let value: f64 = entries.iter().map(|entry| entry.2).sum();
            if value == 0.0 {
                return Err(broken);
            }
            let factor = Factor::Number(value);
            return Ok(Self { freedoms, factor });
        }
        let triplets: Vec<Triplet<usize, usize, f64>> = entries
            .iter()
            .map(|(row, column, value)| Triplet::new(*row, *column, *value))
            .collect();
        let Ok(matrix) = SparseColMat::try_new_from_triplets(size, size, &triplets) else {
            return Err(broken);
        };
        let cholesky = if symmetric {
            matrix.sp_cholesky(Side::Lower).ok()
        } else {
            None
        };
        let factor = match cholesky {
            Some(factor) => Factor::Cholesky(factor),
            None => Factor::Orthogonal(matrix.sp_qr().map_err(|_| broken.clone())?),
        };
        let part = Self { freedoms, factor };
        if part.misses(entries) {
            return Err(broken);
        }
        Ok(part)
    }

    /// Whether M times the solution for some vector is far from that vector: no inverse, or none that
    /// the arithmetic could find.
    fn misses(&self, entries: &[(usize, usize, f64)]) -> bool {
        let some = |i: usize| 0.5 + (0.618 * i as f64).fract();
        let size = self.freedoms.len();
        let mut solution = Mat::from_fn(size, 1, |i, _| some(i));
        self.solve(&mut solution);
        let mut left: Vec<f64> = (0..size).map(some).collect();
        for (row, column, value) in entries {
            left[*row] -= value * solution[(*column, 0)];
        }
        let worst = left.iter().map(|x| x.abs()).fold(0.0, f64::max);
        // Not `worst > …`, which a number that is none would pass.
        let good = worst <= 1e-3 && left.iter().all(|x| x.is_finite());
        !good
    }

    fn solve(&self, right: &mut Mat<f64>) {
        match &self.factor {
            Factor::Number(value) => {
                for column in 0..right.ncols() {
                    right[(0, column)] /= value;
                }
            }
            Factor::Cholesky(factor) => factor.solve_in_place(right.as_mut()),
            Factor::Orthogonal(factor) => factor.solve_in_place(right.as_mut()),
        }
    }
}

impl Dynamics {
    /// Factorises M.
    fn new(mass: &SparseMatrix) -> Result<Self, Flaw> {
        let symmetric = mass.asymmetry() == 0.0;
        let parts = find_parts(mass);
        let mut place = vec![(0, 0); mass.rows()];
        for (part, freedoms) in parts.iter().enumerate() {
            for (own, freedom) in freedoms.iter().enumerate() {
                place[*freedom] = (part, own);
            }
        }
        let mut entries = vec![Vec::new(); parts.len()];
        for (row, column, value) in mass.entries() {
            entries[place[row].0].push((place[row].1, place[column].1, value));
        }
        let parts = parts.into_iter().zip(&entries);
        let parts = parts
            .map(|(freedoms, entries)| Part::new(freedoms, entries, symmetric))
            .collect::<Result<_, Flaw>>()?;
        Ok(Self {
            parts,
            place,
            symmetric,
        })
    }

    /// M⁻¹ times a vector with one entry a degree of freedom.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.place.len()];
        for part in &self.parts {
            let mut column = Mat::from_fn(part.freedoms.len(), 1, |i, _| right[part.freedoms[i]]);
            part.solve(&mut column);
            for (i, freedom) in part.freedoms.iter().enumerate() {
                out[*freedom] = column[(i, 0)];
            }
        }
        out
    }
}

/// The entries (own row, value) of the columns of H that touch a part, by columns.
type Touching = BTreeMap<usize, Vec<(usize, f64)>>;

/// Adds what one part contributes to W.
fn add_part(
    part: &Part,
    touching: &Touching,
    symmetric: bool,
    entries: &mut Vec<(usize, usize, f64)>,
) -> Result<(), Flaw> {
    let columns: Vec<(&usize, &Vec<(usize, f64)>)> = touching.iter().collect();
    if entries
        .len()
        .saturating_add(columns.len().saturating_mul(columns.len()))
        > MOST_ENTRIES
    {
        return Err(Flaw::of(
            "W",
            format!("it would have more than {MOST_ENTRIES} entries"),
            "cut the problem into smaller ones",
        ));
    }
    for (batch, chunk) in columns.chunks(BATCH).enumerate() {
        let mut moved = Mat::zeros(part.freedoms.len(), chunk.len());
        for (j, (_, values)) in chunk.iter().enumerate() {
            for (row, value) in *values {
                moved[(*row, j)] = *value;
            }
        }
        part.solve(&mut moved);
        for (j, (column, _)) in chunk.iter().enumerate() {
            // A symmetric W is one to the last bit.
            let last = if symmetric {
                batch * BATCH + j + 1
            } else {
                columns.len()
            };
            for (row, values) in &columns[..last] {
                let products = values.iter().map(|(i, value)| value * moved[(*i, j)]);
                let value: f64 = products.sum();
                if !value.is_finite() {
                    return Err(singular(part.freedoms[0]));
                }
                entries.push((**row, **column, value));
                if symmetric && row != column {
                    entries.push((**column, **row, value));
                }
            }
        }
    }
    Ok(())
}

impl ContactFile {
    /// The local form of the problem.
    pub fn condense(&self) -> Result<Condensed, Flaw> {
        let (mass, directions, momentum, offset) = match &self.form {
            Form::Local { matrix, free } => {
                return Ok(Condensed {
                    matrix: matrix.clone(),
                    free: free.clone(),
                    dynamics: None,
                });
            }
            Form::Global {
                mass,
                directions,
                momentum,
                offset,
            } => (mass, directions, momentum, offset),
        };
        let dynamics = Dynamics::new(mass)?;
        let mut touching = vec![Touching::new(); dynamics.parts.len()];
        for (row, column, value) in directions.entries() {
            let (part, own) = dynamics.place[row];
            touching[part].entry(column).or_default().push((own, value));
        }
        let mut entries = Vec::new();
        for (part, touching) in dynamics.parts.iter().zip(&touching) {
            add_part(part, touching, dynamics.symmetric, &mut entries)?;
        }
        let rows = directions.columns();
        let matrix = SparseMatrix::from_entries(rows, rows, entries)?;
        let mut free = directions.multiply_transposed(&dynamics.solve(momentum));
        free.iter_mut().zip(offset).for_each(|(q, w)| *q += w);
        if free.iter().any(|q| !q.is_finite()) {
            return Err(singular(0));
        }
        Ok(Condensed {
            matrix,
            free,
            dynamics: Some(dynamics),
        })
    }
}
