//! Bodies that come and go.

use granule::bodies::{Dimension, Motion, RigidBody, Sphere, Wall};
use granule::exchange::{Inlet, Matter, OnExit, Outlet, Rate, What, Zone};
use granule::joints::{Joint, Kind};
use granule::law::{Friction, Law, LawTable};
use granule::math::{DQuat, DVec3, Distribution};
use granule::shapes::{BoxContainer, HalfSpace, Hull, Plate, Region, Solid, Surface};
use granule::simulation::{Settings, Simulation, StepError, StepSize, World};

const DOWN: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn spheres() -> What {
    What::Spheres {
        radius: Distribution::Uniform([8e-3, 12e-3]),
        matter: Matter::Density(2500.0),
    }
}

fn above() -> Region {
    Region::cuboid(DVec3::new(-0.05, -0.05, 0.20), DVec3::new(0.05, 0.05, 0.26))
}

/// Grains that come down fast enough to make room for the next.
fn falling(what: What, rate: Rate) -> Inlet {
    Inlet {
        velocity: DVec3::new(0.0, 0.0, -2.0),
        ..Inlet::new(above(), what, rate)
    }
}

/// Grains rain on a floor from which they run off and fall out of the world.
fn rain(rate: Rate) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = DOWN;
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.3)));
    let floor = Surface::Plate(Plate {
        width: 0.2,
        height: 0.2,
    });
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world.inlets.push(falling(spheres(), rate));
    let below = Zone::Beyond {
        point: DVec3::new(0.0, 0.0, -0.3),
        direction: -DVec3::Z,
    };
    world.outlets.push(Outlet::new(below, OnExit::Remove));
    world
}

fn simulate(world: World, step: f64, end: f64) -> Simulation {
    Simulation::new(world, Settings::new(StepSize::Fixed(step), end)).unwrap()
}

/// The deepest overlap of two bodies, m.
fn deepest(world: &World) -> f64 {
    let bodies = &world.bodies;
    let mut deepest: f64 = 0.0;
    for i in 0..bodies.len() {
        for j in 0..i {
            let distance = bodies.position[i].distance(bodies.position[j]);
            deepest = deepest.max(bodies.radius[i] + bodies.radius[j] - distance);
        }
    }
    deepest
}

#[test]
fn what_comes_is_there_or_has_left() {
    let mut simulation = simulate(rain(Rate::Number(600.0)), 2e-3, 1.5);
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified);
        let world = simulation.world();
        let (inlet, outlet) = (&world.inlets[0].poured, &world.outlets[0].gone);
        assert_eq!(inlet.count, world.bodies.len() as u64 + outlet.count);
        assert_eq!(report.exchanged.bodies, world.bodies.len());
        let mass: f64 = world.bodies.mass.iter().sum();
        assert!((inlet.mass - mass - outlet.mass).abs() < 1e-12 * inlet.mass);
        assert!(deepest(world) < 1e-4, "{}", deepest(world));
    }
    let world = simulation.world();
    assert!(world.outlets[0].gone.count > 100, "{:?}", world.outlets);
    // The k-th is due at k / 600 s, and there was room.
    assert_eq!(world.inlets[0].poured.count, 899);
    assert_eq!(world.inlets[0].poured.waits, 0);
    // Ids are given once.
    let mut ids = world.bodies.id.clone();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), world.bodies.len());
    assert_eq!(world.bodies.next_id, 899);
    let radii = world.bodies.radius.iter();
    let mean = radii.sum::<f64>() / world.bodies.len() as f64;
    assert!((mean - 10e-3).abs() < 5e-4, "{mean}");
}

#[test]
fn a_rate_of_mass_is_kept_and_ends_with_the_total() {
    let mut world = rain(Rate::Mass(2.0));
    world.inlets[0].start = 0.1;
    world.inlets[0].most = 1.0;
    let mut simulation = simulate(world, 2e-3, 0.8);
    let heaviest = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 12e-3_f64.powi(3);
    while !simulation.finished() {
        let time = simulation.world().time;
        simulation.step().unwrap();
        let mass = simulation.world().inlets[0].poured.mass;
        let due = (2.0 * (time - 0.1)).clamp(0.0, 1.0);
        assert!(
            (0.0..=heaviest).contains(&(mass - due)),
            "{time} {mass} {due}"
        );
    }
}

#[test]
fn grains_wait_where_there_is_no_room_and_never_overlap_walls() {
    // A closed box that holds a few dozen of them, and a pipe into it that stays full.
    let mut world = World::new(Dimension::Space);
    world.gravity = DOWN;
    let container = Surface::Box(BoxContainer::closed([0.1; 3]));
    world.add_wall(Wall::new(container, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let inside = Region::cuboid(DVec3::splat(-0.06), DVec3::splat(0.06));
    world
        .inlets
        .push(Inlet::new(inside, spheres(), Rate::Number(5000.0)));
    let mut simulation = simulate(world, 1e-3, 0.2);
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certificate.max_penetration < 1e-4, "{report:?}");
        for (place, radius) in simulation
            .world()
            .bodies
            .position
            .iter()
            .zip(&simulation.world().bodies.radius)
        {
            let left = 0.05 - place.abs().max_element() - radius;
            // Inside or outside of the thin shell, never in it.
            assert!(left > -1e-4 || left < -1.9 * radius, "{place} {radius}");
        }
    }
    let poured = simulation.world().inlets[0].poured;
    assert!(
        poured.waits > 100 && poured.count > 30 && poured.count < 400,
        "{poured:?}"
    );
}

#[test]
fn threads_and_snapshots_change_no_bit() {
    let run = |threads: usize, cut: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut simulation = simulate(rain(Rate::Number(900.0)), 2e-3, 1.0);
            while !simulation.finished() {
                simulation.step().unwrap();
                if cut && simulation.world().steps.is_multiple_of(97) {
                    simulation = Simulation::restore(simulation.snapshot()).unwrap();
                }
            }
            let world = simulation.world();
            assert!(world.outlets[0].gone.count > 50 && world.inlets[0].poured.count > 700);
            (
                world.bodies.state_hash(),
                world.inlets.clone(),
                world.outlets.clone(),
            )
        })
    };
    let whole = run(1, false);
    assert_eq!(run(3, false), whole);
    assert_eq!(run(2, true), whole);
}

#[test]
fn what_rests_elsewhere_is_not_disturbed() {
    // A pyramid at rest with friction needs the impulses of the last step; they survive that others come and go.
    let pile = |with_rain: bool| {
        let mut world = rain(Rate::Number(500.0));
        if !with_rain {
            world.inlets.clear();
        }
        let floor = Surface::HalfSpace(HalfSpace);
        let place = DVec3::new(0.0, 0.0, -0.5);
        world.add_wall(Wall::new(floor, place, DVec3::Z, Motion::Fixed));
        let far = DVec3::new(2.0, 0.0, -0.5);
        let r = 0.05;
        for k in 0..4 {
            let across = DVec3::new(r * f64::from(k % 2 * 2), r * f64::from(k / 2 * 2), r);
            world.add_sphere(&Sphere::new(far + across, r, 1.0));
        }
        let top = DVec3::new(r, r, r + r * 2.0_f64.sqrt());
        world.add_sphere(&Sphere::new(far + top, r, 1.0));
        world.outlets[0].zone = Zone::Within(Region::cuboid(
            DVec3::new(-0.5, -0.5, -0.6),
            DVec3::new(0.5, 0.5, -0.35),
        ));
        let mut simulation = simulate(world, 2e-3, 0.6);
        while !simulation.finished() {
            assert!(simulation.step().unwrap().certified);
        }
        let world = simulation.world();
        let place = |id| world.bodies.position[world.bodies.place_of(id).unwrap()];
        (0..5).map(place).collect::<Vec<DVec3>>()
    };
    for (with, without) in pile(true).iter().zip(pile(false)) {
        assert!(with.distance(without) < 1e-5, "{with} {without}");
    }
}

#[test]
fn solids_are_poured_turned_as_asked() {
    for orientation in [None, Some(DQuat::IDENTITY)] {
        let mut world = World::new(Dimension::Space);
        world.gravity = DOWN;
        let brick = Solid::from(Hull::cuboid(DVec3::new(0.02, 0.01, 0.005)));
        let shape = world.add_shape(brick);
        let what = What::Solids {
            kinds: vec![(shape, 0.02)],
            orientation,
        };
        world.inlets.push(falling(what, Rate::Number(50.0)));
        let mut simulation = simulate(world, 2e-3, 0.4);
        while !simulation.finished() {
            assert!(simulation.step().unwrap().certified);
        }
        let bodies = &simulation.world().bodies;
        assert_eq!(bodies.len(), 20);
        let aligned = |q: &DQuat| q.angle_between(DQuat::IDENTITY) < 1e-9;
        assert_eq!(
            bodies.orientation.iter().all(aligned),
            orientation.is_some()
        );
        assert!(bodies.mass.iter().all(|mass| *mass == 0.02));
    }
}

#[test]
fn what_is_held_stays_and_bounds_can_warn_or_stop() {
    let world = |on_exit| {
        let mut world = World::new(Dimension::Space);
        world.gravity = DOWN;
        world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 1.0));
        let held = world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, -2.0), 0.1, 1.0));
        let (ends, at) = ([Some(held), None], DVec3::new(0.0, 0.0, -2.0));
        let joint = Joint::at(Kind::Fixed, &world.bodies, ends, at, DVec3::Z);
        world.joints.push(joint);
        let carrier = RigidBody::new(DVec3::new(0.0, 0.0, -3.0), 1.0, DVec3::ONE);
        world.add_body(&carrier);
        let bounds = Region::cuboid(DVec3::splat(-1.0), DVec3::splat(1.0));
        world
            .outlets
            .push(Outlet::new(Zone::Outside(bounds), on_exit));
        simulate(world, 0.01, 0.6)
    };
    let all = |mut simulation: Simulation| -> Result<Simulation, StepError> {
        while !simulation.finished() {
            simulation.step()?;
        }
        Ok(simulation)
    };
    let removed = all(world(OnExit::Remove)).unwrap();
    assert_eq!(removed.world().outlets[0].gone.count, 1);
    assert_eq!(removed.world().bodies.by_id().id, [1, 2]);
    let warned = all(world(OnExit::Warn)).unwrap();
    assert_eq!(warned.world().outlets[0].gone.count, 1);
    assert_eq!(warned.world().bodies.len(), 3);
    let Err(StepError::Left { id, time, .. }) = all(world(OnExit::Stop)) else {
        panic!("it left")
    };
    // ½ g t² = 1 m after 0.4515 s.
    assert_eq!(id, 0);
    assert!((0.44..0.48).contains(&time), "{time}");
}

#[test]
fn a_plane_has_inlets_too() {
    let mut world = World::new(Dimension::Plane);
    world.gravity = DVec3::new(0.0, -9.81, 0.0);
    let what = What::Spheres {
        radius: Distribution::Constant(0.01),
        matter: Matter::AreaDensity(10.0),
    };
    let region = Region::disk(DVec3::Y, 0.2);
    world
        .inlets
        .push(Inlet::new(region, what, Rate::Number(200.0)));
    let mut simulation = simulate(world, 5e-3, 0.5);
    while !simulation.finished() {
        assert!(simulation.step().unwrap().certified);
    }
    let bodies = &simulation.world().bodies;
    assert_eq!(bodies.len(), 100);
    assert!(bodies.position.iter().all(|place| place.z == 0.0));
    // A disk: J = ½ m r².
    assert!((bodies.inertia[0].z - 0.5 * bodies.mass[0] * 1e-4).abs() < 1e-18);
}

#[test]
fn bad_inlets_are_refused_with_a_reason() {
    let refused = |change: &dyn Fn(&mut Inlet)| {
        let mut world = rain(Rate::Number(10.0));
        change(&mut world.inlets[0]);
        let made = Simulation::new(world, Settings::new(StepSize::Fixed(1e-3), 1.0));
        made.err().expect("refused").to_string()
    };
    type Change<'a> = &'a dyn Fn(&mut Inlet);
    let cases: [(Change<'_>, &str); 6] = [
        (
            &|inlet| inlet.rate = Rate::Number(-1.0),
            "rate must be positive",
        ),
        (
            &|inlet| inlet.rate = Rate::Mass(f64::NAN),
            "rate must be positive",
        ),
        (&|inlet| inlet.end = -1.0, "before it opens"),
        (
            &|inlet| inlet.region = Region::cuboid(DVec3::ONE, DVec3::ZERO),
            "region is empty",
        ),
        (
            &|inlet| inlet.velocity.x = f64::INFINITY,
            "velocities must be finite",
        ),
        (
            &|inlet| {
                inlet.what = What::Solids {
                    kinds: vec![(3, 1.0)],
                    orientation: None,
                }
            },
            "shapes that the world has",
        ),
    ];
    for (change, reason) in cases {
        let told = refused(change);
        assert!(told.contains("inlet 0") && told.contains(reason), "{told}");
    }
}
