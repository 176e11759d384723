//! Named scenes and problems with their references, shared by tests, benchmarks, the command line
//! and the docs.

mod box_drop;
mod cluster;
mod incline;
mod non_uniqueness;
mod random_problems;
mod sticky;

pub use box_drop::{box_drop, box_drop_settings};
pub use cluster::cluster;
pub use incline::{disk_on_incline, exact_frictionless};
pub use non_uniqueness::non_uniqueness;
pub use random_problems::{RandomProblem, random_problem, random_problems, with_friction};
pub use sticky::{sticky, sticky_aggregate};
