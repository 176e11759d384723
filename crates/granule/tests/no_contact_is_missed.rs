//! Looking only at near pairs gives what looking at all pairs gives, for steps in which bodies move
//! by several diameters; and a reused neighbour list holds what a new one holds.

mod random_worlds;

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases;
use granule::collision::{Detection, Neighbours, Partner, Patches, Scope};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Simulation, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use random_worlds::{Around, Kind, cluster, precise, smallest_gap, velocities};

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
fn brute_force(
    world: &World,
    patches: &Patches,
    allowance: &[f64],
    wall: f64,
) -> Vec<(u32, Partner)> {
    let bodies = &world.bodies;
    let mut keys = Vec::new();
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let gap = bodies.position[i].distance(bodies.position[j])
                - bodies.radius[i]
                - bodies.radius[j];
            if gap <= allowance[i] + allowance[j] {
                keys.push((i as u32, Partner::Body(j as u32)));
            }
        }
        for patch in 0..patches.len() {
            let gap = patches.closest(patch, bodies.position[i]).distance - bodies.radius[i];
            if gap <= allowance[i] + wall {
                keys.push((i as u32, Partner::Patch(patch as u32)));
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
        let patches = Patches::new(&world.walls);
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
            let before = neighbours.builds;
            let wall = 0.001;
            let positions = &world.bodies.position;
            neighbours.update(
                &world.bodies,
                positions,
                world.dimension,
                &patches,
                &allowance,
                wall,
            );
            if neighbours.builds == before {
                reused += 1;
            } else {
                built += 1;
            }
            Scope {
                bodies: &world.bodies,
                positions,
                patches: &patches,
                dimension: world.dimension,
                keys: &neighbours.keys,
            }
            .find_contacts(&allowance, wall, &[], &mut detection, &mut contacts);
            let found: Vec<_> = contacts.iter().map(|c| c.key()).collect();
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
        assert_eq!(kept.contacts(), fresh.contacts());
    }
    let builds = kept.neighbour_builds();
    assert!(
        (2..100).contains(&builds),
        "built {builds} times in 120 steps"
    );
}
