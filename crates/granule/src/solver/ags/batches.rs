//! Contacts of a sweep, laid out four at a time.
//!
//! The four contacts of a batch share no body that moves, so their order within it does not matter, and
//! each contact stands in the first batch after those of the contacts before it that share a body with
//! it: a sweep over the batches is the same as one over the contacts in their own order.

use crate::parallel::{LANES, Quad};
use crate::problem::BodySpace;
use crate::solver::lanes::QuadVectors;

/// The contact of a lane that holds none.
pub(super) const NONE: u32 = u32::MAX;
/// A body that a batch has changed is not read by the next batch either: its values would still be on
/// their way to memory.
const DISTANCE: u32 = 2;

/// Four contacts that share no body that moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch {
    pub(super) contact: [u32; LANES],
    pub(super) a: [u32; LANES],
    pub(super) b: [u32; LANES],
    pub(super) normal: QuadVectors,
    /// b.
    pub(super) bias: QuadVectors,
    /// μ.
    pub(super) friction: Quad,
    /// 1/w_n and 1/w_T, kg, with E; zero in lanes without a contact, which makes them do nothing.
    pub(super) ease_n: Quad,
    pub(super) ease_t: Quad,
    /// λ, and λ of the sweep before.
    pub(super) impulse: QuadVectors,
    pub(super) before: QuadVectors,
    /// s of exact friction, m/s.
    pub(super) slip: Quad,
}

/// E of the contacts of a batch along their normals and across them, 1/kg.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Given {
    pub(super) normal: Quad,
    pub(super) tangential: Quad,
}

/// What a contact brings into its lane.
#[derive(Default)]
pub(super) struct Lane {
    pub(super) contact: u32,
    pub(super) friction: f64,
    /// r, N s, where some contact of the problem is capped.
    pub(super) cap: Option<f64>,
    pub(super) bias: [f64; 3],
    pub(super) impulse: [f64; 3],
    pub(super) before: [f64; 3],
    pub(super) slip: f64,
}

/// Puts numbers into a lane.
fn put(target: &mut QuadVectors, lane: usize, value: [f64; 3]) {
    for (component, x) in target.iter_mut().zip(value) {
        component.0[lane] = x;
    }
}

/// The numbers of a lane.
pub(super) fn lane_of(vectors: &QuadVectors, lane: usize) -> [f64; 3] {
    vectors.map(|component| component.0[lane])
}

impl Batch {
    fn empty(ground: u32) -> Self {
        let zero = [Quad::default(); 3];
        Self {
            contact: [NONE; LANES],
            a: [ground; LANES],
            b: [ground; LANES],
            normal: zero,
            bias: zero,
            friction: Quad::default(),
            ease_n: Quad::default(),
            ease_t: Quad::default(),
            impulse: zero,
            before: zero,
            slip: Quad::default(),
        }
    }

    fn set(&mut self, lane: usize, space: &BodySpace, value: &Lane) {
        let geometry = &space.contacts[value.contact as usize];
        let (normal, tangential) = space.diagonal(geometry);
        let given = space.compliance(value.contact as usize);
        self.contact[lane] = value.contact;
        self.a[lane] = geometry.a;
        self.b[lane] = geometry.b;
        put(&mut self.normal, lane, geometry.normal.to_array());
        put(&mut self.bias, lane, value.bias);
        put(&mut self.impulse, lane, value.impulse);
        put(&mut self.before, lane, value.before);
        self.slip.0[lane] = value.slip;
        self.friction.0[lane] = value.friction;
        self.ease_n.0[lane] = 1.0 / (normal + given.normal);
        self.ease_t.0[lane] = 1.0 / (tangential + given.tangential);
    }
}

/// The batches of a sweep.
#[derive(Debug, Clone, Default)]
pub(super) struct Batches {
    pub(super) list: Vec<Batch>,
    /// What the contacts of each batch give; empty where all are rigid.
    pub(super) given: Vec<Given>,
    /// r of the contacts of each batch, N s; empty where none is capped.
    pub(super) caps: Vec<Quad>,
    /// Contacts in each batch.
    fill: Vec<u8>,
    /// The first batch that may be open at or after each (a forest that leads there).
    open: Vec<u32>,
    /// The first batch that each body may stand in.
    free_from: Vec<u32>,
}

impl Batches {
    /// Takes all contacts out.
    pub(super) fn clear(&mut self, bodies: usize) {
        self.list.clear();
        self.given.clear();
        self.caps.clear();
        self.fill.clear();
        self.open.clear();
        self.free_from.clear();
        self.free_from.resize(bodies, 0);
    }

    /// Adds a contact after all those that share a body with it.
    pub(super) fn push(&mut self, space: &BodySpace, lane: &Lane) {
        let geometry = &space.contacts[lane.contact as usize];
        let bodies = [geometry.a as usize, geometry.b as usize];
        let moves = |body: usize| space.inverse_mass[body] > 0.0 || space.turning(body) > 0.0;
        let earliest = bodies.map(|body| self.free_from[body]);
        let place = self.first_open(earliest[0].max(earliest[1]) as usize, space.ground());
        let slot = self.fill[place];
        self.list[place].set(slot as usize, space, lane);
        if !space.compliance.is_empty() {
            self.given.resize(self.list.len(), Given::default());
            let given = space.compliance(lane.contact as usize);
            let target = &mut self.given[place];
            target.normal.0[slot as usize] = given.normal;
            target.tangential.0[slot as usize] = given.tangential;
        }
        if let Some(cap) = lane.cap {
            self.caps.resize(self.list.len(), Quad::default());
            self.caps[place].0[slot as usize] = cap;
        }
        self.fill[place] = slot + 1;
        if slot as usize + 1 == LANES {
            self.open[place] = place as u32 + 1;
        }
        for body in bodies {
            if moves(body) {
                self.free_from[body] = place as u32 + DISTANCE;
            }
        }
    }

    /// The first batch with room at or after a place.
    fn first_open(&mut self, from: usize, ground: u32) -> usize {
        let mut place = from;
        while place < self.open.len() && self.open[place] as usize != place {
            place = self.open[place] as usize;
        }
        while self.list.len() <= place {
            self.open.push(self.list.len() as u32);
            self.fill.push(0);
            self.list.push(Batch::empty(ground));
        }
        // Shorten the way for the next.
        let mut step = from;
        while step < place {
            let next = self.open[step] as usize;
            self.open[step] = place as u32;
            step = next.max(step + 1);
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Delassus;
    use crate::solver::test_problems::mixed;

    #[test]
    fn contacts_of_a_batch_share_no_body_and_keep_their_order() {
        let problem = mixed(false, 1);
        let Delassus::MatrixFree(operator) = &problem.delassus else {
            panic!("bodies")
        };
        let space = &operator.space;
        let mut batches = Batches::default();
        batches.clear(space.inverse_mass.len());
        for contact in 0..space.contacts.len() as u32 {
            let lane = Lane {
                contact,
                ..Lane::default()
            };
            batches.push(space, &lane);
        }
        let mut place = vec![usize::MAX; space.contacts.len()];
        for (index, batch) in batches.list.iter().enumerate() {
            for contact in batch.contact.into_iter().filter(|&k| k != NONE) {
                assert_eq!(place[contact as usize], usize::MAX);
                place[contact as usize] = index;
            }
        }
        let ground = space.ground();
        for (k, first) in space.contacts.iter().enumerate() {
            assert_ne!(place[k], usize::MAX);
            for (l, second) in space.contacts.iter().enumerate().skip(k + 1) {
                let shares = [first.a, first.b]
                    .iter()
                    .any(|&body| body != ground && [second.a, second.b].contains(&body));
                assert!(!shares || place[k] < place[l], "{k} and {l}");
            }
        }
    }
}
