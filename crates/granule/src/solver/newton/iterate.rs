//! Where the iteration is, and how it goes along a step.

use super::contact::{ContactEquations, EquationPoint, WeightedBlock};
use crate::problem::{ContactProblem, DelassusScratch, by_rows};
use crate::solver::tuning::newton as tuning;
use std::ops::Range;

/// Impulses, velocities and what the equations leave of them.
#[derive(Default)]
pub(super) struct Point {
    pub(super) impulses: Vec<f64>,
    velocities: Vec<f64>,
    /// F_k.
    pub(super) residual: Vec<f64>,
    /// Σ |F_k|²/ρ_k, J.
    pub(super) merit: f64,
}

/// What the equations are solved with.
#[derive(Default)]
pub(super) struct Proximal {
    pub(super) alpha: f64,
    /// c.
    centre: Vec<f64>,
    /// Σ |F_k|²/ρ_k at c and after each step from there.
    pub(super) merits: Vec<f64>,
    /// The last proximal step, and how many times its length was gone.
    last: Vec<f64>,
    reach: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Point {
    #[inline(always)]
    pub(super) fn place<V: WeightedBlock>(
        &self,
        proximal: &Proximal,
        part: Range<usize>,
    ) -> EquationPoint<V> {
        EquationPoint {
            impulse: V::load(&self.impulses[part.clone()]),
            velocity: V::load(&self.velocities[part.clone()]),
            centre: V::load(&proximal.centre[part]),
        }
    }

    /// Sets residual and merit.
    fn evaluate(&mut self, proximal: &Proximal, contacts: &[ContactEquations], rows: usize) {
        by_rows!(rows, <ROWS, B> self.evaluate_as::<B>(proximal, contacts, rows))
    }

    fn evaluate_as<V: WeightedBlock>(
        &mut self,
        proximal: &Proximal,
        contacts: &[ContactEquations],
        rows: usize,
    ) {
        self.residual.resize(self.impulses.len(), 0.0);
        self.merit = 0.0;
        for (k, contact) in contacts.iter().enumerate() {
            let part = k * rows..(k + 1) * rows;
            let place = self.place::<V>(proximal, part.clone());
            let (residual, square) = contact.residual(place, proximal.alpha);
            residual.store(&mut self.residual[part]);
            self.merit += square;
        }
    }
}

/// The iterate of Newton's method, and the step that it takes.
#[derive(Default)]
pub(super) struct Iterate {
    /// The equations.
    pub(super) contacts: Vec<ContactEquations>,
    pub(super) proximal: Proximal,
    pub(super) point: Point,
    trial: Point,
    /// Δ and W Δ.
    pub(super) step: Vec<f64>,
    pub(super) image: Vec<f64>,
    scratch: DelassusScratch,
}

impl Iterate {
    /// W Δ of the step.
    pub(super) fn set_image(&mut self, problem: &ContactProblem) {
        self.image.resize(problem.len(), 0.0);
        problem
            .delassus
            .apply(&self.step, &mut self.scratch, &mut self.image);
    }

    /// Starts from impulses.
    pub(super) fn start(&mut self, problem: &ContactProblem, impulses: &[f64]) {
        let point = &mut self.point;
        point.impulses.clear();
        point.impulses.extend_from_slice(impulses);
        problem.velocities(impulses, &mut self.scratch, &mut point.velocities);
        self.proximal.last.clear();
        self.recentre(problem.rows(), tuning::ALPHA);
    }

    /// Goes further on the way of the proximal step that ends here, if the last went the same way.
    pub(super) fn extrapolate(&mut self, problem: &ContactProblem) {
        let Proximal {
            centre,
            last,
            reach,
            ..
        } = &mut self.proximal;
        self.step.clear();
        let pairs = self.point.impulses.iter().zip(&*centre);
        self.step.extend(pairs.map(|(x, c)| x - c));
        let lengths = dot(&self.step, &self.step) * dot(last, last);
        let same = dot(&self.step, last) > tuning::SAME_WAY * lengths.sqrt();
        *reach = if same {
            (2.0 * *reach).min(tuning::FURTHEST)
        } else {
            1.0
        };
        last.clone_from(&self.step);
        let more = *reach - 1.0;
        if more == 0.0 {
            return;
        }
        self.set_image(problem);
        for (x, d) in self.point.impulses.iter_mut().zip(&self.step) {
            *x += more * d;
        }
        for (w, d) in self.point.velocities.iter_mut().zip(&self.image) {
            *w += more * d;
        }
    }

    /// Begins a proximal step where the iteration is.
    pub(super) fn recentre(&mut self, rows: usize, alpha: f64) {
        self.proximal.alpha = alpha;
        self.proximal.centre.clone_from(&self.point.impulses);
        self.point.evaluate(&self.proximal, &self.contacts, rows);
        self.proximal.merits.clear();
        self.proximal.merits.push(self.point.merit);
    }

    /// Goes along the step as far as it helps, and tells how far; `None` if it does not.
    pub(super) fn search(&mut self, rows: usize) -> Option<f64> {
        let recent = self.proximal.merits.iter().rev().take(tuning::MEMORY);
        let highest = recent.copied().fold(0.0, f64::max);
        let mut length = 1.0;
        for _ in 0..tuning::HALVINGS {
            let along = |from: &[f64], step: &[f64], to: &mut Vec<f64>| {
                to.clear();
                to.extend(from.iter().zip(step).map(|(x, d)| x + length * d));
            };
            let (point, trial) = (&self.point, &mut self.trial);
            along(&point.impulses, &self.step, &mut trial.impulses);
            along(&point.velocities, &self.image, &mut trial.velocities);
            trial.evaluate(&self.proximal, &self.contacts, rows);
            if trial.merit <= (1.0 - tuning::GAIN * length) * highest {
                std::mem::swap(&mut self.point, &mut self.trial);
                self.proximal.merits.push(self.point.merit);
                return Some(length);
            }
            length *= 0.5;
        }
        None
    }
}
