//! RATTLE for nonsmooth motion: SHAKE, and a second problem that stops what has arrived.
//!
//! ```text
//! v^{j+1/2} = ν^j + M⁻¹ (k^j + G(q^j)ᵀ γ_l)                     [kleinert2017, eq. (21b)]
//! u = D/h + G(q^j) v^{j+1/2} + ∂D/∂t,   K* ∋ u ⊥ γ_l ∈ K        [kleinert2017, eq. (21c), linearised]
//! q^{j+1} = q^j + h v^{j+1/2}                                   [kleinert2017, eq. (21a)]
//! ν^{j+1} = v^{j+1/2} + M⁻¹ G(q^{j+1})ᵀ γ_r                     [kleinert2017, eq. (21d)]
//! K* ∋ G(q^{j+1}) ν^{j+1} + ∂D/∂t ⊥ γ_r ∈ K  where closed       [kleinert2017, eq. (21e)]
//! ```
//!
//! The impulse of a contact in the step is γ_l + γ_r; it converges for h → 0, where that of
//! [`super::Shake`] does not. The velocity of a body after the step is ν^{j+1}: it is the state that is
//! kept from step to step, and v^{j+1/2} is what moves positions and is then forgotten. Forces act in
//! the first problem alone. In the second, ∂D/∂t is the mean velocity of walls over the h that follow
//! t_{j+1}, so that what moves with a wall need not be stopped again by the next first problem.
//!
//! *Deviations.*
//! - (21d) is printed with G(q^j)ᵀ; then the second problem would not be symmetric, and energy could
//!   grow. Here it is G(q^{j+1})ᵀ.
//! - (21e) asks whether a contact is closed at q^{j+1}, where it is so only up to the second order of
//!   the linearised gap. Here those contacts take part whose u is on the boundary of K*, up to the
//!   certificate of the first problem (see [`closed_contacts`]).
//! - The tangent cone of K* at a u that slides is a half-space; here it is K* for every contact that
//!   takes part, so that friction can end a slip in the second problem too.
//! - *Convexified friction.* The paper's constraint is `g = (φ_n + μ ∫|φ̇_t| dt, φ_t) ∈ K*`
//!   [kleinert2017, section 2, (iii)], whose rate is `φ̇_n + μ |φ̇_t|` along the normal: at velocity level
//!   `ġ ∈ K*` is the *exact* law, and so it is in the second problem whatever the first has. (With the
//!   convexified law there, nothing would relax `ν_n ≥ μ |ν_T|`, and what slides would hop for ever.) In
//!   the first, ∂g_n/∂t = μ |φ̇_t| is taken at t_j, as known: a contact counts as open by at least
//!   `h μ |ν^j_T|`, so that sliding does not lift it. What friction takes off the slip in the step then
//!   leaves an overlap of up to μ h times that, which is taken out of the positions.
//! - Overlaps at the start of a step as with [`super::Shake`].
//!
//! The paper's remark that positions are those of SHAKE holds as long as nothing separates right after
//! an impact: then γ_r has stopped what SHAKE would have let go on.
//!
//! [`closed_contacts`]: super::closed_contacts

use super::{Dynamics, Gap, Level, Prediction, Recovery, Scheme, SchemeName, Shake};
use crate::bodies::Bodies;
use crate::law::Flow;

/// The scheme `rattle`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rattle {
    first: Shake,
}

impl Rattle {
    /// The scheme with the given treatment of overlaps.
    pub fn new(recovery: Recovery) -> Self {
        let first = Shake::new(recovery);
        Self { first }
    }
}

impl Scheme for Rattle {
    fn name(&self) -> SchemeName {
        SchemeName::Rattle
    }

    fn level(&self) -> Level {
        self.first.level()
    }

    fn centred(&self) -> bool {
        self.first.centred()
    }

    fn predict(&self, bodies: &Bodies, dynamics: &Dynamics, prediction: &mut Prediction) {
        self.first.predict(bodies, dynamics, prediction);
    }

    fn offset(&self, gap: &Gap, step: f64, allowed: f64) -> f64 {
        self.first.offset(gap, step, allowed)
    }

    fn recovers(&self, gap: &Gap, allowed: f64) -> bool {
        self.first.recovers(gap, allowed)
    }

    fn stops_at_end(&self) -> bool {
        true
    }

    fn end_flow(&self, _flow: Flow) -> Flow {
        Flow::Exact
    }

    fn slip_opens(&self) -> bool {
        true
    }
}
