//! The stages before the solve: free motion, candidates for contact, the problem.

use super::snapshot::ContactImpulse;
use super::step::Workspace;
use super::{Simulation, World};
use crate::bodies::Dimension;
use crate::collision::{Contact, Partner, Patches, Scope, spatial_order};
use crate::law::Opening;
use crate::math::DVec3;
use crate::scheme::{Dynamics, Level, Offset, Prediction, Scenery, assemble};

/// Of a radius: lengths below it are rounding of positions.
const ROUNDING: f64 = 1e-12;

/// Of the smallest radius: overlaps that velocity constraints leave and that are not recovered, so
/// that contacts at rest stay closed.
const REST_DEPTH: f64 = 1e-4;

/// The order that bodies had before they were sorted.
pub(super) struct Order {
    /// Where the body went that was at each place.
    place_of: Vec<u32>,
    /// The remembered contacts as they were.
    contacts: Vec<ContactImpulse>,
}

impl Simulation {
    /// The overlap (m) from which on positions are recovered: more than what the last certificate
    /// allowed.
    pub(super) fn tolerated_depth(&self) -> f64 {
        let share = match self.scheme.level() {
            Level::Position => ROUNDING,
            Level::Velocity => REST_DEPTH,
        };
        self.allowed + share * self.smallest_radius.min(f64::MAX)
    }

    /// Puts the bodies into spatial order, and the remembered contacts with them. Gives what undoes it.
    pub(super) fn sort_bodies(&mut self) -> Option<Order> {
        let bodies = &mut self.world.bodies;
        let order = spatial_order(&bodies.position, &bodies.id);
        if order
            .iter()
            .enumerate()
            .all(|(place, &from)| place as u32 == from)
        {
            return None;
        }
        bodies.reorder(&order);
        let mut place_of = vec![0; order.len()];
        for (place, &from) in order.iter().enumerate() {
            place_of[from as usize] = place as u32;
        }
        let contacts = self.previous.clone();
        for contact in &mut self.previous {
            contact.a = place_of[contact.a as usize];
            if let Partner::Body(b) = contact.partner {
                let b = place_of[b as usize];
                contact.partner = Partner::Body(b.max(contact.a));
                if b < contact.a {
                    contact.a = b;
                    // On the surface of the other body, which is `a` from now on.
                    contact.point -= contact.gap * contact.normal;
                    contact.normal = -contact.normal;
                    contact.impulse = -contact.impulse;
                }
            }
        }
        self.previous.sort_unstable_by_key(ContactImpulse::key);
        self.work.neighbours.invalidate();
        Some(Order { place_of, contacts })
    }

    /// Puts bodies and remembered contacts back into the order they had.
    pub(super) fn restore_order(&mut self, order: Order) {
        self.world.bodies.reorder(&order.place_of);
        self.previous = order.contacts;
        self.work.neighbours.invalidate();
    }

    /// What moves the bodies besides contacts.
    pub(super) fn dynamics(&self) -> Dynamics<'_> {
        Dynamics {
            dimension: self.world.dimension,
            lock_rotation: self.world.lock_rotation,
            gravity: self.world.gravity,
            forces: &self.world.forces,
        }
    }

    pub(super) fn predict(&mut self, time: f64, step: f64) {
        let mut prediction = std::mem::take(&mut self.work.prediction);
        let (bodies, dynamics) = (&self.world.bodies, self.dynamics());
        self.scheme
            .predict(bodies, &dynamics, time, step, &mut prediction);
        self.work.patches.place(&self.world.walls, prediction.look);
        self.work.prediction = prediction;
    }

    /// How far the laws act beyond what touches: `None` where gaps do not matter, too.
    fn opening(&self) -> Option<Opening> {
        let flat = self.world.dimension == Dimension::Line;
        let gaps = self.scheme.level() == Level::Position && !flat;
        gaps.then(|| self.world.laws.opening()).flatten()
    }

    /// How far bodies may go in the step, for the choice of candidates: as far as they would without
    /// contacts and a hundredth of their radius more, but no farther than their radius (large steps
    /// add what they need after the solve). Under a law that acts beyond what touches, that counts as
    /// going. Where velocities are constrained only contacts that are closed take part, up to
    /// rounding.
    pub(super) fn allow(&mut self, step: f64) {
        let bodies = &self.world.bodies;
        if self.scheme.level() == Level::Velocity {
            let closed = bodies.radius.iter().map(|r| ROUNDING * r);
            self.work.allowance.clear();
            self.work.allowance.extend(closed);
            self.work.reach.clone_from(&self.work.allowance);
            return;
        }
        let floor = 0.5 * self.settings.candidate_distance.unwrap_or(0.0);
        let opening = self.opening();
        let Prediction {
            linear, angular, ..
        } = &self.work.prediction;
        let velocities = linear.iter().zip(angular);
        self.work.allowance.clear();
        self.work
            .allowance
            .extend(velocities.zip(&bodies.radius).map(|((v, spin), r)| {
                let speed = opening.map_or_else(|| v.length(), |o| o.speed(*v, *spin, *r));
                let free = 1.1 * step * speed;
                (free.min(r.max(f64::MIN_POSITIVE)) + 0.01 * r).max(floor)
            }));
        self.work.reach.clone_from(&self.work.allowance);
    }

    /// How far any point of a wall that bodies can touch may go in the step, m, and how far the law acts
    /// from there.
    pub(super) fn wall_allowance(&self) -> f64 {
        let opening = self.opening();
        let Prediction {
            time, look, rest, ..
        } = self.work.prediction;
        let floor = 0.5 * self.settings.candidate_distance.unwrap_or(0.0);
        let farthest = |origin: DVec3| {
            let away = |p: &DVec3| p.distance(origin);
            let positions = self.work.prediction.position.iter();
            positions.map(away).fold(0.0, f64::max)
        };
        let moved = self
            .world
            .walls
            .iter()
            .filter(|wall| wall.kinematics.motion != crate::bodies::Motion::Fixed)
            .map(|wall| {
                let kinematics = &wall.kinematics;
                let reaches = wall
                    .patches
                    .iter()
                    .map(|patch| match patch.bounding_sphere() {
                        Some((center, radius)) => center.length() + radius,
                        None => farthest(kinematics.pose(look).0),
                    });
                let reach = reaches.fold(0.0, f64::max);
                let speed = kinematics.speed_bound(look, rest, reach);
                let spin = kinematics.motion.angular_velocity().length();
                let after = rest * opening.map_or(speed, |o| o.of_speeds(speed, spin, 0.0));
                let before = look - time;
                if before > 0.0 {
                    after + before * kinematics.speed_bound(time, before, reach)
                } else {
                    after
                }
            })
            .fold(0.0, f64::max);
        moved.max(floor)
    }

    pub(super) fn detect(&mut self) {
        let wall_allowance = self.wall_allowance();
        let Workspace {
            patches,
            neighbours,
            detection,
            allowance,
            reach,
            forced,
            contacts,
            prediction,
            ..
        } = &mut self.work;
        let bodies = &self.world.bodies;
        let positions = &prediction.position;
        let dimension = self.world.dimension;
        neighbours.update(bodies, positions, dimension, patches, reach, wall_allowance);
        let walls_near = match self.scheme.level() {
            Level::Position => wall_allowance,
            Level::Velocity => 0.0,
        };
        Scope {
            bodies,
            positions,
            patches,
            dimension,
            keys: &neighbours.keys,
        }
        .find_contacts(allowance, walls_near, forced, detection, contacts);
    }

    /// Looks for contacts that were left out and would overlap by more than `slack` (m), or that the law
    /// keeps farther apart than they would be; adds them to those that must be kept. Only gaps that are
    /// constrained can be missed.
    pub(super) fn find_missed(&mut self, step: f64, slack: f64) -> bool {
        if self.scheme.level() == Level::Velocity {
            return false;
        }
        let (opening, wall_allowance) = (self.opening(), self.wall_allowance());
        let (world, work) = (&self.world, &mut self.work);
        let bodies = &world.bodies;
        let (linear, angular) = (&work.linear, &work.angular);
        let displacement = &work.displacement;
        // How far the law reaches with a body, m.
        let law = |o: Opening, i: usize| step * o.speed(linear[i], angular[i], bodies.radius[i]);
        let allowance = &work.allowance;
        work.farther.clear();
        work.farther.extend((0..bodies.len()).map(|i| {
            displacement[i].length_squared() > allowance[i] * allowance[i]
                || opening.is_some_and(|o| law(o, i) > allowance[i])
        }));
        if !work.farther.contains(&true) {
            return false;
        }
        for (i, reach) in work.reach.iter_mut().enumerate() {
            let way = opening.map_or(0.0, |o| law(o, i));
            *reach = reach.max(displacement[i].length()).max(way);
        }
        work.neighbours.update(
            bodies,
            &work.prediction.position,
            world.dimension,
            &work.patches,
            &work.reach,
            wall_allowance,
        );
        work.missed.clear();
        let (patches, prediction) = (&work.patches, &work.prediction);
        let scenery = scenery(world, patches);
        let slack = slack + ROUNDING * self.smallest_radius.min(f64::MAX);
        let is_missed = |contact: &Contact| {
            let other = match contact.partner {
                Partner::Body(b) => displacement[b as usize],
                Partner::Patch(_) => step * scenery.wall_motion(contact, prediction).0,
            };
            let apart = displacement[contact.a as usize] - other;
            let velocities = (&linear[..], &angular[..]);
            contact.gap + contact.normal.dot(apart) < -slack
                || opening.is_some()
                    && scenery.convex_margin(contact, prediction, velocities) < -slack
        };
        Scope {
            bodies,
            positions: &prediction.position,
            patches,
            dimension: world.dimension,
            keys: &work.neighbours.keys,
        }
        .missed_contacts(&work.contacts, &work.farther, is_missed, &mut work.missed);
        if work.missed.is_empty() {
            return false;
        }
        work.forced.extend_from_slice(&work.missed);
        work.forced.sort_unstable();
        true
    }

    pub(super) fn assemble(&mut self) {
        let allowed = self.tolerated_depth();
        let (scheme, work) = (&self.scheme, &mut self.work);
        let step = work.prediction.step;
        assemble(
            &scenery(&self.world, &work.patches),
            &work.contacts,
            &work.prediction,
            Offset {
                of_gap: |gap| scheme.offset(gap, step, allowed),
                slip_opens: scheme.slip_opens(),
            },
            &mut work.problem,
        );
    }
}

/// The world as the assembly sees it.
pub(super) fn scenery<'a>(world: &'a World, patches: &'a Patches) -> Scenery<'a> {
    Scenery {
        dimension: world.dimension,
        lock_rotation: world.lock_rotation,
        bodies: &world.bodies,
        walls: &world.walls,
        patches,
        laws: &world.laws,
    }
}
