//! Files of Granule: scenes, results, checkpoints, contact problems.

pub mod checkpoint;
pub mod fclib;
pub mod results;
pub mod run;
pub mod scene;
