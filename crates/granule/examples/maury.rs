//! Scheme `maury`: steps of any length, and nothing overlaps.
//!
//! A column of ten balls falls on a floor. The gaps at the end of a step are linearised about its start
//! and kept non-negative, so that even a step in which a ball falls by more than its diameter ends
//! with all of them on the floor. Contacts are inelastic: what falls comes to rest.
//!
//! `cargo run --release -p granule --example maury`

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::math::DVec3;
use granule::measure;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;

const RADIUS: f64 = 0.05;

/// Balls above each other with gaps of 1 cm, and a floor.
fn column() -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    for k in 0..10 {
        let height = 0.5 + (2.0 * RADIUS + 0.01) * f64::from(k);
        world.add_sphere(&Sphere::new(height * DVec3::Z, RADIUS, 1.0));
    }
    world
}

/// Lets the column fall with steps of three lengths.
pub fn main() -> Result<(), Box<dyn Error>> {
    println!("step [s]  deepest overlap [m]  height of the top [m]  kinetic energy [J]");
    for step in [1e-3, 1e-2, 0.1] {
        // `maury` is what settings have if nothing else is said.
        let mut settings = Settings::new(StepSize::Fixed(step), 1.0);
        settings.solver.tolerance = 1e-8;
        let mut simulation = Simulation::new(column(), settings)?;
        let mut deepest = 0.0;
        while !simulation.finished() {
            let report = simulation.step()?;
            assert!(report.certified);
            deepest = f64::max(deepest, report.certificate.max_penetration);
        }
        let world = simulation.world();
        let top = world
            .bodies
            .position
            .iter()
            .map(|x| x.z)
            .fold(0.0, f64::max);
        let energy = measure::kinetic_energy(&world.bodies);
        println!("{step:8}  {deepest:19.1e}  {top:21.6}  {energy:18.1e}");
        assert!(deepest < 1e-6 && energy < 1e-9);
        assert!((top - 19.0 * RADIUS).abs() < 1e-6);
    }
    Ok(())
}
