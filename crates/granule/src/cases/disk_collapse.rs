//! A square of disks that collapses on a plane with friction [bloch2023, §3.3.2, figure 12].

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::law::{Law, LawTable};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::{Settings, StepSize, World};
use crate::solver::Method;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Width and height H of the square, m.
const SIDE: f64 = 10.0;

/// Radius of the disks of [`disk_collapse`], m: H/(2 (n + 1)).
pub fn disk_collapse_radius(n: usize) -> f64 {
    0.5 * SIDE / (n + 1) as f64
}

/// n² disks of one radius on a square grid of width and height 10 above the plane y = 0, under
/// gravity 1; masses uniform in [1, 2]; the lowest row is shifted by half a radius. (The paper has
/// n = 30.)
pub fn disk_collapse(n: usize, law: Law, seed: u64) -> World {
    let mut world = World::new(Dimension::Plane);
    world.gravity = DVec3::NEG_Y;
    world.laws = LawTable::uniform(law);
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Y, Motion::Fixed));
    let mut random = Pcg64::seed_from_u64(seed);
    let (spacing, radius) = (SIDE / n as f64, disk_collapse_radius(n));
    for k in 0..n * n {
        let cell = DVec3::new((k % n) as f64 + 0.5, (k / n) as f64 + 0.5, 0.0);
        let shift = if k < n { 0.5 * radius } else { 0.0 };
        let place = spacing * cell + shift * DVec3::X;
        world.add_sphere(&Sphere::new(place, radius, random.random_range(1.0..2.0)));
    }
    world
}

/// Steps in which no disk moves more than a tenth of its radius at the speed √(2 g H) of a free
/// fall from the top, to the given time (s).
pub fn disk_collapse_settings(n: usize, end: f64) -> Settings {
    let fastest = (2.0 * SIDE).sqrt();
    let step = StepSize::Fixed(0.1 * disk_collapse_radius(n) / fastest);
    let mut settings = Settings::new(step, end);
    settings.solver.own = Method::Ags.into();
    settings
}
