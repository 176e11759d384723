//! A packing of spheres in a box under a lid, for the targets on contacts that give.

use super::news::News;
use super::{Error, Options};
use granule::bodies::{Dimension, Motion, RigidBody, Sphere, Wall};
use granule::law::{Interface, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Plate, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};

/// Mean radius, m; radii are within a tenth of it.
pub const RADIUS: f64 = 5e-3;
/// kg/m³.
pub const DENSITY: f64 = 2500.0;
/// Distance of the places where spheres start from, m.
const PLACE: f64 = 2.5 * RADIUS;
/// What the lid weighs for each sphere of a layer, kg.
const LOAD: f64 = 0.5;
/// m/s².
const GRAVITY: f64 = 9.81;
/// The place of the lid among the walls.
pub const LID: usize = 5;

/// Spheres at rest in a box that is open above, and the lid on them. The corner of the box is the origin.
pub struct Packing {
    /// Centres and radii, m.
    pub grains: Vec<(DVec3, f64)>,
    /// Edge of the square floor, m.
    pub width: f64,
    /// Height of the lid, m.
    pub height: f64,
}

/// The k-th of numbers that are spread evenly over [-1, 1).
fn spread(k: usize, generator: f64) -> f64 {
    2.0 * (k as f64 * generator).fract() - 1.0
}

impl Packing {
    /// 2 n³ spheres, n along each edge of the floor: fallen and pressed together by the lid without friction, and so
    /// as dense as they come.
    pub fn settle(n: usize, options: &Options) -> Result<Self, Error> {
        let width = n as f64 * PLACE;
        let grain = |k: usize| {
            let [x, y, z] = [k % n, k / n % n, k / n / n].map(|i| (i as f64 + 0.5) * PLACE);
            // Powers of the plastic number: no three of them go together.
            let aside = [0.8191725134, 0.6710436067, 0.5497004779].map(|g| spread(k, g));
            let radius = RADIUS * (1.0 + 0.1 * spread(k, 0.6180339887));
            let room = 0.5 * PLACE - radius;
            (
                DVec3::new(x, y, z) + 0.9 * room * DVec3::from(aside),
                radius,
            )
        };
        let mut loose = Self {
            grains: (0..2 * n * n * n).map(grain).collect(),
            width,
            height: (2 * n) as f64 * PLACE,
        };
        let world = loose.loaded(Interface::default(), Motion::Fixed);
        let mut settings = Settings::new(StepSize::Fixed(2e-3), 0.8);
        settings.solver.tolerance = 1e-5;
        let mut simulation = Simulation::new(world, settings)?;
        let mut news = News::start(options, format!("{} spheres settle", loose.grains.len()));
        while !simulation.finished() {
            let time = simulation.step()?.time;
            news.tell(time, settings.end);
        }
        loose.take_places(simulation.world());
        loose.part();
        Ok(loose)
    }

    /// Makes all spheres smaller by the deepest overlap that the solves have left, so that nothing overlaps.
    fn part(&mut self) {
        let mut deepest: f64 = 0.0;
        for (k, (place, radius)) in self.grains.iter().enumerate() {
            let walls = place.min_element().min(self.width - place.x.max(place.y));
            deepest = deepest.max(radius - walls.min(self.height - place.z));
            for (other, its) in &self.grains[..k] {
                deepest = deepest.max(radius + its - place.distance(*other));
            }
        }
        for grain in &mut self.grains {
            grain.1 -= deepest;
        }
    }

    /// Moves the spheres and the lid to where they are in a world of [`Packing::loaded`].
    fn take_places(&mut self, world: &World) {
        let places = world.bodies.by_id().position;
        for (grain, place) in self.grains.iter_mut().zip(&places) {
            grain.0 = *place;
        }
        self.height = places[self.grains.len()].z;
    }

    /// The mass of a sphere of the mean radius, kg.
    pub fn mean_mass() -> f64 {
        mass(RADIUS)
    }

    /// The spheres in their box, one of whose walls (that at x = width) moves, without a lid.
    fn world(&self, interface: Interface, drawer: Motion) -> World {
        let mut world = World::new(Dimension::Space);
        world.laws = LawTable::uniform(interface);
        let far = DVec3::new(self.width, self.width, 0.0);
        for (place, axis, motion) in [
            (DVec3::ZERO, DVec3::Z, Motion::Fixed),
            (DVec3::ZERO, DVec3::X, Motion::Fixed),
            (far, -DVec3::X, drawer),
            (DVec3::ZERO, DVec3::Y, Motion::Fixed),
            (far, -DVec3::Y, Motion::Fixed),
        ] {
            world.add_wall(Wall::new(
                Surface::HalfSpace(HalfSpace),
                place,
                axis,
                motion,
            ));
        }
        for (place, radius) in &self.grains {
            world.add_sphere(&Sphere::new(*place, *radius, mass(*radius)));
        }
        world
    }

    /// With gravity and under a heavy lid that is free to move but does not tilt, since its moments of inertia are
    /// large; `drawer` is the motion of the wall at x = width.
    pub fn loaded(&self, interface: Interface, drawer: Motion) -> World {
        let mut world = self.world(interface, drawer);
        world.gravity = -GRAVITY * DVec3::Z;
        let cells = (self.width / PLACE).round();
        let middle = DVec3::new(0.5 * self.width, 0.5 * self.width, self.height);
        let heavy = RigidBody::new(middle, LOAD * cells * cells, DVec3::splat(1e6));
        let lid = world.add_body(&heavy);
        let plate = Surface::Plate(Plate {
            width: 3.0 * self.width,
            height: 3.0 * self.width,
        });
        world.add_wall(Wall::on_body(plate, lid, DVec3::ZERO, DVec3::Z));
        world
    }

    /// Without gravity, under a lid that comes down at this speed (m/s).
    pub fn pressed(&self, interface: Interface, speed: f64) -> World {
        let mut world = self.world(interface, Motion::Fixed);
        let down = Motion::Velocity {
            linear: [0.0, 0.0, -speed],
        };
        let lid = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(lid, self.height * DVec3::Z, -DVec3::Z, down));
        world
    }
}

/// The mass of a sphere, kg.
pub fn mass(radius: f64) -> f64 {
    DENSITY * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)
}
