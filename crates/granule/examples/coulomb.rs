//! Law `coulomb`, exact, with resistance to rolling.
//!
//! A ball starts to slide on a floor. Friction slows it down and turns it until it rolls, with 5/7 of
//! its speed. From then on only the moment of rolling friction, δ times the normal force, brakes it, by
//! (5/7) g δ/R.
//!
//! `cargo run --release -p granule --example coulomb`

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;

const RADIUS: f64 = 0.1;
const GRAVITY: f64 = 9.81;
const SPEED: f64 = 1.0;
/// δ, m: a hundredth of the radius.
const ROLLING: f64 = 1e-3;

/// Lets the ball slide, roll and slow down.
pub fn main() -> Result<(), Box<dyn Error>> {
    let friction = Friction {
        sliding: 0.5,
        rolling: ROLLING,
        spinning: 0.0,
    };
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -GRAVITY);
    world.laws = LawTable::uniform(Law::Coulomb(friction));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mut ball = Sphere::new(RADIUS * DVec3::Z, RADIUS, 1.0);
    ball.velocity = SPEED * DVec3::X;
    world.add_sphere(&ball);

    let mut settings = Settings::new(StepSize::Fixed(1e-3), 1.0);
    settings.solver.tolerance = 1e-8;
    let mut simulation = Simulation::new(world, settings)?;
    let mut start_of_rolling = None;
    while !simulation.finished() {
        simulation.step()?;
        let bodies = &simulation.world().bodies;
        let (speed, spin) = (bodies.velocity[0].x, bodies.angular_velocity[0].y);
        let slip = speed - RADIUS * spin;
        if start_of_rolling.is_none() && slip.abs() < 1e-6 {
            let time = simulation.world().time;
            println!("rolls after {time:.3} s with {speed:.4} m/s");
            assert!((speed / (5.0 / 7.0 * SPEED) - 1.0).abs() < 0.01);
            start_of_rolling = Some((time, speed));
        }
    }
    let (time, speed) = start_of_rolling.ok_or("it never rolled")?;
    let slower = speed - simulation.world().bodies.velocity[0].x;
    let found = slower / (simulation.world().time - time);
    let exact = 5.0 / 7.0 * GRAVITY * ROLLING / RADIUS;
    println!("then slows down by {found:.5} m/s², exact {exact:.5} m/s²");
    assert!((found / exact - 1.0).abs() < 1e-3);
    Ok(())
}
