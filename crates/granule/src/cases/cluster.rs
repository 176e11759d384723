//! A cluster of disks that hits an obstacle with steps of several diameters [maury2006, §6.3].

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::World;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// About `count` polydisperse spheres in a plane (radii 0.8 to 1.2 times 0.015 m, masses
/// proportional to volume) in a round cluster just above the obstacle y ≤ 0, moving down at 1 m/s.
pub fn cluster(count: usize, seed: u64) -> World {
    let mean = 0.015;
    let mut world = World::new(Dimension::Plane);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Y, Motion::Fixed));
    let mut random = Pcg64::seed_from_u64(seed);
    // A hexagonal lattice on which the largest disks do not touch, cut to a disk.
    let spacing = 2.0 * 1.25 * mean;
    let row = spacing * 0.75f64.sqrt();
    let radius = (count as f64 * spacing * row / std::f64::consts::PI).sqrt();
    let reach = (radius / row).ceil() as i64 + 1;
    let mut places: Vec<DVec3> = (-reach..=reach)
        .flat_map(|j| (-reach..=reach).map(move |i| (i, j)))
        .map(|(i, j)| {
            let shift = if j % 2 == 0 { 0.0 } else { 0.5 };
            DVec3::new((i as f64 + shift) * spacing, j as f64 * row, 0.0)
        })
        .collect();
    places.sort_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    places.truncate(count);
    for place in places {
        let r = mean * random.random_range(0.8..1.2);
        let mut sphere = Sphere::new(
            place + DVec3::new(0.0, radius + 2.0 * mean, 0.0),
            r,
            (r / mean).powi(3),
        );
        sphere.velocity = DVec3::NEG_Y;
        world.add_sphere(&sphere);
    }
    world
}
