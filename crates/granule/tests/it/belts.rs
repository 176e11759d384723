//! Walls that stay while their surface runs: a belt takes along what lies on it.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};

const SCHEMES: [SchemeName; 4] = [
    SchemeName::Maury,
    SchemeName::MoreauJean,
    SchemeName::Shake,
    SchemeName::Rattle,
];
/// m/s².
const GRAVITY: f64 = 10.0;
const FRICTION: f64 = 0.2;

/// A ball laid on a belt that runs along x with 1 m/s, and the velocity (m/s) of the ball after so long (s).
fn carried(scheme: SchemeName, lock_rotation: bool, end: f64) -> DVec3 {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    world.lock_rotation = lock_rotation;
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(FRICTION)));
    let plane = Surface::HalfSpace(HalfSpace);
    let mut belt = Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed);
    // What is across the surface does not count.
    belt.surface_velocity = DVec3::new(1.0, 0.0, 3.0);
    world.add_wall(belt);
    world.add_sphere(&Sphere::new(0.1 * DVec3::Z, 0.1, 2.0));
    let mut settings = Settings::new(StepSize::Fixed(1e-3), end);
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver.tolerance = 1e-10;
    let mut simulation = Simulation::new(world, settings).unwrap();
    while simulation.world().time < end - 1e-9 {
        assert!(simulation.step().unwrap().certified, "{scheme:?}");
    }
    let bodies = &simulation.world().bodies;
    assert!((bodies.position[0].z - 0.1).abs() < 1e-3, "{scheme:?}");
    bodies.velocity[0]
}

#[test]
fn what_does_not_turn_has_the_velocity_of_the_belt_after_v_over_mu_g() {
    for scheme in SCHEMES {
        // It slides for v/(μ g) = 0.5 s with μ g = 2 m/s².
        let half = carried(scheme, true, 0.25);
        assert!((half.x - 0.5).abs() < 5e-3, "{scheme:?} {half}");
        let after = carried(scheme, true, 0.6);
        assert!((after - DVec3::X).length() < 1e-6, "{scheme:?} {after}");
    }
}

#[test]
fn a_ball_that_turns_rolls_with_two_sevenths_of_the_velocity_of_the_belt() {
    for scheme in SCHEMES {
        // Sliding ends where m v = J ω / r and v + r ω = 1 m/s, with J = 2/5 m r².
        let after = carried(scheme, false, 0.6);
        assert!((after.x - 2.0 / 7.0).abs() < 2e-3, "{scheme:?} {after}");
    }
}
