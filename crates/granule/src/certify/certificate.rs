//! What the judge says.

use serde::{Deserialize, Serialize};

/// How well impulses solve a contact problem. Computed by [`super::certify`] alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
pub struct Certificate {
    /// The worst single contact, m/s: `max_i ‖λ_i - P_Ki(λ_i - ρ_i w_i)‖ / ρ_i` with
    /// `ρ_i = 1/λ_max(W_ii)`; for exact friction w includes de Saxcé's correction. Times the step it is a length: what the step may get wrong in
    /// position.
    pub residual: f64,
    /// The error of the community of contact problem collections: the natural map with ρ = 1, its
    /// 2-norm over all contacts, divided by `max(‖b‖, ‖λ‖, ‖w‖)`. It mixes units, so it is
    /// reported for comparison and not used to stop.
    pub relative: f64,
    /// Free of units, what solvers stop on: the 2-norm of the natural map with `ρ_i`, divided by
    /// the larger of `‖λ‖` and the norm of the same map at λ = 0; and the same with every entry
    /// divided by ρ_i, that is, in velocities instead of impulses. The larger of the two counts, so
    /// that neither heavy nor light bodies are let off. A problem that follows another in the same
    /// step is also compared with that one's impulses ([`crate::problem::Scale`]). Doing nothing has error 1, and a scene in
    /// millimetres is solved as well as one in metres.
    pub scaled: f64,
    /// The largest penetration at the end of the step as the scheme predicts it, m: `-h min w_n` as
    /// computed here, which a step whose scheme constrains velocities replaces by what its contacts'
    /// gaps and velocities say.
    pub max_penetration: f64,
    /// The largest distance of an impulse from its set K, N s.
    pub cone_violation: f64,
    /// The largest |λ_i · w_i|, J; for exact friction with de Saxcé's correction.
    pub complementarity: f64,
    /// The mean of |λ_i · w_i| over all contacts, J, for exact friction with de Saxcé's correction: ε_b of
    /// [barboteu2017, eq. (42)].
    pub bipotential: f64,
    /// The mean over all contacts of the velocity of approach that is left, `-min(0, n·w_i)`, m/s: ε_pen of
    /// [barboteu2017, eq. (42)]. (Its third part, ε_motion, is zero here: w follows from λ.)
    pub approach: f64,
    /// The work that contacts take out of the motion, J; never negative for a passive law, up to
    /// the accuracy of the solve.
    pub dissipation: f64,
    /// The momentum that got lost between bodies and walls in the arithmetic, divided by the sum of
    /// all impulses.
    pub momentum_error: f64,
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
            relative: self.relative.max(second.relative),
            scaled: self.scaled.max(second.scaled),
            max_penetration: self.max_penetration,
            cone_violation: self.cone_violation.max(second.cone_violation),
            complementarity: self.complementarity.max(second.complementarity),
            bipotential: self.bipotential.max(second.bipotential),
            approach: self.approach.max(second.approach),
            dissipation: self.dissipation + second.dissipation,
            momentum_error: self.momentum_error.max(second.momentum_error),
            active: self.active.max(second.active),
        }
    }

    /// Whether the tolerance (on [`Certificate::scaled`]) and, if given, the limit (m/s, on
    /// [`Certificate::residual`]) are met.
    pub fn meets(&self, tolerance: f64, max_residual: Option<f64>) -> bool {
        self.scaled <= tolerance && max_residual.is_none_or(|limit| self.residual <= limit)
    }
}
