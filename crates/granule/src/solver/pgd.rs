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

use super::gradient::{GradientWorkspace, at_zero};
use super::monitor::Monitor;
use super::{ContactSolver, Incompatible, Method, Scaling, SolveReport, SolverConfig, Status};
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

impl ContactSolver for Pgd {
    fn method(&self) -> Method {
        self.config.method
    }

    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        // Every set has a projection, and that is all the method needs.
        Ok(())
    }

    fn limit(&mut self, tolerance: f64, max_iterations: usize) {
        self.config.tolerance = tolerance;
        self.config.max_iterations = max_iterations;
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64]) -> SolveReport {
        let space = &mut self.workspace;
        space.prepare(problem, impulses);
        let step = match self.config.step {
            Some(step) => step,
            None => 1.0 / space.curvature_bound(problem, &self.config),
        };
        let mut memory = std::mem::take(&mut space.monitor);
        let at_zero = at_zero(problem, &space.rho);
        let mut monitor = Monitor::new(problem, &self.config, &mut memory, at_zero);
        let end = loop {
            problem
                .delassus
                .image(&space.current, &mut space.extrapolated_image);
            let sums = space.step(problem, &self.config, step, 0.0);
            monitor.applications += 1;
            let estimate = monitor.estimate(&sums, step);
            if monitor.iterations == 0
                && let Some(certificate) = monitor.accepts_start(&space.current, estimate)
            {
                break (Status::Converged, certificate);
            }
            space.accept();
            let paper_error = monitor.bloch_error(&sums);
            if let Some(end) =
                monitor.after_iteration(|| &space.current, &sums, estimate, paper_error)
            {
                break end;
            }
        };
        let report = monitor.finish(end, &space.current, impulses);
        space.monitor = memory;
        report
    }
}
