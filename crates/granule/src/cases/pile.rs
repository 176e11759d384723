//! Piles of spheres that do not turn on a floor, like the test problems of [kleinert2017, §5].
//!
//! The paper's piles are given as files, not as a recipe. Here spheres with the radii of its trench, 8 to
//! 16 mm, start in square layers above each other that become smaller upwards, and fall down.

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::law::{Friction, Law, LawTable};
use crate::math::DVec3;
use crate::scheme::Recovery;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::{Settings, StepSize, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// m.
const RADII: [f64; 2] = [8e-3, 16e-3];
/// kg/m³.
const DENSITY: f64 = 1650.0;
/// μ of the piles of the paper's data.
const FRICTION: f64 = 0.4;
/// Gravity, m/s².
const GRAVITY: f64 = 10.0;
/// Pairs nearer than this (m) take part: with it the paper's own piles have the printed numbers of
/// contacts within 0.2 %.
const CANDIDATES: f64 = 8e-3;

/// An empty floor, gravity and friction of the paper's piles.
pub fn pile_floor() -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    world.lock_rotation = true;
    world.laws = LawTable::uniform(Law::CoulombConvex(Friction::sliding(FRICTION)));
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world
}

/// So many spheres, about to fall down on a floor.
pub fn pile(count: usize, seed: u64) -> World {
    let mut world = pile_floor();
    let mut random = Pcg64::seed_from_u64(seed);
    let base = (1..).find(|q: &usize| q * (q + 1) * (2 * q + 1) / 6 >= count);
    let base = base.unwrap_or(1);
    let spacing = 2.02 * RADII[1];
    let mut left = count;
    for layer in 0..base {
        let side = base - layer;
        for k in 0..(side * side).min(left) {
            let cell = DVec3::new((k % side) as f64, (k / side) as f64, layer as f64);
            let shift = 0.5 * layer as f64 * DVec3::new(1.0, 1.0, 0.0);
            let mut jitter = || random.random_range(-0.01..0.01) * RADII[1];
            let shake = DVec3::new(jitter(), jitter(), 0.0);
            let radius = random.random_range(RADII[0]..RADII[1]);
            let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
            let place = spacing * (cell + shift) + shake + RADII[1] * DVec3::Z;
            world.add_sphere(&Sphere::new(place, radius, mass));
        }
        left -= (side * side).min(left);
    }
    world
}

/// h = 0.01 s as in the paper's trench, with the printed treatment of overlaps, to the given time (s).
pub fn pile_settings(end: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(1e-2), end);
    settings.candidate_distance = Some(CANDIDATES);
    settings.scheme.recovery = Recovery::Velocity;
    settings
}
