//! Walls that a body carries are as free as the body: a plate has a mass, turns, and is held up by grains.

use granule::bodies::{Dimension, Motion, RigidBody, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::{DMat3, DQuat, DVec3};
use granule::measure;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{Block, HalfSpace, Plate, Surface, TriangleMesh};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::sync::Arc;

const SCHEMES: [SchemeName; 4] = [
    SchemeName::Maury,
    SchemeName::MoreauJean,
    SchemeName::Shake,
    SchemeName::Rattle,
];

fn settings(scheme: SchemeName, step: f64, end: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), end);
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver.tolerance = 1e-10;
    settings
}

fn square(width: f64) -> Surface {
    Surface::Plate(Plate {
        width,
        height: width,
    })
}

/// A body with a square plate of 1 m through its centre, and its id.
fn add_plate(world: &mut World, body: &RigidBody) -> u32 {
    let id = world.add_body(body);
    world.add_wall(Wall::on_body(square(1.0), id, DVec3::ZERO, DVec3::Z));
    id
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
fn an_impact_beside_the_centre_of_a_free_plate_is_that_of_the_textbook() {
    for scheme in SCHEMES {
        let mut world = World::new(Dimension::Space);
        let inertia = DVec3::new(0.3, 0.2, 0.5);
        let (mass, plate_mass, arm) = (0.7, 2.0, DVec3::new(0.3, 0.2, 0.0));
        let plate = add_plate(
            &mut world,
            &RigidBody::new(DVec3::ZERO, plate_mass, inertia),
        );
        let mut ball = Sphere::new(arm + 0.1 * DVec3::Z, 0.1, mass);
        ball.velocity = -2.0 * DVec3::Z;
        let ball = world.add_sphere(&ball);
        let mut simulation = Simulation::new(world, settings(scheme, 1e-3, 1.0)).unwrap();
        let report = simulation.step().unwrap();
        assert!(
            report.certified && report.contacts == 1,
            "{scheme:?} {report:?}"
        );

        // A frictionless inelastic impact: both points go on with the same normal velocity.
        let moment = arm.cross(DVec3::Z);
        let ease = 1.0 / mass + 1.0 / plate_mass + moment.dot(moment / inertia);
        let impulse = 2.0 / ease;
        let bodies = simulation.world().bodies.by_id();
        let (plate, ball) = (plate as usize, ball as usize);
        // The second problem of `rattle` is that of the end of the step, where the plate has turned.
        let error = if scheme == SchemeName::Rattle {
            5e-3
        } else {
            1e-8
        };
        let close = |a: DVec3, b: DVec3| (a - b).length() < error;
        let up = impulse * DVec3::Z;
        assert!(
            close(bodies.velocity[ball], up / mass - 2.0 * DVec3::Z),
            "{scheme:?}"
        );
        assert!(
            close(bodies.velocity[plate], -up / plate_mass),
            "{scheme:?}"
        );
        let spin = -impulse * moment / inertia;
        assert!(close(bodies.angular_velocity[plate], spin), "{scheme:?}");
        assert_eq!(bodies.angular_velocity[ball], DVec3::ZERO);
    }
}

/// Balls that fly against a tumbling plate from both sides, with friction and resistance to rolling.
fn tumbling() -> World {
    let mut world = World::new(Dimension::Space);
    world.laws = LawTable::uniform(Law::Coulomb(Friction {
        sliding: 0.6,
        rolling: 0.02,
        spinning: 0.01,
    }));
    let mut body = RigidBody::new(DVec3::ZERO, 1.5, DVec3::new(0.2, 0.3, 0.4));
    body.orientation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.3);
    body.angular_velocity = DVec3::new(0.2, -0.4, 0.3);
    add_plate(&mut world, &body);
    for k in 0..6 {
        let angle = f64::from(k);
        let place = DVec3::new(0.3 * angle.cos(), 0.3 * angle.sin(), 0.0);
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let height = side * (0.2 + 0.02 * angle);
        let mut ball = Sphere::new(body.orientation * (place + height * DVec3::Z), 0.08, 0.4);
        ball.velocity = -side * DVec3::new(0.1 * angle, 0.3, 1.5);
        ball.angular_velocity = DVec3::new(1.0, angle, -2.0);
        world.add_sphere(&ball);
    }
    world
}

/// How far momentum and angular momentum drift in 0.2 s with steps of this length; on the way the account of
/// energy is held to balance.
fn drift(scheme: SchemeName, step: f64) -> [f64; 2] {
    let world = tumbling();
    let (momentum, angular) = momenta(&world);
    let mut simulation = Simulation::new(world, settings(scheme, step, 0.2)).unwrap();
    let mut met = 0;
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{scheme:?} {report:?}");
        met += report.active;
        let energy = &report.energy;
        let turned_over = energy.turned_over.max(report.kinetic_energy);
        let balanced = energy.remainder.abs() <= 1e-12 * turned_over;
        assert!(balanced, "{scheme:?} {energy:?}");
    }
    assert!(met > 0, "nothing met the plate under {scheme:?}");
    let (momentum_after, angular_after) = momenta(simulation.world());
    [
        (momentum_after - momentum).length(),
        (angular_after - angular).length(),
    ]
}

#[test]
fn momentum_angular_momentum_and_energy_are_kept_account_of() {
    for scheme in SCHEMES {
        let [momentum, coarse] = drift(scheme, 2e-3);
        assert!(momentum < 1e-12, "{scheme:?}");
        // Contacts keep the angular momentum; what is lost is the scheme's own, of first order in the step.
        let [_, fine] = drift(scheme, 2.5e-4);
        assert!(fine < 0.25 * coarse, "{scheme:?}: {coarse} and {fine}");
    }
}

/// A table of 5 kg that stands on four grains.
fn table(law: Law) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    world.laws = LawTable::uniform(law);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let top = Surface::Block(Block {
        size: [1.0, 1.0, 0.1],
    });
    let body = RigidBody::new(0.26 * DVec3::Z, 5.0, DVec3::new(0.42, 0.42, 0.83));
    let id = world.add_body(&body);
    world.add_wall(Wall::on_body(top, id, DVec3::ZERO, DVec3::Z));
    for (x, y) in [(0.3, 0.3), (-0.3, 0.3), (0.3, -0.3), (-0.3, -0.3)] {
        world.add_sphere(&Sphere::new(DVec3::new(x, y, 0.1), 0.1, 1.0));
    }
    world
}

#[test]
fn a_table_stands_on_four_grains_with_its_whole_weight() {
    for scheme in SCHEMES {
        let law = match scheme {
            SchemeName::MoreauJean => Law::Coulomb(Friction::sliding(0.5)),
            _ => Law::CoulombConvex(Friction::sliding(0.5)),
        };
        for law in [law, Law::Frictionless] {
            let mut simulation = Simulation::new(table(law), settings(scheme, 2e-3, 0.6)).unwrap();
            let mut depth: f64 = 0.0;
            while !simulation.finished() {
                let report = simulation.step().unwrap();
                assert!(report.certified, "{scheme:?} {report:?}");
                depth = depth.max(report.certificate.max_penetration);
            }
            let loads = simulation.wall_loads();
            let (floor, top) = (loads[0].force, loads[1].force);
            assert!((floor.z + 9.0 * 9.81).abs() < 1e-5, "{scheme:?} {floor}");
            assert!((top.z - 5.0 * 9.81).abs() < 1e-5, "{scheme:?} {top}");
            let bodies = simulation.world().bodies.by_id();
            assert!((bodies.position[0].z - 0.25).abs() < 1e-4, "{scheme:?}");
            // At the level of velocities a contact is met by the way of a step, at 0.44 m/s.
            let limit = if scheme == SchemeName::MoreauJean {
                9e-4
            } else {
                1e-4
            };
            assert!(depth < limit, "{scheme:?} {law:?}: {depth}");
        }
    }
}

#[test]
fn an_overlap_with_a_free_plate_is_undone_without_velocity() {
    let mut world = World::new(Dimension::Space);
    add_plate(
        &mut world,
        &RigidBody::new(DVec3::ZERO, 2.0, DVec3::new(0.3, 0.2, 0.5)),
    );
    world.add_sphere(&Sphere::new(DVec3::new(0.3, 0.0, 0.08), 0.1, 0.7));
    let mut simulation = Simulation::new(world, settings(SchemeName::Maury, 1e-3, 1.0)).unwrap();
    let report = simulation.step().unwrap();
    assert!((report.recovered - 0.02).abs() < 1e-12);
    // The plate turns away while it is shifted, so that the gap is closed to second order.
    assert!(report.certificate.max_penetration < 5e-4, "{report:?}");
    assert_eq!(report.kinetic_energy, 0.0);
    let bodies = &simulation.world().bodies;
    let plate = bodies.place_of(0).unwrap();
    assert!(bodies.orientation[plate] != DQuat::IDENTITY);
}

#[test]
fn a_fast_plate_misses_no_grain() {
    // In one step the plate would pass through the grain and beyond.
    let mut world = World::new(Dimension::Space);
    let mut body = RigidBody::new(-0.5 * DVec3::Z, 2.0, DVec3::new(0.3, 0.2, 0.5));
    body.velocity = 40.0 * DVec3::Z;
    add_plate(&mut world, &body);
    world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 0.7));
    let mut simulation = Simulation::new(world, settings(SchemeName::Maury, 0.05, 1.0)).unwrap();
    let report = simulation.step().unwrap();
    assert!(report.certificate.max_penetration < 1e-9, "{report:?}");
    assert!(report.active == 1);
}

/// A plate as two triangles, carried by a free body, is hit and tumbles as the plate that is one rectangle.
#[test]
fn triangles_on_a_body_are_hit_as_a_plate_is() {
    let corner = |x: f64, y: f64| DVec3::new(0.5 * x, 0.5 * y, 0.0);
    let corners = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    let mesh = TriangleMesh::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let end = |surface: Surface| {
        let mut world = World::new(Dimension::Space);
        world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.4)));
        let inertia = DVec3::new(0.3, 0.2, 0.5);
        let plate = world.add_body(&RigidBody::new(DVec3::ZERO, 2.0, inertia));
        world.add_wall(Wall::on_body(surface, plate, DVec3::ZERO, DVec3::Z));
        // One on each side, off the edge that the triangles share.
        for (x, y, side) in [(0.3, 0.2, 1.0), (-0.1, 0.35, -1.0)] {
            let mut ball = Sphere::new(DVec3::new(x, y, 0.15 * side), 0.1, 0.7);
            ball.velocity = DVec3::new(0.4, -0.3, -2.0 * side);
            world.add_sphere(&ball);
        }
        let mut simulation =
            Simulation::new(world, settings(SchemeName::Maury, 1e-3, 1.0)).unwrap();
        let mut touched = 0;
        for _ in 0..200 {
            touched += simulation.step().unwrap().active;
        }
        assert!(touched >= 2, "{touched}");
        simulation.world().bodies.by_id()
    };
    let (one, two) = (end(square(1.0)), end(Surface::Mesh(Arc::new(mesh))));
    assert!(one.angular_velocity[0].length() > 0.5);
    for k in 0..3 {
        assert!((one.position[k] - two.position[k]).length() < 1e-9, "{k}");
        assert!((one.velocity[k] - two.velocity[k]).length() < 1e-8, "{k}");
        let spins = one.angular_velocity[k] - two.angular_velocity[k];
        assert!(spins.length() < 1e-8, "{k}");
    }
}

#[test]
fn a_run_that_is_stopped_and_restored_goes_on_with_the_same_bits() {
    let law = Law::Coulomb(Friction::sliding(0.4));
    let settings = settings(SchemeName::Maury, 2e-3, 0.4);
    let mut straight = Simulation::new(table(law), settings).unwrap();
    for _ in 0..60 {
        straight.step().unwrap();
    }
    let mut restored = Simulation::restore(straight.snapshot()).unwrap();
    for _ in 0..60 {
        assert_eq!(straight.step().unwrap(), restored.step().unwrap());
    }
    let hash = |simulation: &Simulation| simulation.world().bodies.state_hash();
    assert_eq!(hash(&straight), hash(&restored));
}

#[test]
fn walls_on_bodies_that_are_not_there_or_are_spheres_are_refused() {
    let refused = |world: World| {
        let settings = settings(SchemeName::Maury, 1e-3, 1.0);
        Simulation::new(world, settings).err().unwrap().to_string()
    };
    let mut world = World::new(Dimension::Space);
    let ball = world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 1.0));
    let mut lost = world.clone();
    lost.add_wall(Wall::on_body(square(1.0), 7, DVec3::ZERO, DVec3::Z));
    assert!(refused(lost).starts_with("wall 0: its carrier, body 7, is not there"));
    let mut on_ball = world.clone();
    on_ball.add_wall(Wall::on_body(square(1.0), ball, DVec3::ZERO, DVec3::Z));
    assert!(refused(on_ball).contains("has a shape of its own"));
    let mut line = World::new(Dimension::Line);
    line.add_body(&RigidBody::new(DVec3::ZERO, 1.0, DVec3::ONE));
    assert!(refused(line).contains("on a line"));
}
