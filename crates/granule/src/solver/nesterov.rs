//! Nesterov's momentum: `θ⁺ = ½ (θ √(4 + θ²) - θ²)`, `β = θ (1 - θ)/(θ² + θ⁺)` [bloch2023,
//! Algorithm 2].

/// θ of the acceleration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nesterov {
    theta: f64,
}

impl Nesterov {
    /// As if it had been under way until θ fell to this from one.
    pub(super) fn under_way(theta: f64) -> Self {
        Self { theta }
    }

    /// β for the step just taken, with θ advanced.
    pub(super) fn advance(&mut self) -> f64 {
        let theta = self.theta;
        let next = 0.5 * (theta * (4.0 + theta * theta).sqrt() - theta * theta);
        self.theta = next;
        theta * (1.0 - theta) / (theta * theta + next)
    }

    /// Begins anew; gives β = 0.
    pub(super) fn restart(&mut self) -> f64 {
        self.theta = 1.0;
        0.0
    }
}
