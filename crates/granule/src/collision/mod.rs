#![doc = include_str!("README.md")]

mod contact;
mod grid;
mod narrow;
mod neighbours;
mod spatial_order;

pub use contact::{Contact, ContactKey, Partner};
pub use grid::close_pairs;
pub use narrow::{Detection, Patches, Scope};
pub use neighbours::Neighbours;
pub use spatial_order::spatial_order;
