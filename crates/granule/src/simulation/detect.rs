//! Which contacts take part in the step.

use super::predict::ROUNDING;
use super::step::Workspace;
use super::{Simulation, World};
use crate::bodies::{Cell, Lattice};
use crate::collision::{Allowance, Contact, Geometry, Partner, Patches};
use crate::joints::Kind;
use crate::math::{DQuat, DVec3};
use crate::scheme::{JointPlace, Level, Prediction, Surroundings};

impl World {
    /// The pose of a wall at a time (s), with the poses of bodies that `of` gives and the place of its
    /// carrier.
    fn wall_pose(
        &self,
        wall: usize,
        carrier: Option<u32>,
        time: f64,
        of: impl Fn(usize) -> (DVec3, DQuat),
    ) -> (DVec3, DQuat) {
        let (position, orientation) = self.walls[wall].kinematics.pose(time);
        match carrier {
            None => (position, orientation),
            Some(place) => {
                let (center, turn) = of(place as usize);
                (center + turn * position, turn * orientation)
            }
        }
    }
}

/// The world with its bodies at `positions` (m), turned as `orientations` say, and its walls where they were put
/// last.
pub(super) fn geometry<'a>(
    world: &'a World,
    (patches, places): (&'a Patches, &'a Places),
    poses: Poses<'a>,
) -> Geometry<'a> {
    Geometry {
        bodies: &world.bodies,
        positions: poses.positions,
        orientations: poses.orientations,
        walls: &world.walls,
        patches,
        dimension: world.dimension,
        carriers: &places.carriers,
        apart: &places.apart,
        lattice: poses.lattice,
    }
}

/// Where all bodies are, at one time.
#[derive(Clone, Copy)]
pub(super) struct Poses<'a> {
    /// m.
    positions: &'a [DVec3],
    orientations: &'a [DQuat],
    /// The periodic cell then.
    lattice: Option<Lattice>,
}

impl<'a> Poses<'a> {
    /// Now.
    pub(super) fn now(world: &'a World) -> Self {
        Self {
            positions: &world.bodies.position,
            orientations: &world.bodies.orientation,
            lattice: world.cell.as_ref().map(Cell::lattice),
        }
    }

    /// Where contacts are looked for.
    pub(super) fn predicted(prediction: &'a Prediction) -> Self {
        Self {
            positions: &prediction.position,
            orientations: &prediction.orientation,
            lattice: prediction.lattice,
        }
    }
}

/// The world as the assembly sees it.
pub(super) fn surroundings<'a>(
    world: &'a World,
    patches: &'a Patches,
    places: &'a Places,
) -> Surroundings<'a> {
    Surroundings {
        dimension: world.dimension,
        lock_rotation: world.lock_rotation,
        bodies: &world.bodies,
        walls: &world.walls,
        patches,
        carriers: &places.carriers,
        laws: &world.laws,
        joints: &world.joints,
        joint_places: &places.joints,
        pressed: world.pressed_faces(),
    }
}

/// Where walls and joints are among the bodies, as long as these keep their places.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// The place of the body that carries each wall, if one does.
    pub(super) carriers: Vec<Option<u32>>,
    /// The bodies of each joint.
    pub(super) joints: Vec<JointPlace>,
    /// Bodies that do not touch each other, the lower place first, sorted.
    pub(super) apart: Vec<[u32; 2]>,
    /// Whether joints close a loop, so that some of what they hold may follow from the rest.
    pub(super) loops: bool,
}

impl Places {
    /// Finds the places, after bodies have changed theirs.
    pub(super) fn find(&mut self, world: &World) {
        self.carriers.clear();
        self.carriers.extend(world.walls.iter().map(|wall| {
            let place = wall.carrier.and_then(|id| world.bodies.place_of(id));
            place.map(|place| place as u32)
        }));
        self.joints.clear();
        let joints = world.joints.iter();
        self.joints
            .extend(joints.map(|joint| JointPlace::new(joint, &world.bodies)));
        self.apart.clear();
        for (joint, place) in world.joints.iter().zip(&self.joints) {
            let [a, b] = place.bodies;
            if !joint.collide {
                self.apart.push([a.min(b), a.max(b)]);
            }
        }
        self.apart.sort_unstable();
        self.loops = self.have_loop(world);
    }

    /// Whether joints close a loop; all that moves as prescribed is one with the ground.
    fn have_loop(&self, world: &World) -> bool {
        let ground = world.bodies.len();
        let mut towards: Vec<usize> = Vec::new();
        if !self.joints.is_empty() {
            towards.extend(0..=ground);
        }
        let holding = world.joints.iter().zip(&self.joints);
        let mut holding = holding.filter(|(joint, _)| !matches!(joint.kind, Kind::Link));
        holding.any(|(_, place)| {
            let [a, b] = place.bodies.map(|place| {
                let mut at = place as usize;
                if at < ground && !world.bodies.is_dynamic(at) {
                    at = ground;
                }
                while towards[at] != at {
                    towards[at] = towards[towards[at]];
                    at = towards[at];
                }
                at
            });
            towards[a] = b;
            a == b
        })
    }
}

/// Puts the walls where a prediction looks for contacts.
pub(super) fn place_walls(
    world: &World,
    carriers: &[Option<u32>],
    prediction: &Prediction,
    patches: &mut Patches,
) {
    let time = prediction.contact_time;
    let of = |i: usize| (prediction.position[i], prediction.orientation[i]);
    let walls = carriers.iter().enumerate();
    patches.place(walls.map(|(wall, carrier)| world.wall_pose(wall, *carrier, time, of)));
}

impl Workspace {
    /// Puts the walls where the world is now.
    pub(super) fn place_walls_now(&mut self, world: &World) {
        let bodies = &world.bodies;
        let of = |i: usize| (bodies.position[i], bodies.orientation[i]);
        let walls = self.places.carriers.iter().enumerate();
        self.patches
            .place(walls.map(|(wall, carrier)| world.wall_pose(wall, *carrier, world.time, of)));
    }

    /// Makes the list of neighbours hold all pairs within reach, with the bodies in these poses.
    pub(super) fn update_neighbours(&mut self, world: &World, poses: Poses) {
        let Self {
            patches,
            places,
            neighbours,
            reach,
            wall_allowance,
            image_allowance,
            ..
        } = self;
        let geometry = geometry(world, (patches, places), poses);
        let allowance = Allowance {
            bodies: reach,
            walls: *wall_allowance,
            images: *image_allowance,
        };
        neighbours.update(&geometry, &allowance, |a, b| world.laws.number(a, b));
    }
}

impl Simulation {
    /// Finds the candidates for contact, in the order of their pools.
    pub(super) fn detect(&mut self) {
        let (world, work) = (&self.world, &mut self.work);
        let prediction = std::mem::take(&mut work.first.prediction);
        let poses = Poses::predicted(&prediction);
        work.update_neighbours(world, poses);
        let (walls, images) = match self.scheme.level() {
            Level::Position => (work.wall_allowance, work.image_allowance),
            Level::Velocity => (0.0, 0.0),
        };
        let allowance = Allowance {
            bodies: &work.allowance,
            walls,
            images,
        };
        let contacts = &mut work.first.contacts;
        work.neighbours.find_contacts(
            &geometry(world, (&work.patches, &work.places), poses),
            &allowance,
            &work.forced,
            &mut work.detection,
            contacts,
        );
        let bonds = world.laws.bonds().next().is_some();
        if bonds {
            for contact in contacts.iter_mut() {
                let law = work.neighbours.law_memory(contact);
                let bonded = law.is_some_and(|law| law.bond.is_some());
                contact.bonded = bonded && world.laws.interface(contact.interface).bond.is_some();
            }
        }
        let carried = work.places.carriers.iter().any(Option::is_some);
        let surroundings = surroundings(world, &work.patches, &work.places);
        let pressed = surroundings.pressed.is_some();
        if bonds || carried || pressed || !world.bodies.solids.is_empty() {
            contacts.sort_by_key(|c| surroundings.is_rigid(c));
        }
        work.first.prediction = prediction;
        work.found_in = work.neighbours.builds();
    }

    /// Makes the contacts that hold take part in the step, however far apart their bodies are.
    pub(super) fn keep_held(&mut self) {
        let Workspace {
            forced, neighbours, ..
        } = &mut self.work;
        forced.clear();
        if self.world.laws.hold() {
            let held = neighbours.contacts().filter(|c| c.memory.law.holds);
            forced.extend(held.map(|c| c.key));
        }
    }

    /// Looks for contacts that were left out and would overlap by more than `slack` (m), or that the law
    /// keeps farther apart than they would be; adds them to those that must be kept. Only gaps that are
    /// constrained can be missed.
    pub(super) fn find_missed(&mut self, slack: f64) -> bool {
        if self.scheme.level() == Level::Velocity || !self.went_farther() {
            return false;
        }
        let opening = self.opening();
        let (world, work) = (&self.world, &mut self.work);
        let prediction = std::mem::take(&mut work.first.prediction);
        work.update_neighbours(world, Poses::predicted(&prediction));
        work.first.prediction = prediction;
        let slack = slack + ROUNDING * self.smallest_radius.min(f64::MAX);
        work.missed.clear();
        work.known.clear();
        work.known.extend(work.first.contacts.iter().map(|c| c.key));
        work.known.sort_unstable();
        let first = &work.first;
        let step = first.prediction.step;
        let velocities = (&first.linear[..], &first.angular[..]);
        let of = |i: usize| (first.linear[i], first.angular[i]);
        let surroundings = surroundings(world, &work.patches, &work.places);
        let displacement = &first.displacement;
        let is_missed = |contact: &Contact| {
            if surroundings.is_rigid(contact) {
                // Turning counts, and what is only moved.
                let shift = |i: usize| displacement[i] - step * first.linear[i];
                let other = match contact.key.partner {
                    Partner::Body(b) => shift(b as usize),
                    Partner::Wall(_) => DVec3::ZERO,
                };
                let start = first.prediction.contact_time;
                let motion = surroundings.relative_motion(contact, &first.prediction, start, of);
                let way = step * motion.linear + shift(contact.key.a as usize) - other;
                return contact.gap + contact.normal.dot(way) < -slack
                    || opening.is_some()
                        && surroundings.convex_margin(contact, &first.prediction, velocities)
                            < -slack;
            }
            let other = match contact.key.partner {
                Partner::Body(b) => {
                    let start = first.prediction.contact_time;
                    let image = first.prediction.image_velocity(contact.image, start);
                    displacement[b as usize] + step * image
                }
                Partner::Wall(_) => {
                    step * surroundings.wall_motion(contact, &first.prediction, of).0
                }
            };
            let apart = displacement[contact.key.a as usize] - other;
            contact.gap + contact.normal.dot(apart) < -slack
                || opening.is_some()
                    && surroundings.convex_margin(contact, &first.prediction, velocities) < -slack
        };
        let farther = |partner: Partner| match partner {
            Partner::Body(place) => work.farther[place as usize] || work.images_farther,
            Partner::Wall(_) => work.walls_farther,
        };
        work.neighbours.missed_contacts(
            &geometry(
                world,
                (&work.patches, &work.places),
                Poses::predicted(&first.prediction),
            ),
            &work.known,
            farther,
            is_missed,
            &mut work.missed,
        );
        work.forced.extend_from_slice(&work.missed);
        work.forced.sort_unstable();
        !work.missed.is_empty()
    }

    /// Finds which bodies and walls the solve made go, or the law act, farther than was allowed for, and
    /// makes the reach longer for them; tells whether there are any.
    fn went_farther(&mut self) -> bool {
        let opening = self.opening();
        let walls = self.carried_way_after();
        let mut farther = std::mem::take(&mut self.work.farther);
        let mut reach = std::mem::take(&mut self.work.reach);
        let bodies = &self.world.bodies;
        let first = &self.work.first;
        let (displacement, allowance) = (&first.displacement, &self.work.allowance);
        // How far a solid reaches when it turns, or the law with any body, m.
        let farthest = |i: usize| {
            let motion = (first.linear[i], first.angular[i]);
            let counts = opening.is_some() || !bodies.is_sphere(i);
            let way = || first.prediction.step * self.point_speed(i, motion, opening);
            if counts { way() } else { 0.0 }
        };
        farther.clear();
        farther.extend((0..bodies.len()).map(|i| {
            displacement[i].length_squared() > allowance[i] * allowance[i]
                || farthest(i) > allowance[i]
        }));
        let images = self.image_way();
        let any = farther.contains(&true)
            || walls > self.work.wall_allowance
            || images > self.work.image_allowance;
        if any {
            for (i, reach) in reach.iter_mut().enumerate() {
                *reach = reach.max(displacement[i].length()).max(farthest(i));
            }
        }
        let work = &mut self.work;
        work.reach = reach;
        work.farther = farther;
        work.images_farther = images > work.image_allowance;
        work.image_allowance = work.image_allowance.max(images);
        work.walls_farther = walls > work.wall_allowance;
        work.wall_allowance = work.wall_allowance.max(walls);
        any
    }

    /// How far any wall on a body goes at most with the velocities after the solve, m.
    pub(super) fn carried_way_after(&self) -> f64 {
        let first = &self.work.first;
        let walls = self.world.walls.iter().zip(&self.work.places.carriers);
        let ways = walls.filter_map(|(wall, carrier)| {
            let velocities = (&first.linear[..], &first.angular[..]);
            carrier.map(|place| self.carried_way(wall, place, velocities))
        });
        ways.fold(0.0, f64::max)
    }
}
