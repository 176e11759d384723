//! The bodies that move: flat arrays, one entry a body.
//!
//! Every array of [`Bodies`] has the same length. The *place* of a body (its index) changes when a
//! simulation puts the arrays into another spatial order, before its first step and every hundred
//! steps; its *id* never does. [`Bodies::places`] finds a body by its id. Files are in the order of
//! ids.

mod force;
mod motion;
mod prescribed;
mod wall;

pub use force::{BodyForce, TimeFunction};
pub use motion::Motion;
pub use prescribed::Kinematics;
pub use wall::Wall;

use crate::math::{DQuat, DVec3, StateHash};
use serde::{Deserialize, Serialize};

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

/// All bodies, as flat arrays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bodies {
    /// Name of the body for the outside: its number in the order of creation.
    pub id: Vec<u32>,
    /// Dynamic or prescribed.
    pub kind: Vec<BodyKind>,
    /// Centre, m.
    pub position: Vec<DVec3>,
    /// Orientation of the body frame.
    pub orientation: Vec<DQuat>,
    /// Velocity of the centre, m/s.
    pub velocity: Vec<DVec3>,
    /// Angular velocity ω in the world frame, rad/s.
    pub angular_velocity: Vec<DVec3>,
    /// Radius, m.
    pub radius: Vec<f64>,
    /// Mass, kg.
    pub mass: Vec<f64>,
    /// Principal moments of inertia J in the body frame, kg m².
    pub inertia: Vec<DVec3>,
    /// Index of the material.
    pub material: Vec<u16>,
    /// Index into [`Bodies::kinematics`] for kinematic bodies, `u32::MAX` for dynamic ones.
    pub prescribed: Vec<u32>,
    /// The prescribed motions.
    pub kinematics: Vec<Kinematics>,
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
        let id = u32::try_from(self.len()).expect("fewer than 2³² bodies");
        let solid = DVec3::splat(0.4 * sphere.mass * sphere.radius * sphere.radius);
        self.id.push(id);
        self.position.push(sphere.position);
        self.orientation.push(sphere.orientation);
        self.velocity.push(sphere.velocity);
        self.angular_velocity.push(sphere.angular_velocity);
        self.radius.push(sphere.radius);
        self.mass.push(sphere.mass);
        self.inertia.push(sphere.inertia.unwrap_or(solid));
        self.material.push(sphere.material);
        match &sphere.motion {
            None => {
                self.kind.push(BodyKind::Dynamic);
                self.prescribed.push(u32::MAX);
            }
            Some(motion) => {
                self.kind.push(BodyKind::Kinematic);
                self.prescribed.push(self.kinematics.len() as u32);
                self.kinematics.push(Kinematics::new(
                    motion.clone(),
                    sphere.position,
                    sphere.orientation,
                ));
            }
        }
        id
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
        permute(&mut self.position, order);
        permute(&mut self.orientation, order);
        permute(&mut self.velocity, order);
        permute(&mut self.angular_velocity, order);
        permute(&mut self.radius, order);
        permute(&mut self.mass, order);
        permute(&mut self.inertia, order);
        permute(&mut self.material, order);
        permute(&mut self.prescribed, order);
    }

    /// The place of each id: `places()[id]` is the index of the body with that id.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.len()];
        for (place, &id) in self.id.iter().enumerate() {
            places[id as usize] = place as u32;
        }
        places
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
