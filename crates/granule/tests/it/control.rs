//! What a program may do between two steps.

use granule::bodies::{Dimension, Load, Motion, RigidBody, Sphere, TimeFunction, Wall};
use granule::cases;
use granule::joints::{Along, Effect, Joint, Kind};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};

fn settings(step: f64) -> Settings {
    Settings::new(StepSize::Fixed(step), 10.0)
}

#[test]
fn forces_and_torques_act_over_one_step_and_do_the_work_that_is_booked() {
    let mut world = World::new(Dimension::Space);
    world.add_sphere(&Sphere::new(DVec3::X, 0.1, 3.0));
    let ball = world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 2.0));
    let mut simulation = Simulation::new(world, settings(0.1)).unwrap();
    assert!(!simulation.apply_force(9, DVec3::X, DVec3::ZERO));
    let (force, torque) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, 0.1, 0.2));
    assert!(simulation.apply_force(ball, 0.5 * force, torque));
    assert!(simulation.apply_force(ball, 0.5 * force, DVec3::ZERO));
    // What is pending is part of the state.
    let mut restored = Simulation::restore(simulation.snapshot()).unwrap();
    let report = simulation.step().unwrap();
    assert_eq!(restored.step().unwrap(), report);
    let place = simulation.world().bodies.place_of(ball).unwrap();
    let bodies = &simulation.world().bodies;
    let inertia = 0.4 * 2.0 * 0.01;
    assert!((bodies.velocity[place] - 0.05 * force).length() < 1e-15);
    assert!((bodies.angular_velocity[place] - 0.1 / inertia * torque).length() < 1e-12);
    assert!((report.energy.work_of_forces - report.kinetic_energy).abs() < 1e-12);
    let next = simulation.step().unwrap();
    assert_eq!(next.kinetic_energy, report.kinetic_energy);
}

#[test]
fn loads_on_many_bodies_are_those_on_each() {
    let world = cases::box_drop(3, 1);
    let mut together = Simulation::new(world.clone(), settings(0.01)).unwrap();
    let mut alone = Simulation::new(world, settings(0.01)).unwrap();
    // The order of places is not that of ids any more.
    for simulation in [&mut together, &mut alone] {
        simulation.step().unwrap();
    }
    let load = |id: u32| Load {
        force: f64::from(id) * DVec3::X,
        torque: f64::from(id) * 1e-3 * DVec3::Z,
    };
    let loads: Vec<(u32, Load)> = (0..27).rev().map(|id| (id, load(id))).collect();
    together.apply_loads(&loads).unwrap();
    for (id, load) in &loads {
        assert!(alone.apply_force(*id, load.force, load.torque));
    }
    assert_eq!(together.step().unwrap(), alone.step().unwrap());
    assert_eq!(together.world(), alone.world());
    let before = together.snapshot();
    assert_eq!(together.apply_loads(&[loads[0], (99, load(1))]), Err(99));
    assert_eq!(together.snapshot(), before);
}

#[test]
fn motors_follow_the_target_that_they_are_given_last() {
    let mut world = World::new(Dimension::Space);
    let wheel = world.add_body(&RigidBody::new(DVec3::ZERO, 1.0, DVec3::ONE));
    let ends = [Some(wheel), None];
    let motor = Effect::Speed {
        target: TimeFunction::Constant(1.0),
        strength: Some(30.0),
    };
    let joint = Joint::at(Kind::Hinge, &world.bodies, ends, DVec3::ZERO, DVec3::Z)
        .with(Along::Turn, Effect::Friction { strength: 0.1 })
        .with(Along::Turn, motor);
    world.joints.push(joint);
    let mut tight = settings(0.1);
    tight.solver.tolerance = 1e-10;
    let mut simulation = Simulation::new(world, tight).unwrap();
    let spin = |simulation: &Simulation| simulation.world().bodies.angular_velocity[0].z;
    simulation.step().unwrap();
    assert!((spin(&simulation) - 1.0).abs() < 1e-9);
    let target = TimeFunction::Constant(-1.5);
    simulation.set_target(0, 1, target).unwrap();
    // It is part of the state.
    let mut restored = Simulation::restore(simulation.snapshot()).unwrap();
    let report = simulation.step().unwrap();
    assert_eq!(restored.step().unwrap(), report);
    assert!((spin(&simulation) + 1.5).abs() < 1e-9);
    let before = simulation.world().clone();
    let wild = TimeFunction::Linear {
        times: vec![1.0, 0.0],
        values: vec![0.0, 0.0],
    };
    for (joint, drive, target, words) in [
        (0, 1, wild, "must increase"),
        (0, 0, TimeFunction::Constant(0.0), "stops and friction"),
        (0, 2, TimeFunction::Constant(0.0), "not there"),
        (1, 0, TimeFunction::Constant(0.0), "not there"),
    ] {
        let error = simulation.set_target(joint, drive, target).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    assert_eq!(*simulation.world(), before);
}

#[test]
fn bodies_come_and_go_and_the_others_keep_their_contacts() {
    let mut simulation = Simulation::new(cases::box_drop(4, 1), settings(0.01)).unwrap();
    for _ in 0..120 {
        simulation.step().unwrap();
    }
    let before: Vec<_> = simulation.contacts().collect();
    let gone = simulation.world().bodies.id[7];
    let kept = |contact: &&granule::simulation::ContactImpulse| {
        let (a, b) = simulation.contact_ids(contact);
        a != gone && b != Some(gone)
    };
    let expected = before.iter().filter(kept).count();
    assert!(expected < before.len());
    let count = simulation.world().bodies.len();
    simulation
        .change_world(|world| {
            assert!(world.bodies.remove(gone));
            assert!(!world.bodies.remove(gone));
        })
        .unwrap();
    assert_eq!(simulation.contacts().count(), expected);
    let added = Sphere::new(DVec3::new(0.0, 0.0, 100.0), 0.05, 1.0);
    let mut id = 0;
    simulation
        .change_world(|world| id = world.add_sphere(&added))
        .unwrap();
    assert_eq!(id as usize, count, "ids are not given twice");
    for _ in 0..5 {
        assert!(simulation.step().unwrap().certified);
    }
    let bodies = simulation.world().bodies.by_id();
    assert!(bodies.id.is_sorted() && bodies.len() == count && !bodies.id.contains(&gone));
}

#[test]
fn a_change_that_cannot_be_simulated_changes_nothing() {
    let mut simulation = Simulation::new(cases::box_drop(3, 1), settings(0.01)).unwrap();
    for _ in 0..60 {
        simulation.step().unwrap();
    }
    let before = simulation.snapshot();
    let error = simulation
        .change_world(|world| {
            world.bodies.radius[3] = f64::NAN;
            world.bodies.remove(0);
        })
        .unwrap_err();
    assert!(error.to_string().contains("radius"), "{error}");
    assert_eq!(simulation.snapshot(), before);
    simulation.step().unwrap();
}

#[test]
fn a_change_that_changes_nothing_keeps_the_bits() {
    let mut plain = Simulation::new(cases::box_drop(4, 1), settings(0.01)).unwrap();
    let mut touched = Simulation::new(cases::box_drop(4, 1), settings(0.01)).unwrap();
    for _ in 0..120 {
        assert_eq!(plain.step().unwrap(), touched.step().unwrap());
        touched.change_world(|_| ()).unwrap();
    }
}

#[test]
fn walls_can_be_added_and_taken_away() {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 0.1), 0.1, 1.0));
    let mut simulation = Simulation::new(world, settings(0.01)).unwrap();
    let floor = Surface::HalfSpace(HalfSpace);
    let floor = Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed);
    simulation
        .change_world(|world| world.add_wall(floor))
        .unwrap();
    for _ in 0..10 {
        simulation.step().unwrap();
    }
    assert!((simulation.world().bodies.position[0].z - 0.1).abs() < 1e-6);
    simulation
        .change_world(|world| world.walls.clear())
        .unwrap();
    for _ in 0..10 {
        simulation.step().unwrap();
    }
    assert!(simulation.world().bodies.position[0].z < 0.06);
}
