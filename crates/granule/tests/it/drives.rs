//! Forces on joints, walls that hold a stress, and friction of ball joints, against closed forms.

use granule::bodies::{Dimension, Motion, RigidBody, Sphere, TimeFunction, Wall};
use granule::joints::{Along, Effect, Joint, Kind};
use granule::law::{Elasticity, Interface, Law, LawTable};
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

fn simulation(world: World, scheme: SchemeName) -> Simulation {
    let mut settings = Settings::new(StepSize::Fixed(1e-3), 1e9);
    settings.scheme = SchemeConfig {
        name: scheme,
        ..SchemeConfig::default()
    };
    settings.solver.tolerance = 1e-9;
    Simulation::new(world, settings).unwrap()
}

/// A body of 2 kg on a slider along x, pushed.
fn pushed(target: TimeFunction, fastest: Option<f64>) -> World {
    let mut world = World::new(Dimension::Space);
    let id = world.add_body(&RigidBody::new(DVec3::ZERO, 2.0, DVec3::ONE));
    let ends = [Some(id), None];
    let slider = Joint::at(Kind::Slider, &world.bodies, ends, DVec3::ZERO, DVec3::X);
    world.joints.push(slider.with(
        Along::Slide,
        Effect::Force {
            target,
            fastest,
            spans: Vec::new(),
        },
    ));
    world
}

#[test]
fn a_force_that_rises_gives_its_integral() {
    let ramp = TimeFunction::Linear {
        times: vec![0.0, 0.1],
        values: vec![0.0, 10.0],
    };
    for scheme in SCHEMES {
        let mut simulation = simulation(pushed(ramp.clone(), None), scheme);
        let mut work = 0.0;
        for _ in 0..200 {
            let report = simulation.step().unwrap();
            assert!(report.certified);
            work += report.energy.work_of_forces;
        }
        // ½ 0.1 s 10 N and 0.1 s 10 N over 2 kg; velocities of `shake` and `rattle` are those half a step earlier.
        let late = match scheme {
            SchemeName::Maury | SchemeName::MoreauJean => 0.0,
            SchemeName::Shake | SchemeName::Rattle => 0.5e-3 * 10.0 / 2.0,
        };
        let (speed, expected) = (simulation.world().bodies.velocity[0].x, 0.75 - late);
        assert!((speed - expected).abs() < 1e-12, "{scheme:?} {speed}");
        assert!((work - 0.5 * 2.0 * speed * speed).abs() < 1e-12);
        let load = &simulation.joint_loads()[0];
        assert!((load.drives[0] - 10.0).abs() < 1e-12);
        assert!((load.force.x - 10.0).abs() < 1e-9);
    }
}

#[test]
fn a_force_drives_no_faster_than_allowed() {
    for scheme in SCHEMES {
        for side in [1.0, -1.0] {
            let world = pushed(TimeFunction::Constant(side * 50.0), Some(0.3));
            let mut simulation = simulation(world, scheme);
            for _ in 0..100 {
                assert!(simulation.step().unwrap().certified);
            }
            let speed = simulation.world().bodies.velocity[0].x;
            assert!((speed - side * 0.3).abs() < 1e-9, "{scheme:?} {speed}");
        }
    }
}

/// Numbers of the walls of [`under_stress`].
const LID: u32 = 1;

/// A sphere with springs on a floor under a lid that holds a stress on the area between two pairs of walls, 0.2 m and
/// 0.3 m apart.
fn under_stress(stress: f64) -> World {
    let mut world = World::new(Dimension::Space);
    let springs = Interface {
        elasticity: Elasticity {
            damping: 5e-3,
            ..Elasticity::springs(1e5, 1e5)
        },
        ..Law::Frictionless.into()
    };
    world.laws = LawTable::uniform(springs);
    world.add_sphere(&Sphere::new(0.1 * DVec3::Z, 0.1, 1.0));
    let lid = world.add_body(&RigidBody::new(0.2 * DVec3::Z, 1.0, DVec3::splat(0.1)));
    let wall = |at: DVec3, normal: DVec3| {
        Wall::new(Surface::HalfSpace(HalfSpace), at, normal, Motion::Fixed)
    };
    world.add_wall(wall(DVec3::ZERO, DVec3::Z));
    let plate = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::on_body(plate, lid, DVec3::ZERO, -DVec3::Z));
    for (at, normal) in [
        (-0.12 * DVec3::X, DVec3::X),
        (0.18 * DVec3::X, -DVec3::X),
        (-0.11 * DVec3::Y, DVec3::Y),
        (0.12 * DVec3::Y, -DVec3::Y),
    ] {
        world.add_wall(wall(at, normal));
    }
    let ends = [Some(lid), None];
    let slider = Joint::at(Kind::Slider, &world.bodies, ends, 0.2 * DVec3::Z, -DVec3::Z);
    world.joints.push(slider.with(
        Along::Slide,
        Effect::Force {
            target: TimeFunction::Constant(stress),
            fastest: None,
            spans: vec![[2, 3], [4, 5]],
        },
    ));
    world
}

#[test]
fn a_lid_holds_its_stress_on_the_area_that_walls_span() {
    let stress = 1e3;
    let mut simulation = simulation(under_stress(stress), SchemeName::Maury);
    for _ in 0..2000 {
        assert!(simulation.step().unwrap().certified);
    }
    let force = stress * 0.3 * 0.23;
    let load = simulation.wall_loads()[LID as usize].force.z;
    assert!((load - force).abs() < 1e-6 * force, "{load} {force}");
    // Two contacts in a row, each of 1e5 N/m.
    let sunk = simulation.joint_loads()[0].coordinates[0];
    assert!((sunk - 2.0 * force / 1e5).abs() < 1e-7, "{sunk}");
}

#[test]
fn friction_in_a_ball_joint_stops_each_turn_by_itself_and_then_holds() {
    for scheme in SCHEMES {
        let mut world = World::new(Dimension::Space);
        let mut body = RigidBody::new(DVec3::ZERO, 1.0, DVec3::splat(0.5));
        body.angular_velocity = 2.0 * DVec3::X;
        let id = world.add_body(&body);
        let ends = [Some(id), None];
        let ball = Joint::at(Kind::Ball, &world.bodies, ends, DVec3::ZERO, DVec3::Z);
        let friction = Effect::Friction { strength: 4.0 };
        world.joints.push(ball.with(Along::Swivel, friction));
        let mut simulation = simulation(world, scheme);
        for _ in 0..100 {
            assert!(simulation.step().unwrap().certified);
        }
        // 4 N m over 0.5 kg m² for 0.1 s.
        let spin = simulation.world().bodies.angular_velocity[0];
        assert!((spin - 1.2 * DVec3::X).length() < 1e-9, "{scheme:?} {spin}");
        for _ in 0..200 {
            assert!(simulation.step().unwrap().certified);
        }
        let spin = simulation.world().bodies.angular_velocity[0];
        assert!(spin.length() < 1e-9, "{scheme:?} {spin}");
    }
}

#[test]
fn forces_on_what_has_no_angle_and_spans_to_nowhere_are_refused() {
    let mut world = pushed(TimeFunction::Constant(1.0), None);
    if let Effect::Force { spans, .. } = &mut world.joints[0].drives[0].effect {
        spans.push([0, 7]);
    }
    let told = world.validate().unwrap_err().to_string();
    assert!(told.contains("spans to wall 0"), "{told}");
    let mut world = pushed(TimeFunction::Constant(1.0), Some(-1.0));
    let told = world.validate().unwrap_err().to_string();
    assert!(told.contains("`fastest` must be above zero"), "{told}");
    world.joints[0].kind = Kind::Ball;
    world.joints[0].drives[0].along = Along::Swivel;
    let told = world.validate().unwrap_err().to_string();
    assert!(told.contains("friction alone"), "{told}");
}
