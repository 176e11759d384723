//! The order of bodies in memory.

use super::Simulation;
use super::setup::{smallest_radius, tumbles};
use crate::bodies::Load;
use crate::collision::{Partner, RememberedContact, spatial_order};

/// The order that bodies had before they were sorted.
pub(super) struct Order {
    /// Where the body went that was at each place.
    place_of: Vec<u32>,
    /// The remembered contacts as they were.
    contacts: Vec<RememberedContact>,
}

impl RememberedContact {
    /// The same contact where bodies have gone to other places; `None` where one of its bodies has none.
    pub(super) fn moved(mut self, place_of: &[Option<u32>]) -> Option<Self> {
        let a = place_of[self.key.a as usize]?;
        self.key.a = a;
        if let Partner::Body(b) = self.key.partner {
            let b = place_of[b as usize]?;
            self.key.partner = Partner::Body(b.max(a));
            if b < a {
                self.key.a = b;
                self.memory = self.memory.reversed();
            }
        }
        Some(self)
    }
}

impl Simulation {
    /// Puts the bodies into spatial order, and the remembered contacts with them. Gives what undoes it.
    pub(super) fn sort_bodies(&mut self) -> Option<Order> {
        let bodies = &mut self.world.bodies;
        let order = spatial_order(&bodies.position, &bodies.id);
        let mut places = order.iter().enumerate();
        if places.all(|(place, &from)| place as u32 == from) {
            return None;
        }
        bodies.reorder(&order);
        let mut place_of = vec![None; order.len()];
        for (place, &from) in order.iter().enumerate() {
            place_of[from as usize] = Some(place as u32);
        }
        let contacts: Vec<RememberedContact> = self.work.neighbours.contacts().collect();
        let moved = contacts
            .iter()
            .filter_map(|contact| contact.moved(&place_of));
        let place_of = place_of.iter().flatten().copied().collect();
        self.reorder_loads(&order);
        self.replace_memory(moved.collect());
        Some(Order { place_of, contacts })
    }

    /// Puts bodies and remembered contacts back into the order they had.
    pub(super) fn restore_order(&mut self, order: Order) {
        self.world.bodies.reorder(&order.place_of);
        self.reorder_loads(&order.place_of);
        self.replace_memory(order.contacts);
    }

    fn reorder_loads(&mut self, order: &[u32]) {
        if !self.loads.is_empty() {
            let loads = order.iter().map(|&from| self.loads[from as usize]);
            self.loads = loads.collect();
        }
    }

    /// After bodies have gone to other places, or away, and others have come behind them: contacts and loads go with
    /// them, and what follows from the bodies is found again.
    pub(super) fn bodies_changed(&mut self, place_of: &[Option<u32>]) {
        let contacts = self.work.neighbours.contacts();
        let moved = contacts.filter_map(|contact| contact.moved(place_of));
        let moved = moved.collect();
        if !self.loads.is_empty() {
            let stay = self.loads.iter().zip(place_of);
            let mut loads: Vec<Load> = stay
                .filter_map(|(load, place)| place.map(|_| *load))
                .collect();
            loads.resize(self.world.bodies.len(), Load::default());
            self.loads = loads;
        }
        self.replace_memory(moved);
        self.smallest_radius = smallest_radius(&self.world);
        self.tumbles = tumbles(&self.world);
    }

    /// Remembers these contacts of the last step instead, of bodies that are at other places than before.
    fn replace_memory(&mut self, mut contacts: Vec<RememberedContact>) {
        contacts.sort_unstable_by_key(|contact| contact.key);
        self.work.neighbours.replace(&contacts);
        self.work.places.find(&self.world);
    }
}
