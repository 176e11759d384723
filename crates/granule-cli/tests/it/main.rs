//! The tests of the command from outside, in one program.

mod bad_usage;
mod benchmarks;
mod commands;
mod common;
mod contact_commands;
mod disk_trouble;
mod interrupts;
mod pictures;
mod run_folders;
mod same_bits;
mod scenes_resume;
mod siconos;
mod starting;
mod studies;
mod viewer;

#[path = "../../../../tests/rust/extent.rs"]
mod extent;
#[path = "../../../../tests/rust/skip.rs"]
mod skip;
