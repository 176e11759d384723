//! Mechanisms from robot descriptions (URDF).
//!
//! A file goes through four stages: [`Robot::read`] takes the XML into links and joints, [`Tree::of`] finds out how they hang
//! together, [`Lumps::of`] makes one body of links that fixed joints hold together, and [`add`] puts bodies and joints into the
//! world. The frame of a body is that of the principal axes of the inertia that the file gives; its shapes stand in that frame
//! wherever they are.

mod add;
mod fault;
mod lump;
mod read;
mod shapes;
mod tree;
mod xml;

pub(crate) use add::add;

use fault::Fault;
use lump::Lumps;
use read::Robot;
use tree::Tree;
