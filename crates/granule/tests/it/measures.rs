//! Measures of simulations agree with what physics says of them.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::measure::{Gate, Moment, Region, Stress};
use granule::shapes::{BoxContainer, Cylinder, HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};

const GRAVITY: f64 = 9.81;

fn world(law: Law) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    world.laws = LawTable::uniform(law);
    world
}

/// Adds balls of about 1 cm on a loose lattice within a square of half-width `half` (m) and, if `round`, within a circle.
fn fill(world: &mut World, half: f64, layers: i32, round: bool) {
    let spacing = 0.021;
    let reach = ((half - 0.0105) / spacing) as i32;
    let mut number = 0.0_f64;
    for layer in 0..layers {
        for x in -reach..=reach {
            for y in -reach..=reach {
                number += 1.0;
                let radius = 0.009 + 0.001 * (0.618_034 * number).fract();
                let place = DVec3::new(x.into(), y.into(), f64::from(layer) + 0.6) * spacing;
                let jitter = 4e-4 * DVec3::new((1.3 * number).sin(), (2.1 * number).sin(), 0.0);
                if !round || place.truncate().length() < half - 0.0105 {
                    let mass = 2500.0 * Dimension::Space.ball_volume(radius);
                    world.add_sphere(&Sphere::new(place + jitter, radius, mass));
                }
            }
        }
    }
}

/// Until everything has come to rest.
fn settle(world: World, end: f64) -> Moment {
    let settings = Settings::new(StepSize::Fixed(2e-3), end);
    let mut simulation = Simulation::new(world, settings).unwrap();
    while !simulation.finished() {
        simulation.step().unwrap();
    }
    simulation.moment()
}

/// The mean over a slab of the weight (N) of the grains whose centre is above.
fn weight_above(moment: &Moment, [low, high]: [f64; 2]) -> f64 {
    let part = |z: f64| ((z - low) / (high - low)).clamp(0.0, 1.0);
    let weights = moment
        .grains
        .iter()
        .map(|g| g.mass * GRAVITY * part(g.position.z));
    weights.sum()
}

fn slab(half: f64, [low, high]: [f64; 2]) -> Region {
    Region::Box {
        min: DVec3::new(-half, -half, low),
        max: DVec3::new(half, half, high),
    }
}

#[test]
fn the_stress_in_a_column_at_rest_is_the_weight_above() {
    let half = 0.075;
    let mut world = world(Law::Frictionless);
    let container = BoxContainer {
        size: [2.0 * half, 2.0 * half, 1.0],
        closed: [true, true, true, true, true, false],
    };
    let center = DVec3::new(0.0, 0.0, 0.5);
    world.add_wall(Wall::new(
        Surface::Box(container),
        center,
        DVec3::Z,
        Motion::Fixed,
    ));
    fill(&mut world, half, 8, false);
    let moment = settle(world, 2.0);
    let top = moment.bounds()[1].z;
    let area = 4.0 * half * half;
    for k in 0..5 {
        let ends = [0.0, 0.2].map(|part| top * (0.15 * f64::from(k) + part));
        let found = Stress::of(&moment, &slab(half, ends)).total().z_axis.z;
        let expected = weight_above(&moment, ends) / area;
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
    // A fluid pushes sideways as well: grains without friction nearly so.
    let stress = Stress::of(&moment, &slab(half, [0.0, 0.5 * top])).total();
    let ratio = stress.x_axis.x / stress.z_axis.z;
    assert!((0.6..1.4).contains(&ratio), "{ratio}");
}

#[test]
fn the_stress_in_a_silo_saturates() {
    // [janssen1895]: walls with friction carry what is deeper than a few radii of the silo.
    let radius = 0.055;
    let mut world = world(Law::Coulomb(Friction::sliding(0.5)));
    let pipe = Cylinder {
        radius,
        length: 4.0,
        bottom: true,
        top: false,
    };
    let center = DVec3::new(0.0, 0.0, 2.0);
    world.add_wall(Wall::new(
        Surface::Cylinder(pipe),
        center,
        DVec3::Z,
        Motion::Fixed,
    ));
    fill(&mut world, radius, 55, true);
    let moment = settle(world, 2.5);
    let top = moment.bounds()[1].z;
    let area = std::f64::consts::PI * radius * radius;
    let stress = |from: f64, to: f64| {
        let ends = [from * top, to * top];
        let region = Region::Cylinder {
            center: DVec3::new(0.0, 0.0, 0.5 * (ends[0] + ends[1])),
            axis: DVec3::Z,
            radius: radius + 1e-6,
            length: ends[1] - ends[0],
        };
        let found = Stress::of(&moment, &region).total().z_axis.z;
        (found, weight_above(&moment, ends) / area)
    };
    let (deep, weight) = stress(0.02, 0.25);
    assert!(deep < 0.5 * weight, "{deep} {weight} at a height of {top}");
    // Twice as deep, the weight above is twice as large, and the stress about the same.
    let (middle, above) = stress(0.3, 0.55);
    assert!(weight > 1.4 * above);
    assert!(
        deep < 1.35 * middle && deep > 0.65 * middle,
        "{deep} {middle}"
    );
}

#[test]
fn what_flows_through_a_plane_is_what_is_missing_above() {
    let mut world = world(Law::Coulomb(Friction::sliding(0.3)));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    fill(&mut world, 0.06, 10, false);
    let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(2e-3), 0.4)).unwrap();
    let gate = Gate {
        point: 0.06 * DVec3::Z,
        normal: -DVec3::Z,
        within: Region::Everywhere,
    };
    let above = |moment: &Moment| -> f64 {
        let grains = moment.grains.iter();
        let above = grains.filter(|grain| grain.position.z > gate.point.z);
        above.map(|grain| grain.mass).sum()
    };
    let start = simulation.moment();
    let (mut last, mut flown) = (start.clone(), 0.0);
    while !simulation.finished() {
        simulation.step().unwrap();
        let now = simulation.moment();
        flown += gate.crossed(&last, &now).mass;
        last = now;
    }
    let lost = above(&start) - above(&last);
    assert!(lost > 0.1 * above(&start), "{lost}");
    assert!((flown / lost - 1.0).abs() < 1e-12, "{flown} {lost}");
}
