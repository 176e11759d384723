//! Bodies that leave.

use crate::math::DVec3;
use crate::shapes::Region;
use serde::{Deserialize, Serialize};

/// A part of space, and what becomes of bodies whose centres get there.
///
/// ```
/// use granule::bodies::{Dimension, Sphere};
/// use granule::exchange::{OnExit, Outlet, Zone};
/// use granule::math::DVec3;
/// use granule::simulation::{Settings, Simulation, StepSize, World};
///
/// let mut world = World::new(Dimension::Space);
/// world.gravity = DVec3::new(0.0, 0.0, -9.81);
/// world.add_sphere(&Sphere::new(DVec3::Z, 0.1, 2.0));
/// let below = Zone::Beyond { point: DVec3::ZERO, direction: -DVec3::Z };
/// world.outlets.push(Outlet::new(below, OnExit::Remove));
/// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(1e-3), 1.0))?;
/// while !simulation.finished() {
///     simulation.step()?;
/// }
/// assert!(simulation.world().bodies.is_empty());
/// assert_eq!(simulation.world().outlets[0].gone.mass, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outlet {
    /// Where bodies leave.
    pub zone: Zone,
    /// What becomes of them.
    pub on_exit: OnExit,
    /// What left so far.
    pub gone: Gone,
}

/// Where bodies leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Zone {
    /// In a region. What is so fast that it is through within a step is not seen there.
    Within(Region),
    /// Everywhere but in a region.
    Outside(Region),
    /// Beyond a plane.
    Beyond {
        /// A point of the plane, m.
        point: DVec3,
        /// Out of the system; of any length but zero.
        direction: DVec3,
    },
}

/// What becomes of bodies that leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnExit {
    /// They are taken out, and counted.
    #[default]
    Remove,
    /// They stay, and it is told how many are there.
    Warn,
    /// The step cannot be taken.
    Stop,
}

/// What went through an outlet.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Gone {
    /// Bodies that were taken out; of those that stay, the most that were there at once.
    pub count: u64,
    /// Of bodies that were taken out, kg.
    pub mass: f64,
}

impl Outlet {
    /// One through which nothing went.
    pub fn new(zone: Zone, on_exit: OnExit) -> Self {
        Self {
            zone,
            on_exit,
            gone: Gone::default(),
        }
    }

    /// What is wrong with it, if anything.
    pub(crate) fn flaw(&self, dimension: usize) -> Option<String> {
        let usable = match &self.zone {
            Zone::Within(region) | Zone::Outside(region) => region.is_usable(dimension),
            Zone::Beyond { point, direction } => {
                point.is_finite() && direction.is_finite() && *direction != DVec3::ZERO
            }
        };
        (!usable).then(|| "its zone is empty or not finite".to_owned())
    }
}

impl Zone {
    /// Whether a point (m) is in it, in so many dimensions.
    pub fn holds(&self, point: DVec3, dimension: usize) -> bool {
        match self {
            Self::Within(region) => region.holds_sphere(point, 0.0, dimension),
            Self::Outside(region) => !region.holds_sphere(point, 0.0, dimension),
            Self::Beyond {
                point: of_plane,
                direction,
            } => (point - of_plane).dot(*direction) > 0.0,
        }
    }
}
