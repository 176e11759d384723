//! Named scenes and problems with their references, shared by tests, benchmarks, the command line
//! and the docs.

mod andrews;
mod barboteu;
mod bouncing;
mod box_drop;
mod cluster;
mod column;
mod cradle;
mod disk_collapse;
mod ellipses;
mod impact;
mod incline;
mod masonry;
mod mechanisms;
mod mixed_problems;
mod non_uniqueness;
mod pile;
mod plane_drop;
mod random_problems;
mod rolling;
mod stacks;
mod sticky;
mod trench;

pub use andrews::{AndrewsAngles, andrews, andrews_angles};
pub use barboteu::{inclined_500, inclined_500_settings, settling_500, settling_500_settings};
pub use bouncing::{Bounces, BouncingBall};
pub use box_drop::{box_drop, box_drop_settings};
pub use cluster::cluster;
pub use column::Column;
pub use cradle::{cradle, impact_settings};
pub use disk_collapse::{disk_collapse, disk_collapse_radius, disk_collapse_settings};
pub use ellipses::{ELLIPSE_HEIGHT, ellipse_collapse};
pub use impact::{Impact, floor_impulse};
pub use incline::{DiskState, disk_on_incline, exact_frictionless, exact_on_incline};
pub use masonry::{Arch, block_on_slope, brick_wall, dominoes, tower};
pub use mechanisms::{SliderCrank, bennett, chain, four_bar, half_a_step_back, mechanism_settings};
pub use mixed_problems::{with_compliance, with_other_shapes, with_yield};
pub use non_uniqueness::non_uniqueness;
pub use pile::{pile, pile_floor, pile_settings};
pub use plane_drop::{plane_drop, plane_drop_settings};
pub use random_problems::{
    RandomProblem, random_problem, random_problems, squeezed, with_friction, with_joints,
};
pub use rolling::{rolling_deceleration, sphere_on_plane, spin_stop_time};
pub use stacks::Stack;
pub use sticky::{sticky, sticky_aggregate};
pub use trench::{Trench, trench_settings};
