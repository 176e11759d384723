//! Law `coulomb-convex`: friction as the minimisation of a convex function.
//!
//! A ball that does not turn slides on a floor. It slows down by μ g, as it should. What the law pays
//! for being convex is that a sliding contact opens: by μ h |v|, which vanishes with the step h and is
//! zero where nothing slides.
//!
//! `cargo run --release -p granule --example coulomb_convex`

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;

const RADIUS: f64 = 0.1;
/// μ.
const FRICTION: f64 = 0.3;
const GRAVITY: f64 = 10.0;

/// Lets the ball slide until it stops, with two lengths of steps.
pub fn main() -> Result<(), Box<dyn Error>> {
    for step in [1e-2, 1e-3] {
        let mut world = World::new(Dimension::Space);
        world.gravity = DVec3::new(0.0, 0.0, -GRAVITY);
        world.lock_rotation = true;
        world.laws = LawTable::uniform(Law::CoulombConvex(Friction::sliding(FRICTION)));
        let floor = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
        let mut ball = Sphere::new(RADIUS * DVec3::Z, RADIUS, 1.0);
        ball.velocity = 3.0 * DVec3::X;
        world.add_sphere(&ball);

        let mut settings = Settings::new(StepSize::Fixed(step), 2.0);
        settings.solver.tolerance = 1e-8;
        let mut simulation = Simulation::new(world, settings)?;
        // Half a second on: still sliding.
        while simulation.world().time < 0.5 - 0.5 * step {
            simulation.step()?;
        }
        let bodies = &simulation.world().bodies;
        let (speed, gap) = (bodies.velocity[0].x, bodies.position[0].z - RADIUS);
        let opening = FRICTION * step * speed;
        println!(
            "h = {step} s: {speed:.4} m/s, the contact is open by {gap:.3e} m, μ h |v| = {opening:.3e} m"
        );
        assert!((speed - (3.0 - FRICTION * GRAVITY * 0.5)).abs() < 2.0 * FRICTION * GRAVITY * step);
        assert!((gap / opening - 1.0).abs() < 0.1);
        // It stops after a second, and then the contact is closed.
        while !simulation.finished() {
            simulation.step()?;
        }
        let bodies = &simulation.world().bodies;
        let stop = bodies.position[0].x;
        println!("            it stops after {stop:.4} m, exact 1.5 m");
        assert!((stop - 1.5).abs() < 3.0 * step);
        assert!((bodies.position[0].z - RADIUS).abs() < 1e-6);
    }
    Ok(())
}
