//! The same bits for any number of threads, and after any interruption; the same physics for any
//! order of the bodies.

use crate::extent::extent;
use crate::random_worlds::{Around, Kind, cluster, positions, precise, velocities};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases;
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{Cylinder, HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, Snapshot, StepSize, World};
use granule::solver::{Method, OnFailure, SweepOrder};

/// 3375 spheres thrown into a corner, with enough candidates for many chunks; 4913 for the solver whose sweeps threads share.
fn crowd(method: Method, law: Law) -> Simulation {
    let side = if method == Method::Ags { 17 } else { 15 };
    let mut world = cases::box_drop(side, 1);
    world.laws = LawTable::uniform(law);
    world.gravity = DVec3::new(-3.0, -2.0, -4.0);
    let mut settings = Settings::new(StepSize::Fixed(0.08), 1e9);
    settings.candidate_distance = Some(0.1);
    settings.solver.own = method.into();
    if let Some((sweeps, _)) = settings.solver.own.sweeps_mut() {
        sweeps.sweep = SweepOrder::Coloured;
    }
    if method == Method::NlgsPdas {
        // Bits do not need accuracy, and plain sweeps are slow.
        settings.solver.max_iterations = 60;
        settings.solver.on_failure = OnFailure::Warn;
    }
    Simulation::new(world, settings).unwrap()
}

#[test]
fn several_simulations_share_a_pool() {
    let law = Law::Coulomb(Friction::sliding(0.5));
    let steps = || {
        let mut simulation = crowd(Method::Ags, law);
        for _ in 0..8 {
            simulation.step().unwrap();
        }
        positions(simulation.world())
    };
    let alone = steps();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
    pool.build().unwrap().install(|| {
        // Three of them for two threads.
        let (one, (two, three)) = rayon::join(steps, || rayon::join(steps, steps));
        assert!([one, two, three].iter().all(|places| *places == alone));
    });
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let friction = Friction::sliding(0.5);
    for (method, law) in [
        (Method::ApgdAr, Law::Frictionless),
        (Method::ApgdAsr, Law::Frictionless),
        (Method::Pgd, Law::Frictionless),
        (Method::ApgdAr, Law::Coulomb(friction)),
        (Method::Ags, Law::Coulomb(friction)),
        (Method::Spg, Law::CoulombConvex(friction)),
        // In colours, see `crowd`.
        (Method::NlgsPdas, Law::Coulomb(friction)),
    ] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let mut simulation = crowd(method, law);
                let (mut active, mut repeats) = (0, 0);
                let steps = if method == Method::Pgd { 4 } else { 12 };
                for _ in 0..steps {
                    let report = simulation.step().unwrap();
                    active = report.active;
                    repeats += report.repeats;
                }
                let problem = simulation.first_problem().problem();
                assert!(
                    problem.delassus.chunk_count() > 4,
                    "several chunks of contacts"
                );
                // Blocks of bodies have at least 512 of them.
                assert!(
                    simulation.world().bodies.len() > 4 * 512,
                    "several blocks of bodies"
                );
                assert!(
                    steps < 12 || active > 2000,
                    "{active} contacts carry a load"
                );
                (simulation.world().bodies.state_hash(), repeats)
            })
        };
        let one = run(1);
        for &threads in extent(&[3][..], &[2, 3, 7]) {
            assert_eq!(
                run(threads),
                one,
                "{}, {}, with {threads} threads",
                method.name(),
                law.name()
            );
        }
    }
}

/// Worlds of every dimension, with moving walls and bodies, and steps of both kinds.
fn varied() -> Vec<(&'static str, World, Settings)> {
    let kind = |dimension, around, count| Kind {
        dimension,
        around,
        count,
        size_ratio: 3.0,
        mass_ratio: 30.0,
        seed: 12,
    };
    let cfl = Settings::new(
        StepSize::Cfl {
            fraction: 0.4,
            longest: 0.05,
        },
        1e9,
    );
    let mut line = cluster(&kind(Dimension::Line, Around::Box, 6));
    line.gravity = DVec3::new(-0.5, 0.0, 0.0);
    let mut plane = cluster(&kind(Dimension::Plane, Around::Box, 30));
    plane.gravity = DVec3::new(0.1, -1.0, 0.0);
    let mut shaken = cluster(&kind(Dimension::Space, Around::Corner, 40));
    shaken.gravity = DVec3::new(-0.3, -0.9, 0.0);
    shaken.add_wall(Wall::new(
        Surface::HalfSpace(HalfSpace),
        DVec3::new(0.0, 0.0, -1.2),
        DVec3::Z,
        Motion::Oscillation {
            amplitude: [0.0, 0.0, 0.3],
            frequency: 1.5,
            phase: 0.4,
        },
    ));
    let mut stirred = cluster(&kind(Dimension::Space, Around::Nothing, 40));
    stirred.gravity = DVec3::NEG_Z;
    stirred.add_wall(Wall::new(
        Surface::Cylinder(Cylinder {
            radius: 1.3,
            length: 4.0,
            bottom: true,
            top: false,
        }),
        DVec3::ZERO,
        DVec3::new(0.2, 0.0, 1.0),
        Motion::Rotation {
            axis: [0.2, 0.0, 1.0],
            rate: 1.0,
            center: None,
        },
    ));
    let mut paddle = Sphere::new(DVec3::new(1.1, 0.0, 1.2), 0.1, 1.0);
    paddle.motion = Some(Motion::Rotation {
        axis: [0.0, 0.0, 1.0],
        rate: 3.0,
        center: Some([0.0, 0.0, 1.2]),
    });
    stirred.add_sphere(&paddle);
    vec![
        ("line", line.clone(), precise(0.05)),
        ("line with cfl", line, cfl),
        ("plane", plane.clone(), precise(0.02)),
        ("plane with cfl", plane, cfl),
        ("shaken", shaken.clone(), precise(0.03)),
        ("shaken with cfl", shaken, cfl),
        ("stirred", stirred.clone(), precise(0.02)),
        ("stirred with cfl", stirred, cfl),
    ]
}

#[test]
fn an_interruption_changes_no_bit() {
    for (name, world, settings) in varied() {
        let steps = 130;
        let mut straight = Simulation::new(world.clone(), settings).unwrap();
        for _ in 0..steps {
            straight.step().unwrap();
        }
        // Before the first step, early, next to a reordering of the bodies, late.
        for &stop in extent(&[7, 100][..], &[0, 7, 99, 100, 123]) {
            let mut first = Simulation::new(world.clone(), settings).unwrap();
            for _ in 0..stop {
                first.step().unwrap();
            }
            let snapshot = first.snapshot();
            let text = serde_json::to_string(&snapshot).unwrap();
            let read: Snapshot = serde_json::from_str(&text).unwrap();
            assert_eq!(read, snapshot, "{name}: text keeps every bit");
            let mut second = Simulation::restore(read).unwrap();
            for _ in stop..steps {
                second.step().unwrap();
            }
            assert_eq!(second.world().time, straight.world().time, "{name}");
            assert_eq!(
                second.world().bodies.state_hash(),
                straight.world().bodies.state_hash(),
                "{name}, interrupted after step {stop}"
            );
            assert_eq!(second.snapshot(), straight.snapshot(), "{name}");
        }
    }
}

#[test]
fn the_order_of_the_bodies_does_not_matter() {
    let kind = Kind {
        dimension: Dimension::Space,
        around: Around::Box,
        count: 50,
        size_ratio: 5.0,
        mass_ratio: 50.0,
        seed: 8,
    };
    let world = cluster(&kind);
    let n = world.bodies.len() as u32;
    let order: Vec<u32> = (0..n).map(|k| (k * 37 + 11) % n).collect();
    let mut relabelled = world.clone();
    relabelled.bodies.reorder(&order);
    relabelled.bodies.id = (0..n).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted.iter().copied().eq(0..n), "a permutation");
    let mut first = Simulation::new(world, precise(0.05)).unwrap();
    let mut second = Simulation::new(relabelled, precise(0.05)).unwrap();
    for _ in 0..20 {
        first.step().unwrap();
        second.step().unwrap();
        let (x, y) = (positions(first.world()), positions(second.world()));
        let (v, w) = (velocities(first.world()), velocities(second.world()));
        for (new, &old) in order.iter().enumerate() {
            let old = old as usize;
            assert!((x[old] - y[new]).length() < 1e-9, "body {old}");
            assert!((v[old] - w[new]).length() < 1e-9, "body {old}");
        }
    }
}
