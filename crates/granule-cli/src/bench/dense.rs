//! Dense boxes of spheres at rest, of any size: copies of a small one that has settled.
//!
//! Beside each other copies are mirror images, so that spheres which touched a wall between two now touch their own
//! image and are held as before. On top of each other they are as low as they can be without an overlap.

use crate::failure::Failure;
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases;
use granule::law::{Friction, LawName, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, World};
use granule::solver::Method;

/// μ.
const FRICTION: f64 = 0.5;
/// Side of the small box, m.
const SIDE: f64 = 10.0;
/// Spheres along a side of the small box at most.
const LARGEST: usize = 12;
/// The tolerance while it settles.
const SETTLING: f64 = 1e-3;
/// Seed of the small box.
const SEED: u64 = 0;

/// How a box is made of copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Copies {
    /// Spheres along a side of the small box.
    small: usize,
    /// Copies along a side.
    count: usize,
}

impl Copies {
    /// For n spheres along a side; a few more where n has no divisor that fits.
    fn of(n: usize) -> Self {
        let least = n.div_ceil(LARGEST);
        // Boxes of less than half the size are no better than a few spheres too many.
        let count = (least..2 * least)
            .find(|count| n.is_multiple_of(*count))
            .unwrap_or(least);
        Self {
            small: n.div_ceil(count),
            count,
        }
    }
}

/// A world of about n³ spheres at rest with a law, and settings for its steps: those of the published box with spheres
/// of that size, to a tolerance, without an end.
pub fn dense(n: usize, law: LawName, tolerance: f64) -> Result<(World, Settings), Failure> {
    let copies = Copies::of(n);
    let law = LawTable::uniform(law.with(Friction::sliding(FRICTION)));
    let mut settings = cases::box_drop_settings(copies.small);
    settings.solver.own = Method::Usual.into();
    let spheres = settled(copies.small, &law, settings)?;
    settings.solver.tolerance = tolerance;
    settings.end = f64::MAX;
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -1.0);
    world.laws = law;
    let far = SIDE * copies.count as f64;
    let plane = |place, normal| {
        let surface = Surface::HalfSpace(HalfSpace);
        Wall::new(surface, place, normal, Motion::Fixed)
    };
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        world.add_wall(plane(DVec3::ZERO, axis));
    }
    for axis in [DVec3::X, DVec3::Y] {
        world.add_wall(plane(far * axis, -axis));
    }
    let rise = rise(&spheres);
    let image = |x: f64, copy: usize| match copy % 2 {
        0 => SIDE * copy as f64 + x,
        _ => SIDE * (copy + 1) as f64 - x,
    };
    for number in 0..copies.count.pow(3) {
        let (i, j, k) = (
            number / copies.count / copies.count,
            number / copies.count % copies.count,
            number % copies.count,
        );
        for sphere in &spheres {
            let x = sphere.position;
            let place = DVec3::new(image(x.x, i), image(x.y, j), x.z + rise * k as f64);
            world.add_sphere(&Sphere::new(place, sphere.radius, sphere.mass));
        }
    }
    Ok((world, settings))
}

/// The spheres of a small box when the published run ends.
fn settled(n: usize, law: &LawTable, mut settings: Settings) -> Result<Vec<Sphere>, Failure> {
    let mut world = cases::box_drop(n, SEED);
    world.laws = law.clone();
    settings.solver.tolerance = SETTLING;
    let mut simulation =
        Simulation::new(world, settings).map_err(|error| Failure::Input(error.to_string()))?;
    while !simulation.finished() {
        simulation
            .step()
            .map_err(|error| Failure::Run(error.to_string()))?;
    }
    let bodies = &simulation.world().bodies;
    let places = bodies.places().into_iter();
    Ok(places
        .map(|place| {
            let i = place as usize;
            Sphere::new(bodies.position[i], bodies.radius[i], bodies.mass[i])
        })
        .collect())
}

/// How far a copy must be moved up to overlap the spheres nowhere, m. A copy and the mirror image beside it are farther
/// apart.
fn rise(spheres: &[Sphere]) -> f64 {
    let mut rise = 0.0f64;
    for below in spheres {
        for above in spheres {
            let apart = (above.position - below.position)
                .truncate()
                .length_squared();
            let reach = below.radius + above.radius;
            let height = reach * reach - apart;
            if height > 0.0 {
                rise = rise.max(below.position.z + height.sqrt() - above.position.z);
            }
        }
    }
    rise
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_make_the_number_asked_for_where_it_can_be() {
        for (n, small, count) in [
            (8, 8, 1),
            (12, 12, 1),
            (20, 10, 2),
            (40, 10, 4),
            (100, 10, 10),
        ] {
            assert_eq!(Copies::of(n), Copies { small, count });
        }
        // A prime number: 2 · 12 along a side.
        assert_eq!(
            Copies::of(23),
            Copies {
                small: 12,
                count: 2
            }
        );
    }

    #[test]
    fn copies_hardly_overlap() {
        let (world, _) = dense(14, LawName::CoulombConvex, 1e-3).unwrap();
        assert_eq!(world.bodies.len(), 14 * 14 * 14);
        let bodies = &world.bodies;
        for i in 0..bodies.len() {
            let x = bodies.position[i];
            for side in [x.x, x.y, x.z, 20.0 - x.x, 20.0 - x.y] {
                assert!(side > bodies.radius[i] * (1.0 - 1e-2));
            }
            for j in 0..i {
                let reach = bodies.radius[i] + bodies.radius[j];
                assert!(x.distance(bodies.position[j]) > (1.0 - 1e-2) * reach);
            }
        }
    }
}
