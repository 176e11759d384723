//! Shapes. Bodies are spheres (disks in a plane); walls are surfaces.
//!
//! A [`Surface`] is what a user names (a half-space, a cylinder seen from inside, …). For
//! contact it is a list of [`Patch`]es, each with one closest point to a given centre: a contact
//! with a wall is a contact with one patch, so a grain in a corner has two. Except for the
//! half-space and the block, which are solid, patches are thin shells with two sides: a grain
//! touches the side it is on, and a funnel can be filled from above while grains flow down its
//! outside. A block is one patch: a grain at its edge has one contact, whose normal turns from one
//! face to the other as the grain goes round.

mod block;
mod box_container;
mod cone;
mod convex;
mod cylinder;
mod frustum;
mod half_space;
mod hull;
mod patch;
mod plate;
mod superellipsoid;
mod surface;

pub use block::Block;
pub use box_container::BoxContainer;
pub use cone::Cone;
pub use convex::Convex;
pub use cylinder::Cylinder;
pub use frustum::Frustum;
pub use half_space::HalfSpace;
pub use hull::{Hull, HullEdge, HullFace};
pub use patch::{ClosestPoint, Patch};
pub use plate::Plate;
pub use superellipsoid::Superellipsoid;
pub use surface::Surface;
