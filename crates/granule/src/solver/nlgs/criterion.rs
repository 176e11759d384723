//! The paper's stopping test [barboteu2017, eq. (42)], in its formal velocities ṽ = w/(1 + e).

/// The mean over all contacts of three errors, in m/s and J as the paper adds them up.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Criterion {
    /// ε_motion, m/s: the velocities that visits kept up to date against those of all impulses
    /// together. Since visits add what they change, it is rounding for all methods.
    pub(super) motion: f64,
    /// ε_b, J: the bipotential `|ṽ·p + μ p_n |ṽ_t||` (for the convexified law `|ṽ·p|`).
    pub(super) bipotential: f64,
    /// ε_pen, m/s: approach, `-min(0, ṽ_n)`.
    pub(super) penetration: f64,
}

impl Criterion {
    /// ε_glob.
    pub(super) fn total(&self) -> f64 {
        self.motion + self.bipotential + self.penetration
    }
}
