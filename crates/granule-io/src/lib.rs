//! Files of Granule: scenes, results, checkpoints, contact problems, meshes; and what is measured of a run.

#[cfg(doctest)]
mod book;
pub mod checkpoint;
pub mod fclib;
pub mod measures;
pub mod mesh;
pub mod results;
pub mod run;
pub mod scene;
