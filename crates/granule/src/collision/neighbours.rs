//! The list of pairs that can come near in the next few steps, and what is remembered of them.

use super::grid::{GridWorkspace, close_pairs};
use super::memory::Memories;
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
    memory: Memories,
    /// The list before the last time it was built.
    old_pairs: Vec<Pair>,
    old_memory: Memories,
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
        self.memory.live().filter_map(|entry| {
            let memory = self.memory.get(entry)?;
            let key = self.pairs[entry].key;
            Some(RememberedContact { key, memory })
        })
    }

    /// Writes the impulse that a contact had in the last step, `scale` times as large, into its rows; leaves
    /// them as they are if it was none. `contact` must have been found in the list as it is.
    #[inline]
    pub fn start_rows(&self, contact: &Contact, scale: f64, rows: &mut [f64]) {
        if let Some(start) = self.memory.start(contact.entry as usize, rows.len() == 6) {
            start.write(scale, contact.normal, rows);
        }
    }

    /// Forgets the contacts of the last step and remembers these, which were found in this list when it
    /// had been built so many times.
    pub fn remember<'a>(
        &mut self,
        builds: u64,
        contacts: impl Iterator<Item = (&'a Contact, ContactMemory)>,
    ) {
        self.memory.forget();
        for (contact, memory) in contacts {
            let entry = if builds == self.builds {
                contact.entry as usize
            } else {
                let found = self.pairs.binary_search_by_key(&contact.key, |p| p.key);
                found.expect("a list built for a longer reach holds what a shorter one held")
            };
            self.memory.set(entry, &memory);
        }
        self.memory.finish();
    }

    /// Changes what is remembered of a contact of the last step.
    pub fn amend(&mut self, key: &ContactKey, change: impl FnOnce(&mut ContactMemory)) {
        let found = self.pairs.binary_search_by_key(key, |p| p.key).ok();
        if let Some(entry) = found
            && let Some(mut memory) = self.memory.get(entry)
        {
            change(&mut memory);
            self.memory.write(entry, &memory);
        }
    }

    /// Replaces the list by the contacts of an earlier step, sorted by key; it is then to be built.
    pub fn replace(&mut self, contacts: &[RememberedContact]) {
        self.built = false;
        let pair = |c: &RememberedContact| Pair {
            key: c.key,
            interface: 0,
        };
        self.pairs.clear();
        self.pairs.extend(contacts.iter().map(pair));
        self.memory.reset(contacts.len(), &self.old_memory);
        for (entry, contact) in contacts.iter().enumerate() {
            self.memory.set(entry, &contact.memory);
        }
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
        std::mem::swap(&mut self.old_pairs, &mut self.pairs);
        std::mem::swap(&mut self.old_memory, &mut self.memory);
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
        let (old, memory) = (&self.old_pairs, &self.old_memory);
        let found = self.pairs.len();
        let mut place = 0;
        for key in memory.live().map(|entry| old[entry].key) {
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
        self.memory.reset(self.pairs.len(), memory);
        let mut place = 0;
        for entry in memory.live() {
            while self.pairs[place].key < old[entry].key {
                place += 1;
            }
            self.memory.take_over(place, memory, entry);
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
