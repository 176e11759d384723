//! Motors, springs, stops and friction on what a joint leaves free.

use crate::bodies::TimeFunction;
use serde::{Deserialize, Serialize};

/// A coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Along {
    /// The angle of the first body against the second about the axis, rad; it counts whole turns.
    Turn,
    /// The way of the first body's anchor along the axis of the second, m.
    Slide,
    /// The distance of the two anchors, m.
    Length,
    /// Every turn that the joint leaves free, rad: for friction alone, about each of the axes by itself.
    Swivel,
}

impl Along {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Slide => "slide",
            Self::Length => "length",
            Self::Swivel => "swivel",
        }
    }
}

/// What acts on a coordinate. Angles in rad, lengths in m; strengths in N m for angles and in N for lengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Effect {
    /// Stops.
    Limits {
        /// The coordinate is at least this.
        least: Option<f64>,
        /// And at most this.
        most: Option<f64>,
    },
    /// A motor that holds a speed.
    Speed {
        /// rad/s or m/s.
        target: TimeFunction,
        /// The largest moment or force; any if not given.
        strength: Option<f64>,
    },
    /// A motor that holds a position.
    Position {
        /// rad or m.
        target: TimeFunction,
        /// The largest moment or force; any if not given.
        strength: Option<f64>,
    },
    /// A spring and a damper. No step is too long for a stiff one.
    Spring {
        /// K, N m/rad or N/m.
        stiffness: f64,
        /// R, N m s/rad or N s/m.
        damping: f64,
        /// The coordinate at which it carries nothing, rad or m.
        rest: TimeFunction,
    },
    /// A force or moment of any size, whatever moves: a piston, a jack, a weight on a rope.
    Force {
        /// N m or N along the coordinate; Pa or N/m where there are spans.
        target: TimeFunction,
        /// The largest speed that it drives the coordinate to, rad/s or m/s; any if not given.
        fastest: Option<f64>,
        /// Pairs of walls, by their numbers: the target is multiplied by the distance (m) of each pair along the axis of its
        /// first. With two pairs it is a stress on the area between them.
        spans: Vec<[u32; 2]>,
    },
    /// Dry friction of a given strength.
    Friction {
        /// N m or N.
        strength: f64,
    },
}

/// Something that acts on a coordinate of a joint.
///
/// ```
/// use granule::bodies::TimeFunction;
/// use granule::joints::{Along, Drive, Effect};
/// let target = TimeFunction::Constant(3.0);
/// let motor = Drive { along: Along::Turn, effect: Effect::Speed { target, strength: Some(20.0) } };
/// assert!(motor.validate().is_ok());
/// let brake = Drive { along: Along::Turn, effect: Effect::Friction { strength: -1.0 } };
/// assert!(brake.validate().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    /// On which coordinate.
    pub along: Along,
    /// What.
    pub effect: Effect,
}

fn not_negative(name: &str, value: f64) -> Result<(), String> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(format!("`{name}` must be zero or more, not {value}"))
}

impl Drive {
    /// What is wrong with its numbers, if anything.
    pub fn validate(&self) -> Result<(), String> {
        if self.along == Along::Swivel && !matches!(self.effect, Effect::Friction { .. }) {
            return Err(
                "of all turns together there is no angle: friction alone acts on them".into(),
            );
        }
        match &self.effect {
            Effect::Limits { least, most } => {
                let finite = |x: &Option<f64>| x.is_none_or(f64::is_finite);
                if !(finite(least) && finite(most)) {
                    return Err("limits must be finite; leave out what has none".to_owned());
                }
                match (least, most) {
                    (Some(least), Some(most)) if least > most => Err(format!(
                        "the lower limit, {least}, is above the upper one, {most}"
                    )),
                    (None, None) => Err("limits need a lower or an upper one".to_owned()),
                    (Some(_) | None, Some(_)) | (Some(_), None) => Ok(()),
                }
            }
            Effect::Speed { target, strength } | Effect::Position { target, strength } => {
                target.validate()?;
                not_negative("strength", strength.unwrap_or(0.0))
            }
            Effect::Spring {
                stiffness,
                damping,
                rest,
            } => {
                not_negative("stiffness", *stiffness)?;
                not_negative("damping", *damping)?;
                if *stiffness == 0.0 && *damping == 0.0 {
                    return Err("a spring needs a stiffness or a damping".to_owned());
                }
                rest.validate()
            }
            Effect::Force {
                target, fastest, ..
            } => {
                target.validate()?;
                match fastest {
                    Some(speed) if !(*speed > 0.0 && speed.is_finite()) => {
                        Err(format!("`fastest` must be above zero, not {speed}"))
                    }
                    Some(_) | None => Ok(()),
                }
            }
            Effect::Friction { strength } => not_negative("strength", *strength),
        }
    }
}
