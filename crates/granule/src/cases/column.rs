//! A column of disks that collapses beside a wall onto a rough floor, in a plane.
//!
//! The runout (L - L0)/L0 of such columns grows as a power of their aspect ratio a = H/L0: about 2/3
//! for tall ones in experiments with grains between two plates.

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::collision::near_pairs;
use crate::law::{Friction, Law, LawTable};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::World;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Mean diameter of the disks, m.
const DIAMETER: f64 = 0.01;
/// Radii differ by up to this share of their mean.
const SPREAD: f64 = 0.2;
/// kg/m².
const DENSITY: f64 = 1000.0;
/// The share of the column that disks fill, once they have settled without friction.
const FILLED: f64 = 0.83;
/// Material of what is smooth: the wall beside the column and the gate before it.
const SMOOTH: u16 = 1;

/// A column of disks beside a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// Width L0 in mean diameters.
    pub width: usize,
    /// Height over width, about; [`Column::aspect_ratio`] gives what it became.
    pub aspect: f64,
    /// Of the radii.
    pub seed: u64,
}

impl Column {
    /// The column of about so many disks with the given aspect ratio.
    pub fn of_disks(disks: usize, aspect: f64, seed: u64) -> Self {
        let filled = 0.25 * std::f64::consts::PI * disks as f64 / FILLED;
        Self {
            width: (filled / aspect).sqrt().round() as usize,
            aspect,
            seed,
        }
    }

    /// L0, m.
    pub fn width(&self) -> f64 {
        self.width as f64 * DIAMETER
    }

    /// Disks above each other on a loose grid, between the wall x = 0 and a gate at x = L0, to settle
    /// without friction under gravity 9.81 m/s². The floor is the row of fixed disks with centres on
    /// y = 0.
    pub fn loose(&self) -> World {
        let mut world = World::new(Dimension::Plane);
        world.gravity = -9.81 * DVec3::Y;
        let plane = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(
            plane.clone(),
            DVec3::ZERO,
            DVec3::Y,
            Motion::Fixed,
        ));
        for (place, axis) in [(0.0, DVec3::X), (self.width(), DVec3::NEG_X)] {
            let mut wall = Wall::new(plane.clone(), place * DVec3::X, axis, Motion::Fixed);
            wall.material = SMOOTH;
            world.add_wall(wall);
        }
        let mean = 0.5 * DIAMETER;
        // Longer than any runout.
        let floor = (self.width as f64 * (4.0 + 3.0 * self.aspect)) as i32;
        for k in 0..floor {
            let place = DIAMETER * (f64::from(k) + 0.5) * DVec3::X;
            let mut disk = Sphere::new(place, mean, 1.0);
            disk.motion = Some(Motion::Fixed);
            world.add_sphere(&disk);
        }
        let mut random = Pcg64::seed_from_u64(self.seed);
        let area = std::f64::consts::PI * mean * mean;
        let height = self.aspect * self.width();
        let count = (FILLED * self.width() * height / area).round() as usize;
        let spacing = 1.01 * DIAMETER * (1.0 + SPREAD);
        let columns = (self.width() / spacing).floor() as usize;
        let gap = self.width() / columns as f64;
        for k in 0..count {
            let jitter = random.random_range(-0.5..0.5) * (gap - DIAMETER * (1.0 + SPREAD));
            let x = gap * ((k % columns) as f64 + 0.5) + jitter;
            let y = 0.5 * DIAMETER + spacing * ((k / columns) as f64 + 0.5);
            let radius = mean * random.random_range(1.0 - SPREAD..1.0 + SPREAD);
            let mass = DENSITY * std::f64::consts::PI * radius * radius;
            world.add_sphere(&Sphere::new(DVec3::new(x, y, 0.0), radius, mass));
        }
        world
    }

    /// The settled column without its gate, at time zero, with exact friction between disks and with
    /// the floor; the wall stays smooth.
    pub fn released(&self, mut settled: World, friction: f64) -> World {
        settled.walls.truncate(2);
        let law = Law::Coulomb(Friction::sliding(friction));
        settled.laws = LawTable {
            default: law.into(),
            pairs: vec![(0, SMOOTH, Law::Frictionless.into())],
        };
        (settled.time, settled.steps) = (0.0, 0);
        settled
    }

    /// H/L0 of a settled column, with H twice the height of the centre of mass over the floor's top.
    pub fn aspect_ratio(&self, world: &World) -> f64 {
        let bodies = &world.bodies;
        let (mut mass, mut moment) = (0.0, 0.0);
        for i in (0..bodies.len()).filter(|&i| bodies.is_dynamic(i)) {
            mass += bodies.mass[i];
            moment += bodies.mass[i] * (bodies.position[i].y - 0.5 * DIAMETER);
        }
        2.0 * moment / mass / self.width()
    }

    /// (L - L0)/L0 with L the farthest disk of the deposit: those that a chain of disks with gaps
    /// below a tenth of a diameter joins to the wall. Single disks that rolled away do not count.
    pub fn runout(&self, world: &World) -> f64 {
        let bodies = &world.bodies;
        let near = 0.05 * DIAMETER;
        let pairs = near_pairs(bodies, |radius| radius + near);
        let moving = |i: usize| bodies.is_dynamic(i);
        let mut neighbours = vec![Vec::new(); bodies.len()];
        for [a, b] in pairs {
            if moving(a) && moving(b) {
                neighbours[a].push(b);
                neighbours[b].push(a);
            }
        }
        let at_wall = |i: &usize| bodies.position[*i].x < bodies.radius[*i] + near;
        let mut front: Vec<usize> = (0..bodies.len())
            .filter(|&i| moving(i))
            .filter(at_wall)
            .collect();
        let mut joined = vec![false; bodies.len()];
        front.iter().for_each(|&i| joined[i] = true);
        let mut farthest = 0.0f64;
        while let Some(i) = front.pop() {
            farthest = farthest.max(bodies.position[i].x + bodies.radius[i]);
            for &j in &neighbours[i] {
                if !joined[j] {
                    joined[j] = true;
                    front.push(j);
                }
            }
        }
        farthest / self.width() - 1.0
    }
}
