//! One contact of any kind, solved for the velocities at hand.

use super::momentum::{Pace, Slip};
use crate::law::{AdmissibleSet, Flow, Metric};
use crate::math::DVec3;
use crate::problem::{Block, ContactProblem};
use crate::solver::monitor::StepSums;

/// What does not change over the sweeps: K, the normal, and a metric above the contact's block of W.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixed {
    pub(super) set: AdmissibleSet,
    pub(super) normal: DVec3,
    pub(super) metric: Metric,
    /// The factor of de Saxcé's correction.
    dilating: f64,
}

impl Fixed {
    pub(super) fn new(problem: &ContactProblem, contact: usize) -> Self {
        Self {
            set: problem.set(contact),
            normal: problem.delassus.normal(contact),
            metric: problem.delassus.majorant(contact),
            dilating: problem.dilating(contact),
        }
    }

    /// Takes the step `z = P_K(y - W_kk⁻¹ w)` from y = λ + β (λ - λ before). Writes z and λ in the places of λ and
    /// the one before it, and gives z - y.
    #[inline(always)]
    pub(super) fn visit<B: Block>(
        &self,
        (flow, pace): (Flow, Pace),
        w: B,
        [impulse, before]: [&mut [f64]; 2],
        slip: &mut f64,
        sums: &mut StepSums,
    ) -> B {
        let (set, normal, metric) = (self.set, self.normal, self.metric);
        let now = B::load(impulse);
        let y = now + (now - B::load(before)).times(pace.beta);
        // y - W_kk⁻¹ w: what one contact alone would want.
        let wanted = (y - w.times(1.0 / metric.tangential)).plus_along(
            w.along(normal) * (1.0 / metric.tangential - 1.0 / metric.normal),
            normal,
        );
        let mut follow = || {
            *slip += pace.share * (self.dilating * w.dilation(set, normal) - *slip);
            wanted
                .plus_along(-*slip / metric.normal, normal)
                .project(set, normal, metric)
        };
        let z = match (flow, pace.slip) {
            (Flow::Associated, _) => wanted.project(set, normal, metric),
            (Flow::Exact, Slip::Follows) | (Flow::Skewed, _) => follow(),
            (Flow::Exact, Slip::AtOnce) => {
                follow();
                wanted.augmented_projection(set, normal)
            }
        };
        let d = z - y;
        let change = z - now;
        let square = d.along(normal).powi(2);
        let ratio = metric.normal / metric.tangential;
        sums.uphill += w.dot(change);
        let step = ratio * ratio * square + (d.dot(d) - square);
        let size = z.dot(z);
        let per_mass = metric.tangential * metric.tangential;
        sums.step_squared += step;
        sums.impulse_squared += size;
        sums.step_velocity_squared += per_mass * step;
        sums.impulse_velocity_squared += per_mass * size;
        sums.change = sums.change.max(change.largest());
        sums.size = sums.size.max(now.largest());
        before.copy_from_slice(impulse);
        z.store(impulse);
        d
    }
}
