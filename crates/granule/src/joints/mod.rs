#![doc = include_str!("README.md")]

mod drive;
mod loops;
mod placed;
mod state;

pub use drive::{Along, Drive, Effect};
pub use loops::{RedundantLoop, redundant_loops};
pub use placed::{JointRow, PlacedJoint, Pose};
pub use state::JointState;

use crate::bodies::{Bodies, Dimension};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::ProblemKind;
use serde::{Deserialize, Serialize};

/// Where a joint is on a body: a frame of which z is the joint's axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// In the frame of the body (centre of mass, principal axes), or in the world for the ground, m.
    pub position: DVec3,
    /// The axes of the joint in that frame.
    pub orientation: DQuat,
}

impl Anchor {
    /// A frame at `position` with its z along `axis` (not zero). If the axis lies in the plane of x and y, so does the
    /// frame's x; then a planar joint has rows in the plane and across it, and none between.
    pub fn along(position: DVec3, axis: DVec3) -> Self {
        let z = axis.normalize();
        let across = DVec3::Z.cross(z);
        let x = if across.length() > 1e-9 {
            across.normalize()
        } else {
            DVec3::X
        };
        Self {
            position,
            orientation: DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize(),
        }
    }

    /// The frame of the world as a body in this pose sees it.
    fn seen_from(self, (position, orientation): Pose) -> Self {
        let back = orientation.conjugate();
        Self {
            position: back * (self.position - position),
            orientation: (back * self.orientation).normalize(),
        }
    }
}

/// What a joint leaves free, see [the table](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// Two points stay together.
    Ball,
    /// The two turn against each other about the axis, and nothing else.
    Hinge,
    /// The two slide against each other along the axis, and nothing else.
    Slider,
    /// The two slide along the axis and turn about it.
    Cylindrical,
    /// Two points stay together, and x of the first stays square to y of the second: a cardan joint.
    Universal,
    /// The two move as one.
    Fixed,
    /// Two points keep their distance.
    Distance {
        /// m.
        length: f64,
    },
    /// The point of the first stays on the axis of the second.
    PointOnLine,
    /// The first turns about its axis by `-ratio` times the angle that the second turns about its own; both in the
    /// world, where other joints hold the axes.
    Gear {
        /// r, without a unit; negative where both turn the same way.
        ratio: f64,
    },
    /// Nothing is held: springs, ropes and winches act along the line between two points.
    Link,
}

/// A joint between two bodies, or between a body and the ground.
///
/// ```
/// use granule::bodies::{Dimension, Sphere};
/// use granule::joints::{Joint, Kind};
/// use granule::math::DVec3;
/// use granule::simulation::{Settings, Simulation, StepSize, World};
/// // A pendulum of 1 m, let go sideways.
/// let mut world = World::new(Dimension::Space);
/// world.gravity = -9.81 * DVec3::Z;
/// let bob = world.add_sphere(&Sphere::new(DVec3::X, 0.1, 1.0));
/// let pivot = Joint::at(Kind::Ball, &world.bodies, [Some(bob), None], DVec3::ZERO, DVec3::Y);
/// world.joints.push(pivot);
/// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(1e-3), 0.3))?;
/// while !simulation.finished() {
///     simulation.step()?;
/// }
/// let bob = simulation.world().bodies.position[0];
/// assert!(bob.z < -0.3 && (bob.length() - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// What it leaves free.
    pub kind: Kind,
    /// The ids of the two bodies, a and b; `None` for the ground.
    pub bodies: [Option<u32>; 2],
    /// Where it is on each of them.
    pub anchors: [Anchor; 2],
    /// What acts on what is free.
    pub drives: Vec<Drive>,
    /// Whether the two bodies touch each other.
    pub collide: bool,
    /// The force (N) on body a at which the joint breaks for good, motors and stops included.
    pub break_force: Option<f64>,
    /// The same for the moment, N m.
    pub break_torque: Option<f64>,
}

impl Joint {
    /// A joint with these anchors, without drives; the two do not touch each other.
    pub fn new(kind: Kind, bodies: [Option<u32>; 2], anchors: [Anchor; 2]) -> Self {
        Self {
            kind,
            bodies,
            anchors,
            drives: Vec::new(),
            collide: false,
            break_force: None,
            break_torque: None,
        }
    }

    /// A joint at a `point` (m) of the world with this `axis` (not zero), where the bodies stand now.
    ///
    /// # Panics
    /// If there is no body with one of these ids.
    pub fn at(
        kind: Kind,
        bodies: &Bodies,
        ends: [Option<u32>; 2],
        point: DVec3,
        axis: DVec3,
    ) -> Self {
        let frame = Anchor::along(point, axis);
        Self::between(kind, bodies, ends, [frame; 2])
    }

    /// A joint with one frame of the world for each end, where the bodies stand now.
    ///
    /// # Panics
    /// If there is no body with one of these ids.
    pub fn between(
        kind: Kind,
        bodies: &Bodies,
        ends: [Option<u32>; 2],
        frames: [Anchor; 2],
    ) -> Self {
        let mut anchors = frames;
        for (anchor, end) in anchors.iter_mut().zip(ends) {
            if let Some(id) = end {
                let place = bodies.place_of(id).expect("the bodies are there");
                *anchor = anchor.seen_from((bodies.position[place], bodies.orientation[place]));
            }
        }
        Self::new(kind, ends, anchors)
    }

    /// The same joint with one more drive.
    pub fn with(mut self, along: Along, effect: Effect) -> Self {
        self.drives.push(Drive { along, effect });
        self
    }

    /// Adds what a solver must cope with.
    pub fn add_to(&self, kind: &mut ProblemKind) {
        kind.sets.free |= !matches!(self.kind, Kind::Link);
        for drive in &self.drives {
            match &drive.effect {
                Effect::Limits { .. } => kind.sets.half_line = true,
                Effect::Speed { strength, .. } | Effect::Position { strength, .. } => {
                    kind.sets.free |= strength.is_none();
                    kind.sets.segment |= strength.is_some();
                }
                Effect::Spring { .. } => {
                    kind.sets.free = true;
                    kind.compliance = true;
                }
                Effect::Force { fastest, .. } => kind.sets.half_line |= fastest.is_some(),
                Effect::Friction { .. } => kind.sets.segment = true,
            }
        }
    }

    /// What is wrong with the joint, if anything, and how to mend it.
    pub fn validate(&self, dimension: Dimension) -> Result<(), String> {
        if dimension == Dimension::Line {
            return Err("joints are for bodies in a plane or in space".to_owned());
        }
        if self.bodies[0] == self.bodies[1] {
            return Err("it joins a body to itself; name two different ones".to_owned());
        }
        for anchor in &self.anchors {
            if !(anchor.position.is_finite() && anchor.orientation.is_normalized()) {
                return Err("an anchor is not a finite place with a unit orientation".to_owned());
            }
        }
        match self.kind {
            Kind::Distance { length } if !(length > 0.0 && length.is_finite()) => {
                return Err(format!("`length` must be above zero (m), not {length}"));
            }
            Kind::Gear { ratio } if !(ratio.is_finite() && ratio != 0.0) => {
                return Err(format!(
                    "`ratio` must be a finite number that is not zero, not {ratio}"
                ));
            }
            Kind::Distance { .. }
            | Kind::Gear { .. }
            | Kind::Ball
            | Kind::Hinge
            | Kind::Slider
            | Kind::Cylindrical
            | Kind::Universal
            | Kind::Fixed
            | Kind::PointOnLine
            | Kind::Link => {}
        }
        for (name, limit) in [
            ("break_force", self.break_force),
            ("break_torque", self.break_torque),
        ] {
            if let Some(limit) = limit.filter(|limit| !(*limit > 0.0 && limit.is_finite())) {
                return Err(format!("`{name}` must be above zero, not {limit}"));
            }
        }
        for drive in &self.drives {
            if !self.kind.coordinates().contains(&drive.along) {
                return Err(format!(
                    "a {} has no coordinate {} that could be driven; it has {}",
                    self.kind.name(),
                    drive.along.name(),
                    self.kind.coordinate_names()
                ));
            }
            drive.validate()?;
        }
        Ok(())
    }
}

impl Kind {
    /// The name used in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Fixed => "fixed",
            Self::Distance { .. } => "distance",
            Self::PointOnLine => "point-on-line",
            Self::Gear { .. } => "gear",
            Self::Link => "link",
        }
    }

    /// What of it can be driven.
    pub fn coordinates(self) -> &'static [Along] {
        match self {
            Self::Hinge => &[Along::Turn],
            Self::Slider | Self::PointOnLine => &[Along::Slide],
            Self::Cylindrical => &[Along::Turn, Along::Slide],
            Self::Link => &[Along::Length],
            Self::Ball | Self::Universal => &[Along::Swivel],
            Self::Fixed | Self::Distance { .. } | Self::Gear { .. } => &[],
        }
    }

    fn coordinate_names(self) -> String {
        let names: Vec<&str> = self.coordinates().iter().map(|c| c.name()).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(" and ")
        }
    }
}
