//! The linear system of a step.

use super::contact::WeightedBlock;
use super::iterate::Iterate;
use crate::math::linear::RowMatrix;
use crate::problem::{Assembled, ContactProblem, by_rows};
use crate::solver::tuning::newton as tuning;

/// `(1 - P_k) Δ_k + P_k (ρ_k (W Δ)_k + α Δ_k) = -F_k`, over the contacts that belong in it.
#[derive(Default)]
pub(super) struct System {
    matrix: RowMatrix,
    /// P_k, and P_k ρ_k.
    slopes: Vec<f64>,
    weighted: Vec<f64>,
    /// Contacts with P_k ≠ 0, and the place of each contact among those in the matrix.
    within: Vec<bool>,
    place: Vec<Option<usize>>,
    right: Vec<f64>,
}

impl System {
    /// Forgets which contacts were in the matrix.
    pub(super) fn clear(&mut self) {
        self.place.clear();
    }

    /// The derivatives at the point, and which contacts belong in the matrix.
    pub(super) fn linearise(&mut self, at: &Iterate, rows: usize) {
        by_rows!(rows, <ROWS, B> self.linearise_as::<B>(at, rows))
    }

    fn linearise_as<V: WeightedBlock>(&mut self, at: &Iterate, rows: usize) {
        let area = rows * rows;
        self.slopes.resize(at.contacts.len() * area, 0.0);
        self.weighted.resize(at.contacts.len() * area, 0.0);
        self.within.clear();
        for (k, contact) in at.contacts.iter().enumerate() {
            let part = k * rows..(k + 1) * rows;
            let place = at.point.place::<V>(&at.proximal, part);
            self.within.push(contact.slopes(
                (place, at.proximal.alpha),
                &mut self.slopes[k * area..][..area],
                &mut self.weighted[k * area..][..area],
            ));
        }
        // Those of the last step, if that adds few: then the pattern is known.
        let needed = self.within.iter().filter(|within| **within).count();
        let known = self.place.iter().flatten().count() as f64 <= tuning::SPARE * needed as f64
            && self.place.len() == self.within.len()
            && (self.place.iter().zip(&self.within))
                .all(|(place, within)| place.is_some() || !within);
        if !known {
            let mut count = 0;
            self.place.clear();
            self.place.extend(self.within.iter().map(|within| {
                count += usize::from(*within);
                within.then(|| count - 1)
            }));
        }
    }

    /// Solves for the step; `None` where the matrix has no inverse.
    pub(super) fn direction(
        &mut self,
        at: &mut Iterate,
        problem: &ContactProblem,
        w: &Assembled,
    ) -> Option<()> {
        let (rows, alpha) = (problem.rows(), at.proximal.alpha);
        let area = rows * rows;
        at.step.resize(problem.len(), 0.0);
        for (k, place) in self.place.iter().enumerate() {
            let part = k * rows..(k + 1) * rows;
            let residuals = &at.point.residual[part.clone()];
            for (step, residual) in at.step[part].iter_mut().zip(residuals) {
                *step = if place.is_some() { 0.0 } else { -residual };
            }
        }
        if at.step.iter().any(|step| *step != 0.0) {
            at.set_image(problem);
        } else {
            at.image.clear();
            at.image.resize(problem.len(), 0.0);
        }
        self.matrix.clear();
        self.right.clear();
        for (k, place) in self.place.iter().enumerate() {
            if place.is_none() {
                continue;
            }
            let slope = &self.slopes[k * area..][..area];
            let weighted = &self.weighted[k * area..][..area];
            for i in 0..rows {
                let (slope, weighted) = (&slope[i * rows..][..rows], &weighted[i * rows..][..rows]);
                for (l, block) in w.row(k) {
                    let Some(first) = self.place[l] else {
                        continue;
                    };
                    for j in 0..rows {
                        let column = block[j..].iter().step_by(rows);
                        let mut value: f64 = weighted.iter().zip(column).map(|(p, w)| p * w).sum();
                        if l == k {
                            value += (alpha - 1.0) * slope[j] + f64::from(u8::from(i == j));
                        }
                        self.matrix.push(first * rows + j, value);
                    }
                }
                self.matrix.end_row();
                let made = &at.image[k * rows..][..rows];
                let known: f64 = weighted.iter().zip(made).map(|(p, w)| p * w).sum();
                self.right.push(-at.point.residual[k * rows + i] - known);
            }
        }
        self.matrix.solve(&mut self.right)?;
        for (k, place) in self.place.iter().enumerate() {
            if let Some(place) = place {
                at.step[k * rows..][..rows].copy_from_slice(&self.right[place * rows..][..rows]);
            }
        }
        at.set_image(problem);
        Some(())
    }
}
