//! Projected gradient descent with a fixed step: Uzawa's algorithm on the dual.
//!
//! `λ⁺ = P_K(λ - τ S (W λ + b))` [bloch2023, Algorithm 1], [maury2006, §3.3].
//!
//! *Deviations.* The printed loop runs *while* the change is at most the tolerance; it must run
//! while it is greater, tested after the update, at least once. The default step is 1/L with the
//! bound L of [maury2006, Remark 8] (see `MatrixFree::spectral_bound`); Proposition 1 allows up to
//! 2/L.
//!
//! **Projected Gauss-Jacobi** (`pgj`) is the same with each contact's own block of W in place of τ,
//! damped by ω: `γ⁺ = P_K(γ - ω W_kk⁻¹ u)`, for spheres that do not turn `γ⁺ = P_K(γ - ω u/(1/m_a +
//! 1/m_b))`, which is what [kleinert2017, §5] compares with.

use super::gradient::GradientWorkspace;
use super::monitor::{AtZero, Iteration, Monitor};
use super::{Ask, Gradient, Jacobi, Scaling, Status, Stop};
use crate::certify::Certificate;
use crate::problem::ContactProblem;

/// The solvers `pgd` and `pgj`.
pub(super) struct Pgd {
    settings: Gradient,
    workspace: GradientWorkspace,
}

impl Pgd {
    pub(super) fn new(stop: Stop, settings: Gradient) -> Self {
        Self {
            settings,
            workspace: GradientWorkspace::new(stop, settings.scaling),
        }
    }

    /// Projected Gauss-Jacobi.
    pub(super) fn jacobi(stop: Stop, settings: Jacobi) -> Self {
        let gradient = Gradient {
            step: Some(settings.step),
            scaling: Scaling::Diagonal,
        };
        Self::new(stop, gradient)
    }
}

impl Iteration for Pgd {
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], _: &Ask) -> AtZero {
        self.workspace.prepare(problem, start)
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        let (space, problem) = (&mut self.workspace, monitor.problem);
        let step = match self.settings.step {
            Some(step) => step,
            None => 1.0 / space.curvature_bound(problem),
        };
        loop {
            problem
                .delassus
                .image(&space.current, &mut space.extrapolated_image);
            let sums = space.step(problem, step, 0.0);
            monitor.applications += 1;
            let estimate = monitor.estimate(&sums, step);
            if let Some(end) = monitor.accepts_start(start, estimate) {
                return end;
            }
            space.accept();
            if let Some(end) = monitor.after_step(|| &space.current, &sums, estimate) {
                return end;
            }
        }
    }

    fn answer(&mut self) -> &[f64] {
        &self.workspace.current
    }
}
