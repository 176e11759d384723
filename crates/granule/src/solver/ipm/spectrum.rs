//! The eigenvalues of the linear systems on the way to a solution [kleinert2017, figure 4].

use super::contact_space::as_vectors;
use super::frame::Frame;
use super::path::Path;
use crate::certify::certify;
use crate::law::AdmissibleSet;
use crate::math::linear::symmetric_eigenvalues;
use crate::math::{DMat3, principal_axes};
use crate::problem::{Assembled, ContactProblem};

/// Iterations at most.
const LIMIT: usize = 100;

/// The systems `(N + F²) Δx = c` that `ipm-mf` solves on its way, by their eigenvalues in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectra {
    /// Eigenvalues of `N = T⁻¹ W T⁻¹`, the same in all iterations, 1/kg.
    pub delassus: Vec<f64>,
    /// One for each iteration.
    pub iterations: Vec<Spectrum>,
}

/// The system of an iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// α, the mean of x·y, before the iteration, J.
    pub alpha: f64,
    /// The worst contact's error after it, m/s.
    pub residual: f64,
    /// Eigenvalues of `N + F²`, 1/kg.
    pub system: Vec<f64>,
    /// Eigenvalues of `B^-½ (N + F²) B^-½`, B the contacts' own blocks of `N + F²`.
    pub preconditioned: Vec<f64>,
}

impl Spectra {
    /// From zero impulses to an error of the worst contact of `tolerance` (m/s), or as far as that comes.
    ///
    /// Matrices are dense here, so this is for some hundred contacts. `None` unless all of them have friction, in space.
    pub fn of(problem: &ContactProblem, tolerance: f64) -> Option<Self> {
        let has_friction =
            |k| matches!(problem.set(k), AdmissibleSet::Cone { friction } if friction > 0.0);
        if problem.rows() != 3 || !(0..problem.contact_count()).all(has_friction) {
            return None;
        }
        let matrix = problem.delassus.matrix();
        let mut path = Path::default();
        path.prepare(problem, false);
        let zero = vec![0.0; problem.len()];
        path.set_start(problem, &zero, &certify(problem, &zero));
        let mut spectra = Self {
            delassus: Vec::new(),
            iterations: Vec::new(),
        };
        let mut residual = f64::INFINITY;
        while residual > tolerance && path.goes_on() && spectra.iterations.len() < LIMIT {
            let alpha = path.gap();
            path.advance(problem);
            residual = certify(problem, path.impulses(problem)).residual;
            let (mut stretchings, mut squares, mut frames) = (Vec::new(), Vec::new(), Vec::new());
            for (k, (cone, scaling)) in path.scaled_cones().enumerate() {
                let root = scaling.directions * DMat3::from_diagonal(scaling.values);
                stretchings.push(cone.unstretched_columns(&DMat3::IDENTITY));
                squares.push(root * root.transpose());
                // Along the eigenvectors of F the small digits are kept.
                let frame = Frame::new(cone, scaling, 3, &matrix.diagonal_block(k));
                let (own, axes) = principal_axes(frame.own_block(&matrix.diagonal_block(k)));
                let root =
                    DMat3::from_quat(axes) * DMat3::from_diagonal(own.map(|x| 1.0 / x.sqrt()));
                frames.push((
                    frame.impulses * root,
                    root.transpose() * DMat3::from_diagonal(frame.barrier) * root,
                ));
            }
            if spectra.iterations.is_empty() {
                spectra.delassus = eigenvalues(&matrix, |k| (stretchings[k], DMat3::ZERO))?;
            }
            spectra.iterations.push(Spectrum {
                alpha,
                residual,
                system: eigenvalues(&matrix, |k| (stretchings[k], squares[k]))?,
                preconditioned: eigenvalues(&matrix, |k| frames[k])?,
            });
        }
        Some(spectra)
    }
}

/// The eigenvalues of `Pᵀ W P + D` for the blocks P and D of each contact.
fn eigenvalues(matrix: &Assembled, blocks: impl Fn(usize) -> (DMat3, DMat3)) -> Option<Vec<f64>> {
    let size = 3 * matrix.contact_count();
    let mut dense = vec![0.0; size * size];
    for k in 0..matrix.contact_count() {
        let (from, own) = blocks(k);
        for (l, block) in matrix.row(k) {
            let normals = [matrix.normal(k), matrix.normal(l)];
            let mut entry = from.transpose() * as_vectors(block, normals) * blocks(l).0;
            if l == k {
                entry += own;
            }
            for column in 0..3 {
                let place = (3 * l + column) * size + 3 * k;
                dense[place..place + 3].copy_from_slice(&entry.col(column).to_array());
            }
        }
    }
    symmetric_eigenvalues(&dense, size)
}
