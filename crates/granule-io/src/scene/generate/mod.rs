//! Bodies from `[[bodies]]` and `[[grains]]`, in the order of the file; those of mechanisms come between.

mod csv;
mod grid;
pub(crate) mod mass;
pub(crate) mod mould;
mod random;
mod run;
mod vtk;

use super::check::{MOST_BODIES, grains::too_many};
use super::convert;
use super::error::{Problem, SceneError};
use super::form::{Form, form};
use super::grammar::{Body, CellSpec, Grains, Sections};
use super::key_path::{KeyPath, key_path};
use super::meshes::Meshes;
use granule::bodies::{Bodies, Motion, RigidBody, Sphere};
use granule::math::{DQuat, DVec3, Distribution, Pose, Purpose, Stream};
use granule::simulation::World;
use mould::{Cast, Mould};
pub(crate) use run::start_time;
use std::collections::HashSet;
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
    /// It carries the wall of one of `[[servos]]`, by its place there.
    Servo(usize),
    /// From `[[mechanisms]]`.
    Link {
        /// The place of the entry in `[[mechanisms]]`.
        mechanism: usize,
        /// The number of the link in the file, from 0; the first of those that move as one.
        link: usize,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(k) => write!(f, "bodies[{k}]"),
            Self::Grain { set, index } => write!(f, "grain {index} of grains[{set}]"),
            Self::Servo(k) => write!(f, "servos[{k}]"),
            Self::Link { mechanism, link } => write!(f, "link {link} of mechanisms[{mechanism}]"),
        }
    }
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
    /// The centre of the body, m.
    pub position: DVec3,
    /// Its shape and orientation.
    pub cast: Cast,
    /// kg.
    pub mass: Option<f64>,
    /// m/s.
    pub velocity: Option<DVec3>,
    /// rad/s.
    pub angular_velocity: Option<DVec3>,
    /// The place of its material among those of the scene.
    pub material: Option<u16>,
    /// The id that it had in an earlier run.
    pub id: Option<u32>,
}

impl Grain {
    fn new(position: DVec3, cast: Cast) -> Self {
        Self {
            position,
            cast,
            mass: None,
            velocity: None,
            angular_velocity: None,
            material: None,
            id: None,
        }
    }
}

/// What grains bring from earlier runs besides themselves.
#[derive(Default)]
pub(crate) struct Brought {
    /// Places of bodies with the ids that they had.
    pub ids: Vec<(usize, u32)>,
    /// What people should know.
    pub notes: Vec<String>,
}

/// What generators need to know of the scene.
pub(crate) struct Context<'a> {
    /// The periodic cell, if there is one.
    pub cell: Option<&'a CellSpec>,
    /// 1, 2 or 3.
    pub dimension: usize,
    /// The folder that names of files are relative to.
    pub folder: &'a Path,
    /// The names of the materials, by their numbers.
    pub materials: Vec<&'a str>,
}

/// Adds `[[bodies]]` to the world and says how each arose.
pub(crate) fn bodies(
    sections: &Sections,
    meshes: &mut Meshes<'_>,
    world: &mut World,
) -> Result<Vec<Source>, Problem> {
    let mut sources = Vec::new();
    for (k, body) in sections.bodies.iter().enumerate() {
        single(sections, body, &key_path!["bodies", k], meshes, world)?;
        sources.push(Source::Body(k));
    }
    Ok(sources)
}

/// Adds `[[grains]]` to the world, whose walls and other bodies are there already, and says how each arose and what
/// they bring.
pub(crate) fn grains(
    sections: &Sections,
    context: &Context<'_>,
    meshes: &mut Meshes<'_>,
    world: &mut World,
    sources: &mut Vec<Source>,
) -> Result<Brought, Failure> {
    let mut brought = Brought::default();
    let mut taken = HashSet::new();
    for (set, grains) in sections.grains.iter().enumerate() {
        let path = key_path!["grains", set];
        let form = match &grains.shape {
            Some(shape) => form(
                shape,
                context.dimension,
                Some(&mut *meshes),
                &path.join("shape"),
            )?,
            None => None,
        };
        let mut mould = Mould::new(grains, form, world);
        let made = from_source(grains, context, &mut mould, &path, &mut brought.notes)?;
        let ids: HashSet<u32> = made.iter().filter_map(|grain| grain.id).collect();
        let keep = ids.is_disjoint(&taken);
        if keep {
            taken.extend(ids);
        } else {
            brought.notes.push(format!(
                "grains[{set}] has ids that grains of an entry before it have, too: all of it gets new ones"
            ));
        }
        let total = world.bodies.len() as u64 + made.len() as u64;
        if total > MOST_BODIES {
            return Err(too_many(total, &path).into());
        }
        let mut masses = Stream::new(grains.seed, Purpose::Mass);
        let drawn = grains.mass.as_ref().map(Distribution::from);
        for (index, grain) in made.into_iter().enumerate() {
            let mass = drawn.as_ref().map(|mass| masses.draw(mass)).or(grain.mass);
            let state = State {
                position: grain.position,
                orientation: grain.cast.orientation,
                velocity: grain
                    .velocity
                    .unwrap_or(convert::vector_or_zero(grains.velocity.as_ref())),
                angular_velocity: grain
                    .angular_velocity
                    .unwrap_or(convert::spin(grains.angular_velocity.as_ref())),
                motion: grains.motion.as_ref().map(convert::motion),
            };
            let what = match grain.cast.solid {
                Some(number) => What::Solid(number),
                None => What::Sphere(grain.cast.radius),
            };
            let material = grain
                .material
                .map(|number| context.materials[number as usize]);
            let matter = Matter {
                mass,
                inertia: None,
                material: material.or(grains.material.as_deref()),
            };
            let id = grain.id.filter(|_| keep);
            brought.ids.extend(id.map(|id| (world.bodies.len(), id)));
            add(sections, what, &matter, state, world, &path)?;
            sources.push(Source::Grain { set, index });
        }
    }
    Ok(brought)
}

fn from_source(
    grains: &Grains,
    context: &Context<'_>,
    mould: &mut Mould<'_>,
    path: &KeyPath,
    notes: &mut Vec<String>,
) -> Result<Vec<Grain>, Failure> {
    if let Some(grid) = &grains.grid {
        Ok(grid::generate(grains, grid, context.dimension, mould))
    } else if let Some(random) = &grains.random {
        Ok(random::generate(grains, random, context, mould, path)?)
    } else if let Some(source) = &grains.csv {
        csv::generate(grains, source, context, mould, path)
    } else if let Some(source) = &grains.vtk {
        vtk::generate(grains, source, context, mould, path)
    } else if let Some(source) = &grains.run {
        let named = grains.material.is_some();
        let taken = run::generate(source, named, context, mould, path)?;
        if taken.prescribed > 0 && grains.motion.is_none() {
            notes.push(format!(
                "{} bodies moved as prescribed in the run of {path}, and move freely here; `motion = \"fixed\"` holds them",
                taken.prescribed
            ));
        }
        Ok(taken.grains)
    } else {
        Ok(Vec::new())
    }
}

fn single(
    sections: &Sections,
    body: &Body,
    path: &KeyPath,
    meshes: &mut Meshes<'_>,
    world: &mut World,
) -> Result<(), Problem> {
    let given = Pose::new(
        convert::vector(&body.position),
        convert::quaternion(body.orientation),
    );
    let dimension = world.dimension.count();
    let (what, pose) = match form(body, dimension, Some(meshes), path)? {
        Some(Form::Solid { solid, frame }) => {
            let number = mould::shared(&solid, world);
            (What::Solid(number), given.then(&frame))
        }
        Some(Form::Sphere { radius }) => (What::Sphere(radius), given),
        None => (What::Walls, given),
    };
    let state = State {
        position: pose.position,
        orientation: pose.orientation,
        velocity: convert::vector_or_zero(body.velocity.as_ref()),
        angular_velocity: convert::spin(body.angular_velocity.as_ref()),
        motion: body.motion.as_ref().map(convert::motion),
    };
    let matter = Matter {
        mass: body.mass,
        inertia: body.inertia.map(DVec3::from_array),
        material: body.material.as_deref(),
    };
    add(sections, what, &matter, state, world, path)
}

/// What a body is: a sphere of a radius (m), the shape of a number in the world, or nothing but the walls it carries.
#[derive(Clone, Copy)]
enum What {
    Sphere(f64),
    Solid(u32),
    Walls,
}

/// What a body is made of; what is `None` follows from the density.
struct Matter<'a> {
    mass: Option<f64>,
    inertia: Option<DVec3>,
    material: Option<&'a str>,
}

/// Where the centre of a body is and how it moves.
struct State {
    position: DVec3,
    orientation: DQuat,
    velocity: DVec3,
    angular_velocity: DVec3,
    motion: Option<Motion>,
}

/// Adds a body to the world.
fn add(
    sections: &Sections,
    what: What,
    matter: &Matter<'_>,
    state: State,
    world: &mut World,
    path: &KeyPath,
) -> Result<(), Problem> {
    let material = material_index(sections, matter.material);
    match what {
        What::Walls => {
            let (mass, inertia) = (matter.mass.unwrap_or(1.0), matter.inertia);
            world.add_body(&RigidBody {
                position: state.position,
                mass,
                inertia: inertia.unwrap_or(DVec3::splat(mass)),
                orientation: state.orientation,
                velocity: state.velocity,
                angular_velocity: state.angular_velocity,
                motion: state.motion,
            });
        }
        What::Sphere(radius) => {
            world.add_sphere(&Sphere {
                position: state.position,
                radius,
                mass: mass::of_sphere(sections, radius, matter.mass, matter.material, path)?,
                inertia: matter.inertia,
                orientation: state.orientation,
                velocity: state.velocity,
                angular_velocity: state.angular_velocity,
                material,
                motion: state.motion,
            });
        }
        What::Solid(number) => {
            let dimension = world.dimension.count();
            let solid = &world.bodies.solids[number as usize];
            let mass = mass::of_solid(
                sections,
                (solid.volume(), dimension),
                matter.mass,
                matter.material,
                path,
            )?;
            let body = RigidBody {
                position: state.position,
                mass,
                inertia: matter.inertia.unwrap_or_else(|| solid.inertia(mass)),
                orientation: state.orientation,
                velocity: state.velocity,
                angular_velocity: state.angular_velocity,
                motion: state.motion,
            };
            world.add_solid(&body, number, material);
        }
    }
    if let (Some(last), false) = (world.bodies.len().checked_sub(1), world.time == 0.0) {
        start_on_the_way(&mut world.bodies, last, world.time);
    }
    Ok(())
}

/// Puts a body that moves as prescribed where that leads it until a time (s).
fn start_on_the_way(bodies: &mut Bodies, place: usize, time: f64) {
    if let Some(kinematics) = bodies.kinematics.get(bodies.prescribed[place] as usize) {
        (bodies.position[place], bodies.orientation[place]) = kinematics.pose(time);
    }
}

/// The number of a material: its place among the names in alphabetical order.
pub(crate) fn material_index(sections: &Sections, name: Option<&str>) -> u16 {
    let place = name.and_then(|name| sections.materials.keys().position(|known| known == name));
    place.unwrap_or(0) as u16
}
