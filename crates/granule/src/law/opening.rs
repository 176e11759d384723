//! How far from contact the convexified law acts.
//!
//! ```text
//! D + h u_n ≥ h (μ |u_T| + δ |Δω_T| + σ |Δω_n|)                    [bloch2023, eq. (28)], with moments
//! ```
//!
//! binds a pair long before it touches if it slides, rolls or spins fast. With the velocities v and ω
//! of its two bodies the gap that it can bind at is bounded by the sum of
//! `h (√(1 + μ²) |v| + (μ r + √(δ² + σ²)) |ω|)` over both, whatever the normal.

use super::{Flow, Friction, LawTable};
use crate::math::DVec3;

/// Bounds of the coefficients of a convexified law.
///
/// ```
/// use granule::law::{Friction, Law, LawTable};
/// use granule::math::DVec3;
/// let table = LawTable::uniform(Law::CoulombConvex(Friction::sliding(0.5)));
/// let opening = table.opening().unwrap();
/// // A disk of 1 m that spins at 20 rad/s acts on what is 10 m/s times the step away.
/// assert_eq!(opening.speed(DVec3::ZERO, 20.0 * DVec3::Z, 1.0), 10.0);
/// assert!(LawTable::uniform(Law::Coulomb(Friction::sliding(0.5))).opening().is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opening {
    /// The largest μ, or tan ψ.
    sliding: f64,
    /// √(1 + μ²) of that.
    going: f64,
    /// The largest √(δ² + σ²), m.
    turning: f64,
}

impl Opening {
    /// A bound (m/s) for what a body with these velocities (m/s, rad/s) and this radius (m) adds to the
    /// speed at which a pair closes, as the law sees it.
    pub fn speed(self, linear: DVec3, angular: DVec3, radius: f64) -> f64 {
        self.of_speeds(linear.length(), angular.length(), radius)
    }

    /// [`Opening::speed`] from the speeds alone (m/s, rad/s).
    pub fn of_speeds(self, linear: f64, angular: f64, radius: f64) -> f64 {
        self.going * linear + (self.sliding * radius + self.turning) * angular
    }
}

impl LawTable {
    /// How far from contact the laws act; `None` if they act on what touches alone, as exact friction
    /// and contacts without friction do.
    pub fn opening(&self) -> Option<Opening> {
        match self.flow() {
            Flow::Exact => return None,
            Flow::Associated | Flow::Skewed => {}
        }
        let largest = |of: fn(Friction) -> f64| {
            let values = self.interfaces().map(|i| of(i.opening()));
            values.fold(0.0, f64::max)
        };
        let sliding = largest(|friction| friction.sliding);
        let turning = largest(|friction| friction.rolling.hypot(friction.spinning));
        (sliding > 0.0 || turning > 0.0).then_some(Opening {
            sliding,
            going: sliding.hypot(1.0),
            turning,
        })
    }
}
