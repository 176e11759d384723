//! Contacts that give, hold and yield in worlds: energy, restart, long steps, the limit of stiff springs.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Cohesion, Elasticity, Friction, Interface, Law, LawTable, Stiffness, Strength};
use granule::math::DVec3;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{BoxContainer, HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::{Method, WarmStart};

const SCHEMES: [SchemeName; 4] = [
    SchemeName::Maury,
    SchemeName::MoreauJean,
    SchemeName::Shake,
    SchemeName::Rattle,
];

fn soft(stiffness: f64, damping: f64) -> Elasticity {
    Elasticity {
        damping,
        ..Elasticity::springs(stiffness, 0.8 * stiffness)
    }
}

/// Mass of a sphere of the packing, kg.
const MASS: f64 = 10.0;

/// Its weight, N.
const WEIGHT: f64 = 10.0 * MASS;

/// 27 spheres of 0.1 m that fall by a little into a box, with this between them.
fn packing(interface: Interface) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -10.0 * DVec3::Z;
    world.laws = LawTable::uniform(interface);
    let container = Surface::Box(BoxContainer::closed([0.7, 0.7, 3.0]));
    world.add_wall(Wall::new(
        container,
        1.5 * DVec3::Z,
        DVec3::Z,
        Motion::Fixed,
    ));
    for k in 0..27_u32 {
        let [x, y, z] = [k % 3, k / 3 % 3, k / 9].map(f64::from);
        // Every other layer beside the one below.
        let aside = 0.02 * (z - 1.0);
        let place = DVec3::new(
            0.22 * (x - 1.0) + aside,
            0.22 * (y - 1.0) - aside,
            0.11 + 0.205 * z,
        );
        world.add_sphere(&Sphere::new(place, 0.1, MASS));
    }
    world
}

fn settings(step: f64, scheme: SchemeName, tolerance: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), 1e3);
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver.tolerance = tolerance;
    settings
}

/// Laws of all kinds, in worlds of spheres that weigh about this (N).
fn laws(weight: f64) -> Vec<(&'static str, Interface)> {
    let rough = Law::Coulomb(Friction::sliding(0.4));
    let rolling = Law::Coulomb(Friction {
        sliding: 0.4,
        rolling: 0.01,
        spinning: 0.01,
    });
    let stiffness = 1e4 * weight;
    let elasticity = soft(stiffness, 2e-3);
    let cohesion = Cohesion {
        strength: 3.0 * weight,
        range: 0.01,
    };
    let base = Interface {
        law: rough,
        elasticity,
        ..Interface::default()
    };
    vec![
        ("springs", base),
        ("held", Interface { cohesion, ..base }),
        (
            "held and rigid",
            Interface {
                cohesion,
                elasticity: Elasticity::default(),
                ..base
            },
        ),
        (
            "rolling",
            Interface {
                law: rolling,
                elasticity: Elasticity {
                    stiffness: Stiffness::Springs {
                        normal: stiffness,
                        tangential: Some(stiffness),
                        rolling: Some(stiffness),
                        spinning: Some(stiffness),
                    },
                    ..elasticity
                },
                cohesion,
                ..base
            },
        ),
        (
            "capped and rounded",
            Interface {
                law: Law::CoulombConvex(Friction::sliding(0.4)),
                strength: Strength {
                    rounding: weight,
                    cap: Some(20.0 * weight),
                },
                cohesion: Cohesion {
                    strength: 0.0,
                    range: 0.01,
                },
                ..base
            },
        ),
    ]
}

/// The energy of every step is accounted for, and what friction, dampers and flow take is never negative.
#[test]
fn the_account_closes_and_nothing_gives_energy() {
    for (name, interface) in laws(WEIGHT) {
        for scheme in SCHEMES {
            if interface.law.name() == "coulomb-convex" && scheme == SchemeName::MoreauJean {
                continue;
            }
            let mut simulation =
                Simulation::new(packing(interface), settings(2e-3, scheme, 1e-6)).unwrap();
            let mut all = granule::simulation::EnergyAccount::default();
            for _ in 0..80 {
                let report = simulation.step().unwrap();
                let account = report.energy;
                let scale = account.turned_over;
                assert!(report.certified, "{name} {scheme:?} {report:?}");
                assert!(
                    account.remainder.abs() <= 1e-9 * scale + 1e-15,
                    "{name} {scheme:?} {account:?}"
                );
                let flow = account.plastic + account.friction;
                for part in [account.viscous, flow, account.broken] {
                    assert!(part >= -1e-5 * scale, "{name} {scheme:?} {account:?}");
                }
                assert!(report.elastic_energy >= 0.0);
                all.add(&account);
            }
            assert!(
                all.friction >= -1e-6 * all.turned_over,
                "{name} {scheme:?} {all:?}"
            );
            let gives = interface.elasticity.gives();
            assert!((all.viscous > 0.0) == gives, "{name} {scheme:?} {all:?}");
        }
    }
}

/// What laws remember is in snapshots, and does not depend on threads.
#[test]
fn a_restart_and_other_threads_give_the_same_bits() {
    for (name, interface) in laws(WEIGHT) {
        let run = |threads: usize, stop: Option<usize>| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let settings = settings(2e-3, SchemeName::Maury, 1e-6);
                let mut simulation = Simulation::new(packing(interface), settings).unwrap();
                for k in 0..80 {
                    simulation.step().unwrap();
                    if Some(k) == stop {
                        simulation = Simulation::restore(simulation.snapshot()).unwrap();
                    }
                }
                simulation.world().bodies.by_id().state_hash()
            })
        };
        let straight = run(1, None);
        assert_eq!(straight, run(1, Some(50)), "{name}");
        assert_eq!(straight, run(3, None), "{name}");
    }
}

/// No step is too long for a spring: over eight decades of K h²/m a ball comes to rest, and never rises above its start.
#[test]
fn no_step_is_too_long_for_a_stiff_spring() {
    for power in -4..=4 {
        let (mass, step) = (1.0, 1e-3);
        let stiffness = mass / (step * step) * 10f64.powi(power);
        let mut world = World::new(Dimension::Space);
        world.gravity = -10.0 * DVec3::Z;
        world.laws = LawTable::uniform(Interface {
            elasticity: soft(stiffness, 0.0),
            ..Interface::default()
        });
        let floor = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
        world.add_sphere(&Sphere::new(0.6 * DVec3::Z, 0.5, mass));
        let mut simulation =
            Simulation::new(world, settings(step, SchemeName::Maury, 1e-9)).unwrap();
        let mut highest: f64 = 0.0;
        for k in 0..4000 {
            assert!(simulation.step().unwrap().certified);
            if k > 200 {
                highest = highest.max(simulation.world().bodies.position[0].z);
            }
        }
        assert!(highest <= 0.6 + 1e-12, "K h²/m = 1e{power}: {highest}");
        if power >= 0 {
            let sunk = 0.5 - simulation.world().bodies.position[0].z;
            assert!(
                (sunk - 10.0 * mass / stiffness).abs() < 1e-9,
                "{power}: {sunk}"
            );
        }
    }
}

/// A ball that a plate presses on the floor: refused while it is rigid, and with springs pressed as they say.
#[test]
fn a_sphere_under_a_press_carries_what_its_springs_say() {
    let pressed = |interface: Interface| {
        let mut world = World::new(Dimension::Space);
        world.laws = LawTable::uniform(interface);
        let floor = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(
            floor.clone(),
            DVec3::ZERO,
            DVec3::Z,
            Motion::Fixed,
        ));
        let down = Motion::Velocity {
            linear: [0.0, 0.0, -0.01],
        };
        world.add_wall(Wall::new(floor, 0.2001 * DVec3::Z, -DVec3::Z, down));
        world.add_sphere(&Sphere::new(0.1 * DVec3::Z, 0.1, 1.0));
        Simulation::new(world, settings(1e-3, SchemeName::Maury, 1e-9)).unwrap()
    };
    let mut rigid = pressed(Interface::default());
    assert!((0..50).any(|_| rigid.step().is_err()));
    let (stiffness, cap) = (1e6, 120.0);
    let springs = Interface {
        elasticity: soft(stiffness, 1e-3),
        ..Interface::default()
    };
    let force = |interface| {
        let mut simulation = pressed(interface);
        for _ in 0..60 {
            assert!(simulation.step().unwrap().certified);
        }
        let contacts: Vec<f64> = simulation
            .contacts()
            .map(|c| c.normal_impulse() / 1e-3)
            .collect();
        assert_eq!(contacts.len(), 2);
        assert!((contacts[0] - contacts[1]).abs() < 1e-6 * contacts[0]);
        contacts[0]
    };
    // 0.5 mm are taken by two springs in a row; their dampers add α_K K times half the speed of the plate.
    let found = force(springs);
    let expected = 0.5 * stiffness * (0.5e-3 + 1e-3 * 0.01);
    assert!(
        (found - expected).abs() < 1e-3 * expected,
        "{found} {expected}"
    );
    let crushed = force(Interface {
        strength: Strength {
            cap: Some(cap),
            ..Strength::default()
        },
        ..springs
    });
    assert!((crushed - cap).abs() < 1e-6 * cap, "{crushed}");
}

/// As the springs get stiffer, a packing moves as one of rigid spheres does.
#[test]
fn stiff_packings_move_as_rigid_ones() {
    let law = Law::Coulomb(Friction::sliding(0.4));
    let end = |elasticity: Elasticity| {
        let interface = Interface {
            law,
            elasticity,
            ..Interface::default()
        };
        let mut simulation =
            Simulation::new(packing(interface), settings(2e-3, SchemeName::Maury, 1e-9)).unwrap();
        for _ in 0..40 {
            simulation.step().unwrap();
        }
        simulation.world().bodies.by_id().position
    };
    let rigid = end(Elasticity::default());
    let errors: Vec<f64> = [1e6, 1e7, 1e8, 1e9]
        .iter()
        .map(|k| {
            let found = end(soft(k * WEIGHT, 0.0));
            let pairs = found.iter().zip(&rigid);
            pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
        })
        .collect();
    assert!(
        errors.windows(2).all(|pair| pair[1] < pair[0]),
        "{errors:?}"
    );
    assert!(errors[3] < 1e-6, "{errors:?}");
}

/// A capped contact that sticks keeps its tangential spring: pushed sideways by 3 N it goes 3 N/K and stays there.
#[test]
fn a_capped_contact_keeps_its_tangential_spring() {
    let stiffness = 1e5;
    let mut world = World::new(Dimension::Space);
    world.gravity = -9.81 * DVec3::Z;
    world.lock_rotation = true;
    world.laws = LawTable::uniform(Interface {
        law: Law::CoulombConvex(Friction::sliding(0.5)),
        elasticity: Elasticity {
            damping: 1e-3,
            ..Elasticity::springs(stiffness, stiffness)
        },
        strength: Strength {
            cap: Some(50.0),
            ..Strength::default()
        },
        ..Interface::default()
    });
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world.add_sphere(&Sphere::new((0.1 - 9.81e-5) * DVec3::Z, 0.1, 1.0));
    let mut simulation = Simulation::new(world, settings(1e-3, SchemeName::Maury, 1e-10)).unwrap();
    for _ in 0..600 {
        let ball = simulation.world().bodies.id[0];
        simulation.apply_force(ball, 3.0 * DVec3::X, DVec3::ZERO);
        simulation.step().unwrap();
    }
    let x = simulation.world().bodies.position[0].x;
    assert!((x - 3.0 / stiffness).abs() < 1e-9, "{x}");
}

/// Overlaps of rigid contacts that hold are measured, and taken out without velocity.
#[test]
fn overlaps_of_rigid_contacts_that_hold_are_undone_without_velocity() {
    let mut world = World::new(Dimension::Space);
    world.laws = LawTable::uniform(Interface {
        cohesion: Cohesion {
            strength: 5.0,
            range: 0.01,
        },
        ..Interface::default()
    });
    world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 1.0));
    world.add_sphere(&Sphere::new(0.199 * DVec3::X, 0.1, 1.0));
    let mut simulation = Simulation::new(world, settings(1e-3, SchemeName::Maury, 1e-9)).unwrap();
    let report = simulation.step().unwrap();
    assert!((report.recovered - 1e-3).abs() < 1e-12, "{report:?}");
    for _ in 0..10 {
        let report = simulation.step().unwrap();
        assert!(report.kinetic_energy < 1e-18, "{report:?}");
        assert!(report.certificate.max_penetration < 1e-9, "{report:?}");
    }
}

/// A packing at rest is where it was: whatever a contact stores, holds or has yielded, a further step starts from what it
/// carried and has next to nothing left to do: at most two iterations a step,
/// and with sweeps and gradients a fifth of what a start from nothing takes.
#[test]
fn a_packing_at_rest_takes_no_iterations() {
    // Rigid ones that hold are statically indeterminate, and at rest find other impulses in each step.
    let gives = |(_, interface): &(&str, Interface)| interface.elasticity.gives();
    for (name, interface) in laws(WEIGHT).into_iter().filter(gives) {
        let settings = settings(2e-3, SchemeName::Maury, 1e-6);
        let mut simulation = Simulation::new(packing(interface), settings).unwrap();
        for _ in 0..1500 {
            simulation.step().unwrap();
        }
        let at_rest = simulation.snapshot();
        for method in [
            Method::Ags,
            Method::Apgd,
            Method::ApgdAr,
            Method::NlgsSbp,
            Method::Newton,
            Method::Usual,
            Method::Auto,
        ] {
            let mut snapshot = at_rest.clone();
            snapshot.settings.solver.own = method.into();
            // What is left of the motion is far below it.
            snapshot.settings.solver.tolerance = 1e-4;
            let Ok(mut simulation) = Simulation::restore(snapshot) else {
                // It knows neither moments nor contacts that yield.
                assert_eq!(method, Method::NlgsSbp, "{name}");
                continue;
            };
            let mut iterations = [0; 2];
            for _ in 0..10 {
                let report = simulation.step().unwrap();
                assert!(
                    report.certified && report.active > 27,
                    "{name} {method:?} {report:?}"
                );
                iterations[0] += report.iterations;
            }
            let mut snapshot = simulation.snapshot();
            snapshot.settings.solver.warm_start = WarmStart::Zero;
            let mut simulation = Simulation::restore(snapshot).unwrap();
            for _ in 0..10 {
                iterations[1] += simulation.step().unwrap().iterations;
            }
            let [warm, cold] = iterations;
            assert!(warm <= 20, "{name} {method:?}: {iterations:?}");
            let second_order = matches!(method, Method::Newton);
            assert!(
                second_order || 5 * warm <= cold,
                "{name} {method:?}: {iterations:?}"
            );
        }
    }
}

/// What hangs by contacts that could hold a million times as much is held as well as what hangs by a thread: errors are
/// compared with what contacts carry, not with what they could.
#[test]
fn strong_glue_does_not_loosen_the_test() {
    const COUNT: usize = 12;
    let step = 1e-2;
    for strength in [2.0, 1e3, 1e6] {
        let mut world = World::new(Dimension::Space);
        world.gravity = -10.0 * DVec3::Z;
        let cohesion = Cohesion {
            strength: strength * 10.0 * COUNT as f64,
            range: 1e-3,
        };
        world.laws = LawTable::uniform(Interface {
            law: Law::Coulomb(Friction::sliding(0.4)),
            cohesion,
            ..Interface::default()
        });
        let ceiling = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(ceiling, DVec3::ZERO, -DVec3::Z, Motion::Fixed));
        let start = |k: usize| -(0.1 + 0.2 * k as f64);
        for k in 0..COUNT {
            world.add_sphere(&Sphere::new(start(k) * DVec3::Z, 0.1, 1.0));
        }
        let tolerance = 1e-4;
        let mut simulation =
            Simulation::new(world, settings(step, SchemeName::Maury, tolerance)).unwrap();
        let mut fastest: f64 = 0.0;
        for _ in 0..50 {
            assert!(simulation.step().unwrap().certified);
            let bodies = &simulation.world().bodies;
            let speeds = bodies.velocity.iter().map(|v| v.length());
            fastest = speeds.fold(fastest, f64::max);
        }
        // w of the contacts is at most tolerance · λ_max(W_kk) ‖λ‖, with 2 (1 + 5/2)/m and k m g h at contact k. A contact
        // that errs by w leaves a gap of h w, which the next step closes while it errs again: its velocity is the
        // difference of two w. That of the lowest sphere is the sum of them.
        let squares: f64 = (1..=COUNT).map(|k| (k * k) as f64).sum();
        let velocities = 2.0 * tolerance * 7.0 * 10.0 * step * squares.sqrt();
        let allowed = velocities * (COUNT as f64).sqrt();
        assert!(fastest < allowed, "{strength}: {fastest} {allowed}");
    }
}

#[test]
fn overlaps_of_contacts_that_give_are_told() {
    // A ball at rest on springs sinks by its weight over the stiffness.
    let mut world = World::new(Dimension::Space);
    world.gravity = -10.0 * DVec3::Z;
    world.laws = LawTable::uniform(Interface {
        elasticity: soft(1e4, 0.05),
        ..Interface::default()
    });
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world.add_sphere(&Sphere::new(0.1 * DVec3::Z, 0.1, MASS));
    let settings = settings(0.01, SchemeName::Maury, 1e-10);
    let mut simulation = Simulation::new(world, settings).unwrap();
    let mut last = 0.0;
    for _ in 0..300 {
        let report = simulation.step().unwrap();
        assert_eq!(report.certificate.max_penetration, 0.0);
        last = report.given_overlap;
    }
    assert!((last - WEIGHT / 1e4).abs() < 1e-6, "{last}");
}
