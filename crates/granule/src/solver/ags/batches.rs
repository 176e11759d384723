//! Contacts of a sweep, laid out several at a time.
//!
//! The contacts of a batch share no body that moves, so their order within it does not matter. A sweep goes over the
//! batches in their order. That order is by colours: contacts of one colour share no body, so that a body which a
//! batch has changed is not read again soon, while its values are still on their way to memory.

use super::precision::Precision;
use crate::math::DVec3;

/// The contact of a lane that holds none.
pub(super) const NONE: u32 = u32::MAX;
/// Colours; contacts of bodies that have used them all up stand first, one a batch.
const COLOURS: usize = 64;
/// Open batches that a contact is tried in before a new one is begun.
const TRIES: usize = 4;

/// Contacts that share no body that moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch<P: Precision> {
    pub(super) contact: P::Places,
    /// Places of the bodies among the lines of the sweep.
    pub(super) a: P::Places,
    pub(super) b: P::Places,
    pub(super) normal: [P; 3],
    /// b.
    pub(super) bias: [P; 3],
    /// μ.
    pub(super) friction: P,
    /// 1/w_n and 1/w_T, kg, with E; zero in lanes without a contact, which makes them do nothing.
    pub(super) ease_n: P,
    pub(super) ease_t: P,
    /// λ, and λ of the sweep before.
    pub(super) impulse: [P; 3],
    pub(super) before: [P; 3],
    /// s of exact friction, m/s.
    pub(super) slip: P,
}

/// E of the contacts of a batch along their normals and across them, 1/kg.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Given<P> {
    pub(super) normal: P,
    pub(super) tangential: P,
}

/// What a contact brings into its lane.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lane {
    pub(super) contact: u32,
    pub(super) normal: DVec3,
    pub(super) friction: f64,
    /// 1/w_n and 1/w_T with E, kg.
    pub(super) ease: [f64; 2],
    pub(super) bias: DVec3,
    pub(super) impulse: DVec3,
    pub(super) before: DVec3,
    pub(super) slip: f64,
    /// E along the normal and across it, 1/kg, where some contact of the problem gives.
    pub(super) given: Option<[f64; 2]>,
    /// r, N s, where some contact of the problem is capped.
    pub(super) cap: Option<f64>,
}

/// Two bodies of a contact: their places among the lines of a sweep, and whether they move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) places: [u32; 2],
    pub(super) moves: [bool; 2],
}

/// Puts a vector into a lane.
fn put<P: Precision>(target: &mut [P; 3], lane: usize, value: DVec3) {
    for (component, x) in target.iter_mut().zip(value.to_array()) {
        component.set(lane, x);
    }
}

/// The vector of a lane.
pub(super) fn lane_of<P: Precision>(vectors: &[P; 3], lane: usize) -> DVec3 {
    DVec3::from_array(vectors.map(|component| component.get(lane)))
}

impl<P: Precision> Batch<P> {
    fn empty(ground: u32) -> Self {
        let all = |place: u32| {
            let mut places = P::Places::default();
            places.as_mut().fill(place);
            places
        };
        let zero = [P::default(); 3];
        Self {
            contact: all(NONE),
            a: all(ground),
            b: all(ground),
            normal: zero,
            bias: zero,
            friction: P::default(),
            ease_n: P::default(),
            ease_t: P::default(),
            impulse: zero,
            before: zero,
            slip: P::default(),
        }
    }

    fn set(&mut self, lane: usize, ends: &Ends, value: &Lane) {
        self.contact.as_mut()[lane] = value.contact;
        self.a.as_mut()[lane] = ends.places[0];
        self.b.as_mut()[lane] = ends.places[1];
        put(&mut self.normal, lane, value.normal);
        put(&mut self.bias, lane, value.bias);
        put(&mut self.impulse, lane, value.impulse);
        put(&mut self.before, lane, value.before);
        self.slip.set(lane, value.slip);
        self.friction.set(lane, value.friction);
        self.ease_n.set(lane, value.ease[0]);
        self.ease_t.set(lane, value.ease[1]);
    }

    /// Whether a body is one of those of its contacts.
    #[inline]
    fn holds(&self, place: u32) -> bool {
        let both = self.a.as_ref().iter().zip(self.b.as_ref());
        both.fold(false, |held, (a, b)| held | (*a == place) | (*b == place))
    }

    fn has_room_for(&self, ends: &Ends) -> bool {
        let [a, b] = [0, 1].map(|end| ends.moves[end] && self.holds(ends.places[end]));
        !(a || b)
    }
}

/// The batches of a sweep over contacts between bodies whose lines follow each other.
#[derive(Debug, Clone)]
pub(super) struct Batches<P: Precision> {
    pub(super) list: Vec<Batch<P>>,
    /// What the contacts of each batch give; empty where all are rigid.
    pub(super) given: Vec<Given<P>>,
    /// r of the contacts of each batch, N s; empty where none is capped.
    pub(super) caps: Vec<P>,
    /// Contacts that wait to be put into batches, with their bodies.
    pub(super) waiting: Vec<(u32, Ends)>,
    /// Contacts in each batch.
    fill: Vec<u8>,
    /// Batches with room, from `first_open` on.
    open: Vec<u32>,
    first_open: usize,
    /// The colours that each body has used; all zero between calls.
    used: Vec<u64>,
    colour: Vec<u8>,
    order: Vec<u32>,
}

impl<P: Precision> Default for Batches<P> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            given: Vec::new(),
            caps: Vec::new(),
            waiting: Vec::new(),
            fill: Vec::new(),
            open: Vec::new(),
            first_open: 0,
            used: Vec::new(),
            colour: Vec::new(),
            order: Vec::new(),
        }
    }
}

impl<P: Precision> Batches<P> {
    /// Takes all contacts out; there are so many lines, and room for so many contacts, in batches that are mostly full.
    pub(super) fn clear(&mut self, lines: usize, contacts: usize) {
        self.list.clear();
        self.given.clear();
        self.caps.clear();
        self.waiting.clear();
        self.fill.clear();
        self.open.clear();
        self.first_open = 0;
        self.used.resize(lines, 0);
        self.colour.clear();
        self.order.clear();
        self.waiting.reserve(contacts);
        self.colour.reserve(contacts);
        self.order.reserve(contacts);
        let batches = (contacts + contacts / 4).div_ceil(P::COUNT);
        self.list.reserve(batches);
        self.fill.reserve(batches);
        self.open.reserve(batches);
    }

    /// Puts the contacts that wait into batches; `lane` tells what each brings, and lanes without a contact are at the
    /// place of the `ground`, which does not move.
    pub(super) fn fill(&mut self, ground: u32, lane: impl Fn(u32) -> Lane) {
        let ends = self.sort_by_colour();
        let order = std::mem::take(&mut self.order);
        let mut first = 0;
        for (number, end) in ends.into_iter().enumerate() {
            let mut rest = &order[first..end as usize];
            first = end as usize;
            // Those of a colour share no body that moves.
            while number > 0 && rest.len() >= P::COUNT {
                let (full, others) = rest.split_at(P::COUNT);
                rest = others;
                self.list.push(Batch::empty(ground));
                self.fill.push(P::COUNT as u8);
                for (slot, &place) in full.iter().enumerate() {
                    let (contact, ends) = self.waiting[place as usize];
                    self.set(self.list.len() - 1, slot, &ends, &lane(contact));
                }
            }
            for &place in rest {
                let (contact, ends) = self.waiting[place as usize];
                self.push(ground, &ends, &lane(contact));
            }
        }
        self.order = order;
        self.waiting.clear();
    }

    /// Puts a contact into a lane of a batch.
    #[inline]
    fn set(&mut self, place: usize, slot: usize, ends: &Ends, lane: &Lane) {
        self.list[place].set(slot, ends, lane);
        if let Some([normal, tangential]) = lane.given {
            self.given.resize(self.list.len(), Given::default());
            self.given[place].normal.set(slot, normal);
            self.given[place].tangential.set(slot, tangential);
        }
        if let Some(cap) = lane.cap {
            self.caps.resize(self.list.len(), P::default());
            self.caps[place].set(slot, cap);
        }
    }

    /// Finds the order in which the contacts that wait are put into batches, and where in it those without a colour end and
    /// those of each colour.
    fn sort_by_colour(&mut self) -> [u32; COLOURS + 1] {
        let used = &mut self.used;
        let mut count = [0_u32; COLOURS + 1];
        self.colour.clear();
        for (_, Ends { places, moves }) in &self.waiting {
            let [a, b] = places.map(|place| place as usize);
            let colour = (used[a] | used[b]).trailing_ones() as usize;
            if colour < COLOURS {
                for (place, moves) in [a, b].into_iter().zip(moves) {
                    used[place] |= u64::from(*moves) << colour;
                }
            }
            // Those without a colour come first.
            let number = (colour + 1) % (COLOURS + 1);
            count[number] += 1;
            self.colour.push(number as u8);
        }
        for (_, ends) in &self.waiting {
            ends.places
                .iter()
                .for_each(|&place| used[place as usize] = 0);
        }
        let mut next = 0;
        for count in &mut count {
            next += std::mem::replace(count, next);
        }
        self.order.clear();
        self.order.resize(self.waiting.len(), 0);
        for (place, &colour) in self.colour.iter().enumerate() {
            let slot = &mut count[colour as usize];
            self.order[*slot as usize] = place as u32;
            *slot += 1;
        }
        count
    }

    /// Adds a contact to a batch that holds none of its bodies.
    fn push(&mut self, ground: u32, ends: &Ends, lane: &Lane) {
        let open = &self.open[self.first_open..];
        let mut tried = open.iter().take(TRIES);
        let found = tried.position(|&place| self.list[place as usize].has_room_for(ends));
        let nth = found.unwrap_or_else(|| {
            self.open.push(self.list.len() as u32);
            self.list.push(Batch::empty(ground));
            self.fill.push(0);
            self.open.len() - 1 - self.first_open
        });
        let place = self.open[self.first_open + nth] as usize;
        let slot = usize::from(self.fill[place]);
        self.set(place, slot, ends, lane);
        self.fill[place] += 1;
        if slot + 1 == P::COUNT {
            // It is full: those before it move up.
            let first = self.first_open;
            self.open[first..=first + nth].rotate_right(1);
            self.first_open += 1;
        }
    }
}
