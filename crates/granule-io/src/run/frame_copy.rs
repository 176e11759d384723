//! What a frame shows, copied out of the simulation, which goes on meanwhile.

use crate::results::{BodyFrame, ContactFrame};
use granule::bodies::{Bodies, BodyShape, Cell, Wall};
use granule::collision::Partner;
use granule::math::{DQuat, DVec3};
use granule::shapes::Solid;
use granule::simulation::{ContactImpulse, Simulation};

/// A moment of a run: time, bodies, contacts that carry something, walls.
#[derive(Default)]
pub(super) struct FrameCopy {
    /// s.
    pub(super) time: f64,
    bodies: BodyCopy,
    cell: Option<Cell>,
    contacts: ContactCopy,
    walls: Vec<Wall>,
}

impl FrameCopy {
    /// Takes the moment that the simulation is at, without contacts unless they are `wanted`; memory of an earlier
    /// moment is used again.
    pub(super) fn take(&mut self, simulation: &Simulation, wanted: bool) {
        let world = simulation.world();
        self.time = world.time;
        self.bodies.take(&world.bodies);
        self.cell.clone_from(&world.cell);
        self.contacts.clear();
        if wanted {
            self.contacts.take(simulation);
        }
        self.walls.clone_from(&world.walls);
    }

    pub(super) fn bodies(&self) -> BodyFrame<'_> {
        let bodies = &self.bodies;
        BodyFrame {
            id: &bodies.id,
            position: &bodies.position,
            radius: &bodies.radius,
            velocity: &bodies.velocity,
            angular_velocity: &bodies.angular_velocity,
            orientation: &bodies.orientation,
            material: &bodies.material,
            mass: &bodies.mass,
            shape: &bodies.shape,
            solids: &bodies.solids,
            crossed: &bodies.crossed,
            cell: self.cell.as_ref(),
        }
    }

    pub(super) fn contacts(&self) -> ContactFrame<'_> {
        let contacts = &self.contacts;
        ContactFrame {
            point: &contacts.point,
            normal: &contacts.normal,
            force: &contacts.force,
            moment: &contacts.moment,
            gap: &contacts.gap,
            body_a: &contacts.body_a,
            body_b: &contacts.body_b,
            bonded: &contacts.bonded,
        }
    }

    pub(super) fn walls(&self) -> &[Wall] {
        &self.walls
    }
}

/// What a frame shows of bodies.
#[derive(Default)]
struct BodyCopy {
    id: Vec<u32>,
    position: Vec<DVec3>,
    radius: Vec<f64>,
    velocity: Vec<DVec3>,
    angular_velocity: Vec<DVec3>,
    orientation: Vec<DQuat>,
    material: Vec<u16>,
    mass: Vec<f64>,
    shape: Vec<BodyShape>,
    solids: Vec<Solid>,
    crossed: Vec<[i32; 3]>,
}

impl BodyCopy {
    fn take(&mut self, bodies: &Bodies) {
        self.id.clone_from(&bodies.id);
        self.position.clone_from(&bodies.position);
        self.radius.clone_from(&bodies.radius);
        self.velocity.clone_from(&bodies.velocity);
        self.angular_velocity.clone_from(&bodies.angular_velocity);
        self.orientation.clone_from(&bodies.orientation);
        self.material.clone_from(&bodies.material);
        self.mass.clone_from(&bodies.mass);
        self.shape.clone_from(&bodies.shape);
        self.crossed.clone_from(&bodies.crossed);
        // Solids seldom change, and some are large.
        if self.solids != bodies.solids {
            self.solids.clone_from(&bodies.solids);
        }
    }
}

/// The contacts that carry an impulse, pushing or pulling, and those that are bonded.
#[derive(Default)]
struct ContactCopy {
    point: Vec<DVec3>,
    normal: Vec<DVec3>,
    force: Vec<DVec3>,
    /// Empty if no law has moments.
    moment: Vec<DVec3>,
    gap: Vec<f64>,
    body_a: Vec<i64>,
    body_b: Vec<i64>,
    /// Empty if no law has bonds.
    bonded: Vec<i64>,
}

impl ContactCopy {
    fn clear(&mut self) {
        self.point.clear();
        self.normal.clear();
        self.force.clear();
        self.moment.clear();
        self.gap.clear();
        self.body_a.clear();
        self.body_b.clear();
        self.bonded.clear();
    }

    /// Adds those of the simulation's last step.
    fn take(&mut self, simulation: &Simulation) {
        let world = simulation.world();
        let bodies = &world.bodies;
        let step = simulation.last_step_size();
        if step == 0.0 {
            return;
        }
        let moments = world.laws.rows(world.dimension.count()) == 6;
        let bonds = world.laws.bonds().next().is_some();
        let shown = |c: &ContactImpulse| c.impulse != DVec3::ZERO || c.law.bond.is_some();
        for contact in simulation.contacts().filter(shown) {
            if bonds {
                let bonded = contact.law.bond.is_some();
                self.bonded.push(i64::from(bonded));
            }
            self.point.push(contact.point);
            self.normal.push(contact.normal);
            self.force.push(contact.impulse / step);
            if moments {
                self.moment.push(contact.moment / step);
            }
            self.gap.push(contact.gap);
            self.body_a.push(i64::from(bodies.id[contact.a as usize]));
            self.body_b.push(match contact.partner {
                Partner::Body(b) => i64::from(bodies.id[b as usize]),
                Partner::Wall(wall) => -1 - i64::from(wall),
            });
        }
    }
}
