//! Gaps and normals of the listed pairs.

use super::balls::Balls;
use super::manifold::ManifoldScratch;
use super::{Contact, ContactKey, Neighbours, Pair, Partner, Patches};
use crate::bodies::{Bodies, Dimension, Image, Lattice, Wall};
use crate::math::{DQuat, DVec3};
use crate::parallel;
use std::ops::Range;

/// Listed pairs looked at by one task.
const CHUNK: usize = 4096;

/// Where everything is when contacts are looked for.
#[derive(Clone, Copy)]
pub struct Geometry<'a> {
    /// The bodies.
    pub bodies: &'a Bodies,
    /// Where their centres are, m.
    pub positions: &'a [DVec3],
    /// How they are turned.
    pub orientations: &'a [DQuat],
    /// The walls.
    pub walls: &'a [Wall],
    /// Their pieces, where they are now.
    pub patches: &'a Patches,
    /// In how many dimensions the bodies move.
    pub dimension: Dimension,
    /// The place of the body that carries each wall, if one does.
    pub carriers: &'a [Option<u32>],
    /// Bodies that do not touch each other, the lower place first, sorted.
    pub apart: &'a [[u32; 2]],
    /// The periodic cell, if there is one.
    pub lattice: Option<Lattice>,
}

/// How far everything may go, m: pairs whose gap is at most the sum of the two are candidates.
#[derive(Clone, Copy)]
pub struct Allowance<'a> {
    /// Each body.
    pub bodies: &'a [f64],
    /// Any wall.
    pub walls: f64,
    /// Any image of a body in a periodic cell, besides the body.
    pub images: f64,
}

/// Scratch memory for the passes over the listed pairs.
#[derive(Debug, Clone, Default)]
pub struct Detection {
    found: Vec<Vec<Contact>>,
    balls: Balls,
    deepest: Vec<f64>,
}

impl Geometry<'_> {
    /// Whether a body carries a wall.
    pub(super) fn is_carried(&self, wall: u32) -> bool {
        self.walls[wall as usize].carrier.is_some()
    }

    /// Whether two bodies never touch each other.
    pub(super) fn keep_apart(&self, i: u32, j: u32) -> bool {
        !self.apart.is_empty() && self.apart.binary_search(&[i.min(j), i.max(j)]).is_ok()
    }

    /// From the nearest image of body `j` to body `i`, m, and which image that is.
    #[inline]
    pub(super) fn offset(&self, i: usize, j: usize) -> (DVec3, Image) {
        let offset = self.positions[i] - self.positions[j];
        match &self.lattice {
            None => (offset, Image::SELF),
            Some(lattice) => {
                let image = lattice.nearest(offset);
                (offset - lattice.shift(image), image)
            }
        }
    }

    /// Whether the nearest image of body `j` to body `i` is not body `j` itself.
    #[inline]
    fn is_through_face(&self, i: u32, j: u32) -> bool {
        self.lattice.is_some() && self.offset(i as usize, j as usize).1 != Image::SELF
    }

    /// The contact of a listed round pair; `None` where its normal would leave the plane of motion.
    #[inline]
    fn contact(&self, pair: &Pair, entry: usize) -> Option<Contact> {
        let i = pair.key.a as usize;
        let (center, radius) = (self.positions[i], self.bodies.radius[i]);
        let (normal, gap, image) = match pair.key.partner {
            Partner::Body(b) => self.of_spheres(i, b as usize),
            Partner::Wall(wall) => {
                let near = self.patches.closest(wall, pair.key.feature, center);
                let normal = match self.dimension {
                    Dimension::Space => near.normal,
                    Dimension::Plane => in_subspace(near.normal, DVec3::new(1.0, 1.0, 0.0))?,
                    Dimension::Line => in_subspace(near.normal, DVec3::X)?,
                };
                (normal, near.distance - radius, Image::SELF)
            }
        };
        Some(Contact {
            key: pair.key,
            entry: entry as u32,
            interface: pair.interface,
            point: center - radius * normal,
            normal,
            gap,
            bonded: false,
            image,
        })
    }

    /// The contact of the spheres at the places `a < b`, however far apart, with this number of the interface between
    /// their materials.
    pub fn of_pair(&self, [a, b]: [u32; 2], interface: u16) -> Contact {
        let i = a as usize;
        let (normal, gap, image) = self.of_spheres(i, b as usize);
        Contact {
            key: ContactKey::between(a, b),
            entry: u32::MAX,
            interface,
            point: self.positions[i] - self.bodies.radius[i] * normal,
            normal,
            gap,
            bonded: false,
            image,
        }
    }

    /// Normal and gap of two spheres, and which image of the second it is.
    #[inline]
    fn of_spheres(&self, i: usize, j: usize) -> (DVec3, f64, Image) {
        let touch = self.bodies.radius[i] + self.bodies.radius[j];
        if self.dimension == Dimension::Line {
            // The order of the bodies gives the normal, also when they are at one point.
            let gap = self.positions[j].x - self.positions[i].x - touch;
            return (DVec3::NEG_X, gap, Image::SELF);
        }
        let (offset, image) = self.offset(i, j);
        let distance = offset.length();
        let normal = if distance > 0.0 {
            offset / distance
        } else {
            DVec3::X
        };
        (normal, distance - touch, image)
    }

    /// How many pieces a partner has that a body may touch.
    fn pieces(&self, partner: Partner) -> u32 {
        match partner {
            Partner::Body(_) => 1,
            Partner::Wall(wall) => self.walls[wall as usize].patches.len() as u32,
        }
    }

    /// The same contacts, where everything is now.
    pub fn again(&self, contacts: &mut Vec<Contact>) {
        let mut scratch = ManifoldScratch::default();
        let (mut last, mut several) = (None, Vec::new());
        let mut now = |c: &Contact| {
            let pair = Pair {
                key: c.key,
                interface: c.interface,
                manifold: c.key.is_manifold(),
            };
            if !pair.manifold {
                return self.contact(&pair, c.entry as usize);
            }
            if last != Some((c.key.a, c.key.partner)) {
                last = Some((c.key.a, c.key.partner));
                several.clear();
                // What touched before the step is no farther than that after it.
                let reach = self.bodies.radius[c.key.a as usize];
                for feature in 0..self.pieces(c.key.partner) {
                    let key = ContactKey { feature, ..c.key };
                    let pair = Pair { key, ..pair };
                    self.manifold(&pair, reach, &mut scratch, &mut several);
                }
            }
            several.iter().find(|found| found.key == c.key).copied()
        };
        contacts.retain_mut(|c| now(c).map(|found| *c = found).is_some());
    }
}

/// A normal with rounding taken out of the locked directions; `None` if it really points there.
pub(super) fn in_subspace(normal: DVec3, free: DVec3) -> Option<DVec3> {
    let flat = normal * free;
    ((normal - flat).length_squared() < 1e-12).then(|| flat.normalize())
}

/// Whether one of these keys (sorted) is of a contact of this pair.
fn holds_pair(keys: &[ContactKey], pair: &Pair) -> bool {
    let two = (pair.key.a, pair.key.partner);
    keys.binary_search_by(|key| (key.a, key.partner).cmp(&two))
        .is_ok()
}

/// Drops what is not to be kept of a list from a place on.
fn retain_from(list: &mut Vec<Contact>, first: usize, keep: impl Fn(&Contact) -> bool) {
    let mut kept = first;
    for k in first..list.len() {
        if keep(&list[k]) {
            list[kept] = list[k];
            kept += 1;
        }
    }
    list.truncate(kept);
}

impl Neighbours {
    /// Finds the listed pairs whose gap is at most what they are allowed, and those in `forced` (sorted)
    /// whatever their gap, in the order of the list.
    pub fn find_contacts(
        &self,
        geometry: &Geometry,
        allowance: &Allowance,
        forced: &[ContactKey],
        detection: &mut Detection,
        contacts: &mut Vec<Contact>,
    ) {
        let pairs = self.pairs();
        let Detection {
            found: parts,
            balls,
            ..
        } = detection;
        balls.set(geometry, |body| allowance.bodies[body]);
        let balls = &*balls;
        // Whether it moves besides its bodies is seen later.
        let of_image = geometry.lattice.map_or(0.0, |_| allowance.images);
        let add = |range: Range<usize>, found: &mut Vec<Contact>| {
            let mut scratch = ManifoldScratch::default();
            for entry in range {
                let pair = &pairs[entry];
                let limit = match pair.key.partner {
                    Partner::Body(_) => of_image,
                    Partner::Wall(_) => allowance.walls,
                };
                let apart = balls.are_apart(geometry, pair.key, limit);
                if apart && forced.is_empty() {
                    continue;
                }
                let own = allowance.bodies[pair.key.a as usize];
                let other = match pair.key.partner {
                    Partner::Body(b) => {
                        let moves = geometry.is_through_face(pair.key.a, b);
                        let image = if moves { allowance.images } else { 0.0 };
                        allowance.bodies[b as usize] + image
                    }
                    Partner::Wall(_) => allowance.walls,
                };
                if pair.manifold {
                    let first = found.len();
                    let is_forced = holds_pair(forced, pair);
                    if apart && !is_forced {
                        continue;
                    }
                    let reach = if is_forced {
                        f64::INFINITY
                    } else {
                        own + other
                    };
                    geometry.manifold(pair, reach, &mut scratch, found);
                    if is_forced {
                        let near = |c: &Contact| {
                            c.gap <= own + other || forced.binary_search(&c.key).is_ok()
                        };
                        retain_from(found, first, near);
                    }
                    continue;
                }
                let is_forced = || forced.binary_search(&pair.key).is_ok();
                if apart && !is_forced() {
                    continue;
                }
                let near = |c: &Contact| c.gap <= own + other || is_forced();
                found.extend(geometry.contact(pair, entry).filter(near));
            }
        };
        contacts.clear();
        if parallel::threads() == 1 {
            add(0..pairs.len(), contacts);
            return;
        }
        let chunks = pairs.len().div_ceil(CHUNK);
        if parts.len() < chunks {
            parts.resize_with(chunks, Vec::new);
        }
        let parts = &mut parts[..chunks];
        parallel::each_mut(parts, |chunk, found| {
            found.clear();
            let first = chunk * CHUNK;
            add(first..pairs.len().min(first + CHUNK), found);
        });
        for found in parts.iter() {
            contacts.extend_from_slice(found);
        }
    }

    /// How deep the listed pairs overlap at most whose interface `counts` and that are not bonded, m; zero if none does.
    pub fn deepest_overlap(
        &self,
        geometry: &Geometry,
        counts: impl Fn(u16) -> bool + Sync,
        detection: &mut Detection,
    ) -> f64 {
        let pairs = self.pairs();
        let Detection { balls, deepest, .. } = detection;
        balls.set(geometry, |_| 0.0);
        let balls = &*balls;
        deepest.clear();
        deepest.resize(pairs.len().div_ceil(CHUNK), 0.0);
        parallel::each_mut(deepest, |chunk, deepest| {
            let end = pairs.len().min((chunk + 1) * CHUNK);
            let mut scratch = ManifoldScratch::default();
            let mut several = Vec::new();
            for (entry, pair) in pairs.iter().enumerate().take(end).skip(chunk * CHUNK) {
                // Of round contacts only those matter that are deeper than the deepest so far.
                let limit = if pair.manifold { 0.0 } else { -*deepest };
                if balls.are_apart(geometry, pair.key, limit)
                    || !counts(pair.interface)
                    || self.is_bonded(entry)
                {
                    continue;
                }
                if !pair.manifold {
                    let contact = geometry.contact(pair, 0);
                    *deepest = contact.map_or(*deepest, |c| deepest.max(-c.gap));
                    continue;
                }
                several.clear();
                geometry.manifold(pair, 0.0, &mut scratch, &mut several);
                *deepest = several
                    .iter()
                    .fold(*deepest, |most, c: &Contact| most.max(-c.gap));
            }
        });
        deepest.iter().copied().fold(0.0, f64::max)
    }

    /// Adds to `missed` the listed pairs that are not `known` (sorted) and of which
    /// `is_missed` says that they should have been. Only what went `farther` than its allowance can have met
    /// one, so other pairs are not asked about.
    pub fn missed_contacts(
        &self,
        geometry: &Geometry,
        known: &[ContactKey],
        farther: impl Fn(Partner) -> bool,
        is_missed: impl Fn(&Contact) -> bool,
        missed: &mut Vec<ContactKey>,
    ) {
        let mut scratch = ManifoldScratch::default();
        let mut several = Vec::new();
        let all = known;
        let mut known = known.iter().filter(|key| !key.is_manifold()).peekable();
        for (entry, pair) in self.pairs().iter().enumerate() {
            let key = pair.key;
            if known.peek() == Some(&&key) {
                known.next();
                continue;
            }
            if !farther(key.partner) && !farther(Partner::Body(key.a)) {
                continue;
            }
            if pair.manifold {
                several.clear();
                geometry.manifold(pair, f64::INFINITY, &mut scratch, &mut several);
                let new = |c: &&Contact| all.binary_search(&c.key).is_err();
                let missing = several.iter().filter(new).filter(|c| is_missed(c));
                missed.extend(missing.map(|c| c.key));
                continue;
            }
            if geometry.contact(pair, entry).is_some_and(|c| is_missed(&c)) {
                missed.push(key);
            }
        }
    }
}
