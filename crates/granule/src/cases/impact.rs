//! Impacts whose impulse is known: a ball, and a pyramid of spheres that touch [kleinert2017, §3.2].
//!
//! A ball of mass m that falls from rest through the height H is stopped by the impulse m √(2gH). The
//! spheres of a pyramid all but touch as it falls, and reach the floor together; then the
//! velocities after the impact are the projection of those before it onto the cone that the contacts
//! allow, in the metric of the masses, and so is the impulse of the floor known. Where the impact falls
//! in its time step does not matter: if θ of the step is spent in flight, the first problem of RATTLE
//! gives the share 1 - θ of the impulses, the second the rest.

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::collision::Partner;
use crate::law::{Friction, Law, LawTable};
use crate::math::DVec3;
use crate::scheme::{SchemeConfig, SchemeName};
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::{Settings, Simulation, StepSize, World};

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Radius of the spheres of the pyramid, m.
const RADIUS: f64 = 0.012;
/// Density of the spheres of the pyramid, kg/m³.
const DENSITY: f64 = 2600.0;
/// Of the radius: the gaps in a pyramid that falls, so that rounding makes no contacts of them.
const GAP: f64 = 1e-9;
/// Friction in the pyramid.
const FRICTION: f64 = 0.25;

/// Spheres above the floor z = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Impact {
    /// A ball of 1 kg.
    Ball,
    /// A pyramid on a square base, with this many spheres along a side; they do not turn, and slide by
    /// the exact law with μ = 0.25.
    Pyramid(usize),
}

impl Impact {
    /// What falls from rest, with its lowest points at the `height` (m).
    pub fn world(self, height: f64) -> World {
        self.with_gaps(height, GAP)
    }

    /// The same with other gaps in the pyramid, in radii.
    fn with_gaps(self, height: f64, gap: f64) -> World {
        let mut world = World::new(Dimension::Space);
        world.gravity = -GRAVITY * DVec3::Z;
        world.lock_rotation = true;
        let plane = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
        match self {
            Self::Ball => {
                let radius = 0.1;
                world.add_sphere(&Sphere::new((height + radius) * DVec3::Z, radius, 1.0));
            }
            Self::Pyramid(side) => {
                let law = Law::Coulomb(Friction::sliding(FRICTION));
                world.laws = LawTable::uniform(law);
                let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
                for layer in 0..side {
                    let across = |k: usize| (1.0 + gap) * (2.0 * k as f64 + layer as f64);
                    let up = 1.0 + (1.0 + gap) * 2f64.sqrt() * layer as f64;
                    let count = side - layer;
                    for k in 0..count * count {
                        let place = DVec3::new(across(k / count), across(k % count), up);
                        let center = RADIUS * place + height * DVec3::Z;
                        world.add_sphere(&Sphere::new(center, RADIUS, mass));
                    }
                }
            }
        }
        world
    }

    /// The impact alone, after a fall through `height` (m): at the floor with the velocity of the fall,
    /// without gravity, and one step of `moreau-jean`, whose [`floor_impulse`] is that of the impact.
    ///
    /// ```
    /// use granule::cases::{Impact, floor_impulse};
    /// use granule::simulation::Simulation;
    /// let (world, settings) = Impact::Ball.at_floor(1.0);
    /// let mut simulation = Simulation::new(world, settings).unwrap();
    /// simulation.step().unwrap();
    /// // m √(2gH)
    /// assert!((floor_impulse(&simulation) - 4.429446918070020).abs() < 1e-12);
    /// ```
    pub fn at_floor(self, height: f64) -> (World, Settings) {
        let speed = (2.0 * GRAVITY * height).sqrt();
        let mut world = self.with_gaps(0.0, 0.0);
        world.gravity = DVec3::ZERO;
        world.bodies.velocity.fill(-speed * DVec3::Z);
        let step = 1e-9 * RADIUS / speed;
        let mut settings = Settings::new(StepSize::Fixed(step), step);
        settings.scheme = SchemeConfig::named(SchemeName::MoreauJean);
        settings.solver.tolerance = 1e-10;
        (world, settings)
    }
}

/// The upward impulse of walls on bodies in the last step, N s.
pub fn floor_impulse(simulation: &Simulation) -> f64 {
    let contacts = simulation.contacts();
    let walls = contacts.filter(|c| matches!(c.partner, Partner::Wall(_)));
    walls.map(|c| c.impulse.z).sum()
}
