//! Reads the frames of a run.

use super::cell_file::read_cell;
use super::frame::shape_of_number;
use super::{Collection, Part, PointCloud, ReadError, read_points};
use glam::{DQuat, DVec3};
use granule::bodies::{Bodies, BodyShape, Cell};
use std::path::{Path, PathBuf};

/// The files of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameFiles {
    /// s.
    pub time: f64,
    /// The bodies.
    pub bodies: PathBuf,
    /// The walls, if there are any.
    pub walls: Option<PathBuf>,
    /// The contacts.
    pub contacts: Option<PathBuf>,
    /// The surfaces of bodies that are no spheres, if there are any.
    pub shapes: Option<PathBuf>,
    /// The periodic cell, if there is one.
    pub cell: Option<PathBuf>,
    /// Images of bodies that reach into it.
    pub images: Option<PathBuf>,
}

/// The bodies of one frame, in the order of ids unless said otherwise; all arrays have the same length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BodyStates {
    /// Names of the bodies.
    pub id: Vec<u32>,
    /// Centres, m.
    pub position: Vec<DVec3>,
    /// m; of a solid that of a sphere about its centre that holds it.
    pub radius: Vec<f64>,
    /// m/s.
    pub velocity: Vec<DVec3>,
    /// ω in the world frame, rad/s.
    pub angular_velocity: Vec<DVec3>,
    /// Orientations of the body frames.
    pub orientation: Vec<DQuat>,
    /// Indices of materials.
    pub material: Vec<u16>,
    /// kg.
    pub mass: Vec<f64>,
    /// What of them touches others; the solids are in [`super::RunRecord::solids`].
    pub shape: Vec<BodyShape>,
    /// How far they have come through the faces of a periodic cell, m; zero without one.
    pub through: Vec<DVec3>,
}

/// The contacts of one frame that carry an impulse; all arrays have the same length. What they mean
/// is told at [`super::ContactFrame`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactStates {
    /// Contact points, m.
    pub point: Vec<DVec3>,
    /// Unit normals, from body b (or the wall) to body a.
    pub normal: Vec<DVec3>,
    /// Mean force over the step on body a, N.
    pub force: Vec<DVec3>,
    /// Mean moment over the step on body a, N m; zero where no law has moments.
    pub moment: Vec<DVec3>,
    /// Distance of the surfaces, m.
    pub gap: Vec<f64>,
    /// Id of body a.
    pub body_a: Vec<i64>,
    /// Id of body b, or `-1 - w` for the wall with index w.
    pub body_b: Vec<i64>,
    /// Whether the two are bonded.
    pub bonded: Vec<bool>,
}

impl BodyStates {
    /// The bodies as they are now, in the order in which they are kept.
    pub fn of(bodies: &Bodies) -> Self {
        Self {
            id: bodies.id.clone(),
            position: bodies.position.clone(),
            radius: bodies.radius.clone(),
            velocity: bodies.velocity.clone(),
            angular_velocity: bodies.angular_velocity.clone(),
            orientation: bodies.orientation.clone(),
            material: bodies.material.clone(),
            mass: bodies.mass.clone(),
            shape: bodies.shape.clone(),
            through: vec![DVec3::ZERO; bodies.len()],
        }
    }

    /// Adds others behind these.
    fn append(&mut self, mut others: Self) {
        self.id.append(&mut others.id);
        self.position.append(&mut others.position);
        self.radius.append(&mut others.radius);
        self.velocity.append(&mut others.velocity);
        self.angular_velocity.append(&mut others.angular_velocity);
        self.orientation.append(&mut others.orientation);
        self.material.append(&mut others.material);
        self.mass.append(&mut others.mass);
        self.shape.append(&mut others.shape);
        self.through.append(&mut others.through);
    }
}

/// The list of frames of a run's folder.
#[derive(Debug, Clone)]
pub struct FrameReader {
    folder: PathBuf,
    frames: Vec<FrameFiles>,
}

impl FrameReader {
    /// Reads the list of frames (`frames.pvd`) of a run's folder.
    pub fn open(folder: &Path) -> Result<Self, ReadError> {
        let collection = Collection::read(&folder.join("frames.pvd"))?;
        let mut frames: Vec<FrameFiles> = Vec::new();
        for entry in collection.entries {
            let file = folder.join(&entry.file);
            match (entry.part, frames.last_mut()) {
                (Part::Bodies, _) => {
                    let time = entry.time;
                    frames.push(FrameFiles {
                        time,
                        bodies: file,
                        walls: None,
                        contacts: None,
                        shapes: None,
                        cell: None,
                        images: None,
                    });
                }
                (Part::Walls, Some(frame)) => frame.walls = Some(file),
                (Part::Contacts, Some(frame)) => frame.contacts = Some(file),
                (Part::Shapes, Some(frame)) => frame.shapes = Some(file),
                (Part::Cell, Some(frame)) => frame.cell = Some(file),
                (Part::Images, Some(frame)) => frame.images = Some(file),
                (_, None) => {}
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            frames,
        })
    }

    /// The frames, in the order of time.
    pub fn frames(&self) -> &[FrameFiles] {
        &self.frames
    }

    fn frame(&self, number: usize) -> Result<&FrameFiles, ReadError> {
        self.frames
            .get(number)
            .ok_or_else(|| ReadError::NoSuchFrame {
                path: self.folder.clone(),
                frame: number,
                count: self.frames.len(),
            })
    }

    /// Loads the bodies of frame `number`, counted from 0. Where the file does not say what shape they have, as
    /// earlier versions wrote it, they are spheres.
    pub fn bodies(&self, number: usize) -> Result<BodyStates, ReadError> {
        read_bodies(&self.frame(number)?.bodies)
    }

    /// The same with the images of bodies that reach into a periodic cell after them: what is seen of it.
    pub fn bodies_and_images(&self, number: usize) -> Result<BodyStates, ReadError> {
        let mut bodies = self.bodies(number)?;
        if let Some(path) = &self.frame(number)?.images {
            bodies.append(read_bodies(path)?);
        }
        Ok(bodies)
    }

    /// The periodic cell of frame `number`, if there is one: as it was then, without what moves its faces.
    pub fn cell(&self, number: usize) -> Result<Option<Cell>, ReadError> {
        let path = self.frame(number)?.cell.as_deref();
        path.map(read_cell).transpose()
    }

    /// Loads the contacts of frame `number`, counted from 0; none if the frame has no file of them.
    pub fn contacts(&self, number: usize) -> Result<ContactStates, ReadError> {
        let Some(path) = &self.frame(number)?.contacts else {
            return Ok(ContactStates::default());
        };
        let table = Table::read(path)?;
        let point = table.points();
        Ok(ContactStates {
            normal: table.vectors("normal")?,
            force: table.vectors("force")?,
            moment: match table.has("moment") {
                true => table.vectors("moment")?,
                false => vec![DVec3::ZERO; point.len()],
            },
            gap: table.column("gap", 1)?.to_vec(),
            body_a: table.integers("body_a")?.collect(),
            body_b: table.integers("body_b")?.collect(),
            bonded: match table.has("bonded") {
                true => table
                    .integers("bonded")?
                    .map(|bonded| bonded != 0)
                    .collect(),
                false => vec![false; point.len()],
            },
            point,
        })
    }
}

/// The bodies of a file.
fn read_bodies(path: &Path) -> Result<BodyStates, ReadError> {
    let table = Table::read(path)?;
    let quaternions = table.column("orientation", 4)?.as_chunks::<4>().0;
    Ok(BodyStates {
        id: table.integers("id")?.map(|id| id as u32).collect(),
        position: table.points(),
        radius: table.column("radius", 1)?.to_vec(),
        velocity: table.vectors("velocity")?,
        angular_velocity: table.vectors("angular_velocity")?,
        orientation: quaternions.iter().map(|q| DQuat::from_array(*q)).collect(),
        material: table.integers("material")?.map(|m| m as u16).collect(),
        mass: table.column("mass", 1)?.to_vec(),
        shape: table.shapes()?,
        through: match table.has("through") {
            true => table.vectors("through")?,
            false => vec![DVec3::ZERO; table.cloud.points.len()],
        },
    })
}

/// The points of a file and their arrays, which all have the same length.
struct Table<'a> {
    path: &'a Path,
    cloud: PointCloud,
}

impl<'a> Table<'a> {
    fn read(path: &'a Path) -> Result<Self, ReadError> {
        let cloud = read_points(path)?;
        Ok(Self { path, cloud })
    }

    fn has(&self, name: &str) -> bool {
        self.cloud.arrays.contains_key(name)
    }

    fn points(&self) -> Vec<DVec3> {
        let points = self.cloud.points.iter();
        points.map(|point| DVec3::from_array(*point)).collect()
    }

    fn column(&self, name: &str, components: usize) -> Result<&[f64], ReadError> {
        match self.cloud.arrays.get(name) {
            Some((found, values)) if *found == components => Ok(values),
            _ => {
                let what = format!("there is no array `{name}` with {components} component(s)");
                Err(ReadError::malformed(self.path, what))
            }
        }
    }

    fn vectors(&self, name: &str) -> Result<Vec<DVec3>, ReadError> {
        let numbers = self.column(name, 3)?.as_chunks::<3>().0;
        Ok(numbers.iter().map(|v| DVec3::from_array(*v)).collect())
    }

    fn shapes(&self) -> Result<Vec<BodyShape>, ReadError> {
        if !self.has("shape") {
            return Ok(vec![BodyShape::Sphere; self.cloud.points.len()]);
        }
        let shape = |number: i64| {
            shape_of_number(number).ok_or_else(|| {
                ReadError::malformed(self.path, format!("there is no shape of number {number}"))
            })
        };
        self.integers("shape")?.map(shape).collect()
    }

    fn integers(&self, name: &str) -> Result<impl Iterator<Item = i64>, ReadError> {
        let numbers = self.column(name, 1)?.iter();
        Ok(numbers.map(|&number| number as i64))
    }
}
