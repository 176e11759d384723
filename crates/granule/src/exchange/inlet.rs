//! Grains that are poured in.

use crate::bodies::{Bodies, BodyShape, RigidBody, Sphere};
use crate::collision::Patches;
use crate::math::{DQuat, DVec3, Distribution, Purpose, Stream};
use crate::shapes::{Region, Solid};
use serde::{Deserialize, Serialize};

/// Places that are tried for a grain in a step.
const TRIES: usize = 200;

/// Where grains are poured in, which, and how many.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::exchange::{Inlet, Matter, Rate, What};
/// use granule::math::{DVec3, Distribution};
/// use granule::shapes::Region;
/// use granule::simulation::{Settings, Simulation, StepSize, World};
///
/// let mut world = World::new(Dimension::Space);
/// world.gravity = DVec3::new(0.0, 0.0, -9.81);
/// let above = Region::cuboid(DVec3::new(-0.1, -0.1, 0.9), DVec3::new(0.1, 0.1, 1.0));
/// let spheres = What::Spheres {
///     radius: Distribution::Uniform([8e-3, 10e-3]),
///     matter: Matter::Density(2500.0),
/// };
/// world.inlets.push(Inlet::new(above, spheres, Rate::Number(100.0)));
/// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(1e-3), 0.1))?;
/// while !simulation.finished() {
///     simulation.step()?;
/// }
/// assert_eq!(simulation.world().bodies.len(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inlet {
    /// Where grains appear; they lie wholly inside.
    pub region: Region,
    /// Which grains.
    pub what: What,
    /// How many a second.
    pub rate: Rate,
    /// When it opens, s. The first grain is due then.
    pub start: f64,
    /// When it closes, s; infinite if never.
    pub end: f64,
    /// It closes when so many grains, or for a rate of mass so many kg, have been poured; infinite if never.
    pub most: f64,
    /// Of the grains as they appear, m/s.
    pub velocity: DVec3,
    /// Of the grains as they appear, rad/s.
    pub angular_velocity: DVec3,
    /// Index of their material.
    pub material: u16,
    /// Start of the random numbers.
    pub seed: u64,
    /// What came so far.
    pub poured: Poured,
}

/// The grains of an inlet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// Spheres (disks in a plane).
    Spheres {
        /// m.
        radius: Distribution,
        /// What they weigh.
        matter: Matter,
    },
    /// Solids, each of the given ones equally likely.
    Solids {
        /// Their numbers in [`Bodies::solids`], and their masses, kg.
        kinds: Vec<(u32, f64)>,
        /// How they are turned; `None` for all ways equally likely.
        orientation: Option<DQuat>,
    },
}

/// What spheres weigh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Matter {
    /// kg/m³: mass over the volume of a sphere.
    Density(f64),
    /// kg/m²: mass over the area of a disk.
    AreaDensity(f64),
    /// kg: mass of a grain.
    Mass(Distribution),
}

/// How much an inlet pours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Rate {
    /// Grains a second.
    Number(f64),
    /// kg/s.
    Mass(f64),
}

/// What an inlet has poured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Poured {
    /// Grains.
    pub count: u64,
    /// kg.
    pub mass: f64,
    /// Steps in which a grain was due and there was no room for it.
    pub waits: u64,
}

/// A grain that is to appear.
#[derive(Debug, Clone)]
pub(crate) enum Newcomer {
    Sphere(Sphere),
    Solid {
        body: RigidBody,
        shape: u32,
        material: u16,
    },
}

impl Inlet {
    /// One that is open from the start on and never closes; grains appear at rest, of the material 0.
    pub fn new(region: Region, what: What, rate: Rate) -> Self {
        Self {
            region,
            what,
            rate,
            start: 0.0,
            end: f64::INFINITY,
            most: f64::INFINITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            material: 0,
            seed: 0,
            poured: Poured::default(),
        }
    }

    /// Whether another grain is due at a time (s).
    pub fn is_due(&self, time: f64) -> bool {
        let open = time.min(self.end) - self.start;
        if open < 0.0 {
            return false;
        }
        match self.rate {
            // The k-th is due at k / rate; rounding must not keep it a step longer.
            Rate::Number(rate) => {
                let count = self.poured.count as f64;
                count <= rate * open * (1.0 + 1e-12) && count < self.most
            }
            Rate::Mass(rate) => self.poured.mass < (rate * open).min(self.most),
        }
    }

    /// The shape of the next grain: the number of a solid or `None` for a sphere, the radius of a sphere around it (m)
    /// and its mass (kg).
    fn next(&self, solids: &[Solid], planar: bool) -> (Option<u32>, f64, f64) {
        let drawn = |purpose| self.drawn(purpose);
        match &self.what {
            What::Spheres { radius, matter } => {
                let radius = drawn(Purpose::Radius).draw(radius);
                (None, radius, matter.mass(radius, drawn))
            }
            What::Solids { kinds, .. } => {
                let number = drawn(Purpose::Radius).unit() * kinds.len() as f64;
                let (shape, mass) = kinds[(number as usize).min(kinds.len() - 1)];
                let solid = &solids[shape as usize];
                let radius = match planar {
                    true => solid.planar_radius(),
                    false => solid.bounding_radius(),
                };
                (Some(shape), radius, mass)
            }
        }
    }

    /// Random numbers for the next grain.
    fn drawn(&self, purpose: Purpose) -> Stream {
        Stream::keyed(self.seed, purpose, [self.poured.count, 0])
    }

    /// The next grain at a place where it overlaps nothing, of those tried in the step of this number; `None` if
    /// there is no room.
    pub(crate) fn pour(
        &mut self,
        solids: &[Solid],
        room: &mut Room,
        dimension: usize,
        step: u64,
    ) -> Option<Newcomer> {
        let (shape, radius, mass) = self.next(solids, dimension == 2);
        let key = [self.poured.count, step];
        let mut places = Stream::keyed(self.seed, Purpose::Place, key);
        let center = (0..TRIES).find_map(|_| {
            let center = self.region.draw(radius, dimension, &mut places)?;
            room.is_free(center, radius).then_some(center)
        });
        let Some(center) = center else {
            self.poured.waits += 1;
            return None;
        };
        let grain = self.grain(solids, (shape, center, radius, mass), dimension);
        room.taken.push((center, radius));
        self.poured.count += 1;
        self.poured.mass += mass;
        Some(grain)
    }

    fn grain(
        &self,
        solids: &[Solid],
        (shape, center, radius, mass): (Option<u32>, DVec3, f64, f64),
        dimension: usize,
    ) -> Newcomer {
        match (&self.what, shape) {
            (What::Solids { orientation, .. }, Some(shape)) => {
                let turn = || self.drawn(Purpose::Orientation).turn(dimension);
                let solid = &solids[shape as usize];
                let body = RigidBody {
                    orientation: orientation.unwrap_or_else(turn),
                    velocity: self.velocity,
                    angular_velocity: self.angular_velocity,
                    ..RigidBody::of_shape(solid, center, mass)
                };
                Newcomer::Solid {
                    body,
                    shape,
                    material: self.material,
                }
            }
            _ => Newcomer::Sphere(Sphere {
                velocity: self.velocity,
                angular_velocity: self.angular_velocity,
                material: self.material,
                ..Sphere::new(center, radius, mass)
            }),
        }
    }

    /// What is wrong with it, if anything; the world has so many shapes.
    pub(crate) fn flaw(&self, solids: usize, dimension: usize) -> Option<String> {
        let (rate, unit) = match self.rate {
            Rate::Number(rate) => (rate, "grains a second"),
            Rate::Mass(rate) => (rate, "kg/s"),
        };
        let positive = |value: f64| value.is_finite() && value > 0.0;
        if dimension == 1 {
            return Some("on a line bodies keep their order, and none can be poured between them; use 2 or 3 dimensions".to_owned());
        }
        if !positive(rate) {
            return Some(format!("the rate must be positive ({unit}), not {rate}"));
        }
        if self.start.is_nan() || self.end.is_nan() || self.end < self.start {
            let (start, end) = (self.start, self.end);
            return Some(format!(
                "it closes at {end} s, before it opens at {start} s"
            ));
        }
        if !self.region.is_usable(dimension) {
            return Some("its region is empty or not finite".to_owned());
        }
        if !(self.velocity.is_finite() && self.angular_velocity.is_finite()) {
            return Some("the velocities must be finite".to_owned());
        }
        match &self.what {
            What::Spheres { radius, matter } => {
                let mass = match matter {
                    Matter::Density(density) | Matter::AreaDensity(density) => *density,
                    Matter::Mass(mass) => mass.smallest(),
                };
                let sizes = [radius.smallest(), radius.largest(), mass];
                (!sizes.iter().all(|size| positive(*size)))
                    .then(|| "radii, densities and masses must be positive".to_owned())
            }
            What::Solids { kinds, .. } => {
                let known =
                    |(shape, mass): &(u32, f64)| (*shape as usize) < solids && positive(*mass);
                (kinds.is_empty() || !kinds.iter().all(known))
                    .then(|| "it needs shapes that the world has, with positive masses".to_owned())
            }
        }
    }
}

impl Matter {
    fn mass(&self, radius: f64, drawn: impl Fn(Purpose) -> Stream) -> f64 {
        use std::f64::consts::PI;
        match self {
            Self::Density(density) => density * 4.0 / 3.0 * PI * radius * radius * radius,
            Self::AreaDensity(density) => density * PI * radius * radius,
            Self::Mass(mass) => drawn(Purpose::Mass).draw(mass),
        }
    }
}

/// What is in the way of grains that appear in a region. Solids count as spheres around them.
pub(crate) struct Room<'a> {
    /// Centres and radii of bodies in the region, m.
    taken: Vec<(DVec3, f64)>,
    /// The walls, and those of their pieces that may reach into the region.
    patches: &'a Patches,
    near: Vec<usize>,
}

impl<'a> Room<'a> {
    /// With the bodies that do not leave and the walls, where they are.
    pub(crate) fn new(
        region: &Region,
        (bodies, leaves): (&Bodies, &[bool]),
        patches: &'a Patches,
    ) -> Self {
        let (center, reach) = region.bounding_sphere();
        let within = |i: &usize| {
            !leaves[*i]
                && bodies.shape[*i] != BodyShape::Walls
                && bodies.position[*i].distance(center) < reach + bodies.radius[*i]
        };
        let bodies = (0..bodies.len())
            .filter(within)
            .map(|i| (bodies.position[i], bodies.radius[i]));
        Self {
            taken: bodies.collect(),
            near: (0..patches.len())
                .filter(|&patch| patches.is_within(patch, center, reach))
                .collect(),
            patches,
        }
    }

    /// With what other inlets have poured.
    pub(crate) fn after(mut self, others: &[(DVec3, f64)]) -> Self {
        self.taken.extend_from_slice(others);
        self
    }

    /// The bodies that are there, with those that were poured last at the end.
    pub(crate) fn taken(&self) -> &[(DVec3, f64)] {
        &self.taken
    }

    fn is_free(&self, center: DVec3, radius: f64) -> bool {
        let apart = |(other, its): &(DVec3, f64)| other.distance(center) >= radius + its;
        let mut walls = self.near.iter();
        self.taken.iter().all(apart)
            && !walls.any(|&patch| self.patches.is_within(patch, center, radius))
    }
}
