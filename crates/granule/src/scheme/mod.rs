#![doc = include_str!("README.md")]

mod assembly;
mod config;
mod maury;

pub use assembly::{Scenery, assemble, assemble_recovery};
pub use config::{Recovery, SchemeConfig, SchemeName};
pub use maury::Maury;

use crate::bodies::{Bodies, BodyForce, Dimension};
use crate::math::DVec3;

/// What moves the bodies besides contacts.
#[derive(Debug, Clone, Copy)]
pub struct Dynamics<'a> {
    /// In how many dimensions.
    pub dimension: Dimension,
    /// Whether bodies do not turn.
    pub lock_rotation: bool,
    /// m/s².
    pub gravity: DVec3,
    /// Other forces.
    pub forces: &'a [BodyForce],
}

impl Dynamics<'_> {
    /// The axes that bodies may move along and turn about: 1 where they may, 0 where they may not.
    pub fn free_axes(&self) -> (DVec3, DVec3) {
        let (moves, turns) = match self.dimension {
            Dimension::Line => (DVec3::X, DVec3::ZERO),
            Dimension::Plane => (DVec3::new(1.0, 1.0, 0.0), DVec3::Z),
            Dimension::Space => (DVec3::ONE, DVec3::ONE),
        };
        let turns = if self.lock_rotation {
            DVec3::ZERO
        } else {
            turns
        };
        (moves, turns)
    }
}

/// The motion of a step before contacts act.
#[derive(Debug, Clone, Default)]
pub struct Prediction {
    /// Time at the start of the step, s.
    pub time: f64,
    /// Length h of the step, s.
    pub step: f64,
    /// v_free: velocities without contacts; for kinematic bodies their mean over the step, m/s.
    pub linear: Vec<DVec3>,
    /// ω_free, world frame, rad/s.
    pub angular: Vec<DVec3>,
}

/// How time is stepped: what the velocities are without contacts, what the gap adds to the
/// problem, and how positions move.
pub trait Scheme: Send {
    /// Which scheme this is.
    fn name(&self) -> SchemeName;

    /// The motion over `[time, time + step]` before contacts act.
    fn predict(
        &self,
        bodies: &Bodies,
        dynamics: &Dynamics,
        time: f64,
        step: f64,
        prediction: &mut Prediction,
    );

    /// s_n: what is added to the normal velocity of a contact with this gap (m), m/s.
    /// `allowed` is the penetration (m) that the last certificate allowed.
    fn offset(&self, gap: f64, step: f64, allowed: f64) -> f64;

    /// Whether a contact with this gap must be recovered by a displacement of its own.
    fn recovers(&self, gap: f64, allowed: f64) -> bool;

    /// Moves the bodies over the step with the velocities they have now, and by `shift` (m/s, times
    /// the step) where positions are recovered.
    fn advance(&self, bodies: &mut Bodies, time: f64, step: f64, shift: Option<&[DVec3]>);
}

/// Makes the scheme that `config` asks for.
pub fn scheme(config: &SchemeConfig) -> Box<dyn Scheme> {
    match config.name {
        SchemeName::Maury => Box::new(Maury::new(config.recovery)),
    }
}
