//! Reads the frames of a run.

use super::{Collection, Part, PointCloud, ReadError, read_points};
use glam::{DQuat, DVec3};
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
}

/// The bodies of one frame, in the order of ids; all arrays have the same length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BodyStates {
    /// Names of the bodies.
    pub id: Vec<u32>,
    /// Centres, m.
    pub position: Vec<DVec3>,
    /// m.
    pub radius: Vec<f64>,
    /// m/s.
    pub velocity: Vec<DVec3>,
    /// Orientations of the body frames.
    pub orientation: Vec<DQuat>,
    /// Indices of materials.
    pub material: Vec<u16>,
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
                    });
                }
                (Part::Walls, Some(frame)) => frame.walls = Some(file),
                (Part::Contacts, Some(frame)) => frame.contacts = Some(file),
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

    /// Loads the bodies of frame `number`, counted from 0.
    pub fn bodies(&self, number: usize) -> Result<BodyStates, ReadError> {
        let frame = self
            .frames
            .get(number)
            .ok_or_else(|| ReadError::NoSuchFrame {
                path: self.folder.clone(),
                frame: number,
                count: self.frames.len(),
            })?;
        let cloud = read_points(&frame.bodies)?;
        let column =
            |name: &str, components: usize| column(&frame.bodies, &cloud, name, components);
        let vectors = |values: &[f64]| -> Vec<DVec3> {
            values
                .as_chunks::<3>()
                .0
                .iter()
                .map(|v| DVec3::from_array(*v))
                .collect()
        };
        let quaternions = column("orientation", 4)?.as_chunks::<4>().0;
        Ok(BodyStates {
            id: column("id", 1)?.iter().map(|&id| id as u32).collect(),
            position: cloud.points.iter().map(|p| DVec3::from_array(*p)).collect(),
            radius: column("radius", 1)?.to_vec(),
            velocity: vectors(column("velocity", 3)?),
            orientation: quaternions.iter().map(|q| DQuat::from_array(*q)).collect(),
            material: column("material", 1)?.iter().map(|&m| m as u16).collect(),
        })
    }
}

fn column<'a>(
    path: &Path,
    cloud: &'a PointCloud,
    name: &str,
    components: usize,
) -> Result<&'a [f64], ReadError> {
    match cloud.arrays.get(name) {
        Some((found, values)) if *found == components => Ok(values),
        _ => {
            let what = format!("there is no array `{name}` with {components} component(s)");
            Err(ReadError::malformed(path, what))
        }
    }
}
