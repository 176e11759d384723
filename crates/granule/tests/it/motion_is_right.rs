//! Bodies move as mechanics says: orders of convergence to exact solutions, prescribed motions that
//! are met exactly, and free rotation.

use crate::random_worlds::precise;
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases;
use granule::math::{DQuat, DVec3};
use granule::measure;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};

fn plane(position: DVec3, normal: DVec3, motion: Motion) -> Wall {
    Wall::new(Surface::HalfSpace(HalfSpace), position, normal, motion)
}

fn run(world: World, h: f64, end: f64, mut each: impl FnMut(&Simulation)) -> Simulation {
    let mut settings = precise(h);
    settings.end = end;
    let mut simulation = Simulation::new(world, settings).unwrap();
    while !simulation.finished() {
        simulation.step().unwrap();
        each(&simulation);
    }
    simulation
}

/// The order of convergence between each two errors for steps halved.
fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect()
}

#[test]
fn a_sphere_falls_onto_a_plane_at_first_order() {
    let exact = |t: f64| (0.1f64).max(1.0 - 0.5 * 9.81 * t * t);
    let errors: Vec<f64> = (0..5)
        .map(|halvings| {
            let h = 0.01 / f64::from(1 << halvings);
            let mut world = World::new(Dimension::Space);
            world.gravity = DVec3::new(0.0, 0.0, -9.81);
            world.add_wall(plane(DVec3::ZERO, DVec3::Z, Motion::Fixed));
            world.add_sphere(&Sphere::new(DVec3::Z, 0.1, 1.0));
            let mut sum = 0.0;
            let end = run(world, h, 1.0, |simulation| {
                let z = simulation.world().bodies.position[0].z;
                sum += h * (z - exact(simulation.world().time)).powi(2);
            });
            let bodies = &end.world().bodies;
            assert!(
                (bodies.position[0].z - 0.1).abs() < 1e-9,
                "it rests on the plane"
            );
            assert!(bodies.velocity[0].length() < 1e-9);
            sum.sqrt()
        })
        .collect();
    for order in orders(&errors) {
        assert!((0.95..1.1).contains(&order), "{errors:?}: order {order}");
    }
}

#[test]
fn a_disk_slides_down_an_incline_at_first_order() {
    let errors: Vec<f64> = (0..5)
        .map(|halvings| {
            let h = 0.05 / f64::from(1 << halvings);
            let mut sum = 0.0;
            run(cases::disk_on_incline(), h, 5.0, |simulation| {
                let (down, gap) = cases::exact_frictionless(simulation.world().time);
                let position = simulation.world().bodies.position[0];
                sum += h * ((position.x - down).powi(2) + (position.y - 1.0 - gap).powi(2));
            });
            sum.sqrt()
        })
        .collect();
    for order in orders(&errors) {
        assert!((0.95..1.05).contains(&order), "{errors:?}: order {order}");
    }
}

#[test]
fn an_oscillating_floor_carries_a_sphere() {
    // Accelerations below gravity: the sphere never leaves the floor, whatever the step.
    for h in [0.1, 0.01] {
        let mut world = World::new(Dimension::Space);
        world.gravity = DVec3::new(0.0, 0.0, -9.81);
        let motion = Motion::Oscillation {
            amplitude: [0.0, 0.0, 0.05],
            frequency: 1.0,
            phase: 0.3,
        };
        let floor = plane(DVec3::ZERO, DVec3::Z, motion);
        let kinematics = floor.kinematics.clone();
        world.add_wall(floor);
        world.add_sphere(&Sphere::new(DVec3::new(0.2, 0.1, 0.1), 0.1, 2.0));
        run(world, h, 2.0, |simulation| {
            let (place, _) = kinematics.pose(simulation.world().time);
            let z = simulation.world().bodies.position[0].z;
            assert!((z - 0.1 - place.z).abs() < 1e-9, "h={h}: {z} {}", place.z);
        });
    }
}

#[test]
fn a_piston_pushes_a_row_at_exactly_its_speed() {
    let speed = 0.7;
    let motion = Motion::Velocity {
        linear: [speed, 0.0, 0.0],
    };
    for dimension in [Dimension::Line, Dimension::Plane, Dimension::Space] {
        for body in [false, true] {
            let mut world = World::new(dimension);
            if body {
                let mut piston = Sphere::new(DVec3::new(-0.5, 0.0, 0.0), 0.5, 1.0);
                piston.motion = Some(motion.clone());
                world.add_sphere(&piston);
            } else {
                world.add_wall(plane(DVec3::ZERO, DVec3::X, motion.clone()));
            }
            for k in 0..5 {
                let place = DVec3::new(0.15 + 0.3 * f64::from(k), 0.0, 0.0);
                world.add_sphere(&Sphere::new(place, 0.1, 10f64.powi(k % 3)));
            }
            let end = run(world, 0.1, 3.0, |_| {});
            let bodies = &end.world().bodies;
            let front = speed * 3.0;
            for (place, id) in bodies.places().into_iter().zip(0..) {
                let (x, v) = (
                    bodies.position[place as usize],
                    bodies.velocity[place as usize],
                );
                assert!(
                    (v - speed * DVec3::X).length() < 1e-9,
                    "{dimension:?} body {id}: {v}"
                );
                let grain = id - i32::from(body);
                if grain >= 0 {
                    let want = front + 0.1 + 0.2 * f64::from(grain);
                    assert!(
                        (x.x - want).abs() < 1e-8,
                        "{dimension:?} body {id}: {x}, not {want}"
                    );
                }
            }
        }
    }
}

#[test]
fn prescribed_bodies_are_where_they_are_said_to_be() {
    for dimension in [Dimension::Line, Dimension::Space] {
        let mut world = World::new(dimension);
        // Two in touch: contact does not move them, and does no harm between them.
        for x in [0.0, 0.15] {
            let mut sphere = Sphere::new(DVec3::new(x, 0.0, 0.0), 0.1, 1.0);
            sphere.motion = Some(Motion::Oscillation {
                amplitude: [0.3, 0.0, 0.0],
                frequency: 0.5,
                phase: 0.0,
            });
            world.add_sphere(&sphere);
        }
        let mut free = Sphere::new(DVec3::new(0.5, 0.0, 0.0), 0.1, 1.0);
        free.velocity = DVec3::NEG_X;
        world.add_sphere(&free);
        let kinematics = world.bodies.kinematics.clone();
        let end = run(world, 0.05, 4.0, |simulation| {
            let bodies = &simulation.world().bodies;
            let places = bodies.places();
            for id in 0..2 {
                let (want, _) = kinematics[id].pose(simulation.world().time);
                let found = bodies.position[places[id] as usize];
                assert!(
                    (found - want).length() < 1e-14,
                    "{dimension:?}: {found} {want}"
                );
            }
            let free = bodies.position[places[2] as usize];
            assert!(free.x - bodies.position[places[1] as usize].x > 0.2 - 1e-9);
        });
        let last = end.world().bodies.places()[2] as usize;
        assert!(end.world().bodies.velocity[last].x > 0.5, "it was hit");
    }
}

#[test]
fn a_sphere_on_a_circle_sweeps_others_away() {
    let mut world = World::new(Dimension::Space);
    let mut arm = Sphere::new(DVec3::X, 0.1, 1.0);
    arm.motion = Some(Motion::Rotation {
        axis: [0.0, 0.0, 3.0],
        rate: 2.0,
        center: Some([0.0; 3]),
    });
    world.add_sphere(&arm);
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 1.02, 0.0), 0.1, 1.0));
    let end = run(world, 0.02, 2.0, |simulation| {
        let bodies = &simulation.world().bodies;
        let arm = bodies.places()[0] as usize;
        let angle = 2.0 * simulation.world().time;
        let want = DVec3::new(angle.cos(), angle.sin(), 0.0);
        assert!((bodies.position[arm] - want).length() < 1e-12);
        let turn = DQuat::from_rotation_z(angle);
        assert!(
            bodies.orientation[arm].dot(turn).abs() > 1.0 - 1e-12,
            "it turns with the arm"
        );
        assert!((bodies.angular_velocity[arm] - 2.0 * DVec3::Z).length() < 1e-12);
        let gap = bodies.position[0].distance(bodies.position[1]) - 0.2;
        assert!(gap > -1e-9, "{gap}");
    });
    let bodies = &end.world().bodies;
    let other = bodies.places()[1] as usize;
    assert!(bodies.velocity[other].length() > 1.0, "it was hit");
}

/// J ω in world coordinates.
fn angular_momentum(world: &World) -> DVec3 {
    let bodies = &world.bodies;
    let turn = bodies.orientation[0];
    turn * (bodies.inertia[0] * (turn.conjugate() * bodies.angular_velocity[0]))
}

fn spinning() -> World {
    let mut world = World::new(Dimension::Space);
    let mut body = Sphere::new(DVec3::ZERO, 1.0, 1.0);
    body.inertia = Some(DVec3::new(1.0, 2.0, 3.0));
    body.orientation = DQuat::from_rotation_x(0.4);
    // Near the axis of the middle moment, where rotation tumbles.
    body.angular_velocity = DVec3::new(0.1, 1.5, 0.05);
    world.add_sphere(&body);
    world
}

#[test]
fn free_rotation_keeps_energy_and_the_size_of_angular_momentum_exactly() {
    let start = spinning();
    let (energy, spin) = (
        measure::kinetic_energy(&start.bodies),
        angular_momentum(&start),
    );
    let (mut tumbled, axis) = (false, start.bodies.orientation[0] * DVec3::Y);
    run(start, 0.02, 200.0, |simulation| {
        let world = simulation.world();
        let now = measure::kinetic_energy(&world.bodies);
        assert!(
            (now - energy).abs() < 1e-10 * energy,
            "t={}: {now}",
            world.time
        );
        let size = angular_momentum(world).length();
        assert!((size - spin.length()).abs() < 1e-10 * spin.length());
        tumbled |= (world.bodies.orientation[0] * DVec3::Y).dot(axis) < -0.5;
    });
    assert!(tumbled, "rotation about the middle axis is unstable");
}

#[test]
fn the_direction_of_angular_momentum_converges_at_first_order() {
    let errors: Vec<f64> = (0..5)
        .map(|halvings| {
            let h = 0.02 / f64::from(1 << halvings);
            let start = spinning();
            let spin = angular_momentum(&start);
            let end = run(start, h, 4.0, |_| {});
            (angular_momentum(end.world()) - spin).length() / spin.length()
        })
        .collect();
    println!("{errors:?}, orders {:.2?}", orders(&errors));
    for order in orders(&errors) {
        assert!(order > 0.9, "{errors:?}: order {order}");
    }
}

#[test]
fn locked_directions_stay_locked() {
    // A body that may not turn does not, whatever it is given.
    let mut world = spinning();
    world.lock_rotation = true;
    let before = world.bodies.orientation[0];
    let end = run(world, 0.02, 1.0, |_| {});
    assert_eq!(end.world().bodies.orientation[0], before);
    assert_eq!(end.world().bodies.angular_velocity[0], DVec3::ZERO);

    // In a plane and on a line nothing leaves it.
    for (dimension, free) in [
        (Dimension::Line, DVec3::X),
        (Dimension::Plane, DVec3::new(1.0, 1.0, 0.0)),
    ] {
        let mut world = World::new(dimension);
        world.gravity = DVec3::new(0.1, -0.2, -9.81);
        let mut body = Sphere::new(DVec3::new(0.3, 0.2, 0.1), 0.1, 1.0);
        body.velocity = DVec3::ONE;
        body.angular_velocity = DVec3::ONE;
        world.add_sphere(&body);
        let end = run(world, 0.1, 1.0, |_| {});
        let bodies = &end.world().bodies;
        let still = DVec3::ONE - free;
        let moved = bodies.position[0] - body.position;
        assert_eq!(moved * still, DVec3::ZERO, "{dimension:?}");
        assert!((moved * free).length() > 0.5, "{dimension:?}");
        let turns = if dimension == Dimension::Plane {
            DVec3::Z
        } else {
            DVec3::ZERO
        };
        assert_eq!(bodies.angular_velocity[0], turns, "{dimension:?}");
    }
}

#[test]
fn adaptive_steps_keep_bodies_within_their_fraction() {
    let cfl = StepSize::Cfl {
        fraction: 0.2,
        longest: 0.05,
    };
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    world.add_wall(plane(DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world.add_sphere(&Sphere::new(DVec3::Z, 0.1, 1.0));
    let mut simulation = Simulation::new(world, Settings::new(cfl, 2.0)).unwrap();
    let mut before = simulation.world().bodies.position[0];
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        let now = simulation.world().bodies.position[0];
        assert!(
            now.distance(before) <= 0.2 * 0.1 * (1.0 + 1e-9),
            "{report:?}"
        );
        assert!(report.step_size <= 0.05 && report.step_size > 0.0);
        before = now;
    }
    assert_eq!(simulation.world().time, 2.0);
    // A fraction of no radius is no step.
    assert!(Simulation::new(cases::sticky(), Settings::new(cfl, 1.0)).is_err());
}
