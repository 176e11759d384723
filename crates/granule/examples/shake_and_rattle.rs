//! Schemes `shake` and `rattle`: what an impact costs.
//!
//! A ball of 1 kg falls from 1 m; the impulse that stops it is m √(2 g H) = 4.43 N s. Both schemes keep
//! the gap at the end of the step from being negative. With `shake` an impact takes two steps, and how
//! the impulse is divided between them depends on where in the step the floor is met. `rattle` solves a
//! second problem, for the velocity at the end of the step, and the whole impulse is in one step.
//!
//! `cargo run --release -p granule --example shake_and_rattle`

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::math::DVec3;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.1;

/// The largest impulse of a step, N s.
fn largest_impulse(scheme: SchemeName, step: f64) -> Result<f64, Box<dyn Error>> {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -GRAVITY);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world.add_sphere(&Sphere::new((1.0 + RADIUS) * DVec3::Z, RADIUS, 1.0));
    let mut settings = Settings::new(StepSize::Fixed(step), 0.6);
    settings.scheme = SchemeConfig::named(scheme);
    let mut simulation = Simulation::new(world, settings)?;
    let mut largest = 0.0;
    while !simulation.finished() {
        largest = f64::max(largest, simulation.step()?.normal_impulse);
    }
    Ok(largest)
}

/// Compares the impulses of both for shorter and shorter steps.
pub fn main() -> Result<(), Box<dyn Error>> {
    let exact = (2.0 * GRAVITY).sqrt();
    println!("exact {exact:.4} N s\nstep [s]  shake   rattle");
    for step in [8e-3, 4e-3, 2e-3, 1e-3] {
        let shake = largest_impulse(SchemeName::Shake, step)?;
        let rattle = largest_impulse(SchemeName::Rattle, step)?;
        println!("{step:8}  {shake:.4}  {rattle:.4}");
        // First order in the step; `shake` has a part of it only.
        assert!((rattle - exact).abs() < 0.51 * GRAVITY * step);
        assert!(shake < rattle);
    }
    Ok(())
}
