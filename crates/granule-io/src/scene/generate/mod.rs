//! Bodies from `[[bodies]]` and `[[grains]]`, in the order of the file.

mod csv;
mod draw;
mod grid;
mod random;
mod region;
mod run;
mod vtk;

use super::check::{MOST_BODIES, grains::too_many};
use super::convert;
use super::error::{Problem, SceneError};
use super::grammar::{Body, Grains, MassFrom, Sections};
use super::key_path::{KeyPath, key_path};
use granule::bodies::Sphere;
use granule::bodies::Wall;
use granule::math::{DQuat, DVec3};
use std::fmt;
use std::path::Path;

/// How a body of a scene arose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From `[[bodies]]`, by its place there.
    Body(usize),
    /// From `[[grains]]`.
    Grain {
        /// The place of the entry in `[[grains]]`.
        set: usize,
        /// The number of the grain in that entry, from 0.
        index: usize,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(k) => write!(f, "bodies[{k}]"),
            Self::Grain { set, index } => write!(f, "grain {index} of grains[{set}]"),
        }
    }
}

/// All bodies and how they arose.
#[derive(Default)]
pub(crate) struct Placed {
    pub spheres: Vec<Sphere>,
    pub sources: Vec<Source>,
}

/// Why bodies cannot be made: a value of the scene, or a file that it names.
pub(crate) enum Failure {
    Scene(Problem),
    File(SceneError),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Scene(problem)
    }
}

/// A grain as a source of grains gives it; what is `None` follows from the scene.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grain {
    pub position: DVec3,
    pub radius: f64,
    pub mass: Option<f64>,
    pub velocity: Option<DVec3>,
    pub angular_velocity: Option<DVec3>,
    pub orientation: Option<DQuat>,
}

impl Grain {
    fn new(position: DVec3, radius: f64) -> Self {
        Self {
            position,
            radius,
            mass: None,
            velocity: None,
            angular_velocity: None,
            orientation: None,
        }
    }
}

/// What generators need to know of the scene.
pub(crate) struct Context<'a> {
    /// 1, 2 or 3.
    pub dimension: usize,
    /// The folder that names of files are relative to.
    pub folder: &'a Path,
    /// Walls at the start.
    pub walls: &'a [Wall],
}

/// The bodies of the scene.
pub(crate) fn all(sections: &Sections, context: &Context<'_>) -> Result<Placed, Failure> {
    let mut placed = Placed::default();
    for (k, body) in sections.bodies.iter().enumerate() {
        placed
            .spheres
            .push(single(sections, body, &key_path!["bodies", k])?);
        placed.sources.push(Source::Body(k));
    }
    for (set, grains) in sections.grains.iter().enumerate() {
        let path = key_path!["grains", set];
        let made = from_source(grains, context, &placed, &path)?;
        let total = placed.spheres.len() as u64 + made.len() as u64;
        if total > MOST_BODIES {
            return Err(too_many(total, &path).into());
        }
        let mut masses = draw::Stream::new(grains.seed, draw::Purpose::Mass);
        for (index, grain) in made.into_iter().enumerate() {
            let mass = grains
                .mass
                .as_ref()
                .map(|mass| masses.quantity(mass))
                .or(grain.mass);
            let material = grains.material.as_deref();
            placed.spheres.push(Sphere {
                mass: mass_of(sections, grain.radius, mass, material, &path)?,
                orientation: grain.orientation.unwrap_or(DQuat::IDENTITY),
                velocity: grain
                    .velocity
                    .unwrap_or(convert::vector_or_zero(grains.velocity.as_ref())),
                angular_velocity: grain
                    .angular_velocity
                    .unwrap_or(convert::spin(grains.angular_velocity.as_ref())),
                material: material_index(sections, material),
                motion: grains.motion.as_ref().map(convert::motion),
                ..Sphere::new(grain.position, grain.radius, 0.0)
            });
            placed.sources.push(Source::Grain { set, index });
        }
    }
    Ok(placed)
}

fn from_source(
    grains: &Grains,
    context: &Context<'_>,
    placed: &Placed,
    path: &KeyPath,
) -> Result<Vec<Grain>, Failure> {
    if let Some(grid) = &grains.grid {
        Ok(grid::generate(grains, grid, context.dimension))
    } else if let Some(random) = &grains.random {
        Ok(random::generate(grains, random, context, placed, path)?)
    } else if let Some(source) = &grains.csv {
        csv::generate(grains, source, context, path)
    } else if let Some(source) = &grains.vtk {
        vtk::generate(grains, source, context, path)
    } else if let Some(source) = &grains.run {
        run::generate(grains, source, context, path)
    } else {
        Ok(Vec::new())
    }
}

fn single(sections: &Sections, body: &Body, path: &KeyPath) -> Result<Sphere, Problem> {
    let radius = body.sphere.radius;
    let material = body.material.as_deref();
    Ok(Sphere {
        position: convert::vector(&body.position),
        radius,
        mass: mass_of(sections, radius, body.mass, material, path)?,
        inertia: body.inertia.map(DVec3::from_array),
        orientation: convert::quaternion(body.orientation),
        velocity: convert::vector_or_zero(body.velocity.as_ref()),
        angular_velocity: convert::spin(body.angular_velocity.as_ref()),
        material: material_index(sections, material),
        motion: body.motion.as_ref().map(convert::motion),
    })
}

/// The number of a material: its place among the names in alphabetical order.
pub(crate) fn material_index(sections: &Sections, name: Option<&str>) -> u16 {
    let place = name.and_then(|name| sections.materials.keys().position(|known| known == name));
    place.unwrap_or(0) as u16
}

/// The mass that is given, or follows from the density.
fn mass_of(
    sections: &Sections,
    radius: f64,
    given: Option<f64>,
    material: Option<&str>,
    path: &KeyPath,
) -> Result<f64, Problem> {
    let material = material
        .and_then(|name| sections.materials.get(name).copied())
        .unwrap_or_default();
    let density = material.density;
    let measure = match material.mass_from {
        Some(MassFrom::Length) => 1,
        Some(MassFrom::Area) => 2,
        _ => 3,
    };
    let mass = given.unwrap_or_else(|| density * volume(measure, radius));
    // The inertia m r² must not vanish either.
    if mass.is_finite() && mass >= 1e-150 {
        return Ok(mass);
    }
    Err(Problem::new(
        path.clone(),
        format!("a body of radius {radius} m and density {density} has no usable mass"),
        format!("its mass would be {mass} kg"),
    )
    .help("give `mass` in kg, or a larger radius or density"))
}

/// The volume of a sphere, the area of a disk, the length of a segment.
pub(crate) fn volume(dimension: usize, radius: f64) -> f64 {
    use std::f64::consts::PI;
    match dimension {
        1 => 2.0 * radius,
        2 => PI * radius * radius,
        _ => 4.0 / 3.0 * PI * radius * radius * radius,
    }
}
