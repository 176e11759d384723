//! A number for each body, for its colour.

use crate::frames::Frame;
use crate::runs::Index;
use glam::DVec3;
use granule::bodies::{BodyShape, Cell, Dimension};
use granule_io::results::ContactStates;
use std::f64::consts::PI;

/// What a body's colour can show.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// In addresses.
    pub name: &'static str,
    /// For people.
    pub label: &'static str,
    /// `-` for pure numbers, nothing for names.
    pub unit: &'static str,
    value: Value,
}

/// Where a number comes from.
#[derive(Clone, Copy)]
enum Value {
    /// The body alone.
    Own(fn(&Frame, usize) -> f64),
    /// What each of its contacts adds: the force on the body (N), and where from its centre (m) it acts.
    Sum(fn(DVec3, DVec3) -> f64),
    /// The same over its volume and the number of axes, with the sign of a pressure.
    Pressure,
    /// Its deepest overlap, m.
    Overlap,
    /// How far it is from where it was in the first frame, m.
    Way,
}

const fn quantity(
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    value: Value,
) -> Quantity {
    Quantity {
        name,
        label,
        unit,
        value,
    }
}

/// All of them.
pub const QUANTITIES: [Quantity; 18] = [
    quantity(
        "speed",
        "Speed",
        "m/s",
        Value::Own(|f, k| f.bodies.velocity[k].length()),
    ),
    quantity(
        "velocity-x",
        "Velocity along x",
        "m/s",
        Value::Own(|f, k| f.bodies.velocity[k].x),
    ),
    quantity(
        "velocity-y",
        "Velocity along y",
        "m/s",
        Value::Own(|f, k| f.bodies.velocity[k].y),
    ),
    quantity(
        "velocity-z",
        "Velocity along z",
        "m/s",
        Value::Own(|f, k| f.bodies.velocity[k].z),
    ),
    quantity(
        "spin",
        "Angular velocity",
        "rad/s",
        Value::Own(|f, k| f.bodies.angular_velocity[k].length()),
    ),
    quantity(
        "force",
        "Sum of contact forces",
        "N",
        Value::Sum(|force, _| force.length()),
    ),
    quantity("pressure", "Pressure", "Pa", Value::Pressure),
    quantity(
        "contacts",
        "Number of contacts",
        "-",
        Value::Sum(|_, _| 1.0),
    ),
    quantity("overlap", "Deepest overlap", "m", Value::Overlap),
    quantity("displacement", "Displacement", "m", Value::Way),
    quantity(
        "material",
        "Material",
        "",
        Value::Own(|f, k| f64::from(f.bodies.material[k])),
    ),
    quantity(
        "id",
        "Body",
        "",
        Value::Own(|f, k| f64::from(f.bodies.id[k])),
    ),
    quantity(
        "radius",
        "Radius",
        "m",
        Value::Own(|f, k| f.bodies.radius[k]),
    ),
    quantity("mass", "Mass", "kg", Value::Own(|f, k| f.bodies.mass[k])),
    quantity(
        "energy",
        "Kinetic energy",
        "J",
        Value::Own(|f, k| 0.5 * f.bodies.mass[k] * f.bodies.velocity[k].length_squared()),
    ),
    quantity(
        "x",
        "Place along x",
        "m",
        Value::Own(|f, k| f.bodies.position[k].x),
    ),
    quantity(
        "y",
        "Place along y",
        "m",
        Value::Own(|f, k| f.bodies.position[k].y),
    ),
    quantity(
        "z",
        "Place along z",
        "m",
        Value::Own(|f, k| f.bodies.position[k].z),
    ),
];

impl Quantity {
    /// The quantity of a name.
    pub fn named(name: &str) -> Option<Self> {
        QUANTITIES
            .into_iter()
            .find(|quantity| quantity.name == name)
    }

    /// Whether it takes the contacts of a frame.
    pub fn needs_contacts(&self) -> bool {
        matches!(self.value, Value::Sum(_) | Value::Pressure | Value::Overlap)
    }

    /// Whether it takes the first frame.
    pub fn needs_start(&self) -> bool {
        matches!(self.value, Value::Way)
    }

    /// Its values in a frame, images of bodies included.
    pub fn values(
        &self,
        index: &Index,
        frame: &Frame,
        contacts: &ContactStates,
        cell: Option<&Cell>,
        start: &Frame,
    ) -> Vec<f64> {
        let own = 0..frame.own;
        let mut values: Vec<f64> = match self.value {
            Value::Own(value) => own.map(|place| value(frame, place)).collect(),
            Value::Sum(add) => sums(frame, contacts, cell, |sum, force, arm, _| {
                sum + add(force, arm)
            }),
            Value::Overlap => sums(frame, contacts, cell, |most, _, _, gap| most.max(-gap)),
            Value::Pressure => {
                let dimension = index.record.dimension;
                let virial = sums(frame, contacts, cell, |sum, force, arm, _| {
                    sum - force.dot(arm)
                });
                let over = |(place, virial): (usize, f64)| {
                    virial / (dimension.count() as f64 * volume(index, frame, place))
                };
                virial.into_iter().enumerate().map(over).collect()
            }
            Value::Way => {
                let place_now =
                    |place: usize| frame.bodies.position[place] + frame.bodies.through[place];
                let way = |place: usize| {
                    let before = start.place_of(frame.bodies.id[place])?;
                    let from = start.bodies.position[before] + start.bodies.through[before];
                    Some(place_now(place).distance(from))
                };
                own.map(|place| way(place).unwrap_or(f64::NAN)).collect()
            }
        };
        for image in frame.own..frame.bodies.id.len() {
            let place = frame.place_of(frame.bodies.id[image]);
            values.push(place.map_or(f64::NAN, |place| values[place]));
        }
        values
    }
}

/// What contacts make of each body: `add` is given what there is so far, the force on the body, the arm and the gap.
fn sums(
    frame: &Frame,
    contacts: &ContactStates,
    cell: Option<&Cell>,
    add: impl Fn(f64, DVec3, DVec3, f64) -> f64,
) -> Vec<f64> {
    let lattice = cell.map(Cell::lattice);
    let mut values = vec![0.0; frame.own];
    for (number, &point) in contacts.point.iter().enumerate() {
        let ends = [
            (contacts.body_a[number], 1.0),
            (contacts.body_b[number], -1.0),
        ];
        for (id, sign) in ends {
            // A wall is negative.
            let place = u32::try_from(id).ok().and_then(|id| frame.place_of(id));
            let Some(place) = place else { continue };
            let mut arm = point - frame.bodies.position[place];
            if let Some(lattice) = &lattice {
                arm -= lattice.shift(lattice.nearest(arm));
            }
            let force = sign * contacts.force[number];
            values[place] = add(values[place], force, arm, contacts.gap[number]);
        }
    }
    values
}

/// m³; in a plane m², on a line m.
fn volume(index: &Index, frame: &Frame, place: usize) -> f64 {
    let r = frame.bodies.radius[place];
    match (&frame.bodies.shape[place], index.record.dimension) {
        (BodyShape::Solid(number), _) => match index.record.solids.get(*number as usize) {
            Some(solid) => solid.volume(),
            None => f64::NAN,
        },
        (_, Dimension::Space) => 4.0 / 3.0 * PI * r.powi(3),
        (_, Dimension::Plane) => PI * r * r,
        (_, Dimension::Line) => 2.0 * r,
    }
}

/// The ends of a scale: the least and the largest value, and the same without the outer hundredth at either end.
pub fn ends(values: &[f64]) -> [Option<f64>; 4] {
    let mut finite: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    if finite.is_empty() {
        return [None; 4];
    }
    let last = finite.len() - 1;
    let mut at = |part: f64| {
        let place = (part * last as f64).round() as usize;
        Some(*finite.select_nth_unstable_by(place, f64::total_cmp).1)
    };
    [at(0.0), at(1.0), at(0.01), at(0.99)]
}
