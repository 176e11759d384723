//! (N + F²) Δx = c over the contacts, with W as an operator, in the coordinates of [`super::frame`].
//!
//! - **Blocks.** The preconditioner `(N_kk + F_k²)⁻¹` of each contact [kleinert2017, §4.2].
//! - **Factor.** The Cholesky factor of the symmetric part of the whole matrix, where W is given. *Ours.*

use super::cone::outer;
use super::frame::Frame;
use super::inner::{Aim, Linear, Step, operator};
use super::path::{Field, load, store};
use crate::math::linear::{BlockMatrix, Enough, Krylov, LinearOperator, dot_fields};
use crate::math::{DMat3, DVec3};
use crate::problem::{Assembled, ContactProblem, DelassusScratch};

/// The solve ends when what it leaves is this share of λ in the metric of the scaling, on average.
const FORCING: f64 = 1e-2;
/// Where W is given the share is smaller after short steps, down to this times as much.
const CARE: f64 = 0.1;
/// Where bodies are known a predictor may leave this times as much: the corrector goes on from it.
const PREDICTION: f64 = 10.0;
/// The same share with a factor, where it costs little to leave less.
const FACTOR_FORCING: f64 = 1e-4;
/// Joints alone have no λ: then the solve ends at what rounding leaves of the square of its start.
const ROUNDING: f64 = 1e-24;
/// The solve ends after so many applications even if it has not got there.
const LIMIT: usize = 2000;
/// What is added to the unit diagonal of a matrix before it is factorised.
const PROXIMITY: f64 = 1e-12;

/// The system and its scratch memory.
#[derive(Default)]
pub(super) struct ContactSystem {
    /// Whether W is symmetric up to rounding.
    pub(super) symmetric: bool,
    matrix: ContactMatrix,
    krylov: Krylov<DVec3>,
    unknowns: Field,
    residual: Field,
    last_z: Field,
}

/// The matrix and its preconditioner.
#[derive(Default)]
struct ContactMatrix {
    frames: Vec<Frame>,
    /// Whether the factor of all blocks is the preconditioner, or the inverse of each contact's own.
    factorised: bool,
    blocks: BlockMatrix,
    inverses: Vec<DMat3>,
    flat: Vec<f64>,
    impulses: Vec<f64>,
    rows: Vec<f64>,
    scratch: DelassusScratch,
}

/// The matrix of a problem.
struct AppliedContacts<'a> {
    matrix: &'a mut ContactMatrix,
    problem: &'a ContactProblem,
}

impl LinearOperator<DVec3> for AppliedContacts<'_> {
    fn apply(&mut self, t: &[DVec3], out: &mut [DVec3]) {
        let (size, delassus) = (self.problem.rows(), &self.problem.delassus);
        let ContactMatrix {
            frames,
            impulses,
            rows,
            scratch,
            ..
        } = &mut *self.matrix;
        let contacts = frames.iter().zip(impulses.chunks_exact_mut(size));
        for (k, (frame, f)) in contacts.enumerate() {
            store(frame.impulses * t[k], delassus.normal(k), f);
        }
        delassus.apply(impulses, scratch, rows);
        for (k, (frame, w)) in frames.iter().zip(rows.chunks_exact(size)).enumerate() {
            let velocity = load(w, delassus.normal(k));
            out[k] = frame.impulses.transpose() * velocity + frame.barrier * t[k];
        }
    }

    fn precondition(&mut self, r: &[DVec3], out: &mut [DVec3]) {
        let matrix = &mut *self.matrix;
        if matrix.factorised {
            matrix.flat.clear();
            matrix.flat.extend(r.iter().flat_map(|r| r.to_array()));
            matrix.blocks.solve(&mut matrix.flat);
            for (out, x) in out.iter_mut().zip(matrix.flat.chunks_exact(3)) {
                *out = DVec3::from_slice(x);
            }
        } else {
            for ((out, r), inverse) in out.iter_mut().zip(r).zip(&matrix.inverses) {
                *out = *inverse * *r;
            }
        }
    }
}

/// A block of W as a matrix of vectors, with the normals of its row and its column.
pub(super) fn as_vectors(block: &[f64], [row, column]: [DVec3; 2]) -> DMat3 {
    match block {
        [w] => outer(row, *w * column),
        [a, b, c, d] => DMat3::from_cols(
            DVec3::new(*a, *c, 0.0),
            DVec3::new(*b, *d, 0.0),
            DVec3::ZERO,
        ),
        _ => DMat3::from_cols_slice(block).transpose(),
    }
}

impl ContactMatrix {
    /// The factor of the symmetric part of the whole matrix.
    fn factorise(&mut self, matrix: &Assembled) {
        let (frames, blocks) = (&self.frames, &mut self.blocks);
        let mut pairs = Vec::new();
        for k in 0..frames.len() {
            let later = matrix.row(k).filter(|(l, _)| *l > k);
            pairs.extend(later.map(|(l, _)| (k as u32, l as u32)));
        }
        blocks.reset(frames.len(), 3, &mut pairs);
        for (k, frame) in frames.iter().enumerate() {
            for (l, block) in matrix.row(k) {
                let entry = frame.impulses.transpose()
                    * as_vectors(block, [matrix.normal(k), matrix.normal(l)])
                    * frames[l].impulses;
                let (place, half) = if l <= k {
                    ((k, l), entry)
                } else {
                    ((l, k), entry.transpose())
                };
                blocks.add(place, (0, 0), &(0.5 * half));
                if l == k {
                    blocks.add(place, (0, 0), &(0.5 * half.transpose()));
                    let own = frame.barrier + DVec3::splat(PROXIMITY);
                    blocks.add(place, (0, 0), &DMat3::from_diagonal(own));
                }
            }
        }
        blocks.factorise();
    }
}

impl ContactSystem {
    /// With the factor of a matrix, or with blocks only.
    pub(super) fn prepare(&mut self, linear: &Linear, factorised: Option<&Assembled>) {
        let (delassus, rows) = (&linear.problem.delassus, linear.problem.rows());
        let matrix = &mut self.matrix;
        matrix.frames.clear();
        matrix.inverses.clear();
        matrix.factorised = factorised.is_some();
        for (k, (cone, scaling)) in linear.cones.iter().zip(linear.scalings).enumerate() {
            let block = delassus.diagonal_block(k);
            let frame = Frame::new(cone, scaling, rows, &block);
            matrix.frames.push(frame);
            if !matrix.factorised {
                matrix.inverses.push(frame.own_block(&block).inverse());
            }
        }
        if let Some(whole) = factorised {
            matrix.factorise(whole);
        }
    }

    /// Solves for the steps; tells how often W was applied.
    pub(super) fn solve(&mut self, linear: &Linear, aim: &Aim, steps: &mut [Step]) -> usize {
        let problem = linear.problem;
        self.matrix.impulses.resize(problem.len(), 0.0);
        self.matrix.rows.resize(problem.len(), 0.0);
        if !aim.corrects {
            for field in [&mut self.unknowns, &mut self.residual] {
                field.clear();
                field.resize(steps.len(), DVec3::ZERO);
            }
        }
        for (k, frame) in self.matrix.frames.iter().enumerate() {
            let (z, rest) = aim.news(k, &self.last_z);
            self.residual[k] += frame.right(z, rest);
        }
        self.last_z.clear();
        self.last_z.extend_from_slice(aim.z);
        let factorised = self.matrix.factorised;
        let forcing = if factorised {
            FACTOR_FORCING
        } else if operator(problem).is_some() {
            FORCING * if aim.corrects { 1.0 } else { PREDICTION }
        } else {
            FORCING * aim.last_step.powi(4).max(CARE)
        };
        let mut applied = AppliedContacts {
            matrix: &mut self.matrix,
            problem,
        };
        let (unknowns, residual) = (&mut self.unknowns, &mut self.residual);
        let rounding = ROUNDING * dot_fields(residual, residual);
        let enough = Enough {
            residual: (forcing * forcing * aim.total).max(rounding).sqrt(),
            applications: LIMIT,
        };
        // Rounding makes a factor slightly unsymmetric too.
        let applications = if self.symmetric && !factorised {
            (self.krylov).gradients(&mut applied, unknowns, residual, enough)
        } else {
            (self.krylov).minimal_residuals(&mut applied, unknowns, residual, enough)
        };
        // What is left of the residual goes into y - N x - r, not into the products x ∘ y.
        for (k, (frame, step)) in self.matrix.frames.iter().zip(steps).enumerate() {
            *step = frame.step(self.unknowns[k], aim.z[k]);
        }
        applications
    }
}
