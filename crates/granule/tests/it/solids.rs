//! Bodies that are no spheres: blocks on slopes and in stacks, impacts beside the centre, shapes that are spheres
//! in another guise, and shapes in a plane.

use granule::bodies::{Dimension, Motion, RigidBody, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::{DMat3, DQuat, DVec2, DVec3, Pose};
use granule::measure;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{Frustum, HalfSpace, Hull, Part, Solid, Superellipsoid, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};

const SCHEMES: [SchemeName; 4] = [
    SchemeName::Maury,
    SchemeName::MoreauJean,
    SchemeName::Shake,
    SchemeName::Rattle,
];

const GRAVITY: f64 = 9.81;

fn settings(scheme: SchemeName, step: f64, end: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), end);
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver.tolerance = 1e-10;
    settings
}

fn world_with_floor(friction: f64) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(friction)));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world
}

/// A block of these half lengths (m) and mass (kg), and its id.
fn add_block(world: &mut World, half: DVec3, position: DVec3, mass: f64) -> u32 {
    let solid = Solid::from(Hull::cuboid(half));
    let body = RigidBody::of_shape(&solid, position, mass);
    let shape = world.add_shape(solid);
    world.add_solid(&body, shape, 0)
}

/// Momentum and angular momentum about the origin, kg m/s and kg m²/s.
fn momenta(world: &World) -> (DVec3, DVec3) {
    let bodies = &world.bodies;
    let turning = (0..bodies.len()).map(|i| {
        let turn = DMat3::from_quat(bodies.orientation[i]);
        let spin = turn.transpose() * bodies.angular_velocity[i];
        let orbit = bodies.mass[i] * bodies.position[i].cross(bodies.velocity[i]);
        orbit + turn * (bodies.inertia[i] * spin)
    });
    (measure::momentum(bodies), turning.sum())
}

#[test]
fn a_block_on_a_slope_sticks_without_creep_if_friction_is_above_its_tangent() {
    let angle = 30_f64.to_radians();
    for size in [1.0, 0.1, 1e-3] {
        let mut world = world_with_floor(0.6);
        world.gravity = GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
        let half = 0.5 * size;
        add_block(&mut world, DVec3::splat(half), half * DVec3::Z, 1.0);
        let step = 1e-3 * size.sqrt();
        let mut simulation =
            Simulation::new(world, settings(SchemeName::Maury, step, 1.0)).unwrap();
        for _ in 0..300 {
            let report = simulation.step().unwrap();
            assert!(report.certified, "{report:?}");
        }
        let drift = simulation.world().bodies.position[0] - half * DVec3::Z;
        assert!(drift.length() < 1e-10 * size, "size {size}: {drift}");
    }
}

#[test]
fn a_block_on_a_slope_slides_with_what_friction_leaves() {
    let (angle, friction) = (30_f64.to_radians(), 0.3);
    for scheme in SCHEMES {
        let mut world = world_with_floor(friction);
        world.gravity = GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
        add_block(&mut world, DVec3::splat(0.05), 0.05 * DVec3::Z, 1.0);
        let mut simulation = Simulation::new(world, settings(scheme, 1e-3, 0.2)).unwrap();
        while !simulation.finished() {
            assert!(simulation.step().unwrap().certified);
        }
        let bodies = &simulation.world().bodies;
        let expected = 0.2 * GRAVITY * (angle.sin() - friction * angle.cos());
        let found = bodies.velocity[0].x;
        assert!(
            (found - expected).abs() < 1e-9,
            "{scheme:?}: {found}, not {expected}"
        );
        let lift = bodies.position[0].z - 0.05;
        assert!(lift.abs() < 1e-5, "{scheme:?}: {lift}");
        assert!(bodies.angular_velocity[0].length() < 1e-9, "{scheme:?}");
    }
}

#[test]
fn a_sliding_cube_stops_where_friction_has_taken_its_energy() {
    let mut world = world_with_floor(0.5);
    let cube = add_block(&mut world, DVec3::splat(0.05), 0.05 * DVec3::Z, 1.0) as usize;
    world.bodies.velocity[cube] = 6.0 * DVec3::X;
    let step = 1e-3;
    let mut simulation = Simulation::new(world, settings(SchemeName::Maury, step, 1.3)).unwrap();
    let mut highest: f64 = 0.0;
    while !simulation.finished() {
        assert!(simulation.step().unwrap().certified);
        highest = highest.max(simulation.world().bodies.position[cube].z - 0.05);
    }
    let way = simulation.world().bodies.position[cube].x;
    // The first step moves with the velocity at its end: half a step less than the parabola.
    let expected = 36.0 / (2.0 * 0.5 * GRAVITY) - 0.5 * step * 6.0;
    assert!(
        (way - expected).abs() < 2.0 * step * step * GRAVITY,
        "{way}, not {expected}"
    );
    assert!(highest < 1e-9, "{highest}");
}

#[test]
fn an_impact_of_two_boxes_beside_their_centres_keeps_momentum_and_angular_momentum() {
    for scheme in SCHEMES {
        let mut world = World::new(Dimension::Space);
        world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.4)));
        let one = add_block(&mut world, DVec3::new(0.3, 0.2, 0.1), DVec3::ZERO, 2.0) as usize;
        let two = add_block(
            &mut world,
            DVec3::new(0.1, 0.1, 0.2),
            DVec3::new(0.2, 0.1, 0.34),
            1.0,
        ) as usize;
        world.bodies.orientation[two] = DQuat::from_rotation_x(0.3);
        world.bodies.velocity[two] = DVec3::new(0.5, 0.0, -2.0);
        world.bodies.angular_velocity[one] = DVec3::new(0.0, 1.0, 0.5);
        let (before, turning) = momenta(&world);
        let mut simulation = Simulation::new(world, settings(scheme, 1e-4, 0.05)).unwrap();
        let mut touched = 0;
        while !simulation.finished() {
            let report = simulation.step().unwrap();
            assert!(report.certified, "{scheme:?} {report:?}");
            assert!(report.momentum_error < 1e-12);
            let account = report.energy;
            assert!(
                account.remainder.abs() <= 1e-11 * account.turned_over.max(1e-3),
                "{scheme:?} {account:?}"
            );
            touched += usize::from(report.active > 0);
        }
        assert!(touched > 0);
        let (after, turned) = momenta(simulation.world());
        assert!((after - before).length() < 1e-12, "{scheme:?}");
        // The midpoint rule for free rotation keeps it to second order in the step.
        assert!(
            (turned - turning).length() < 2e-3,
            "{scheme:?}: {turned} {turning}"
        );
    }
}

#[test]
fn a_sphere_in_another_guise_moves_as_a_sphere() {
    let radius = 0.1;
    let ball = Part {
        pose: Pose::IDENTITY,
        shape: Hull::ball(radius).into(),
    };
    let guises = [
        (
            "ellipsoid",
            Solid::from(Superellipsoid::ellipsoid(DVec3::splat(radius))),
        ),
        ("union", Solid::joined(vec![ball]).unwrap().0),
    ];
    let build = |guise: Option<&Solid>| {
        let mut world = world_with_floor(0.3);
        for k in 0..5 {
            let position = DVec3::new(
                0.05 * f64::from(k % 2),
                0.03 * f64::from(k % 3),
                0.3 + 0.25 * f64::from(k),
            );
            let velocity = DVec3::new(0.1, 0.2, -1.0);
            match guise {
                None => {
                    let mut sphere = Sphere::new(position, radius, 2.0);
                    sphere.velocity = velocity;
                    world.add_sphere(&sphere);
                }
                Some(solid) => {
                    let mut body = RigidBody::of_shape(solid, position, 2.0);
                    body.velocity = velocity;
                    let shape = world.add_shape(solid.clone());
                    world.add_solid(&body, shape, 0);
                }
            }
        }
        let mut settings = settings(SchemeName::Maury, 2e-3, 0.4);
        settings.solver.tolerance = 1e-12;
        let mut simulation = Simulation::new(world, settings).unwrap();
        while !simulation.finished() {
            assert!(simulation.step().unwrap().certified);
        }
        simulation.world().bodies.by_id()
    };
    let sphere = build(None);
    for (name, solid) in &guises {
        let other = build(Some(solid));
        for i in 0..sphere.len() {
            let away = (sphere.position[i] - other.position[i]).length();
            assert!(away < 1e-9, "{name} {i}: {away}");
            let spin = (sphere.angular_velocity[i] - other.angular_velocity[i]).length();
            assert!(spin < 1e-7, "{name} {i}: {spin}");
        }
    }
}

#[test]
fn a_heavy_block_on_light_ones_stands() {
    let mut world = world_with_floor(0.5);
    let half = DVec3::new(0.1, 0.1, 0.05);
    for k in 0..10 {
        let mass = if k == 9 { 1e4 } else { 1.0 };
        add_block(
            &mut world,
            half,
            DVec3::new(0.0, 0.0, 0.05 + 0.1 * f64::from(k)),
            mass,
        );
    }
    let mut settings = settings(SchemeName::Maury, 1e-3, 1.0);
    settings.solver.tolerance = 1e-9;
    let mut simulation = Simulation::new(world, settings).unwrap();
    for _ in 0..100 {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
        assert!(
            report.certificate.max_penetration < 1e-6 * 0.1,
            "{report:?}"
        );
    }
    let bodies = simulation.world().bodies.by_id();
    for (k, position) in bodies.position.iter().enumerate() {
        let expected = 0.05 + 0.1 * k as f64;
        assert!((position.z - expected).abs() < 1e-7, "{k}: {position}");
    }
}

#[test]
fn a_cylinder_rolls_down_a_slope_with_two_thirds_of_the_acceleration() {
    let angle = 10_f64.to_radians();
    let mut world = world_with_floor(0.5);
    world.gravity = GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
    let radius = 0.1;
    let cylinder = Solid::from(Frustum {
        bottom: -0.2,
        top: 0.2,
        bottom_radius: radius,
        top_radius: radius,
    });
    let mut body = RigidBody::of_shape(&cylinder, radius * DVec3::Z, 3.0);
    body.orientation = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let shape = world.add_shape(cylinder);
    world.add_solid(&body, shape, 0);
    let mut simulation = Simulation::new(world, settings(SchemeName::Maury, 1e-3, 0.5)).unwrap();
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
    }
    let bodies = &simulation.world().bodies;
    let expected = 0.5 * 2.0 / 3.0 * GRAVITY * angle.sin();
    let found = bodies.velocity[0].x;
    assert!(
        (found - expected).abs() < 2e-3 * expected,
        "{found}, not {expected}"
    );
    let spin = bodies.angular_velocity[0];
    assert!((radius * spin.y - found).abs() < 2e-3 * found, "{spin}");
    assert!((bodies.position[0].z - radius).abs() < 1e-4);
}

#[test]
fn solids_give_the_same_bits_after_a_restart_and_for_any_number_of_threads() {
    let build = || {
        let mut world = world_with_floor(0.4);
        for k in 0..12 {
            let x = 0.21 * f64::from(k % 3);
            let z = 0.12 + 0.25 * f64::from(k / 3);
            let id = add_block(
                &mut world,
                DVec3::new(0.1, 0.07, 0.05),
                DVec3::new(x, 0.01 * f64::from(k), z),
                1.0,
            );
            world.bodies.orientation[id as usize] = DQuat::from_rotation_y(0.3 * f64::from(k));
        }
        world
    };
    let run = |threads: usize, stop: Option<u64>| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut settings = settings(SchemeName::Maury, 2e-3, 0.4);
            settings.solver.tolerance = 1e-6;
            let mut simulation = Simulation::new(build(), settings).unwrap();
            while !simulation.finished() {
                simulation.step().unwrap();
                if Some(simulation.world().steps) == stop {
                    simulation = Simulation::restore(simulation.snapshot()).unwrap();
                }
            }
            simulation.world().bodies.state_hash()
        })
    };
    let hash = run(1, None);
    assert_eq!(hash, run(2, None));
    assert_eq!(hash, run(1, Some(103)));
}

#[test]
fn an_ellipse_rolls_in_its_plane_and_comes_to_rest_on_its_flat_side() {
    let mut world = World::new(Dimension::Plane);
    world.gravity = -GRAVITY * DVec3::Y;
    world.laws = LawTable::uniform(Law::Coulomb(Friction {
        sliding: 0.5,
        rolling: 1e-2,
        spinning: 0.0,
    }));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Y, Motion::Fixed));
    let ellipse = Solid::ellipse(DVec2::new(0.2, 0.1), 2.0).unwrap();
    let mut body = RigidBody::of_shape(&ellipse, 0.25 * DVec3::Y, 1.0);
    body.orientation = DQuat::from_rotation_z(1.2);
    let shape = world.add_shape(ellipse);
    world.add_solid(&body, shape, 0);
    let mut simulation = Simulation::new(world, settings(SchemeName::Maury, 2e-3, 12.0)).unwrap();
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
    }
    let bodies = &simulation.world().bodies;
    assert_eq!(bodies.position[0].z, 0.0);
    assert!(
        (bodies.position[0].y - 0.1).abs() < 2e-3,
        "{}",
        bodies.position[0]
    );
    assert!(bodies.velocity[0].length() < 5e-2, "{}", bodies.velocity[0]);
}

#[test]
fn a_long_rod_that_spins_meets_what_stands_in_its_way() {
    // Its middle stays where it is, far from the block that its end hits.
    for spin in [20.0, 200.0] {
        let mut world = World::new(Dimension::Space);
        let rod = Solid::from(Hull::segment(1.0, 0.02));
        let mut body = RigidBody::of_shape(&rod, DVec3::ZERO, 1.0);
        body.orientation = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        body.angular_velocity = spin * DVec3::Z;
        let shape = world.add_shape(rod);
        let rod = world.add_solid(&body, shape, 0);
        let block = add_block(
            &mut world,
            DVec3::splat(0.1),
            DVec3::new(0.6, 0.7, 0.0),
            1.0,
        );
        let mut simulation =
            Simulation::new(world, settings(SchemeName::Maury, 1e-3, 1.2 / spin)).unwrap();
        let mut deepest: f64 = 0.0;
        while !simulation.finished() {
            let report = simulation.step().unwrap();
            assert!(report.certified, "{report:?}");
            deepest = deepest.max(report.certificate.max_penetration);
        }
        let bodies = simulation.world().bodies.by_id();
        let struck = bodies.velocity[block as usize].length();
        assert!(struck > 0.1 * spin, "the rod went through: {struck}");
        assert!(bodies.angular_velocity[rod as usize].z < spin);
        // Points go on arcs where the linearised gap goes straight: R (h ω)²/2 a step.
        let arc = 0.5 * (1e-3 * spin) * (1e-3 * spin);
        assert!(deepest <= 2.0 * arc + 1e-9, "{deepest} {arc}");
    }
}
