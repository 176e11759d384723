//! The smallest scenes in which the word *certified* could be wrong.

use granule::bodies::{BodyForce, Dimension, Motion, Sphere, TimeFunction, Wall};
use granule::joints::{Along, Effect, Joint, Kind};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{BoxContainer, HalfSpace, Plate, Surface};
use granule::simulation::{
    Demand, Party, Settings, SetupError, Simulation, StepError, StepReport, StepSize, World,
};
use granule::solver::OnFailure;
use proptest::prelude::*;

const GRAVITY: f64 = 9.81;

fn empty(law: Law) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    world.laws = LawTable::uniform(law);
    world
}

fn half_space(z: f64, normal: DVec3) -> Wall {
    let surface = Surface::HalfSpace(HalfSpace);
    Wall::new(surface, z * DVec3::Z, normal, Motion::Fixed)
}

fn plate(z: f64, motion: Motion) -> Wall {
    let surface = Surface::Plate(Plate {
        width: 1.0,
        height: 1.0,
    });
    Wall::new(surface, z * DVec3::Z, DVec3::Z, motion)
}

fn settings(scheme: SchemeName, h: f64, end: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(h), end);
    settings.scheme = SchemeConfig::named(scheme);
    settings
}

fn laws() -> [Law; 2] {
    [Law::Frictionless, Law::Coulomb(Friction::sliding(0.5))]
}

/// A sphere of 4.2 kg on a floor, under a plate that comes down onto it and goes up again.
fn press(law: Law) -> World {
    let mut world = empty(law);
    world.add_wall(half_space(0.0, DVec3::Z));
    world.add_wall(plate(
        0.21,
        Motion::Oscillation {
            amplitude: [0.0, 0.0, -0.04],
            frequency: 0.625,
            phase: 0.0,
        },
    ));
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 0.1), 0.1, 4.2));
    world
}

#[test]
fn a_sphere_that_is_crushed_ends_the_run_with_names() {
    for law in laws() {
        for scheme in SchemeName::ALL {
            for on_failure in [OnFailure::Escalate, OnFailure::Stop] {
                let mut settings = settings(scheme, 1e-3, 0.8);
                settings.solver.on_failure = on_failure;
                let mut simulation = Simulation::new(press(law), settings).unwrap();
                let error = loop {
                    match simulation.step() {
                        Ok(report) => assert!(report.certified, "{law:?} {scheme:?}"),
                        Err(error) => break error,
                    }
                };
                let StepError::Infeasible(found) = &error else {
                    panic!("{law:?} {scheme:?}: {error}");
                };
                assert_eq!(found.demand, Demand::Contacts);
                let mut parties = found.parties.clone();
                parties.sort();
                let expected = [Party::Body(0), Party::Wall(0), Party::Wall(1)];
                assert_eq!(parties, expected, "{law:?} {scheme:?}");
                // The plate is there after 64.4 ms: 0.04 sin(2π 0.625 t) = 0.01.
                let contact = (0.25f64).asin() / (std::f64::consts::TAU * 0.625);
                assert!(
                    (found.time - contact).abs() < 2.5e-3,
                    "{scheme:?} {}",
                    found.time
                );
                assert!(error.to_string().contains("infeasible"), "{error}");
            }
        }
    }
}

#[test]
fn a_contradiction_that_gives_way_feeds_no_energy_into_the_motion() {
    for law in laws() {
        for scheme in SchemeName::ALL {
            let mut settings = settings(scheme, 1e-3, 0.8);
            settings.solver.on_failure = OnFailure::Warn;
            let mut simulation = Simulation::new(press(law), settings).unwrap();
            let mut infeasible = 0;
            while !simulation.finished() {
                let report = simulation.step().unwrap();
                infeasible += usize::from(report.infeasible);
                assert!(!(report.infeasible && report.certified));
                assert_eq!(report.infeasible, simulation.last_infeasible().is_some());
                // The plate is never faster than 0.157 m/s, and goes up again after 0.4 s.
                let fastest: f64 = 0.5 * 4.2 * 0.157f64.powi(2);
                assert!(
                    report.kinetic_energy <= 1.01 * fastest,
                    "{law:?} {scheme:?}"
                );
                if report.time > 0.45 {
                    let limit = 4.2 * GRAVITY * 1e-3;
                    assert!(
                        report.kinetic_energy < limit,
                        "{law:?} {scheme:?} {report:?}"
                    );
                }
            }
            assert!(infeasible > 500, "{law:?} {scheme:?}: {infeasible}");
        }
    }
}

#[test]
fn a_jammed_sphere_has_its_penetration_and_is_not_certified() {
    for law in laws() {
        for scheme in SchemeName::ALL {
            let mut world = empty(law);
            world.add_wall(half_space(0.0, DVec3::Z));
            world.add_wall(half_space(0.15, DVec3::NEG_Z));
            world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 0.075), 0.1, 1.0));
            let mut simulation = Simulation::new(world, settings(scheme, 1e-3, 0.05)).unwrap();
            let mut last = None;
            while !simulation.finished() {
                let report = simulation.step().unwrap();
                assert!(!report.certified, "{law:?} {scheme:?} step {}", report.step);
                let depth = report.certificate.max_penetration;
                assert!((depth - 0.025).abs() < 2.5e-4, "{law:?} {scheme:?} {depth}");
                last = Some(report);
            }
            assert!(last.unwrap().infeasible);
            let found = simulation.last_infeasible().unwrap();
            assert_eq!(found.demand, Demand::Overlaps);
            assert!(found.parties.contains(&Party::Body(0)));
        }
    }
}

/// A sphere that a motor without limit presses against a floor.
fn driven_into_a_floor(law: Law) -> World {
    let mut world = empty(law);
    world.add_wall(half_space(0.0, DVec3::Z));
    let center = DVec3::new(0.0, 0.0, 0.12);
    let id = world.add_sphere(&Sphere::new(center, 0.1, 1.0));
    let slider = Joint::at(
        Kind::Slider,
        &world.bodies,
        [Some(id), None],
        center,
        DVec3::Z,
    );
    let motor = Effect::Speed {
        target: TimeFunction::Constant(-0.5),
        strength: None,
    };
    world.joints.push(slider.with(Along::Slide, motor));
    world
}

#[test]
fn a_motor_that_crushes_is_named() {
    for law in laws() {
        for scheme in SchemeName::ALL {
            let world = driven_into_a_floor(law);
            let mut simulation = Simulation::new(world, settings(scheme, 1e-3, 0.2)).unwrap();
            let error = loop {
                match simulation.step() {
                    Ok(report) => assert!(report.certified, "{law:?} {scheme:?}"),
                    Err(error) => break error,
                }
            };
            let StepError::Infeasible(found) = &error else {
                panic!("{law:?} {scheme:?}: {error}");
            };
            let mut parties = found.parties.clone();
            parties.sort();
            let expected = [Party::Body(0), Party::Wall(0), Party::Joint(0)];
            assert_eq!(parties, expected, "{law:?} {scheme:?}");
            // 2 cm at half a metre a second.
            assert!((found.time - 0.04).abs() < 2.5e-3, "{scheme:?} {found:?}");
        }
    }
}

/// Grains in a box under a punch that goes on after they are jammed.
fn punched() -> World {
    let mut world = empty(Law::Coulomb(Friction::sliding(0.4)));
    let container = Surface::Box(BoxContainer {
        size: [0.04, 0.04, 0.2],
        closed: [true, true, true, true, true, false],
    });
    world.add_wall(Wall::new(
        container,
        0.1 * DVec3::Z,
        DVec3::Z,
        Motion::Fixed,
    ));
    world.add_wall(plate(
        0.045,
        Motion::Velocity {
            linear: [0.0, 0.0, -0.1],
        },
    ));
    for k in 0..60 {
        let (x, y, z) = (k % 4, (k / 4) % 4, k / 16);
        let at = |i: i32| -0.015 + 0.01 * f64::from(i);
        let center = DVec3::new(at(x), at(y), 0.0051 + 0.01 * f64::from(z));
        world.add_sphere(&Sphere::new(center, 4.6e-3, 1e-3));
    }
    world
}

#[test]
fn a_punch_that_jams_grains_is_not_certified_whatever_the_tolerance() {
    for tolerance in [1e-3, 1e-4, 1e-6] {
        let mut settings = settings(SchemeName::Maury, 1e-3, 0.4);
        settings.solver.tolerance = tolerance;
        let mut simulation = Simulation::new(punched(), settings).unwrap();
        let error = loop {
            match simulation.step() {
                Ok(report) => {
                    assert!(report.certified, "{report:?}");
                    let depth = report.certificate.max_penetration;
                    assert!(
                        depth < 0.05 * 4.6e-3,
                        "{tolerance:.0e}: {depth} at {}",
                        report.time
                    );
                }
                Err(error) => break error,
            }
        };
        let StepError::Infeasible(found) = &error else {
            panic!("{error}");
        };
        assert!(found.parties.contains(&Party::Wall(1)), "{error}");
    }
}

#[test]
fn moreau_and_jean_refuse_the_convexified_law() {
    let world = press(Law::CoulombConvex(Friction::sliding(0.3)));
    let refused = Simulation::new(world, settings(SchemeName::MoreauJean, 1e-3, 1.0));
    let Err(SetupError::Incompatible(reason)) = refused.map(|_| ()) else {
        panic!("accepted");
    };
    assert!(reason.try_instead.contains("`coulomb`") && reason.try_instead.contains("`maury`"));
}

#[test]
fn a_body_that_slides_stays_on_the_floor_under_rattle() {
    for law in [
        Law::CoulombConvex(Friction::sliding(0.3)),
        Law::Coulomb(Friction::sliding(0.3)),
    ] {
        for h in [1e-2, 1e-3, 1e-4] {
            let mut world = empty(law);
            world.lock_rotation = true;
            world.add_wall(half_space(0.0, DVec3::Z));
            world.add_sphere(&Sphere {
                velocity: 4.0 * DVec3::X,
                ..Sphere::new(DVec3::new(0.0, 0.0, 0.1), 0.1, 1.0)
            });
            let mut settings = settings(SchemeName::Rattle, h, 1.2);
            if matches!(law, Law::Coulomb(_)) {
                // Exact friction is found by iterations, which leave lifts of their tolerance.
                settings.solver.tolerance = 1e-10;
            }
            let mut simulation = Simulation::new(world, settings).unwrap();
            let (mut touched, mut steps) = (0, 0);
            while !simulation.finished() {
                let report = simulation.step().unwrap();
                assert!(report.certified);
                steps += 1;
                touched += usize::from(report.active > 0);
                let body = &simulation.world().bodies;
                let lift = body.position[0].z - 0.1;
                assert!(lift < 1e-9, "{law:?} {h}: lift {lift}");
                // It slows down as Coulomb says.
                let expected = 4.0 - 0.3 * GRAVITY * report.time;
                assert!(
                    (body.velocity[0].x - expected).abs() < 3.0 * h,
                    "{law:?} {h}: {} for {expected}",
                    body.velocity[0].x
                );
            }
            assert!(
                touched * 100 >= steps * 99,
                "{law:?} {h}: {touched} of {steps}"
            );
        }
    }
}

/// Grains that a plate throws up, some of them over its edge.
fn thrown(seed: u64) -> World {
    let mut world = empty(Law::Coulomb(Friction::sliding(0.5)));
    world.add_wall(plate(
        0.0,
        Motion::Oscillation {
            amplitude: [0.002, 0.0, 0.002],
            frequency: 30.0,
            phase: 0.0,
        },
    ));
    let mut state = seed;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    for k in 0..48 {
        let (x, y, z) = (k % 4, (k / 4) % 4, k / 16);
        let place = |i: i32, r: f64| 0.011 * f64::from(i) + 2e-4 * r;
        let center = DVec3::new(
            0.47 + place(x, random()),
            place(y, random()),
            0.0055 + place(z, random()),
        );
        world.add_sphere(&Sphere::new(center, 3e-3 + 2e-3 * random(), 1e-3));
    }
    world
}

#[test]
fn rounding_is_no_failure() {
    for seed in 1..4 {
        let settings = settings(SchemeName::Maury, 1e-3, 1.5);
        let mut simulation = Simulation::new(thrown(seed), settings).unwrap();
        while !simulation.finished() {
            let report = simulation.step().unwrap();
            assert!(report.certified, "{report:?}");
            assert!(report.iterations <= 2000, "{report:?}");
        }
    }
}

#[test]
fn a_step_that_fails_leaves_everything_as_it_was() {
    // Bodies far apart, one far out: fast enough to need repeats, sorted at the first step.
    let mut world = empty(Law::Coulomb(Friction::sliding(0.5)));
    world.add_wall(half_space(0.0, DVec3::Z));
    for k in [5, 3, 8, 1, 0, 7, 2, 6, 4] {
        world.add_sphere(&Sphere {
            velocity: DVec3::new(-30.0, 1.0, -3.0),
            ..Sphere::new(DVec3::new(0.3 * f64::from(k), 0.0, 0.11), 0.1, 1.0)
        });
    }
    let mut settings = settings(SchemeName::Maury, 0.05, 10.0);
    settings.solver.on_failure = OnFailure::Stop;
    settings.solver.tolerance = 1e-12;
    settings.solver.max_iterations = 1;
    let mut simulation = Simulation::new(world, settings).unwrap();
    for _ in 0..120 {
        let before = simulation.snapshot();
        if simulation.step().is_err() {
            assert_eq!(simulation.snapshot(), before);
            return;
        }
    }
    panic!("no step failed");
}

/// A world with moving walls, forces, friction, spin and overlaps.
fn moving_world(seed: u64, law: Law, scheme: SchemeName) -> Simulation {
    let mut state = seed;
    let mut random = |low: f64, high: f64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut world = empty(law);
    world.add_wall(plate(
        0.0,
        Motion::Oscillation {
            amplitude: [random(-0.02, 0.02), 0.0, random(-0.01, 0.01)],
            frequency: random(1.0, 8.0),
            phase: random(0.0, 6.0),
        },
    ));
    world.add_wall(Wall::new(
        Surface::Plate(Plate {
            width: 1.0,
            height: 1.0,
        }),
        DVec3::new(-0.3, 0.0, 0.2),
        DVec3::X,
        Motion::Rotation {
            axis: [0.0, 1.0, 0.3],
            rate: random(-3.0, 3.0),
            center: None,
        },
    ));
    world.forces.push(BodyForce {
        direction: DVec3::new(1.0, 0.0, 0.2),
        magnitude: TimeFunction::Constant(random(-2.0, 2.0)),
        material: None,
    });
    for k in 0..12 {
        let at = |i: i32| 0.09 * f64::from(i);
        let center = DVec3::new(at(k % 3), at((k / 3) % 2), 0.05 + at(k / 6));
        world.add_sphere(&Sphere {
            velocity: DVec3::new(random(-1.0, 1.0), random(-1.0, 1.0), random(-1.0, 1.0)),
            angular_velocity: DVec3::new(random(-5.0, 5.0), 1.0, random(-5.0, 5.0)),
            motion: (k == 0).then_some(Motion::Velocity {
                linear: [0.3, 0.1, 0.0],
            }),
            ..Sphere::new(center, random(0.03, 0.05), random(0.5, 2.0))
        });
    }
    let mut settings = settings(scheme, 5e-3, 0.5);
    settings.solver.on_failure = OnFailure::Warn;
    Simulation::new(world, settings).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn energy_and_momentum_are_accounted_for(seed in any::<u64>(), which in 0usize..4) {
        let friction = Friction { rolling: 1e-3, spinning: 5e-4, ..Friction::sliding(0.4) };
        let law = [
            Law::Frictionless,
            Law::Coulomb(Friction::sliding(0.4)),
            Law::Coulomb(friction),
            Law::CoulombConvex(Friction::sliding(0.4)),
        ][which];
        for scheme in SchemeName::ALL {
            if scheme == SchemeName::MoreauJean && matches!(law, Law::CoulombConvex(_)) {
                continue;
            }
            let mut simulation = moving_world(seed, law, scheme);
            let mut worked = 0.0;
            while !simulation.finished() {
                let StepReport { energy, momentum_error, kinetic_energy, potential_energy, .. } =
                    simulation.step().unwrap();
                // Energies are differences of sums of this size.
                let size = energy.turned_over + kinetic_energy + potential_energy.abs();
                prop_assert!(
                    energy.remainder.abs() <= 1e-12 * size,
                    "{scheme:?} {law:?}: {energy:?}"
                );
                prop_assert!(momentum_error <= 1e-12, "{scheme:?} {law:?}: {momentum_error:.1e}");
                worked += energy.work_of_walls.abs();
            }
            prop_assert!(worked > 0.0);
        }
    }
}
