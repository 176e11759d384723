//! (N + F²) Δx = c over the contacts, with W as an operator, in the coordinates of [`super::frame`].
//!
//! - **Blocks.** The preconditioner `(N_kk + F_k²)⁻¹` of each contact [kleinert2017, §4.2].
//! - **Factor.** The Cholesky factor of the symmetric part of the whole matrix, where W is given. *Ours.*

use super::cone::outer;
use super::factor::{BlockMatrix, Factor};
use super::frame::Frame;
use super::inner::{Aim, Linear, Step, operator as operator_of};
use super::krylov::{Enough, Krylov, Operator, dot};
use super::path::{Field, load, store};
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

/// The preconditioners.
#[derive(Default)]
enum Preconditioner {
    #[default]
    None,
    Blocks(Vec<DMat3>),
    Factor(Box<Factorised>),
}

#[derive(Default)]
struct Factorised {
    matrix: BlockMatrix,
    factor: Factor,
    flat: Vec<f64>,
}

/// The system and its scratch memory.
#[derive(Default)]
pub(super) struct ContactSystem {
    /// Whether W is symmetric up to rounding.
    pub(super) symmetric: bool,
    frames: Vec<Frame>,
    preconditioner: Preconditioner,
    krylov: Krylov,
    unknowns: Field,
    residual: Field,
    last_z: Field,
    memory: Memory,
}

#[derive(Default)]
struct Memory {
    impulses: Vec<f64>,
    rows: Vec<f64>,
    scratch: DelassusScratch,
}

/// A of a problem.
struct Matrix<'a> {
    problem: &'a ContactProblem,
    frames: &'a [Frame],
    preconditioner: &'a mut Preconditioner,
    memory: &'a mut Memory,
}

impl Operator for Matrix<'_> {
    fn apply(&mut self, t: &[DVec3], out: &mut [DVec3]) {
        let size = self.problem.rows();
        let Memory {
            impulses,
            rows,
            scratch,
        } = &mut *self.memory;
        let delassus = &self.problem.delassus;
        for (k, (frame, f)) in (self.frames.iter())
            .zip(impulses.chunks_exact_mut(size))
            .enumerate()
        {
            store(frame.impulses * t[k], delassus.normal(k), f);
        }
        delassus.apply(impulses, scratch, rows);
        for (k, (frame, w)) in self.frames.iter().zip(rows.chunks_exact(size)).enumerate() {
            let velocity = load(w, delassus.normal(k));
            out[k] = frame.impulses.transpose() * velocity + frame.barrier * t[k];
        }
    }

    fn precondition(&mut self, r: &[DVec3], out: &mut [DVec3]) {
        match self.preconditioner {
            Preconditioner::None => out.copy_from_slice(r),
            Preconditioner::Blocks(blocks) => {
                for ((out, r), block) in out.iter_mut().zip(r).zip(blocks) {
                    *out = *block * *r;
                }
            }
            Preconditioner::Factor(own) => {
                own.flat.clear();
                own.flat.extend(r.iter().flat_map(|r| r.to_array()));
                own.factor.solve(&mut own.flat);
                for (out, x) in out.iter_mut().zip(own.flat.chunks_exact(3)) {
                    *out = DVec3::from_slice(x);
                }
            }
        }
    }
}

/// A block of W as a matrix of vectors, with the normals of its row and its column.
fn as_vectors(block: &[f64], [row, column]: [DVec3; 2]) -> DMat3 {
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

impl Factorised {
    fn prepare(&mut self, matrix: &Assembled, frames: &[Frame]) {
        let mut pairs = Vec::new();
        for k in 0..frames.len() {
            let later = matrix.row(k).filter(|(l, _)| *l > k);
            pairs.extend(later.map(|(l, _)| (k as u32, l as u32)));
        }
        self.matrix.reset(frames.len(), 3, &mut pairs);
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
                self.matrix.add(place, (0, 0), &(0.5 * half));
                if l == k {
                    self.matrix.add(place, (0, 0), &(0.5 * half.transpose()));
                    let own = frame.barrier + DVec3::splat(PROXIMITY);
                    self.matrix.add(place, (0, 0), &DMat3::from_diagonal(own));
                }
            }
        }
        self.factor.factorise(&self.matrix);
    }
}

impl ContactSystem {
    /// With the factor of a matrix, or with blocks only.
    pub(super) fn prepare(&mut self, linear: &Linear, matrix: Option<&Assembled>) {
        let delassus = &linear.problem.delassus;
        let rows = linear.problem.rows();
        self.frames.clear();
        for (k, (cone, scaling)) in linear.cones.iter().zip(linear.scalings).enumerate() {
            let block = delassus.diagonal_block(k);
            self.frames.push(Frame::new(cone, scaling, rows, &block));
        }
        match matrix {
            Some(matrix) => {
                if !matches!(self.preconditioner, Preconditioner::Factor(_)) {
                    self.preconditioner = Preconditioner::Factor(Box::default());
                }
                if let Preconditioner::Factor(own) = &mut self.preconditioner {
                    own.prepare(matrix, &self.frames);
                }
            }
            None => {
                let frames = self.frames.iter().enumerate();
                let blocks =
                    frames.map(|(k, frame)| frame.own_block(&delassus.diagonal_block(k)).inverse());
                self.preconditioner = Preconditioner::Blocks(blocks.collect());
            }
        }
    }

    /// Solves for the step; tells how often W was applied.
    pub(super) fn solve(&mut self, linear: &Linear, aim: &Aim, step: Step) -> usize {
        let problem = linear.problem;
        self.memory.impulses.resize(problem.len(), 0.0);
        self.memory.rows.resize(problem.len(), 0.0);
        let frames = self.frames.iter().enumerate();
        if aim.corrects {
            // The residual of the last unknowns for the new z.
            for (k, frame) in frames {
                self.residual[k] += frame.right(aim.z[k] - self.last_z[k], DVec3::ZERO);
            }
        } else {
            self.unknowns.clear();
            self.unknowns.resize(self.frames.len(), DVec3::ZERO);
            self.residual.clear();
            (self.residual).extend(frames.map(|(k, frame)| frame.right(aim.z[k], aim.rest[k])));
        }
        self.last_z.clear();
        self.last_z.extend_from_slice(aim.z);
        let mut operator = Matrix {
            problem,
            frames: &self.frames,
            preconditioner: &mut self.preconditioner,
            memory: &mut self.memory,
        };
        let factorised = matches!(operator.preconditioner, Preconditioner::Factor(_));
        let known = operator_of(problem).is_some();
        let forcing = if factorised {
            FACTOR_FORCING
        } else if known {
            FORCING * if aim.corrects { 1.0 } else { PREDICTION }
        } else {
            FORCING * aim.last_step.powi(4).max(CARE)
        };
        let start = dot(&self.residual, &self.residual);
        let enough = Enough {
            residual: (forcing * forcing * aim.total).max(ROUNDING * start).sqrt(),
            applications: LIMIT,
        };
        // Rounding makes a factor slightly unsymmetric too.
        let solve = if self.symmetric && !factorised {
            Krylov::gradients
        } else {
            Krylov::minimal_residuals
        };
        let (unknowns, residual) = (&mut self.unknowns, &mut self.residual);
        let applications = solve(&mut self.krylov, &mut operator, unknowns, residual, enough);
        // What is left of the residual goes into y - N x - r, not into the products x ∘ y.
        for (k, frame) in self.frames.iter().enumerate() {
            let t = self.unknowns[k];
            step.dx[k] = frame.step(t);
            step.scaled_dx[k] = frame.scaled_step(t);
            step.scaled_dy[k] = aim.z[k] - step.scaled_dx[k];
            step.dy[k] = frame.apply(step.scaled_dy[k]);
        }
        applications
    }
}
