//! The list of pairs that can come near in the next few steps, and what is remembered of them.

use super::grid::{GridWorkspace, close_pairs};
use super::images::{ImagesWorkspace, close_images};
use super::memory::{Memories, Start};
use super::{
    Allowance, Contact, ContactKey, ContactMemory, Geometry, LawMemory, Partner, RememberedContact,
};
use crate::bodies::{Bodies, BodyShape, Dimension};
use crate::math::DVec3;

/// A pair in the list of neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The identity of its contact.
    pub key: ContactKey,
    /// The number of the interface between the two materials.
    pub interface: u16,
    /// Whether the two may touch in several points: solids with anything, and spheres with meshes.
    pub manifold: bool,
}

impl Pair {
    /// A pair of a round contact, whose materials are still to be looked up.
    fn listed(key: ContactKey) -> Self {
        Self {
            key,
            interface: 0,
            manifold: false,
        }
    }
}

/// A reused list of neighbours.
///
/// It holds every pair whose gap is at most the sum of their *ranges*. As long as no body has gone
/// farther from where it was when the list was built than its range less its present allowance,
/// the list holds every pair whose gap is at most the sum of the present allowances.
///
/// What is remembered of a round contact stands beside its pair, so that it is found by its place; only where
/// the list is built anew is it looked for by key. A contact of the last step stays in the list until a
/// step has been made without it. The contacts of pairs that may touch in several points are remembered by key.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// The pairs, sorted by key.
    pairs: Vec<Pair>,
    /// What is remembered of each pair.
    memory: Memories,
    /// The contacts of the last step of pairs that may touch in several points, sorted by key.
    manifolds: Vec<RememberedContact>,
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
    /// The same of images of bodies in a periodic cell, besides the bodies, m.
    image_range: f64,
    images_moved: f64,
    builds: u64,
    reach: Vec<f64>,
    close: Vec<[u32; 2]>,
    grid: GridWorkspace,
    images: ImagesWorkspace,
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

    /// To be told how far images of bodies went besides the bodies (an upper bound, m) in each step.
    pub fn images_went(&mut self, distance: f64) {
        self.images_moved += distance;
    }

    /// To be told when a body goes on as another of its images, this far (m) from where it was.
    pub fn body_jumped(&mut self, place: usize, by: DVec3) {
        if let Some(from) = self.from.get_mut(place) {
            *from += by;
        }
    }

    /// The contacts of the last step, sorted by key.
    pub fn contacts(&self) -> impl Iterator<Item = RememberedContact> {
        let round = self.memory.live().filter_map(|entry| {
            let memory = self.memory.get(entry)?;
            let key = self.pairs[entry].key;
            Some(RememberedContact { key, memory })
        });
        let (mut round, mut others) = (round.peekable(), self.manifolds.iter().peekable());
        std::iter::from_fn(move || match (round.peek(), others.peek()) {
            (Some(one), Some(other)) if other.key < one.key => others.next().copied(),
            (None, Some(_)) => others.next().copied(),
            (Some(_), _) | (None, None) => round.next(),
        })
    }

    /// Writes the impulse that a contact had in the last step, `scale` times as large, into its rows; leaves
    /// them as they are if it was none. `contact` must have been found in the list as it is.
    #[inline]
    pub fn start_rows(&self, contact: &Contact, scale: f64, rows: &mut [f64]) {
        if contact.key.is_manifold() {
            let found = self.manifolds.binary_search_by_key(&contact.key, |c| c.key);
            if let Ok(place) = found {
                let start = Start::from(&self.manifolds[place].memory);
                start.write(scale, contact.normal, rows);
            }
        } else if let Some(start) = self.memory.start(contact.entry as usize, rows.len() == 6) {
            start.write(scale, contact.normal, rows);
        }
    }

    /// What the law of a contact remembers of the last step, turned to its present normal. `contact` must have been
    /// found in the list as it is.
    pub fn law_memory(&self, contact: &Contact) -> Option<LawMemory> {
        let (law, normal) = if contact.key.is_manifold() {
            let found = self.manifolds.binary_search_by_key(&contact.key, |c| c.key);
            let memory = &self.manifolds[found.ok()?].memory;
            (memory.law, memory.normal)
        } else {
            self.memory.law(contact.entry as usize)?
        };
        Some(law.turned(normal, contact.normal))
    }

    /// Whether the pair at this place of the list is bonded.
    pub(super) fn is_bonded(&self, entry: usize) -> bool {
        let law = self.memory.law(entry);
        law.is_some_and(|(law, _)| law.bond.is_some())
    }

    /// Forgets the contacts of the last step and remembers these, which were found in this list when it
    /// had been built so many times.
    pub fn remember<'a>(
        &mut self,
        builds: u64,
        contacts: impl Iterator<Item = (&'a Contact, ContactMemory)>,
    ) {
        self.memory.forget();
        self.manifolds.clear();
        for (contact, memory) in contacts {
            if contact.key.is_manifold() {
                let key = contact.key;
                self.manifolds.push(RememberedContact { key, memory });
                continue;
            }
            let entry = if builds == self.builds {
                contact.entry as usize
            } else {
                let found = self.pairs.binary_search_by_key(&contact.key, |p| p.key);
                found.expect("a list built for a longer reach holds what a shorter one held")
            };
            self.memory.set(entry, &memory);
        }
        self.memory.finish();
        self.manifolds.sort_unstable_by_key(|contact| contact.key);
    }

    /// Changes what is remembered of a contact of the last step.
    pub fn amend(&mut self, key: &ContactKey, change: impl FnOnce(&mut ContactMemory)) {
        if key.is_manifold() {
            let found = self.manifolds.binary_search_by_key(key, |c| c.key);
            if let Ok(place) = found {
                change(&mut self.manifolds[place].memory);
            }
            return;
        }
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
        let round = contacts.iter().filter(|c| !c.key.is_manifold());
        self.pairs.clear();
        self.pairs
            .extend(round.clone().map(|c| Pair::listed(c.key)));
        self.memory.reset(self.pairs.len(), &self.old_memory);
        for (entry, contact) in round.enumerate() {
            self.memory.set(entry, &contact.memory);
        }
        let others = contacts.iter().filter(|c| c.key.is_manifold());
        self.manifolds.clear();
        self.manifolds.extend(others);
    }

    /// Whether the list holds all pairs within the given allowances (m).
    fn covers(&self, positions: &[DVec3], allowance: &Allowance) -> bool {
        self.built
            && self.from.len() == positions.len()
            && self.walls_moved + allowance.walls <= self.wall_range
            && self.images_moved + allowance.images <= self.image_range
            && positions
                .iter()
                .zip(&self.from)
                .zip(allowance.bodies)
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
        allowance: &Allowance,
        interface: impl Fn(u16, u16) -> u16,
    ) {
        let Geometry {
            bodies, positions, ..
        } = *geometry;
        if self.covers(positions, allowance) {
            return;
        }
        self.built = true;
        self.builds += 1;
        self.walls_moved = 0.0;
        self.wall_range = wall_range(bodies, allowance.walls);
        self.images_moved = 0.0;
        self.image_range = wall_range(bodies, allowance.images);
        self.from.clear();
        self.from.extend_from_slice(positions);
        self.range.clear();
        // A body at rest can stay in the list until it has gone a tenth of its radius; a fast one
        // for some four steps like the coming one.
        self.range.extend(
            allowance
                .bodies
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
            // Half of the way of images for each of the two.
            let image = 0.5 * self.image_range;
            let reach = self.range.iter().zip(&bodies.radius);
            self.reach.clear();
            self.reach.extend(reach.map(|(a, b)| a + b + image));
            let (reach, close, grid) = (&self.reach, &mut self.close, &mut self.grid);
            match &geometry.lattice {
                None => close_pairs(positions, reach, close, grid),
                Some(lattice) => {
                    close_images(positions, reach, lattice, close, (grid, &mut self.images));
                }
            }
        }
        let touches = |i: u32| bodies.shape[i as usize] != BodyShape::Walls;
        let moves = |i: u32| bodies.is_dynamic(i as usize);
        let between = self
            .close
            .iter()
            .filter(|&&[i, j]| (moves(i) || moves(j)) && touches(i) && touches(j))
            .filter(|&&[i, j]| !geometry.keep_apart(i, j));
        self.pairs.clear();
        self.pairs.extend(between.map(|&[i, j]| Pair {
            manifold: !(bodies.is_sphere(i as usize) && bodies.is_sphere(j as usize)),
            ..Pair::listed(ContactKey::between(i, j))
        }));
        let count = self.pairs.len();
        for body in (0..bodies.len()).filter(|&i| touches(i as u32)) {
            let limit = bodies.radius[body] + self.range[body] + self.wall_range;
            for patch in 0..patches.len() {
                let (wall, piece) = patches.of_wall(patch);
                let carrier = geometry.carriers.get(wall as usize).copied().flatten();
                let meets = (bodies.is_dynamic(body) || geometry.is_carried(wall))
                    && !carrier.is_some_and(|carrier| geometry.keep_apart(body as u32, carrier));
                if meets && patches.is_within(patch, positions[body], limit) {
                    let key = ContactKey::with_wall(body as u32, wall, piece);
                    self.pairs.push(Pair {
                        manifold: !bodies.is_sphere(body) || patches.is_mesh(patch),
                        ..Pair::listed(key)
                    });
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
                self.pairs.push(Pair::listed(key));
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

/// How far walls, or images, may go before the list is built anew (m), given how far they may go in the coming
/// step: as far as in some four steps like it, or a tenth of the smallest radius if that is more.
fn wall_range(bodies: &Bodies, wall_allowance: f64) -> f64 {
    if wall_allowance == 0.0 {
        return 0.0;
    }
    let thickness = (0..bodies.len()).map(|i| bodies.thickness(i));
    let smallest = thickness.fold(f64::INFINITY, f64::min);
    (0.1 * smallest).max(4.0 * wall_allowance)
}
