//! Files of Granule: scenes, results, checkpoints, contact problems, meshes.

pub mod checkpoint;
pub mod fclib;
pub mod mesh;
pub mod results;
pub mod run;
pub mod scene;
