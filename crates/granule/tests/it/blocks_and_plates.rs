//! Blocks and plates: a sphere slides over an edge, is carried and is pushed as mechanics says, and
//! walls feel what bodies exert on them.

use crate::random_worlds::precise;
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases;
use granule::law::{Friction, Interface, Law, LawTable};
use granule::math::{DQuat, DVec3};
use granule::shapes::{Block, HalfSpace, Plate, Surface};
use granule::simulation::{Settings, Simulation, WallLoad, World};

const GRAVITY: f64 = 9.81;

fn space() -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -GRAVITY);
    world
}

fn block(size: [f64; 3], position: DVec3, motion: Motion) -> Wall {
    Wall::new(Surface::Block(Block { size }), position, DVec3::Z, motion)
}

fn moving(velocity: DVec3) -> Motion {
    Motion::Velocity {
        linear: velocity.to_array(),
    }
}

fn coulomb(friction: f64) -> LawTable {
    LawTable::uniform(Law::Coulomb(Friction::sliding(friction)))
}

fn run(world: World, h: f64, end: f64, mut each: impl FnMut(&Simulation)) -> Simulation {
    let mut settings: Settings = precise(h);
    settings.end = end;
    let mut simulation = Simulation::new(world, settings).unwrap();
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified);
        each(&simulation);
    }
    simulation
}

/// How near two vectors are, relative to the longer one.
fn difference(a: DVec3, b: DVec3) -> f64 {
    a.distance(b) / a.length().max(b.length())
}

#[test]
fn a_sphere_slides_over_the_edge_of_a_block_as_over_a_cylinder() {
    // From a face round an edge: while it is on the edge the centre goes on a circle of its radius
    // about the edge, and it leaves it where cos θ = 2/3 + v²/(3 g r).
    let (radius, speed) = (0.1, 0.3);
    for turned in [0.0, 0.7] {
        let mut world = space();
        let mut wall = block([1.0, 1.0, 0.4], DVec3::new(-0.5, 0.0, -0.2), Motion::Fixed);
        // Any block turned about the vertical has the same upper edge at x = 0 for this sphere.
        let turn = DQuat::from_rotation_z(turned);
        wall.kinematics.start_position = turn * wall.kinematics.start_position;
        wall.kinematics.start_orientation = turn;
        world.add_wall(wall);
        world.lock_rotation = true;
        let mut sphere = Sphere::new(turn * DVec3::new(-0.05, 0.0, radius), radius, 2.0);
        sphere.velocity = turn * DVec3::new(speed, 0.0, 0.0);
        world.add_sphere(&sphere);
        let (mut left, mut before) = (None, 0);
        run(world, 1e-4, 0.5, |simulation| {
            let place = turn.conjugate() * simulation.world().bodies.position[0];
            let loaded = simulation
                .contacts()
                .filter(|contact| contact.normal_impulse() > 0.0)
                .count();
            assert!(loaded <= 1, "one contact with a block");
            assert!(place.y.abs() < 1e-9);
            if loaded == 1 && place.x > 0.0 {
                let distance = place.x.hypot(place.z);
                assert!((distance - radius).abs() < 1e-4, "{distance}");
            }
            if loaded == 0 && before == 1 && left.is_none() {
                left = Some(place.z / place.x.hypot(place.z));
            }
            before = loaded;
        });
        let exact = 2.0 / 3.0 + speed * speed / (3.0 * GRAVITY * radius);
        let left = left.expect("it leaves the edge");
        assert!((left - exact).abs() < 5e-3, "{left} for {exact}");
    }
}

#[test]
fn a_sphere_at_rest_is_carried_by_a_block_and_pressed_by_its_lift() {
    let velocity = DVec3::new(0.4, -0.2, 0.3);
    let mass = 3.0;
    let mut world = space();
    world.lock_rotation = true;
    world.laws = coulomb(0.8);
    world.add_wall(block(
        [0.5, 0.5, 0.2],
        DVec3::new(0.0, 0.0, -0.1),
        moving(velocity),
    ));
    world.add_sphere(&Sphere::new(DVec3::new(0.1, -0.05, 0.1), 0.1, mass));
    let mut steps = 0;
    let end = run(world, 0.01, 1.0, |simulation| {
        steps += 1;
        let load = simulation.wall_loads()[0];
        // The first steps bring it to the speed of the block, within the cone of friction.
        if steps > 20 {
            let weight = DVec3::new(0.0, 0.0, -mass * GRAVITY);
            assert!(difference(load.force, weight) < 1e-6, "{}", load.force);
            let bodies = &simulation.world().bodies;
            assert!(bodies.velocity[0].distance(velocity) < 1e-8);
        }
    });
    let height = end.world().bodies.position[0].z - 0.3;
    assert!((height - 0.1).abs() < 1e-8, "{height}");
}

#[test]
fn pushing_a_sphere_takes_the_impulse_that_gives_it_the_speed_of_the_block() {
    let (h, speed, mass, radius) = (0.01, 0.7, 2.5, 0.05);
    let side = DVec3::new(1.0, 2.0, -0.5).normalize();
    for turned in [false, true] {
        let mut world = World::new(Dimension::Space);
        let direction = if turned { side } else { DVec3::X };
        let mut wall = block([0.2, 0.4, 0.6], DVec3::ZERO, moving(speed * direction));
        wall.kinematics.start_orientation = DQuat::from_rotation_arc(DVec3::X, direction);
        world.add_wall(wall);
        let lever = wall_frame(direction) * DVec3::new(0.0, 0.12, -0.2);
        let start = (0.1 + radius + 0.0305) * direction + lever;
        world.add_sphere(&Sphere::new(start, radius, mass));
        let (mut impulse, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        let end = run(world, h, 0.2, |simulation| {
            let WallLoad {
                force,
                torque: moment,
            } = simulation.wall_loads()[0];
            impulse += h * force;
            torque += h * moment;
        });
        // The reaction to the momentum that the sphere has got.
        let exact = -mass * speed * direction;
        assert!(difference(impulse, exact) < 1e-9, "{impulse} for {exact}");
        assert!(difference(torque, lever.cross(exact)) < 1e-9, "{torque}");
        let velocity = end.world().bodies.velocity[0];
        assert!(difference(velocity, speed * direction) < 1e-9);
    }
}

/// Turns x into a direction.
fn wall_frame(direction: DVec3) -> DQuat {
    DQuat::from_rotation_arc(DVec3::X, direction)
}

#[test]
fn a_block_that_pushes_a_sphere_along_the_floor_feels_its_friction() {
    // A sphere that does not turn is pushed along a rough floor by a smooth face.
    let (mass, radius, friction, speed, h) = (1.5, 0.1, 0.4, 0.5, 0.01);
    let mut world = space();
    world.lock_rotation = true;
    let smooth = Interface::from(Law::Frictionless);
    world.laws = LawTable {
        pairs: vec![(0, 1, smooth)],
        ..coulomb(friction)
    };
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let middle = DVec3::new(-0.1, 0.0, 0.5);
    let mut pusher = block([0.2, 1.0, 1.0], middle, moving(speed * DVec3::X));
    pusher.material = 1;
    world.add_wall(pusher);
    world.add_sphere(&Sphere::new(DVec3::new(radius, 0.2, radius), radius, mass));
    let end = run(world, h, 1.0, |_| {});
    let [floor, pusher] = end.wall_loads()[..] else {
        panic!("two walls")
    };
    let weight = mass * GRAVITY;
    let draft = DVec3::new(-friction * weight, 0.0, 0.0);
    assert!(difference(pusher.force, draft) < 1e-8, "{}", pusher.force);
    let pressed = DVec3::new(friction * weight, 0.0, -weight);
    assert!(difference(floor.force, pressed) < 1e-8, "{}", floor.force);
    // About the block's middle: the sphere touches its face at half the width of the block.
    let arm = DVec3::new(0.1, 0.2, radius - 0.5);
    assert!(difference(pusher.torque, arm.cross(draft)) < 1e-8);
    // About the floor's position, from where the sphere was at the start of the step.
    let place = DVec3::new(radius + speed * (end.world().time - h), 0.2, 0.0);
    assert!(difference(floor.torque, place.cross(pressed)) < 1e-8);
}

#[test]
fn a_heap_at_rest_presses_the_floor_with_its_weight() {
    let (radius, density) = (0.05, 1000.0);
    let mut world = space();
    world.lock_rotation = true;
    world.laws = coulomb(0.5);
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let (mut mass, mut moment) = (0.0, DVec3::ZERO);
    for layer in 0..3 {
        for i in 0..3 - layer {
            for j in 0..3 - layer {
                let shift = f64::from(layer);
                let place = DVec3::new(
                    radius * (2.0 * f64::from(i) + shift),
                    radius * (2.0 * f64::from(j) + shift),
                    radius * (1.0 + shift * 2f64.sqrt()),
                );
                let own = density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
                world.add_sphere(&Sphere::new(place, radius, own));
                mass += own;
                moment += place.cross(DVec3::new(0.0, 0.0, -own * GRAVITY));
            }
        }
    }
    let mut settings = precise(0.005);
    settings.end = 0.5;
    let mut simulation = Simulation::new(world, settings).unwrap();
    let mut last = None;
    while !simulation.finished() {
        last = Some(simulation.step().unwrap());
    }
    let report = last.unwrap();
    let load = simulation.wall_loads()[0];
    let weight = DVec3::new(0.0, 0.0, -mass * GRAVITY);
    // The certificate bounds velocities: over a step, mass times it is what impulses may be off.
    let certified = mass * report.certificate.residual / report.step_size;
    let allowed = 10.0 * certified + 1e-6 * weight.length();
    assert!(load.force.distance(weight) < allowed, "{}", load.force);
    assert!(difference(load.torque, moment) < 1e-4, "{}", load.torque);
}

#[test]
fn rolling_friction_turns_the_wall_the_other_way() {
    let (radius, rolling) = (0.1, 2e-3);
    let mut world = space();
    let friction = Friction {
        sliding: 0.5,
        rolling,
        spinning: 0.0,
    };
    world.laws = LawTable::uniform(Law::Coulomb(friction));
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mut sphere = Sphere::new(DVec3::new(0.0, 0.0, radius), radius, 2.0);
    sphere.velocity = DVec3::X;
    sphere.angular_velocity = DVec3::new(0.0, 1.0 / radius, 0.0);
    world.add_sphere(&sphere);
    let end = run(world, 0.01, 0.3, |_| {});
    // About the point of contact the floor feels the moment of rolling friction alone.
    let before = end.world().bodies.position[0] - 0.01 * end.world().bodies.velocity[0];
    let load = end.wall_loads()[0];
    let own = load.torque - before.with_z(0.0).cross(load.force);
    let exact = DVec3::new(0.0, rolling * 2.0 * GRAVITY, 0.0);
    assert!(difference(own, exact) < 1e-6, "{own} for {exact}");
}

#[test]
fn a_plate_holds_from_both_sides_and_at_its_rim() {
    let mut world = space();
    let plate = Surface::Plate(Plate {
        width: 1.0,
        height: 0.5,
    });
    world.add_wall(Wall::new(plate, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    // One lies on it, one hangs on nothing below it, one stands on its rim.
    world.add_sphere(&Sphere::new(DVec3::new(0.3, -0.1, 0.1), 0.1, 1.0));
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, -0.1), 0.1, 1.0));
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.25, 0.3), 0.1, 1.0));
    let end = run(world, 0.005, 0.5, |_| {});
    let bodies = &end.world().bodies;
    let place = |id: u32| bodies.position[bodies.id.iter().position(|i| *i == id).unwrap()];
    assert!((place(0).z - 0.1).abs() < 1e-8);
    assert!(place(1).z < -1.0, "it falls freely");
    assert!(
        place(2).z > 0.0 && (place(2).z - 0.1).abs() < 1e-8,
        "{}",
        place(2)
    );
}

#[test]
fn a_fast_block_leaves_no_sphere_behind_or_inside() {
    for motion in [
        moving(DVec3::new(6.0, 0.0, 0.0)),
        Motion::Rotation {
            axis: [0.0, 0.0, 1.0],
            rate: 4.0,
            center: None,
        },
    ] {
        let mut world = World::new(Dimension::Space);
        let wall = block([0.2, 1.6, 1.0], DVec3::ZERO, motion.clone());
        world.add_wall(wall);
        for k in 0..40 {
            let angle = 2.4 * f64::from(k);
            let reach = 0.25 + 0.018 * f64::from(k);
            let height = 0.9 * (f64::from(k * 7 % 40) / 40.0 - 0.5);
            let place = DVec3::new(reach * angle.cos(), reach * angle.sin(), height);
            if place.x.abs() > 0.17 || place.y.abs() > 0.9 {
                world.add_sphere(&Sphere::new(place, 0.05, 1.0));
            }
        }
        let turning = matches!(motion, Motion::Rotation { .. });
        let h = 0.02;
        let mut deepest = 0.0_f64;
        run(world, h, 0.4, |simulation| {
            let world = simulation.world();
            let wall = &world.walls[0];
            let (position, turn) = wall.kinematics.pose(world.time);
            for (place, radius) in world.bodies.position.iter().zip(&world.bodies.radius) {
                let local = turn.conjugate() * (*place - position);
                let near = wall.patches[0].closest_point(local);
                deepest = deepest.max(radius - near.distance);
            }
        });
        // A translation is linear: exact. A turn is taken along the tangent; what that misses is
        // of the order of the arm times the square of the angle.
        let allowed = if turning {
            0.8 * (4.0 * h) * (4.0 * h)
        } else {
            1e-9
        };
        assert!(deepest < allowed, "{motion:?}: {deepest}");
    }
}

#[test]
fn a_list_kept_while_a_block_moves_gives_the_contacts_of_a_fresh_one() {
    for speed in [0.02, 0.3] {
        let mut world = cases::box_drop(5, 3);
        world.gravity = DVec3::new(0.4, 0.2, -1.0);
        world.add_wall(block(
            [0.5, 4.0, 6.0],
            DVec3::new(-0.25, 3.0, 3.0),
            moving(speed * DVec3::X),
        ));
        let mut kept = Simulation::new(world, precise(0.03)).unwrap();
        for _ in 0..40 {
            // A simulation restored from a snapshot has no list yet.
            let mut fresh = Simulation::restore(kept.snapshot()).unwrap();
            kept.step().unwrap();
            fresh.step().unwrap();
            assert!(kept.contacts().eq(fresh.contacts()));
        }
        let builds = kept.neighbour_builds();
        assert!(builds < 35, "{speed} m/s: built {builds} times in 40 steps");
    }
}
