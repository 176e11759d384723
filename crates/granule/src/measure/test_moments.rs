//! Grains and contacts at random, for the tests of measures.

use super::{Grain, Moment};
use crate::bodies::Dimension;
use crate::math::DVec3;
use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// Numbers that are the same everywhere.
pub struct Random(Pcg64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    /// From 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// Each component from -1 to 1.
    pub fn vector(&mut self) -> DVec3 {
        2.0 * DVec3::new(self.uniform(), self.uniform(), self.uniform()) - 1.0
    }
}

/// So many balls in the cube from -1 to 1, which may overlap.
pub fn cloud(count: u32, seed: u64) -> Moment {
    let mut random = Random::new(seed);
    let grains = (0..count).map(|id| {
        let radius = 0.02 + 0.06 * random.uniform();
        Grain {
            id,
            position: random.vector(),
            velocity: random.vector(),
            radius,
            mass: 0.5 + random.uniform(),
            volume: Dimension::Space.ball_volume(radius),
            material: (id % 2) as u16,
        }
    });
    Moment::new(Dimension::Space, 0.0, grains.collect())
}

/// The grains a little later, each moved by up to `way` (m) along each axis.
pub fn moved(moment: &Moment, way: f64, seed: u64) -> Moment {
    let mut random = Random::new(seed);
    let mut later = moment.clone();
    for grain in &mut later.grains {
        grain.position += way * random.vector();
    }
    later
}

/// The grains with so many forces between pairs at random, some of them with walls.
pub fn chained(moment: &Moment, count: usize, seed: u64) -> Moment {
    let mut random = Random::new(seed);
    let mut moment = moment.clone();
    let number = moment.grains.len() as f64;
    while moment.touches.len() < count {
        let (a, b) = (number * random.uniform(), number * random.uniform());
        if a as u32 == b as u32 {
            continue;
        }
        let other = (random.uniform() > 0.1).then_some(b as u32);
        let (point, normal) = (random.vector(), random.vector().normalize());
        let force = random.vector() + normal;
        moment.add_contact([Some(a as u32), other], point, normal, force);
    }
    moment
}
