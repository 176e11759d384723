//! The maps between contacts and bodies: D, its transpose, and the mass.

use super::{Compliance, General};
use crate::math::DVec3;

/// Where a contact acts: 32 bytes, so that two fit a cache line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactGeometry {
    /// Unit normal n, from body `b` towards body `a`.
    pub normal: DVec3,
    /// The body that the impulse acts on as it is.
    pub a: u32,
    /// The body that it acts on with the opposite sign; [`BodySpace::ground`] for walls.
    pub b: u32,
}

/// How impulses turn bodies.
#[derive(Debug, Clone, PartialEq)]
pub enum Lever {
    /// Not at all: impulses pass through the centres (or rotations are locked).
    None,
    /// The arm is the radius along the normal and the inertia is the same about every axis: spheres
    /// and disks. Entries as the bodies, the ground last.
    Radial {
        /// m.
        radius: Vec<f64>,
        /// 1/J, 1/(kg m²); zero for what does not turn.
        inverse_inertia: Vec<f64>,
    },
}

/// The contacts of one step, the bodies they join, and their masses: all that D, Dᵀ and M are
/// made of.
///
/// With one row a contact's impulse is a number along its normal; with three it is a vector in
/// world coordinates, with two its x and y components (planar motion). The relative velocity of
/// contact k is, for spheres,
///
/// ```text
/// u = v_a - v_b + n × (r_a ω_a + r_b ω_b)        [bloch2023, §1.1.3], arms -r_a n and r_b n
/// ```
///
/// With six rows there is a moment too, in world coordinates: the rows are (f, τ/ℓ) and
/// (u, ℓ (ω_a - ω_b)), both in the units of f and u. The length ℓ of a contact is the one at which
/// turning the bodies against each other is as easy as sliding them,
/// `ℓ² (1/J_a + 1/J_b) = 1/m_a + 1/m_b + r_a²/J_a + r_b²/J_b`, so that one metric fits both.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySpace {
    /// 1 (normal only), 2 (planar), 3, or 6 (with moments) rows a contact.
    pub rows: usize,
    /// 1/m, 1/kg; zero for bodies that contacts do not move. The last entry is the ground.
    pub inverse_mass: Vec<f64>,
    /// How impulses turn bodies.
    pub lever: Lever,
    /// The round contacts, sorted by `a`. The first of all, in vectors of impulses.
    pub contacts: Vec<ContactGeometry>,
    /// With six rows ℓ/r_a and ℓ/r_b of each contact (zero for a partner that does not turn);
    /// otherwise empty.
    pub arms: Vec<[f64; 2]>,
    /// Contacts that are not round, and joints: after the round ones in vectors of impulses.
    pub general: General,
    /// E of every contact, or empty where all are rigid.
    pub compliance: Vec<Compliance>,
}

impl Default for BodySpace {
    fn default() -> Self {
        Self {
            rows: 1,
            inverse_mass: vec![0.0],
            lever: Lever::None,
            contacts: Vec::new(),
            arms: Vec::new(),
            general: General::default(),
            compliance: Vec::new(),
        }
    }
}

impl BodySpace {
    /// The index that stands for everything that no impulse moves.
    pub fn ground(&self) -> u32 {
        (self.inverse_mass.len() - 1) as u32
    }

    /// Number of bodies, without the ground.
    pub fn body_count(&self) -> usize {
        self.inverse_mass.len() - 1
    }

    /// `r²/J` of a body, 1/kg: how easily a tangential impulse moves its surface by turning it.
    pub fn turning(&self, body: usize) -> f64 {
        match &self.lever {
            Lever::None => 0.0,
            Lever::Radial {
                radius,
                inverse_inertia,
            } => radius[body] * radius[body] * inverse_inertia[body],
        }
    }

    /// Number of contacts and joints.
    pub fn contact_count(&self) -> usize {
        self.contacts.len() + self.general.blocks.len()
    }

    /// The bodies `a` and `b` of a contact of any kind.
    pub fn ends(&self, contact: usize) -> [u32; 2] {
        match contact.checked_sub(self.contacts.len()) {
            None => [self.contacts[contact].a, self.contacts[contact].b],
            Some(block) => [self.general.blocks[block].a, self.general.blocks[block].b],
        }
    }

    /// The normal of a contact of any kind; of a joint its first row.
    #[inline(always)]
    pub fn normal(&self, contact: usize) -> DVec3 {
        match contact.checked_sub(self.contacts.len()) {
            None => self.contacts[contact].normal,
            Some(block) => self.general.blocks[block].normal,
        }
    }

    /// E of a contact.
    #[inline(always)]
    pub fn compliance(&self, contact: usize) -> Compliance {
        self.compliance.get(contact).copied().unwrap_or_default()
    }

    /// The eigenvalues of a round contact's diagonal block of W along the normal and across it, 1/kg, without E.
    pub fn diagonal(&self, contact: &ContactGeometry) -> (f64, f64) {
        let (a, b) = (contact.a as usize, contact.b as usize);
        let normal = self.inverse_mass[a] + self.inverse_mass[b];
        (normal, normal + self.turning(a) + self.turning(b))
    }

    /// λ_max(W_kk + E_kk), 1/kg; with moments and compliance a bound for it.
    pub fn largest_diagonal(&self, contact: usize) -> f64 {
        if let Some(block) = contact.checked_sub(self.contacts.len()) {
            return self.general.largest_diagonal(block);
        }
        let geometry = &self.contacts[contact];
        let (normal, tangential) = self.diagonal(geometry);
        let given = self.compliance(contact);
        match self.rows {
            1 => normal + given.normal,
            2 | 3 if self.compliance.is_empty() => tangential,
            2 | 3 => (normal + given.normal).max(tangential + given.tangential),
            // Turning and sliding: the block [[w, c], [c, w]].
            _ => {
                let [arm_a, arm_b] = self.arms[contact];
                let (a, b) = (geometry.a as usize, geometry.b as usize);
                let both = (arm_a * self.turning(a) - arm_b * self.turning(b)).abs();
                tangential + both + given.largest(6)
            }
        }
    }

    /// Computes the diagonal blocks of what is not round.
    pub(super) fn prepare_general(&mut self) {
        let first = self.contacts.len();
        let compliance = self.compliance.get(first..).unwrap_or_default();
        self.general
            .prepare(&self.inverse_mass, &self.lever, self.rows, compliance);
    }

    /// ℓ of a contact of any kind, m; zero where contacts have no moments.
    pub fn length_of(&self, contact: usize) -> f64 {
        match contact.checked_sub(self.contacts.len()) {
            _ if self.rows < 6 => 0.0,
            None => self.contact_length(&self.contacts[contact]),
            // The fourth row is the moment about the first axis, times ℓ.
            Some(block) => self.general.forms[6 * block + 3].on_a.x,
        }
    }

    /// ℓ of a contact, m; zero where neither body turns.
    pub fn contact_length(&self, contact: &ContactGeometry) -> f64 {
        let Lever::Radial {
            inverse_inertia, ..
        } = &self.lever
        else {
            return 0.0;
        };
        let (_, tangential) = self.diagonal(contact);
        let turning = inverse_inertia[contact.a as usize] + inverse_inertia[contact.b as usize];
        if turning > 0.0 {
            (tangential / turning).sqrt()
        } else {
            0.0
        }
    }

    /// Fills [`BodySpace::arms`] for six rows.
    pub fn set_arms(&mut self) {
        let mut arms = std::mem::take(&mut self.arms);
        arms.clear();
        let Lever::Radial {
            radius,
            inverse_inertia,
        } = &self.lever
        else {
            arms.resize(self.contacts.len(), [0.0; 2]);
            self.arms = arms;
            return;
        };
        let over_radius = |length: f64, body: u32| {
            let body = body as usize;
            if inverse_inertia[body] > 0.0 {
                length / radius[body]
            } else {
                0.0
            }
        };
        arms.extend(self.contacts.iter().map(|c| {
            let length = self.contact_length(c);
            [over_radius(length, c.a), over_radius(length, c.b)]
        }));
        self.arms = arms;
    }
}
