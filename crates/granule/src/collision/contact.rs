//! A contact, its identity, and what is remembered of it.

use super::memory::Start;
use crate::bodies::Image;
use crate::math::{DQuat, DVec3, Screw};
use serde::{Deserialize, Serialize};

/// What a body touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Partner {
    /// The body at this place (its index, not its id).
    Body(u32),
    /// The wall with this number.
    Wall(u32),
}

/// The identity of a contact from step to step, as long as the bodies keep their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContactKey {
    /// Place of the first body: of two bodies the one at the lower place.
    pub a: u32,
    /// What it touches.
    pub partner: Partner,
    /// Which of the contacts of the two. Of round contacts the piece of a wall, or zero for two spheres; of pairs
    /// that may touch in several points a number with [`ContactKey::MANIFOLD`] that stands for the corners,
    /// edges or triangles that touch.
    pub feature: u32,
}

impl ContactKey {
    /// The bit of features that only pairs have that may touch in several points: solids with anything, and
    /// spheres with meshes.
    pub const MANIFOLD: u32 = 1 << 31;

    /// Whether this is one of the contacts of a pair that may touch in several points.
    #[inline]
    pub fn is_manifold(&self) -> bool {
        self.feature & Self::MANIFOLD != 0
    }

    /// The only contact of two spheres at these places, `a < b`.
    pub fn between(a: u32, b: u32) -> Self {
        Self {
            a,
            partner: Partner::Body(b),
            feature: 0,
        }
    }

    /// The contact of a body with a piece of a wall.
    pub fn with_wall(a: u32, wall: u32, piece: u32) -> Self {
        Self {
            a,
            partner: Partner::Wall(wall),
            feature: piece,
        }
    }
}

/// A candidate for contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Its identity.
    pub key: ContactKey,
    /// Its place in the list of neighbours that it was found in; of no use for one of several of a pair.
    pub entry: u32,
    /// The number of the interface between the two materials (see [`super::Pair`]).
    pub interface: u16,
    /// The point of the surface of body `a` that is nearest to the partner, m.
    pub point: DVec3,
    /// Unit normal, from the partner towards `a`.
    pub normal: DVec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// Whether the two are bonded to each other.
    pub bonded: bool,
    /// Which image of the partner is touched, in a periodic cell.
    pub image: Image,
}

impl Contact {
    /// Where the impulse acts on body `a` and on its partner, m: on their surfaces, and in the middle between these for
    /// a bond, so that it has no moment about itself however wide it is.
    #[inline]
    pub fn points(&self) -> [DVec3; 2] {
        if self.bonded {
            [self.point - 0.5 * self.gap * self.normal; 2]
        } else {
            [self.point, self.partner_point()]
        }
    }

    /// The point of the surface of the partner that is nearest to body `a`, m.
    #[inline]
    pub fn partner_point(&self) -> DVec3 {
        self.point - self.gap * self.normal
    }
}

/// What is remembered of a contact from the last step that it took part in.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ContactMemory {
    /// The point of the surface of body `a` that is nearest to the partner, m. It, the normal and the
    /// gap are those of the time where contacts were looked for (`maury`, `shake` and `rattle`: the
    /// start of the step; `moreau-jean`: 1 - θ of the step later, with the velocity of the start).
    pub point: DVec3,
    /// Unit normal, towards `a`.
    pub normal: DVec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// The impulse on `a`, world frame: N s, and the moment over `length`, N s.
    pub impulse: Screw,
    /// The length ℓ by which moments are divided, m; zero where the contact has none.
    pub length: f64,
    /// What its law remembers.
    pub law: LawMemory,
}

/// What the law of a contact that gives or holds remembers of it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LawMemory {
    /// y_E across the normal, m, and ℓ times the angle of the springs against rolling and spinning, m; world frame.
    pub elastic: Screw,
    /// y_P along the normal, m.
    pub plastic: f64,
    /// Whether the contact was loaded, or held, in the step: then what is remembered counts, and under a law with cohesion
    /// it can be pulled.
    pub holds: bool,
    /// The bond between the two, as long as it is not broken.
    pub bond: Option<BondMemory>,
}

/// What a bond remembers. Where it does not flow, how far it is sheared and wound is measured from where its bodies are,
/// so that errors do not add up from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BondMemory {
    /// Two points, one fixed to `a` and one to its partner, each in the frame of the body or the wall, m: across the
    /// normal they are y_E apart. None where they are to be chosen anew, from [`LawMemory::elastic`].
    pub anchors: Option<[DVec3; 2]>,
    /// The orientation of the partner in the frame of `a` at which nothing is wound; none likewise.
    pub rest: Option<DQuat>,
    /// How far it has flowed apart, m.
    pub opened: f64,
    /// How far it has flowed across the normal, m.
    pub slipped: f64,
    /// How far it has turned by flow, rad.
    pub turned: f64,
}

impl BondMemory {
    /// The same bond seen from the other body.
    fn reversed(self) -> Self {
        Self {
            anchors: self.anchors.map(|[own, other]| [other, own]),
            rest: self.rest.map(DQuat::conjugate),
            ..self
        }
    }
}

impl LawMemory {
    /// The same contact with another normal: what is across the normal keeps its length, and springs of moments turn
    /// with the normal.
    pub fn turned(mut self, from: DVec3, to: DVec3) -> Self {
        let turn = DQuat::from_rotation_arc(from, to);
        self.elastic.linear = turn * self.elastic.linear;
        self.elastic.angular = turn * self.elastic.angular;
        self
    }
}

impl ContactMemory {
    /// Writes the impulse into the rows of the same contact with another normal: the normal part follows
    /// the normal, and what is left across it stays tangential.
    pub fn start_rows(&self, normal: DVec3, rows: &mut [f64]) {
        Start::from(self).write(1.0, normal, rows);
    }

    /// The same contact seen from the other body, which is `a` from now on.
    pub fn reversed(mut self) -> Self {
        self.point -= self.gap * self.normal;
        self.normal = -self.normal;
        self.impulse = -self.impulse;
        self.law.elastic = -self.law.elastic;
        self.law.bond = self.law.bond.map(BondMemory::reversed);
        self
    }
}

/// A contact of the last step, with what is remembered of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RememberedContact {
    /// Which.
    pub key: ContactKey,
    /// What.
    pub memory: ContactMemory,
}
