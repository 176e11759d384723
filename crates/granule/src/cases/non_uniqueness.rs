//! A point on a half-line under an oscillating force: two solutions [maury2006, §6.1].

use crate::bodies::{BodyForce, Dimension, Motion, Sphere, TimeFunction, Wall};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::World;

/// A point of mass 1 at q = 0 with q ≥ 0 and the force +1 on (2^-(k+1), 1.5·2^-(k+1)), -1.8 on
/// (1.5·2^-(k+1), 2^-k) for k ≥ -2. The force changes sign infinitely often near zero; changes
/// before `resolution` (s) are left out, so it must be far below the first step, whose mean they
/// would change by less than rounding.
pub fn non_uniqueness(resolution: f64) -> World {
    let mut world = World::new(Dimension::Line);
    let wall = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(wall, DVec3::ZERO, DVec3::X, Motion::Fixed));
    world.add_sphere(&Sphere::new(DVec3::ZERO, 0.0, 1.0));
    let mut times = vec![4.0];
    let mut values = Vec::new();
    let mut end = 4.0;
    while end > resolution {
        let start = 0.5 * end;
        times.extend([0.75 * end, start]);
        values.extend([-1.8, 1.0]);
        end = start;
    }
    times.reverse();
    values.reverse();
    world.forces.push(BodyForce {
        direction: DVec3::X,
        magnitude: TimeFunction::Piecewise { times, values },
        material: None,
    });
    world
}
