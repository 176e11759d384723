//! The list of pairs that can come near in the next few steps, and what is remembered of them.

use super::grid::{GridWorkspace, close_pairs};
use super::{Contact, ContactKey, ContactMemory, Geometry, Partner, RememberedContact};
use crate::bodies::{Bodies, Dimension};
use crate::math::DVec3;

/// A pair in the list of neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The identity of its contact.
    pub key: ContactKey,
    /// The number of the interface between the two materials.
    pub interface: u16,
}

/// A reused list of neighbours.
///
/// It holds every pair whose gap is at most the sum of their *ranges*. As long as no body has gone
/// farther from where it was when the list was built than its range less its present allowance,
/// the list holds every pair whose gap is at most the sum of the present allowances.
///
/// What is remembered of a contact stands beside its pair, so that it is found by its place; only where
/// the list is built anew is it looked for by key. A contact of the last step stays in the list until a
/// step has been made without it.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// The pairs, sorted by key.
    pairs: Vec<Pair>,
    /// What is remembered of each pair.
    memory: Vec<ContactMemory>,
    /// When each pair was remembered; it is a contact of the last step if that is `now`.
    remembered: Vec<u64>,
    /// How often contacts were remembered.
    now: u64,
    /// The list before the last time it was built.
    old: (Vec<Pair>, Vec<ContactMemory>, Vec<u64>),
    built: bool,
    /// Positions at the time of building, m.
    from: Vec<DVec3>,
    /// How far each body may go, m.
    range: Vec<f64>,
    /// How far any point of a wall may go, m.
    wall_range: f64,
    /// An upper bound for how far the walls have gone since the list was built, m.
    walls_moved: f64,
    builds: u64,
    reach: Vec<f64>,
    close: Vec<[u32; 2]>,
    grid: GridWorkspace,
}

impl Neighbours {
    /// A list that is still to be built, with the contacts of an earlier step.
    pub fn remembering(contacts: &[RememberedContact]) -> Self {
        let mut list = Self::default();
        list.replace(contacts);
        list
    }

    /// The pairs, sorted by key.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// How often the list was built.
    pub fn builds(&self) -> u64 {
        self.builds
    }

    /// Makes the next [`Neighbours::update`] build the list anew.
    pub fn invalidate(&mut self) {
        self.built = false;
    }

    /// To be told how far walls went (an upper bound, m) in each step.
    pub fn walls_went(&mut self, distance: f64) {
        self.walls_moved += distance;
    }

    /// The contacts of the last step, sorted by key.
    pub fn contacts(&self) -> impl Iterator<Item = RememberedContact> {
        let entries = self.pairs.iter().zip(&self.memory).zip(&self.remembered);
        let last = entries.filter(|(_, when)| self.now > 0 && **when == self.now);
        last.map(|((pair, memory), _)| RememberedContact {
            key: pair.key,
            memory: *memory,
        })
    }

    /// What is remembered of a contact, if it was one of the last step's. `contact` must have been found
    /// in the list as it is.
    #[inline]
    pub fn memory(&self, contact: &Contact) -> Option<&ContactMemory> {
        let entry = contact.entry as usize;
        (self.remembered[entry] == self.now).then(|| &self.memory[entry])
    }

    /// Forgets the contacts of the last step and remembers these, which were found in this list when it
    /// had been built so many times.
    pub fn remember(
        &mut self,
        builds: u64,
        contacts: impl Iterator<Item = (Contact, ContactMemory)>,
    ) {
        self.now += 1;
        for (contact, memory) in contacts {
            let entry = if builds == self.builds {
                contact.entry as usize
            } else {
                let found = self.pairs.binary_search_by_key(&contact.key, |p| p.key);
                found.expect("a list built for a longer reach holds what a shorter one held")
            };
            self.remembered[entry] = self.now;
            self.memory[entry] = memory;
        }
    }

    /// Adds `impulse(contact)` to what is remembered of contacts of the last step.
    pub fn amend(&mut self, key: &ContactKey, change: impl FnOnce(&mut ContactMemory)) {
        if let Ok(entry) = self.pairs.binary_search_by_key(key, |p| p.key) {
            change(&mut self.memory[entry]);
        }
    }

    /// Replaces the list by the contacts of an earlier step, sorted by key; it is then to be built.
    pub fn replace(&mut self, contacts: &[RememberedContact]) {
        self.built = false;
        self.now = 1;
        let pair = |c: &RememberedContact| Pair {
            key: c.key,
            interface: 0,
        };
        self.pairs.clear();
        self.pairs.extend(contacts.iter().map(pair));
        self.memory.clear();
        self.memory.extend(contacts.iter().map(|c| c.memory));
        self.remembered.clear();
        self.remembered.resize(contacts.len(), self.now);
    }

    /// Whether the list holds all pairs within the given allowances (m).
    fn covers(&self, positions: &[DVec3], allowance: &[f64], wall_allowance: f64) -> bool {
        self.built
            && self.from.len() == positions.len()
            && self.walls_moved + wall_allowance <= self.wall_range
            && positions
                .iter()
                .zip(&self.from)
                .zip(allowance)
                .zip(&self.range)
                .all(|(((now, from), allowance), range)| {
                    let left = range - allowance;
                    left >= 0.0 && now.distance_squared(*from) <= left * left
                })
    }

    /// Builds the list anew unless it still holds all pairs whose gap is at most the sum of the
    /// allowances (how far each body, and any wall, may go in the coming step; m). `interface` gives the
    /// number of the interface between two materials.
    pub fn update(
        &mut self,
        geometry: &Geometry,
        allowance: &[f64],
        wall_allowance: f64,
        interface: impl Fn(u16, u16) -> u16,
    ) {
        let Geometry {
            bodies, positions, ..
        } = *geometry;
        if self.covers(positions, allowance, wall_allowance) {
            return;
        }
        self.built = true;
        self.builds += 1;
        self.walls_moved = 0.0;
        self.wall_range = wall_range(bodies, wall_allowance);
        self.from.clear();
        self.from.extend_from_slice(positions);
        self.range.clear();
        // A body at rest can stay in the list until it has gone a tenth of its radius; a fast one
        // for some four steps like the coming one.
        self.range.extend(
            allowance
                .iter()
                .zip(&bodies.radius)
                .map(|(a, r)| a + 0.1 * r + (3.0 * a).min(0.4 * r).max(0.5 * a)),
        );
        let (pairs, memory, remembered) = &mut self.old;
        std::mem::swap(pairs, &mut self.pairs);
        std::mem::swap(memory, &mut self.memory);
        std::mem::swap(remembered, &mut self.remembered);
        self.find_pairs(geometry);
        self.carry_memory();
        for pair in &mut self.pairs {
            let other = match pair.key.partner {
                Partner::Body(b) => bodies.material[b as usize],
                Partner::Wall(wall) => geometry.walls[wall as usize].material,
            };
            pair.interface = interface(bodies.material[pair.key.a as usize], other);
        }
    }

    /// Finds the pairs within range, in the order of their keys.
    fn find_pairs(&mut self, geometry: &Geometry) {
        let Geometry {
            bodies,
            positions,
            patches,
            dimension,
            ..
        } = *geometry;
        if dimension == Dimension::Line {
            // On a line bodies keep their order, and only neighbours can touch.
            let last = bodies.len().saturating_sub(1) as u32;
            self.close.clear();
            self.close.extend((0..last).map(|i| [i, i + 1]));
        } else {
            self.reach.clear();
            self.reach
                .extend(self.range.iter().zip(&bodies.radius).map(|(a, b)| a + b));
            close_pairs(positions, &self.reach, &mut self.close, &mut self.grid);
        }
        let listed = |key: ContactKey| Pair { key, interface: 0 };
        let spheres = |i: u32| bodies.is_sphere(i as usize);
        let moves = |i: u32| bodies.is_dynamic(i as usize);
        let between = self
            .close
            .iter()
            .filter(|&&[i, j]| (moves(i) || moves(j)) && spheres(i) && spheres(j));
        self.pairs.clear();
        self.pairs
            .extend(between.map(|&[i, j]| listed(ContactKey::between(i, j))));
        let count = self.pairs.len();
        for body in (0..bodies.len()).filter(|&i| bodies.is_sphere(i)) {
            let limit = bodies.radius[body] + self.range[body] + self.wall_range;
            for patch in 0..patches.len() {
                let (wall, piece) = patches.of_wall(patch);
                let meets = bodies.is_dynamic(body) || geometry.is_carried(wall);
                if meets && patches.is_within(patch, positions[body], limit) {
                    let key = ContactKey::with_wall(body as u32, wall, piece);
                    self.pairs.push(listed(key));
                }
            }
        }
        if self.pairs.len() > count {
            // Two sorted runs; the stable sort merges them.
            self.pairs.sort_by_key(|pair| pair.key);
        }
    }

    /// Takes over what the list before remembered of the last step; its contacts stay in the list,
    /// wherever their bodies are by now.
    fn carry_memory(&mut self) {
        let (old, old_memory, old_remembered) = &self.old;
        let now = self.now;
        let live = |entry: &usize| old_remembered[*entry] == now;
        let found = self.pairs.len();
        let mut place = 0;
        for entry in (0..old.len()).filter(live) {
            let key = old[entry].key;
            while place < found && self.pairs[place].key < key {
                place += 1;
            }
            if place == found || self.pairs[place].key != key {
                self.pairs.push(Pair { key, interface: 0 });
            }
        }
        if self.pairs.len() > found {
            self.pairs.sort_by_key(|pair| pair.key);
        }
        self.memory.clear();
        self.memory
            .resize(self.pairs.len(), ContactMemory::default());
        self.remembered.clear();
        // Before anything is remembered, `now` is zero and nothing must look as if it were.
        self.remembered.resize(self.pairs.len(), u64::MAX);
        let mut place = 0;
        for entry in (0..old.len()).filter(live) {
            while self.pairs[place].key < old[entry].key {
                place += 1;
            }
            self.memory[place] = old_memory[entry];
            self.remembered[place] = now;
        }
    }
}

/// How far walls may go before the list is built anew (m), given how far they may go in the coming
/// step: as far as in some four steps like it, or a tenth of the smallest radius if that is more.
fn wall_range(bodies: &Bodies, wall_allowance: f64) -> f64 {
    if wall_allowance == 0.0 {
        return 0.0;
    }
    let smallest = bodies.sphere_radii().fold(f64::INFINITY, f64::min);
    (0.1 * smallest).max(4.0 * wall_allowance)
}
