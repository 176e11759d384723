//! Forces besides gravity: a function of time on all bodies of a material.
//!
//! A wind blows in gusts on light balls and not on the heavy one. Forces are taken as their exact mean
//! over each step, so the momentum they give does not depend on the step.
//!
//! `cargo run --release -p granule --example custom_force`

use granule::bodies::{BodyForce, Dimension, Sphere, TimeFunction};
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;

/// The material of what the wind moves.
const LIGHT: u16 = 1;

/// Lets the wind blow, with steps of three lengths.
pub fn main() -> Result<(), Box<dyn Error>> {
    for step in [0.3, 0.1, 0.01] {
        let mut world = World::new(Dimension::Space);
        world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 10.0));
        for k in 1..=3 {
            let mut ball = Sphere::new(f64::from(k) * DVec3::Y, 0.1, 0.5);
            ball.material = LIGHT;
            world.add_sphere(&ball);
        }
        // 2 N from 0.25 s to 0.75 s, then 1 N against it for another quarter of a second.
        world.forces.push(BodyForce {
            direction: DVec3::X,
            magnitude: TimeFunction::Piecewise {
                times: vec![0.25, 0.75, 1.0],
                values: vec![2.0, -1.0],
            },
            material: Some(LIGHT),
        });
        let settings = Settings::new(StepSize::Fixed(step), 1.2);
        let mut simulation = Simulation::new(world, settings)?;
        let mut work = 0.0;
        while !simulation.finished() {
            work += simulation.step()?.energy.work_of_forces;
        }
        let bodies = &simulation.world().bodies;
        let places = bodies.places();
        let speed = |id: usize| bodies.velocity[places[id] as usize].x;
        let exact = (2.0 * 0.5 - 0.25) / 0.5;
        println!(
            "h = {step} s: {:.6} m/s, exact {exact} m/s; the wind did {work:.6} J",
            speed(1)
        );
        assert_eq!(speed(0), 0.0);
        assert!((speed(1) - exact).abs() < 1e-12);
        let energy = 3.0 * 0.5 * 0.5 * exact * exact;
        assert!((work - energy).abs() < 1e-12);
    }
    Ok(())
}
