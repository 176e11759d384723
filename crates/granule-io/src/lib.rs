//! Files of Granule: scenes, results, checkpoints.
