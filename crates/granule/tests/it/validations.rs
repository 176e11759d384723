//! Cases with a reference outside the papers: statics and dynamics of a few grains with friction.

use granule::cases::{Stack, rolling_deceleration, sphere_on_plane, spin_stop_time};
use granule::law::{Friction, Law};
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize, World};

/// s.
const STEP: f64 = 1e-3;

fn simulation(world: World, tolerance: f64) -> Simulation {
    let mut settings = Settings::new(StepSize::Fixed(STEP), 100.0);
    settings.solver.tolerance = tolerance;
    Simulation::new(world, settings).unwrap()
}

#[test]
fn a_sphere_that_friction_holds_does_not_creep() {
    let slope = std::f64::consts::PI / 9.0;
    for radius in [1.0, 1e-3] {
        let law = Law::Coulomb(Friction {
            sliding: 1.1 * slope.tan(),
            rolling: 1.1 * radius * slope.tan(),
            spinning: 0.0,
        });
        let mut simulation = simulation(sphere_on_plane(radius, slope, law), 1e-10);
        for _ in 0..10_000 {
            assert!(simulation.step().unwrap().certified);
        }
        let drift = simulation.world().bodies.position[0] - radius * DVec3::Z;
        assert!(drift.length() < 1e-10, "{radius}: {drift}");
    }
}

#[test]
fn a_sphere_rolls_or_slides_away_where_friction_does_not_hold_it() {
    let slope = std::f64::consts::PI / 9.0;
    let radius = 0.1;
    for (sliding, rolling) in [(0.99, 1.1), (1.1, 0.99)] {
        let law = Law::Coulomb(Friction {
            sliding: sliding * slope.tan(),
            rolling: rolling * radius * slope.tan(),
            spinning: 0.0,
        });
        let mut simulation = simulation(sphere_on_plane(radius, slope, law), 1e-10);
        for _ in 0..1000 {
            simulation.step().unwrap();
        }
        let down = simulation.world().bodies.position[0].x;
        assert!(down > 1e-3, "{sliding} {rolling}: {down}");
    }
}

/// How far the top of a pile came down, in radii, in so many steps or when it has fallen.
fn descent(stack: Stack, [between, floor]: [f64; 2], steps: usize) -> f64 {
    let mut simulation = simulation(stack.world(between, floor), 1e-8);
    let mut descent = 0.0;
    for _ in 0..steps {
        assert!(simulation.step().unwrap().certified);
        descent = stack.descent(simulation.world()) / Stack::RADIUS;
        if descent > 0.1 {
            break;
        }
    }
    descent
}

#[test]
fn piles_stand_if_and_only_if_both_coefficients_reach_their_thresholds() {
    for stack in [Stack::ThreeCylinders, Stack::FourSpheres] {
        let thresholds = stack.thresholds();
        for place in 0..2 {
            let coefficients = |factor: f64| {
                let mut coefficients = thresholds.map(|x| 2.0 * x);
                coefficients[place] = factor * thresholds[place];
                coefficients
            };
            let moved = descent(stack, coefficients(1.01), 2000);
            assert!(moved.abs() < 1e-6, "{stack:?} {place}: {moved}");
            let moved = descent(stack, coefficients(0.99), 2000);
            assert!(moved > 0.1, "{stack:?} {place}: {moved}");
        }
    }
}

#[test]
fn rolling_and_spinning_slow_down_as_they_should() {
    let (radius, resistance, spin) = (0.1, 0.002, 10.0);
    let friction = Friction {
        sliding: 0.5,
        rolling: resistance,
        spinning: resistance,
    };
    for law in [Law::CoulombConvex(friction), Law::Coulomb(friction)] {
        let mut world = sphere_on_plane(radius, 0.0, law);
        world.bodies.velocity[0] = DVec3::X;
        world.bodies.angular_velocity[0] = DVec3::Y / radius;
        let mut rolling = simulation(world, 1e-8);
        let velocity = |simulation: &mut Simulation, steps: usize| {
            for _ in 0..steps {
                simulation.step().unwrap();
            }
            simulation.world().bodies.velocity[0].x
        };
        let lost = velocity(&mut rolling, 100) - velocity(&mut rolling, 1000);
        let exact = rolling_deceleration(radius, resistance) * 1000.0 * STEP;
        assert!((lost / exact - 1.0).abs() < 0.01, "{law:?}: {lost} {exact}");

        let mut world = sphere_on_plane(radius, 0.0, law);
        world.bodies.angular_velocity[0] = spin * DVec3::Z;
        let mut spinning = simulation(world, 1e-8);
        let exact = spin_stop_time(radius, resistance, spin);
        let time = loop {
            let time = spinning.step().unwrap().time;
            if spinning.world().bodies.angular_velocity[0].z < 1e-6 * spin || time > 2.0 * exact {
                break time;
            }
        };
        assert!((time / exact - 1.0).abs() < 0.01, "{law:?}: {time} {exact}");
    }
}
