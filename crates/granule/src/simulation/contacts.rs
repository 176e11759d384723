//! The contacts of the last step, as users see them.

use super::{Simulation, StepProblem};
use crate::collision::{ContactKey, LawMemory, Partner, RememberedContact};
use crate::math::DVec3;

/// A contact of the last step with its impulse.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ContactImpulse {
    /// Place of the first body, not its id: see [`Simulation::contact_ids`].
    pub a: u32,
    /// What it touches.
    pub partner: Partner,
    /// Which of the contacts of the two.
    pub feature: u32,
    /// The point of the surface of `a` that is nearest to the partner, m. It, the normal and the gap
    /// are those of the time where contacts were looked for (`maury`, `shake` and `rattle`: the start
    /// of the step; `moreau-jean`: 1 - θ of the step later, with the velocity of the start).
    pub point: DVec3,
    /// Unit normal, towards `a`.
    pub normal: DVec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// The impulse on `a`, world frame, N s.
    pub impulse: DVec3,
    /// The moment on `a` of resistance to rolling and spinning over the step, world frame, N m s.
    pub moment: DVec3,
    /// What its law remembers for the next step.
    pub law: LawMemory,
}

impl ContactImpulse {
    /// The part of the impulse along the normal, N s.
    pub fn normal_impulse(&self) -> f64 {
        self.impulse.dot(self.normal)
    }

    /// The identity of the contact.
    pub fn key(&self) -> ContactKey {
        ContactKey {
            a: self.a,
            partner: self.partner,
            feature: self.feature,
        }
    }
}

impl From<RememberedContact> for ContactImpulse {
    fn from(RememberedContact { key, memory }: RememberedContact) -> Self {
        Self {
            a: key.a,
            partner: key.partner,
            feature: key.feature,
            point: memory.point,
            normal: memory.normal,
            gap: memory.gap,
            impulse: memory.impulse.linear,
            moment: memory.length * memory.impulse.angular,
            law: memory.law,
        }
    }
}

impl Simulation {
    /// The contacts of the last step with their impulses, sorted by the places of the bodies; see
    /// [`Simulation::contact_ids`].
    pub fn contacts(&self) -> impl Iterator<Item = ContactImpulse> {
        self.work.neighbours.contacts().map(ContactImpulse::from)
    }

    /// The ids of the bodies of a contact of the last step, the one that the impulse acts on first;
    /// the second is `None` for a contact with a wall.
    pub fn contact_ids(&self, contact: &ContactImpulse) -> (u32, Option<u32>) {
        let id = |place: u32| self.world.bodies.id[place as usize];
        let other = match contact.partner {
            Partner::Body(b) => Some(id(b)),
            Partner::Wall(_) => None,
        };
        (id(contact.a), other)
    }

    /// The first problem of the last step, which for most schemes is the only one.
    pub fn first_problem(&self) -> &StepProblem {
        &self.work.first
    }

    /// The second problem of the last step, if the scheme has one.
    pub fn second_problem(&self) -> Option<&StepProblem> {
        self.scheme.stops_at_end().then_some(&self.work.end)
    }
}
