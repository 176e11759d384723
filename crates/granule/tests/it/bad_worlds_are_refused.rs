//! Worlds and snapshots that cannot be simulated are refused with what is wrong and where; whatever is
//! taken, steps end without a panic, with finite numbers or an error.

use crate::hostile_worlds::all_finite;
use granule::bodies::{BodyForce, BodyKind, Dimension, Motion, Sphere, TimeFunction, Wall};
use granule::collision::Partner;
use granule::law::{Friction, Law, LawTable};
use granule::math::{DQuat, DVec3};
use granule::shapes::{BoxContainer, Cone, Cylinder, HalfSpace, Plate, Surface};
use granule::simulation::{
    Item, Settings, SetupError, Simulation, Snapshot, StepError, StepSize, World,
};

/// Some spheres over a floor and beside a wall that moves, the last of them with a prescribed motion.
pub fn world(dimension: Dimension, law: Law) -> World {
    let mut world = World::new(dimension);
    let up = match dimension {
        Dimension::Line => DVec3::X,
        _ => DVec3::Y,
    };
    world.gravity = -9.81 * up;
    world.laws = LawTable::uniform(law);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, up, Motion::Fixed));
    let sway = Motion::Oscillation {
        amplitude: (0.1 * up).to_array(),
        frequency: 1.0,
        phase: 0.0,
    };
    let shape = Surface::Box(BoxContainer::closed([3.0; 3]));
    world.add_wall(Wall::new(shape, up, DVec3::Z, sway));
    world.forces.push(BodyForce {
        direction: up,
        magnitude: TimeFunction::Sine {
            amplitude: 1.0,
            frequency: 2.0,
            phase: 0.3,
        },
        material: None,
    });
    for k in 0..4 {
        let mut sphere = Sphere::new((0.101 + 0.201 * f64::from(k)) * up, 0.1, 1.0);
        if dimension != Dimension::Line {
            sphere.position.x += 0.03 * f64::from(k);
            sphere.angular_velocity = 5.0 * DVec3::Z;
        }
        sphere.velocity = -0.5 * up;
        if k == 3 {
            sphere.motion = Some(Motion::Velocity {
                linear: (-0.2 * up).to_array(),
            });
        }
        world.add_sphere(&sphere);
    }
    world
}

/// Few iterations: what they reach does not matter here.
pub fn settings() -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(0.01), 10.0);
    settings.solver.max_iterations = 200;
    settings
}

fn refusal(world: World) -> (Item, String) {
    match Simulation::new(world, settings()).err() {
        Some(SetupError::World { item, reason }) => (item, reason),
        other => panic!("taken, or refused for another reason: {other:?}"),
    }
}

fn space() -> World {
    world(Dimension::Space, Law::Frictionless)
}

#[test]
fn what_is_wrong_with_a_body_is_said_with_its_id() {
    type Change = fn(&mut World);
    let cases: [(&str, Change); 14] = [
        ("radius", |w| w.bodies.radius[2] = -0.1),
        ("radius", |w| w.bodies.radius[2] = f64::NAN),
        ("radius", |w| w.bodies.radius[2] = 0.0),
        ("mass", |w| w.bodies.mass[2] = 0.0),
        ("mass", |w| w.bodies.mass[2] = f64::INFINITY),
        ("mass", |w| w.bodies.mass[2] = 5e-324),
        ("inertia", |w| w.bodies.inertia[2].y = 0.0),
        ("inertia", |w| w.bodies.inertia[2].y = f64::NAN),
        ("position", |w| w.bodies.position[2].x = f64::NAN),
        ("position", |w| w.bodies.position[2].x = 1e300),
        ("velocity", |w| w.bodies.velocity[2].z = f64::INFINITY),
        ("angular velocity", |w| {
            w.bodies.angular_velocity[2].z = f64::NAN
        }),
        ("orientation", |w| {
            w.bodies.orientation[2] = DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0)
        }),
        ("z is", |w| {
            w.dimension = Dimension::Plane;
            w.bodies.position[2].z = 0.01;
        }),
    ];
    for (word, change) in cases {
        let mut world = space();
        change(&mut world);
        let (item, reason) = refusal(world);
        assert_eq!(item, Item::Body(2), "{reason}");
        assert!(reason.contains(word), "`{word}` in: {reason}");
    }
}

#[test]
fn prescribed_motions_stay_in_the_plane() {
    let motions = [
        Motion::Velocity {
            linear: [0.0, 1.0, 1.0],
        },
        Motion::Rotation {
            axis: [1.0, 0.0, 1.0],
            rate: 1.0,
            center: None,
        },
    ];
    for motion in motions {
        let mut world = world(Dimension::Plane, Law::Frictionless);
        world.bodies.kinematics[0].motion = motion;
        let (item, reason) = refusal(world);
        assert_eq!(item, Item::Body(3));
        assert!(reason.contains("plane of motion"), "{reason}");
    }
}

#[test]
fn what_is_wrong_with_the_arrays_of_bodies_is_said() {
    type Change = fn(&mut World);
    let cases: [(&str, Change); 5] = [
        ("id", |w| w.bodies.id[1] = 0),
        ("id", |w| w.bodies.id[1] = 9),
        ("`mass` has 3", |w| w.bodies.mass.truncate(3)),
        ("prescribed", |w| w.bodies.kind[0] = BodyKind::Kinematic),
        ("prescribed", |w| w.bodies.kinematics.clear()),
    ];
    for (word, change) in cases {
        let mut world = space();
        change(&mut world);
        let (item, reason) = refusal(world);
        assert_eq!(item, Item::Bodies);
        assert!(reason.contains(word), "`{word}` in: {reason}");
    }
}

#[test]
fn what_is_wrong_with_a_wall_is_said_with_its_number() {
    let cylinder = |radius, length| {
        Surface::Cylinder(Cylinder {
            radius,
            length,
            bottom: true,
            top: true,
        })
    };
    let cone = |bottom_radius, top_radius, length| {
        Surface::Cone(Cone {
            bottom_radius,
            top_radius,
            length,
            bottom: false,
            top: false,
        })
    };
    let shapes = [
        cylinder(0.0, 1.0),
        cylinder(1.0, f64::NAN),
        cone(-1.0, 1.0, 1.0),
        cone(0.0, 0.0, 1.0),
        cone(0.0, 1.0, 0.0),
        Surface::Box(BoxContainer::closed([1.0, -1.0, 1.0])),
        Surface::Plate(Plate {
            width: f64::INFINITY,
            height: 1.0,
        }),
    ];
    for shape in shapes {
        let mut world = space();
        world.add_wall(Wall::new(
            shape.clone(),
            DVec3::ZERO,
            DVec3::Z,
            Motion::Fixed,
        ));
        let (item, reason) = refusal(world);
        assert_eq!(item, Item::Wall(2), "{shape:?}: {reason}");
    }
    let floor = Surface::HalfSpace(HalfSpace);
    let walls = [
        Wall::new(
            floor.clone(),
            DVec3::new(0.0, f64::NAN, 0.0),
            DVec3::Z,
            Motion::Fixed,
        ),
        // No direction.
        Wall::new(floor.clone(), DVec3::ZERO, DVec3::ZERO, Motion::Fixed),
        Wall::new(
            floor.clone(),
            DVec3::ZERO,
            DVec3::Z,
            Motion::Velocity {
                linear: [f64::NAN; 3],
            },
        ),
        Wall {
            patches: Vec::new(),
            ..Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed)
        },
    ];
    for wall in walls {
        let mut world = space();
        world.add_wall(wall.clone());
        let (item, reason) = refusal(world);
        assert_eq!(item, Item::Wall(2), "{wall:?}: {reason}");
    }
}

#[test]
fn what_is_wrong_with_forces_gravity_and_time_is_said() {
    let mut bad = space();
    bad.forces[0].direction.x = f64::NAN;
    assert_eq!(refusal(bad).0, Item::Force(0));
    let mut bad = space();
    bad.forces[0].magnitude = TimeFunction::Piecewise {
        times: vec![0.0, 1.0],
        values: vec![],
    };
    assert_eq!(refusal(bad).0, Item::Force(0));
    let mut bad = space();
    bad.gravity.z = f64::NEG_INFINITY;
    assert_eq!(refusal(bad).0, Item::World);
    let mut bad = space();
    bad.time = f64::NAN;
    assert_eq!(refusal(bad).0, Item::World);
    let mut bad = space();
    bad.steps = u64::MAX;
    assert_eq!(refusal(bad).0, Item::World);
}

#[test]
fn points_on_a_line_and_overlapping_starts_are_taken() {
    let mut line = World::new(Dimension::Line);
    line.add_sphere(&Sphere::new(DVec3::ZERO, 0.0, 1.0));
    line.add_sphere(&Sphere::new(DVec3::X, 0.0, 1.0));
    assert!(Simulation::new(line, settings()).is_ok());
    let mut overlapping = space();
    overlapping.bodies.position[1] = overlapping.bodies.position[0];
    assert!(Simulation::new(overlapping, settings()).is_ok());
}

#[test]
fn a_snapshot_whose_contacts_are_not_those_of_its_world_is_refused() {
    type Change = fn(&mut Snapshot);
    let cases: [Change; 9] = [
        |s| s.contacts[1].key.a = 77,
        |s| s.contacts[1].key.partner = Partner::Body(77),
        |s| s.contacts[1].key.partner = Partner::Body(0),
        |s| s.contacts[1].key.partner = Partner::Wall(77),
        |s| s.contacts[1].memory.normal = DVec3::new(2.0, 0.0, 0.0),
        |s| s.contacts[1].memory.gap = f64::NAN,
        |s| s.contacts[1].memory.impulse.linear.x = f64::INFINITY,
        |s| s.contacts[1] = s.contacts[0],
        |s| s.contacts.swap(0, 1),
    ];
    let mut simulation = Simulation::new(space(), settings()).unwrap();
    for _ in 0..5 {
        simulation.step().unwrap();
    }
    let snapshot = simulation.snapshot();
    assert!(snapshot.contacts.len() > 2);
    for (number, change) in cases.into_iter().enumerate() {
        let mut bad = snapshot.clone();
        change(&mut bad);
        match Simulation::restore(bad).err() {
            Some(SetupError::World {
                item: Item::Contact(1),
                ..
            }) => {}
            other => panic!("case {number}: {other:?}"),
        }
    }
    for bad in [f64::NAN, -1.0] {
        let last_step = Snapshot {
            last_step: bad,
            ..snapshot.clone()
        };
        let allowed = Snapshot {
            allowed: bad,
            ..snapshot.clone()
        };
        for snapshot in [last_step, allowed] {
            let item = match Simulation::restore(snapshot).err() {
                Some(SetupError::World { item, .. }) => item,
                other => panic!("{other:?}"),
            };
            assert_eq!(item, Item::LastStep);
        }
    }
    assert!(Simulation::restore(snapshot).is_ok());
}

#[test]
fn impulses_beyond_all_scale_end_in_an_error() {
    // Warm starts are scaled by the length of the last step: one that short makes velocities whose
    // squares overflow, and orientations that are no numbers.
    let law = Law::Coulomb(Friction::sliding(0.5));
    let mut simulation = Simulation::new(world(Dimension::Plane, law), settings()).unwrap();
    for _ in 0..3 {
        simulation.step().unwrap();
    }
    let snapshot = Snapshot {
        last_step: 1e-300,
        ..simulation.snapshot()
    };
    let mut restored = Simulation::restore(snapshot).unwrap();
    let error = restored.step().unwrap_err();
    assert!(matches!(error, StepError::NotFinite { .. }), "{error}");
    assert!(all_finite(&restored));
}

#[test]
fn a_step_after_the_end_says_so_and_changes_nothing() {
    let mut simulation =
        Simulation::new(space(), Settings::new(StepSize::Fixed(0.01), 0.025)).unwrap();
    while !simulation.finished() {
        simulation.step().unwrap();
    }
    let before = simulation.snapshot();
    assert_eq!(before.world.steps, 3);
    let error = simulation.step().unwrap_err();
    assert_eq!(error, StepError::Finished { end: 0.025 });
    assert!(error.to_string().contains("0.025 s"), "{error}");
    assert_eq!(simulation.snapshot(), before);
}

#[test]
fn a_world_that_starts_later_goes_on_from_there() {
    let mut late = space();
    late.time = 5.0;
    let mut simulation = Simulation::new(late, settings()).unwrap();
    let report = simulation.step().unwrap();
    assert!((report.time - 5.01).abs() < 1e-12, "{}", report.time);
}

#[test]
fn bodies_and_contacts_are_found_by_id_after_they_changed_places() {
    // A row that is turned round by its own motion: the first becomes the last.
    let mut world = World::new(Dimension::Space);
    let count = 12;
    for k in 0..count {
        let x = f64::from((7 * k) % count);
        let mut sphere = Sphere::new(DVec3::new(x, 0.0, 0.0), 0.4, 1.0 + f64::from(k));
        sphere.velocity = DVec3::new(0.2 * f64::from(k % 2), 0.0, 0.0);
        assert_eq!(world.add_sphere(&sphere), k as u32);
    }
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(
        floor,
        0.4 * DVec3::NEG_Z,
        DVec3::Z,
        Motion::Fixed,
    ));
    world.gravity = -9.81 * DVec3::Z;
    let mut simulation = Simulation::new(world, settings()).unwrap();
    for _ in 0..150 {
        simulation.step().unwrap();
    }
    let bodies = &simulation.world().bodies;
    assert!(!bodies.id.is_sorted(), "they changed places");
    let places = bodies.places();
    assert_eq!(places.len(), count as usize);
    for (id, place) in places.iter().enumerate() {
        let place = *place as usize;
        assert_eq!(bodies.id[place], id as u32);
        // The mass tells who it is.
        assert_eq!(bodies.mass[place], 1.0 + id as f64);
    }
    let mut on_the_floor = Vec::new();
    for contact in simulation.contacts() {
        let (a, b) = simulation.contact_ids(&contact);
        let center = |id: u32| bodies.position[places[id as usize] as usize];
        match b {
            Some(b) => {
                let apart = center(a) - center(b);
                assert!(apart.length() < 1.0 && apart.normalize().dot(contact.normal) > 0.99);
            }
            None => {
                let weight = 9.81 * 0.01 * (1.0 + f64::from(a));
                assert!((contact.normal_impulse() / weight - 1.0).abs() < 1e-3);
                on_the_floor.push(a);
            }
        }
    }
    on_the_floor.sort_unstable();
    assert_eq!(on_the_floor, (0..count as u32).collect::<Vec<_>>());
}
