//! What holds for `shake` and `rattle`: orders of convergence of motion and impulses, walls that move,
//! friction, and, for random worlds, feasible positions, momentum and energy; the same bits after an
//! interruption and with any number of threads.

use crate::random_worlds::{Around, Kind, cluster, precise, smallest_gap};
use granule::bodies::{BodyForce, Dimension, Motion, Sphere, TimeFunction, Wall};
use granule::cases;
use granule::collision::Partner;
use granule::law::{Friction, Interface, Law, LawTable, Restitution};
use granule::math::DVec3;
use granule::measure;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepError, StepReport, World};
use granule::solver::{Method, OnFailure};

const BOTH: [SchemeName; 2] = [SchemeName::Shake, SchemeName::Rattle];
const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.1;

fn settings(scheme: SchemeName, step: f64) -> Settings {
    let mut settings = precise(step);
    settings.scheme = SchemeConfig::named(scheme);
    settings
}

/// A ball of 1 kg whose lowest point is `height` (m) above a floor that moves as given.
fn dropped(height: f64, motion: Motion) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Z, motion));
    world.add_sphere(&Sphere::new((height + RADIUS) * DVec3::Z, RADIUS, 1.0));
    world
}

fn steps(simulation: &mut Simulation, count: usize) -> Vec<StepReport> {
    (0..count)
        .map(|_| {
            let report = simulation.step().unwrap();
            assert!(report.certified, "{report:?}");
            report
        })
        .collect()
}

/// The largest impulse of a step of a ball that falls from 1 m.
fn largest_impulse(scheme: SchemeName, step: f64) -> f64 {
    let world = dropped(1.0, Motion::Fixed);
    let mut simulation = Simulation::new(world, settings(scheme, step)).unwrap();
    let reports = steps(&mut simulation, (0.6 / step) as usize);
    reports.iter().map(|r| r.normal_impulse).fold(0.0, f64::max)
}

#[test]
fn the_impulse_of_an_impact_converges_at_first_order_with_rattle_and_not_with_shake() {
    let limit = (2.0 * GRAVITY).sqrt();
    let sizes: Vec<f64> = (0..12).map(|k| 0.02 * 0.7f64.powi(k)).collect();
    for &h in &sizes {
        // The first j with g h² (j+1)(j+2)/2 ≥ 1 gives the impulse g h (j+1).
        let error = (largest_impulse(SchemeName::Rattle, h) - limit).abs();
        assert!(error <= 0.51 * GRAVITY * h, "h = {h}: {error}");
    }
    let fine: Vec<f64> = sizes[6..]
        .iter()
        .map(|&h| largest_impulse(SchemeName::Shake, h) / limit)
        .collect();
    let (low, high) = fine.iter().fold((1.0f64, 0.0f64), |(low, high), x| {
        (low.min(*x), high.max(*x))
    });
    assert!(high - low > 0.1, "{fine:?}");
}

#[test]
fn free_flight_is_of_second_order_from_a_velocity_at_half_a_step() {
    let (amplitude, rate, phase) = (3.0, 2.0, 1.0);
    let force = BodyForce {
        direction: DVec3::X,
        magnitude: TimeFunction::Sine {
            amplitude,
            frequency: rate / std::f64::consts::TAU,
            phase,
        },
        material: None,
    };
    let velocity = |t: f64| 1.0 - amplitude / rate * (rate * t + phase).cos();
    let exact = |t: f64| t - amplitude / (rate * rate) * ((rate * t + phase).sin() - phase.sin());
    for scheme in BOTH {
        // The start of the velocity in steps before zero, and the order of positions.
        for (before, order) in [(0.5, 2.0), (0.0, 1.0)] {
            let errors: Vec<f64> = [50, 100, 200]
                .into_iter()
                .map(|count| {
                    let h = 1.0 / f64::from(count);
                    let mut world = World::new(Dimension::Space);
                    world.forces.push(force.clone());
                    let mut sphere = Sphere::new(DVec3::ZERO, RADIUS, 1.0);
                    sphere.velocity = velocity(-before * h) * DVec3::X;
                    world.add_sphere(&sphere);
                    let mut simulation = Simulation::new(world, settings(scheme, h)).unwrap();
                    steps(&mut simulation, count as usize);
                    (simulation.world().bodies.position[0].x - exact(1.0)).abs()
                })
                .collect();
            for pair in errors.windows(2) {
                let found = (pair[0] / pair[1]).log2();
                assert!((found - order).abs() < 0.1, "{scheme:?}: {errors:?}");
            }
        }
    }
}

#[test]
fn with_constant_forces_shake_is_maurys_scheme() {
    let run = |scheme: SchemeName| {
        let mut simulation = boxed(Law::Coulomb(Friction::sliding(0.4)), scheme);
        let reports = steps(&mut simulation, 150);
        (reports, simulation.world().bodies.state_hash())
    };
    assert!(run(SchemeName::Shake) == run(SchemeName::Maury));
}

#[test]
fn a_ball_on_a_floor_that_moves_keeps_its_gap_and_the_impulse_is_known() {
    let (h, speed) = (0.01, 0.7);
    let motion = Motion::Velocity {
        linear: [0.0, 0.0, speed],
    };
    for scheme in BOTH {
        let mut simulation =
            Simulation::new(dropped(0.5, motion.clone()), settings(scheme, h)).unwrap();
        let mut landed = 0;
        for _ in 0..60 {
            let before = simulation.world().bodies.velocity[0].z;
            let report = steps(&mut simulation, 1)[0];
            let bodies = &simulation.world().bodies;
            let gap = bodies.position[0].z - RADIUS - speed * report.time;
            assert!(gap > -1e-12, "{gap}");
            if report.normal_impulse == 0.0 {
                assert_eq!(landed, 0, "it stays on the floor");
                continue;
            }
            landed += 1;
            assert!(gap.abs() < 1e-12, "{gap}");
            let weight = GRAVITY * h;
            let moves_with_it = (bodies.velocity[0].z - speed).abs() < 1e-10;
            match (scheme, landed) {
                // All of the impact in one step.
                (SchemeName::Rattle, 1) => {
                    assert!(moves_with_it);
                    let impact = speed - before + weight;
                    assert!((report.normal_impulse - impact).abs() < 1e-10);
                    assert!(report.normal_impulse_at_end > 0.1 * impact);
                }
                (SchemeName::Shake, 1) => assert!(!moves_with_it),
                (SchemeName::Shake, 2) => assert!(moves_with_it),
                _ => {
                    assert!(moves_with_it);
                    assert!((report.normal_impulse - weight).abs() < 1e-10);
                    assert!(report.normal_impulse_at_end.abs() < 1e-10);
                }
            }
        }
        assert!(landed > 20, "{landed}");
    }
}

#[test]
fn a_ball_rides_on_a_floor_and_on_a_body_that_oscillate() {
    let (h, amplitude, frequency) = (0.005, 0.02, 2.0);
    let motion = Motion::Oscillation {
        amplitude: [0.0, 0.0, amplitude],
        frequency,
        phase: 0.3,
    };
    let height = |t: f64| {
        let angle = std::f64::consts::TAU * frequency * t + 0.3;
        amplitude * (angle.sin() - 0.3f64.sin())
    };
    // Its acceleration stays below that of gravity: nothing is thrown off.
    let on_floor = dropped(0.0, motion.clone());
    let mut on_body = World::new(Dimension::Space);
    on_body.gravity = on_floor.gravity;
    let mut below = Sphere::new(-RADIUS * DVec3::Z, RADIUS, 1.0);
    below.motion = Some(motion);
    on_body.add_sphere(&below);
    on_body.add_sphere(&Sphere::new(RADIUS * DVec3::Z, RADIUS, 1.0));
    for (world, ball) in [(on_floor, 0), (on_body, 1)] {
        let settings = settings(SchemeName::Rattle, h);
        let mut simulation = Simulation::new(world, settings).unwrap();
        steps(&mut simulation, 1);
        for _ in 0..200 {
            let report = steps(&mut simulation, 1)[0];
            let t = report.time;
            let bodies = &simulation.world().bodies;
            let place = bodies.places()[ball] as usize;
            let gap = bodies.position[place].z - RADIUS - height(t);
            assert!(gap.abs() < 1e-11, "{gap}");
            // With the velocity of the coming step, whose change is the second impulse or, downwards,
            // taken off the first of the next step.
            let next = (height(t + h) - height(t)) / h;
            let now = (height(t) - height(t - h)) / h;
            assert!((bodies.velocity[place].z - next.max(now)).abs() < 1e-10);
            assert!((report.normal_impulse_at_end - (next - now).max(0.0)).abs() < 1e-10);
        }
    }
}

#[test]
fn positions_are_those_of_shake_unless_a_load_separates_right_after_the_impact() {
    let h = 0.03;
    let heights = |scheme: SchemeName, lift: f64| -> Vec<f64> {
        let mut world = dropped(1.0, Motion::Fixed);
        world.gravity = DVec3::ZERO;
        world.bodies.velocity[0] = -DVec3::Z;
        // The ball is on the floor after step 34, at t = 1.02.
        world.forces.push(BodyForce {
            direction: DVec3::Z,
            magnitude: TimeFunction::Piecewise {
                times: vec![1.01, 1.2],
                values: vec![lift],
            },
            material: None,
        });
        let mut simulation = Simulation::new(world, settings(scheme, h)).unwrap();
        (0..45)
            .map(|_| {
                steps(&mut simulation, 1);
                simulation.world().bodies.position[0].z
            })
            .collect()
    };
    let apart = |lift: f64| {
        let [shake, rattle] = BOTH.map(|scheme| heights(scheme, lift));
        let differences = shake.iter().zip(&rattle).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max)
    };
    assert!(apart(0.0) < 1e-12 && apart(-5.0) < 1e-12);
    // With SHAKE a third of the velocity is still to be taken, by the load.
    assert!(apart(20.0) > 0.05);
}

#[test]
fn a_slip_that_friction_does_not_end_gets_its_share_of_the_whole_impulse() {
    let (h, friction) = (0.01, 0.3);
    for law in [
        Law::Coulomb(Friction::sliding(friction)),
        Law::CoulombConvex(Friction::sliding(friction)),
    ] {
        let mut world = dropped(0.2, Motion::Fixed);
        world.laws = LawTable::uniform(law);
        world.lock_rotation = true;
        world.bodies.velocity[0] = 4.0 * DVec3::X;
        let mut simulation = Simulation::new(world, settings(SchemeName::Rattle, h)).unwrap();
        loop {
            let before = simulation.world().bodies.velocity[0];
            let report = steps(&mut simulation, 1)[0];
            if report.normal_impulse == 0.0 {
                continue;
            }
            let after = simulation.world().bodies.velocity[0];
            let lost = before.x - after.x;
            assert!(
                (lost - friction * report.normal_impulse).abs() < 1e-9,
                "{law:?}"
            );
            // The second problem has the exact law whatever the first has: nothing leaves.
            assert!(after.z.abs() < 1e-9, "{law:?}: {}", after.z);
            let all = GRAVITY * h - before.z;
            assert!((report.normal_impulse - all).abs() < 1e-9, "{law:?}");
            break;
        }
    }
}

/// Without friction, and with both laws of it.
fn laws() -> [Law; 3] {
    let friction = Friction::sliding(0.4);
    [
        Law::Frictionless,
        Law::Coulomb(friction),
        Law::CoulombConvex(friction),
    ]
}

/// The fastest that any point of a body's surface can be, m/s.
fn fastest_surface(world: &World) -> f64 {
    let bodies = &world.bodies;
    let speed = |i: usize| {
        bodies.velocity[i].length() + bodies.radius[i] * bodies.angular_velocity[i].length()
    };
    (0..bodies.len()).map(speed).fold(0.0, f64::max)
}

#[test]
fn random_worlds_stay_feasible_keep_momentum_and_gain_no_energy() {
    let mut struck = [0, 0];
    for seed in 0..24 {
        let law = laws()[seed as usize % 3];
        let kind = Kind {
            dimension: [Dimension::Plane, Dimension::Space][seed as usize / 3 % 2],
            around: [Around::Nothing, Around::Corner, Around::Box][seed as usize / 6 % 3],
            count: 15,
            size_ratio: 3.0,
            mass_ratio: 30.0,
            seed,
        };
        for scheme in BOTH {
            let h = [0.01, 0.1][seed as usize / 12];
            let mut settings = settings(scheme, h);
            if law != Law::Frictionless {
                settings.solver.own = Method::Ags.into();
                settings.solver.tolerance = 1e-6;
            }
            let mut world = cluster(&kind);
            world.laws = LawTable::uniform(law);
            let mut simulation = Simulation::new(world, settings).unwrap();
            let start = measure::kinetic_energy(&simulation.world().bodies);
            let mut energy = start;
            for _ in 0..40 {
                let momentum = measure::momentum(&simulation.world().bodies);
                let slip = 2.0 * fastest_surface(simulation.world());
                let report = simulation.step().unwrap();
                // Approach that is rounding of velocities cannot be solved to its own scale.
                let rounding = report.certificate.residual < 1e-16;
                assert!(
                    report.certified || rounding,
                    "{kind:?} {scheme:?}: {report:?}"
                );
                let world = simulation.world();
                let (gap, who) = smallest_gap(world);
                // n·w is -√(1 + μ²) residuals at least; and rounding of positions of the order of 1 m.
                let friction = law.friction().sliding;
                let mut allowed = h * report.certificate.residual * friction.hypot(1.0) + 1e-14;
                if scheme == SchemeName::Rattle && matches!(law, Law::CoulombConvex(_)) {
                    // What the step takes off the slip, at most all of it, may count as room.
                    allowed += friction * h * slip;
                }
                assert!(gap >= -allowed, "{kind:?} {scheme:?}: {gap:e} {who}");
                let walls: DVec3 = simulation
                    .contacts()
                    .filter(|c| matches!(c.partner, Partner::Wall(_)))
                    .map(|c| c.impulse)
                    .sum();
                let error = measure::momentum(&world.bodies) - momentum - walls;
                assert!(error.length() < 1e-11, "{kind:?} {scheme:?}: {error}");
                let lost = energy - report.kinetic_energy;
                assert!(
                    lost >= -10.0 * settings.solver.tolerance * start,
                    "{kind:?} {scheme:?}: {lost:e}"
                );
                let dissipated = report.certificate.dissipation;
                assert!(
                    (lost - dissipated).abs() <= 1e-9 * start,
                    "{lost} {dissipated}"
                );
                energy = report.kinetic_energy;
                struck[0] += usize::from(report.normal_impulse > 0.0);
                struck[1] += usize::from(report.normal_impulse_at_end > 0.0);
            }
        }
    }
    assert!(struck[0] > 200 && struck[1] > 100, "{struck:?}");
}

/// A box with spheres in which the law holds, and steps for it.
fn boxed(law: Law, scheme: SchemeName) -> Simulation {
    let mut world = cases::box_drop(5, 3);
    world.laws = LawTable::uniform(law);
    let mut settings = cases::box_drop_settings(5);
    settings.end = 1e9;
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-4;
    Simulation::new(world, settings).unwrap()
}

/// Balls in a column above a floor, which have room to fall.
fn column() -> World {
    let mut world = dropped(0.01, Motion::Fixed);
    for k in 1..8 {
        let height = (2.0 * RADIUS + 0.01) * f64::from(k) + 0.01 + RADIUS;
        world.add_sphere(&Sphere::new(height * DVec3::Z, RADIUS, 1.0));
    }
    world
}

#[test]
fn what_is_at_rest_needs_no_second_impulse_and_the_floor_bears_the_weight() {
    let pyramid = |law: Law| {
        let mut world = cases::Impact::Pyramid(3).world(0.01);
        world.laws = LawTable::uniform(law);
        world
    };
    let rough = Friction::sliding(0.8);
    for (name, world) in [
        ("column", column()),
        ("exact", pyramid(Law::Coulomb(rough))),
        ("convex", pyramid(Law::CoulombConvex(rough))),
    ] {
        let mut settings = settings(SchemeName::Rattle, 2e-3);
        settings.solver.own = Method::Ags.into();
        settings.solver.tolerance = 1e-7;
        let bound = 100.0 * settings.solver.tolerance;
        let mut simulation = Simulation::new(world, settings).unwrap();
        let fall = steps(&mut simulation, 500);
        let struck = fall.iter().filter(|r| r.normal_impulse_at_end > 0.0);
        assert!(struck.count() > 0, "{name}");
        for report in steps(&mut simulation, 50) {
            let world = simulation.world();
            let weight = -world.gravity.z * world.bodies.mass.iter().sum::<f64>();
            let share = cases::floor_impulse(&simulation) / (weight * report.step_size);
            assert!((share - 1.0).abs() < bound, "{name}: {share} of the weight");
            let (second, total) = (report.normal_impulse_at_end, report.normal_impulse);
            assert!(second <= bound * total, "{name}: {second} of {total}");
        }
    }
}

#[test]
fn an_interruption_and_the_number_of_threads_change_no_bit() {
    for (law, scheme) in
        laws()
            .into_iter()
            .zip([SchemeName::Rattle, SchemeName::Rattle, SchemeName::Shake])
    {
        let run = |threads: usize, stop: usize| {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            builder.build().unwrap().install(|| {
                let mut simulation = boxed(law, scheme);
                let mut reports = steps(&mut simulation, stop);
                let text = serde_json::to_string(&simulation.snapshot()).unwrap();
                let mut rest = Simulation::restore(serde_json::from_str(&text).unwrap()).unwrap();
                reports.extend(steps(&mut rest, 230 - stop));
                (reports, rest.snapshot())
            })
        };
        let straight = run(1, 0);
        for (threads, stop) in [(1, 117), (2, 0), (3, 100), (7, 0)] {
            assert!(
                run(threads, stop) == straight,
                "{law:?} {scheme:?} {threads} {stop}"
            );
        }
    }
}

#[test]
fn a_step_that_fails_leaves_the_world_as_it_was() {
    let mut settings = *boxed(Law::Frictionless, SchemeName::Rattle).settings();
    settings.solver.own = Method::Pgd.into();
    settings.solver.max_iterations = 1;
    settings.solver.on_failure = OnFailure::Stop;
    let mut simulation = Simulation::new(cases::box_drop(5, 3), settings).unwrap();
    let (world, error) = loop {
        let before = simulation.world().clone();
        if let Err(error) = simulation.step() {
            break (before, error);
        }
    };
    assert!(matches!(error, StepError::NotConverged { .. }), "{error}");
    assert_eq!(*simulation.world(), world);
}

#[test]
fn restitution_is_refused_with_the_scheme_that_knows_it() {
    for scheme in BOTH {
        let mut world = dropped(1.0, Motion::Fixed);
        world.laws = LawTable::uniform(Interface {
            law: Law::Frictionless,
            restitution: Restitution::normal(0.5),
            ..Interface::default()
        });
        let error = Simulation::new(world, settings(scheme, 0.01))
            .err()
            .unwrap();
        let text = error.to_string();
        assert!(
            text.contains(scheme.name()) && text.contains("moreau-jean"),
            "{text}"
        );
    }
}
