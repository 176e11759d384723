#![doc = include_str!("README.md")]

mod contact;
mod grid;
mod memory;
mod narrow;
mod neighbours;
mod patches;
mod spatial_order;

pub use contact::{Contact, ContactKey, ContactMemory, Partner, RememberedContact};
pub use grid::close_pairs;
pub use narrow::{Allowance, Detection, Geometry};
pub use neighbours::{Neighbours, Pair};
pub use patches::Patches;
pub use spatial_order::spatial_order;
