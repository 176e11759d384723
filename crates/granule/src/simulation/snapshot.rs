//! All that is needed to go on as if nothing had happened.

use super::{Settings, World};
use crate::collision::{ContactKey, Partner};
use crate::math::{DVec3, Screw};
use serde::{Deserialize, Serialize};

/// A contact of the last step with its impulse.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ContactImpulse {
    /// Place of the first body, not its id: see [`super::Simulation::contact_ids`].
    pub a: u32,
    /// What it touches.
    pub partner: Partner,
    /// The point of the surface of `a` that is nearest to the partner, m. It, the normal and the gap
    /// are those of the time where contacts were looked for (`maury`, `shake` and `rattle`: the start
    /// of the step; `moreau-jean`: 1 - θ of the step later, with the velocity of the start).
    pub point: DVec3,
    /// Unit normal, towards `a`.
    pub normal: DVec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// The impulse on `a`, world frame: N s, and the moment over the contact's length, N s.
    pub impulse: Screw,
}

impl ContactImpulse {
    /// The part of the impulse along the normal, N s.
    pub fn normal_impulse(&self) -> f64 {
        self.impulse.linear.dot(self.normal)
    }

    /// The identity of the contact.
    pub fn key(&self) -> ContactKey {
        (self.a, self.partner)
    }
}

/// The state between two steps: a simulation restored from it goes on with the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The world.
    pub world: World,
    /// How it is simulated.
    pub settings: Settings,
    /// The contacts of the last step, for the warm start, sorted.
    pub contacts: Vec<ContactImpulse>,
    /// Length of the last step, s.
    pub last_step: f64,
    /// The penetration that the last certificate allowed, m.
    pub allowed: f64,
}

impl Snapshot {
    /// The state before the first step.
    pub fn start(world: World, settings: Settings) -> Self {
        Self {
            world,
            settings,
            contacts: Vec::new(),
            last_step: 0.0,
            allowed: 0.0,
        }
    }
}
