//! What it costs to find the contacts of bodies of each shape, against spheres.

use super::{Entry, at_least_one, in_pool};
use crate::failure::Failure;
use clap::Args;
use granule::bodies::{Dimension, Motion, RigidBody, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::{DQuat, DVec2, DVec3, Pose};
use granule::shapes::{BoxContainer, Frustum, Hull, Part, Solid, Superellipsoid, Surface};
use granule::simulation::{Settings, Simulation, Stage, StepSize, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Arguments of `granule bench shapes`.
#[derive(Args)]
pub struct ShapesArguments {
    /// Bodies along a side of the block that falls
    #[arg(long, default_value_t = 8, value_parser = at_least_one)]
    n: usize,
    /// Steps of 1 ms
    #[arg(long, default_value_t = 200, value_parser = at_least_one)]
    steps: usize,
}

/// Half of the distance of two bodies at the start, m; all fit into a sphere of this radius.
const RADIUS: f64 = 0.01;
/// kg/m³.
const DENSITY: f64 = 2500.0;
/// s.
const STEP: f64 = 1e-3;

/// The shapes, all within a sphere of [`RADIUS`]; none for a sphere.
fn shapes() -> Result<Vec<(&'static str, Option<Solid>)>, Failure> {
    let failed = |error: String| Failure::Run(format!("a shape of the benchmark: {error}"));
    let r = RADIUS;
    let superellipsoid = Superellipsoid {
        half_axes: r * DVec3::new(0.7, 0.5, 0.5),
        around: 4.0,
        along: 4.0,
    };
    let corner = |k: i32| {
        let angle = f64::from(k) * std::f64::consts::TAU / 5.0;
        r * 0.8 * DVec2::new(angle.cos(), angle.sin())
    };
    let prism = Hull::prism(&[0, 1, 2, 3, 4].map(corner), 0.5 * r).map_err(failed)?;
    let points: Vec<DVec3> = (0..40)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 40.0;
            let angle = 2.4 * f64::from(k);
            let across = (1.0 - z * z).sqrt();
            r * DVec3::new(across * angle.cos(), across * angle.sin(), z)
        })
        .collect();
    let half = 0.5 * r;
    let bar = |along: DQuat| Part {
        pose: Pose::new(DVec3::ZERO, along),
        shape: Hull::cuboid(r * DVec3::new(0.8, 0.2, 0.2)).into(),
    };
    let cross = [
        DQuat::IDENTITY,
        DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
    ]
    .map(bar);
    let (cross, _) = Solid::joined(cross.to_vec()).map_err(failed)?;
    Ok(vec![
        ("spheres", None),
        (
            "ellipsoids",
            Some(Superellipsoid::ellipsoid(r * DVec3::new(1.0, 0.7, 0.5)).into()),
        ),
        ("superellipsoids", Some(superellipsoid.into())),
        ("boxes", Some(Hull::cuboid(DVec3::splat(half)).into())),
        ("capsules", Some(Hull::segment(half, half).into())),
        (
            "cylinders",
            Some(
                Frustum {
                    bottom: -half,
                    top: half,
                    bottom_radius: half,
                    top_radius: half,
                }
                .into(),
            ),
        ),
        ("prisms", Some(prism.into())),
        (
            "hulls of 40 corners",
            Some(Hull::of_points(&points).map_err(failed)?.into()),
        ),
        ("crosses of two boxes", Some(cross)),
    ])
}

/// A block of bodies, turned at random, in a box that it falls into.
fn world(side: usize, shape: Option<&Solid>) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -9.81 * DVec3::Z;
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.4)));
    let width = 2.1 * RADIUS * side as f64;
    let container = BoxContainer::closed([width, width, 4.0 * width]);
    let floor = Wall::new(
        Surface::Box(container),
        2.0 * width * DVec3::Z,
        DVec3::Z,
        Motion::Fixed,
    );
    world.add_wall(floor);
    let number = shape.map(|solid| world.add_shape(solid.clone()));
    let mut random = Pcg64::seed_from_u64(3);
    for k in 0..side * side * side {
        let place = [k % side, k / side % side, k / side / side].map(|x| x as f64 + 0.5);
        let center = 2.1 * RADIUS * DVec3::from_array(place)
            - 0.5 * width * DVec3::new(1.0, 1.0, 0.0)
            + 1e-3 * RADIUS * DVec3::from_array([0; 3].map(|_| random.random_range(-1.0..1.0)));
        match (shape, number) {
            (Some(solid), Some(number)) => {
                let mut body = RigidBody::of_shape(solid, center, DENSITY * solid.volume());
                let turn = DVec3::from_array([0; 3].map(|_| random.random_range(-2.0..2.0)));
                body.orientation = DQuat::from_scaled_axis(turn);
                world.add_solid(&body, number, 0);
            }
            _ => {
                let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
                world.add_sphere(&Sphere::new(center, RADIUS, mass));
            }
        }
    }
    world
}

/// Seconds of detection and of all stages in the second half of the steps, and the contacts of these steps.
fn run(side: usize, steps: usize, shape: Option<&Solid>) -> Result<[f64; 3], Failure> {
    let mut settings = Settings::new(StepSize::Fixed(STEP), 1e3);
    settings.solver.tolerance = 1e-3;
    let failed = |error: &dyn std::error::Error| Failure::Run(error.to_string());
    let mut simulation =
        Simulation::new(world(side, shape), settings).map_err(|error| failed(&error))?;
    let time = |simulation: &Simulation, stages: &[Stage]| {
        let times = stages.iter().map(|stage| simulation.times().get(*stage));
        times.sum::<std::time::Duration>().as_secs_f64()
    };
    let now = |simulation: &Simulation| {
        [&[Stage::Detect], &Stage::ALL[..]].map(|stages| time(simulation, stages))
    };
    let (mut contacts, mut before) = (0, [0.0; 2]);
    for k in 0..steps {
        if k == steps / 2 {
            before = now(&simulation);
        }
        let report = simulation.step().map_err(|error| failed(&error))?;
        contacts += if k < steps / 2 { 0 } else { report.contacts };
    }
    let after = now(&simulation);
    Ok([
        after[0] - before[0],
        after[1] - before[1],
        contacts.max(1) as f64,
    ])
}

/// Measures and adds the entries.
pub fn measure(arguments: &ShapesArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let ShapesArguments { n, steps } = *arguments;
    let shapes = shapes()?;
    let mut of_spheres = None;
    for (name, shape) in &shapes {
        let [detection, all, contacts] = in_pool(1, || run(n, steps, shape.as_ref()))??;
        let each = detection / contacts;
        let of_spheres = *of_spheres.get_or_insert(each);
        let counted = (steps - steps / 2) as f64;
        let note = format!(
            "{} bodies, {:.0} contacts a step",
            n * n * n,
            contacts / counted
        );
        for (quantity, value, unit) in [
            ("detection", 1e9 * each, "ns/contact"),
            ("detection against spheres", each / of_spheres, "-"),
            ("step", 1e3 * all / counted, "ms"),
        ] {
            entries.push(Entry {
                name: "shapes",
                quantity: format!("{name}, {quantity}"),
                value,
                unit,
                threads: 1,
                note: note.clone(),
            });
        }
    }
    Ok(())
}
