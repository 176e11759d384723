//! Joints, motors, springs and stops in steps: against closed forms, over many steps, with every scheme.

use granule::bodies::{Dimension, Motion, RigidBody, Sphere, TimeFunction, Wall};
use granule::cases::chain;
use granule::joints::{Along, Anchor, Effect, Joint, Kind};
use granule::law::{Friction, Law, LawTable};
use granule::math::{DQuat, DVec3};
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepReport, StepSize, World};
use granule::solver::{Method, SolverConfig};

const SCHEMES: [SchemeName; 4] = [
    SchemeName::Maury,
    SchemeName::MoreauJean,
    SchemeName::Shake,
    SchemeName::Rattle,
];

fn settings(scheme: SchemeName, step: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), 1e9);
    settings.scheme = SchemeConfig {
        name: scheme,
        ..SchemeConfig::default()
    };
    settings.solver = SolverConfig {
        tolerance: 1e-9,
        ..SolverConfig::named(Method::Ags)
    };
    settings
}

fn run(simulation: &mut Simulation, steps: usize, mut look: impl FnMut(&StepReport)) {
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
        look(&report);
    }
}

fn empty(gravity: DVec3) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = gravity;
    world
}

/// A rod of 1 kg and 1 m along x from `from` on, of thickness zero but for a little about its own axis.
fn rod(from: DVec3, mass: f64) -> RigidBody {
    let across = mass / 12.0;
    RigidBody::new(
        from + 0.5 * DVec3::X,
        mass,
        DVec3::new(0.01 * across, across, across),
    )
}

/// The angle of a pendulum that starts at rest at a right angle, after a quarter of a second: rod of 1 m about its end,
/// φ'' = -(3/2) g cos φ … from the horizontal; by a fine Runge-Kutta method of this test.
fn pendulum_angle(time: f64) -> f64 {
    let steps = 20_000;
    let h = time / steps as f64;
    let slope = |phi: f64| -1.5 * 9.81 * phi.cos();
    let (mut phi, mut rate) = (0.0, 0.0);
    for _ in 0..steps {
        let (k1, l1) = (rate, slope(phi));
        let (k2, l2) = (rate + 0.5 * h * l1, slope(phi + 0.5 * h * k1));
        let (k3, l3) = (rate + 0.5 * h * l2, slope(phi + 0.5 * h * k2));
        let (k4, l4) = (rate + h * l3, slope(phi + h * k3));
        phi += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        rate += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    phi
}

/// The error (rad) of the pendulum with steps of this length. Velocities of `shake` and `rattle` are those half a step
/// earlier, so they start there.
fn pendulum_error(scheme: SchemeName, step: f64) -> f64 {
    let mut world = chain(1, 1.0, DVec3::X);
    if matches!(scheme, SchemeName::Shake | SchemeName::Rattle) {
        let rate = 1.5 * 9.81 * 0.5 * step;
        world.bodies.angular_velocity[0] = -rate * DVec3::Y;
        world.bodies.velocity[0] = 0.5 * rate * DVec3::Z;
    }
    let mut simulation = Simulation::new(world, settings(scheme, step)).unwrap();
    let time = 0.25;
    run(&mut simulation, (time / step).round() as usize, |report| {
        assert!(report.joint_error < 1e-9, "{scheme:?} {report:?}");
    });
    let center = simulation.world().bodies.position[0];
    assert!((center.length() - 0.5).abs() < 1e-9);
    (f64::atan2(center.z, center.x) - pendulum_angle(time)).abs()
}

#[test]
fn schemes_keep_their_order_on_a_pendulum() {
    // `moreau-jean` holds the velocity at the end of the step with the geometry of its middle: first order.
    for (scheme, order) in SCHEMES.into_iter().zip([1.0, 1.0, 2.0, 2.0]) {
        let errors = [2.5e-3, 1.25e-3].map(|step| pendulum_error(scheme, step));
        let found = (errors[0] / errors[1]).log2();
        assert!(
            (found - order).abs() < 0.15,
            "{scheme:?}: {found}, {errors:?}"
        );
    }
}

/// 64 grains in a heap, and beside them a pendulum of this mass (kg).
fn grains_beside_a_pendulum(mass: f64) -> World {
    let mut world = empty(-9.81 * DVec3::Z);
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.4)));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    for k in 0..64 {
        let place = DVec3::new((k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64);
        let center = place * 0.0101 + DVec3::new(0.002 * place.z, 0.001 * place.z, 0.005);
        world.add_sphere(&Sphere::new(center, 0.005, 1e-3));
    }
    let id = world.add_body(&rod(DVec3::new(1.0, 0.0, 2.0), mass));
    let end = DVec3::new(1.0, 0.0, 2.0);
    let hinge = Joint::at(Kind::Hinge, &world.bodies, [Some(id), None], end, DVec3::Y);
    world.joints.push(hinge);
    world
}

#[test]
fn a_heavy_machine_hides_no_error_of_grains_from_the_solver() {
    // Certificates beyond the one that ends a solve, over all steps. The solver asks for one when it takes its work for
    // done: what a machine carries must not make it believe that of grains that it is far from having solved.
    let in_vain = |mass: f64| {
        let settings = Settings {
            solver: SolverConfig {
                tolerance: 1e-4,
                ..SolverConfig::named(Method::Ags)
            },
            ..settings(SchemeName::Maury, 2e-3)
        };
        let mut simulation = Simulation::new(grains_beside_a_pendulum(mass), settings).unwrap();
        let mut count = 0;
        run(&mut simulation, 100, |report| {
            count += report.applications - report.iterations;
        });
        count
    };
    let [light, heavy] = [1e-3, 1e5].map(in_vain);
    assert!(4 * heavy < 5 * light, "{heavy} beside {light}");
}

/// A wheel of 2 kg m² on a hinge along z, with what acts on it.
fn wheel(drive: Effect) -> World {
    let mut world = empty(DVec3::ZERO);
    let id = world.add_body(&RigidBody::new(DVec3::ZERO, 1.0, DVec3::new(1.0, 1.0, 2.0)));
    let hinge = Joint::at(
        Kind::Hinge,
        &world.bodies,
        [Some(id), None],
        DVec3::ZERO,
        DVec3::Z,
    );
    world.joints.push(hinge.with(Along::Turn, drive));
    world
}

fn after(world: World, scheme: SchemeName, step: f64, steps: usize) -> Simulation {
    let mut simulation = Simulation::new(world, settings(scheme, step)).unwrap();
    run(&mut simulation, steps, |_| {});
    simulation
}

#[test]
fn motors_reach_their_speed_with_the_torque_they_have() {
    for scheme in SCHEMES {
        let target = TimeFunction::Constant(5.0);
        let weak = Effect::Speed {
            target: target.clone(),
            strength: Some(4.0),
        };
        // 4 N m on 2 kg m² make 2 rad/s² : 1 rad/s after half a second, 5 after 2.5 and ever after.
        let simulation = after(wheel(weak.clone()), scheme, 1e-2, 50);
        let rate = |s: &Simulation| s.world().bodies.angular_velocity[0].z;
        assert!((rate(&simulation) - 1.0).abs() < 1e-9, "{scheme:?}");
        assert!((simulation.joint_loads()[0].drives[0] - 4.0).abs() < 1e-9);
        let simulation = after(wheel(weak), scheme, 1e-2, 300);
        assert!((rate(&simulation) - 5.0).abs() < 1e-9, "{scheme:?}");
        let strong = Effect::Speed {
            target,
            strength: None,
        };
        let simulation = after(wheel(strong), scheme, 1e-2, 100);
        assert!((rate(&simulation) - 5.0).abs() < 1e-9, "{scheme:?}");
        // 5 rad in a second, less than a turn; and whole turns are counted.
        let turned = simulation.joint_states()[0].turn;
        assert!((turned - 5.0).abs() < 0.06, "{scheme:?} {turned}");
        let position = Effect::Position {
            target: TimeFunction::Constant(0.9),
            strength: Some(1e6),
        };
        let simulation = after(wheel(position), scheme, 1e-2, 400);
        let turned = simulation.joint_states()[0].turn;
        assert!((turned - 0.9).abs() < 1e-6, "{scheme:?} {turned}");
    }
}

#[test]
fn brakes_stops_and_springs() {
    for scheme in SCHEMES {
        // 3 rad/s against 2 N m: 1 rad/s² until it stops after three seconds, 4.5 rad on.
        let mut world = wheel(Effect::Friction { strength: 2.0 });
        world.bodies.angular_velocity[0] = 3.0 * DVec3::Z;
        let simulation = after(world, scheme, 1e-3, 3500);
        let turned = simulation.joint_states()[0].turn;
        assert!((turned - 4.5).abs() < 5e-3, "{scheme:?} {turned}");
        assert!(simulation.world().bodies.angular_velocity[0].length() < 1e-9);

        let mut world = wheel(Effect::Limits {
            least: None,
            most: Some(1.0),
        });
        world.bodies.angular_velocity[0] = 3.0 * DVec3::Z;
        let simulation = after(world, scheme, 1e-3, 1000);
        let turned = simulation.joint_states()[0].turn;
        assert!((turned - 1.0).abs() < 5e-3, "{scheme:?} {turned}");
        assert!(simulation.world().bodies.angular_velocity[0].length() < 1e-9);

        // However stiff: at rest a spring is where its torque says, here at zero torque at its rest.
        for stiffness in [1e2, 1e8] {
            let spring = Effect::Spring {
                stiffness,
                damping: 2.0 * (stiffness * 2.0).sqrt(),
                rest: TimeFunction::Constant(0.5),
            };
            let simulation = after(wheel(spring), scheme, 1e-2, 500);
            let turned = simulation.joint_states()[0].turn;
            assert!(
                (turned - 0.5).abs() < 1e-6,
                "{scheme:?} {stiffness} {turned}"
            );
        }
    }
    // An undamped spring: period 2π √(J/K) = 2 s, to first order in the step.
    let stiffness = 2.0 * std::f64::consts::PI.powi(2);
    let spring = Effect::Spring {
        stiffness,
        damping: 0.0,
        rest: TimeFunction::Constant(0.1),
    };
    let errors = [2e-3, 1e-3].map(|step| {
        let simulation = after(
            wheel(spring.clone()),
            SchemeName::Maury,
            step,
            (1.0 / step) as usize,
        );
        (simulation.joint_states()[0].turn - 0.2).abs()
    });
    assert!(
        errors[1] < 2e-3 && (errors[0] / errors[1] - 2.0).abs() < 0.1,
        "{errors:?}"
    );
}

#[test]
fn sliders_ropes_gears_and_fixed_joints() {
    let g = 9.81;
    // A slider along a line of 30°: g sin 30° down it.
    let mut world = empty(-g * DVec3::Z);
    let id = world.add_body(&RigidBody::new(DVec3::ZERO, 2.0, DVec3::ONE));
    let axis = DVec3::new(3f64.sqrt() / 2.0, 0.0, -0.5);
    let ends = [Some(id), None];
    world.joints.push(Joint::at(
        Kind::Slider,
        &world.bodies,
        ends,
        DVec3::new(0.3, 0.2, 0.1),
        axis,
    ));
    let simulation = after(world, SchemeName::Maury, 1e-3, 1000);
    let bodies = &simulation.world().bodies;
    assert!((bodies.velocity[0] - 0.5 * g * axis).length() < 1e-6);
    assert!(bodies.angular_velocity[0].length() < 1e-8);

    // A rope of 1 m: slack for a while, then it holds.
    let mut world = empty(-g * DVec3::Z);
    let ball = world.add_sphere(&Sphere::new(-0.5 * DVec3::Z, 0.1, 2.0));
    let frames = [-0.5 * DVec3::Z, DVec3::ZERO].map(|point| Anchor::along(point, DVec3::Z));
    let rope = Joint::between(Kind::Link, &world.bodies, [Some(ball), None], frames);
    world.joints.push(rope.with(
        Along::Length,
        Effect::Limits {
            least: None,
            most: Some(1.0),
        },
    ));
    let simulation = after(world, SchemeName::Maury, 1e-3, 1000);
    assert!((simulation.world().bodies.position[0].z + 1.0).abs() < 1e-8);
    assert!((simulation.joint_loads()[0].force.z - 2.0 * g).abs() < 1e-5);

    // Two wheels in gear, 1 : 3, one of them driven.
    let mut world = empty(DVec3::ZERO);
    let inertia = DVec3::splat(1.0);
    let a = world.add_body(&RigidBody::new(DVec3::ZERO, 1.0, inertia));
    let b = world.add_body(&RigidBody::new(DVec3::X, 1.0, inertia));
    for (id, at) in [(a, DVec3::ZERO), (b, DVec3::X)] {
        let hinge = Joint::at(Kind::Hinge, &world.bodies, [Some(id), None], at, DVec3::Z);
        world.joints.push(hinge);
    }
    let motor = Effect::Speed {
        target: TimeFunction::Constant(6.0),
        strength: Some(5.0),
    };
    world.joints[0] = world.joints[0].clone().with(Along::Turn, motor);
    let gear = Joint::at(
        Kind::Gear { ratio: 3.0 },
        &world.bodies,
        [Some(a), Some(b)],
        DVec3::ZERO,
        DVec3::Z,
    );
    world.joints.push(gear);
    let mut simulation = Simulation::new(world, settings(SchemeName::Maury, 1e-3)).unwrap();
    run(&mut simulation, 100, |_| {});
    // 5 N m on 1 + 1/9 kg m² for a tenth of a second.
    let spins = &simulation.world().bodies.angular_velocity;
    let expected = 0.5 / (1.0 + 1.0 / 9.0);
    assert!((spins[0].z - expected).abs() < 1e-8, "{spins:?}");
    run(&mut simulation, 4000, |_| {});
    let states = simulation.joint_states();
    assert!(
        (states[0].turn + 3.0 * states[1].turn).abs() < 1e-8,
        "{states:?}"
    );

    // A beam fixed to the ground carries its weight and moment, until that is too much.
    for (limit, breaks) in [(50.0, false), (40.0, true)] {
        let mut world = empty(-g * DVec3::Z);
        let id = world.add_body(&rod(DVec3::ZERO, 9.0));
        let ends = [Some(id), None];
        let mut joint = Joint::at(Kind::Fixed, &world.bodies, ends, DVec3::ZERO, DVec3::X);
        joint.break_torque = Some(limit);
        world.joints.push(joint);
        let simulation = after(world, SchemeName::Maury, 1e-3, 10);
        assert_eq!(simulation.joint_states()[0].broken, breaks);
        if !breaks {
            let load = &simulation.joint_loads()[0];
            // 9 kg at half a metre: 44.1 N m.
            assert!((load.torque.length() - 4.5 * g).abs() < 1e-6, "{load:?}");
            assert!(
                (load.force - 9.0 * g * DVec3::Z).length() < 1e-6,
                "{load:?}"
            );
        }
    }
}

#[test]
fn a_cardan_shaft_turns_as_the_textbook_says() {
    // Shafts along x and along 30° to it: tan φ_b = tan φ_a / cos 30°.
    let bend = std::f64::consts::FRAC_PI_6;
    let other = DVec3::new(bend.cos(), bend.sin(), 0.0);
    let mut world = empty(DVec3::ZERO);
    let a = world.add_body(&RigidBody::new(-DVec3::X, 1.0, DVec3::ONE));
    let b = world.add_body(&RigidBody::new(other, 1.0, DVec3::ONE));
    let motor = Effect::Speed {
        target: TimeFunction::Constant(1.0),
        strength: None,
    };
    let hinge = Joint::at(
        Kind::Hinge,
        &world.bodies,
        [Some(a), None],
        -DVec3::X,
        DVec3::X,
    );
    world.joints.push(hinge.with(Along::Turn, motor));
    // The cross holds one end of the second shaft, a bearing the other.
    let ends = [Some(b), None];
    let bearing = Joint::at(Kind::PointOnLine, &world.bodies, ends, 2.0 * other, other);
    world.joints.push(bearing);
    // The cross has one arm along z on a, and one square to it and to b on b.
    let arm = |x: DVec3, y: DVec3| Anchor {
        position: DVec3::ZERO,
        orientation: DQuat::from_mat3(&granule::math::DMat3::from_cols(x, y, x.cross(y))),
    };
    let on_b = DVec3::Z.cross(other).normalize();
    let frames = [arm(DVec3::Z, DVec3::X), arm(other, on_b)];
    let cross = Joint::between(Kind::Universal, &world.bodies, [Some(a), Some(b)], frames);
    world.joints.push(cross);
    let mut simulation = Simulation::new(world, settings(SchemeName::Maury, 1e-3)).unwrap();
    for _ in 0..12 {
        run(&mut simulation, 500, |report| {
            assert!(report.joint_error < 1e-8)
        });
        let [first, second] = [0, 1].map(|k| {
            let turn = simulation.world().bodies.orientation[k];
            let (axis, from) = [(DVec3::X, DVec3::Z), (other, DVec3::Z)][k];
            let to = turn * from;
            f64::atan2(axis.dot(from.cross(to)), from.dot(to))
        });
        // The arm along z of the driving shaft lies in the plane of both at first.
        let expected = f64::atan2(first.sin() * bend.cos(), first.cos());
        let apart = (second - expected).sin().abs();
        assert!(apart < 1e-7, "{first} {second} {expected}");
    }
}

#[test]
fn jointed_bodies_meet_grains_and_not_each_other() {
    // A pendulum of two overlapping spheres hits a third, exact friction, on a floor.
    let mut world = empty(-9.81 * DVec3::Z);
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.5)));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let a = world.add_sphere(&Sphere::new(DVec3::new(-0.5, 0.0, 0.8), 0.1, 1.0));
    let b = world.add_sphere(&Sphere::new(DVec3::new(-0.65, 0.0, 0.8), 0.1, 1.0));
    world.add_sphere(&Sphere::new(DVec3::new(0.1, 0.0, 0.1), 0.1, 1.0));
    let pivot = DVec3::new(0.0, 0.0, 0.8);
    let joints = [
        (Kind::Ball, [Some(a), None], pivot),
        (
            Kind::Fixed,
            [Some(b), Some(a)],
            DVec3::new(-0.575, 0.0, 0.8),
        ),
    ];
    for (kind, ends, at) in joints {
        let joint = Joint::at(kind, &world.bodies, ends, at, DVec3::Y);
        world.joints.push(joint);
    }
    let mut settings = settings(SchemeName::Maury, 1e-3);
    settings.solver.tolerance = 1e-6;
    let mut simulation = Simulation::new(world, settings).unwrap();
    run(&mut simulation, 1500, |report| {
        assert!(report.joint_error < 1e-6, "{}", report.joint_error);
        assert!(report.certificate.max_penetration < 1e-6);
    });
    let places = simulation.world().bodies.places();
    let at = |id: usize| simulation.world().bodies.position[places[id] as usize];
    assert!(at(2).x > 0.15, "{}", at(2));
    assert!((at(0).distance(at(1)) - 0.15).abs() < 1e-6);
}

#[test]
fn a_restart_gives_the_same_bits() {
    let start = || {
        let mut world = chain(5, 3.0, DVec3::X);
        let limits = Effect::Limits {
            least: Some(-0.5),
            most: Some(0.5),
        };
        let id = world.bodies.id[4];
        let frames =
            [5.0 * DVec3::X, DVec3::new(5.0, 0.0, 1.0)].map(|p| Anchor::along(p, DVec3::Z));
        let spring = Joint::between(Kind::Link, &world.bodies, [Some(id), None], frames);
        world.joints.push(spring.with(
            Along::Length,
            Effect::Spring {
                stiffness: 100.0,
                damping: 1.0,
                rest: TimeFunction::Constant(0.9),
            },
        ));
        let hinge = Joint::at(
            Kind::Hinge,
            &world.bodies,
            [Some(world.bodies.id[0]), None],
            DVec3::ZERO,
            DVec3::Y,
        );
        world.joints[0] = hinge.with(Along::Turn, limits);
        world
    };
    for scheme in SCHEMES {
        let mut whole = Simulation::new(start(), settings(scheme, 1e-3)).unwrap();
        run(&mut whole, 150, |_| {});
        let mut first = Simulation::new(start(), settings(scheme, 1e-3)).unwrap();
        run(&mut first, 70, |_| {});
        let mut second = Simulation::restore(first.snapshot()).unwrap();
        run(&mut second, 80, |_| {});
        assert_eq!(whole.snapshot(), second.snapshot(), "{scheme:?}");
    }
}

#[test]
fn joints_that_make_no_sense_are_refused() {
    let world = || {
        let mut world = empty(DVec3::ZERO);
        let id = world.add_body(&RigidBody::new(DVec3::ZERO, 1.0, DVec3::ONE));
        let joint = Joint::at(
            Kind::Hinge,
            &world.bodies,
            [Some(id), None],
            DVec3::ZERO,
            DVec3::Z,
        );
        (world, joint)
    };
    let refused = |change: &dyn Fn(&mut Joint)| {
        let (mut world, mut joint) = world();
        change(&mut joint);
        world.joints.push(joint);
        world.validate().unwrap_err().to_string()
    };
    let no_id = refused(&|joint| joint.bodies[0] = Some(7));
    assert_eq!(no_id, "joint 0: body 7 is not there");
    let itself = refused(&|joint| joint.bodies[0] = None);
    assert!(itself.contains("joins a body to itself"), "{itself}");
    let nan = refused(&|joint| joint.anchors[0].position.x = f64::NAN);
    assert!(nan.contains("not a finite place"), "{nan}");
    let slide = refused(&|joint| {
        *joint = joint
            .clone()
            .with(Along::Slide, Effect::Friction { strength: 1.0 });
    });
    assert!(slide.contains("has no coordinate slide"), "{slide}");
    let length = refused(&|joint| joint.kind = Kind::Distance { length: -1.0 });
    assert!(length.contains("`length` must be above zero"), "{length}");
}
