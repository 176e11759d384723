#![doc = include_str!("README.md")]

mod inlet;
mod outlet;

pub use inlet::{Inlet, Matter, Poured, Rate, What};
pub(crate) use inlet::{Newcomer, Room};
pub use outlet::{Gone, OnExit, Outlet, Zone};
