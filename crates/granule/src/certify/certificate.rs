//! What the judge says.

use serde::{Deserialize, Serialize};

/// What errors a solution may have at most. All that are given must hold.
///
/// ```
/// use granule::certify::{Certificate, Limits};
/// let limits = Limits { scaled: 1e-6, share: Some(0.1), ..Limits::default() };
/// // 2 mm/s in a problem whose fastest contact approached at 1 cm/s.
/// let mut certificate = Certificate::default();
/// (certificate.scaled, certificate.residual, certificate.fastest) = (1e-8, 2e-3, 1e-2);
/// assert!(!certificate.meets(&limits));
/// assert!((certificate.excess(&limits) - 2.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// For [`Certificate::scaled`].
    pub scaled: f64,
    /// For [`Certificate::residual`], as a share of [`Certificate::fastest`].
    pub share: Option<f64>,
    /// For [`Certificate::residual`], m/s.
    pub residual: Option<f64>,
    /// For [`Certificate::relative`].
    pub relative: Option<f64>,
}

/// How well impulses solve a contact problem. Computed by [`super::certify`] alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
#[non_exhaustive]
pub struct Certificate {
    /// The worst single contact, m/s: `max_i ‖λ_i - P_Ki(λ_i - ρ_i w_i)‖ / ρ_i` with
    /// `ρ_i = 1/λ_max(W_ii)`; for exact friction w includes de Saxcé's correction. Times the step it
    /// is a length: what the step may get wrong in position. The unit in the last place of
    /// the largest λ_i/ρ_i is added: what is smaller is lost in the impulse.
    pub residual: f64,
    /// The fastest approach before impulses, m/s: the residual of λ = 0, which is what the problem
    /// asks to be undone. A problem that follows another in the same step takes over that one's.
    pub fastest: f64,
    /// What rounding of the positions and velocities that the problem is made of can amount to in the
    /// velocity of a contact, m/s ([`crate::problem::ContactProblem::rounding`]). A contact that
    /// errs by less counts as solved.
    pub rounding: f64,
    /// The error of the community of contact problem collections: the natural map with ρ = 1, its
    /// 2-norm over all contacts, divided by `max(‖b‖, ‖λ‖, ‖w‖)`. It mixes units, so it is
    /// reported for comparison, and solvers stop on it only if they are told to
    /// ([`crate::solver::SolverConfig::max_relative`]).
    pub relative: f64,
    /// Free of units, what solvers stop on: the 2-norm of the natural map with `ρ_i`, divided by
    /// the larger of `‖λ‖` and the norm of the same map at λ = 0; and the same with every entry
    /// divided by ρ_i, that is, in velocities instead of impulses. The larger of the two counts, so
    /// that neither heavy nor light bodies are let off; contacts that err by less than `rounding` do
    /// not count. A problem that follows another in the same step is also compared with that one's
    /// impulses ([`crate::problem::Scale`]). Doing nothing has error 1, and a scene in millimetres is
    /// solved as well as one in metres. It proves nothing where constraints contradict each other,
    /// since λ then grows without bound: hence [`Limits::share`], and [`super::Contradiction`]. Of sets that are
    /// shifted λ is the impulse between the bodies.
    pub scaled: f64,
    /// The largest penetration at the end of the step, m: `-h min w_n` as computed here, which a
    /// step of a simulation replaces by the deepest overlap at the positions that were reached.
    pub max_penetration: f64,
    /// The largest distance of an impulse from its set K, N s.
    pub cone_violation: f64,
    /// The largest |λ_i · w_i|, J; for exact friction with de Saxcé's correction.
    pub complementarity: f64,
    /// The mean of |λ_i · w_i| over all contacts, J, for exact friction with de Saxcé's correction: ε_b of
    /// [barboteu2017, eq. (42)]; with restitution 1 + e times the paper's, whose formal velocity is w/(1 + e).
    pub bipotential: f64,
    /// The mean over all contacts of the velocity of approach that is left, `-min(0, n·w_i)`, m/s: ε_pen of
    /// [barboteu2017, eq. (42)], with restitution 1 + e times the paper's. (Its third part, ε_motion, is zero
    /// here: w follows from λ.)
    pub approach: f64,
    /// The work that contacts take out of the motion, J; never negative for a passive law, up to
    /// the accuracy of the solve.
    pub dissipation: f64,
    /// Contacts that carry an impulse.
    pub active: usize,
}

impl Certificate {
    /// The certificate of impulses that are not numbers.
    pub(crate) fn failed() -> Self {
        Self {
            residual: f64::INFINITY,
            relative: f64::INFINITY,
            scaled: f64::INFINITY,
            ..Self::default()
        }
    }

    /// The certificate of a step with two problems, of which `second` judges that of the end: the
    /// worse of the two in each error, the work of both, and the penetration of the first, whose
    /// impulses make the gaps.
    pub(crate) fn joined(&self, second: &Self) -> Self {
        Self {
            residual: self.residual.max(second.residual),
            fastest: self.fastest.max(second.fastest),
            rounding: self.rounding.max(second.rounding),
            relative: self.relative.max(second.relative),
            scaled: self.scaled.max(second.scaled),
            max_penetration: self.max_penetration,
            cone_violation: self.cone_violation.max(second.cone_violation),
            complementarity: self.complementarity.max(second.complementarity),
            bipotential: self.bipotential.max(second.bipotential),
            approach: self.approach.max(second.approach),
            dissipation: self.dissipation + second.dissipation,
            active: self.active.max(second.active),
        }
    }

    /// The certificate of a step that also took overlaps out of the positions, which `recovery`
    /// judges: the worse of the two in each error.
    pub(crate) fn with_recovery(&self, recovery: &Self) -> Self {
        Self {
            residual: self.residual.max(recovery.residual),
            relative: self.relative.max(recovery.relative),
            scaled: self.scaled.max(recovery.scaled),
            ..*self
        }
    }

    /// The largest residual (m/s) that the limits allow: at least `rounding`, and infinite where they
    /// set none.
    pub fn residual_limit(&self, limits: &Limits) -> f64 {
        let share = limits.share.map_or(f64::INFINITY, |s| s * self.fastest);
        let limit = share.min(limits.residual.unwrap_or(f64::INFINITY));
        limit.max(self.rounding)
    }

    /// Whether all limits are met.
    pub fn meets(&self, limits: &Limits) -> bool {
        self.scaled <= limits.scaled
            && self.residual <= self.residual_limit(limits)
            && limits.relative.is_none_or(|limit| self.relative <= limit)
    }

    /// How many times larger than its limit an error is, the worst of them; at most 1 where all are met.
    pub fn excess(&self, limits: &Limits) -> f64 {
        let of = |error: f64, limit: f64| if error > 0.0 { error / limit } else { 0.0 };
        of(self.scaled, limits.scaled)
            .max(of(self.residual, self.residual_limit(limits)))
            .max(of(self.relative, limits.relative.unwrap_or(f64::INFINITY)))
    }
}
