//! Sticky particles on a line [maury2006, §6.2].

use crate::bodies::{Dimension, Sphere};
use crate::math::DVec3;
use crate::simulation::World;

/// The initial state of twenty points of mass 1 between 0 and 1:
/// `u_i = clip(-0.75 (2 q_i - 1) + 0.25 sin(12.9898 (i + 1)) + 0.05, -1, 1)`.
fn initial() -> impl Iterator<Item = (f64, f64)> {
    let count = 20;
    (0..count).map(move |i| {
        let q = i as f64 / (count - 1) as f64;
        let u = -0.75 * (2.0 * q - 1.0) + 0.25 * (12.9898 * (i + 1) as f64).sin() + 0.05;
        (q, u.clamp(-1.0, 1.0))
    })
}

/// Twenty points that fly towards each other and stick.
pub fn sticky() -> World {
    let mut world = World::new(Dimension::Line);
    for (q, u) in initial() {
        let mut point = Sphere::new(DVec3::new(q, 0.0, 0.0), 0.0, 1.0);
        point.velocity = DVec3::new(u, 0.0, 0.0);
        world.add_sphere(&point);
    }
    world
}

/// The position and velocity of the aggregate at time t, when all points have met: those of the
/// centre of mass.
pub fn sticky_aggregate(t: f64) -> (f64, f64) {
    let (count, position, velocity) =
        initial().fold((0.0, 0.0, 0.0), |(n, x, v), (q, u)| (n + 1.0, x + q, v + u));
    let velocity = velocity / count;
    (position / count + t * velocity, velocity)
}
