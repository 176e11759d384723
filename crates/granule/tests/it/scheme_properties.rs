//! What [maury2006, section 4] proves of the scheme holds for random worlds and steps over four
//! decades: configurations stay feasible, kinetic energy never grows without forces, momentum is
//! exact, impulses are bounded; and what is left of it with curved walls.

use crate::extent::extent;
use crate::random_worlds::{Around, Kind, cluster, positions, precise, smallest_gap, velocities};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::collision::Partner;
use granule::math::DVec3;
use granule::measure;
use granule::scheme::Recovery;
use granule::shapes::{Cone, Cylinder, HalfSpace, Surface};
use granule::simulation::{Simulation, World};
use granule::solver::OnFailure;
use proptest::prelude::*;

fn dimension() -> impl Strategy<Value = Dimension> {
    prop_oneof![
        Just(Dimension::Line),
        Just(Dimension::Plane),
        Just(Dimension::Space)
    ]
}

fn flat() -> impl Strategy<Value = Around> {
    prop_oneof![
        Just(Around::Nothing),
        Just(Around::Corner),
        Just(Around::Box)
    ]
}

/// Worlds with up to 25 spheres, sizes up to 1:20, masses up to 1:10⁴.
fn kind(around: impl Strategy<Value = Around>) -> impl Strategy<Value = Kind> {
    let ratios = (0.0..1.3f64, 0.0..4.0f64);
    (dimension(), around, 2..25usize, ratios, any::<u64>()).prop_map(
        |(dimension, around, count, (sizes, masses), seed)| Kind {
            dimension,
            around,
            // Twenty large spheres do not fit on a line.
            count: if dimension == Dimension::Line {
                count.min(8)
            } else {
                count
            },
            size_ratio: 10f64.powf(sizes),
            mass_ratio: 10f64.powf(masses),
            seed,
        },
    )
}

/// Steps from 1e-4 s to 1 s, with speeds of about 1 m/s and radii of about 0.1 m.
fn step() -> impl Strategy<Value = f64> {
    (-4.0..0.0f64).prop_map(|exponent| 10f64.powf(exponent))
}

/// How many steps to look at: small steps need many to meet anything.
fn steps(h: f64) -> usize {
    if h < 0.01 { 25 } else { 12 }
}

/// A world whose spheres are about to meet, for small steps: time is let pass in one large step
/// first.
fn begun(kind: &Kind, h: f64) -> Simulation {
    let mut world = cluster(kind);
    if h < 0.03 {
        let mut first = Simulation::new(world, precise(0.25)).unwrap();
        first.step().unwrap();
        world = first.world().clone();
        (world.time, world.steps) = (0.0, 0);
        // What the solve left of overlap is not for the next one to judge.
        world
            .bodies
            .radius
            .iter_mut()
            .for_each(|r| *r *= 1.0 - 1e-6);
        // Contact has taken their closing speed; shake them.
        for (i, velocity) in world.bodies.velocity.iter_mut().enumerate() {
            let phase = i as f64;
            let free = match kind.dimension {
                Dimension::Line => DVec3::X,
                Dimension::Plane => DVec3::new(1.0, 1.0, 0.0),
                Dimension::Space => DVec3::ONE,
            };
            *velocity += free * DVec3::new(phase.sin(), (2.0 * phase).cos(), (3.0 * phase).sin());
        }
    }
    Simulation::new(world, precise(h)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: extent(100, 300),
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_060_102),
        ..ProptestConfig::default()
    })]

    /// Proposition 2.
    #[test]
    fn no_spheres_overlap_beyond_the_certificate(kind in kind(flat()), h in step()) {
        let mut simulation = begun(&kind, h);
        let (start, who) = smallest_gap(simulation.world());
        prop_assert!(start > 0.0, "the start is feasible: {start:.2e}, {who}");
        for _ in 0..steps(h) {
            let report = simulation.step().unwrap();
            prop_assert!(report.certified, "{:?}", report);
            let (gap, who) = smallest_gap(simulation.world());
            // Rounding of positions of the order of 1 m.
            let allowed = h * report.certificate.residual + 1e-14;
            prop_assert!(gap >= -allowed, "{who}: {gap:.3e}, allowed {allowed:.3e}");
            prop_assert!(report.certificate.residual < 1e-6, "{:?}", report);
        }
    }

    /// Proposition 3 and Remark 9; with curved walls too.
    #[test]
    fn kinetic_energy_never_grows_without_forces(
        kind in kind(prop_oneof![flat(), Just(Around::Cylinder), Just(Around::Cone)]),
        h in step(),
    ) {
        prop_assume!(kind.dimension == Dimension::Space
            || !matches!(kind.around, Around::Cylinder | Around::Cone));
        let mut simulation = begun(&kind, h);
        let start = measure::kinetic_energy(&simulation.world().bodies);
        let mut before = start;
        for _ in 0..steps(h) {
            let report = simulation.step().unwrap();
            let now = measure::kinetic_energy(&simulation.world().bodies);
            prop_assert_eq!(now, report.kinetic_energy);
            prop_assert!(now <= before + 1e-9 * start, "{before} to {now}, start {start}");
            prop_assert!(report.certificate.dissipation >= -1e-9 * start);
            // What the contacts take is what the motion loses, but for the solve.
            prop_assert!((before - now - report.certificate.dissipation).abs() <= 1e-9 * start,
                "lost {} dissipated {}", before - now, report.certificate.dissipation);
            before = now;
        }
    }

    /// Proposition 4 and Remark 10: also when the solve is cut off.
    #[test]
    fn momentum_balances_to_rounding_even_when_the_solve_is_cut_off(
        kind in kind(prop_oneof![flat(), Just(Around::Cylinder), Just(Around::Cone)]),
        h in step(),
        limit in prop_oneof![Just(3usize), Just(200_000)],
    ) {
        prop_assume!(kind.dimension == Dimension::Space
            || !matches!(kind.around, Around::Cylinder | Around::Cone));
        let world = begun(&kind, h).world().clone();
        let mut settings = precise(h);
        settings.solver.max_iterations = limit;
        settings.solver.on_failure = OnFailure::Warn;
        let mut simulation = Simulation::new(world, settings).unwrap();
        for _ in 0..8 {
            let before = measure::momentum(&simulation.world().bodies);
            let report = simulation.step().unwrap();
            let after = measure::momentum(&simulation.world().bodies);
            let walls: DVec3 = simulation.contacts()
                .filter(|c| matches!(c.partner, Partner::Wall(_)))
                .map(|c| c.impulse)
                .sum();
            let bodies = &simulation.world().bodies;
            let size: f64 = bodies.mass.iter().zip(&bodies.velocity)
                .map(|(m, v)| m * v.length()).sum::<f64>()
                + simulation.contacts().map(|c| c.normal_impulse().abs()).sum::<f64>();
            let error = (after - before - walls).length();
            prop_assert!(error <= 1e-14 * size, "{error:.2e} of {size:.2e}");
            prop_assert!(report.momentum_error <= 1e-13);
        }
    }

    /// Proposition 5, with a bound in numbers for clusters without walls: since n_ij·(q_i - q_j) is
    /// the distance of the centres, the impulses are tested with the positions themselves,
    ///
    /// ```text
    /// Σ λ_ij |q_i - q_j| = M(u - u⁰)·(q - c) ≤ |u⁰|_M |q - c|_M
    /// ```
    ///
    /// (c any point; the last step because u - u⁰ is no longer than u⁰ when kinetic energy falls
    /// by projection onto a set that holds 0).
    #[test]
    fn impulses_are_bounded_by_the_motion(kind in kind(Just(Around::Nothing)), h in step()) {
        let mut simulation = begun(&kind, h);
        let norm = |world: &World, values: &[DVec3]| {
            values.iter().zip(&world.bodies.mass).map(|(x, m)| m * x.length_squared())
                .sum::<f64>().sqrt()
        };
        for _ in 0..steps(h) {
            let before = simulation.world().clone();
            simulation.step().unwrap();
            let places = before.bodies.places();
            let centre = before.bodies.position.iter().zip(&before.bodies.mass)
                .map(|(x, m)| *m * *x).sum::<DVec3>() / before.bodies.mass.iter().sum::<f64>();
            // Contacts name places of the world after the step; ids lead back.
            let old = |place: u32| places[simulation.world().bodies.id[place as usize] as usize];
            let mut moment = 0.0;
            for contact in simulation.contacts() {
                let Partner::Body(b) = contact.partner else { unreachable!("no walls") };
                let (i, j) = (old(contact.a) as usize, old(b) as usize);
                let distance = before.bodies.position[i].distance(before.bodies.position[j]);
                prop_assert!(contact.normal_impulse() >= 0.0);
                moment += contact.normal_impulse() * distance;
            }
            let arms: Vec<DVec3> =
                before.bodies.position.iter().map(|x| *x - centre).collect();
            let (u0, q) = (norm(&before, &before.bodies.velocity), norm(&before, &arms));
            prop_assert!(moment <= u0 * q * (1.0 + 1e-9), "{moment} of {}", u0 * q);
            // The identity, by the change of velocities.
            let after = velocities(simulation.world());
            let work: f64 = (0..before.bodies.len())
                .map(|i| {
                    let change = after[before.bodies.id[i] as usize] - before.bodies.velocity[i];
                    before.bodies.mass[i] * change.dot(arms[i])
                })
                .sum();
            prop_assert!((work - moment).abs() <= 1e-12 * u0 * q, "{work} {moment}");
        }
    }

    /// A cluster in free flight does not know how fast it flies.
    #[test]
    fn a_cluster_in_flight_does_not_know_its_speed(
        kind in kind(Just(Around::Nothing)), h in step(), speed in 0.5..3.0f64,
    ) {
        let mut still = begun(&kind, h);
        let drift = match kind.dimension {
            Dimension::Line => speed * DVec3::X,
            Dimension::Plane => speed * DVec3::new(0.8, -0.6, 0.0),
            Dimension::Space => speed * DVec3::new(0.48, -0.6, 0.64),
        };
        let mut world = still.world().clone();
        world.bodies.velocity.iter_mut().for_each(|v| *v += drift);
        let mut flying = Simulation::new(world, precise(h)).unwrap();
        for k in 1..=5 {
            still.step().unwrap();
            flying.step().unwrap();
            let time = k as f64 * h;
            for (x, y) in velocities(still.world()).iter().zip(velocities(flying.world())) {
                prop_assert!((*x + drift - y).length() < 1e-6, "{x} {y} after step {k}");
            }
            for (x, y) in positions(still.world()).iter().zip(positions(flying.world())) {
                prop_assert!((*x + time * drift - y).length() < 1e-6 * (1.0 + time));
            }
        }
    }
}

#[test]
fn the_random_worlds_have_something_to_show() {
    let (mut met, mut most) = (0, 0);
    for seed in 0..90 {
        let kind = Kind {
            dimension: [Dimension::Line, Dimension::Plane, Dimension::Space][seed % 3],
            around: [Around::Nothing, Around::Corner, Around::Box][seed / 3 % 3],
            count: if seed % 3 == 0 { 6 } else { 20 },
            size_ratio: 5.0,
            mass_ratio: 100.0,
            seed: seed as u64,
        };
        let h = 10f64.powf(-4.0 * (seed / 9) as f64 / 10.0);
        let mut simulation = begun(&kind, h);
        let active = (0..steps(h)).map(|_| simulation.step().unwrap().active);
        let active = active.max().unwrap();
        met += usize::from(active > 0);
        most = most.max(active);
    }
    assert!(
        met >= 80 && most >= 15,
        "{met} of 90 worlds met something, {most} at most"
    );
}

/// A cylinder or cone (closed, about the z axis, radius near 1 at mid-height), perhaps turning.
fn curved(cone: bool, motion: Motion) -> Wall {
    let surface = if cone {
        Surface::Cone(Cone {
            bottom_radius: 0.8,
            top_radius: 1.2,
            length: 2.0,
            bottom: true,
            top: true,
        })
    } else {
        Surface::Cylinder(Cylinder {
            radius: 1.0,
            length: 2.0,
            bottom: true,
            top: true,
        })
    };
    Wall::new(surface, DVec3::ZERO, DVec3::Z, motion)
}

fn turning() -> Motion {
    Motion::Rotation {
        axis: [0.0, 0.0, 1.0],
        rate: 2.0,
        center: None,
    }
}

/// The deepest that any sphere is inside the mantle, m.
fn mantle_overlap(world: &World, cone: bool) -> f64 {
    let slope: f64 = if cone { 0.2 } else { 0.0 };
    let bodies = &world.bodies;
    bodies
        .position
        .iter()
        .zip(&bodies.radius)
        .map(|(p, r)| {
            // Distance from the line ρ = 1 + slope·z in the half-plane (ρ, z).
            let inside = (1.0 + slope * p.z - p.x.hypot(p.y)) / slope.hypot(1.0);
            r - inside
        })
        .fold(0.0, f64::max)
}

#[test]
fn overlap_with_curved_walls_is_of_second_order_in_the_step() {
    for cone in [false, true] {
        for motion in [Motion::Fixed, turning()] {
            let mut depths = Vec::new();
            for halvings in 0..4 {
                let h = 0.08 / f64::from(1 << halvings);
                let mut world = World::new(Dimension::Space);
                world.add_wall(curved(cone, motion.clone()));
                let mut sphere = Sphere::new(DVec3::new(0.5, 0.0, 0.0), 0.1, 1.0);
                sphere.velocity = DVec3::new(0.9, 0.8, 0.05);
                world.add_sphere(&sphere);
                let mut simulation = Simulation::new(world, precise(h)).unwrap();
                let mut deepest: f64 = 0.0;
                while simulation.world().time < 1.5 {
                    simulation.step().unwrap();
                    deepest = deepest.max(mantle_overlap(simulation.world(), cone));
                }
                depths.push(deepest);
            }
            println!("cone {cone}, {motion:?}: {depths:?}");
            assert!(depths[0] > 1e-6, "the wall was met");
            for pair in depths.windows(2) {
                let order = (pair[0] / pair[1]).log2();
                assert!(order >= 1.8, "order {order:.2}: {depths:?}");
            }
        }
    }
}

#[test]
fn recovery_from_curved_walls_feeds_no_energy() {
    for cone in [false, true] {
        for motion in [Motion::Fixed, turning()] {
            for h in [0.3, 0.03] {
                let kind = Kind {
                    dimension: Dimension::Space,
                    around: Around::Nothing,
                    count: 30,
                    size_ratio: 3.0,
                    mass_ratio: 10.0,
                    seed: 3,
                };
                let mut world = cluster(&kind);
                for position in &mut world.bodies.position {
                    *position *= 0.9;
                }
                world.bodies.radius.iter_mut().for_each(|r| *r *= 0.85);
                world.add_wall(curved(cone, motion.clone()));
                // One rests at the wall: a turning mantle does not push it.
                let mut resting = Sphere::new(DVec3::new(0.0, -0.97, 0.0), 0.03, 0.1);
                if cone {
                    resting.position.y = -1.0 + 0.03 * 0.2f64.hypot(1.0);
                }
                resting.velocity = DVec3::ZERO;
                world.add_sphere(&resting);
                let mut simulation = Simulation::new(world, precise(h)).unwrap();
                let start = measure::kinetic_energy(&simulation.world().bodies);
                let (mut before, mut recovered) = (start, 0);
                for _ in 0..60 {
                    let report = simulation.step().unwrap();
                    recovered += usize::from(report.recovered > 0.0);
                    assert!(
                        report.kinetic_energy <= before + 1e-9 * start,
                        "cone {cone}, {motion:?}, h={h}, step {}: {before} to {}",
                        report.step,
                        report.kinetic_energy
                    );
                    before = report.kinetic_energy;
                }
                assert!(
                    recovered > 0,
                    "cone {cone}, {motion:?}, h={h}: nothing to recover"
                );
            }
        }
    }
}

#[test]
fn a_sphere_at_rest_in_a_turning_drum_stays_at_rest() {
    let mut world = World::new(Dimension::Space);
    world.add_wall(curved(false, turning()));
    world.add_sphere(&Sphere::new(DVec3::new(0.9, 0.0, 0.0), 0.1, 1.0));
    let mut simulation = Simulation::new(world, precise(0.05)).unwrap();
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    let speed = simulation.world().bodies.velocity[0].length();
    assert!(
        speed < 1e-12,
        "without friction nothing turns it: {speed:.2e} m/s"
    );
}

/// Two overlapping spheres near the floor that one of them is partly in.
fn overlapping() -> World {
    let mut world = World::new(Dimension::Space);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mut first = Sphere::new(DVec3::new(0.0, 0.0, 0.08), 0.1, 1.0);
    first.velocity = DVec3::new(0.1, 0.0, 0.0);
    world.add_sphere(&first);
    world.add_sphere(&Sphere::new(DVec3::new(0.15, 0.0, 0.12), 0.1, 2.0));
    world
}

#[test]
fn an_overlapping_start_comes_apart_without_gaining_energy() {
    let run = |recovery: Recovery| {
        let mut settings = precise(0.01);
        settings.scheme.recovery = recovery;
        let mut simulation = Simulation::new(overlapping(), settings).unwrap();
        let start = measure::kinetic_energy(&simulation.world().bodies);
        let mut highest = start;
        for _ in 0..20 {
            highest = simulation.step().unwrap().kinetic_energy.max(highest);
        }
        let (gap, who) = smallest_gap(simulation.world());
        assert!(gap > -1e-7, "{recovery:?}: {who} still overlap, {gap:.2e}");
        highest / start
    };
    assert!(run(Recovery::Position) <= 1.0 + 1e-9);
    // As printed, an overlap of 0.05 m becomes a speed of 0.05/0.01 m/s.
    assert!(run(Recovery::Velocity) > 100.0);
}
