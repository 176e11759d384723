//! Gauss-Seidel sweeps over contacts of any kind, one at a time.
//!
//! Each contact takes the step `z = P_K(y - W_kk⁻¹ w)` in the metric of its own block. For spheres and
//! disks without moments the block is a [`Metric`] and this solves the contact exactly; otherwise the
//! metric is the smallest of its kind that is known to lie above the block, and the step goes part of
//! the way.

use super::momentum::{Pace, Slip};
use crate::law::{Flow, Metric};
use crate::math::{DVec3, Screw};
use crate::problem::{Block, ContactProblem, Image};
use crate::solver::monitor::StepSums;

/// The impulses and what they make.
#[derive(Debug, Default)]
pub(super) struct PlainSweep {
    metrics: Vec<Metric>,
    impulses: Vec<f64>,
    earlier: Vec<f64>,
    /// s of each contact for exact friction, m/s.
    slips: Vec<f64>,
    image: Image,
    before: Image,
}

impl PlainSweep {
    /// Takes a problem and a start.
    pub(super) fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) {
        self.metrics.clear();
        self.metrics
            .extend((0..problem.contact_count()).map(|k| problem.delassus.majorant(k)));
        for list in [&mut self.impulses, &mut self.earlier] {
            list.clear();
            list.extend_from_slice(start);
        }
        self.slips.clear();
        self.slips.resize(problem.contact_count(), 0.0);
        self.refresh(problem);
    }

    /// Computes the images anew, without what rounding has added to them.
    pub(super) fn refresh(&mut self, problem: &ContactProblem) {
        problem.delassus.image(&self.impulses, &mut self.image);
        problem.delassus.image(&self.earlier, &mut self.before);
    }

    /// λ.
    pub(super) fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    /// One sweep from y = λ + β (λ - λ before).
    pub(super) fn sweep(&mut self, problem: &ContactProblem, pace: Pace) -> StepSums {
        match problem.rows() {
            1 => self.sweep_blocks::<1, f64>(problem, pace),
            2 => self.sweep_blocks::<2, DVec3>(problem, pace),
            3 => self.sweep_blocks::<3, DVec3>(problem, pace),
            _ => self.sweep_blocks::<6, Screw>(problem, pace),
        }
    }

    fn sweep_blocks<const ROWS: usize, B: Block>(
        &mut self,
        problem: &ContactProblem,
        pace: Pace,
    ) -> StepSums {
        let delassus = &problem.delassus;
        let bias = problem.bias.as_chunks::<ROWS>().0;
        let impulses = self.impulses.as_chunks_mut::<ROWS>().0;
        let earlier = self.earlier.as_chunks_mut::<ROWS>().0;
        let mut sums = StepSums::default();
        let mut rows = [0.0; ROWS];
        for (k, (impulse, before)) in impulses.iter_mut().zip(earlier).enumerate() {
            let (set, normal, metric) = (problem.sets.get(k), delassus.normal(k), self.metrics[k]);
            delassus.rows_of(&self.image, k, &mut rows);
            let w = B::load(&rows) + B::load(&bias[k]);
            let now = B::load(impulse);
            let y = now + (now - B::load(before)).times(pace.beta);
            // y - W_kk⁻¹ w: what one contact alone would want.
            let wanted = (y - w.times(1.0 / metric.tangential)).plus_along(
                w.along(normal) * (1.0 / metric.tangential - 1.0 / metric.normal),
                normal,
            );
            let z = if problem.flow == Flow::Exact {
                let slip = &mut self.slips[k];
                *slip += pace.share * (w.dilation(set, normal) - *slip);
                match pace.slip {
                    Slip::Follows => wanted
                        .plus_along(-*slip / metric.normal, normal)
                        .project(set, normal, metric),
                    Slip::AtOnce => wanted.answer(set, normal),
                }
            } else {
                wanted.project(set, normal, metric)
            };
            let d = z - y;
            d.store(&mut rows);
            delassus.change_image(&mut self.image, k, &rows);
            let change = z - now;
            let square = d.along(normal).powi(2);
            let ratio = metric.normal / metric.tangential;
            sums.uphill += w.dot(change);
            sums.step_squared += ratio * ratio * square + (d.dot(d) - square);
            sums.impulse_squared += z.dot(z);
            sums.change = sums.change.max(change.largest());
            sums.size = sums.size.max(now.largest());
            *before = *impulse;
            z.store(impulse);
        }
        sums
    }

    /// The image of y = λ + β (λ - λ before) from that of λ.
    pub(super) fn extrapolate(&mut self, beta: f64) {
        let Self { image, before, .. } = self;
        std::mem::swap(image, before);
        // Now `before` is the image of λ, and `image` that of the λ before it.
        image.extrapolate_from(before, beta);
    }
}
