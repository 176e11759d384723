//! Files of Granule: scenes, results, checkpoints.

pub mod checkpoint;
pub mod results;
pub mod scene;
