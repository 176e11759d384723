//! Small mathematics shared by everything else: vectors, rotations, linear systems, hashes of state.
//!
//! Vectors and quaternions are those of `glam` in double precision. A contact needs no stored
//! frame: impulses with more than one row are kept in world coordinates (see
//! [`crate::problem`]), so only the normal is ever stored.

mod draw;
mod hash;
pub(crate) mod linear;
mod pose;
mod principal_axes;
mod rotation;
mod screw;

pub use draw::{Distribution, Histogram, LogNormal, Purpose, Stream};
pub use glam::{DMat2, DMat3, DQuat, DVec2, DVec3};
pub use hash::StateHash;
#[cfg(feature = "second-order")]
pub use linear::SparseFactor;
pub use pose::Pose;
pub use principal_axes::principal_axes;
pub use rotation::{free_rotation, rotate_by};
pub use screw::Screw;
