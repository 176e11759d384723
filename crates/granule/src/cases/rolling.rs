//! A sphere on a plane with resistance to rolling and spinning.
//!
//! With coefficients δ and σ (m) the contact resists with moments of up to δ N and σ N. On a level
//! plane a rolling sphere (J = 2/5 m R²) then slows down by `(5/7) g δ/R`, and a spinning one stops
//! after `2/5 R² ω/(σ g)`. On a slope α a sphere at rest stays so if μ ≥ tan α and δ ≥ R tan α.

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::law::{Law, LawTable};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::World;

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;

/// A sphere of the given radius (m) and density 2500 kg/m³ that just touches a plane with the given
/// slope (rad), at rest. The coordinates are those of the plane: x down the slope, z normal to it.
pub fn sphere_on_plane(radius: f64, slope: f64, law: Law) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = GRAVITY * DVec3::new(slope.sin(), 0.0, -slope.cos());
    world.laws = LawTable::uniform(law);
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    world.add_sphere(&Sphere::new(radius * DVec3::Z, radius, mass));
    world
}

/// The deceleration (m/s²) of a sphere with radius R that rolls on a level plane with coefficient δ
/// (both m).
pub fn rolling_deceleration(radius: f64, rolling: f64) -> f64 {
    5.0 / 7.0 * GRAVITY * rolling / radius
}

/// The time (s) after which a sphere with radius R that spins with ω (rad/s) on a level plane with
/// coefficient σ (m) stops.
pub fn spin_stop_time(radius: f64, spinning: f64, spin: f64) -> f64 {
    0.4 * radius * radius * spin / (spinning * GRAVITY)
}
