//! Friction whose flow is not normal to the cone: contacts that slide open by tan ψ times their slip.
//!
//! ```text
//! -H w ∈ N_K(λ),   H = n nᵀ + q (1 - n nᵀ),   q = tan ψ/μ              [tasora2013, eq. (53)]
//! ```
//!
//! Where a contact slides H w lies on the edge of the dual cone, `n·w = μ q |w_T| = tan ψ |w_T|`, and friction opposes
//! the slip with all it may. With ψ = φ, tan φ = μ, it is the convexified law, and for ψ → 0 the exact one. What sliding
//! takes out of the motion is `(μ - tan ψ) λ_n |w_T|`, so that ψ is at most φ.

use super::{Flow, Friction, Interface};

impl Interface {
    /// The coefficients with which a contact that slides, rolls and spins opens under a law that is not exact.
    pub(crate) fn opening(&self) -> Friction {
        let friction = self.law.friction();
        Friction {
            sliding: self.dilatancy.unwrap_or(friction.sliding),
            ..friction
        }
    }

    /// q = tan ψ/μ; one for a contact whose flow is associated.
    pub(crate) fn skewness(&self) -> f64 {
        match (self.dilatancy, self.law.friction().sliding) {
            (Some(tangent), sliding) if sliding > 0.0 => tangent / sliding,
            (Some(_) | None, _) => 1.0,
        }
    }

    /// What is wrong with the dilatancy, if anything.
    pub(super) fn check_dilatancy(&self) -> Result<(), (&'static str, String)> {
        let Some(tangent) = self.dilatancy else {
            return Ok(());
        };
        let sliding = self.law.friction().sliding;
        let reason = match self.law.flow() {
            Some(Flow::Exact) => {
                "goes with `coulomb-convex`: under `coulomb` what slides does not open".to_owned()
            }
            None => "needs a law with friction, `coulomb-convex`".to_owned(),
            Some(Flow::Associated | Flow::Skewed) => match tangent {
                0.0 => "must not be 0: a contact that slides without opening has the law `coulomb`"
                    .to_owned(),
                _ if sliding == 0.0 => {
                    "needs a `friction` above 0: without it nothing opens".to_owned()
                }
                _ if tangent > 0.0 && tangent <= sliding => return Ok(()),
                _ if tangent > sliding => format!(
                    "must be at most the friction, {sliding}, not {tangent}: sliding would add energy"
                ),
                _ => format!("must be above 0, not {tangent}"),
            },
        };
        Err(("dilatancy", reason))
    }
}
