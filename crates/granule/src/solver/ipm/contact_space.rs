//! (N + F²) Δx = c by conjugate gradients over the contacts, with W as an operator and the blocks
//! `(N_kk + F_k²)⁻¹` as preconditioner [kleinert2017, §4.2].

use super::{Aim, Field, Linear, Step, apply};
use crate::math::{DMat3, DVec3};
use crate::problem::DelassusScratch;

/// The solve ends when what it leaves is this share of λ in the metric of the scaling, on average.
const FORCING: f64 = 1e-2;
/// After short steps it is less, but not less than this times that.
const CARE: f64 = 0.1;
/// Joints alone have no λ: then the solve ends at what rounding leaves of the square of its start.
const ROUNDING: f64 = 1e-24;
/// And after so many iterations at the latest.
const LIMIT: usize = 2000;

/// The system and its scratch memory.
#[derive(Default)]
pub(super) struct ContactSystem {
    squares: Vec<DMat3>,
    preconditioner: Vec<DMat3>,
    residual: Field,
    image: Field,
    impulses: Vec<f64>,
    rows: Vec<f64>,
    scratch: DelassusScratch,
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

impl ContactSystem {
    pub(super) fn prepare(&mut self, linear: &Linear) {
        self.squares.clear();
        self.preconditioner.clear();
        for (k, (cone, scaling)) in linear.cones.iter().zip(linear.scalings).enumerate() {
            let metric = linear.problem.delassus.metric(k);
            let square = scaling.square();
            self.squares.push(square);
            let mut block = cone.diagonal(metric.normal, metric.tangential) + square;
            if cone.is_line() {
                // Nothing happens across the normal; the matrix only has to have an inverse.
                let across = DMat3::IDENTITY - super::cone::outer(cone.axis, cone.axis);
                block += across;
            }
            self.preconditioner.push(block.inverse());
        }
    }

    /// P⁻¹ r of a contact.
    fn precondition(&self, k: usize) -> DVec3 {
        self.preconditioner[k] * self.residual[k]
    }

    /// Solves for the step; tells how often W was applied.
    pub(super) fn solve(&mut self, linear: &Linear, aim: &Aim, step: Step) -> usize {
        let (problem, count) = (linear.problem, linear.cones.len());
        self.impulses.resize(problem.len(), 0.0);
        self.rows.resize(problem.len(), 0.0);
        self.image.clear();
        self.image.resize(count, DVec3::ZERO);
        step.dx.fill(DVec3::ZERO);
        self.residual.clear();
        for (k, scaling) in linear.scalings.iter().enumerate() {
            let right = scaling.apply(aim.z[k]) - aim.rest[k];
            self.residual.push(linear.cones[k].confine(right));
        }
        let mut direction: Field = (0..count).map(|k| self.precondition(k)).collect();
        let mut square = dot(&self.residual, &direction);
        let forcing = FORCING * aim.last_step.powi(4).max(CARE);
        let enough = forcing * forcing * aim.total.max(ROUNDING * square);
        let mut iterations = 0;
        while iterations < LIMIT && square > enough {
            apply(
                problem,
                linear.cones,
                &direction,
                (&mut self.impulses, &mut self.rows),
                &mut self.scratch,
                &mut self.image,
            );
            for ((image, d), matrix) in self.image.iter_mut().zip(&direction).zip(&self.squares) {
                *image += *matrix * *d;
            }
            iterations += 1;
            let length = square / dot(&direction, &self.image);
            if !length.is_finite() {
                break;
            }
            for (k, d) in direction.iter().enumerate() {
                step.dx[k] += length * *d;
                self.residual[k] -= length * self.image[k];
            }
            let last = square;
            square = (0..count)
                .map(|k| self.residual[k].dot(self.precondition(k)))
                .sum();
            for (k, d) in direction.iter_mut().enumerate() {
                *d = self.preconditioner[k] * self.residual[k] + square / last * *d;
            }
        }
        // What is left of the residual goes into y - N x - r, not into the products x ∘ y.
        for (k, scaling) in linear.scalings.iter().enumerate() {
            step.dy[k] = scaling.apply(aim.z[k] - scaling.apply(step.dx[k]));
        }
        iterations
    }
}
