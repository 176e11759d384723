//! Making bonds, and counting them.

use super::detect::{Poses, geometry};
use super::{Item, SetupError, Simulation};
use crate::collision::{
    Allowance, BondMemory, Contact, ContactMemory, Detection, LawMemory, Neighbours, Partner,
    RememberedContact,
};
use crate::math::Screw;

/// Of a radius: gaps below it are closed.
const TOUCHING: f64 = 1e-9;

/// Why two bodies cannot be bonded.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BondError {
    /// There is no such body.
    #[error("there is no body {0}")]
    NoSuchBody(u32),
    /// A body is no sphere.
    #[error(
        "body {0} is no sphere (in 2D, no disk): bonds join spheres with each other and with walls"
    )]
    NotRound(u32),
    /// No contact can be between the two.
    #[error(
        "bodies {0} and {1} do not move against each other: both move as prescribed, or they are one"
    )]
    NotFree(u32, u32),
    /// Nothing says how strong the bond is.
    #[error(
        "there is no bond between the materials of bodies {0} and {1}: give their interface one"
    )]
    NoStrength(u32, u32),
    /// The two are too far apart.
    #[error(
        "the gap between bodies {a} and {b} is {gap} m: at most the smaller radius, {limit} m, can be bridged"
    )]
    TooFar {
        /// The one.
        a: u32,
        /// The other.
        b: u32,
        /// m.
        gap: f64,
        /// The smaller radius, m.
        limit: f64,
    },
}

impl Simulation {
    /// Bonds two bodies (by their ids) where they are, with the bond of their interface; a bond that is there already stays
    /// as it is. Nothing is stored in it: a gap between the two, at most as wide as the smaller radius, is bridged, and an
    /// overlap stays.
    ///
    /// ```
    /// use granule::bodies::{Dimension, Sphere};
    /// use granule::law::{Bond, Interface, LawTable};
    /// use granule::math::DVec3;
    /// use granule::simulation::{Settings, Simulation, StepSize, World};
    /// let mut world = World::new(Dimension::Space);
    /// world.laws = LawTable::uniform(Interface { bond: Some(Bond::pulled(10.0)), ..Interface::default() });
    /// let a = world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 1.0));
    /// let b = world.add_sphere(&Sphere::new(0.2 * DVec3::X, 0.1, 1.0));
    /// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.01), 1.0))?;
    /// simulation.bond(a, b)?;
    /// simulation.apply_force(b, 15.0 * DVec3::X, DVec3::ZERO);
    /// simulation.step()?; // The bond carries half of that, for the other ball.
    /// assert_eq!(simulation.bonds(), 1);
    /// simulation.apply_force(b, 30.0 * DVec3::X, DVec3::ZERO);
    /// simulation.step()?;
    /// assert_eq!(simulation.bonds(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bond(&mut self, a: u32, b: u32) -> Result<(), BondError> {
        let contact = self.bondable(a, b)?;
        self.add_bonds(&[contact]);
        Ok(())
    }

    /// Bonds all pairs of spheres, and of spheres and walls, that are not bonded yet, whose interface has a bond and whose
    /// gap is at most `within` (m) and the smaller radius; gives how many bonds were made.
    pub fn bond_touching(&mut self, within: f64) -> usize {
        let found = self.near(within, |_| Some(within));
        self.add_bonds(&found)
    }

    /// How many bonds hold.
    pub fn bonds(&self) -> usize {
        let contacts = self.work.neighbours.contacts();
        contacts.filter(|c| c.memory.law.bond.is_some()).count()
    }

    /// Makes the bonds that the world has at its start.
    pub(super) fn bond_at_start(&mut self) -> Result<(), SetupError> {
        let laws = self.world.laws.clone();
        let within = |number: u16| laws.interface(number).bond.and_then(|bond| bond.within);
        let widest = laws.bonds().filter_map(|bond| bond.within);
        let widest = widest.reduce(f64::max);
        let mut found = widest.map_or_else(Vec::new, |widest| self.near(widest, within));
        for (number, &[a, b]) in self.world.bonds.iter().enumerate() {
            let contact = self.bondable(a, b).map_err(|error| SetupError::World {
                item: Item::Bond(number),
                reason: error.to_string(),
            })?;
            found.push(contact);
        }
        if !found.is_empty() {
            self.add_bonds(&found);
        }
        Ok(())
    }

    /// The contact of two bodies that can be bonded.
    fn bondable(&self, a: u32, b: u32) -> Result<Contact, BondError> {
        let bodies = &self.world.bodies;
        let place = |id: u32| bodies.place_of(id).ok_or(BondError::NoSuchBody(id));
        let (i, j) = (place(a)?, place(b)?);
        for (id, place) in [(a, i), (b, j)] {
            if !bodies.is_sphere(place) {
                return Err(BondError::NotRound(id));
            }
        }
        if i == j || !(bodies.is_dynamic(i) || bodies.is_dynamic(j)) {
            return Err(BondError::NotFree(a, b));
        }
        let interface = (self.world.laws).number(bodies.material[i], bodies.material[j]);
        if self.world.laws.interface(interface).bond.is_none() {
            return Err(BondError::NoStrength(a, b));
        }
        let poses = Poses::now(&self.world);
        let pair = [i.min(j) as u32, i.max(j) as u32];
        let contact = geometry(&self.world, (&self.work.patches, &self.work.places), poses)
            .of_pair(pair, interface);
        let limit = bodies.radius[i].min(bodies.radius[j]);
        if contact.gap > limit {
            let gap = contact.gap;
            return Err(BondError::TooFar { a, b, gap, limit });
        }
        Ok(contact)
    }

    /// The round contacts whose interface has a bond and whose gap is at most the smaller radius, `widest` (m) and what
    /// `within` says for the number of the interface.
    fn near(&mut self, widest: f64, within: impl Fn(u16) -> Option<f64>) -> Vec<Contact> {
        let (world, work) = (&self.world, &mut self.work);
        let bodies = &world.bodies;
        work.place_walls_now(world);
        let poses = Poses::now(world);
        let geometry = geometry(world, (&work.patches, &work.places), poses);
        let largest = bodies.sphere_radii().fold(0.0, f64::max);
        let reach = 0.5 * widest.min(largest) + TOUCHING * largest;
        let reaches = vec![reach; bodies.len()];
        let mut list = Neighbours::default();
        let allowance = Allowance {
            bodies: &reaches,
            walls: reach,
            images: 0.0,
        };
        list.update(&geometry, &allowance, |a, b| world.laws.number(a, b));
        let mut found = Vec::new();
        let mut detection = Detection::default();
        list.find_contacts(&geometry, &allowance, &[], &mut detection, &mut found);
        found.retain(|contact| {
            let own = bodies.radius[contact.key.a as usize];
            let radius = match contact.key.partner {
                Partner::Body(b) => own.min(bodies.radius[b as usize]),
                Partner::Wall(_) => own,
            };
            let bond = world.laws.interface(contact.interface).bond;
            let reach = bond.and_then(|_| within(contact.interface));
            let near = |reach: f64| contact.gap <= reach.min(radius) + TOUCHING * radius;
            !contact.key.is_manifold() && reach.is_some_and(near)
        });
        found
    }

    /// Remembers these contacts as bonded, if they are not yet; gives how many are new.
    fn add_bonds(&mut self, found: &[Contact]) -> usize {
        let mut contacts: Vec<RememberedContact> = self.work.neighbours.contacts().collect();
        let (known, before) = (contacts.len(), self.bonds());
        for contact in found {
            let law = LawMemory {
                elastic: Screw::default(),
                plastic: contact.gap,
                holds: true,
                bond: Some(BondMemory::default()),
            };
            let place = contacts[..known].binary_search_by_key(&contact.key, |c| c.key);
            match place {
                Ok(place) if contacts[place].memory.law.bond.is_some() => {}
                Ok(place) => contacts[place].memory.law = law,
                Err(_) => contacts.push(RememberedContact {
                    key: contact.key,
                    memory: ContactMemory {
                        point: contact.point,
                        normal: contact.normal,
                        gap: contact.gap,
                        law,
                        ..ContactMemory::default()
                    },
                }),
            }
        }
        contacts.sort_by_key(|contact| contact.key);
        contacts.dedup_by_key(|contact| contact.key);
        self.work.neighbours.replace(&contacts);
        self.bonds() - before
    }
}
