//! A blade that is drawn through a trench of spheres [kleinert2017, §5], at any size. The grains, the
//! blade and its speed are those of the paper; how the trench is filled is ours, as in `scenes/trench.toml`.

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::law::{Friction, Law, LawTable};
use crate::math::DVec3;
use crate::shapes::{Block, HalfSpace, Surface};
use crate::simulation::{Settings, StepSize, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// m.
const RADII: [f64; 2] = [8e-3, 16e-3];
/// kg/m³: 1382 in bulk, at the 56 % of the volume that settled grains fill.
const DENSITY: f64 = 2470.0;
/// Distance of neighbours on the lattice that the grains start on, m.
const SPACING: f64 = 0.0325;
/// m/s.
const SPEED: f64 = 0.2;

/// A trench by the numbers of grains along it, across it and upwards at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trench {
    /// Along x, y and z.
    pub counts: [usize; 3],
}

impl Trench {
    /// Length and width, m.
    fn size(self) -> [f64; 2] {
        [self.counts[0], self.counts[1]].map(|count| SPACING * (count as f64 + 0.1))
    }

    /// How far the blade reaches across, m: a half of the width at most, 0.2 m as in the paper.
    fn blade_width(self) -> f64 {
        (0.5 * self.size()[1]).min(0.2)
    }

    /// The grains on a lattice between walls, about to fall.
    pub fn filled(self, seed: u64) -> World {
        let mut world = World::new(Dimension::Space);
        world.gravity = -10.0 * DVec3::Z;
        world.lock_rotation = true;
        world.laws = LawTable::uniform(Law::CoulombConvex(Friction::sliding(0.25)));
        let [length, width] = self.size();
        for (point, normal) in [
            (DVec3::ZERO, DVec3::Z),
            (DVec3::ZERO, DVec3::X),
            (length * DVec3::X, DVec3::NEG_X),
            (DVec3::ZERO, DVec3::Y),
            (width * DVec3::Y, DVec3::NEG_Y),
        ] {
            let plane = Surface::HalfSpace(HalfSpace);
            world.add_wall(Wall::new(plane, point, normal, Motion::Fixed));
        }
        let mut random = Pcg64::seed_from_u64(seed);
        let [nx, ny, nz] = self.counts;
        for k in 0..nx * ny * nz {
            let cell = DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / nx / ny) as f64);
            let mut jitter = || random.random_range(-2e-4..2e-4);
            let shake = DVec3::new(jitter(), jitter(), jitter());
            let radius = random.random_range(RADII[0]..RADII[1]);
            let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
            let place = SPACING * (cell + 0.55) + shake;
            world.add_sphere(&Sphere::new(place, radius, mass));
        }
        world
    }

    /// Adds the blade to settled grains, half as deep as they are high, and at most 0.2 m. It starts just
    /// outside the trench. It is the last wall.
    pub fn add_blade(self, world: &mut World) {
        // Time zero is when the blade is put in.
        (world.time, world.steps) = (0.0, 0);
        // How high the grains lie, but for the few that still fly.
        let mut heights: Vec<f64> = world.bodies.position.iter().map(|x| x.z).collect();
        heights.sort_by(f64::total_cmp);
        let high = heights[(heights.len() - 1) * 49 / 50];
        let depth = (0.5 * high).min(0.2);
        let size = [0.02, self.blade_width(), 2.0 * high];
        let middle = DVec3::new(-0.01, 0.5 * self.size()[1], high - depth + 0.5 * size[2]);
        let motion = Motion::Velocity {
            linear: [SPEED, 0.0, 0.0],
        };
        let blade = Surface::Block(Block { size });
        world.add_wall(Wall::new(blade, middle, DVec3::Z, motion));
    }
}

/// h = 0.01 s, to the given time (s).
pub fn trench_settings(end: f64) -> Settings {
    Settings::new(StepSize::Fixed(1e-2), end)
}
