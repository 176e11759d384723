#![doc = include_str!("README.md")]

mod balls;
mod contact;
mod convex;
mod grid;
mod images;
mod manifold;
mod memory;
mod narrow;
mod neighbours;
mod overlap;
mod patches;
mod redundant;
pub mod smooth;
mod spatial_order;

pub use contact::{
    BondMemory, Contact, ContactKey, ContactMemory, LawMemory, Partner, RememberedContact,
};
pub use grid::{close_pairs, near_pairs};
pub use overlap::OverlapSearch;
// Where two solids touch, for tests and for whoever has only two.
#[doc(hidden)]
pub use convex::{Faced, ManifoldPoint, contacts, with_plane};
// The inside of the search, which tests compare with plain loops.
#[doc(hidden)]
pub use narrow::{Allowance, Detection, Geometry};
#[doc(hidden)]
pub use neighbours::{Neighbours, Pair};
#[doc(hidden)]
pub use patches::Patches;
#[doc(hidden)]
pub use spatial_order::spatial_order;
