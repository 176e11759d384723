//! Spheres in a hopper of triangles, against the same hopper of a cone and a cylinder.

use super::{Entry, at_least_one, in_pool};
use crate::failure::Failure;
use clap::Args;
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{Cone, Cylinder, Surface, TriangleMesh};
use granule::simulation::{Settings, Simulation, StepSize, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;
use std::time::Instant;

/// Arguments of `granule bench hopper`.
#[derive(Args)]
pub struct HopperArguments {
    /// Spheres
    #[arg(long, default_value_t = 20_000, value_parser = at_least_one)]
    spheres: usize,
    /// Steps of 2 ms; those of the second half are measured
    #[arg(long, default_value_t = 200, value_parser = at_least_one)]
    steps: usize,
    /// Facets around the hopper; along it there are a hundred, of two triangles each
    #[arg(long, default_value_t = 500, value_parser = at_least_one)]
    facets: usize,
}

/// Radius of the outlet, m.
const OUTLET: f64 = 0.05;
/// Radius of the cylinder, m.
const RADIUS: f64 = 0.5;
/// Height of the cone, m; its outlet is at height zero.
const CONE: f64 = 0.6;
/// Height of the cylinder, m.
const CYLINDER: f64 = 2.0;
/// Of the spheres, m.
const GRAIN: f64 = 0.0125;
/// Rows of facets of the cone, and of the cylinder.
const ROWS: usize = 50;

/// The hopper as a cone and a cylinder.
fn round() -> Vec<(Surface, f64)> {
    let cone = Cone {
        bottom_radius: OUTLET,
        top_radius: RADIUS,
        length: CONE,
        bottom: false,
        top: false,
    };
    let cylinder = Cylinder {
        radius: RADIUS,
        length: CYLINDER,
        bottom: false,
        top: false,
    };
    vec![
        (Surface::Cone(cone), 0.5 * CONE),
        (Surface::Cylinder(cylinder), CONE + 0.5 * CYLINDER),
    ]
}

/// The hopper as a mesh.
fn triangles(facets: usize) -> Result<Vec<(Surface, f64)>, Failure> {
    let cone = (0..=ROWS).map(|k| {
        let part = k as f64 / ROWS as f64;
        (OUTLET + (RADIUS - OUTLET) * part, CONE * part)
    });
    let cylinder = (1..=ROWS).map(|k| (RADIUS, CONE + CYLINDER * k as f64 / ROWS as f64));
    let corners = cone.chain(cylinder).flat_map(|(radius, z)| {
        (0..facets).map(move |k| {
            let angle = std::f64::consts::TAU * k as f64 / facets as f64;
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    });
    let count = facets as u32;
    let triangles = (0..2 * ROWS as u32).flat_map(|row| {
        (0..count).flat_map(move |k| {
            let (low, high, next) = (row * count, (row + 1) * count, (k + 1) % count);
            [
                [low + k, low + next, high + next],
                [low + k, high + next, high + k],
            ]
        })
    });
    let (corners, triangles): (Vec<_>, Vec<_>) = (corners.collect(), triangles.collect());
    let mesh =
        TriangleMesh::new(&corners, &triangles).map_err(|error| Failure::Run(error.to_string()))?;
    Ok(vec![(Surface::Mesh(Arc::new(mesh)), 0.0)])
}

/// Spheres in layers from the outlet upwards.
fn simulation(spheres: usize, walls: Vec<(Surface, f64)>) -> Result<Simulation, Failure> {
    let mut world = World::new(Dimension::Space);
    world.gravity = -9.81 * DVec3::Z;
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.3)));
    for (surface, height) in walls {
        let wall = Wall::new(surface, height * DVec3::Z, DVec3::Z, Motion::Fixed);
        world.add_wall(wall);
    }
    let mut random = Pcg64::seed_from_u64(1);
    let (spacing, mass) = (2.05 * GRAIN, 2500.0 * 4.2 * GRAIN.powi(3));
    let mut z = OUTLET;
    while world.bodies.len() < spheres {
        let room = (OUTLET + (RADIUS - OUTLET) * z / CONE).min(RADIUS) - 2.3 * GRAIN;
        let count = (room / spacing).max(0.0) as i32;
        for (i, j) in (-count..=count).flat_map(|i| (-count..=count).map(move |j| (i, j))) {
            let noise = [0; 2].map(|_| 1e-4 * random.random_range(-1.0..1.0));
            let x = spacing * f64::from(i) + noise[0];
            let y = spacing * f64::from(j) + noise[1];
            if x.hypot(y) <= room && world.bodies.len() < spheres {
                world.add_sphere(&Sphere::new(DVec3::new(x, y, z), GRAIN, mass));
            }
        }
        z += spacing;
    }
    let mut settings = Settings::new(StepSize::Fixed(2e-3), 1e3);
    settings.solver.tolerance = 1e-3;
    Simulation::new(world, settings).map_err(|error| Failure::Run(error.to_string()))
}

/// Seconds, contacts and iterations of a step.
fn step(simulation: &mut Simulation) -> Result<[f64; 3], Failure> {
    let start = Instant::now();
    let report = simulation
        .step()
        .map_err(|error| Failure::Run(error.to_string()))?;
    let counts = [report.contacts, report.iterations].map(|count| count as f64);
    Ok([start.elapsed().as_secs_f64(), counts[0], counts[1]])
}

/// Measures and adds the entries.
pub fn measure(arguments: &HopperArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let HopperArguments {
        spheres,
        steps,
        facets,
    } = *arguments;
    let mut both = [round(), triangles(facets)?]
        .into_iter()
        .map(|walls| simulation(spheres, walls))
        .collect::<Result<Vec<_>, _>>()?;
    let sums = in_pool(1, || -> Result<_, Failure> {
        let mut sums = [[0.0; 3]; 2];
        for k in 0..steps {
            // In turns, so that both meet the same machine.
            for (simulation, sum) in both.iter_mut().zip(&mut sums) {
                let step = step(simulation)?;
                if k >= steps / 2 {
                    for (sum, value) in sum.iter_mut().zip(step) {
                        *sum += value;
                    }
                }
            }
        }
        Ok(sums)
    })??;
    let counted = (steps - steps / 2) as f64;
    let [[round, _, round_sweeps], [mesh, contacts, mesh_sweeps]] = sums;
    let note = format!(
        "{spheres} spheres, {} triangles, {:.0} contacts a step",
        4 * ROWS * facets,
        contacts / counted
    );
    for (quantity, value, unit) in [
        ("cone and cylinder", 1e3 * round / counted, "ms/step"),
        ("triangles", 1e3 * mesh / counted, "ms/step"),
        ("ratio", mesh / round, "-"),
        (
            "cone and cylinder, sweeps",
            round_sweeps / counted,
            "1/step",
        ),
        ("triangles, sweeps", mesh_sweeps / counted, "1/step"),
    ] {
        entries.push(Entry {
            name: "hopper",
            quantity: quantity.to_owned(),
            value,
            unit,
            threads: 1,
            note: note.clone(),
        });
    }
    Ok(())
}
