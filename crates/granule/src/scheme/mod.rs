#![doc = include_str!("README.md")]

mod assembly;
mod bonds;
mod config;
mod drive_rows;
mod joint_rows;
mod linearised_gap;
mod maury;
mod moreau_jean;
mod motion;
mod rattle;
mod recovery;
mod shake;
mod springs;
mod surroundings;

pub use assembly::{Offset, assemble};
pub use bonds::{BondFlow, BondedContact};
pub use config::{Recovery, SchemeConfig, SchemeName};
pub use joint_rows::{JointPlace, JointRows, Moment};
pub use maury::Maury;
pub use moreau_jean::MoreauJean;
pub use motion::{Outcome, advance, predict_end};
pub use rattle::Rattle;
pub use recovery::{RecoveryExtent, assemble_recovery, closed_contacts, normal_velocities};
pub use shake::Shake;
pub use springs::Spring;
pub use surroundings::{PressedFaces, Surroundings, Velocities};

use crate::bodies::{Bodies, BodyForce, CellRate, Dimension, Image, Lattice, Load};
use crate::law::{Flow, Interface};
use crate::math::{DQuat, DVec3};

/// The step that is taken, and what moves the bodies in it besides contacts.
#[derive(Debug, Clone, Copy)]
pub struct Dynamics<'a> {
    /// Time at the start of the step, s.
    pub time: f64,
    /// Length h of the step, s.
    pub step: f64,
    /// In how many dimensions.
    pub dimension: Dimension,
    /// Whether bodies do not turn.
    pub lock_rotation: bool,
    /// m/s².
    pub gravity: DVec3,
    /// Other forces.
    pub forces: &'a [BodyForce],
    /// Loads on single bodies, by their places, or none at all.
    pub loads: &'a [Load],
}

impl Dynamics<'_> {
    /// The axes that bodies may move along and turn about: 1 where they may, 0 where they may not.
    pub fn free_axes(&self) -> (DVec3, DVec3) {
        free_axes(self.dimension, self.lock_rotation)
    }
}

/// The axes that bodies may move along and turn about: 1 where they may, 0 where they may not.
fn free_axes(dimension: Dimension, lock_rotation: bool) -> (DVec3, DVec3) {
    let (moves, turns) = match dimension {
        Dimension::Line => (DVec3::X, DVec3::ZERO),
        Dimension::Plane => (DVec3::new(1.0, 1.0, 0.0), DVec3::Z),
        Dimension::Space => (DVec3::ONE, DVec3::ONE),
    };
    (moves, if lock_rotation { DVec3::ZERO } else { turns })
}

/// The motion of a step before contacts act, and where contacts are looked for.
#[derive(Debug, Clone, Default)]
pub struct Prediction {
    /// Time at the start of the step, s.
    pub time: f64,
    /// Length h of the step, s.
    pub step: f64,
    /// The time at which contacts are looked for, s.
    pub contact_time: f64,
    /// From then to the end of the step, s.
    pub remaining: f64,
    /// Where the bodies are when contacts are looked for, as far as is known before the solve, m.
    pub position: Vec<DVec3>,
    /// How they are turned then.
    pub orientation: Vec<DQuat>,
    /// v_free: velocities without contacts; for kinematic bodies their mean over h from `contact_time` on,
    /// m/s.
    pub linear: Vec<DVec3>,
    /// ω_free, world frame, rad/s.
    pub angular: Vec<DVec3>,
    /// The periodic cell when contacts are looked for, if there is one, with the rates at which it changes from then
    /// on: without contacts at first, and what they make of them after the solve.
    pub lattice: Option<Lattice>,
    /// The rates at which it changed before.
    pub rate_before: CellRate,
    /// The rates at which it would change without contacts.
    pub rate_free: CellRate,
}

impl Prediction {
    /// Where the bodies are (m), and how they are turned, when contacts are looked for.
    pub fn poses(&self) -> (&[DVec3], &[DQuat]) {
        (&self.position, &self.orientation)
    }

    /// Makes the cell change from when contacts are looked for on with what they add (m/s) to the rates of its lengths.
    pub fn set_cell_change(&mut self, added: DVec3) {
        let mut rate = self.rate_free;
        rate.size += added;
        self.lattice = self.lattice.map(|lattice| lattice.with_rate(rate));
    }

    /// From a body to its image, m.
    pub fn image_shift(&self, image: Image) -> DVec3 {
        let shift = |lattice: &Lattice| lattice.shift(image);
        self.lattice.as_ref().map_or(DVec3::ZERO, shift)
    }

    /// The velocity of an image less that of the body, m/s, over h from `start` (s) on.
    pub fn image_velocity(&self, image: Image, start: f64) -> DVec3 {
        let Some(lattice) = self.lattice.filter(|_| image != Image::SELF) else {
            return DVec3::ZERO;
        };
        if start < self.contact_time {
            lattice.with_rate(self.rate_before).velocity(image)
        } else {
            lattice.velocity(image)
        }
    }
}

/// What a scheme constrains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The gaps at the end of the step: every pair that can meet in the step takes part, also
    /// those that had been left out and would overlap.
    Position,
    /// The velocities of contacts that are closed where they are looked for.
    Velocity,
}

/// The gap of a contact, and what holds across it.
#[derive(Debug, Clone, Copy)]
pub struct Gap<'a> {
    /// m; negative where the two overlap.
    pub distance: f64,
    /// Gaps and overlaps up to this count as none, m: zero but for faces that rest on each other.
    pub slack: f64,
    /// The law and the restitution between the two materials.
    pub interface: &'a Interface,
}

impl Gap<'_> {
    /// What of the distance is more than the slack, m.
    fn beyond_slack(&self) -> f64 {
        if self.slack > 0.0 {
            self.distance - self.distance.clamp(-self.slack, self.slack)
        } else {
            self.distance
        }
    }
}

/// How time is stepped: what the velocities are without contacts, what the gap adds to the
/// problem, and where contacts are looked for.
pub trait Scheme: Send {
    /// Which scheme this is.
    fn name(&self) -> SchemeName;

    /// What it constrains.
    fn level(&self) -> Level;

    /// The motion over the step before contacts act.
    fn predict(&self, bodies: &Bodies, dynamics: &Dynamics, prediction: &mut Prediction);

    /// s_n: what is added to the normal velocity of a contact with this gap in a step of this length (s),
    /// m/s. `allowed` is the penetration (m) that the last certificate allowed.
    fn offset(&self, gap: &Gap, step: f64, allowed: f64) -> f64;

    /// Whether a contact with this gap, where it is looked for, may have to be recovered by a
    /// displacement of its own.
    fn recovers(&self, gap: &Gap, allowed: f64) -> bool;

    /// Whether velocities are those of the middles of steps, so that forces in a step are those at its start.
    fn centred(&self) -> bool {
        false
    }

    /// Whether a second problem, at the end of the step, makes the velocities fit the contacts that
    /// are closed there.
    fn stops_at_end(&self) -> bool {
        false
    }

    /// How impulses go with velocities in that second problem, where the law has `flow`.
    fn end_flow(&self, flow: Flow) -> Flow {
        flow
    }

    /// Whether under a convexified law contacts count as open by what their slip at the start of the
    /// step asks for.
    fn slip_opens(&self) -> bool {
        false
    }
}

/// Makes the scheme that `config` asks for.
pub fn scheme(config: &SchemeConfig) -> Box<dyn Scheme> {
    match config.name {
        SchemeName::Maury => Box::new(Maury::new(config.recovery)),
        SchemeName::MoreauJean => Box::new(MoreauJean::new(config.theta, config.recovery)),
        SchemeName::Shake => Box::new(Shake::new(config.recovery)),
        SchemeName::Rattle => Box::new(Rattle::new(config.recovery)),
    }
}
