//! Contacts that give or hold, over a step: what their springs add to the problem, and how far they are afterwards.

use super::bonds::Frames;
use super::{BondedContact, Prediction, Surroundings};
use crate::bodies::Bodies;
use crate::collision::{Contact, LawMemory, Partner};
use crate::law::{Bond, Interface};
use crate::math::{DQuat, DVec3, Screw};
use crate::problem::Compliance;

/// Of a radius: gaps below it are closed at the start of a run, so that contacts hold from the first step on.
const TOUCHING: f64 = 1e-9;

/// The springs of a contact in a step, in the units of its rows (moments over ℓ, angles times ℓ).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spring {
    /// Whether the law remembers anything; otherwise the contact is rigid, and all else is zero.
    pub remembers: bool,
    /// y_E at the start of the step, m.
    pub elastic: Screw,
    /// y_P along the normal at the start of the step, m.
    pub plastic: f64,
    /// Whether the contact holds when it is pulled in this step.
    pub holds: bool,
    /// The gap of a contact that has not closed yet, m.
    open: f64,
    /// 1/K in each direction, m/N.
    ease: Compliance,
    /// R/K in each direction, s.
    relaxation: Compliance,
    /// The bond that it is, if it is one.
    pub bond: Option<BondedContact>,
}

impl Spring {
    /// The springs of a contact of which the law remembers this, with the length ℓ (m) of its moments.
    pub(super) fn new(
        contact: &Contact,
        memory: Option<LawMemory>,
        interface: &Interface,
        bodies: &Bodies,
        length: f64,
    ) -> Self {
        if !interface.remembers_unbonded() && !contact.bonded {
            return Self::default();
        }
        let (radius, mass) = reduced(contact, bodies);
        let flexibility = interface.elasticity.flexibility(radius);
        let ease = Compliance {
            normal: flexibility.normal,
            tangential: flexibility.tangential,
            rolling: length * length * flexibility.rolling,
            spinning: length * length * flexibility.spinning,
        };
        let (alpha_k, alpha_m) = (
            interface.elasticity.damping,
            interface.elasticity.mass_damping,
        );
        let relaxation = ease.map(|c| {
            if c > 0.0 {
                alpha_k + alpha_m * mass * c
            } else {
                0.0
            }
        });
        let memory = memory.unwrap_or_default();
        let touches = contact.gap <= TOUCHING * radius;
        let holds = interface.flows() && (memory.holds || touches);
        let plastic = if memory.holds { memory.plastic } else { 0.0 };
        let closed = holds || contact.gap <= 0.0;
        let across = memory.elastic.linear;
        let across = across - across.dot(contact.normal) * contact.normal;
        let along = if closed { contact.gap - plastic } else { 0.0 };
        // Overlaps that are not meant are taken out of the positions, not undone by velocities.
        let along = if interface.overlaps() {
            along
        } else {
            along.max(0.0)
        };
        Self {
            remembers: true,
            elastic: Screw {
                linear: along * contact.normal + across,
                angular: memory.elastic.angular,
            },
            plastic,
            holds,
            open: if closed { 0.0 } else { contact.gap },
            ease,
            relaxation,
            bond: None,
        }
    }

    /// The same for a contact that is bonded, of which the law remembers this, with its two in these frames, the
    /// length ℓ (m) of its moments and so many rows: along the normal it is stretched from the gap at which it was bonded, whatever the sign.
    pub(super) fn bonded(
        self,
        law: Bond,
        memory: LawMemory,
        contact: &Contact,
        frames: Frames,
        (length, rows): (f64, usize),
    ) -> Self {
        let bond = BondedContact::new(law, memory, contact, frames, length, rows);
        let along = (contact.gap - memory.plastic) * contact.normal;
        Self {
            elastic: bond.strain(contact.normal, frames) + Screw::linear(along),
            plastic: memory.plastic,
            holds: true,
            open: 0.0,
            bond: Some(bond),
            ..self
        }
    }

    /// E over a step of this length h (s).
    pub(super) fn compliance(&self, step: f64) -> Compliance {
        self.ease
            .zip(self.relaxation, |ease, a| ease / (step * (step + a)))
    }

    /// s over a step of this length h (s), m/s.
    pub(super) fn offset(&self, step: f64, normal: DVec3) -> Screw {
        let each = self.relaxation.map(|a| 1.0 / (step + a));
        each.times(self.elastic, normal) + Screw::linear(self.open / step * normal)
    }

    /// y_E after a step of this length h (s) with the impulse λ (N s), m.
    pub fn elastic_after(&self, impulse: Screw, step: f64, normal: DVec3) -> Screw {
        let kept = self.relaxation.map(|a| a / (step + a));
        let pressed = self.ease.zip(self.relaxation, |ease, a| ease / (step + a));
        kept.times(self.elastic, normal) - pressed.times(impulse, normal)
    }

    /// What the law remembers after a step of this length (s) with the impulse λ (N s) between the bodies and the
    /// relative velocity w (m/s, all that the problem adds included), for a contact that lets go when it has flowed
    /// apart by more than `range` (m). Springs turn with the contact about its normal, by what `spin` says (rad).
    pub fn after(
        &self,
        impulse: Screw,
        velocity: DVec3,
        (step, normal): (f64, DVec3),
        range: f64,
        spin: impl FnOnce() -> f64,
    ) -> LawMemory {
        let loaded = impulse != Screw::default();
        let plastic = if self.holds {
            self.plastic + step * velocity.dot(normal)
        } else {
            0.0
        };
        // What pushes has not let go, whatever rounding makes of its flow.
        let pushes = impulse.linear.dot(normal) > 0.0;
        let parted = self.holds && plastic > range && !pushes;
        if !self.remembers || parted || !(loaded || self.holds) {
            return LawMemory::default();
        }
        let elastic = self.elastic_after(impulse, step, normal);
        let turn = DQuat::from_axis_angle(normal, spin());
        let across = elastic.linear - elastic.linear.dot(normal) * normal;
        LawMemory {
            elastic: Screw {
                linear: turn * across,
                angular: turn * elastic.angular,
            },
            plastic,
            holds: self.holds || loaded,
            bond: None,
        }
    }

    /// ½ K y_E² with this y_E (m) of the contact, J.
    pub fn energy(&self, elastic: Screw, normal: DVec3) -> f64 {
        let stiffness = self.ease.map(|c| if c > 0.0 { 1.0 / c } else { 0.0 });
        0.5 * stiffness.times(elastic, normal).dot(elastic)
    }

    /// h R (dy_E/dt)²: what the dampers take in a step of this length (s) in which y_E (m) goes to `after`, J.
    pub fn damped(&self, after: Screw, step: f64, normal: DVec3) -> f64 {
        let damping = self
            .ease
            .zip(self.relaxation, |c, a| if c > 0.0 { a / c } else { 0.0 });
        let change = after - self.elastic;
        damping.times(change, normal).dot(change) / step
    }
}

/// The reduced radius (m) and the reduced mass (kg) of the two of a contact.
fn reduced(contact: &Contact, bodies: &Bodies) -> (f64, f64) {
    let size = |i: usize| match bodies.is_sphere(i) {
        true => bodies.radius[i],
        false => 0.5 * bodies.thickness(i),
    };
    let a = contact.key.a as usize;
    let (mut curvature, mut inverse_mass) = (1.0 / size(a), bodies.inverse_mass(a));
    if let Partner::Body(b) = contact.key.partner {
        curvature += 1.0 / size(b as usize);
        inverse_mass += bodies.inverse_mass(b as usize);
    }
    let mass = if inverse_mass > 0.0 {
        1.0 / inverse_mass
    } else {
        0.0
    };
    (1.0 / curvature, mass)
}

impl Surroundings<'_> {
    /// The angle (rad) by which the two of a contact turn together about its normal in a step, with these angular
    /// velocities of the bodies (rad/s).
    pub fn common_spin(
        &self,
        contact: &Contact,
        prediction: &Prediction,
        angular: &[DVec3],
    ) -> f64 {
        let of = |i: usize| (DVec3::ZERO, angular[i]);
        let other = self.touched_motion(contact, prediction, prediction.contact_time, of);
        let mean = 0.5 * (angular[contact.key.a as usize] + other.spin);
        prediction.step * mean.dot(contact.normal)
    }
}
