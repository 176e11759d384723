//! Files of Granule: scenes, results, checkpoints.

pub mod scene;
