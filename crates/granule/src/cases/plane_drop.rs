//! A cube of spheres that falls on a plane with friction [bloch2023, §3.3.2].

use super::box_drop::add_grid;
use crate::bodies::{Dimension, Motion, Wall};
use crate::law::{Law, LawTable};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::{Settings, StepSize, World};

/// The n³ spheres of [`super::box_drop`] above the plane z = 0, with nothing at the sides.
pub fn plane_drop(n: usize, law: Law, seed: u64) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -1.0);
    world.laws = LawTable::uniform(law);
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    add_grid(&mut world, n, seed);
    world
}

/// Steps of 0.0086 s for n = 12, as printed, and in proportion to the radii for other n; to
/// t = 2.58.
pub fn plane_drop_settings(n: usize) -> Settings {
    Settings::new(StepSize::Fixed(0.0086 * 12.0 / n as f64), 2.58)
}
