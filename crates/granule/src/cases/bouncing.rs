//! A ball that bounces on a floor, losing a share of its velocity each time.
//!
//! From the height H (of its lowest point) it hits the floor after √(2H/g). Each bounce reaches e²
//! times the height of the one before and takes e times as long, so that infinitely many end at
//!
//! ```text
//! t_∞ = √(2H/g) (1 + e)/(1 - e)
//! ```

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::law::{Interface, Law, LawTable, Restitution};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::{Simulation, StepError, World};

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Radius of the ball, m.
const RADIUS: f64 = 0.1;

/// A ball of 1 kg above a floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BouncingBall {
    /// e.
    pub restitution: f64,
    /// H: of the lowest point at the start, at rest, m.
    pub height: f64,
}

/// What a bouncing ball did.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounces {
    /// The heights between bounces, from the start's on, m.
    pub apexes: Vec<f64>,
    /// The mechanical energy at the start and after each bounce, J.
    pub energies: Vec<f64>,
    /// The end of the last step with a speed above what gravity gives in two steps, s.
    pub rest: f64,
}

impl BouncingBall {
    /// When it comes to rest, s; infinite for e = 1.
    ///
    /// ```
    /// use granule::cases::BouncingBall;
    /// let ball = BouncingBall { restitution: 0.8, height: 1.0 };
    /// assert!((ball.rest_time() - 4.063713).abs() < 1e-6);
    /// ```
    pub fn rest_time(self) -> f64 {
        let fall = (2.0 * self.height / GRAVITY).sqrt();
        fall * (1.0 + self.restitution) / (1.0 - self.restitution)
    }

    /// The ball and the floor z = 0.
    pub fn world(self) -> World {
        let mut world = World::new(Dimension::Space);
        world.gravity = -GRAVITY * DVec3::Z;
        world.laws = LawTable::uniform(Interface {
            law: Law::Frictionless,
            restitution: Restitution::normal(self.restitution),
            ..Interface::default()
        });
        let plane = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
        let center = (self.height + RADIUS) * DVec3::Z;
        world.add_sphere(&Sphere::new(center, RADIUS, 1.0));
        world
    }
}

impl Bounces {
    /// Watches a [`BouncingBall`] to the end of its simulation.
    pub fn watch(simulation: &mut Simulation) -> Result<Self, StepError> {
        let state = |simulation: &Simulation| {
            let bodies = &simulation.world().bodies;
            (bodies.position[0].z - RADIUS, bodies.velocity[0].z)
        };
        let energy = |(height, velocity): (f64, f64)| GRAVITY * height + 0.5 * velocity * velocity;
        let start = state(simulation);
        let mut bounces = Self {
            apexes: vec![start.0],
            energies: vec![energy(start)],
            rest: 0.0,
        };
        while !simulation.finished() {
            let (_, before) = state(simulation);
            let report = simulation.step()?;
            let (height, after) = state(simulation);
            let gained = GRAVITY * report.step_size;
            if before < 0.0 && after > gained {
                bounces.energies.push(energy((height, after)));
            }
            if before > 0.0 && after <= 0.0 {
                // The top of the parabola, from the state after it.
                bounces.apexes.push(energy((height, after)) / GRAVITY);
            }
            if after.abs() > 2.0 * gained {
                bounces.rest = report.time;
            }
        }
        Ok(bounces)
    }
}
