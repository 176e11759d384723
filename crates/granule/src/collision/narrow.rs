//! Gaps and normals of the listed pairs.

use super::{Contact, ContactKey, Neighbours, Pair, Partner, Patches};
use crate::bodies::{Bodies, Dimension, Wall};
use crate::math::DVec3;
use crate::parallel;
use std::ops::Range;

/// Listed pairs looked at by one task.
const CHUNK: usize = 4096;

/// Of a square of a distance: what is above this share of it is above it, rounding or not.
const FAR: f64 = 1.0 + 1e-9;

/// Where everything is when contacts are looked for.
#[derive(Clone, Copy)]
pub struct Geometry<'a> {
    /// The bodies.
    pub bodies: &'a Bodies,
    /// Where their centres are, m.
    pub positions: &'a [DVec3],
    /// The walls.
    pub walls: &'a [Wall],
    /// Their pieces, where they are now.
    pub patches: &'a Patches,
    /// In how many dimensions the bodies move.
    pub dimension: Dimension,
}

/// How far everything may go, m: pairs whose gap is at most the sum of the two are candidates.
#[derive(Clone, Copy)]
pub struct Allowance<'a> {
    /// Each body.
    pub bodies: &'a [f64],
    /// Any wall.
    pub walls: f64,
}

/// Scratch memory for [`Neighbours::find_contacts`].
#[derive(Debug, Clone, Default)]
pub struct Detection {
    found: Vec<Vec<Contact>>,
}

impl Geometry<'_> {
    /// Whether a body carries a wall.
    pub(super) fn is_carried(&self, wall: u32) -> bool {
        self.walls[wall as usize].carrier.is_some()
    }

    /// Whether two spheres are so far apart that no root is needed to see that their gap is above `limit` (m).
    #[inline]
    fn are_apart(&self, key: ContactKey, limit: f64) -> bool {
        let Partner::Body(b) = key.partner else {
            return false;
        };
        let (i, j) = (key.a as usize, b as usize);
        let reach = self.bodies.radius[i] + self.bodies.radius[j] + limit;
        // Well beyond what rounding can hide.
        let apart = self.positions[i].distance_squared(self.positions[j]) > FAR * reach * reach;
        apart && self.dimension != Dimension::Line
    }

    /// The contact of a listed pair; `None` where its normal would leave the plane of motion.
    #[inline]
    fn contact(&self, pair: &Pair, entry: usize) -> Option<Contact> {
        let i = pair.key.a as usize;
        let (center, radius) = (self.positions[i], self.bodies.radius[i]);
        let (normal, gap) = match pair.key.partner {
            Partner::Body(b) => self.of_spheres(i, b as usize),
            Partner::Wall(wall) => {
                let near = self.patches.closest(wall, pair.key.feature, center);
                let normal = match self.dimension {
                    Dimension::Space => near.normal,
                    Dimension::Plane => in_subspace(near.normal, DVec3::new(1.0, 1.0, 0.0))?,
                    Dimension::Line => in_subspace(near.normal, DVec3::X)?,
                };
                (normal, near.distance - radius)
            }
        };
        Some(Contact {
            key: pair.key,
            entry: entry as u32,
            interface: pair.interface,
            point: center - radius * normal,
            normal,
            gap,
        })
    }

    /// Normal and gap of two spheres.
    #[inline]
    fn of_spheres(&self, i: usize, j: usize) -> (DVec3, f64) {
        let touch = self.bodies.radius[i] + self.bodies.radius[j];
        if self.dimension == Dimension::Line {
            // The order of the bodies gives the normal, also when they are at one point.
            let gap = self.positions[j].x - self.positions[i].x - touch;
            return (DVec3::NEG_X, gap);
        }
        let offset = self.positions[i] - self.positions[j];
        let distance = offset.length();
        let normal = if distance > 0.0 {
            offset / distance
        } else {
            DVec3::X
        };
        (normal, distance - touch)
    }

    /// The same contacts, where everything is now.
    pub fn again(&self, contacts: &mut Vec<Contact>) {
        let now = |c: &Contact| {
            let pair = Pair {
                key: c.key,
                interface: c.interface,
            };
            self.contact(&pair, c.entry as usize)
        };
        contacts.retain_mut(|c| now(c).map(|found| *c = found).is_some());
    }
}

/// A normal with rounding taken out of the locked directions; `None` if it really points there.
fn in_subspace(normal: DVec3, free: DVec3) -> Option<DVec3> {
    let flat = normal * free;
    ((normal - flat).length_squared() < 1e-12).then(|| flat.normalize())
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
        let add = |range: Range<usize>, found: &mut Vec<Contact>| {
            for entry in range {
                let pair = &pairs[entry];
                let own = allowance.bodies[pair.key.a as usize];
                let other = match pair.key.partner {
                    Partner::Body(b) => allowance.bodies[b as usize],
                    Partner::Wall(_) => allowance.walls,
                };
                let is_forced = || forced.binary_search(&pair.key).is_ok();
                if geometry.are_apart(pair.key, own + other) && !is_forced() {
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
        if detection.found.len() < chunks {
            detection.found.resize_with(chunks, Vec::new);
        }
        let found = &mut detection.found[..chunks];
        parallel::each_mut(found, |chunk, found| {
            found.clear();
            let first = chunk * CHUNK;
            add(first..pairs.len().min(first + CHUNK), found);
        });
        for found in found.iter() {
            contacts.extend_from_slice(found);
        }
    }

    /// How deep the listed pairs overlap at most, m; zero if none does.
    pub fn deepest_overlap(&self, geometry: &Geometry, partials: &mut Vec<f64>) -> f64 {
        let pairs = self.pairs();
        partials.clear();
        partials.resize(pairs.len().div_ceil(CHUNK), 0.0);
        parallel::each_mut(partials, |chunk, deepest| {
            let end = pairs.len().min((chunk + 1) * CHUNK);
            let depths = pairs[chunk * CHUNK..end]
                .iter()
                .filter(|pair| !geometry.are_apart(pair.key, 0.0))
                .filter_map(|pair| geometry.contact(pair, 0))
                .map(|c| -c.gap);
            *deepest = depths.fold(0.0, f64::max);
        });
        partials.iter().copied().fold(0.0, f64::max)
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
        let mut known = known.iter().peekable();
        for (entry, pair) in self.pairs().iter().enumerate() {
            let key = pair.key;
            if known.peek() == Some(&&key) {
                known.next();
                continue;
            }
            if !farther(key.partner) && !farther(Partner::Body(key.a)) {
                continue;
            }
            if geometry.contact(pair, entry).is_some_and(|c| is_missed(&c)) {
                missed.push(key);
            }
        }
    }
}
