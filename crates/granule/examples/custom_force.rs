//! Forces besides gravity: a function of time on all bodies of a material, and any force that a program
//! works out between steps.
//!
//! A wind blows in gusts on light balls and not on the heavy one. It is taken as its exact mean over each
//! step, so the momentum it gives does not depend on the step. Then two balls on a spring swing about
//! their middle, with the period 2π √(m/2k).
//!
//! `cargo run --release -p granule --example custom_force`

use granule::bodies::{BodyForce, Dimension, Sphere, TimeFunction};
use granule::math::DVec3;
use granule::measure;
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;
use std::f64::consts::TAU;

/// The material of what the wind moves.
const LIGHT: u16 = 1;

/// Lets the wind blow, with steps of three lengths.
fn wind() -> Result<(), Box<dyn Error>> {
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

/// Lets two balls swing on a spring of the program.
fn spring() -> Result<(), Box<dyn Error>> {
    // N/m, m, kg.
    let (stiffness, length, mass) = (40.0, 1.0, 0.5);
    let mut world = World::new(Dimension::Space);
    let left = world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, mass));
    let right = world.add_sphere(&Sphere::new(1.2 * length * DVec3::X, 0.1, mass));
    let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(1e-3), 2.0))?;
    let mut passes = Vec::new();
    let mut stretched = true;
    while !simulation.finished() {
        let bodies = &simulation.world().bodies;
        let at = |id: u32| bodies.place_of(id).map(|place| bodies.position[place]);
        let (Some(a), Some(b)) = (at(left), at(right)) else {
            return Err("a ball is gone".into());
        };
        let stretch = a.distance(b) - length;
        // It acts over the coming step; force at the centre, and no torque.
        let pull = stiffness * stretch * (b - a).normalize();
        simulation.apply_force(left, pull, DVec3::ZERO);
        simulation.apply_force(right, -pull, DVec3::ZERO);
        simulation.step()?;
        if stretched != (stretch > 0.0) {
            stretched = stretch > 0.0;
            passes.push(simulation.world().time);
        }
    }
    let periods = 0.5 * (passes.len() - 1) as f64;
    let found = (passes[passes.len() - 1] - passes[0]) / periods;
    let exact = TAU * (mass / (2.0 * stiffness)).sqrt();
    println!("a spring swings in {found:.4} s, exact {exact:.4} s");
    assert!((found / exact - 1.0).abs() < 0.01);
    let momentum = measure::momentum(&simulation.world().bodies);
    assert!(momentum.length() < 1e-12);
    Ok(())
}

/// The wind, then the spring.
pub fn main() -> Result<(), Box<dyn Error>> {
    wind()?;
    spring()
}
