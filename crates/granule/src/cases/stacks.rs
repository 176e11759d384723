//! The smallest piles that friction alone holds up: a cylinder on two, a sphere on three.
//!
//! The lower grains touch each other, but where friction only just suffices they carry no force
//! there: a force between them would push them apart and ask for more friction. Each has then two
//! loaded contacts, with the upper grain and with the floor. Moments about its centre make the two
//! friction forces equal; forces across and along the floor then give, with the angle θ between
//! the vertical and the line of centres,
//!
//! ```text
//! between grains   T/N = sin θ / (1 + cos θ) = tan(θ/2)
//! on the floor     T/N = tan(θ/2) / (k + 1)          k = 2 cylinders or 3 spheres below
//! ```
//!
//! since the upper contact bears N = W/k of the upper weight W, and the floor W + W/k for each of
//! the lower grains. The pile stands if and only if both coefficients reach these values.

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::law::{Friction, Law, LawTable};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::World;

/// A pile of equal grains that friction may hold up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stack {
    /// Two cylinders side by side and one on top, seen from the end: disks.
    ThreeCylinders,
    /// Three spheres and one on top.
    FourSpheres,
}

impl Stack {
    /// Radius of the grains, m.
    pub const RADIUS: f64 = 0.1;

    /// The coefficients of friction (between grains, on the floor) from which it stands.
    ///
    /// ```
    /// use granule::cases::Stack;
    /// let [between, floor] = Stack::ThreeCylinders.thresholds();
    /// assert!((between - 0.267949).abs() < 1e-6 && (floor - 0.089316).abs() < 1e-6);
    /// let [between, floor] = Stack::FourSpheres.thresholds();
    /// assert!((between - 0.317837).abs() < 1e-6 && (floor - 0.079459).abs() < 1e-6);
    /// ```
    pub fn thresholds(self) -> [f64; 2] {
        // sin θ: the distance of the lower centres from the axis, over that of two centres.
        let (below, sine) = match self {
            Self::ThreeCylinders => (2.0, 0.5),
            Self::FourSpheres => (3.0, 1.0 / 3f64.sqrt()),
        };
        let half = (0.5 * sine.asin()).tan();
        [half, half / (below + 1.0)]
    }

    /// The pile at rest under gravity 9.81 m/s², grains of 1 kg that just touch, with exact
    /// friction of the given coefficients. The upper grain is the last body; heights are along y
    /// for cylinders and z for spheres.
    pub fn world(self, between: f64, floor: f64) -> World {
        let law = |coefficient| Law::Coulomb(Friction::sliding(coefficient)).into();
        let r = Self::RADIUS;
        let (dimension, up) = match self {
            Self::ThreeCylinders => (Dimension::Plane, DVec3::Y),
            Self::FourSpheres => (Dimension::Space, DVec3::Z),
        };
        let mut world = World::new(dimension);
        world.gravity = -9.81 * up;
        world.laws = LawTable {
            default: law(between),
            pairs: vec![(0, 1, law(floor))],
        };
        let mut plane = Wall::new(
            Surface::HalfSpace(HalfSpace),
            DVec3::ZERO,
            up,
            Motion::Fixed,
        );
        plane.material = 1;
        world.add_wall(plane);
        let (lower, cosine): (Vec<DVec3>, f64) = match self {
            Self::ThreeCylinders => (vec![-r * DVec3::X, r * DVec3::X], 0.75f64.sqrt()),
            Self::FourSpheres => {
                let out = 2.0 / 3f64.sqrt() * r;
                let corner = |k: i32| {
                    let (sine, cosine) = (f64::from(k) * std::f64::consts::TAU / 3.0).sin_cos();
                    out * DVec3::new(cosine, sine, 0.0)
                };
                ((0..3).map(corner).collect(), (2.0 / 3.0f64).sqrt())
            }
        };
        for place in lower {
            world.add_sphere(&Sphere::new(place + r * up, r, 1.0));
        }
        world.add_sphere(&Sphere::new((1.0 + 2.0 * cosine) * r * up, r, 1.0));
        world
    }

    /// How far the upper grain has come down from its start, m.
    pub fn descent(self, world: &World) -> f64 {
        let start = self.world(0.0, 0.0);
        let upper = start.bodies.len() - 1;
        let place = world.bodies.places()[upper] as usize;
        let up = -start.gravity / start.gravity.length();
        up.dot(start.bodies.position[upper] - world.bodies.position[place])
    }
}
