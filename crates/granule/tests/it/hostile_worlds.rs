//! Whatever number stands at whatever place of a world or a snapshot: it is refused, or it can be stepped.

use crate::bad_worlds_are_refused::{settings, world};
use granule::bodies::{Dimension, Motion, TimeFunction, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::scheme::SchemeName;
use granule::shapes::{BoxContainer, Cone, Surface};
use granule::simulation::{Simulation, Snapshot, StepSize};
use granule::solver::OnFailure;
use proptest::prelude::*;

/// Numbers that nobody means.
const HOSTILE: [f64; 14] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    -1.0,
    1e308,
    -1e308,
    5e-324,
    1e-300,
    1e60,
    -1e60,
    1e-150,
    1e20,
];

/// Number of places of [`spoil`].
const FIELDS: usize = 32;

/// Puts a number at one of the places of a world and its settings that hold one.
fn spoil(snapshot: &mut Snapshot, field: usize, body: usize, axis: usize, x: f64) {
    let Snapshot {
        world,
        settings,
        contacts,
        ..
    } = snapshot;
    let bodies = &mut world.bodies;
    match field {
        0 => bodies.radius[body] = x,
        1 => bodies.mass[body] = x,
        2 => bodies.inertia[body] = DVec3::splat(x),
        3 => bodies.inertia[body][axis] = x,
        4 => bodies.position[body][axis] = x,
        5 => bodies.velocity[body][axis] = x,
        6 => bodies.angular_velocity[body][axis] = x,
        7 => bodies.orientation[body].x = x,
        8 => bodies.kinematics[0].start_position[axis] = x,
        9 => bodies.kinematics[0].start_orientation.w = x,
        10 => {
            let mut linear = [0.0; 3];
            linear[axis] = x;
            bodies.kinematics[0].motion = Motion::Velocity { linear };
        }
        11 => {
            let mut turn = [0.0, 0.0, 1.0];
            turn[axis] = x;
            bodies.kinematics[0].motion = Motion::Rotation {
                axis: turn,
                rate: 1.0,
                center: None,
            };
        }
        12 => world.walls[body % 2].kinematics.start_position[axis] = x,
        13 => {
            let mut amplitude = [0.0; 3];
            amplitude[axis] = x;
            world.walls[1].kinematics.motion = Motion::Oscillation {
                amplitude,
                frequency: 1.0,
                phase: 0.0,
            };
        }
        14 => {
            world.walls[1].kinematics.motion = Motion::Rotation {
                axis: [0.0, 0.0, 1.0],
                rate: x,
                center: Some([1.0, 0.0, 0.0]),
            };
        }
        15 => {
            let mut size = [3.0; 3];
            size[axis] = x;
            let shape = Surface::Box(BoxContainer::closed(size));
            world.walls[1] = Wall::new(shape, DVec3::Y, DVec3::Z, Motion::Fixed);
        }
        16 => {
            let shape = Surface::Cone(Cone {
                bottom_radius: x,
                top_radius: 1.0,
                length: 1.0,
                bottom: true,
                top: true,
            });
            world.walls[0] = Wall::new(shape, DVec3::ZERO, DVec3::Y, Motion::Fixed);
        }
        17 => world.forces[0].direction[axis] = x,
        18 => world.forces[0].magnitude = TimeFunction::Constant(x),
        19 => {
            world.forces[0].magnitude = TimeFunction::Sine {
                amplitude: 1.0,
                frequency: x,
                phase: 0.0,
            };
        }
        20 => {
            world.forces[0].magnitude = TimeFunction::Piecewise {
                times: vec![0.0, x],
                values: vec![1.0],
            };
        }
        21 => world.gravity[axis] = x,
        22 => world.time = x,
        23 => settings.step = StepSize::Fixed(x),
        24 => {
            settings.step = StepSize::Cfl {
                fraction: x,
                longest: 0.01,
            };
        }
        25 => {
            settings.step = StepSize::Cfl {
                fraction: 0.2,
                longest: x,
            };
        }
        26 => settings.end = x,
        27 => settings.candidate_distance = Some(x),
        28 => {
            let friction = Friction {
                sliding: 0.5,
                rolling: x,
                spinning: 0.0,
            };
            world.laws = LawTable::uniform(Law::CoulombConvex(friction));
        }
        29 => snapshot.last_step = x,
        30 => snapshot.allowed = x,
        _ => {
            if let Some(contact) = contacts.get_mut(body) {
                contact.memory.impulse.linear[axis] = x;
            }
        }
    }
}

/// Whether every number of the state is one.
pub fn all_finite(simulation: &Simulation) -> bool {
    let bodies = &simulation.world().bodies;
    let vectors = [&bodies.position, &bodies.velocity, &bodies.angular_velocity];
    vectors.into_iter().flatten().all(|v| v.is_finite())
        && bodies.orientation.iter().all(|q| q.is_finite())
        && simulation.world().time.is_finite()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn whatever_is_taken_can_be_stepped(
        dimension in prop::sample::select(vec![Dimension::Line, Dimension::Plane, Dimension::Space]),
        scheme in prop::sample::select(SchemeName::ALL.to_vec()),
        law in prop::sample::select(vec![
            Law::Frictionless,
            Law::Coulomb(Friction::sliding(0.5)),
            Law::CoulombConvex(Friction { sliding: 0.5, rolling: 0.01, spinning: 0.0 }),
        ]),
        spoilt in prop::collection::vec(
            (0..FIELDS, 0..4usize, 0..3usize, prop::sample::select(HOSTILE.to_vec())), 1..3),
    ) {
        let convexified = matches!(law, Law::CoulombConvex(_));
        prop_assume!(!(convexified && scheme.refuses_convexified().is_some()));
        let mut settings = settings();
        settings.scheme.name = scheme;
        // Bodies on a line may be driven against a wall.
        settings.solver.on_failure = OnFailure::Warn;
        let mut simulation = Simulation::new(world(dimension, law), settings).unwrap();
        for _ in 0..3 {
            simulation.step().unwrap();
        }
        let mut snapshot = simulation.snapshot();
        for (field, body, axis, number) in spoilt {
            spoil(&mut snapshot, field, body, axis, number);
        }
        if let Ok(mut simulation) = Simulation::restore(snapshot) {
            for _ in 0..5 {
                let finished = simulation.finished();
                match simulation.step() {
                    Ok(report) => prop_assert!(report.step_size > 0.0 && !finished),
                    Err(_) => break,
                }
                prop_assert!(all_finite(&simulation));
            }
            prop_assert!(all_finite(&simulation));
        }
    }
}
