//! Gauss-Seidel sweeps over contacts of any kind, one at a time.
//!
//! Each contact takes the step `z = P_K(y - W_kk⁻¹ w)` in the metric of its own block. For spheres and
//! disks without moments the block is a [`crate::law::Metric`] and this solves the contact exactly; otherwise the
//! metric is the smallest of its kind that is known to lie above the block, and the step goes part of
//! the way.

use super::ProblemSweeps;
use super::momentum::Pace;
use super::visit::Fixed;
use crate::law::AdmissibleSet;
use crate::problem::{Block, ContactProblem, Image, by_rows};
use crate::solver::joint_factor::JointFactor;
use crate::solver::monitor::{AtZero, StepSums};

/// The impulses and what they make.
#[derive(Debug, Default)]
pub(super) struct PlainSweep {
    fixed: Vec<Fixed>,
    impulses: Vec<f64>,
    earlier: Vec<f64>,
    /// s of each contact for exact friction, m/s.
    slips: Vec<f64>,
    image: Image,
    before: Image,
    /// Joints, which are solved all at once after the others.
    joints: JointFactor,
}

impl ProblemSweeps for PlainSweep {
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], _single: bool) -> AtZero {
        self.fixed.clear();
        self.fixed
            .extend((0..problem.contact_count()).map(|k| Fixed::new(problem, k)));
        for list in [&mut self.impulses, &mut self.earlier] {
            list.clear();
            list.extend_from_slice(start);
        }
        self.slips.clear();
        self.slips.resize(problem.contact_count(), 0.0);
        self.joints.prepare(problem);
        self.refresh(problem);
        AtZero::of(problem)
    }

    fn sweep(&mut self, problem: &ContactProblem, pace: Pace) -> StepSums {
        self.extrapolate(pace.beta);
        by_rows!(problem.rows(), <ROWS, B> self.sweep_blocks::<ROWS, B>(problem, pace))
    }

    fn start_energy(&self, problem: &ContactProblem) -> f64 {
        let rows = problem.rows();
        let mut velocity = [0.0; 6];
        let velocity = &mut velocity[..rows];
        let contacts = self.impulses.chunks_exact(rows).enumerate();
        let loaded = contacts.filter(|(_, impulse)| impulse.iter().any(|x| *x != 0.0));
        loaded.fold(0.0, |sum, (k, impulse)| {
            problem.delassus.rows_of(&self.image, k, velocity);
            let bias = &problem.bias[rows * k..][..rows];
            let terms = impulse.iter().zip(&*velocity).zip(bias);
            sum + terms.map(|((x, w), b)| x * (0.5 * w + b)).sum::<f64>()
        })
    }

    fn refresh(&mut self, problem: &ContactProblem) {
        problem.delassus.image(&self.impulses, &mut self.image);
        problem.delassus.image(&self.earlier, &mut self.before);
    }

    fn maintain(&mut self, problem: &ContactProblem, _sweep: usize, rebuild: bool) {
        if rebuild {
            self.refresh(problem);
        }
    }

    fn write_impulses<'t>(&mut self, to: &'t mut Vec<f64>, _: &ContactProblem) -> &'t [f64] {
        to.clone_from(&self.impulses);
        to
    }
}

impl PlainSweep {
    /// The velocities of y = λ + β (λ - λ before) from those of λ.
    fn extrapolate(&mut self, beta: f64) {
        let Self { image, before, .. } = self;
        std::mem::swap(image, before);
        // Now `before` is the image of λ, and `image` that of the λ before it.
        image.extrapolate_from(before, beta);
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
        let eliminated = !self.joints.is_empty();
        for (k, (impulse, before)) in impulses.iter_mut().zip(&mut *earlier).enumerate() {
            if eliminated && self.fixed[k].set == AdmissibleSet::Free {
                continue;
            }
            delassus.rows_of(&self.image, k, &mut rows);
            let w = B::load(&rows) + B::load(&bias[k]);
            let places: [&mut [f64]; 2] = [impulse, before];
            let slip = &mut self.slips[k];
            let d = self.fixed[k].visit((problem.flow, pace), w, places, slip, &mut sums);
            d.store(&mut rows);
            delassus.change_image(&mut self.image, k, &rows);
        }
        for n in 0..self.joints.len() {
            let k = self.joints.number(n);
            delassus.rows_of(&self.image, k, &mut rows);
            let w = B::load(&rows) + B::load(&bias[k]);
            w.store(&mut rows);
            self.joints.set_velocity(n, &rows);
        }
        self.joints.solve();
        for n in 0..self.joints.len() {
            let k = self.joints.number(n);
            let places: [&mut [f64]; 2] = [&mut impulses[k], &mut earlier[k]];
            rows = [0.0; ROWS];
            self.joints.take(n, pace.beta, places, &mut rows, &mut sums);
            delassus.change_image(&mut self.image, k, &rows);
        }
        sums
    }
}
