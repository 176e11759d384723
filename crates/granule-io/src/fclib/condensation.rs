//! From the global form to the local one: W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + w.
//!
//! M falls into parts that are not coupled, most often one a body, and each is factorised by itself:
//! so W couples only contacts that share a part, and none of its zeros is computed.

use super::factor::Factor;
use super::{ContactFile, Flaw, Form, GlobalForm, SparseMatrix};
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
    mass: Mass,
}

#[derive(Debug, Clone)]
enum Mass {
    /// One degree of freedom.
    Number(f64),
    Matrix(Factor),
}

/// Row, column and value.
pub(super) type Entry = (usize, usize, f64);

pub(super) fn singular(freedom: usize) -> Flaw {
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
    fn new(freedoms: Vec<usize>, entries: &[Entry], symmetric: bool) -> Result<Self, Flaw> {
        let broken = singular(freedoms[0]);
        if freedoms.len() == 1 {
            let value: f64 = entries.iter().map(|entry| entry.2).sum();
            if value == 0.0 {
                return Err(broken);
            }
            let mass = Mass::Number(value);
            return Ok(Self { freedoms, mass });
        }
        let mass = Mass::Matrix(Factor::new(&freedoms, entries, symmetric)?);
        let part = Self { freedoms, mass };
        if part.misses(entries) {
            return Err(broken);
        }
        Ok(part)
    }

    /// Whether M times the solution for some vector is far from that vector: no inverse, or none that
    /// the arithmetic could find.
    fn misses(&self, entries: &[Entry]) -> bool {
        let some = |i: usize| 0.5 + (0.618 * i as f64).fract();
        let size = self.freedoms.len();
        let mut solution: Vec<f64> = (0..size).map(some).collect();
        self.solve(&mut solution, 1);
        let mut left: Vec<f64> = (0..size).map(some).collect();
        for (row, column, value) in entries {
            left[*row] -= value * solution[*column];
        }
        let worst = left.iter().map(|x| x.abs()).fold(0.0, f64::max);
        // Not `worst > …`, which a number that is none would pass.
        let good = worst <= 1e-3 && left.iter().all(|x| x.is_finite());
        !good
    }

    /// M⁻¹ times `columns` vectors, one after another.
    fn solve(&self, right: &mut [f64], columns: usize) {
        match &self.mass {
            Mass::Number(value) => right.iter_mut().for_each(|x| *x /= value),
            Mass::Matrix(factor) => factor.solve(right, columns),
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
            let mut column: Vec<f64> = part.freedoms.iter().map(|k| right[*k]).collect();
            part.solve(&mut column, 1);
            for (freedom, value) in part.freedoms.iter().zip(column) {
                out[*freedom] = value;
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
    entries: &mut Vec<Entry>,
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
        let size = part.freedoms.len();
        let mut moved = vec![0.0; size * chunk.len()];
        for (j, (_, values)) in chunk.iter().enumerate() {
            for (row, value) in *values {
                moved[j * size + row] = *value;
            }
        }
        part.solve(&mut moved, chunk.len());
        for (j, (column, _)) in chunk.iter().enumerate() {
            // A symmetric W is one to the last bit.
            let last = if symmetric {
                batch * BATCH + j + 1
            } else {
                columns.len()
            };
            for (row, values) in &columns[..last] {
                let products = values.iter().map(|(i, value)| value * moved[j * size + i]);
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
        let global = match &self.form {
            Form::Local { matrix, free } => {
                return Ok(Condensed {
                    matrix: matrix.clone(),
                    free: free.clone(),
                    dynamics: None,
                });
            }
            Form::Global(global) => global,
        };
        let GlobalForm {
            directions, offset, ..
        } = global;
        let dynamics = Dynamics::new(&global.mass)?;
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
        let mut free = directions.multiply_transposed(&dynamics.solve(&global.momentum));
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
