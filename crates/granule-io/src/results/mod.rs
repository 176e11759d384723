//! The files of a run: frames for ParaView, the series of numbers, the summary.
//!
//! A run's folder holds
//!
//! ```text
//! run.json                      walls, shapes of bodies, materials and all else that stays, see [`RunRecord`]
//! summary.json                  what happened, see [`Summary`]
//! series.csv                    a row a step, see [`SeriesWriter`] and [`read_series`]
//! measures/NAME.csv             what measures with several rows a moment have
//! frames.pvd                    the list of frames; usable at any moment
//! frames/bodies_000012.vtp      bodies in the order of ids
//! frames/shapes_000012.vtp      the surfaces of bodies that are no spheres, if there are any
//! frames/contacts_000012.vtp    contacts with their forces
//! walls.vtp                     the walls, once; or frames/walls_000012.vtp where a wall moves
//! ```
//!
//! Everything is in SI units. Every file except `series.csv` is written under a temporary name
//! and renamed, so that a reader never meets half a file, and a disk that runs full leaves the
//! earlier files as they were. [`FrameWriter`] writes the frames, [`FrameReader`] reads them.

mod atomic;
mod cell_file;
mod collection;
mod decode;
mod error;
mod frame;
mod frame_reader;
mod frame_writer;
mod json;
mod mesh;
mod run_record;
mod series;
mod series_reader;
mod shapes_file;
mod solids;
mod summary;
mod vtk_reader;
mod vtk_writer;

pub(crate) use atomic::temporary_name;
pub use atomic::write_file;
pub use cell_file::cell_corners;
pub use collection::{Collection, CollectionEntry, Part};
pub use error::{ReadError, WriteError};
pub use frame::{BodyFrame, ContactFrame, placed_walls, write_bodies, write_contacts};
pub use frame_reader::{BodyStates, ContactStates, FrameFiles, FrameReader};
pub use frame_writer::{FrameWriter, ResumeError};
pub use mesh::{Bounds, PatchMesh, tessellate, write_walls};
pub use run_record::{JointRecord, RunRecord, WallRecord};
pub use series::{SeriesWriter, truncate_after};
pub use series_reader::{Series, read_series};
pub use shapes_file::write_shapes;
pub use solids::{SolidMesh, tessellate_solid};
pub use summary::{
    BondSummary, CertificateSummary, ContactSummary, ExchangeSummary, IterationSummary, RunStatus,
    Summary,
};
pub use vtk_reader::{PointCloud, read_points};
