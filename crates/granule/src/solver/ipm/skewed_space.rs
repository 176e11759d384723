//! (H N + F²) Δx = F z - rest over the contacts, where the flow is skewed: the matrix is not symmetric.
//!
//! With u = F Δx it is `(1 + F⁻¹ H N F⁻¹) u = z - F⁻¹ rest`, in which an open contact is all but a row of the identity
//! and one that sticks all but one of H N, so that an LU factor keeps the digits of both.

use super::contact_space::as_vectors;
use super::inner::{Aim, Linear, Step};
use super::path::{load, store};
use crate::math::DMat3;
use crate::math::linear::RowMatrix;
use crate::problem::Assembled;

/// The system and its scratch memory.
#[derive(Default)]
pub(super) struct SkewedSystem {
    matrix: RowMatrix,
    /// F⁻¹ H T⁻¹ and T⁻¹ F⁻¹ of each contact.
    left: Vec<DMat3>,
    right: Vec<DMat3>,
    unknowns: Vec<f64>,
}

impl SkewedSystem {
    /// Takes a scaling.
    pub(super) fn prepare(&mut self, linear: &Linear, whole: &Assembled) {
        let rows = whole.rows();
        self.left.clear();
        self.right.clear();
        for (k, (cone, scaling)) in linear.cones.iter().zip(linear.scalings).enumerate() {
            let right = cone.unstretched_columns(&scaling.inverse_matrix());
            self.left.push(right.transpose() * linear.flows[k]);
            self.right.push(right);
        }
        self.matrix.clear();
        let mut entries = Vec::new();
        for k in 0..self.left.len() {
            let normal = whole.normal(k);
            entries.clear();
            entries.extend(whole.row(k).map(|(l, block)| {
                let block = as_vectors(block, [normal, whole.normal(l)]);
                let own = if l == k { DMat3::IDENTITY } else { DMat3::ZERO };
                self.left[k] * block * self.right[l] + own
            }));
            for i in 0..rows {
                for ((l, _), entry) in whole.row(k).zip(&entries) {
                    for j in 0..rows {
                        self.matrix.push(l * rows + j, entry.col(j)[i]);
                    }
                }
                self.matrix.end_row();
            }
        }
    }

    /// Solves for the steps; W is not applied for it.
    pub(super) fn solve(&mut self, linear: &Linear, aim: &Aim, steps: &mut [Step]) -> usize {
        let rows = linear.problem.rows();
        self.unknowns.resize(linear.problem.len(), 0.0);
        let places = self.unknowns.chunks_exact_mut(rows).enumerate();
        for ((k, place), scaling) in places.zip(linear.scalings) {
            let value = aim.z[k] - scaling.invert(aim.rest[k]);
            store(value, linear.cones[k].axis, place);
        }
        if self.matrix.solve(&mut self.unknowns).is_none() {
            // A step that leads nowhere: the search takes note.
            self.unknowns.fill(f64::NAN);
        }
        for (k, (step, u)) in steps
            .iter_mut()
            .zip(self.unknowns.chunks_exact(rows))
            .enumerate()
        {
            let scaled_dx = linear.cones[k].confine(load(u, linear.cones[k].axis));
            *step = Step {
                dx: linear.scalings[k].invert(scaled_dx),
                scaled_dx,
                scaled_dy: aim.z[k] - scaled_dx,
            };
        }
        0
    }
}
