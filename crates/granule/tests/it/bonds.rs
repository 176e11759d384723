//! Bonds: what they hold, when they break, and that what is bonded moves as one body.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Bond, Elasticity, Friction, Interface, Law, LawTable, Stiffness};
use granule::math::{DQuat, DVec3};
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{
    BondError, EnergyAccount, Settings, SetupError, Simulation, StepSize, World,
};

const SCHEMES: [SchemeName; 4] = [
    SchemeName::Maury,
    SchemeName::MoreauJean,
    SchemeName::Shake,
    SchemeName::Rattle,
];

/// Radius of the spheres, m.
const RADIUS: f64 = 0.05;

/// A brittle bond whose strengths all matter.
const BOND: Bond = Bond {
    pull: 100.0,
    shear: 60.0,
    bending: 2.0,
    torsion: 1.5,
    opening: 0.0,
    slip: 0.0,
    turn: 0.0,
    within: Some(1e-6),
};

fn settings(step: f64, scheme: SchemeName, tolerance: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), 1e3);
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver.tolerance = tolerance;
    settings
}

fn bonded(law: Law, bond: Bond) -> Interface {
    Interface {
        bond: Some(bond),
        ..Interface::from(law)
    }
}

fn springs(damping: f64) -> Elasticity {
    Elasticity {
        stiffness: Stiffness::Springs {
            normal: 1e6,
            tangential: Some(5e5),
            rolling: Some(1e3),
            spinning: Some(1e3),
        },
        damping,
        mass_damping: 0.0,
    }
}

/// A sphere that does not move and one that touches it in the direction of x; ids 0 and 1.
fn pair(interface: Interface) -> World {
    let mut world = World::new(Dimension::Space);
    world.laws = LawTable::uniform(interface);
    let mut fixed = Sphere::new(DVec3::ZERO, RADIUS, 1.0);
    fixed.motion = Some(Motion::Fixed);
    world.add_sphere(&fixed);
    world.add_sphere(&Sphere::new(2.0 * RADIUS * DVec3::X, RADIUS, 1.0));
    world
}

/// How many bonds are left after a force and a torque on body 1 have grown to these within 100 steps and stayed for 50.
fn bonds_under(simulation: &mut Simulation, force: DVec3, torque: DVec3) -> usize {
    for k in 1..=150_u32 {
        let share = f64::from(k.min(100)) / 100.0;
        simulation.apply_force(1, share * force, share * torque);
        assert!(simulation.step().unwrap().certified);
    }
    simulation.bonds()
}

/// Every strength, with rigid bonds and with springs, under every law and scheme.
#[test]
fn a_bond_holds_what_it_says_and_not_more() {
    // A force at the centre that shears bends as well; the torque takes that away.
    let lever = RADIUS * DVec3::X;
    let shear = BOND.shear * DVec3::Y;
    let loads = [
        ("pull", BOND.pull * DVec3::X, DVec3::ZERO),
        ("shear", shear, -lever.cross(shear)),
        ("bending", DVec3::ZERO, BOND.bending * DVec3::Z),
        ("torsion", DVec3::ZERO, BOND.torsion * DVec3::X),
    ];
    let friction = Friction::sliding(0.4);
    let laws = [
        Law::Frictionless,
        Law::Coulomb(friction),
        Law::CoulombConvex(friction),
    ];
    for scheme in SCHEMES {
        for law in laws {
            if scheme == SchemeName::MoreauJean && law == Law::CoulombConvex(friction) {
                continue;
            }
            for elasticity in [Elasticity::default(), springs(5e-3)] {
                for (name, force, torque) in loads {
                    let left = |share: f64| {
                        let interface = Interface {
                            elasticity,
                            ..bonded(law, BOND)
                        };
                        let settings = settings(1e-3, scheme, 1e-9);
                        let mut simulation = Simulation::new(pair(interface), settings).unwrap();
                        assert_eq!(simulation.bonds(), 1);
                        bonds_under(&mut simulation, share * force, share * torque)
                    };
                    let found = (left(0.99), left(1.01));
                    assert_eq!(found, (1, 0), "{name} {scheme:?} {law:?} {elasticity:?}");
                }
            }
        }
    }
}

/// Under compression a bond holds more shear, under tension less: |f_T| ≤ shear (1 + f_n/pull).
#[test]
fn compression_makes_a_bond_stronger() {
    for along in [-50.0, 50.0] {
        let most = BOND.shear * (1.0 - along / BOND.pull);
        for (share, expected) in [(0.99, 1), (1.01, 0)] {
            let interface = bonded(Law::Frictionless, BOND);
            let mut simulation =
                Simulation::new(pair(interface), settings(1e-3, SchemeName::Maury, 1e-10)).unwrap();
            let force = DVec3::new(along, share * most, 0.0);
            let torque = -(RADIUS * DVec3::X).cross(force);
            assert_eq!(bonds_under(&mut simulation, force, torque), expected);
        }
    }
}

/// What broke does not hold when it touches again; friction and contact are there.
#[test]
fn a_broken_bond_is_gone_for_good() {
    for elasticity in [Elasticity::default(), springs(1e-3)] {
        let interface = Interface {
            elasticity,
            ..bonded(Law::Coulomb(Friction::sliding(0.4)), BOND)
        };
        let settings = settings(1e-3, SchemeName::Maury, 1e-9);
        let mut simulation = Simulation::new(pair(interface), settings).unwrap();
        assert_eq!(
            bonds_under(&mut simulation, 101.0 * DVec3::X, DVec3::ZERO),
            0
        );
        for _ in 0..400 {
            simulation.apply_force(1, -80.0 * DVec3::X, DVec3::ZERO);
            simulation.step().unwrap();
        }
        let touching = simulation.contacts().any(|c| c.normal_impulse() > 0.05);
        assert!(touching, "{:?}", simulation.world().bodies.position);
        assert_eq!(bonds_under(&mut simulation, 5.0 * DVec3::X, DVec3::ZERO), 0);
        let gap = simulation.world().bodies.by_id().position[1].x - 2.0 * RADIUS;
        assert!(gap > 0.01, "{gap}");
    }
}

/// Pulled by more than it holds, a bond with room to open flows under its strength until it has opened by that much.
#[test]
fn a_tough_bond_flows_before_it_breaks() {
    let bond = Bond {
        opening: 1e-3,
        ..BOND
    };
    for scheme in SCHEMES {
        let interface = bonded(Law::Coulomb(Friction::sliding(0.4)), bond);
        let step = 1e-4;
        let mut simulation =
            Simulation::new(pair(interface), settings(step, scheme, 1e-10)).unwrap();
        let mut all = EnergyAccount::default();
        let mut time = 0.0;
        while simulation.bonds() > 0 {
            simulation.apply_force(1, 110.0 * DVec3::X, DVec3::ZERO);
            let report = simulation.step().unwrap();
            all.add(&report.energy);
            time = report.time;
        }
        // 10 N move 1 kg.
        let expected = (2.0_f64 * 1e-3 / 10.0).sqrt();
        assert!((time - expected).abs() < 3.0 * step, "{scheme:?} {time}");
        let work = bond.pull * bond.opening;
        assert!((all.plastic - work).abs() < 0.03 * work, "{all:?}");
        assert!(all.remainder.abs() < 1e-10 * all.turned_over, "{all:?}");
    }
}

/// What was stored in a bond that breaks is what the account says.
#[test]
fn the_energy_of_a_broken_bond_is_accounted_for() {
    for scheme in SCHEMES {
        let interface = Interface {
            elasticity: springs(5e-3),
            ..bonded(Law::Coulomb(Friction::sliding(0.4)), BOND)
        };
        let mut simulation =
            Simulation::new(pair(interface), settings(1e-3, scheme, 1e-10)).unwrap();
        let mut all = EnergyAccount::default();
        for k in 1..=1100_u32 {
            simulation.apply_force(1, 0.1 * f64::from(k) * DVec3::X, DVec3::ZERO);
            all.add(&simulation.step().unwrap().energy);
        }
        assert_eq!(simulation.bonds(), 0);
        let expected = 0.5 * BOND.pull * BOND.pull / 1e6;
        let error = (all.broken - expected).abs();
        assert!(error < 0.01 * expected, "{scheme:?} {all:?} {expected}");
        assert!(all.remainder.abs() < 1e-9 * all.turned_over, "{all:?}");
        assert_eq!(simulation.step().unwrap().elastic_energy, 0.0);
    }
}

/// Stiffness against rolling (N m/rad) and sliding (N/m) in the beam.
const ROLLING: f64 = 1e4;
const SLIDING: f64 = 1e6;

/// A beam of bonded spheres along x of which the first does not move.
fn beam(dimension: Dimension, count: u32, bond: Bond) -> World {
    let mut world = World::new(dimension);
    world.laws = LawTable::uniform(Interface {
        elasticity: Elasticity {
            stiffness: Stiffness::Springs {
                normal: 1e7,
                tangential: Some(SLIDING),
                rolling: Some(ROLLING),
                spinning: (dimension == Dimension::Space).then_some(ROLLING),
            },
            damping: 0.01,
            mass_damping: 0.0,
        },
        ..bonded(Law::Coulomb(Friction::sliding(0.4)), bond)
    });
    for k in 0..count {
        let mut sphere = Sphere::new(2.0 * RADIUS * f64::from(k) * DVec3::X, RADIUS, 1.0);
        sphere.motion = (k == 0).then_some(Motion::Fixed);
        world.add_sphere(&sphere);
    }
    world
}

/// The chain of n bonds under a load P at its end: at bond k, a lever s_k from the end, the moment P s_k bends it by
/// P s_k/K_roll, and the shear P moves it by P/K_T. The end sinks by Σ (P s_k²/K_roll + P/K_T). With the strength B the bond at
/// the root is the first to break, under P = B/s_1.
#[test]
fn a_cantilever_bends_and_breaks_as_the_chain_says() {
    let strong = Bond {
        pull: 1e5,
        shear: 1e5,
        bending: 40.0,
        torsion: 40.0,
        ..BOND
    };
    for dimension in [Dimension::Plane, Dimension::Space] {
        let count = 8;
        let lever = |bond: u32| 2.0 * RADIUS * (f64::from(count - 1 - bond) - 0.5);
        let levers: Vec<f64> = (0..count - 1).map(lever).collect();
        let critical = strong.bending / levers[0];
        let settings = settings(5e-3, SchemeName::Maury, 1e-9);
        let mut simulation = Simulation::new(beam(dimension, count, strong), settings).unwrap();
        assert_eq!(simulation.bonds(), 7);
        let push = |simulation: &mut Simulation, load: f64| {
            simulation.apply_force(count - 1, -load * DVec3::Y, DVec3::ZERO);
            simulation.step().unwrap();
        };
        let load = 0.25 * critical;
        for _ in 0..250 {
            push(&mut simulation, load);
        }
        let sunk = -simulation.world().bodies.by_id().position[7].y;
        let bent: f64 = levers.iter().map(|s| s * s / ROLLING + 1.0 / SLIDING).sum();
        assert!(
            (sunk - load * bent).abs() < 2e-3 * sunk,
            "{dimension:?} {sunk} {}",
            load * bent
        );
        let mut broke_at = 0.0;
        for k in 0..400 {
            let load = critical * (0.25 + f64::from(k) / 500.0);
            push(&mut simulation, load);
            if simulation.bonds() < 7 {
                broke_at = load / critical;
                break;
            }
        }
        assert!((broke_at - 1.0).abs() < 0.02, "{dimension:?} {broke_at}");
        let at_root = |c: &granule::simulation::ContactImpulse| {
            let (a, b) = simulation.contact_ids(c);
            c.law.bond.is_some() && (a == 0 || b == Some(0))
        };
        assert!(!simulation.contacts().any(|c| at_root(&c)));
    }
}

/// A lattice of touching spheres that are bonded, turned as a whole, in an order that is not that of their places.
fn lattice(counts: [u32; 3], interface: Interface) -> World {
    let mut world = World::new(Dimension::Space);
    world.laws = LawTable::uniform(interface);
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.8));
    let [nx, ny, nz] = counts;
    let total = nx * ny * nz;
    for k in 0..total {
        // A step that shares no divisor with the number visits all places.
        let k = (k * 37 + 11) % total;
        let place = DVec3::new(
            f64::from(k % nx),
            f64::from(k / nx % ny),
            f64::from(k / nx / ny),
        );
        world.add_sphere(&Sphere::new(2.0 * RADIUS * (turn * place), RADIUS, 1.0));
    }
    world
}

fn strong(law: Law) -> Interface {
    let bond = Bond {
        pull: 1e6,
        shear: 1e6,
        bending: 1e5,
        torsion: 1e5,
        ..BOND
    };
    bonded(law, bond)
}

/// Angular momentum about the centre of mass, kg m²/s, and the centre of mass with its velocity.
fn momenta(world: &World) -> (DVec3, DVec3, DVec3) {
    let bodies = &world.bodies;
    let count = bodies.len() as f64;
    let center = bodies.position.iter().sum::<DVec3>() / count;
    let velocity = bodies.velocity.iter().sum::<DVec3>() / count;
    let spin = (0..bodies.len()).map(|i| {
        let orbit = (bodies.position[i] - center).cross(bodies.velocity[i] - velocity);
        bodies.mass[i] * orbit + bodies.inertia[i] * bodies.angular_velocity[i]
    });
    (spin.sum(), center, velocity)
}

/// Sets a world spinning about its centre of mass, thrown with a velocity.
fn throw(world: &mut World, velocity: DVec3, spin: DVec3) {
    let center = world.bodies.position.iter().sum::<DVec3>() / world.bodies.len() as f64;
    for i in 0..world.bodies.len() {
        world.bodies.velocity[i] = velocity + spin.cross(world.bodies.position[i] - center);
        world.bodies.angular_velocity[i] = spin;
    }
}

/// The largest change of a distance between two bodies, m.
fn distortion(before: &World, after: &World) -> f64 {
    let (a, b) = (
        before.bodies.by_id().position,
        after.bodies.by_id().position,
    );
    let mut worst: f64 = 0.0;
    for i in 0..a.len() {
        for j in 0..i {
            worst = worst.max((a[i].distance(a[j]) - b[i].distance(b[j])).abs());
        }
    }
    worst
}

/// A hundred spheres, bonded rigidly to each other in many loops, fall and turn as one body.
#[test]
fn a_bonded_cluster_moves_as_a_rigid_body() {
    let mut world = lattice([5, 5, 4], strong(Law::Coulomb(Friction::sliding(0.4))));
    world.gravity = -10.0 * DVec3::Z;
    let spin = DVec3::new(0.3, -0.4, 0.8);
    throw(&mut world, DVec3::X, spin);
    let before = world.clone();
    let (start, center, _) = momenta(&before);
    let settings = settings(1e-3, SchemeName::Maury, 1e-8);
    let mut simulation = Simulation::new(world, settings).unwrap();
    assert_eq!(simulation.bonds(), 235);
    for _ in 0..300 {
        let report = simulation.step().unwrap();
        assert!(report.certified && report.bonds == 235, "{report:?}");
    }
    let (end, reached, velocity) = momenta(simulation.world());
    let error = (end - start).length() / start.length();
    assert!(error < 1e-9, "angular momentum {error}");
    let time = simulation.world().time;
    let way = DVec3::X * time - 0.5 * 10.0 * time * (time + 1e-3) * DVec3::Z;
    assert!((reached - center - way).length() < 1e-9, "{reached}");
    assert!((velocity - DVec3::X + 10.0 * time * DVec3::Z).length() < 1e-9);
    let shape = distortion(&before, simulation.world());
    assert!(shape < 1e-6, "{shape}");
    let bodies = &simulation.world().bodies;
    let spread = (bodies.angular_velocity.iter())
        .map(|w| (*w - bodies.angular_velocity[0]).length())
        .fold(0.0, f64::max);
    assert!(spread < 1e-5, "{spread}");
}

/// A chain with a knee that spins about an axis oblique to its bonds: errors of the linearised motion do not add up.
#[test]
fn rigid_bonds_do_not_drift() {
    let mut world = World::new(Dimension::Space);
    world.laws = LawTable::uniform(strong(Law::Coulomb(Friction::sliding(0.4))));
    let places = [
        DVec3::ZERO,
        DVec3::X,
        DVec3::X + DVec3::Y,
        DVec3::X + DVec3::Y + DVec3::Z,
    ];
    for place in places {
        world.add_sphere(&Sphere::new(2.0 * RADIUS * place, RADIUS, 1.0));
    }
    let spin = DVec3::new(0.6, 0.5, -0.4);
    throw(&mut world, DVec3::ZERO, spin);
    let before = world.clone();
    let (start, _, _) = momenta(&before);
    let mut simulation = Simulation::new(world, settings(1e-3, SchemeName::Maury, 1e-8)).unwrap();
    let mut worst = [0.0_f64; 10];
    for k in 0..10_000 {
        simulation.step().unwrap();
        let part = &mut worst[k / 1000];
        *part = part.max(distortion(&before, simulation.world()));
    }
    let (end, _, _) = momenta(simulation.world());
    let error = (end - start).length() / start.length();
    // A step stretches everything across ω by (h ω)²/2, which the next one undoes: 7e-8 m of 0.17 m.
    let most = 0.5 * (1e-3 * spin.length()).powi(2) * 0.1 * 3_f64.sqrt();
    assert!(worst.iter().all(|w| *w < 1.5 * most), "{worst:?} {most}");
    assert!(error < 1e-9, "{error}");
    assert_eq!(simulation.bonds(), 3);
}

/// A bond across a gap as wide as half a radius turns with its bodies, and its momentum is theirs.
#[test]
fn a_bond_bridges_a_gap() {
    for elasticity in [Elasticity::default(), springs(0.0)] {
        let mut world = World::new(Dimension::Space);
        world.laws = LawTable::uniform(Interface {
            elasticity,
            ..strong(Law::Coulomb(Friction::sliding(0.4)))
        });
        world.add_sphere(&Sphere::new(DVec3::ZERO, RADIUS, 1.0));
        world.add_sphere(&Sphere::new(2.5 * RADIUS * DVec3::X, RADIUS, 2.0));
        let spin = DVec3::new(0.2, 0.7, 0.5);
        for i in 0..2 {
            let center = 2.5 * RADIUS * DVec3::X * (2.0 / 3.0);
            world.bodies.velocity[i] = spin.cross(world.bodies.position[i] - center);
            world.bodies.angular_velocity[i] = spin;
        }
        let settings = settings(1e-3, SchemeName::Maury, 1e-10);
        let mut simulation = Simulation::new(world, settings).unwrap();
        assert_eq!(simulation.bonds(), 0);
        simulation.bond(0, 1).unwrap();
        let turning = |world: &World| {
            let bodies = &world.bodies;
            let all = (0..2).map(|i| {
                bodies.mass[i] * bodies.position[i].cross(bodies.velocity[i])
                    + bodies.inertia[i] * bodies.angular_velocity[i]
            });
            all.sum::<DVec3>()
        };
        let start = turning(simulation.world());
        for _ in 0..3000 {
            assert!(simulation.step().unwrap().certified);
        }
        let bodies = &simulation.world().bodies;
        let gap = bodies.position[0].distance(bodies.position[1]) - 2.0 * RADIUS;
        assert_eq!(simulation.bonds(), 1);
        assert!((gap - 0.5 * RADIUS).abs() < 1e-6, "{gap}");
        let error = (turning(simulation.world()) - start).length() / start.length();
        assert!(error < 1e-9, "{error}");
    }
}

/// A bond without moments is a hinge: its bodies turn about it as they like, pulled and sheared, and it holds.
#[test]
fn a_hinge_turns_and_holds() {
    let hinge = Bond {
        bending: 0.0,
        torsion: 0.0,
        ..BOND
    };
    let mut world = pair(bonded(Law::Frictionless, hinge));
    // Another material with moments, so that there are rows for them.
    world.laws.pairs = vec![(1, 1, bonded(Law::Frictionless, BOND))];
    world.gravity = -10.0 * DVec3::Y;
    world.bodies.angular_velocity[1] = DVec3::new(3.0, 2.0, 1.0);
    let mut simulation = Simulation::new(world, settings(1e-3, SchemeName::Maury, 1e-8)).unwrap();
    for _ in 0..1000 {
        assert!(simulation.step().unwrap().certified);
    }
    assert_eq!(simulation.bonds(), 1);
    let bodies = simulation.world().bodies.by_id();
    let apart = bodies.position[1].length() - 2.0 * RADIUS;
    assert!(
        apart.abs() < 1e-4 && bodies.position[1].y.abs() > 1e-3,
        "{apart}"
    );
}

/// A bond that has flowed apart by some diameters still pulls: it stays in the list of neighbours.
#[test]
fn a_stretched_bond_is_not_lost() {
    let bond = Bond {
        opening: 10.0,
        slip: 10.0,
        turn: 10.0,
        ..BOND
    };
    let interface = bonded(Law::Coulomb(Friction::sliding(0.4)), bond);
    let mut world = pair(interface);
    // Others that come and go, so that the list is built again and again.
    for k in 0..20_u32 {
        let mut other = Sphere::new(DVec3::new(0.0, 1.0 + 0.2 * f64::from(k), 0.0), RADIUS, 1.0);
        other.velocity = 3.0 * DVec3::X;
        world.add_sphere(&other);
    }
    let mut simulation = Simulation::new(world, settings(1e-3, SchemeName::Maury, 1e-10)).unwrap();
    for k in 0..400 {
        simulation.apply_force(1, 110.0 * DVec3::X, DVec3::ZERO);
        simulation.step().unwrap();
        if k == 200 {
            simulation = Simulation::restore(simulation.snapshot()).unwrap();
        }
    }
    let bodies = simulation.world().bodies.by_id();
    assert_eq!(simulation.bonds(), 1);
    assert!(bodies.position[1].x > 0.7, "{}", bodies.position[1]);
    // 10 N are left to move it.
    assert!(
        (bodies.velocity[1].x - 4.0).abs() < 1e-6,
        "{}",
        bodies.velocity[1]
    );
}

/// A lattice that falls on the floor and breaks in part, over the reordering of bodies and a restart.
#[test]
fn bonds_survive_order_restart_and_threads_with_the_same_bits() {
    let bond = Bond {
        pull: 400.0,
        shear: 400.0,
        bending: 10.0,
        torsion: 10.0,
        ..BOND
    };
    let run = |threads: usize, stop: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let interface = Interface {
                elasticity: springs(1e-3),
                ..bonded(Law::Coulomb(Friction::sliding(0.4)), bond)
            };
            let mut world = lattice([3, 3, 4], interface);
            world.gravity = -10.0 * DVec3::Z;
            let floor = Surface::HalfSpace(HalfSpace);
            world.add_wall(Wall::new(floor, -0.35 * DVec3::Z, DVec3::Z, Motion::Fixed));
            throw(&mut world, -3.0 * DVec3::Z, DVec3::new(5.0, 3.0, 0.0));
            let settings = settings(1e-3, SchemeName::Maury, 1e-6);
            let mut simulation = Simulation::new(world, settings).unwrap();
            let start = simulation.bonds();
            for k in 0..240 {
                simulation.step().unwrap();
                if Some(k) == stop {
                    simulation = Simulation::restore(simulation.snapshot()).unwrap();
                }
            }
            let left = simulation.bonds();
            assert!(left < start && left > start / 4, "{left} of {start}");
            (simulation.world().bodies.by_id().state_hash(), left)
        })
    };
    let straight = run(1, None);
    assert_eq!(straight, run(1, Some(150)));
    assert_eq!(straight, run(3, None));
}

/// A lattice that breaks on the floor: the energy of every step is accounted for, with every scheme.
#[test]
fn the_account_closes_while_bonds_break() {
    let bond = Bond {
        pull: 300.0,
        shear: 300.0,
        bending: 8.0,
        torsion: 8.0,
        ..BOND
    };
    for scheme in SCHEMES {
        for elasticity in [Elasticity::default(), springs(1e-3)] {
            let interface = Interface {
                elasticity,
                ..bonded(Law::Coulomb(Friction::sliding(0.4)), bond)
            };
            let mut world = lattice([2, 2, 4], interface);
            world.gravity = -10.0 * DVec3::Z;
            let floor = Surface::HalfSpace(HalfSpace);
            world.add_wall(Wall::new(floor, -0.3 * DVec3::Z, DVec3::Z, Motion::Fixed));
            throw(&mut world, -3.0 * DVec3::Z, DVec3::new(5.0, 3.0, 0.0));
            let mut simulation = Simulation::new(world, settings(1e-3, scheme, 1e-6)).unwrap();
            let start = simulation.bonds();
            let mut all = EnergyAccount::default();
            for _ in 0..150 {
                let report = simulation.step().unwrap();
                assert!(report.certified, "{scheme:?} {report:?}");
                let account = report.energy;
                let error = account.remainder.abs();
                assert!(
                    error <= 1e-9 * account.turned_over,
                    "{scheme:?} {account:?}"
                );
                all.add(&account);
            }
            assert!(simulation.bonds() < start, "{scheme:?} {elasticity:?}");
            assert!(all.broken >= 0.0 && all.dissipation > 0.0, "{all:?}");
        }
    }
}

/// A cluster that is put down with an overlap is lifted as a whole, not torn.
#[test]
fn overlaps_are_taken_out_of_bonded_clusters_as_a_whole() {
    for scheme in SCHEMES {
        let mut world = World::new(Dimension::Space);
        world.gravity = -10.0 * DVec3::Z;
        world.laws = LawTable::uniform(strong(Law::Coulomb(Friction::sliding(0.4))));
        let floor = Surface::HalfSpace(HalfSpace);
        world.laws.pairs = vec![(0, 1, Interface::from(Law::Coulomb(Friction::sliding(0.4))))];
        let mut floor = Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed);
        floor.material = 1;
        world.add_wall(floor);
        for k in 0..4 {
            let height = 0.9 * RADIUS + 2.0 * RADIUS * f64::from(k);
            world.add_sphere(&Sphere::new(height * DVec3::Z, RADIUS, 1.0));
        }
        let before = world.clone();
        let mut simulation = Simulation::new(world, settings(1e-3, scheme, 1e-9)).unwrap();
        assert_eq!(simulation.bonds(), 3);
        for _ in 0..200 {
            let report = simulation.step().unwrap();
            assert!(report.kinetic_energy < 1e-6, "{scheme:?} {report:?}");
        }
        assert_eq!(simulation.bonds(), 3);
        assert!(distortion(&before, simulation.world()) < 1e-6);
        let lowest = simulation.world().bodies.by_id().position[0].z;
        assert!(
            (lowest - RADIUS).abs() < 2e-3 * RADIUS,
            "{scheme:?} {lowest}"
        );
    }
}

/// Bonds with walls hold a sphere up, and let go of it when it gets too heavy.
#[test]
fn a_sphere_hangs_from_a_wall() {
    for (mass, expected) in [(9.9, 1), (10.1, 0)] {
        let mut world = World::new(Dimension::Space);
        world.gravity = -10.0 * DVec3::Z;
        world.laws = LawTable::uniform(bonded(Law::Frictionless, BOND));
        let ceiling = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(
            ceiling,
            RADIUS * DVec3::Z,
            -DVec3::Z,
            Motion::Fixed,
        ));
        world.add_sphere(&Sphere::new(DVec3::ZERO, RADIUS, mass));
        let settings = settings(1e-3, SchemeName::Maury, 1e-10);
        let mut simulation = Simulation::new(world, settings).unwrap();
        for _ in 0..100 {
            simulation.step().unwrap();
        }
        assert_eq!(simulation.bonds(), expected, "{mass}");
        let fallen = -simulation.world().bodies.position[0].z;
        assert_eq!(fallen < 1e-9, expected == 1, "{fallen}");
    }
}

/// Numbers that make no sense are refused by name, and so are bonds between what cannot be bonded.
#[test]
fn bad_bonds_are_refused() {
    let with = |bond: Bond| {
        Simulation::new(
            pair(bonded(Law::Frictionless, bond)),
            settings(1e-3, SchemeName::Maury, 1e-9),
        )
    };
    let bad = [
        ("pull", Bond { pull: 0.0, ..BOND }),
        ("pull", Bond { pull: -1.0, ..BOND }),
        (
            "pull",
            Bond {
                pull: f64::NAN,
                ..BOND
            },
        ),
        (
            "pull",
            Bond {
                pull: f64::INFINITY,
                ..BOND
            },
        ),
        (
            "shear",
            Bond {
                shear: -1.0,
                ..BOND
            },
        ),
        (
            "bending",
            Bond {
                bending: f64::NAN,
                ..BOND
            },
        ),
        (
            "torsion",
            Bond {
                torsion: f64::INFINITY,
                ..BOND
            },
        ),
        (
            "shear",
            Bond {
                pull: 1e-100,
                ..BOND
            },
        ),
        (
            "opening",
            Bond {
                opening: -1e-3,
                ..BOND
            },
        ),
        (
            "slip",
            Bond {
                slip: f64::NAN,
                ..BOND
            },
        ),
        ("turn", Bond { turn: -0.1, ..BOND }),
        (
            "within",
            Bond {
                within: Some(-1.0),
                ..BOND
            },
        ),
    ];
    for (key, bond) in bad {
        match with(bond).err() {
            Some(SetupError::Setting { name, .. }) => assert_eq!(name, key),
            other => panic!("{key}: {other:?}"),
        }
    }
    let mut simulation = with(Bond {
        within: None,
        ..BOND
    })
    .unwrap();
    assert_eq!(simulation.bonds(), 0);
    assert_eq!(simulation.bond(0, 7), Err(BondError::NoSuchBody(7)));
    assert_eq!(simulation.bond(1, 1), Err(BondError::NotFree(1, 1)));
    assert_eq!(simulation.bond(0, 1), Ok(()));
    assert_eq!(simulation.bond(0, 1), Ok(()));
    assert_eq!(simulation.bonds(), 1);
    assert_eq!(simulation.bond_touching(1.0), 0);
    let mut far = pair(bonded(Law::Frictionless, BOND));
    far.bodies.position[1].x = 4.0 * RADIUS;
    far.bonds = vec![[0, 1]];
    let refused = Simulation::new(far, settings(1e-3, SchemeName::Maury, 1e-9)).err();
    let told = refused.unwrap().to_string();
    assert!(
        told.contains("bond 0: the gap between bodies 0 and 1"),
        "{told}"
    );
    let mut plain = Simulation::new(
        pair(Interface::default()),
        settings(1e-3, SchemeName::Maury, 1e-9),
    )
    .unwrap();
    assert_eq!(plain.bond(0, 1), Err(BondError::NoStrength(0, 1)));
    assert_eq!(plain.bond_touching(1.0), 0);
}
