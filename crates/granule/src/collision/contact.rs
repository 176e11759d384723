//! A contact and its identity.

use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// What a body touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Partner {
    /// The body at this place (its index, not its id).
    Body(u32),
    /// This piece of a wall, numbered over all walls (see [`super::Patches`]).
    Patch(u32),
}

/// The identity of a contact from step to step, as long as the bodies keep their places: the
/// first body (the one at the lower place) and its partner.
pub type ContactKey = (u32, Partner);

/// A candidate for contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Place of the first body.
    pub a: u32,
    /// What it may touch.
    pub partner: Partner,
    /// Unit normal, from the partner towards `a`.
    pub normal: DVec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
}

impl Contact {
    /// The identity of the contact.
    pub fn key(&self) -> ContactKey {
        (self.a, self.partner)
    }

    /// The point on the surface of body `a`, given its centre and radius, m.
    pub fn point(&self, center: DVec3, radius: f64) -> DVec3 {
        center - radius * self.normal
    }
}
