//! Writes the frames of a run, one after the other.

use super::atomic::make_folder;
use super::cell_file::{Images, write_cell};
use super::frame::{placed_walls, write_bodies, write_contacts};
use super::mesh::write_walls;
use super::shapes_file::{has_solids, write_shapes};
use super::{
    BodyFrame, Bounds, Collection, CollectionEntry, ContactFrame, Part, ReadError, WriteError,
};
use granule::bodies::{Dimension, Wall};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `frames.pvd`, `frames/…` and `walls.vtp` in a run's folder.
///
/// ```
/// use granule::bodies::{Bodies, Sphere};
/// use granule::math::DVec3;
/// use granule_io::results::{BodyFrame, Bounds, ContactFrame, FrameReader, FrameWriter};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let mut bodies = Bodies::default();
/// bodies.push(&Sphere::new(DVec3::ZERO, 0.1, 2.0));
/// let bounds = Bounds::of_spheres(&bodies.position, &bodies.radius);
/// let mut frames = FrameWriter::create(folder.path(), bounds)?;
/// frames.write(0.5, &BodyFrame::of(&bodies), &ContactFrame::default(), &[])?;
/// let reader = FrameReader::open(folder.path())?;
/// assert_eq!(reader.frames()[0].time, 0.5);
/// assert_eq!(reader.bodies(0)?.radius, [0.1]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FrameWriter {
    folder: PathBuf,
    collection: Collection,
    next: usize,
    bounds: Bounds,
    dimension: Dimension,
    fixed_walls_written: bool,
}

impl FrameWriter {
    /// Starts a new list of frames in the run's folder, which is made if it is not there.
    ///
    /// Half-spaces have no end; they are drawn within `bounds`, usually the box around all bodies
    /// at the start.
    pub fn create(folder: &Path, bounds: Bounds) -> Result<Self, WriteError> {
        Self::start(folder, bounds, Collection::default())
    }

    /// Goes on with the list of a run that stopped: frames later than `time` (s), the time of the
    /// checkpoint, are forgotten. A folder without frames is as good as a new one.
    pub fn resume(folder: &Path, bounds: Bounds, time: f64) -> Result<Self, ResumeError> {
        let list = folder.join("frames.pvd");
        let mut collection = Collection::default();
        if list.exists() {
            collection = Collection::read(&list)?;
            collection.entries.retain(|entry| entry.time <= time);
        }
        Ok(Self::start(folder, bounds, collection)?)
    }

    fn start(folder: &Path, bounds: Bounds, collection: Collection) -> Result<Self, WriteError> {
        make_folder(&folder.join("frames"))?;
        let next = collection
            .entries
            .iter()
            .filter(|entry| entry.part == Part::Bodies)
            .count();
        let folder = folder.to_owned();
        let writer = Self {
            folder,
            collection,
            next,
            bounds,
            dimension: Dimension::Space,
            fixed_walls_written: false,
        };
        writer.collection.write(&writer.list())?;
        writer.remove_later_files()?;
        Ok(writer)
    }

    /// The same for bodies that move in this dimension: in a plane, the surfaces of solids are flat.
    pub fn in_dimension(self, dimension: Dimension) -> Self {
        Self { dimension, ..self }
    }

    /// Removes the files of frames that are not in the list, as another run may have left them.
    fn remove_later_files(&self) -> Result<(), WriteError> {
        let frames = self.folder.join("frames");
        let refused = |source| WriteError::io(&frames, source);
        for entry in fs::read_dir(&frames).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            if is_later(&entry.file_name().to_string_lossy(), self.next) {
                let path = entry.path();
                fs::remove_file(&path).map_err(|source| WriteError::io(&path, source))?;
            }
        }
        Ok(())
    }

    fn list(&self) -> PathBuf {
        self.folder.join("frames.pvd")
    }

    /// Number of frames in the list; the next frame has this number.
    pub fn count(&self) -> usize {
        self.next
    }

    /// The time of the last frame in the list, s.
    pub fn last_time(&self) -> Option<f64> {
        self.collection.entries.last().map(|entry| entry.time)
    }

    /// Writes a frame at `time` (s) and adds it to the list.
    pub fn write(
        &mut self,
        time: f64,
        bodies: &BodyFrame<'_>,
        contacts: &ContactFrame<'_>,
        walls: &[Wall],
    ) -> Result<(), WriteError> {
        let numbered = |part: Part| format!("frames/{}_{:06}.vtp", part.name(), self.next);
        let mut entries = Vec::new();
        let mut add = |part, file: String| entries.push(CollectionEntry { time, part, file });

        let file = numbered(Part::Bodies);
        write_bodies(&self.folder.join(&file), time, bodies)?;
        add(Part::Bodies, file);

        if has_solids(bodies) {
            let file = numbered(Part::Shapes);
            write_shapes(&self.folder.join(&file), time, bodies, self.dimension)?;
            add(Part::Shapes, file);
        }

        if let Some(cell) = bodies.cell {
            let file = numbered(Part::Cell);
            write_cell(&self.folder.join(&file), time, cell)?;
            add(Part::Cell, file);
            let file = numbered(Part::Images);
            Images::new(bodies, cell).write(&self.folder.join(&file), time)?;
            add(Part::Images, file);
        }

        let moving = walls.iter().any(|wall| !wall.is_fixed());
        if !walls.is_empty() {
            let file = if moving {
                numbered(Part::Walls)
            } else {
                "walls.vtp".to_owned()
            };
            if moving || !self.fixed_walls_written {
                let BodyFrame {
                    id,
                    position,
                    orientation,
                    ..
                } = *bodies;
                // Walls that stay belong to the first frame, also where a run that went on writes them again.
                let first = self.collection.entries.first().map(|entry| entry.time);
                let since = if moving { time } else { first.unwrap_or(time) };
                let placed = placed_walls(walls, since, id, position, orientation);
                write_walls(&self.folder.join(&file), since, &placed, &self.bounds)?;
                self.fixed_walls_written = !moving;
            }
            add(Part::Walls, file);
        }

        let file = numbered(Part::Contacts);
        write_contacts(&self.folder.join(&file), time, contacts)?;
        add(Part::Contacts, file);

        // The list last: it never names a file that is not there yet.
        self.collection.entries.append(&mut entries);
        self.collection.write(&self.list())?;
        self.next += 1;
        Ok(())
    }
}

/// Whether a file belongs to frame `first` or a later one, by its name.
fn is_later(name: &str, first: usize) -> bool {
    let stem = name.strip_suffix(".tmp").unwrap_or(name);
    let numbered = stem
        .strip_suffix(".vtp")
        .and_then(|stem| stem.split_once('_'));
    numbered.is_some_and(|(part, number)| {
        let ours = Part::ALL.iter().any(|known| known.name() == part);
        ours && number.parse::<usize>().is_ok_and(|number| number >= first)
    })
}

/// The frames of a run that stopped could not be taken up.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The list of frames is damaged.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The list of frames could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
