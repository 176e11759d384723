//! Spheres falling in a box without friction [bloch2023, §3.3.1].

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::{Settings, StepSize, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Side L of the box, m.
const SIDE: f64 = 10.0;

/// n³ spheres on a grid in the box [0, 10]³ under gravity 1; radii, masses and places a little at
/// random.
pub fn box_drop(n: usize, seed: u64) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -1.0);
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let plane = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(plane.clone(), DVec3::ZERO, axis, Motion::Fixed));
        world.add_wall(Wall::new(plane, SIDE * axis, -axis, Motion::Fixed));
    }
    add_grid(&mut world, n, seed);
    world
}

/// n³ spheres in the cube [0, 10]³: centres on a grid of spacing δ = 10/n, moved by up to
/// ±0.05 δ/2, radii uniform in [0.8, 0.9] δ/2, masses uniform in [1, 2].
pub(super) fn add_grid(world: &mut World, n: usize, seed: u64) {
    let mut random = Pcg64::seed_from_u64(seed);
    let spacing = SIDE / n as f64;
    let half = 0.5 * spacing;
    for k in 0..n * n * n {
        let cell = DVec3::new((k / n / n) as f64, (k / n % n) as f64, (k % n) as f64);
        let mut jitter = || random.random_range(-0.05 * half..0.05 * half);
        let position = spacing * (cell + 0.5) + DVec3::new(jitter(), jitter(), jitter());
        let radius = random.random_range(0.8 * half..0.9 * half);
        let mass = random.random_range(1.0..2.0);
        world.add_sphere(&Sphere::new(position, radius, mass));
    }
}

/// The settings of the paper's table: no sphere moves more than 20 % of its radius in a step, at
/// the speed √(2 g L) of a free fall through the box; to t = 8.
pub fn box_drop_settings(n: usize) -> Settings {
    let smallest = 0.8 * 0.5 * SIDE / n as f64;
    let fastest = (2.0 * SIDE).sqrt();
    Settings::new(StepSize::Fixed(0.2 * smallest / fastest), 8.0)
}
