//! Which bodies may touch in a step, where, and how far apart they are.
//!
//! 1. A **neighbour list** ([`Neighbours`]) holds all pairs that can come near in the next few
//!    steps; it is built from a hierarchical grid and used again until some body has moved too far.
//! 2. The **narrow phase** ([`Scope::find_contacts`]) runs over the list in each step and keeps the pairs
//!    whose gap can close in the step: their *allowances* (how far each body may go) bridge it.
//! 3. After the solve, bodies may turn out to go farther than their allowance (a resting sphere that
//!    was hit). [`Scope::missed_contacts`] looks for pairs left out whose linearised gap is then
//!    negative, or, under the convexified law, smaller than what that law keeps open (see
//!    [`crate::law::Opening`]); they are added, and the step is solved again until there are none.
//!    For spheres, whose gap is a convex function of position (also that to a block or a plate, which
//!    are convex sets), a positive linearised gap means a positive gap: so no contact is missed,
//!    whatever the step, and the result is the one with all pairs in the problem.
//!
//! Contacts are in the order of (place of the first body, partner). Which contacts there are and
//! their order follow from the state alone, not from the history of the list.

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
