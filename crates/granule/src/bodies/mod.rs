//! The bodies that move: flat arrays, one entry a body.
//!
//! Every array of [`Bodies`] has the same length. The *place* of a body (its index) changes when a
//! simulation puts the arrays into another spatial order, before its first step and every hundred
//! steps; its *id* never does. [`Bodies::places`] and [`Bodies::by_id`] give the order of ids, which files are
//! in.

mod cell;
mod field;
mod force;
mod lattice;
mod motion;
mod prescribed;
mod wall;

pub use cell::{Cell, Faces, Shear};
pub use field::{Drag, Field, ForceField, Profile, Selection};
pub use force::{BodyForce, Load, TimeFunction};
pub use lattice::{CellRate, Image, Lattice};
pub use motion::Motion;
pub use prescribed::Kinematics;
pub use wall::Wall;

use crate::math::{DQuat, DVec3, StateHash};
use crate::shapes::Solid;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// In how many dimensions the bodies move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Dimension {
    /// Along x; the bodies keep their order. They do not turn.
    Line,
    /// In the plane z = const: x and y move, bodies are disks that turn about z.
    Plane,
    /// Freely.
    #[default]
    Space,
}

impl Dimension {
    /// 1, 2 or 3.
    pub fn count(self) -> usize {
        match self {
            Self::Line => 1,
            Self::Plane => 2,
            Self::Space => 3,
        }
    }

    /// The volume of a ball of this radius (m): m³ in space, the area of a disk (m²) in a plane, 2r (m) on a line.
    pub fn ball_volume(self, radius: f64) -> f64 {
        match self {
            Self::Line => 2.0 * radius,
            Self::Plane => PI * radius * radius,
            Self::Space => 4.0 / 3.0 * PI * radius * radius * radius,
        }
    }

    /// The radius (m) of a ball of this volume: the inverse of [`Dimension::ball_volume`].
    pub fn ball_radius(self, volume: f64) -> f64 {
        match self {
            Self::Line => 0.5 * volume,
            Self::Plane => (volume / PI).sqrt(),
            Self::Space => (0.75 * volume / PI).cbrt(),
        }
    }
}

/// How the state of a body is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// Moved by forces and contacts.
    Dynamic,
    /// Moved as prescribed (see [`Kinematics`]); contacts do not move it. A fixed body is one
    /// whose motion is [`Motion::Fixed`].
    Kinematic,
}

/// What of a body touches others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyShape {
    /// A sphere of the body's radius (a disk in a plane).
    Sphere,
    /// Nothing of its own: the walls that it carries (see [`Wall::carrier`]).
    Walls,
    /// The solid with this number in [`Bodies::solids`].
    Solid(u32),
}

/// One sphere, as given by a user; [`Bodies::push`] turns it into array entries.
///
/// ```
/// use granule::bodies::{Bodies, Sphere};
/// use granule::math::DVec3;
/// let mut bodies = Bodies::default();
/// bodies.push(&Sphere::new(DVec3::ZERO, 0.1, 2.0));
/// assert_eq!(bodies.len(), 1);
/// // A solid sphere: J = 2/5 m r².
/// assert!((bodies.inertia[0].x - 0.4 * 2.0 * 0.01).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sphere {
    /// Centre, m.
    pub position: DVec3,
    /// Radius, m (zero for a point, allowed only on a line).
    pub radius: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia J, kg m²; `None` for a homogeneous solid sphere
    /// (2/5 m r²), or, in a plane, a disk (1/2 m r²).
    pub inertia: Option<DVec3>,
    /// Orientation of the body frame.
    pub orientation: DQuat,
    /// Velocity of the centre, m/s.
    pub velocity: DVec3,
    /// Angular velocity ω in the world frame, rad/s.
    pub angular_velocity: DVec3,
    /// Index of the material.
    pub material: u16,
    /// `None` for a dynamic body, otherwise its prescribed motion.
    pub motion: Option<Motion>,
}

impl Sphere {
    /// A homogeneous dynamic sphere at rest.
    pub fn new(position: DVec3, radius: f64, mass: f64) -> Self {
        Self {
            position,
            radius,
            mass,
            inertia: None,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            material: 0,
            motion: None,
        }
    }
}

/// A body that is no sphere, as given by a user: one with a shape of its own ([`Bodies::push_solid`]), or one that
/// touches others with the walls that it carries: a plate, a piston, a tool.
///
/// ```
/// use granule::bodies::{Bodies, RigidBody};
/// use granule::math::DVec3;
/// let plate = RigidBody::new(DVec3::Z, 3.0, DVec3::new(1.0, 1.0, 2.0));
/// let mut bodies = Bodies::default();
/// bodies.push_rigid(&plate);
/// assert!(!bodies.is_sphere(0) && bodies.is_dynamic(0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RigidBody {
    /// Centre of mass, m.
    pub position: DVec3,
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia J about the axes of the body frame, kg m².
    pub inertia: DVec3,
    /// Orientation of the body frame.
    pub orientation: DQuat,
    /// Velocity of the centre, m/s.
    pub velocity: DVec3,
    /// Angular velocity ω in the world frame, rad/s.
    pub angular_velocity: DVec3,
    /// `None` for a dynamic body, otherwise its prescribed motion.
    pub motion: Option<Motion>,
}

impl RigidBody {
    /// A dynamic body at rest.
    pub fn new(position: DVec3, mass: f64, inertia: DVec3) -> Self {
        Self {
            position,
            mass,
            inertia,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            motion: None,
        }
    }

    /// A dynamic body at rest with this shape and this mass (kg), evenly distributed.
    pub fn of_shape(shape: &Solid, position: DVec3, mass: f64) -> Self {
        Self::new(position, mass, shape.inertia(mass))
    }
}

/// All bodies, as flat arrays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bodies {
    /// Name of the body for the outside: its number in the order of creation.
    pub id: Vec<u32>,
    /// Dynamic or prescribed.
    pub kind: Vec<BodyKind>,
    /// What of it touches others.
    pub shape: Vec<BodyShape>,
    /// Centre, m.
    pub position: Vec<DVec3>,
    /// Orientation of the body frame.
    pub orientation: Vec<DQuat>,
    /// Velocity of the centre, m/s.
    pub velocity: Vec<DVec3>,
    /// Angular velocity ω in the world frame, rad/s.
    pub angular_velocity: Vec<DVec3>,
    /// Radius, m; of a solid that of a sphere about its centre that holds it, and zero for what has no shape
    /// of its own.
    pub radius: Vec<f64>,
    /// Mass, kg.
    pub mass: Vec<f64>,
    /// Principal moments of inertia J in the body frame, kg m².
    pub inertia: Vec<DVec3>,
    /// Index of the material.
    pub material: Vec<u16>,
    /// How often it has left a periodic cell along each axis, counted along the axis (see [`Cell::way_through`]).
    pub crossed: Vec<[i32; 3]>,
    /// Index into [`Bodies::kinematics`] for kinematic bodies, `u32::MAX` for dynamic ones.
    pub prescribed: Vec<u32>,
    /// The prescribed motions.
    pub kinematics: Vec<Kinematics>,
    /// The shapes of bodies that are no spheres; bodies may share one.
    pub solids: Vec<Solid>,
    /// The id of the next body that is added.
    pub next_id: u32,
}

impl Bodies {
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Adds a sphere and gives its id.
    pub fn push(&mut self, sphere: &Sphere) -> u32 {
        let solid = DVec3::splat(0.4 * sphere.mass * sphere.radius * sphere.radius);
        let body = RigidBody {
            position: sphere.position,
            mass: sphere.mass,
            inertia: sphere.inertia.unwrap_or(solid),
            orientation: sphere.orientation,
            velocity: sphere.velocity,
            angular_velocity: sphere.angular_velocity,
            motion: sphere.motion.clone(),
        };
        self.push_shape(&body, BodyShape::Sphere, sphere.radius, sphere.material)
    }

    /// Adds a body without a shape of its own and gives its id.
    pub fn push_rigid(&mut self, body: &RigidBody) -> u32 {
        self.push_shape(body, BodyShape::Walls, 0.0, 0)
    }

    /// Adds a body with the shape of this number in [`Bodies::solids`], within a sphere of this radius (m) about
    /// its centre, and gives its id.
    pub fn push_solid(&mut self, body: &RigidBody, solid: u32, radius: f64, material: u16) -> u32 {
        self.push_shape(body, BodyShape::Solid(solid), radius, material)
    }

    fn push_shape(
        &mut self,
        body: &RigidBody,
        shape: BodyShape,
        radius: f64,
        material: u16,
    ) -> u32 {
        let id = self.next_id;
        self.next_id = id.checked_add(1).expect("fewer than 2³² bodies");
        self.id.push(id);
        self.shape.push(shape);
        self.position.push(body.position);
        self.orientation.push(body.orientation);
        self.velocity.push(body.velocity);
        self.angular_velocity.push(body.angular_velocity);
        self.radius.push(radius);
        self.mass.push(body.mass);
        self.inertia.push(body.inertia);
        self.material.push(material);
        self.crossed.push([0; 3]);
        match &body.motion {
            None => {
                self.kind.push(BodyKind::Dynamic);
                self.prescribed.push(u32::MAX);
            }
            Some(motion) => {
                self.kind.push(BodyKind::Kinematic);
                self.prescribed.push(self.kinematics.len() as u32);
                self.kinematics.push(Kinematics::new(
                    motion.clone(),
                    body.position,
                    body.orientation,
                ));
            }
        }
        id
    }

    /// Whether body `i` touches others as a sphere.
    #[inline]
    pub fn is_sphere(&self, i: usize) -> bool {
        self.shape[i] == BodyShape::Sphere
    }

    /// The solid of body `i`, if it has a shape of its own that is no sphere.
    #[inline]
    pub fn solid(&self, i: usize) -> Option<&Solid> {
        match self.shape[i] {
            BodyShape::Solid(number) => self.solids.get(number as usize),
            BodyShape::Sphere | BodyShape::Walls => None,
        }
    }

    /// Half the least thickness of body `i`, m: the radius of a sphere, infinite for what has no shape of its own.
    pub fn thickness(&self, i: usize) -> f64 {
        match self.shape[i] {
            BodyShape::Sphere => self.radius[i],
            BodyShape::Walls => f64::INFINITY,
            BodyShape::Solid(_) => self.solid(i).map_or(f64::INFINITY, Solid::thickness),
        }
    }

    /// The volume of body `i`, m³ (in a plane its area, m²); zero for what has no shape of its own.
    pub fn volume(&self, i: usize, dimension: Dimension) -> f64 {
        match self.shape[i] {
            BodyShape::Sphere => dimension.ball_volume(self.radius[i]),
            BodyShape::Walls => 0.0,
            BodyShape::Solid(_) => self.solid(i).map_or(0.0, Solid::volume),
        }
    }

    /// The radii of all spheres, m.
    pub fn sphere_radii(&self) -> impl Iterator<Item = f64> {
        let spheres = (0..self.len()).filter(|&i| self.is_sphere(i));
        spheres.map(|i| self.radius[i])
    }

    /// Whether body `i` is moved by forces and contacts.
    pub fn is_dynamic(&self, i: usize) -> bool {
        self.kind[i] == BodyKind::Dynamic
    }

    /// 1/m, or zero for kinematic bodies.
    pub fn inverse_mass(&self, i: usize) -> f64 {
        if self.is_dynamic(i) {
            1.0 / self.mass[i]
        } else {
            0.0
        }
    }

    /// Puts the bodies into another order: the body at place `order[k]` moves to place `k`.
    pub fn reorder(&mut self, order: &[u32]) {
        fn permute<T: Copy>(values: &mut [T], order: &[u32]) {
            let old = values.to_vec();
            for (slot, &from) in values.iter_mut().zip(order) {
                *slot = old[from as usize];
            }
        }
        permute(&mut self.id, order);
        permute(&mut self.kind, order);
        permute(&mut self.shape, order);
        permute(&mut self.position, order);
        permute(&mut self.orientation, order);
        permute(&mut self.velocity, order);
        permute(&mut self.angular_velocity, order);
        permute(&mut self.radius, order);
        permute(&mut self.mass, order);
        permute(&mut self.inertia, order);
        permute(&mut self.material, order);
        permute(&mut self.crossed, order);
        permute(&mut self.prescribed, order);
    }

    /// The places of all bodies in the order of their ids: where none was removed, `places()[id]` is the
    /// index of the body with that id.
    pub fn places(&self) -> Vec<u32> {
        let mut places: Vec<u32> = (0..self.len() as u32).collect();
        places.sort_unstable_by_key(|&place| self.id[place as usize]);
        places
    }

    /// The place of the body with this id, if it is there.
    pub fn place_of(&self, id: u32) -> Option<usize> {
        self.id.iter().position(|other| *other == id)
    }

    /// The places of the bodies with these ids, in their order; an id that no body has is the error.
    ///
    /// ```
    /// use granule::bodies::{Bodies, Sphere};
    /// use granule::math::DVec3;
    /// let mut bodies = Bodies::default();
    /// for _ in 0..3 {
    ///     bodies.push(&Sphere::new(DVec3::ZERO, 0.1, 2.0));
    /// }
    /// bodies.reorder(&[2, 0, 1]);
    /// assert_eq!(bodies.places_of(&[0, 2]), Ok(vec![1, 0]));
    /// assert_eq!(bodies.places_of(&[0, 7]), Err(7));
    /// ```
    pub fn places_of(&self, ids: &[u32]) -> Result<Vec<usize>, u32> {
        // A few are found sooner without putting all into order.
        if ids.len() <= 4 {
            return (ids.iter())
                .map(|&id| self.place_of(id).ok_or(id))
                .collect();
        }
        let places = self.places();
        let find = |&id: &u32| {
            let found = places.binary_search_by_key(&id, |&place| self.id[place as usize]);
            found.map(|k| places[k] as usize).map_err(|_| id)
        };
        ids.iter().map(find).collect()
    }

    /// The bodies in the order of their ids, whatever their places are.
    ///
    /// ```
    /// use granule::bodies::{Bodies, Sphere};
    /// use granule::math::DVec3;
    /// let mut bodies = Bodies::default();
    /// bodies.push(&Sphere::new(DVec3::X, 0.1, 2.0));
    /// bodies.push(&Sphere::new(DVec3::ZERO, 0.1, 2.0));
    /// bodies.reorder(&[1, 0]);
    /// assert_eq!(bodies.by_id().position, [DVec3::X, DVec3::ZERO]);
    /// ```
    pub fn by_id(&self) -> Self {
        let mut sorted = self.clone();
        sorted.reorder(&self.places());
        sorted
    }

    /// Removes the body with this id; `false` if there is none. Its id is not given again.
    pub fn remove(&mut self, id: u32) -> bool {
        let Some(place) = self.place_of(id) else {
            return false;
        };
        self.retain(|other| other != place);
        true
    }

    /// Removes all bodies but those whose places `stays` is true of; the others keep their order. Ids are not given
    /// again.
    pub fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        fn keep<T>(values: &mut Vec<T>, stays: &impl Fn(usize) -> bool) {
            let mut place = 0;
            values.retain(|_| {
                place += 1;
                stays(place - 1)
            });
        }
        let mut of_motions = vec![true; self.kinematics.len()];
        for (place, motion) in self.prescribed.iter().enumerate() {
            if *motion != u32::MAX && !stays(place) {
                of_motions[*motion as usize] = false;
            }
        }
        keep(&mut self.id, &stays);
        keep(&mut self.kind, &stays);
        keep(&mut self.shape, &stays);
        keep(&mut self.position, &stays);
        keep(&mut self.orientation, &stays);
        keep(&mut self.velocity, &stays);
        keep(&mut self.angular_velocity, &stays);
        keep(&mut self.radius, &stays);
        keep(&mut self.mass, &stays);
        keep(&mut self.inertia, &stays);
        keep(&mut self.material, &stays);
        keep(&mut self.crossed, &stays);
        keep(&mut self.prescribed, &stays);
        keep(&mut self.kinematics, &|motion: usize| of_motions[motion]);
        for motion in self.prescribed.iter_mut().filter(|m| **m != u32::MAX) {
            let before = of_motions[..*motion as usize].iter();
            *motion = before.filter(|stays| **stays).count() as u32;
        }
    }

    /// Hash of positions, orientations and velocities in the order of ids: equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for place in self.places() {
            let i = place as usize;
            let values = [self.position[i], self.velocity[i], self.angular_velocity[i]];
            values
                .iter()
                .flat_map(|v| v.to_array())
                .for_each(|x| hash.add(x));
            self.orientation[i]
                .to_array()
                .into_iter()
                .for_each(|x| hash.add(x));
        }
        hash.finish()
    }
}
