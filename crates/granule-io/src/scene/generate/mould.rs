//! Shapes of the grains of an entry, one after another.

use crate::scene::convert;
use crate::scene::form::Form;
use crate::scene::grammar::{Grains, OrientationSpec, Quantity};
use granule::bodies::Dimension;
use granule::math::{DQuat, DVec3, Distribution, Pose, Purpose, Stream};
use granule::shapes::Solid;
use granule::simulation::World;
use std::collections::BTreeMap;

/// The shape of a grain, and how it is turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cast {
    /// The number of its shape in the world; `None` for a sphere.
    pub solid: Option<u32>,
    /// m; of a solid that of a sphere about its centre that holds it.
    pub radius: f64,
    /// Orientation of the frame of the body.
    pub orientation: DQuat,
    /// From the origin of the frame that the shape is given in to the centre of the body, m.
    pub offset: DVec3,
}

impl Cast {
    /// A sphere.
    pub(crate) fn sphere(radius: f64, orientation: Option<DQuat>) -> Self {
        Self {
            solid: None,
            radius,
            orientation: orientation.unwrap_or(DQuat::IDENTITY),
            offset: DVec3::ZERO,
        }
    }
}

/// Gives grains their shapes.
pub(crate) struct Mould<'a> {
    form: Option<Form>,
    size: Distribution,
    orientation: OrientationSpec,
    sizes: Stream,
    turns: Stream,
    /// What has been made of each size, by its bits.
    made: BTreeMap<u64, Made>,
    world: &'a mut World,
}

#[derive(Clone, Copy)]
struct Made {
    solid: Option<u32>,
    radius: f64,
    frame: Pose,
}

impl<'a> Mould<'a> {
    /// For grains of this form; `None` for spheres of their `radius`.
    pub(crate) fn new(grains: &Grains, form: Option<Form>, world: &'a mut World) -> Self {
        let size = match &form {
            Some(_) => grains.size.as_ref().unwrap_or(&Quantity::Constant(1.0)),
            None => grains.radius.as_ref().unwrap_or(&Quantity::Constant(0.0)),
        };
        let size = size.into();
        Self {
            form,
            size,
            orientation: grains.orientation.unwrap_or(OrientationSpec::Random),
            sizes: Stream::new(grains.seed, Purpose::Radius),
            turns: Stream::new(grains.seed, Purpose::Orientation),
            made: BTreeMap::new(),
            world,
        }
    }

    /// The world that shapes are added to.
    pub(crate) fn world(&self) -> &World {
        self.world
    }

    /// Adds shapes that grains come with to the world, and gives the number of the first.
    pub(crate) fn adopt(&mut self, solids: Vec<Solid>) -> u32 {
        let first = self.world.bodies.solids.len() as u32;
        self.world.bodies.solids.extend(solids);
        first
    }

    /// The size of the next grain: a radius (m), or what the lengths of its shape are multiplied by.
    pub(crate) fn draw_size(&mut self) -> f64 {
        self.sizes.draw(&self.size)
    }

    /// A grain of this size, turned as given or else as the entry says.
    pub(crate) fn cast(&mut self, size: f64, orientation: Option<DQuat>) -> Cast {
        let Some(form) = &self.form else {
            return Cast::sphere(size, orientation);
        };
        let dimension = self.world.dimension;
        let made = match self.made.get(&size.to_bits()) {
            Some(made) => *made,
            None => {
                let form = form.scaled(size, dimension.count());
                let made = make(&form, self.made.is_empty(), self.world);
                self.made.insert(size.to_bits(), made);
                made
            }
        };
        let turn = orientation.unwrap_or_else(|| match self.orientation {
            OrientationSpec::Random => self.turns.turn(dimension.count()),
            OrientationSpec::Aligned => DQuat::IDENTITY,
            OrientationSpec::Given(quaternion) => convert::quaternion(Some(quaternion)),
        });
        Cast {
            solid: made.solid,
            radius: made.radius,
            orientation: turn * made.frame.orientation,
            offset: turn * made.frame.position,
        }
    }
}

/// Adds a form to the world's shapes. Whether it is there already is looked up for the first one of an entry only:
/// grains of many sizes have shapes of their own.
fn make(form: &Form, first: bool, world: &mut World) -> Made {
    match form {
        Form::Sphere { radius } => Made {
            solid: None,
            radius: *radius,
            frame: Pose::IDENTITY,
        },
        Form::Solid { solid, frame } => Made {
            solid: Some(match first {
                true => shared(solid, world),
                false => world.add_shape(solid.clone()),
            }),
            radius: reach(solid, world.dimension),
            frame: *frame,
        },
    }
}

/// The number of a shape in the world, to which it is added unless it is there.
pub(crate) fn shared(solid: &Solid, world: &mut World) -> u32 {
    let known = world.bodies.solids.iter().rposition(|other| other == solid);
    known.map_or_else(|| world.add_shape(solid.clone()), |number| number as u32)
}

/// The radius of a sphere (a disk in a plane) about the centre of a solid that holds it, m.
pub(crate) fn reach(solid: &Solid, dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Line | Dimension::Space => solid.bounding_radius(),
        Dimension::Plane => solid.planar_radius(),
    }
}
