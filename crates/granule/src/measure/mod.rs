//! What is measured of a state: energies, momentum, the shape of heaps.

mod repose;

pub use repose::{Flank, HeapProfile};

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
