//! The equations of one contact, and their derivative.
//!
//! With `x = λ - ρ w` the impulse of a contact is the answer to x: for exact friction
//!
//! ```text
//! λ = A(x):   λ_n = max(0, x_n),   λ_T = x_T cut to the length μ λ_n                  [alart1991]
//! ```
//!
//! and the same for moments; for the convex law the projection of x onto K. ρ may be any positive number
//! for each of the normal, sliding and turning parts; for a projection it must be one number.

use crate::law::{AdmissibleSet, Flow};
use crate::math::{DVec3, Screw};
use crate::problem::{Assembled, ContactProblem};

/// Where the equations of a contact are looked at.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) impulse: Screw,
    pub(super) velocity: Screw,
    /// c, the centre of the proximal step.
    pub(super) centre: Screw,
}

/// What the equations of a contact are made of.
pub(super) struct Contact {
    normal: DVec3,
    set: AdmissibleSet,
    flow: Flow,
    rows: usize,
    /// ρ along the normal, across it, and for moments, kg.
    rho: [f64; 3],
}

impl Contact {
    pub(super) fn new(problem: &ContactProblem, matrix: &Assembled, k: usize) -> Self {
        let rows = problem.rows();
        let (set, largest) = (problem.sets.get(k), matrix.largest_diagonal(k));
        // One row needs no exact friction, and its vector lies along x.
        let (normal, flow) = match rows {
            1 => (DVec3::X, Flow::Associated),
            _ => (problem.delassus.normal(k), problem.flow),
        };
        let rho = match flow {
            Flow::Associated => [1.0 / largest; 3],
            Flow::Exact => {
                let block = matrix.block(k, k).expect("the diagonal is always stored");
                let sum = |range: std::ops::Range<usize>| -> f64 {
                    range.map(|i| block[i * (rows + 1)]).sum()
                };
                let along = matrix.metric(k).normal;
                let force = rows.min(3);
                let across = (sum(0..force) - along) / (force - 1) as f64;
                let turning = sum(force..rows) / 2.0;
                [along, across, turning].map(|w| 1.0 / if w > 0.0 { w } else { largest })
            }
        };
        Self {
            normal,
            set,
            flow,
            rows,
            rho,
        }
    }

    pub(super) fn load(&self, rows: &[f64]) -> Screw {
        let part = |i: usize| rows.get(i).copied().unwrap_or(0.0);
        Screw {
            linear: DVec3::new(part(0), part(1), part(2)),
            angular: DVec3::new(part(3), part(4), part(5)),
        }
    }

    pub(super) fn store(&self, vector: Screw, rows: &mut [f64]) {
        let (linear, angular) = (vector.linear.to_array(), vector.angular.to_array());
        for (row, value) in rows.iter_mut().zip(linear.iter().chain(&angular)) {
            *row = *value;
        }
    }

    /// ρ v, or v / ρ.
    fn weighted(&self, v: Screw, [along, across, turning]: [f64; 3]) -> Screw {
        let normal = v.linear.dot(self.normal);
        Screw {
            linear: across * v.linear + (along - across) * normal * self.normal,
            angular: turning * v.angular,
        }
    }

    /// λ - ρ w - α (λ - c).
    fn target(
        &self,
        Place {
            impulse,
            velocity,
            centre,
        }: Place,
        alpha: f64,
    ) -> Screw {
        impulse - self.weighted(velocity, self.rho) - alpha * (impulse - centre)
    }

    /// λ - A(λ - ρ w - α (λ - c)).
    pub(super) fn residual(&self, place: Place, alpha: f64) -> Screw {
        let (x, impulse) = (self.target(place, alpha), place.impulse);
        let answer = match self.flow {
            Flow::Exact => self.set.answer_screw(x, self.normal),
            Flow::Associated => self.set.project_screw(x, self.normal),
        };
        impulse - answer
    }

    /// |r|² in the metric 1/ρ, J.
    pub(super) fn square(&self, residual: Screw) -> f64 {
        residual.dot(self.weighted(residual, self.rho.map(|rho| 1.0 / rho)))
    }

    /// The derivative of A where [`Contact::residual`] takes it, row by row, and the same times ρ; tells
    /// whether it is not zero.
    pub(super) fn slopes(
        &self,
        (place, alpha): (Place, f64),
        slope: &mut [f64],
        weighted: &mut [f64],
    ) -> bool {
        let x = self.target(place, alpha);
        let mut any = false;
        let mut column = [0.0; 6];
        for j in 0..self.rows {
            let mut unit = [0.0; 6];
            unit[j] = 1.0;
            let unit = self.load(&unit);
            for (direction, out) in [
                (unit, &mut *slope),
                (self.weighted(unit, self.rho), &mut *weighted),
            ] {
                let change = match self.flow {
                    Flow::Exact => self.set.answer_derivative(x, direction, self.normal),
                    Flow::Associated => self.set.derivative(x, direction, self.normal),
                };
                self.store(change, &mut column);
                for (i, value) in column[..self.rows].iter().enumerate() {
                    out[i * self.rows + j] = *value;
                    any |= *value != 0.0;
                }
            }
        }
        any
    }
}
