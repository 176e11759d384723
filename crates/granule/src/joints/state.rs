//! What a joint remembers from step to step.

use super::{Along, Joint, Kind, PlacedJoint};
use serde::{Deserialize, Serialize};

/// What is remembered of a joint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JointState {
    /// The angle about the axis with whole turns, rad; of a gear the error of the two angles.
    pub turn: f64,
    /// Whether it broke.
    pub broken: bool,
    /// The impulses of its rows in the last step, N s, for the start of the next solve.
    pub impulses: Vec<f64>,
}

impl JointState {
    /// The state of a joint that has not moved yet.
    pub fn new(joint: &Joint, placed: &PlacedJoint) -> Self {
        let turns = joint.kind.coordinates().contains(&Along::Turn);
        Self {
            turn: if turns { placed.angle() } else { 0.0 },
            ..Self::default()
        }
    }

    /// The angle about the axis nearest to the one before that fits the poses, rad.
    pub fn turned(&self, placed: &PlacedJoint) -> f64 {
        let tau = std::f64::consts::TAU;
        let angle = placed.angle();
        angle + tau * ((self.turn - angle) / tau).round()
    }

    /// Goes on to other poses, after a step in which a gear's row moved by `slipped` (rad).
    pub fn advance(&mut self, joint: &Joint, placed: &PlacedJoint, slipped: f64) {
        match joint.kind {
            Kind::Gear { .. } => self.turn += slipped,
            Kind::Hinge | Kind::Cylindrical => self.turn = self.turned(placed),
            Kind::Ball
            | Kind::Slider
            | Kind::Universal
            | Kind::Fixed
            | Kind::Distance { .. }
            | Kind::PointOnLine
            | Kind::Link => {}
        }
    }
}
