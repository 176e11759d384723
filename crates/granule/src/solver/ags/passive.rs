//! Contacts that carry nothing and, when last looked at, wanted nothing: they are only looked at now and then, several at a
//! time.

use super::batches::NONE;
use super::precision::Precision;
use crate::math::DVec3;
use crate::parallel::{Lanes, Side, Width};
use crate::problem::round;
use crate::solver::lanes::{dot, load};

/// Of those side by side as many as are looked at by one task.
pub(super) const LOOK_CHUNK: usize = 256;

/// A contact that carries nothing.
pub(super) struct Onlooker {
    pub(super) contact: u32,
    /// The places of its bodies among the lines.
    pub(super) places: [u32; 2],
    pub(super) normal: DVec3,
    /// b.
    pub(super) bias: DVec3,
    /// μ.
    pub(super) friction: f64,
}

/// Contacts side by side; they may share bodies, as nothing is changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Onlookers<P: Precision> {
    contact: P::Places,
    a: P::Places,
    b: P::Places,
    normal: [P; 3],
    bias: [P; 3],
    friction: P,
}

impl<P: Precision> Onlookers<P> {
    /// Lanes without a contact have neither a normal nor a bias, and want nothing.
    fn empty() -> Self {
        let mut none = P::Places::default();
        none.as_mut().fill(NONE);
        Self {
            contact: none,
            a: P::Places::default(),
            b: P::Places::default(),
            normal: [P::default(); 3],
            bias: [P::default(); 3],
            friction: P::default(),
        }
    }

    fn set(&mut self, lane: usize, one: &Onlooker) {
        self.contact.as_mut()[lane] = one.contact;
        self.a.as_mut()[lane] = one.places[0];
        self.b.as_mut()[lane] = one.places[1];
        for k in 0..3 {
            self.normal[k].set(lane, one.normal[k]);
            self.bias[k].set(lane, one.bias[k]);
        }
        self.friction.set(lane, one.friction);
    }

    fn remove(&mut self, lane: usize) {
        let nothing = Onlooker {
            contact: NONE,
            places: [0; 2],
            normal: DVec3::ZERO,
            bias: DVec3::ZERO,
            friction: 0.0,
        };
        self.set(lane, &nothing);
    }
}

/// A contact that wants an impulse, and μ |w_T| there, in the units of the sweep.
pub(super) type Woken = (u32, f64);

/// The contacts that are only looked at.
#[derive(Debug, Clone)]
pub(super) struct Passive<P: Precision> {
    pub(super) list: Vec<Onlookers<P>>,
    count: usize,
    /// Those that were found wanting when last looked at, for each chunk of the list.
    pub(super) woken: Vec<Vec<Woken>>,
}

impl<P: Precision> Default for Passive<P> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            count: 0,
            woken: Vec::new(),
        }
    }
}

impl<P: Precision> Passive<P> {
    /// Takes all contacts out, and makes room for so many.
    pub(super) fn clear(&mut self, contacts: usize) {
        self.list.clear();
        self.list.reserve(contacts.div_ceil(P::COUNT));
        self.count = 0;
        let most = contacts.div_ceil(P::COUNT).div_ceil(LOOK_CHUNK);
        self.woken.resize_with(self.woken.len().max(most), Vec::new);
        for woken in &mut self.woken {
            woken.clear();
            woken.reserve(P::COUNT * LOOK_CHUNK);
        }
    }

    pub(super) fn push(&mut self, one: &Onlooker) {
        let lane = self.count % P::COUNT;
        if lane == 0 {
            self.list.push(Onlookers::empty());
        }
        if let Some(last) = self.list.last_mut() {
            last.set(lane, one);
        }
        self.count += 1;
    }
}

/// Looks at contacts with the velocities of bodies in lines.
pub(super) struct Look<'a, P: Precision> {
    pub(super) list: &'a mut [Onlookers<P>],
    pub(super) lines: &'a [P::Line],
    /// Whether friction is exact: a contact then wants something if it approaches, and else if it opens by less than
    /// μ |w_T|.
    pub(super) exact: bool,
    pub(super) woken: &'a mut Vec<Woken>,
}

/// Moves the contacts that want an impulse from the list to those that are woken.
#[inline(always)]
pub(super) fn look_at_all<L: Lanes + Width<P>, P: Precision>(lanes: L, look: Look<'_, P>) {
    let Look {
        list,
        lines,
        exact,
        woken,
    } = look;
    let share = Side::splat(lanes, if exact { 0.0 } else { 1.0 });
    for contacts in list {
        let n = &load(lanes, &contacts.normal);
        let bias = load(lanes, &contacts.bias);
        let [linear, surface] = P::relative(lanes, lines, [&contacts.a, &contacts.b]);
        let u = round::relative(n, &linear, &surface);
        let w = std::array::from_fn(|i| u[i] + bias[i]);
        let along = dot(&w, n);
        let slide = std::array::from_fn(|i| w[i] - along * n[i]);
        let friction = Side::load(lanes, contacts.friction);
        let dilation = friction * dot(&slide, &slide).sqrt();
        let spare: P = (along - share * dilation).store();
        let wanted = (0..P::COUNT).fold(false, |some, lane| some | (spare.get(lane) < 0.0));
        if !wanted {
            continue;
        }
        let dilation: P = dilation.store();
        for lane in (0..P::COUNT).filter(|lane| spare.get(*lane) < 0.0) {
            woken.push((contacts.contact.as_ref()[lane], dilation.get(lane)));
            contacts.remove(lane);
        }
    }
}
