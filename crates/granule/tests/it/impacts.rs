//! The scheme `moreau-jean`: impacts with a closed form.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases::{Bounces, BouncingBall, cradle, impact_settings};
use granule::law::{Friction, Interface, Law, LawTable, Restitution};
use granule::math::DVec3;
use granule::scheme::{Recovery, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, SetupError, Simulation, World};

/// Takes all steps, each certified.
pub fn run(world: World, settings: Settings) -> Simulation {
    let mut simulation = Simulation::new(world, settings).unwrap();
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
    }
    simulation
}

fn watch(ball: BouncingBall, step: f64, end: f64) -> Bounces {
    let mut simulation = Simulation::new(ball.world(), impact_settings(step, end)).unwrap();
    Bounces::watch(&mut simulation).unwrap()
}

#[test]
fn a_ball_comes_to_rest_when_it_must_and_each_bounce_is_as_high() {
    let step = 1e-4;
    for restitution in [0.0, 0.25, 0.5, 0.8, 0.9] {
        let ball = BouncingBall {
            restitution,
            height: 1.0,
        };
        let exact = ball.rest_time();
        let bounces = watch(ball, step, 1.1 * exact);
        let late = (bounces.rest - exact).abs();
        assert!(
            late < 2.0 * step + 0.005 * exact,
            "{restitution}: {}",
            bounces.rest
        );
        let pairs = bounces.apexes.windows(2);
        let high: Vec<_> = pairs.filter(|pair| pair[1] > 0.01).collect();
        // e² to the n above 1 cm of 1 m.
        let expected = (0.1f64.ln() / restitution.ln()).floor() as usize;
        assert_eq!(high.len(), expected, "{restitution}: {high:?}");
        for pair in high {
            let ratio = pair[1] / pair[0] / restitution.powi(2);
            assert!((ratio - 1.0).abs() < 0.01, "{restitution}: {pair:?}");
        }
    }
}

#[test]
fn an_elastic_ball_keeps_its_energy() {
    for step in [1e-3, 1e-4] {
        let ball = BouncingBall {
            restitution: 1.0,
            height: 1.0,
        };
        let bounces = watch(ball, step, 10.0);
        assert!(bounces.energies.len() >= 11, "{}", bounces.energies.len());
        for pair in bounces.energies.windows(2) {
            assert!((pair[1] / pair[0] - 1.0).abs() < 1e-12, "{pair:?}");
        }
    }
}

/// The velocities after one impact of touching balls on a line, by trying every set of contacts
/// that push: λ ≥ 0, w = W λ + (1 + e) v⁻ ≥ 0 and λ w = 0, for a row that the first ball hits.
fn impact(masses: &[f64], restitution: f64) -> Vec<f64> {
    let contacts = masses.len() - 1;
    let before = |k: usize| if k == 0 { -(1.0 + restitution) } else { 0.0 };
    let entry = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 1.0 / masses[i] + 1.0 / masses[i + 1],
        1 => -1.0 / masses[i.max(j)],
        _ => 0.0,
    };
    for set in 0..1usize << contacts {
        let active: Vec<usize> = (0..contacts).filter(|k| set >> k & 1 == 1).collect();
        let mut matrix: Vec<Vec<f64>> = active
            .iter()
            .map(|&i| {
                let row = active.iter().map(|&j| entry(i, j));
                row.chain([-before(i)]).collect()
            })
            .collect();
        // Gauss-Jordan; W is positive definite.
        for pivot in 0..active.len() {
            let scale = matrix[pivot][pivot];
            matrix[pivot].iter_mut().for_each(|x| *x /= scale);
            let line = matrix[pivot].clone();
            for (_, other) in matrix.iter_mut().enumerate().filter(|(k, _)| *k != pivot) {
                let factor = other[pivot];
                let pairs = other.iter_mut().zip(&line);
                pairs.for_each(|(x, y)| *x -= factor * y);
            }
        }
        let mut impulses = vec![0.0; contacts];
        for (&k, row) in active.iter().zip(&matrix) {
            impulses[k] = row[active.len()];
        }
        let velocity = |i: usize| {
            let sum: f64 = (0..contacts).map(|j| entry(i, j) * impulses[j]).sum();
            sum + before(i)
        };
        if impulses.iter().all(|x| *x >= 0.0) && (0..contacts).all(|i| velocity(i) >= -1e-14) {
            return (0..masses.len())
                .map(|k| {
                    let start = if k == 0 { 1.0 } else { 0.0 };
                    let left = if k > 0 { impulses[k - 1] } else { 0.0 };
                    let right = if k < contacts { impulses[k] } else { 0.0 };
                    start + (left - right) / masses[k]
                })
                .collect();
        }
    }
    unreachable!("the problem has a solution");
}

#[test]
fn balls_that_touch_share_one_impact() {
    let step = 1e-4;
    let velocities = |masses: &[f64], restitution: f64| -> Vec<f64> {
        let mut simulation =
            Simulation::new(cradle(masses, 0.0, restitution), impact_settings(step, 1.0)).unwrap();
        simulation.step().unwrap();
        simulation
            .world()
            .bodies
            .velocity
            .iter()
            .map(|v| v.x)
            .collect()
    };
    let close = |ours: &[f64], exact: &[f64]| {
        for (x, y) in ours.iter().zip(exact) {
            assert!((x - y).abs() < 1e-10, "{ours:?} for {exact:?}");
        }
    };
    let third = 1.0 / 3.0;
    close(
        &velocities(&[1.0; 3], 1.0),
        &[-third, 2.0 * third, 2.0 * third],
    );
    for restitution in [0.0, 0.3, 0.7, 1.0] {
        let share = (1.0 + restitution) / 3.0;
        close(
            &velocities(&[1.0; 3], restitution),
            &[1.0 - 2.0 * share, share, share],
        );
        for masses in [
            &[1.0, 2.0][..],
            &[1.0, 0.2, 3.0],
            &[5.0, 1.0, 2.0, 0.5, 1.0],
        ] {
            close(
                &velocities(masses, restitution),
                &impact(masses, restitution),
            );
        }
    }
}

#[test]
fn with_gaps_only_the_last_ball_leaves() {
    for count in [3, 5] {
        let world = cradle(&vec![1.0; count], 1e-3, 1.0);
        let simulation = run(world, impact_settings(1e-4, 0.02));
        for (k, v) in simulation.world().bodies.velocity.iter().enumerate() {
            let exact = if k + 1 == count { 1.0 } else { 0.0 };
            assert!((v.x - exact).abs() < 1e-10, "{k} of {count}: {}", v.x);
        }
    }
}

/// A world with a floor along the first axes and a sphere or disk that flies against it.
fn thrown(dimension: Dimension, velocity: DVec3, spin: DVec3, law: Law, e: Restitution) -> World {
    let up = if dimension == Dimension::Plane {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let mut world = World::new(dimension);
    world.laws = LawTable::uniform(Interface {
        law,
        restitution: e,
        ..Interface::default()
    });
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, up, Motion::Fixed));
    let mut ball = Sphere::new(0.1005 * up, 0.1, 2.0);
    (ball.velocity, ball.angular_velocity) = (velocity, spin);
    world.add_sphere(&ball);
    world
}

#[test]
fn friction_and_restitution_act_together_in_a_plane_and_in_space() {
    let e = Restitution {
        normal: 0.5,
        tangential: 0.25,
    };
    for dimension in [Dimension::Plane, Dimension::Space] {
        // 1/m + r²/J over 1/m: what a tangential impulse moves the surface by.
        let (up, turning, spin) = match dimension {
            Dimension::Plane => (DVec3::Y, 3.0, DVec3::new(0.0, 0.0, 4.0)),
            _ => (DVec3::Z, 3.5, DVec3::new(0.0, 4.0, 2.0)),
        };
        let velocity = DVec3::X - up;
        let surface = |v: DVec3, w: DVec3| v + w.cross(-0.1 * up);
        let before = surface(velocity, spin);
        let slip = before + up;
        // With much friction the contact sticks in the sense of w; with little it slides.
        for friction in [5.0, 0.05] {
            let law = Law::Coulomb(Friction::sliding(friction));
            let world = thrown(dimension, velocity, spin, law, e);
            let simulation = run(world, impact_settings(1e-3, 2e-3));
            let bodies = &simulation.world().bodies;
            let (v, w) = (bodies.velocity[0], bodies.angular_velocity[0]);
            assert!((v.dot(up) - 0.5).abs() < 1e-9, "{v}");
            let after = surface(v, w) - v.dot(up) * up;
            // Per mass: the normal impulse is 1.5 m/s.
            let most = friction * 1.5 * turning;
            let exact = if 1.25 * slip.length() <= most {
                -0.25 * slip
            } else {
                slip - most * slip.normalize()
            };
            assert!(
                (after - exact).length() < 1e-9,
                "{law:?} {dimension:?}: {after} for {exact}"
            );
        }
    }
}

#[test]
fn the_problem_of_an_impact_knows_what_it_gives_back() {
    let given = |e: Restitution| {
        let law = Law::Coulomb(Friction::sliding(0.3));
        let world = thrown(Dimension::Space, DVec3::NEG_Z, DVec3::ZERO, law, e);
        let mut simulation = Simulation::new(world, impact_settings(1e-3, 1e-2)).unwrap();
        while simulation.first_problem().problem().is_empty() {
            simulation.step().unwrap();
        }
        simulation.first_problem().problem().restitution.clone()
    };
    let e = Restitution {
        normal: 0.5,
        tangential: 0.25,
    };
    assert_eq!(given(e), [e]);
    assert_eq!(given(Restitution::default()), []);
}

#[test]
fn an_impulse_turns_the_velocity_round_and_bears_the_weight_of_the_step() {
    let (step, restitution) = (1e-4, 0.5);
    let mut world = BouncingBall {
        restitution,
        height: 0.0,
    }
    .world();
    world.bodies.velocity[0].z = -1.0;
    let mut simulation = Simulation::new(world, impact_settings(step, 1.0)).unwrap();
    simulation.step().unwrap();
    // m (1 + e) |v⁻| + m g h, with m = 1 kg.
    let impulse = simulation.contacts().next().unwrap().normal_impulse();
    assert!((impulse - 1.500981).abs() < 1e-12, "{impulse}");
    assert!((simulation.world().bodies.velocity[0].z - 0.5).abs() < 1e-12);
}

#[test]
fn impacts_among_many_keep_momentum_and_gain_no_energy() {
    for (e, law) in [
        (1.0, Law::Frictionless),
        (0.6, Law::Frictionless),
        (0.6, Law::Coulomb(Friction::sliding(0.4))),
    ] {
        let mut world = granule::cases::box_drop(4, 7);
        world.gravity = DVec3::ZERO;
        world.walls.clear();
        let tangential = if law == Law::Frictionless { 0.0 } else { e };
        let restitution = Restitution {
            normal: e,
            tangential,
        };
        world.laws = LawTable::uniform(Interface {
            law,
            restitution,
            ..Interface::default()
        });
        // Towards the middle, so that all meet.
        for (velocity, position) in world.bodies.velocity.iter_mut().zip(&world.bodies.position) {
            *velocity = DVec3::splat(5.0) - *position + DVec3::new(0.3, 0.1, -0.2);
        }
        let momentum = |world: &World| -> DVec3 {
            let bodies = &world.bodies;
            bodies
                .velocity
                .iter()
                .zip(&bodies.mass)
                .map(|(v, m)| *m * *v)
                .sum()
        };
        let start = momentum(&world);
        let size: f64 = world.bodies.mass.iter().sum();
        let mut settings = impact_settings(2e-3, 1.0);
        settings.solver.tolerance = 1e-9;
        let mut simulation = Simulation::new(world, settings).unwrap();
        let mut energy = granule::measure::kinetic_energy(&simulation.world().bodies);
        let first = energy;
        let mut hits = 0;
        while !simulation.finished() {
            let report = simulation.step().unwrap();
            hits += report.active;
            assert!(
                report.kinetic_energy <= energy * (1.0 + 1e-7),
                "{e} {law:?}"
            );
            let lost = energy - report.kinetic_energy;
            assert!(
                (lost - report.certificate.dissipation).abs() < 1e-7 * first,
                "{e} {law:?}"
            );
            energy = report.kinetic_energy;
        }
        assert!(hits > 100, "{hits}");
        assert!((momentum(simulation.world()) - start).length() < 1e-11 * size);
        let kept = energy / first;
        assert!(
            if e == 1.0 {
                (kept - 1.0).abs() < 1e-6
            } else {
                kept < 0.9
            },
            "{e}: {kept}"
        );
    }
}

#[test]
fn what_a_moving_wall_carries_keeps_its_gap_and_what_it_hits_flies_off() {
    let floor = |motion: Motion, z: f64, e: f64| {
        let mut world = BouncingBall {
            restitution: e,
            height: z,
        }
        .world();
        let plane = Surface::HalfSpace(HalfSpace);
        world.walls = vec![Wall::new(plane, DVec3::ZERO, DVec3::Z, motion)];
        world
    };
    // A shaken floor below 1 g of acceleration carries the ball.
    let shaken = Motion::Oscillation {
        amplitude: [0.0, 0.0, 0.01],
        frequency: 4.0,
        phase: 0.0,
    };
    for e in [0.0, 0.7] {
        let mut simulation =
            Simulation::new(floor(shaken.clone(), 0.0, e), impact_settings(1e-3, 2.0)).unwrap();
        let mut worst = 0.0f64;
        while !simulation.finished() {
            simulation.step().unwrap();
            let world = simulation.world();
            if world.time > 1.0 {
                let wall = world.walls[0].kinematics.pose(world.time).0.z;
                worst = worst.max((world.bodies.position[0].z - 0.1 - wall).abs());
            }
        }
        // h² times the acceleration of the floor, and what is not recovered.
        assert!(worst < 1e-5 + 1e-6 * 6.4, "{e}: {worst}");
    }
    // A wall at speed V turns a ball at rest into one at (1 + e) V.
    let mut world = floor(
        Motion::Velocity {
            linear: [0.0, 0.0, 2.0],
        },
        0.01,
        0.5,
    );
    world.gravity = DVec3::ZERO;
    let simulation = run(world, impact_settings(1e-3, 0.02));
    assert!((simulation.world().bodies.velocity[0].z - 3.0).abs() < 1e-12);
    // So does a body whose motion is prescribed.
    let mut world = cradle(&[1.0, 1.0], 0.01, 0.5);
    let mut pushed = World::new(Dimension::Line);
    pushed.laws = std::mem::take(&mut world.laws);
    let mut piston = Sphere::new(DVec3::ZERO, 0.05, 1.0);
    piston.motion = Some(Motion::Velocity {
        linear: [2.0, 0.0, 0.0],
    });
    pushed.add_sphere(&piston);
    pushed.add_sphere(&Sphere::new(0.11 * DVec3::X, 0.05, 1.0));
    let simulation = run(pushed, impact_settings(1e-3, 0.02));
    assert!((simulation.world().bodies.velocity[1].x - 3.0).abs() < 1e-12);
}

#[test]
fn what_does_not_go_together_is_said() {
    let world = || {
        BouncingBall {
            restitution: 0.5,
            height: 1.0,
        }
        .world()
    };
    let refused = |world: World, change: fn(&mut Settings)| {
        let mut settings = impact_settings(1e-3, 1.0);
        change(&mut settings);
        match Simulation::new(world, settings).err() {
            Some(SetupError::Setting { name, reason }) => (name, reason),
            other => panic!("{other:?}"),
        }
    };
    let (name, reason) = refused(world(), |s| s.scheme.name = SchemeName::Maury);
    assert!(
        name == "restitution" && reason.contains("moreau-jean"),
        "{reason}"
    );
    assert_eq!(refused(world(), |s| s.scheme.theta = 0.4).0, "theta");
    assert_eq!(refused(world(), |s| s.scheme.theta = f64::NAN).0, "theta");
    assert_eq!(
        refused(world(), |s| s.scheme.recovery = Recovery::Velocity).0,
        "recovery"
    );
    let still = BouncingBall {
        restitution: 0.0,
        height: 1.0,
    }
    .world();
    let maury = |s: &mut Settings| {
        s.scheme.name = SchemeName::Maury;
        s.scheme.recovery = Recovery::None;
    };
    assert_eq!(refused(still, maury).0, "recovery");
    let mut wrong = world();
    wrong.laws.default.restitution.normal = 1.5;
    assert_eq!(refused(wrong, |_| ()).0, "restitution");
    let mut wrong = world();
    wrong.laws.default.restitution.tangential = 0.5;
    assert_eq!(refused(wrong, |_| ()).0, "tangential_restitution");
}
