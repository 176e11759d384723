//! What people in the field believe: cases with a reference outside the papers, by number.

pub mod blocks;
pub mod bouncing_ball;
pub mod column_collapse;
pub mod cradle;
pub mod mechanisms;
pub mod no_creep;
pub mod packing;
pub mod rolling;
pub mod silo;
pub mod sliding;
pub mod slope;
pub mod stacks;
