//! Orders of convergence of `moreau-jean`: in free flight, and over bounces.

use crate::impacts::run;
use granule::bodies::{BodyForce, Dimension, Sphere, TimeFunction};
use granule::cases::{BouncingBall, impact_settings};
use granule::math::DVec3;
use granule::scheme::SchemeName;
use granule::simulation::{Settings, Simulation, StepSize, World};

#[test]
fn free_flight_is_of_second_order_with_theta_a_half_and_of_first_order_with_one() {
    let error = |theta: f64, steps: u32| {
        let mut world = World::new(Dimension::Space);
        world.gravity = DVec3::new(0.0, 0.0, -1.0);
        world.forces.push(BodyForce {
            direction: DVec3::X,
            magnitude: TimeFunction::Sine {
                amplitude: 1.0,
                frequency: 0.5,
                phase: 0.0,
            },
            material: None,
        });
        world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 1.0));
        let mut settings = Settings::new(StepSize::Fixed(1.0 / f64::from(steps)), 1.0);
        settings.scheme.name = SchemeName::MoreauJean;
        settings.scheme.theta = theta;
        let simulation = run(world, settings);
        let p = simulation.world().bodies.position[0];
        // x'' = sin(π t), z'' = -1.
        let exact = DVec3::new(1.0 / std::f64::consts::PI, 0.0, -0.5);
        if theta == 0.5 {
            assert!((p.z - exact.z).abs() < 1e-13, "{}", p.z);
        }
        (p - exact).length()
    };
    for (theta, order) in [(0.5, 2.0), (1.0, 1.0), (0.75, 1.0)] {
        let found = (error(theta, 100) / error(theta, 200)).log2();
        assert!((found - order).abs() < 0.05, "{theta}: {found}");
    }
}

#[test]
fn positions_after_bounces_converge_at_first_order() {
    let error = |step: f64| {
        let ball = BouncingBall {
            restitution: 0.7,
            height: 1.0,
        };
        let fall = (2.0f64 / 9.81).sqrt();
        let mut worst = 0.0f64;
        let mut simulation = Simulation::new(ball.world(), impact_settings(step, 2.0)).unwrap();
        while !simulation.finished() {
            let time = simulation.step().unwrap().time;
            let (mut start, mut speed) = (-fall, 9.81 * fall);
            while time > start + 2.0 * speed / 9.81 {
                start += 2.0 * speed / 9.81;
                speed *= 0.7;
            }
            let t = time - start;
            let exact = speed * t - 0.5 * 9.81 * t * t;
            let height = simulation.world().bodies.position[0].z - 0.1;
            worst = worst.max((height - exact).abs());
        }
        worst
    };
    // Where in a step the impact falls is chance, so over a factor of 64 in the step.
    let order = (error(6.4e-3) / error(1e-4)).log2() / 6.0;
    assert!((0.75..1.3).contains(&order), "{order}");
}
