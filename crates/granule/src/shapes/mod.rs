//! Shapes. Bodies are spheres (disks in a plane) or [`Solid`]s made of convex parts; walls are surfaces.
//!
//! A [`Convex`] solid is a [`Hull`] (flat faces, edges sharp or rounded: boxes, prisms, hulls of points, capsules), a
//! [`Superellipsoid`] or a [`Frustum`] (cylinder, cone). A [`Solid`] joins some of them rigidly, in the frame of its
//! centre of mass and its principal axes.
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
mod mass;
mod mesh;
mod patch;
mod planar;
mod plate;
mod region;
mod solid;
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
pub use mass::MassProperties;
pub use mesh::{Beyond, Defect, DefectKind, MeshContact, MeshError, Repairs, TriangleMesh};
pub use patch::{ClosestPoint, Patch};
pub use plate::Plate;
pub use region::Region;
pub use solid::{Part, Solid};
pub use superellipsoid::{Superellipsoid, SurfacePoint};
pub use surface::Surface;
