//! What is measured of a state: energies, momentum, flow, stress, density, mixing, the shape of heaps.
//!
//! Energies and momentum are those of [`Bodies`]. The others look at a [`Moment`]: the grains by their ids and the
//! contacts that carry a force, which [`crate::simulation::Simulation::moment`] gives, and which can be made of the
//! files of a run as well. They are pure functions of it; what has to be remembered ([`Origins`], or the moment before
//! for a [`Gate`]) is kept by who asks.

mod coordination;
mod displacement;
mod flow;
mod forces;
mod fraction;
mod grid;
mod mixing;
mod moment;
mod profile;
mod region;
mod repose;
mod stress;
#[cfg(test)]
mod test_moments;

pub use coordination::Coordination;
pub use displacement::Origins;
pub use flow::{Crossed, Gate};
pub use forces::ForceDistribution;
pub use fraction::solid_fraction;
pub use grid::Grid;
pub use mixing::mixing;
pub use moment::{Grain, Moment, Touch};
pub use profile::{Slice, Slices};
pub use region::Region;
pub use repose::{Flank, HeapProfile, NoFlank};
pub use stress::Stress;

use crate::bodies::Bodies;
use crate::math::DVec3;

/// ½ Σ (m v² + ω·Jω) over the dynamic bodies, J.
pub fn kinetic_energy(bodies: &Bodies) -> f64 {
    (0..bodies.len())
        .filter(|&i| bodies.is_dynamic(i))
        .map(|i| {
            let (inertia, angular) = (bodies.inertia[i], bodies.angular_velocity[i]);
            let turning = if inertia == DVec3::splat(inertia.x) {
                inertia.x * angular.length_squared()
            } else {
                let spin = bodies.orientation[i].conjugate() * angular;
                spin.dot(inertia * spin)
            };
            0.5 * (bodies.mass[i] * bodies.velocity[i].length_squared() + turning)
        })
        .sum()
}

/// -Σ m g·x over the dynamic bodies, J; zero for bodies at the origin.
pub fn potential_energy(bodies: &Bodies, gravity: DVec3) -> f64 {
    (0..bodies.len())
        .filter(|&i| bodies.is_dynamic(i))
        .map(|i| -bodies.mass[i] * gravity.dot(bodies.position[i]))
        .sum()
}

/// Σ m v over the dynamic bodies, kg m/s.
pub fn momentum(bodies: &Bodies) -> DVec3 {
    (0..bodies.len())
        .filter(|&i| bodies.is_dynamic(i))
        .map(|i| bodies.mass[i] * bodies.velocity[i])
        .sum()
}
