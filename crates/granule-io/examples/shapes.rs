//! Bodies of every shape fall through a funnel of triangles into a box: what a program calls to make shapes, and a
//! run with them.
//!
//! `granule render FOLDER -o shapes.png` draws it; ParaView shows the surfaces of `frames.pvd` at once.
//!
//! `cargo run --release -p granule-io --example shapes -- FOLDER [LAYERS] [SECONDS]`

use granule::bodies::{Dimension, Motion, RigidBody, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::{DQuat, DVec2, DVec3, Pose};
use granule::shapes::{
    BoxContainer, Frustum, Hull, Part, Solid, Superellipsoid, Surface, TriangleMesh,
};
use granule::simulation::{Settings, StepSize, World};
use granule_io::run::Run;
use granule_io::scene::Setup;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// kg/m³.
const DENSITY: f64 = 2000.0;

/// A shape of every kind, about 0.1 m large.
fn shapes() -> Result<Vec<Solid>, Box<dyn Error>> {
    let hexagon: Vec<DVec2> = (0..6)
        .map(|k| 0.05 * DVec2::from_angle(std::f64::consts::FRAC_PI_3 * f64::from(k)))
        .collect();
    let crystal = [
        [0.06, 0.0, 0.0],
        [-0.03, 0.05, 0.0],
        [-0.03, -0.05, 0.0],
        [0.01, 0.0, 0.07],
        [0.0, 0.01, -0.04],
    ];
    let frustum = |bottom_radius, top_radius| Frustum {
        bottom: -0.05,
        top: 0.05,
        bottom_radius,
        top_radius,
    };
    let pill = Superellipsoid {
        half_axes: DVec3::new(0.06, 0.04, 0.03),
        around: 4.0,
        along: 2.5,
    };
    // Two bars across each other.
    let bar = |half: DVec3| Part {
        pose: Pose::IDENTITY,
        shape: Hull::cuboid(half).with_radius(0.01).into(),
    };
    let cross = vec![
        bar(DVec3::new(0.06, 0.01, 0.01)),
        bar(DVec3::new(0.01, 0.06, 0.01)),
    ];
    Ok(vec![
        Hull::cuboid(DVec3::new(0.05, 0.04, 0.03)).into(),
        Hull::cuboid(DVec3::new(0.03, 0.03, 0.03))
            .with_radius(0.015)
            .into(),
        Hull::prism(&hexagon, 0.03)?.into(),
        Hull::of_points(&crystal.map(DVec3::from_array))?.into(),
        Hull::segment(0.04, 0.025).into(),
        Superellipsoid::ellipsoid(DVec3::new(0.06, 0.04, 0.03)).into(),
        pill.into(),
        frustum(0.04, 0.04).into(),
        frustum(0.05, 0.0).into(),
        Solid::joined(cross)?.0,
    ])
}

/// A square funnel.
fn funnel() -> Result<TriangleMesh, Box<dyn Error>> {
    let ring = |half: f64, z: f64| {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        corners.map(|(x, y)| DVec3::new(half * x, half * y, z))
    };
    let vertices = [ring(0.16, 0.45), ring(0.3, 0.75)].concat();
    let sides = (0..4u32).flat_map(|k| {
        let next = (k + 1) % 4;
        [[k, next, 4 + next], [k, 4 + next, 4 + k]]
    });
    Ok(TriangleMesh::new(&vertices, &sides.collect::<Vec<_>>())?)
}

/// So many layers of bodies above the funnel, every shape in turn and a sphere after them.
fn setup(layers: u32, end: f64) -> Result<Setup, Box<dyn Error>> {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    world.laws = LawTable::uniform(Law::CoulombConvex(Friction::sliding(0.4)));
    let tray = Surface::Box(BoxContainer {
        size: [0.7, 0.7, 0.3],
        closed: [true, true, true, true, true, false],
    });
    world.add_wall(Wall::new(tray, 0.15 * DVec3::Z, DVec3::Z, Motion::Fixed));
    let funnel = Surface::Mesh(Arc::new(funnel()?));
    world.add_wall(Wall::new(funnel, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let solids = shapes()?;
    for solid in &solids {
        world.add_shape(solid.clone());
    }
    for k in 0..9 * layers {
        let cell = DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9));
        let place = 0.17 * (cell - DVec3::new(1.0, 1.0, 0.0)) + 0.85 * DVec3::Z;
        match solids.get(k as usize % (solids.len() + 1)) {
            Some(solid) => {
                let number = k % (solids.len() as u32 + 1);
                let mut body = RigidBody::of_shape(solid, place, DENSITY * solid.volume());
                body.orientation =
                    DQuat::from_scaled_axis(DVec3::new(0.7, 0.3, 0.2) * f64::from(k));
                world.add_solid(&body, number, 0);
            }
            None => {
                world.add_sphere(&Sphere::new(place, 0.05, 1.0));
            }
        }
    }
    let settings = Settings::new(StepSize::Fixed(2e-3), end);
    let mut setup = Setup::new("shapes", world, settings);
    setup.output.frame_interval = 0.02;
    Ok(setup)
}

/// Records a run of so many layers until a time (s).
pub fn record(folder: &Path, layers: u32, end: f64) -> Result<(), Box<dyn Error>> {
    let run = Run::create(folder, setup(layers, end)?)?;
    let summary = run.to_end(|_, _| ControlFlow::Continue(()))?;
    println!("{} bodies, {} steps", summary.bodies, summary.steps);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let layers = words.get(1).map_or(Ok(6), |word| word.parse())?;
    let end = words.get(2).map_or(Ok(1.5), |word| word.parse())?;
    match words.first() {
        Some(folder) => record(Path::new(folder), layers, end),
        None => record(&tempfile::tempdir()?.path().join("shapes"), 2, 0.3),
    }
}
