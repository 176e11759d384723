//! A primal-dual interior-point method on the product of the friction cones [kleinert2017, §4].
//!
//! In the coordinates of [`cone`], with `N = T⁻¹ W T⁻¹` and `r = T⁻¹ b`,
//!
//! ```text
//! C ∋ x ⊥ y = N x + r ∈ C                                          [kleinert2017, eq. (23)]
//! ```
//!
//! is followed along `x_i ∘ y_i = α e` to α = 0 by Newton's method in Nesterov and Todd's scaling F
//! (`F x = F⁻¹ y = λ`), so that the matrix is symmetric:
//!
//! ```text
//! λ ∘ (F Δx + F⁻¹ Δy) = σ α e - λ ∘ λ - (F Δx_a) ∘ (F⁻¹ Δy_a) =: λ ∘ z
//! (N + F²) Δx = F z - (N x + r - y),   Δy = N Δx + (N x + r - y)
//! ```
//!
//! with Mehrotra's predictor Δx_a (σ = 0) and corrector. y need not be N x + r on the way: inexact
//! inner solves leave a rest in that equation, which the next step takes up. The paper says neither
//! how α falls nor how exact the inner solves are; both are ours.
//!
//! There are two ways to solve for the step ([`inner`]):
//!
//! - **over the bodies** ([`body_space`]): for their velocities Δv = M⁻¹ D Δf, `(M + D S Dᵀ) Δv = D S T c` with
//!   `S = (T F² T + E)⁻¹` and c the right-hand side above. Few iterations at first, more as α falls;
//! - **over the contacts** ([`contact_space`]): for Δx itself, with the blocks `(N_kk + F_k²)⁻¹` as preconditioner
//!   [kleinert2017, §4.2]. It keeps the digits that are small where contacts slide. Conjugate gradients where W is
//!   symmetric, minimal residuals where a given W is not.
//!
//! **`ipm-mf`** (the paper's name) factorises nothing: over the bodies with the blocks of bodies and of groups of
//! them as preconditioner, and over the contacts from where that costs more. **`ipm`** (*ours*) has the sparse
//! Cholesky factor of the contacts that matter as preconditioner, or that of a given W: a few inner iterations
//! where the other takes hundreds. A corrector goes on from the solution of its predictor.
//!
//! **Start.** Impulses f with velocities u = W f + b, good or bad, become the point on the central
//! path with `√d x - y/√d = √d T f - T⁻¹ u/√d`, d = λ_max(W_kk) ([`cone::SymmetricCone::smoothed`]) with an α that goes with
//! their error: good impulses start near the end.
//!
//! The certificate judges the impulses after every iteration, projected onto K, and the best are kept.
//! α is of second order in the direction in which a contact slides, so products and determinants of x and y are
//! carried along beside them ([`cone::PairProducts`]): computed anew from x and y they would be lost below 1e-7. Where
//! no step leads on all the same, sweeps of `ags` from the best point do the rest, and the report says so.
//!
//! **Skewed flow** [tasora2013, §9]. With a matrix H for each contact ([`crate::problem::Skew`]) `y = H (N x + r)`, and
//! the path is that of the paper, for α from 1 to 0,
//!
//! ```text
//! H (N γ + (1 - α) r) + α r_0 + α ∇I(γ) = 0,     I(γ) = -log(μ² γ_n² - |γ_T|²)
//! ```
//!
//! with r_0 such that the start is its point for α = 1. y is -α ∇I(γ), which is `x ∘ y = α e` but for a factor of α, so
//! that in x and y the equations are those above, with H; the start is any pair with `x ∘ y = α e`, and `H (N x + r) - y`
//! falls as α does. A step is Mehrotra's, towards a point of the path that is nearer by a factor, by an LU factor of a
//! matrix that is not symmetric ([`skewed_space`]). *Deviations:* y is an unknown of its own (with γ alone Newton's method
//! converges from ever nearer only as α falls), and the step is as long as the cones allow. The paper takes the
//! matrix for one of class P, and the path therefore for a curve without turns: that holds where H and the Hessian of I
//! commute, but not always (the sum of a P_0 matrix and a positive definite one need not be a P matrix), and for strongly
//! skewed flow, as for exact friction, a path may turn back. Where no step leads on `newton` goes on from the best point, and the
//! report says so; where that does not get there either, so does the status.
//!
//! Joints, half-lines and cones with different μ may be mixed; a joint's rows are taken as a proximal step
//! each time ([`cone::NesterovTodd::of_joint`]). It minimises a function; exact friction needs
//! the fixed point around it, which is what it then takes by itself. One thread, so that the number of
//! threads changes no bit.

mod bodies;
mod body_space;
mod cone;
mod contact_space;
mod frame;
mod groups;
mod inner;
mod path;
mod skewed_space;
mod soft;
mod spectrum;
#[cfg(test)]
mod tests;

pub use spectrum::{Spectra, Spectrum};

use super::ags::Ags;
use super::monitor::{Followed, has_grown};
use super::newton::Newton;
use super::search::{Search, SearchMemory};
use super::{Ask, ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Status};
use crate::law::Flow;
use crate::problem::{ContactProblem, ProblemKind};
use path::Path;

/// Iterations without a certificate better by a tenth after which rounding is taken to have won.
const PATIENCE: usize = 12;
/// A step shorter than this leads nowhere: rounding has put a point on the edge of its cone.
const SHORTEST: f64 = 1e-9;
/// No contact of an answer errs by more than this share of the largest velocity given.
const SENSIBLE: f64 = 0.1;
/// Sweeps at most that add the last digits where no step leads on.
const MAX_POLISH: usize = 10_000;

/// The solvers `ipm` and `ipm-mf`.
pub(super) struct Ipm {
    method: Method,
    memory: SearchMemory,
    path: Path,
    /// The impulses of the iteration before.
    last: Vec<f64>,
    /// What adds the last digits: sweeps, and where the flow is skewed Newton's method on the equations themselves.
    polish: Followed<Ags>,
    skewed_polish: Newton,
}

/// Steps along the path from the best impulses, until they pass or no step leads on.
fn follow(path: &mut Path, last: &mut Vec<f64>, search: &mut Search) -> Status {
    let problem = search.problem;
    // Impulses that hold each other in check (W is singular) may grow on the way, and errors relative to them be
    // small that are not.
    let fastest = problem.bias.iter().fold(0.0, |most, b| b.abs().max(most));
    last.clear();
    last.extend_from_slice(search.best());
    path.set_start(problem, search.best(), &search.report.certificate);
    search.report.applications += 1;
    let (mut mark, mut waited) = (f64::INFINITY, 0);
    loop {
        if let Some(end) = search.must_end() {
            return end;
        }
        let (step, applications) = path.advance(problem);
        search.count_iteration();
        search.report.applications += applications;
        let impulses = path.impulses(problem);
        let certificate = search.judge(impulses);
        let best = &search.report.certificate;
        if certificate.residual <= best.residual && certificate.scaled < best.scaled {
            search.keep(impulses, certificate);
        }
        if has_grown(problem, last, impulses) {
            search.report.applications += 1;
            if search.proves(last, impulses) {
                return Status::Infeasible;
            }
        }
        last.clear();
        last.extend_from_slice(impulses);
        if certificate.meets(&search.ask.limits) && certificate.residual <= SENSIBLE * fastest {
            search.keep(impulses, certificate);
            return Status::Converged;
        }
        let error = certificate.scaled + certificate.residual;
        if error < 0.9 * mark {
            (mark, waited) = (error, 0);
        } else {
            waited += 1;
        }
        if waited == PATIENCE || !(step > SHORTEST && path.goes_on()) {
            if !(path.goes_on() && path.inner.leave_bodies()) {
                return Status::Stalled;
            }
            // What led nowhere may have spoilt x and y.
            path.set_start(problem, search.best(), &search.report.certificate);
            search.report.applications += 1;
            (mark, waited) = (f64::INFINITY, 0);
        }
    }
}

impl Ipm {
    pub(super) fn new(config: &SolverConfig) -> Self {
        Self {
            method: config.method(),
            memory: SearchMemory::default(),
            path: Path::default(),
            last: Vec::new(),
            polish: Ags::followed(config.stop),
            skewed_polish: Newton::new(config),
        }
    }
}

impl ContactSolver for Ipm {
    fn method(&self) -> Method {
        self.method
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        if kind.rows == 6 {
            let why = "the cone of impulses and moments is not symmetric";
            let other = "`ags`, or `clarabel` for small problems";
            return self
                .method
                .refuses("resistance to rolling and spinning", why, other);
        }
        self.method.only_cones(kind)?;
        self.method.only_pairs(kind)?;
        match kind.flow {
            // The factor does not need a symmetric matrix.
            Flow::Skewed if self.method == Method::Ipm => Ok(()),
            Flow::Associated | Flow::Exact | Flow::Skewed => self.method.only_convex(kind),
        }
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        let given = (self.method, problem, ask);
        Search::run(given, impulses, &mut self.memory, |search, _| {
            self.path.prepare(problem, self.method == Method::Ipm);
            // Interior points are never zero, and where nothing needs to be done even a tiny impulse is as
            // wrong as can be.
            let zero = vec![0.0; problem.len()];
            let nothing = search.judge(&zero);
            if search.offer(&zero, nothing) {
                return Status::Converged;
            }
            match follow(&mut self.path, &mut self.last, search) {
                Status::Stalled if problem.skew.is_empty() => {
                    search.polish(&mut self.polish, MAX_POLISH)
                }
                Status::Stalled => search.polish(&mut self.skewed_polish, MAX_POLISH),
                status => status,
            }
        })
    }
}
