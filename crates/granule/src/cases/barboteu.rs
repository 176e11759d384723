//! The two scenes with 500 balls of [barboteu2017, §5.2 and §5.3], without friction and with
//! inelastic impacts.
//!
//! The paper gives numbers, radii, steps, and the slope; the rest is chosen here: a density of
//! 2500 kg/m³, gravity 9.81 m/s², and a start on a grid, from which the balls settle within the
//! 0.05 s of the first scene and flow over the base within the 0.1 s of the second.

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::math::DVec3;
use crate::scheme::{SchemeConfig, SchemeName};
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::{Settings, StepSize, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// kg/m³.
const DENSITY: f64 = 2500.0;
/// Distance of centres on the grids over the largest radius: a little more than touching.
const SPACING: f64 = 2.1;

/// Balls on a grid: radii between `radii` (m), centres as far from each other as the largest need,
/// moved a little at random where there is room.
struct Grid {
    counts: [usize; 3],
    radii: [f64; 2],
    /// The corner, m.
    corner: DVec3,
    motion: Option<Motion>,
}

impl Grid {
    fn fill(&self, world: &mut World, random: &mut Pcg64) {
        let [smallest, largest] = self.radii;
        let spacing = SPACING * largest;
        let [nx, ny, nz] = self.counts;
        for k in 0..nx * ny * nz {
            let cell = DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / nx / ny) as f64);
            let radius = random.random_range(smallest..largest);
            let room = 0.5 * spacing - largest;
            let mut jitter = || random.random_range(-room..room);
            let middle = self.corner + spacing * (cell + 0.5);
            let position = middle + DVec3::new(jitter(), jitter(), jitter());
            let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
            let mut ball = Sphere::new(position, radius, mass);
            ball.motion.clone_from(&self.motion);
            world.add_sphere(&ball);
        }
    }
}

fn add_plane(world: &mut World, point: DVec3, normal: DVec3) {
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, point, normal, Motion::Fixed));
}

fn settings(step: f64, steps: u32) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), step * f64::from(steps));
    settings.scheme = SchemeConfig::named(SchemeName::MoreauJean);
    settings.solver.tolerance = 1e-7;
    settings
}

/// 500 balls with radii from 0.25 to 0.5 mm fall in a box [barboteu2017, §5.2]: 10 × 5 on its
/// bottom of 10.5 mm × 5.25 mm, in ten layers, which settle to a height of some 4 mm.
pub fn settling_500(seed: u64) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    let grid = Grid {
        counts: [10, 5, 10],
        radii: [0.25e-3, 0.5e-3],
        corner: DVec3::ZERO,
        motion: None,
    };
    let side = SPACING * grid.radii[1];
    for (axis, count) in [(DVec3::X, 10.0), (DVec3::Y, 5.0)] {
        add_plane(&mut world, DVec3::ZERO, axis);
        add_plane(&mut world, count * side * axis, -axis);
    }
    add_plane(&mut world, DVec3::ZERO, DVec3::Z);
    grid.fill(&mut world, &mut Pcg64::seed_from_u64(seed));
    world
}

/// Δt = 5·10⁻⁵ s, 1000 steps [barboteu2017, §5.2].
pub fn settling_500_settings() -> Settings {
    settings(5e-5, 1000)
}

/// 500 balls with radii from 0.6 to 1 mm on a slope of 10° [barboteu2017, §5.3]: 30 × 5 on the
/// plane are fixed, as "the balls in contact with the plane are sticking", and 350 in seven layers
/// of 10 × 5 over the upper third of them collapse and flow down between two walls, from a wall
/// behind them. The coordinates are those of the plane: x down the slope, z normal to it.
pub fn inclined_500(seed: u64) -> World {
    let slope = 10f64.to_radians();
    let mut world = World::new(Dimension::Space);
    world.gravity = GRAVITY * DVec3::new(slope.sin(), 0.0, -slope.cos());
    let radii = [0.6e-3, 1e-3];
    let side = SPACING * radii[1];
    add_plane(&mut world, DVec3::ZERO, DVec3::X);
    add_plane(&mut world, DVec3::ZERO, DVec3::Y);
    add_plane(&mut world, 5.0 * side * DVec3::Y, -DVec3::Y);
    add_plane(&mut world, DVec3::ZERO, DVec3::Z);
    let mut random = Pcg64::seed_from_u64(seed);
    let base = Grid {
        counts: [30, 5, 1],
        radii,
        corner: DVec3::ZERO,
        motion: Some(Motion::Fixed),
    };
    base.fill(&mut world, &mut random);
    let heap = Grid {
        counts: [10, 5, 7],
        radii,
        corner: side * DVec3::Z,
        motion: None,
    };
    heap.fill(&mut world, &mut random);
    world
}

/// Δt = 10⁻⁵ s, 10 000 steps [barboteu2017, §5.3].
pub fn inclined_500_settings() -> Settings {
    settings(1e-5, 10_000)
}
