//! Law `frictionless`: contacts push, and nothing else.
//!
//! A ball slides down a slope without turning, with the acceleration g sin α; with several balls in a
//! row the first pushes none of the others, since all of them fall alike.
//!
//! `cargo run --release -p granule --example frictionless`

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;

const RADIUS: f64 = 0.1;
/// Of the slope, rad.
const ANGLE: f64 = 0.3;

/// Lets three balls slide, and weighs them.
pub fn main() -> Result<(), Box<dyn Error>> {
    // The coordinates are those of the slope: x down it, z away from it.
    let mut world = World::new(Dimension::Space);
    world.gravity = 9.81 * DVec3::new(ANGLE.sin(), 0.0, -ANGLE.cos());
    world.laws = LawTable::uniform(Law::Frictionless);
    let slope = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(slope, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    for k in 0..3 {
        let centre = DVec3::new(2.0 * RADIUS * f64::from(k), 0.0, RADIUS);
        world.add_sphere(&Sphere::new(centre, RADIUS, 1.0 + f64::from(k)));
    }

    let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(1e-3), 1.0))?;
    let mut report = simulation.step()?;
    while !simulation.finished() {
        report = simulation.step()?;
    }
    let bodies = &simulation.world().bodies;
    let exact = 9.81 * ANGLE.sin();
    for place in bodies.places() {
        let (velocity, spin) = (
            bodies.velocity[place as usize],
            bodies.angular_velocity[place as usize],
        );
        println!("{:.6} m/s down the slope, exact {exact:.6} m/s", velocity.x);
        assert!((velocity.x - exact).abs() < 1e-6);
        assert_eq!(spin, DVec3::ZERO);
    }
    // The slope carries what of the weight is normal to it; contacts between the balls carry nothing.
    let force = report.normal_impulse / report.step_size;
    let weight = 6.0 * 9.81 * ANGLE.cos();
    println!("the slope carries {force:.4} N of {weight:.4} N");
    assert!((force / weight - 1.0).abs() < 1e-4);
    Ok(())
}
