//! Scheme `moreau-jean`: impacts that give velocity back.
//!
//! A ball bounces on a floor with Newton's restitution e: it leaves with e times the velocity with which
//! it came, so each bounce reaches e² times the height of the one before.
//!
//! `cargo run --release -p granule --example moreau_jean`

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Interface, Law, LawTable, Restitution};
use granule::math::DVec3;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;

const RADIUS: f64 = 0.1;
/// e.
const RESTITUTION: f64 = 0.8;

/// Lets the ball bounce and compares the heights.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world.add_sphere(&Sphere::new((1.0 + RADIUS) * DVec3::Z, RADIUS, 1.0));
    // A law and what impacts give back make an interface of two materials; here of all.
    world.laws = LawTable::uniform(Interface {
        law: Law::Frictionless,
        restitution: Restitution::normal(RESTITUTION),
        ..Interface::default()
    });

    let mut settings = Settings::new(StepSize::Fixed(1e-4), 3.0);
    settings.scheme = SchemeConfig::named(SchemeName::MoreauJean);
    let mut simulation = Simulation::new(world, settings)?;
    // The tops of the flight, where the velocity changes its sign.
    let mut tops = vec![1.0];
    let mut rising = false;
    while !simulation.finished() {
        simulation.step()?;
        let bodies = &simulation.world().bodies;
        let rises = bodies.velocity[0].z > 0.0;
        if rising && !rises {
            tops.push(bodies.position[0].z - RADIUS);
        }
        rising = rises;
    }
    for (bounce, top) in tops.iter().enumerate() {
        let exact = RESTITUTION.powi(2 * bounce as i32);
        println!("bounce {bounce}: {top:.4} m, exact {exact:.4} m");
        // The impact is found at the end of a step, so the height is right to first order.
        assert!((top / exact - 1.0).abs() < 0.01);
    }
    assert!(tops.len() > 4);
    Ok(())
}
