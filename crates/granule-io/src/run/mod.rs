//! A run: a scene, from its start to a folder of results, and back.
//!
//! [`Run`] writes the folder while it steps the simulation, [`RunFolder`] reads it. The files are
//! those of [`crate::results`] and
//!
//! ```text
//! scene.toml             the scene as it is run, if there is a scene file
//! checkpoint/a.bin, b.bin    the last two states that the run can go on from
//! checkpoint/start.bin   the state before the first step, if a program made the world
//! live.json, control     while the run goes on: how far it is, and what is asked of it, see [`Live`] and [`RunFolder::ask`]
//! ```
//!
//! A run that was stopped goes on with the same bits as if it had not been.
//!
//! ```
//! use granule::bodies::{Dimension, Motion, Sphere, Wall};
//! use granule::math::DVec3;
//! use granule::shapes::{HalfSpace, Surface};
//! use granule::simulation::{Settings, StepSize, World};
//! use granule_io::run::{Run, RunFolder};
//! use granule_io::scene::Setup;
//! use std::ops::ControlFlow;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let folder = place.path().join("drop");
//! let mut world = World::new(Dimension::Space);
//! world.gravity = DVec3::new(0.0, 0.0, -9.81);
//! world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 0.2), 0.1, 1.0));
//! let floor = Surface::HalfSpace(HalfSpace);
//! world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
//! let setup = Setup::new("drop", world, Settings::new(StepSize::Fixed(0.01), 0.5));
//!
//! let run = Run::create(&folder, setup)?;
//! let summary = run.to_end(|simulation, report| {
//!     println!("{} s: {} contacts", simulation.world().time, report.active);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(summary.steps, 50);
//!
//! let folder = RunFolder::new(&folder);
//! let heights = folder.frames()?.bodies(50)?.position;
//! assert!((heights[0].z - 0.1).abs() < 1e-9);
//! assert_eq!(folder.series()?.len(), 50);
//! # Ok(())
//! # }
//! ```

mod columns;
mod error;
mod folder;
mod frame_copy;
mod frame_thread;
mod live;
mod measured;
mod recorder;
mod replay;
mod steps;
mod totals;

pub(crate) use columns::exchange_names;
pub use columns::{
    CELL_COLUMNS, COLUMNS, COORDINATE_NOTES, Column, EXCHANGE_COLUMNS, INLET_COLUMNS,
    JOINT_COLUMNS, LOAD_COLUMNS, OUTLET_COLUMNS,
};
pub use error::RunError;
pub use folder::RunFolder;
pub use live::{Live, Wish};
pub use steps::Run;
pub use totals::peak_memory;

use crate::measures::Memory;
use granule::simulation::Snapshot;
use serde::{Deserialize, Serialize};
use totals::Totals;

/// What a checkpoint holds.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    snapshot: Snapshot,
    totals: Totals,
    /// Simulated time of the next frame, s.
    next_frame: f64,
    /// What measures remember.
    measures: Memory,
}
