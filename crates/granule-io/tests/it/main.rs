//! The tests of files from outside, in one program.

mod cells;
mod chains;
mod checkpoint;
mod contact_files;
mod examples;
mod exchange;
mod forces;
mod frames;
mod frames_meanwhile;
mod keys;
mod machines;
mod measures;
mod mechanisms;
mod mesh_files;
mod programs;
mod published_problems;
mod read_vtk;
mod run_record;
mod runs;
mod scene_errors;
mod scene_roundtrip;
mod scene_runs;
mod scene_shapes;
mod scene_solver;
mod scene_text;
mod shape_frames;
mod step_export;

#[path = "../../../../tests/rust/extent.rs"]
mod extent;
#[path = "../../../../tests/rust/skip.rs"]
mod skip;
