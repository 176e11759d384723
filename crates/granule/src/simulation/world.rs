//! Everything that is simulated: bodies, walls, forces, laws, and the time.

use crate::bodies::{Bodies, BodyForce, Cell, Dimension, ForceField, RigidBody, Sphere, Wall};
use crate::exchange::{Inlet, Outlet};
use crate::joints::Joint;
use crate::law::LawTable;
use crate::math::DVec3;
use crate::shapes::Solid;
use serde::{Deserialize, Serialize};

/// Everything that is simulated.
///
/// ```
/// use granule::bodies::{Dimension, Sphere};
/// use granule::math::DVec3;
/// use granule::simulation::World;
/// let mut world = World::new(Dimension::Space);
/// world.gravity = DVec3::new(0.0, 0.0, -9.81);
/// world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 1.0), 0.1, 1.0));
/// assert_eq!(world.bodies.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct World {
    /// In how many dimensions the bodies move.
    pub dimension: Dimension,
    /// Whether bodies do not turn.
    pub lock_rotation: bool,
    /// m/s².
    pub gravity: DVec3,
    /// The bodies.
    pub bodies: Bodies,
    /// The walls.
    pub walls: Vec<Wall>,
    /// Forces besides gravity.
    pub forces: Vec<BodyForce>,
    /// Forces that depend on where bodies are and how they move.
    pub fields: Vec<ForceField>,
    /// What holds bodies together.
    pub joints: Vec<Joint>,
    /// Which law holds between which materials.
    pub laws: LawTable,
    /// The ids of bodies that are bonded to each other from the start on, besides those that are near enough (see
    /// [`crate::law::Bond::within`]).
    pub bonds: Vec<[u32; 2]>,
    /// Where bodies are poured in.
    pub inlets: Vec<Inlet>,
    /// Where bodies leave.
    pub outlets: Vec<Outlet>,
    /// The periodic cell that the bodies are in, if they are in one.
    pub cell: Option<Cell>,
    /// The time reached, s.
    pub time: f64,
    /// Steps taken so far.
    pub steps: u64,
}

impl World {
    /// An empty world at time zero.
    pub fn new(dimension: Dimension) -> Self {
        Self {
            dimension,
            ..Self::default()
        }
    }

    /// Adds a sphere (a disk, in a plane) and gives its id.
    pub fn add_sphere(&mut self, sphere: &Sphere) -> u32 {
        let disk = DVec3::splat(0.5 * sphere.mass * sphere.radius * sphere.radius);
        let mut sphere = sphere.clone();
        if self.dimension == Dimension::Plane && sphere.inertia.is_none() {
            sphere.inertia = Some(disk);
        }
        self.bodies.push(&sphere)
    }

    /// Adds a body that touches others with the walls it carries (see [`Wall::on_body`]), and gives its id.
    pub fn add_body(&mut self, body: &RigidBody) -> u32 {
        self.bodies.push_rigid(body)
    }

    /// Adds a shape that bodies may have, any number of them, and gives its number.
    pub fn add_shape(&mut self, solid: Solid) -> u32 {
        self.bodies.solids.push(solid);
        self.bodies.solids.len() as u32 - 1
    }

    /// Adds a body with the shape of this number, and gives its id.
    ///
    /// ```
    /// use granule::bodies::{Dimension, RigidBody};
    /// use granule::math::DVec3;
    /// use granule::shapes::{Hull, Solid};
    /// use granule::simulation::World;
    /// let mut world = World::new(Dimension::Space);
    /// let brick = Solid::from(Hull::cuboid(DVec3::new(0.1, 0.05, 0.03)));
    /// let body = RigidBody::of_shape(&brick, DVec3::Z, 2.0);
    /// let shape = world.add_shape(brick);
    /// let id = world.add_solid(&body, shape, 0);
    /// assert_eq!(id, 0);
    /// ```
    ///
    /// # Panics
    /// If there is no such shape.
    pub fn add_solid(&mut self, body: &RigidBody, shape: u32, material: u16) -> u32 {
        let solid = &self.bodies.solids[shape as usize];
        let radius = match self.dimension {
            Dimension::Line | Dimension::Space => solid.bounding_radius(),
            Dimension::Plane => solid.planar_radius(),
        };
        self.bodies.push_solid(body, shape, radius, material)
    }

    /// Adds a wall.
    pub fn add_wall(&mut self, wall: Wall) {
        self.walls.push(wall);
    }
}
