//! A column of ellipses that collapses without friction [bloch2023, §3.3.3 and figure 13].

use crate::bodies::{Dimension, Motion, RigidBody, Sphere, Wall};
use crate::math::{DVec2, DVec3};
use crate::shapes::{HalfSpace, Solid, Surface};
use crate::simulation::World;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Half the height of an ellipse, m.
pub const ELLIPSE_HEIGHT: f64 = 0.45;
/// Half the width of an ellipse, m: drawn between these.
const WIDTHS: [f64; 2] = [0.22, 0.68];
/// kg: drawn between these.
const MASSES: [f64; 2] = [1.0, 2.0];
/// Radius of the glued disks of the plane, m.
const GLUED: f64 = 0.045;
/// How far the plane goes to both sides of the column, m.
const APRON: f64 = 18.0;

/// `rows` rows of as many ellipses each, upright, in a column on a plane of small glued disks; below it a floor that
/// catches what leaves the plane.
///
/// The paper does not say how wide the plane is, nor how the ellipses stand at the start: here they stand in rows,
/// each ellipse beside the one before.
pub fn ellipse_collapse(rows: usize, seed: u64) -> World {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut world = World::new(Dimension::Plane);
    world.gravity = -5.0 * DVec3::Y;
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::NEG_Y, DVec3::Y, Motion::Fixed));
    let mut width: f64 = 0.0;
    for row in 0..rows {
        let mut x = 0.0;
        for _ in 0..rows {
            let half = random.random_range(WIDTHS[0]..WIDTHS[1]);
            let mass = random.random_range(MASSES[0]..MASSES[1]);
            let height = ELLIPSE_HEIGHT + 0.01;
            let position = DVec3::new(x + half + 0.01, height * (2.0 * row as f64 + 1.0), 0.0);
            let shape = DVec2::new(half, ELLIPSE_HEIGHT);
            let ellipse = Solid::ellipse(shape, 2.0).expect("half axes are positive");
            let body = RigidBody::of_shape(&ellipse, position, mass);
            let number = world.add_shape(ellipse);
            world.add_solid(&body, number, 0);
            x += 2.0 * half + 0.02;
        }
        width = width.max(x);
    }
    let count = ((width + 2.0 * APRON) / (2.0 * GLUED)) as usize;
    for k in 0..count {
        let x = 2.0 * GLUED * k as f64 - APRON;
        let mut disk = Sphere::new(DVec3::new(x, -GLUED, 0.0), GLUED, 1.0);
        disk.motion = Some(Motion::Fixed);
        world.add_sphere(&disk);
    }
    world
}
