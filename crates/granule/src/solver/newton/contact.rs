//! The equations of one contact, and their derivative.
//!
//! With `x = λ - ρ w` the impulse of a contact is A(x): for exact friction the augmented projection
//!
//! ```text
//! λ = A(x):   λ_n = max(0, x_n),   λ_T = x_T cut to the length μ λ_n                  [alart1991]
//! ```
//!
//! and the same for moments; for the convex law the projection of x onto K, and where the flow is skewed that with
//! `x = λ - ρ H w`. ρ may be any positive number
//! for each of the normal, sliding and turning parts; for a projection it must be one number.

use crate::law::{AdmissibleSet, Flow, Metric};
use crate::math::{DMat3, DVec3, Screw};
use crate::problem::{Assembled, Block, ContactProblem};

/// The rows of a contact, as the equations see them.
pub(super) trait WeightedBlock: Block {
    fn screw(self) -> Screw;
    /// The parts along the normal, across it and of moments, each times its factor.
    fn weighted(self, normal: DVec3, factors: [f64; 3]) -> Self;
}

impl WeightedBlock for f64 {
    #[inline(always)]
    fn screw(self) -> Screw {
        Screw::linear(self * DVec3::X)
    }

    #[inline(always)]
    fn weighted(self, _normal: DVec3, [along, ..]: [f64; 3]) -> Self {
        along * self
    }
}

impl WeightedBlock for DVec3 {
    #[inline(always)]
    fn screw(self) -> Screw {
        Screw::linear(self)
    }

    #[inline(always)]
    fn weighted(self, normal: DVec3, [along, across, _]: [f64; 3]) -> Self {
        across * self + (along - across) * self.along(normal) * normal
    }
}

impl WeightedBlock for Screw {
    #[inline(always)]
    fn screw(self) -> Screw {
        self
    }

    #[inline(always)]
    fn weighted(self, normal: DVec3, factors: [f64; 3]) -> Self {
        Self {
            linear: self.linear.weighted(normal, factors),
            angular: factors[2] * self.angular,
        }
    }
}

/// Where the equations of a contact are looked at.
#[derive(Clone, Copy)]
pub(super) struct EquationPoint<V> {
    pub(super) impulse: V,
    pub(super) velocity: V,
    /// c, the centre of the proximal step.
    pub(super) centre: V,
}

/// What the equations of a contact are made of.
pub(super) struct ContactEquations {
    normal: DVec3,
    set: AdmissibleSet,
    flow: Flow,
    /// ρ along the normal, across it, and for moments, kg; and their inverses.
    rho: [f64; 3],
    inverse: [f64; 3],
    /// H where the flow is skewed.
    skew: Option<DMat3>,
}

impl ContactEquations {
    pub(super) fn new(problem: &ContactProblem, matrix: &Assembled, k: usize) -> Self {
        let rows = problem.rows();
        let (set, largest) = (problem.set(k), matrix.largest_diagonal(k));
        // One row needs no exact friction, and its vector lies along x.
        let (normal, flow) = if rows == 1 {
            (DVec3::X, Flow::Associated)
        } else {
            (problem.delassus.normal(k), problem.flow)
        };
        let inverse = match flow {
            Flow::Associated | Flow::Skewed => [largest; 3],
            Flow::Exact => {
                let block = matrix.diagonal(k);
                let sum = |range: std::ops::Range<usize>| -> f64 {
                    range.map(|i| block[i * (rows + 1)]).sum()
                };
                let along = matrix.metric(k).normal;
                let force = rows.min(3);
                let across = (sum(0..force) - along) / (force - 1) as f64;
                let turning = sum(force..rows) / 2.0;
                [along, across, turning].map(|w| if w > 0.0 { w } else { largest })
            }
        };
        Self {
            normal,
            set,
            flow,
            rho: inverse.map(|w| 1.0 / w),
            inverse,
            skew: (problem.skew.get(k)).map(|skew| skew.balanced(normal, rows)),
        }
    }

    /// ρ w, where the flow is skewed ρ H w.
    #[inline(always)]
    fn pushed<V: WeightedBlock>(&self, velocity: V) -> V {
        let velocity = self.skew.map_or(velocity, |skew| velocity.mapped(&skew));
        velocity.weighted(self.normal, self.rho)
    }

    /// λ - ρ w - α (λ - c).
    #[inline(always)]
    fn target<V: WeightedBlock>(&self, place: EquationPoint<V>, alpha: f64) -> V {
        let pushed = self.pushed(place.velocity);
        place.impulse - pushed - (place.impulse - place.centre).times(alpha)
    }

    /// λ - A(λ - ρ w - α (λ - c)), and its square in the metric 1/ρ, J.
    #[inline(always)]
    pub(super) fn residual<V: WeightedBlock>(
        &self,
        place: EquationPoint<V>,
        alpha: f64,
    ) -> (V, f64) {
        let x = self.target(place, alpha);
        let answer = match self.flow {
            Flow::Exact => x.augmented_projection(self.set, self.normal),
            Flow::Associated | Flow::Skewed => x.project(self.set, self.normal, Metric::EUCLIDEAN),
        };
        let residual = place.impulse - answer;
        let square = residual.dot(residual.weighted(self.normal, self.inverse));
        (residual, square)
    }

    /// The derivative of A where [`ContactEquations::residual`] takes it, row by row, and the same times ρ; tells
    /// whether it is not zero.
    pub(super) fn slopes<V: WeightedBlock>(
        &self,
        (place, alpha): (EquationPoint<V>, f64),
        slope: &mut [f64],
        weighted: &mut [f64],
    ) -> bool {
        let x = self.target(place, alpha).screw();
        slope.fill(0.0);
        weighted.fill(0.0);
        let exact = self.flow == Flow::Exact && self.set.only_pushes();
        if exact && x.linear.dot(self.normal) <= 0.0 {
            return false;
        }
        let rows = slope.len().isqrt();
        let mut column = [0.0; 6];
        for j in 0..rows {
            let mut unit = [0.0; 6];
            unit[j] = 1.0;
            let unit = V::load(&unit[..rows]);
            for (direction, out) in [(unit, &mut *slope), (self.pushed(unit), &mut *weighted)] {
                let direction = direction.screw();
                let change = match self.flow {
                    Flow::Exact => {
                        self.set
                            .augmented_projection_derivative(x, direction, self.normal)
                    }
                    Flow::Associated | Flow::Skewed => {
                        self.set.derivative(x, direction, self.normal)
                    }
                };
                change.store(&mut column);
                for (i, value) in column[..rows].iter().enumerate() {
                    out[i * rows + j] = *value;
                }
            }
        }
        slope.iter().any(|value| *value != 0.0)
    }
}
