//! A simulation under the control of a program: bodies come and go while it runs.
//!
//! A ball drops on a plate every tenth of a second; the plate weighs them. In the end every second ball
//! is taken away, and the plate carries so much less. Bodies are known by their ids, which do not change
//! when others come or go.
//!
//! `cargo run --release -p granule --example control`

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::error::Error;

const GRAVITY: f64 = 10.0;

/// Takes steps for a second and gives the mean force on the plate over the last of them, N.
fn weigh(simulation: &mut Simulation) -> Result<f64, Box<dyn Error>> {
    let end = simulation.world().time + 1.0;
    while simulation.world().time < end {
        simulation.step()?;
    }
    Ok(-simulation.wall_loads()[0].force.z)
}

/// Lets ten balls fall, and takes five away.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -GRAVITY);
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.5)));
    let plate = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plate, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    // A world needs a body to begin with.
    let mut balls = vec![world.add_sphere(&Sphere::new(0.3 * DVec3::Z, 0.1, 1.0))];
    let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(5e-3), 10.0))?;
    for k in 1..10 {
        let next = 0.1 * f64::from(k);
        while simulation.world().time < next - 1e-9 {
            simulation.step()?;
        }
        let place = DVec3::new(0.3 * f64::from(k), 0.0, 0.3);
        simulation.change_world(|world| {
            let mass = 1.0 + 0.1 * f64::from(k);
            balls.push(world.add_sphere(&Sphere::new(place, 0.1, mass)));
        })?;
    }
    let force = weigh(&mut simulation)?;
    let weight = GRAVITY * (10.0 + 0.1 * 45.0);
    println!("ten balls: {force:.4} N, they weigh {weight} N");
    assert!((force / weight - 1.0).abs() < 1e-3);

    simulation.change_world(|world| {
        for &id in balls.iter().skip(1).step_by(2) {
            world.bodies.remove(id);
        }
    })?;
    let force = weigh(&mut simulation)?;
    let weight = GRAVITY * (5.0 + 0.1 * 20.0);
    println!("five balls: {force:.4} N, they weigh {weight} N");
    assert!((force / weight - 1.0).abs() < 1e-3);

    // By id: the ball that came fifth is where it fell.
    let bodies = &simulation.world().bodies;
    let fifth = bodies.place_of(balls[4]).ok_or("the fifth ball is gone")?;
    println!("the fifth is at {:.4}", bodies.position[fifth]);
    assert!((bodies.position[fifth] - DVec3::new(1.2, 0.0, 0.1)).length() < 1e-3);
    assert_eq!(bodies.place_of(balls[3]), None);
    // A world that cannot be is refused, and all stays as it was.
    let before = simulation.world().clone();
    let refused = simulation.change_world(|world| world.bodies.mass[0] = -1.0);
    println!("refused: {}", refused.err().ok_or("it was taken")?);
    assert_eq!(*simulation.world(), before);
    Ok(())
}
