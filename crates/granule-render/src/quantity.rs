//! Numbers of bodies that colours can show.

use granule::bodies::{BodyShape, Dimension};
use granule::math::DVec3;
use granule_io::results::{BodyStates, ContactStates, RunRecord};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// What is known of a moment of a run.
#[derive(Debug, Clone, Copy)]
pub struct Shot<'a> {
    /// The bodies; images in a periodic cell have the ids of theirs.
    pub bodies: &'a BodyStates,
    /// The contacts that carry a force.
    pub contacts: &'a ContactStates,
    /// s.
    pub time: f64,
    /// What frames do not say.
    pub record: &'a RunRecord,
}

/// A number of each body.
///
/// ```
/// use granule_render::Quantity;
/// let quantity: Quantity = "velocity_z".parse()?;
/// assert_eq!(quantity.title(), "velocity z, m/s");
/// assert!("colour".parse::<Quantity>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity(Kind, Option<usize>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Speed,
    Height,
    Radius,
    Mass,
    KineticEnergy,
    Spin,
    Force,
    Pressure,
    Contacts,
    Shape,
    Position,
    Velocity,
    AngularVelocity,
    Through,
}

/// Their names and units.
const NUMBERS: [(Kind, &str, &str); 10] = [
    (Kind::Speed, "speed", "m/s"),
    (Kind::Height, "height", "m"),
    (Kind::Radius, "radius", "m"),
    (Kind::Mass, "mass", "kg"),
    (Kind::KineticEnergy, "kinetic_energy", "J"),
    (Kind::Spin, "spin", "rad/s"),
    (Kind::Force, "force", "N"),
    (Kind::Pressure, "pressure", "Pa"),
    (Kind::Contacts, "contacts", ""),
    (Kind::Shape, "shape", ""),
];
/// Those of vectors, of which `_x`, `_y` and `_z` name a component, and which alone stand for their length.
const VECTORS: [(Kind, &str, &str); 4] = [
    (Kind::Position, "position", "m"),
    (Kind::Velocity, "velocity", "m/s"),
    (Kind::AngularVelocity, "angular_velocity", "rad/s"),
    (Kind::Through, "through", "m"),
];
const AXES: [&str; 3] = ["x", "y", "z"];

impl Quantity {
    /// The length of the velocity.
    pub const SPEED: Self = Self(Kind::Speed, None);

    /// All names.
    pub fn names() -> Vec<String> {
        let numbers = NUMBERS.iter().map(|(_, name, _)| (*name).to_owned());
        let vectors = VECTORS.iter().flat_map(|(_, name, _)| {
            let components = AXES.iter().map(move |axis| format!("{name}_{axis}"));
            std::iter::once((*name).to_owned()).chain(components)
        });
        numbers.chain(vectors).collect()
    }

    fn name_and_unit(self) -> (&'static str, &'static str) {
        let mut all = NUMBERS.iter().chain(&VECTORS);
        let found = all.find(|(kind, ..)| *kind == self.0);
        found.map_or(("", ""), |(_, name, unit)| (name, unit))
    }

    /// Name and unit for people.
    pub fn title(self) -> String {
        let (name, unit) = self.name_and_unit();
        // In a plane stress is a force a length.
        let axis = self
            .1
            .map_or(String::new(), |axis| format!(" {}", AXES[axis]));
        let comma = if unit.is_empty() { "" } else { ", " };
        format!("{}{axis}{comma}{unit}", name.replace('_', " "))
    }

    /// Whether contacts must be known.
    pub fn needs_contacts(self) -> bool {
        matches!(self.0, Kind::Force | Kind::Pressure | Kind::Contacts)
    }

    /// The number of each body.
    ///
    /// `force` is the sum of the normal forces of the contacts of a body; `pressure` the mean of the normal stresses in
    /// it, `-Σ r·f / (d V)` over its contacts with d dimensions (in a plane N/m); `contacts` counts those that carry a
    /// force; `height` is along z, in a plane along y.
    pub fn values(self, shot: &Shot<'_>) -> Vec<f64> {
        let bodies = shot.bodies;
        let count = bodies.id.len();
        let part = |v: &DVec3| self.1.map_or(v.length(), |axis| v[axis]);
        let vectors = |list: &[DVec3]| list.iter().map(part).collect();
        let dimension = shot.record.dimension;
        match self.0 {
            Kind::Speed | Kind::Velocity => vectors(&bodies.velocity),
            Kind::Spin | Kind::AngularVelocity => vectors(&bodies.angular_velocity),
            Kind::Position => vectors(&bodies.position),
            Kind::Through => vectors(&bodies.through),
            Kind::Radius => bodies.radius.clone(),
            Kind::Mass => bodies.mass.clone(),
            Kind::Height => {
                let up = if dimension == Dimension::Space { 2 } else { 1 };
                bodies.position.iter().map(|p| p[up]).collect()
            }
            // Of turning nothing is known but for spheres.
            Kind::KineticEnergy => {
                let energy = |k: usize| 0.5 * bodies.mass[k] * bodies.velocity[k].length_squared();
                (0..count).map(energy).collect()
            }
            Kind::Shape => (bodies.shape.iter())
                .map(|shape| match shape {
                    BodyShape::Sphere => -1.0,
                    BodyShape::Walls => -2.0,
                    BodyShape::Solid(number) => f64::from(*number),
                })
                .collect(),
            Kind::Force | Kind::Contacts | Kind::Pressure => {
                let sums = self.sums(shot);
                let volume = |k: usize| match bodies.shape[k] {
                    BodyShape::Solid(number) => {
                        let solid = shot.record.solids.get(number as usize);
                        solid.map_or(f64::NAN, |solid| solid.volume())
                    }
                    BodyShape::Sphere => dimension.ball_volume(bodies.radius[k]),
                    BodyShape::Walls => f64::NAN,
                };
                let value = |k: usize| {
                    let sum = sums.get(&bodies.id[k]).copied().unwrap_or(0.0);
                    match self.0 {
                        Kind::Pressure => sum / (dimension.count() as f64 * volume(k)),
                        _ => sum,
                    }
                };
                (0..count).map(value).collect()
            }
        }
    }

    /// Of each body, by its id, what its contacts add up to.
    fn sums(self, shot: &Shot<'_>) -> HashMap<u32, f64> {
        let (bodies, contacts) = (shot.bodies, shot.contacts);
        let mut sums = HashMap::new();
        let mut places = HashMap::new();
        for (place, id) in bodies.id.iter().enumerate() {
            // Images come after the bodies themselves.
            places.entry(*id).or_insert(place);
        }
        for k in 0..contacts.point.len() {
            let (normal, force) = (contacts.normal[k], contacts.force[k]);
            for (body, sign) in [(contacts.body_a[k], 1.0), (contacts.body_b[k], -1.0)] {
                let Some((id, place)) = u32::try_from(body)
                    .ok()
                    .and_then(|id| Some((id, places.get(&id)?)))
                else {
                    continue;
                };
                let added = match self.0 {
                    Kind::Contacts => 1.0,
                    Kind::Force => force.dot(normal),
                    // Of a contact through a face of a periodic cell the arm is that of an image.
                    _ => -sign * arm(shot, *place, contacts.point[k], sign * normal).dot(force),
                };
                *sums.entry(id).or_insert(0.0) += added;
            }
        }
        sums
    }
}

/// From the centre of a body to a contact point (m), whose normal points to the body; the shortest one to an image.
pub(super) fn arm(shot: &Shot<'_>, place: usize, point: DVec3, inwards: DVec3) -> DVec3 {
    let (center, radius) = (shot.bodies.position[place], shot.bodies.radius[place]);
    let arm = point - center;
    match arm.length() <= 1.5 * radius {
        true => arm,
        false => -radius * inwards,
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) = self.name_and_unit();
        match self.1 {
            None => f.write_str(name),
            Some(axis) => write!(f, "{name}_{}", AXES[axis]),
        }
    }
}

impl FromStr for Quantity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = |list: &[(Kind, &str, &str)], name: &str| {
            list.iter()
                .find(|(_, known, _)| *known == name)
                .map(|(kind, ..)| *kind)
        };
        if let Some(kind) = known(&NUMBERS, text).or_else(|| known(&VECTORS, text)) {
            return Ok(Self(kind, None));
        }
        let component = text.rsplit_once('_').and_then(|(name, axis)| {
            let axis = AXES.iter().position(|known| *known == axis)?;
            Some(Self(known(&VECTORS, name)?, Some(axis)))
        });
        component.ok_or_else(|| {
            format!(
                "`{text}` is no quantity of bodies; there are {}",
                Self::names().join(", ")
            )
        })
    }
}
