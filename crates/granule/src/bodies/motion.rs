//! Prescribed motions as functions of time.

use crate::math::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// How a wall or a kinematic body moves. Times in s, lengths in m, angles in rad.
///
/// A motion gives a displacement and a turn relative to the start; velocities over a step are
/// always differences of these, so that a wall is at the end of the step where it is said to be,
/// whatever the step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Motion {
    /// Does not move.
    Fixed,
    /// Constant velocity.
    Velocity {
        /// m/s.
        linear: [f64; 3],
    },
    /// Turns at a constant rate about a fixed axis.
    Rotation {
        /// Direction of the axis; need not be of unit length.
        axis: [f64; 3],
        /// rad/s.
        rate: f64,
        /// A point of the axis; the body's own centre if not given.
        #[serde(default)]
        center: Option<[f64; 3]>,
    },
    /// `amplitude · (sin(2π frequency t + phase) - sin(phase))`.
    Oscillation {
        /// m, a vector.
        amplitude: [f64; 3],
        /// Hz.
        frequency: f64,
        /// rad.
        #[serde(default)]
        phase: f64,
    },
    /// Constant velocity between given times: `velocities[k]` from `times[k]` to `times[k+1]`;
    /// at rest before the first time, and the last velocity holds on after the last time.
    Piecewise {
        /// s, increasing.
        times: Vec<f64>,
        /// m/s, one for each time.
        velocities: Vec<[f64; 3]>,
    },
}

impl Motion {
    /// What is wrong with the numbers of this motion, if anything.
    pub fn validate(&self) -> Result<(), String> {
        let finite = |v: &[f64; 3]| v.iter().all(|x| x.is_finite());
        match self {
            Self::Fixed => Ok(()),
            Self::Velocity { linear } if !finite(linear) => {
                Err("`linear` must be finite".to_owned())
            }
            Self::Rotation { axis, rate, center } => {
                if !DVec3::from_array(*axis).length().is_normal() {
                    Err("`axis` must be a finite vector that is not zero".to_owned())
                } else if !rate.is_finite() || !center.iter().all(finite) {
                    Err("`rate` and `center` must be finite".to_owned())
                } else {
                    Ok(())
                }
            }
            Self::Oscillation {
                amplitude,
                frequency,
                phase,
            } => {
                if finite(amplitude) && frequency.is_finite() && phase.is_finite() {
                    Ok(())
                } else {
                    Err("`amplitude`, `frequency` and `phase` must be finite".to_owned())
                }
            }
            Self::Piecewise { times, velocities } => {
                if times.is_empty() || times.len() != velocities.len() {
                    Err(format!(
                        "`times` and `velocities` must have the same length, at least 1 (they have {} and {})",
                        times.len(),
                        velocities.len()
                    ))
                } else if !times.windows(2).all(|w| w[0] < w[1])
                    || !times.iter().all(|t| t.is_finite())
                {
                    Err("`times` must be finite and increasing".to_owned())
                } else if !velocities.iter().all(finite) {
                    Err("`velocities` must be finite".to_owned())
                } else {
                    Ok(())
                }
            }
            Self::Velocity { .. } => Ok(()),
        }
    }

    /// The pose at time `t` of a body that stands at (`position`, `orientation`) at time zero.
    pub fn pose(&self, t: f64, position: DVec3, orientation: DQuat) -> (DVec3, DQuat) {
        match self {
            Self::Fixed => (position, orientation),
            Self::Velocity { linear } => (position + t * DVec3::from_array(*linear), orientation),
            Self::Rotation { axis, rate, center } => {
                let axis = DVec3::from_array(*axis).normalize();
                let turn = DQuat::from_axis_angle(axis, rate * t);
                let center = center.map_or(position, DVec3::from_array);
                (
                    center + turn * (position - center),
                    (turn * orientation).normalize(),
                )
            }
            Self::Oscillation {
                amplitude,
                frequency,
                phase,
            } => {
                let angle = std::f64::consts::TAU * frequency * t + phase;
                let swing = angle.sin() - phase.sin();
                (
                    position + swing * DVec3::from_array(*amplitude),
                    orientation,
                )
            }
            Self::Piecewise { times, velocities } => {
                let mut place = position;
                for (k, velocity) in velocities.iter().enumerate() {
                    let end = times.get(k + 1).map_or(t, |&next| next.min(t));
                    let duration = (end - times[k]).max(0.0);
                    place += duration * DVec3::from_array(*velocity);
                }
                (place, orientation)
            }
        }
    }

    /// The angular velocity, world frame, rad/s.
    pub fn angular_velocity(&self) -> DVec3 {
        match self {
            Self::Rotation { axis, rate, .. } => *rate * DVec3::from_array(*axis).normalize(),
            _ => DVec3::ZERO,
        }
    }
}
