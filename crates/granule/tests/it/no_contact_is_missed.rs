//! Looking only at near pairs gives what looking at all pairs gives, for steps in which bodies move
//! by several diameters, under every law, with spin and rolling; and a reused neighbour list holds
//! what a new one holds.

use crate::random_worlds::{Around, Kind, cluster, precise, smallest_gap, velocities};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases;
use granule::collision::{Allowance, ContactKey, Detection, Geometry, Neighbours, Patches};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::scheme::SchemeName;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepError, StepSize, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Takes `steps` steps of length `h` from the same states with the usual candidates and with all
/// pairs; the velocities must agree in each.
fn compare_with_all_pairs(name: &str, mut world: World, h: f64, steps: usize) {
    for step in 1..=steps {
        let mut near = Simulation::new(world.clone(), precise(h)).unwrap();
        let mut settings = precise(h);
        settings.candidate_distance = Some(1e3);
        let mut all = Simulation::new(world.clone(), settings).unwrap();
        let (few, many) = (near.step().unwrap(), all.step().unwrap());
        let n = world.bodies.len();
        if world.dimension != Dimension::Line && world.bodies.kinematics.is_empty() {
            assert!(many.contacts >= n * (n - 1) / 2, "{name}: all pairs");
        }
        assert!(few.contacts <= many.contacts);
        assert!(few.certified && many.certified, "{name} step {step}");
        let pairs = velocities(near.world())
            .into_iter()
            .zip(velocities(all.world()));
        for (id, (x, y)) in pairs.enumerate() {
            let error = (x - y).length();
            assert!(
                error < 1e-6,
                "{name} step {step}: body {id} has {x}, with all pairs {y}"
            );
        }
        world = near.world().clone();
    }
}

#[test]
fn near_pairs_are_enough_in_random_clusters() {
    for (dimension, around) in [
        (Dimension::Line, Around::Box),
        (Dimension::Plane, Around::Corner),
        (Dimension::Plane, Around::Box),
        (Dimension::Space, Around::Nothing),
        (Dimension::Space, Around::Box),
    ] {
        for (seed, h) in [(1, 0.02), (2, 0.3), (3, 1.0)] {
            let kind = Kind {
                dimension,
                around,
                count: if dimension == Dimension::Line { 6 } else { 30 },
                size_ratio: 10.0,
                mass_ratio: 100.0,
                seed,
            };
            compare_with_all_pairs(&format!("{kind:?} h={h}"), cluster(&kind), h, 4);
        }
    }
}

#[test]
fn near_pairs_are_enough_for_the_cluster_that_moves_three_diameters_a_step() {
    compare_with_all_pairs("cluster", cases::cluster(60, 0), 0.1, 5);
}

#[test]
fn a_sphere_at_rest_that_is_hit_hits_the_next_in_the_same_step() {
    // A row with wide gaps: the first sphere flies through the places of all of them in one step,
    // and none of the others has any velocity to be found by.
    let mut world = World::new(Dimension::Space);
    for k in 0..6 {
        let mut sphere = Sphere::new(
            DVec3::new(f64::from(k), 0.001 * f64::from(k), 0.0),
            0.1,
            1.0,
        );
        if k == 0 {
            sphere.velocity = 60.0 * DVec3::X;
        }
        world.add_sphere(&sphere);
    }
    compare_with_all_pairs("row", world.clone(), 1.0, 1);
    let mut simulation = Simulation::new(world, precise(1.0)).unwrap();
    let report = simulation.step().unwrap();
    assert!(
        report.repeats >= 2,
        "contacts were found one after the other"
    );
    assert!(report.active >= 5, "all are pushed on");
    let (gap, who) = smallest_gap(simulation.world());
    assert!(gap > -1e-7, "{who}: {gap:.2e}");
}

#[test]
fn a_fast_wall_finds_what_is_in_its_way() {
    for motion in [
        Motion::Velocity {
            linear: [0.0, 0.0, 5.0],
        },
        Motion::Oscillation {
            amplitude: [0.0, 0.0, 0.8],
            frequency: 0.4,
            phase: 0.0,
        },
    ] {
        let kind = Kind {
            dimension: Dimension::Space,
            around: Around::Nothing,
            count: 20,
            size_ratio: 4.0,
            mass_ratio: 10.0,
            seed: 9,
        };
        let mut world = cluster(&kind);
        world.bodies.velocity.fill(DVec3::ZERO);
        let piston = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(piston, DVec3::NEG_Z, DVec3::Z, motion.clone()));
        let mut simulation = Simulation::new(world.clone(), precise(0.2)).unwrap();
        for _ in 0..4 {
            let report = simulation.step().unwrap();
            let (gap, who) = smallest_gap(simulation.world());
            let allowed = 0.2 * report.certificate.residual + 1e-13;
            assert!(gap >= -allowed, "{motion:?}: {who}, {gap:.2e}");
        }
        let went = velocities(simulation.world());
        assert!(went.iter().any(|v| v.z > 0.5), "the piston pushed");
        compare_with_all_pairs("piston", world, 0.2, 1);
    }
}

/// Every pair with a gap of at most the sum of allowances, by plain loops.
fn brute_force(world: &World, patches: &Patches, allowance: &[f64], wall: f64) -> Vec<ContactKey> {
    let bodies = &world.bodies;
    let mut keys = Vec::new();
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let gap = bodies.position[i].distance(bodies.position[j])
                - bodies.radius[i]
                - bodies.radius[j];
            if gap <= allowance[i] + allowance[j] {
                keys.push(ContactKey::between(i as u32, j as u32));
            }
        }
        for patch in 0..patches.len() {
            let (number, piece) = patches.of_wall(patch);
            let near = patches.closest(number, piece, bodies.position[i]);
            let gap = near.distance - bodies.radius[i];
            if gap <= allowance[i] + wall {
                keys.push(ContactKey::with_wall(i as u32, number, piece));
            }
        }
    }
    keys.sort_unstable();
    keys
}

#[test]
fn a_reused_list_holds_what_plain_loops_find() {
    let mut random = Pcg64::seed_from_u64(4);
    let (mut reused, mut built) = (0, 0);
    for (seed, around) in [
        Around::Nothing,
        Around::Corner,
        Around::Box,
        Around::Cylinder,
        Around::Cone,
    ]
    .into_iter()
    .enumerate()
    {
        let kind = Kind {
            dimension: Dimension::Space,
            around,
            count: 60,
            size_ratio: 20.0,
            mass_ratio: 1.0,
            seed: seed as u64,
        };
        let mut world = cluster(&kind);
        let mut patches = Patches::new(&world.walls);
        patches.place(world.walls.iter().map(|wall| wall.kinematics.pose(0.0)));
        let mut neighbours = Neighbours::default();
        let (mut detection, mut contacts) = (Detection::default(), Vec::new());
        for step in 0..60 {
            // Some steps small, some large; allowances that are not those of the step before.
            let length = if step % 10 == 9 { 0.1 } else { 0.004 };
            for (position, radius) in world.bodies.position.iter_mut().zip(&world.bodies.radius) {
                let mut number = || random.random_range(-1.0..1.0);
                *position += length * radius * DVec3::new(number(), number(), number());
            }
            let allowance: Vec<f64> = world
                .bodies
                .radius
                .iter()
                .map(|r| r * random.random_range(0.05..0.12))
                .collect();
            let before = neighbours.builds();
            let wall = 0.001;
            let geometry = Geometry {
                bodies: &world.bodies,
                positions: &world.bodies.position,
                orientations: &world.bodies.orientation,
                walls: &world.walls,
                patches: &patches,
                dimension: world.dimension,
                carriers: &[],
                apart: &[],
                lattice: None,
            };
            let near = Allowance {
                bodies: &allowance,
                walls: wall,
                images: 0.0,
            };
            neighbours.update(&geometry, &near, |_, _| 0);
            if neighbours.builds() == before {
                reused += 1;
            } else {
                built += 1;
            }
            neighbours.find_contacts(&geometry, &near, &[], &mut detection, &mut contacts);
            let found: Vec<_> = contacts.iter().map(|c| c.key).collect();
            assert_eq!(
                found,
                brute_force(&world, &patches, &allowance, wall),
                "{around:?}"
            );
        }
    }
    assert!(reused > 50 && built > 10, "{reused} reused, {built} built");
}

#[test]
fn a_list_kept_over_many_steps_gives_the_contacts_of_a_fresh_one() {
    let mut world = cases::box_drop(5, 3);
    world.gravity = DVec3::new(0.4, 0.2, -1.0);
    let mut kept = Simulation::new(world, precise(0.03)).unwrap();
    for _ in 0..120 {
        // A simulation restored from a snapshot has no list yet.
        let mut fresh = Simulation::restore(kept.snapshot()).unwrap();
        kept.step().unwrap();
        fresh.step().unwrap();
        assert!(kept.contacts().eq(fresh.contacts()));
    }
    let builds = kept.neighbour_builds();
    assert!(
        (2..100).contains(&builds),
        "built {builds} times in 120 steps"
    );
}

/// The heights (m) of a disk that spins fast and falls on a floor, after each step of a second.
fn spinning_disk(candidate_distance: Option<f64>, law: Law) -> Vec<f64> {
    let mut world = World::new(Dimension::Plane);
    world.gravity = DVec3::new(0.0, -9.81, 0.0);
    world.laws = LawTable::uniform(law);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Y, Motion::Fixed));
    let mut disk = Sphere::new(DVec3::new(0.0, 1.3, 0.0), 1.0, 1.0);
    disk.angular_velocity = 20.0 * DVec3::Z;
    world.add_sphere(&disk);
    let mut settings = Settings::new(StepSize::Fixed(0.01), 1.0);
    settings.candidate_distance = candidate_distance;
    let mut simulation = Simulation::new(world, settings).unwrap();
    let mut heights = Vec::new();
    while !simulation.finished() {
        assert!(simulation.step().unwrap().certified);
        heights.push(simulation.world().bodies.position[0].y);
    }
    heights
}

#[test]
fn a_spinning_disk_is_at_the_same_height_whatever_the_candidates() {
    let law = Law::CoulombConvex(Friction::sliding(0.5));
    let all = spinning_disk(Some(1e3), law);
    for distance in [None, Some(0.0), Some(0.01), Some(0.1), Some(0.5), Some(2.0)] {
        let heights = spinning_disk(distance, law);
        for (step, (height, all)) in heights.into_iter().zip(&all).enumerate() {
            let error = (height - all).abs();
            assert!(
                error < 1e-5,
                "{distance:?}, step {step}: {height} m, with all pairs {all} m"
            );
        }
    }
    // It is not thrown up: the law keeps it open by no more than μ h r ω.
    let highest = all[40..].iter().copied().fold(0.0, f64::max);
    assert!(highest < 1.1, "{highest}");
    let exact = spinning_disk(None, Law::Coulomb(Friction::sliding(0.5)));
    assert!((exact[99] - 1.0).abs() < 1e-5, "{}", exact[99]);
}

const ROLLING: Friction = Friction {
    sliding: 0.6,
    rolling: 0.02,
    spinning: 0.01,
};

fn rolling(dimension: Dimension) -> Friction {
    match dimension {
        Dimension::Space => ROLLING,
        _ => Friction {
            spinning: 0.0,
            ..ROLLING
        },
    }
}

/// A cluster whose bodies spin, over a floor that moves sideways and beside a wall that turns; one
/// body moves and turns as prescribed.
fn spinning_cluster(dimension: Dimension, law: Law, seed: u64) -> World {
    let kind = Kind {
        dimension,
        around: Around::Nothing,
        count: 24,
        size_ratio: 5.0,
        mass_ratio: 20.0,
        seed,
    };
    let mut world = cluster(&kind);
    world.laws = LawTable::uniform(law);
    world.gravity = DVec3::new(0.0, -1.0, 0.0);
    let mut random = Pcg64::seed_from_u64(seed);
    let turns = if dimension == Dimension::Plane {
        DVec3::Z
    } else {
        DVec3::ONE
    };
    for spin in &mut world.bodies.angular_velocity {
        let mut number = || random.random_range(-15.0..15.0);
        *spin = turns * DVec3::new(number(), number(), number());
    }
    let floor = Surface::HalfSpace(HalfSpace);
    let slide = Motion::Velocity {
        linear: [4.0, 0.1, 0.0],
    };
    world.add_wall(Wall::new(floor.clone(), DVec3::NEG_Y, DVec3::Y, slide));
    let turn = Motion::Rotation {
        axis: [0.0, 0.0, 1.0],
        rate: 0.5,
        center: None,
    };
    world.add_wall(Wall::new(floor, 1.5 * DVec3::NEG_X, DVec3::X, turn));
    let mut hub = Sphere::new(DVec3::new(1.4, 0.0, 0.0), 0.3, 1.0);
    hub.motion = Some(Motion::Rotation {
        axis: [0.0, 0.0, 1.0],
        rate: 12.0,
        center: None,
    });
    world.add_sphere(&hub);
    world
}

/// What the law asks of a pair at the end of a step, m/s: w_n, less μ |w_T| + δ |Δω_T| + σ |Δω_n|
/// under the convexified law.
fn law_margin(law: Law, normal: DVec3, gap_rate: f64, slip: DVec3, spin: DVec3) -> f64 {
    let along = gap_rate + normal.dot(slip);
    let Law::CoulombConvex(friction) = law else {
        return along;
    };
    let across = |v: DVec3| (v - v.dot(normal) * normal).length();
    along
        - friction.sliding * across(slip)
        - friction.rolling * across(spin)
        - friction.spinning * spin.dot(normal).abs()
}

/// Steps a world and looks after each step, by plain loops over all pairs, whether the law holds for
/// them: with the gaps before the step and the velocities after it.
/// Gives the smallest of what the law left, m/s.
fn check_all_pairs(name: &str, world: World, law: Law, settings: Settings, steps: usize) -> f64 {
    let StepSize::Fixed(h) = settings.step else {
        panic!("a fixed step");
    };
    let mut simulation = Simulation::new(world, settings).unwrap();
    let mut smallest = f64::INFINITY;
    for step in 1..=steps {
        let before = simulation.world().clone();
        let report = match simulation.step() {
            Ok(report) => report,
            // Walls that move may jam what the convexified law lets slide apart only.
            Err(StepError::Infeasible(_)) if matches!(law, Law::CoulombConvex(_)) => break,
            Err(error) => panic!("{name}: {error}"),
        };
        assert!(report.certified, "{name}, step {step}");
        let after = simulation.world();
        let old = before.bodies.places();
        let new = after.bodies.places();
        let allowed = 3.0 * report.certificate.residual + 1e-9;
        let mut judge = |gap: f64, normal, slip, spin, who: String| {
            // What overlaps already is only kept from going deeper.
            let rate = if gap < -1e-9 { 0.0 } else { gap / h };
            let margin = law_margin(law, normal, rate, slip, spin);
            smallest = smallest.min(margin);
            assert!(
                margin > -allowed,
                "{name}, step {step}: {who} by {margin:.3e} m/s"
            );
        };
        let velocity = |i: usize| {
            let place = new[i] as usize;
            (
                after.bodies.velocity[place],
                after.bodies.angular_velocity[place],
            )
        };
        for i in 0..before.bodies.len() {
            let a = old[i] as usize;
            let (p, r) = (before.bodies.position[a], before.bodies.radius[a]);
            let (v, spin) = velocity(i);
            for (j, b) in old[..i].iter().enumerate() {
                let b = *b as usize;
                let (offset, other) = (p - before.bodies.position[b], before.bodies.radius[b]);
                if !before.bodies.is_dynamic(a) && !before.bodies.is_dynamic(b) {
                    continue;
                }
                let normal = offset.normalize();
                let (u, turn) = velocity(j);
                let slip = v - u + normal.cross(r * spin + other * turn);
                let gap = offset.length() - r - other;
                judge(
                    gap,
                    normal,
                    slip,
                    spin - turn,
                    format!("bodies {j} and {i}"),
                );
            }
            for (number, wall) in before.walls.iter().enumerate() {
                if !before.bodies.is_dynamic(a) {
                    continue;
                }
                let (origin, turned) = wall.kinematics.pose(before.time);
                let normal = turned * DVec3::Z;
                let point = p - r * normal;
                let u = wall.kinematics.mean_surface_velocity(point, before.time, h);
                let slip = v - u + normal.cross(r * spin);
                let gap = normal.dot(p - origin) - r;
                let turn = wall.kinematics.motion.angular_velocity();
                judge(
                    gap,
                    normal,
                    slip,
                    spin - turn,
                    format!("wall {number} and body {i}"),
                );
            }
        }
    }
    smallest
}

#[test]
fn every_law_holds_for_all_pairs_with_spin_and_rolling() {
    let mut touched = 0;
    for dimension in [Dimension::Plane, Dimension::Space] {
        let laws = [
            Law::Frictionless,
            Law::Coulomb(Friction::sliding(0.6)),
            Law::CoulombConvex(Friction::sliding(0.6)),
            Law::Coulomb(rolling(dimension)),
            Law::CoulombConvex(rolling(dimension)),
        ];
        for (number, law) in laws.into_iter().enumerate() {
            for (scheme, h, distance, steps) in [
                (SchemeName::Maury, 0.01, None, 30),
                (SchemeName::Maury, 0.2, None, 8),
                (SchemeName::Shake, 0.05, Some(0.0), 10),
            ] {
                let name = format!("{dimension:?} {law:?} {scheme:?} h={h}");
                let world = spinning_cluster(dimension, law, number as u64);
                let mut settings = Settings::new(StepSize::Fixed(h), 1e9);
                settings.scheme.name = scheme;
                settings.candidate_distance = distance;
                settings.solver.tolerance = 1e-8;
                settings.solver.max_iterations = 50_000;
                let smallest = check_all_pairs(&name, world, law, settings, steps);
                touched += usize::from(smallest < 1e-3);
            }
        }
    }
    assert!(touched >= 25, "something touched in {touched} of 30 runs");
}

#[test]
fn near_pairs_are_enough_under_the_convexified_law() {
    for dimension in [Dimension::Plane, Dimension::Space] {
        for (seed, h) in [(1, 0.02), (2, 0.2)] {
            let law = Law::CoulombConvex(rolling(dimension));
            let world = spinning_cluster(dimension, law, seed);
            compare_with_all_pairs(&format!("{dimension:?} h={h}"), world, h, 3);
        }
    }
}
