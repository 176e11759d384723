#![doc = include_str!("README.md")]

mod contact;
mod grid;
mod memory;
mod narrow;
mod neighbours;
mod patches;
mod spatial_order;

pub use contact::{Contact, ContactKey, ContactMemory, Partner, RememberedContact};
pub use grid::{close_pairs, near_pairs};
// The inside of the search, which tests compare with plain loops.
#[doc(hidden)]
pub use narrow::{Allowance, Detection, Geometry};
#[doc(hidden)]
pub use neighbours::{Neighbours, Pair};
#[doc(hidden)]
pub use patches::Patches;
#[doc(hidden)]
pub use spatial_order::spatial_order;
