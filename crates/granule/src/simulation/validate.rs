//! Whether a world, or a snapshot of one, can be simulated at all.
//!
//! Bodies that overlap at the start are allowed: the schemes take overlaps out.

use super::{SetupError, Snapshot, World};
use crate::bodies::{Bodies, BodyShape, Dimension, Kinematics, Motion, Wall};
use crate::collision::{ContactKey, LawMemory, Partner, Patches, RememberedContact};
use crate::joints::{Effect, Joint};
use crate::math::{DQuat, DVec3};
use std::fmt;

/// Numbers beyond it overflow once they are squared and multiplied.
const LARGEST: f64 = 1e60;

/// Radii and masses below it vanish once they are squared.
const SMALLEST: f64 = 1e-150;

/// Of a vector's length: what is smaller is rounding.
const ROUNDING: f64 = 1e-9;

/// Most steps that a number of steps can count exactly in a time, 2⁵³.
const MOST_STEPS: u64 = 1 << 53;

/// What of a world or a snapshot cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Item {
    /// The world as a whole: gravity, time, number of steps.
    World,
    /// The arrays of bodies.
    Bodies,
    /// The body with this id.
    Body(u32),
    /// The wall with this number, from 0.
    Wall(usize),
    /// The force with this number, from 0.
    Force(usize),
    /// The field of force with this number, from 0.
    Field(usize),
    /// The bond of the start with this number, from 0.
    Bond(usize),
    /// The joint with this number, from 0.
    Joint(usize),
    /// The inlet with this number, from 0.
    Inlet(usize),
    /// The outlet with this number, from 0.
    Outlet(usize),
    /// The periodic cell.
    Cell,
    /// The contact of a snapshot with this number, from 0.
    Contact(usize),
    /// What else a snapshot remembers of the last step.
    LastStep,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World => write!(f, "the world"),
            Self::Bodies => write!(f, "the bodies"),
            Self::Body(id) => write!(f, "body {id}"),
            Self::Wall(number) => write!(f, "wall {number}"),
            Self::Force(number) => write!(f, "force {number}"),
            Self::Field(number) => write!(f, "field {number}"),
            Self::Bond(number) => write!(f, "bond {number}"),
            Self::Joint(number) => write!(f, "joint {number}"),
            Self::Inlet(number) => write!(f, "inlet {number}"),
            Self::Outlet(number) => write!(f, "outlet {number}"),
            Self::Cell => write!(f, "the periodic cell"),
            Self::Contact(number) => write!(f, "contact {number} of the snapshot"),
            Self::LastStep => write!(f, "the last step of the snapshot"),
        }
    }
}

/// What is wrong and how to mend it.
type Check = Result<(), String>;

fn of(item: Item) -> impl Fn(String) -> SetupError {
    move |reason| SetupError::World { item, reason }
}

fn usable(name: &str, value: f64) -> Check {
    if value.abs() <= LARGEST {
        return Ok(());
    }
    Err(format!(
        "{name} must be a finite number of at most {LARGEST:e}, not {value}"
    ))
}

fn usable_vector(name: &str, value: DVec3) -> Check {
    value
        .to_array()
        .into_iter()
        .try_for_each(|x| usable(name, x))
}

fn positive(name: &str, unit: &str, value: f64) -> Check {
    usable(name, value)?;
    if value >= SMALLEST {
        return Ok(());
    }
    Err(format!(
        "{name} must be positive ({unit}, at least {SMALLEST:e}), not {value}"
    ))
}

fn unit_quaternion(value: DQuat) -> Check {
    if value.is_normalized() {
        return Ok(());
    }
    Err(format!(
        "the orientation must be a quaternion of length 1, not {value}; normalise it"
    ))
}

/// The axes that bodies may move along and turn about: 1 where they may, 0 where they may not.
fn free_axes(dimension: Dimension) -> (DVec3, DVec3) {
    match dimension {
        Dimension::Line => (DVec3::X, DVec3::ZERO),
        Dimension::Plane => (DVec3::new(1.0, 1.0, 0.0), DVec3::Z),
        Dimension::Space => (DVec3::ONE, DVec3::ONE),
    }
}

/// Whether a vector lies in the span of the free axes, up to rounding.
fn lies_in(free: DVec3, value: DVec3) -> bool {
    (value - value * free).length() <= ROUNDING * value.length()
}

impl World {
    /// Whether the world can be simulated: all numbers are usable, the arrays of bodies belong
    /// together, and planar bodies are in one plane and stay there. Says what is wrong otherwise.
    ///
    /// ```
    /// use granule::bodies::{Dimension, Sphere};
    /// use granule::math::DVec3;
    /// use granule::simulation::World;
    /// let mut world = World::new(Dimension::Space);
    /// world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 1.0));
    /// assert!(world.validate().is_ok());
    /// world.add_sphere(&Sphere::new(DVec3::X, -0.1, 1.0));
    /// let error = world.validate().unwrap_err().to_string();
    /// assert!(error.starts_with("body 1: the radius must be positive"), "{error}");
    /// ```
    pub fn validate(&self) -> Result<(), SetupError> {
        self.check_general().map_err(of(Item::World))?;
        for (number, solid) in self.bodies.solids.iter().enumerate() {
            let named = |reason| format!("shape {number}: {reason}");
            (solid.validate().map_err(named)).map_err(of(Item::Bodies))?;
        }
        check_arrays(&self.bodies).map_err(of(Item::Bodies))?;
        for place in 0..self.bodies.len() {
            let item = Item::Body(self.bodies.id[place]);
            self.check_body(place).map_err(of(item))?;
        }
        for (number, wall) in self.walls.iter().enumerate() {
            check_wall(wall)
                .and_then(|()| self.check_carrier(wall))
                .and_then(|()| self.check_touchable(wall))
                .map_err(of(Item::Wall(number)))?;
        }
        for (number, force) in self.forces.iter().enumerate() {
            usable_vector("the direction", force.direction)
                .and_then(|()| force.magnitude.validate())
                .map_err(of(Item::Force(number)))?;
        }
        for (number, field) in self.fields.iter().enumerate() {
            (field.field.validate()).map_err(of(Item::Field(number)))?;
        }
        for (number, joint) in self.joints.iter().enumerate() {
            (joint.validate(self.dimension))
                .and_then(|()| self.check_ends(joint))
                .map_err(of(Item::Joint(number)))?;
        }
        self.check_exchange()?;
        self.check_cell().map_err(of(Item::Cell))
    }

    fn check_exchange(&self) -> Result<(), SetupError> {
        let (solids, dimension) = (self.bodies.solids.len(), self.dimension.count());
        let inlets = self.inlets.iter().enumerate();
        let inlets = inlets.map(|(k, inlet)| (Item::Inlet(k), inlet.flaw(solids, dimension)));
        let outlets = self.outlets.iter().enumerate();
        let outlets = outlets.map(|(k, outlet)| (Item::Outlet(k), outlet.flaw(dimension)));
        let mut flaws = inlets.chain(outlets);
        let first = flaws.find_map(|(item, flaw)| Some(of(item)(flaw?)));
        first.map_or(Ok(()), Err)
    }

    /// The bodies of a joint are there, and one of them can move.
    fn check_ends(&self, joint: &Joint) -> Check {
        let mut moves = false;
        for id in joint.bodies.iter().flatten() {
            let Some(place) = self.bodies.place_of(*id) else {
                return Err(format!("body {id} is not there"));
            };
            moves |= self.bodies.is_dynamic(place);
        }
        for drive in &joint.drives {
            if let Effect::Force { spans, .. } = &drive.effect {
                let walls = self.walls.len();
                if let Some(number) = spans.iter().flatten().find(|n| **n as usize >= walls) {
                    return Err(format!(
                        "it spans to wall {number} where there are {walls}, counted from 0"
                    ));
                }
            }
        }
        if moves {
            return Ok(());
        }
        Err("neither of its bodies moves freely, so that it can hold nothing".to_owned())
    }

    fn check_general(&self) -> Check {
        usable_vector("gravity (m/s²)", self.gravity)?;
        usable("the time (s)", self.time)?;
        if self.time < 0.0 {
            return Err(format!(
                "the time must not be negative, but is {} s",
                self.time
            ));
        }
        if self.steps > MOST_STEPS {
            return Err(format!("{} steps cannot have been taken", self.steps));
        }
        Ok(())
    }

    fn check_body(&self, place: usize) -> Check {
        let bodies = &self.bodies;
        usable_vector("the position (m)", bodies.position[place])?;
        usable_vector("the velocity (m/s)", bodies.velocity[place])?;
        let spin = bodies.angular_velocity[place];
        usable_vector("the angular velocity (rad/s)", spin)?;
        unit_quaternion(bodies.orientation[place])?;
        let radius = bodies.radius[place];
        if !bodies.is_sphere(place) {
            self.check_shape(place)?;
        } else if self.dimension != Dimension::Line {
            positive("the radius", "m", radius)?;
        } else if radius != 0.0 {
            positive("the radius", "m, or zero for a point", radius)?;
        }
        if bodies.is_dynamic(place) {
            positive("the mass", "kg", bodies.mass[place])?;
            self.check_inertia(place)?;
        } else {
            let motion = &bodies.kinematics[bodies.prescribed[place] as usize];
            check_kinematics(motion)?;
            check_motion_stays(self.dimension, &motion.motion)?;
        }
        self.check_in_plane(place)
    }

    /// A body that is no sphere moves in a plane or in space, and its radius is that of a sphere around its shape.
    fn check_shape(&self, place: usize) -> Check {
        if self.dimension == Dimension::Line {
            return Err("on a line bodies are spheres or points".to_owned());
        }
        let radius = self.bodies.radius[place];
        let BodyShape::Solid(number) = self.bodies.shape[place] else {
            if radius != 0.0 {
                return Err(format!(
                    "it is no sphere, but has the radius {radius} m; add it by `World::add_body`"
                ));
            }
            return Ok(());
        };
        let Some(solid) = self.bodies.solid(place) else {
            let shapes = self.bodies.solids.len();
            return Err(format!("it has shape {number}, but there are {shapes}"));
        };
        let reach = match self.dimension {
            Dimension::Line | Dimension::Space => solid.bounding_radius(),
            Dimension::Plane => solid.planar_radius(),
        };
        if radius.is_finite() && radius >= reach * (1.0 - ROUNDING) {
            return Ok(());
        }
        Err(format!(
            "its radius is {radius} m, but its shape reaches {reach} m from its centre; add it by `World::add_solid`"
        ))
    }

    /// A wall on a body is fixed there, and the body is in the world.
    fn check_carrier(&self, wall: &Wall) -> Check {
        let Some(id) = wall.carrier else {
            return Ok(());
        };
        let Some(place) = self.bodies.place_of(id) else {
            return Err(format!("its carrier, body {id}, is not there"));
        };
        if self.bodies.shape[place] != BodyShape::Walls {
            return Err(format!(
                "its carrier, body {id}, has a shape of its own; walls stand on bodies added by `World::add_body`"
            ));
        }
        if wall.kinematics.motion != Motion::Fixed {
            return Err(format!(
                "it moves on its carrier, body {id}; let the body move instead"
            ));
        }
        Ok(())
    }

    /// Solids touch walls as triangles.
    fn check_touchable(&self, wall: &Wall) -> Check {
        if self.bodies.solids.is_empty() {
            return Ok(());
        }
        match wall.patches.iter().find_map(|patch| patch.mesh()?.err()) {
            None => Ok(()),
            Some(error) => Err(format!(
                "bodies that are no spheres cannot touch it: {error}"
            )),
        }
    }

    /// Moments of inertia matter where bodies turn.
    fn check_inertia(&self, place: usize) -> Check {
        let (_, turns) = free_axes(self.dimension);
        if self.lock_rotation || turns == DVec3::ZERO {
            return Ok(());
        }
        let inertia = self.bodies.inertia[place];
        usable_vector("the inertia (kg m²)", inertia)?;
        let moments = inertia.to_array();
        if moments
            .iter()
            .all(|moment| moment.is_normal() && *moment > 0.0)
        {
            return Ok(());
        }
        Err(format!(
            "the inertia must be positive (kg m²) about each axis, not {inertia}; a solid sphere has \
             2/5 m r², or set `lock_rotation`"
        ))
    }

    /// In a plane all bodies stand there; of velocities, what leads out of it has no effect.
    fn check_in_plane(&self, place: usize) -> Check {
        let (position, first) = (self.bodies.position[place], self.bodies.position[0]);
        let scale = first.length() + self.bodies.radius[place];
        if self.dimension != Dimension::Plane || (position.z - first.z).abs() <= ROUNDING * scale {
            return Ok(());
        }
        Err(format!(
            "z is {} m where body {} has {} m; in a plane all bodies have the same",
            position.z, self.bodies.id[0], first.z
        ))
    }
}

fn check_arrays(bodies: &Bodies) -> Check {
    let count = bodies.len();
    let lengths = [
        ("id", bodies.id.len()),
        ("kind", bodies.kind.len()),
        ("shape", bodies.shape.len()),
        ("orientation", bodies.orientation.len()),
        ("velocity", bodies.velocity.len()),
        ("angular_velocity", bodies.angular_velocity.len()),
        ("radius", bodies.radius.len()),
        ("mass", bodies.mass.len()),
        ("inertia", bodies.inertia.len()),
        ("material", bodies.material.len()),
        ("crossed", bodies.crossed.len()),
        ("prescribed", bodies.prescribed.len()),
    ];
    if let Some((name, length)) = lengths.into_iter().find(|(_, length)| *length != count) {
        return Err(format!(
            "`{name}` has {length} entries and `position` {count}; add bodies by `World::add_sphere`"
        ));
    }
    let mut ids = bodies.id.clone();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("the id {} is there twice", twice[0]));
    }
    if let Some(last) = ids.last().filter(|last| **last >= bodies.next_id) {
        return Err(format!(
            "the id {last} is beyond `next_id`, which is {}",
            bodies.next_id
        ));
    }
    let motions = bodies.kinematics.len();
    let lost = |i: &usize| !bodies.is_dynamic(*i) && bodies.prescribed[*i] as usize >= motions;
    match (0..count).find(lost) {
        None => Ok(()),
        Some(i) => Err(format!(
            "body {} has the prescribed motion {}, but there are {motions}",
            bodies.id[i], bodies.prescribed[i]
        )),
    }
}

fn check_kinematics(kinematics: &Kinematics) -> Check {
    usable_vector("the position at time zero (m)", kinematics.start_position)?;
    unit_quaternion(kinematics.start_orientation)?;
    let invalid = |reason| format!("the motion is not usable: {reason}");
    kinematics.motion.validate().map_err(invalid)
}

/// A prescribed motion of a body keeps it on the line or in the plane.
fn check_motion_stays(dimension: Dimension, motion: &Motion) -> Check {
    let (moves, turns) = free_axes(dimension);
    let along = |v: &[f64; 3]| lies_in(moves, DVec3::from_array(*v));
    let stays = match motion {
        Motion::Fixed => true,
        Motion::Velocity { linear } => along(linear),
        Motion::Rotation { axis, .. } => lies_in(turns, DVec3::from_array(*axis)),
        Motion::Oscillation { amplitude, .. } => along(amplitude),
        Motion::Piecewise { velocities, .. } => velocities.iter().all(along),
    };
    if stays {
        return Ok(());
    }
    Err("the prescribed motion leaves the line or plane of motion".to_owned())
}

fn check_wall(wall: &Wall) -> Check {
    check_kinematics(&wall.kinematics)?;
    usable_vector("the velocity of the surface (m/s)", wall.surface_velocity)?;
    wall.surface.validate()?;
    if wall.patches != wall.surface.patches() {
        return Err(
            "the patches are not those of the surface; make the wall by `Wall::new`".to_owned(),
        );
    }
    Ok(())
}

/// What a law remembers is usable, and only round contacts are bonded.
fn check_law(key: ContactKey, law: &LawMemory) -> Check {
    usable_vector("the spring (m)", law.elastic.linear)?;
    usable_vector("the wound spring (m)", law.elastic.angular)?;
    usable("the plastic displacement (m)", law.plastic)?;
    let Some(bond) = law.bond else {
        return Ok(());
    };
    if key.is_manifold() {
        return Err("is bonded, but not round: bonds join spheres".to_owned());
    }
    for anchor in bond.anchors.iter().flatten() {
        usable_vector("the anchor of a bond (m)", *anchor)?;
    }
    bond.rest.map_or(Ok(()), unit_quaternion)?;
    for (name, value) in [
        ("how far a bond has opened (m)", bond.opened),
        ("how far a bond has slipped (m)", bond.slipped),
        ("how far a bond has turned (rad)", bond.turned),
    ] {
        usable(name, value)?;
    }
    Ok(())
}

impl Snapshot {
    /// Whether the snapshot can be gone on from: its world can be simulated, and what it remembers
    /// belongs to that world.
    pub(super) fn validate(&self, patches: &Patches) -> Result<(), SetupError> {
        for (name, value) in [
            ("its length (s)", self.last_step),
            ("the penetration that it allowed (m)", self.allowed),
        ] {
            let whole = usable(name, value).and_then(|()| {
                let negative = format!("{name} must not be negative, but is {value}");
                if value < 0.0 { Err(negative) } else { Ok(()) }
            });
            whole.map_err(of(Item::LastStep))?;
        }
        for (number, contact) in self.contacts.iter().enumerate() {
            self.check_contact(contact, patches)
                .map_err(of(Item::Contact(number)))?;
        }
        if !self.joints.is_empty() && self.joints.len() != self.world.joints.len() {
            let reason = "it remembers some joints alone; there is a state for each, or none";
            return Err(of(Item::LastStep)(reason.to_owned()));
        }
        for state in &self.joints {
            let numbers = state.impulses.iter().chain([&state.turn]);
            let check = numbers
                .copied()
                .try_for_each(|x| usable("what a joint remembers", x));
            check.map_err(of(Item::LastStep))?;
        }
        if !self.loads.is_empty() && self.loads.len() != self.world.bodies.len() {
            let reason = "there are loads on some bodies alone; there is one for each, or none";
            return Err(of(Item::LastStep)(reason.to_owned()));
        }
        for load in &self.loads {
            usable_vector("a force (N)", load.force)
                .and_then(|()| usable_vector("a torque (N m)", load.torque))
                .map_err(of(Item::LastStep))?;
        }
        let order = self.contacts.windows(2);
        match order
            .map(|w| (w[0].key, w[1].key))
            .position(|(a, b)| a >= b)
        {
            None => Ok(()),
            Some(number) => Err(of(Item::Contact(number + 1))(
                "is out of order: contacts are sorted by their bodies, each there once".to_owned(),
            )),
        }
    }

    fn check_contact(&self, contact: &RememberedContact, patches: &Patches) -> Check {
        let bodies = self.world.bodies.len();
        let (key, memory) = (contact.key, &contact.memory);
        let in_order = match key.partner {
            Partner::Body(b) => {
                let feature = key.is_manifold() || key.feature == 0;
                key.a < b && (b as usize) < bodies && feature
            }
            Partner::Wall(wall) if key.is_manifold() => (wall as usize) < self.world.walls.len(),
            Partner::Wall(wall) => patches.number(wall, key.feature).is_some(),
        };
        if key.a as usize >= bodies || !in_order {
            return Err("names a body or a piece of a wall that is not there".to_owned());
        }
        usable("the gap (m)", memory.gap)?;
        usable("the length of its moment (m)", memory.length)?;
        usable_vector("the point (m)", memory.point)?;
        usable_vector("the impulse (N s)", memory.impulse.linear)?;
        usable_vector("the moment (N s)", memory.impulse.angular)?;
        check_law(key, &memory.law)?;
        if memory.normal.is_normalized() {
            return Ok(());
        }
        Err(format!(
            "the normal must have length 1, not {}",
            memory.normal
        ))
    }
}
