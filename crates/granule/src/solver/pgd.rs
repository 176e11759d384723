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
//! 1/m_b))`, which is what [kleinert2017, §5] compares with. ω = 0.3 by default, as is usual; it is not a
//! bound, and a body with very many neighbours needs less.

use super::gradient::GradientWorkspace;
use super::monitor::{AtZero, Iteration, Monitor};
use super::{Incompatible, Scaling, SolverConfig, Status};
use crate::certify::Certificate;
use crate::problem::{ContactProblem, ProblemKind};

/// ω of Gauss-Jacobi.
const DAMPING: f64 = 0.3;

/// The solvers `pgd` and `pgj`.
pub(super) struct Pgd {
    config: SolverConfig,
    workspace: GradientWorkspace,
}

impl Pgd {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self {
            config,
            workspace: GradientWorkspace::default(),
        }
    }

    /// Projected Gauss-Jacobi.
    pub(super) fn jacobi(config: SolverConfig) -> Self {
        Self::new(SolverConfig {
            scaling: Scaling::Diagonal,
            step: config.step.or(Some(DAMPING)),
            ..config
        })
    }
}

impl Iteration for Pgd {
    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        // Every set has a projection, and that is all the method needs.
        Ok(())
    }

    fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) -> AtZero {
        self.workspace.prepare(problem, start)
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        let (space, problem) = (&mut self.workspace, monitor.problem());
        let step = match self.config.step {
            Some(step) => step,
            None => 1.0 / space.curvature_bound(problem, &self.config),
        };
        loop {
            problem
                .delassus
                .image(&space.current, &mut space.extrapolated_image);
            let sums = space.step(problem, &self.config, step, 0.0);
            monitor.applications += 1;
            let estimate = monitor.estimate(&sums, step);
            if monitor.iterations == 0
                && let Some(certificate) = monitor.accepts_start(start, estimate)
            {
                return (Status::Converged, certificate);
            }
            space.accept();
            let paper_error = monitor.bloch_error(&sums);
            if let Some(end) =
                monitor.after_iteration(|| &space.current, &sums, estimate, paper_error)
            {
                return end;
            }
        }
    }

    fn answer(&mut self) -> &[f64] {
        &self.workspace.current
    }
}
