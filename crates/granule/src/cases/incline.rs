//! A disk that falls on an inclined plane [bloch2023, §3.2 and appendix B].

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::World;

/// Angle of the plane, rad.
const ANGLE: f64 = std::f64::consts::FRAC_PI_6;

/// A disk of radius 1 and mass 1 at the distance 1 above a plane at 30°, under gravity 1. The
/// coordinates are those of the plane: x down the slope, y normal to it.
pub fn disk_on_incline() -> World {
    let mut world = World::new(Dimension::Plane);
    world.gravity = DVec3::new(ANGLE.sin(), -ANGLE.cos(), 0.0);
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Y, Motion::Fixed));
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 2.0, 0.0), 1.0, 1.0));
    world
}

/// The exact frictionless motion: (distance down the slope, gap) at time t, m.
pub fn exact_frictionless(t: f64) -> (f64, f64) {
    let gap = (1.0 - 0.5 * ANGLE.cos() * t * t).max(0.0);
    (0.5 * ANGLE.sin() * t * t, gap)
}
