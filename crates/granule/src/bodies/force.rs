//! Forces given as functions of time: their values, and their means over a step.

use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// A load on one body over a step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Load {
    /// The force at the centre, N.
    pub force: DVec3,
    /// The torque in the world frame, N m.
    pub torque: DVec3,
}

/// A scalar function of time with an exact integral.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum TimeFunction {
    /// The same value always.
    Constant(f64),
    /// `values[k]` from `times[k]` to `times[k+1]`; zero before the first time and after the last
    /// (so `values` has one entry fewer than `times`).
    Piecewise {
        /// s, increasing.
        times: Vec<f64>,
        /// One for each interval.
        values: Vec<f64>,
    },
    /// Straight lines between the points (`times[k]`, `values[k]`); the first value before them, the last one after.
    Linear {
        /// s, increasing.
        times: Vec<f64>,
        /// One for each time.
        values: Vec<f64>,
    },
    /// `amplitude · sin(2π frequency t + phase)`.
    Sine {
        /// In the unit of the function.
        amplitude: f64,
        /// Hz.
        frequency: f64,
        /// rad.
        #[serde(default)]
        phase: f64,
    },
}

fn usable(times: &[f64], values: &[f64]) -> Result<(), String> {
    if times.windows(2).all(|w| w[0] < w[1]) && times.iter().chain(values).all(|x| x.is_finite()) {
        return Ok(());
    }
    Err("`times` must increase, and all numbers must be finite".into())
}

impl TimeFunction {
    /// The function times a factor.
    ///
    /// ```
    /// use granule::bodies::TimeFunction;
    /// assert_eq!(TimeFunction::Constant(2.0).times(3.0).at(1.0), 6.0);
    /// ```
    pub fn times(mut self, factor: f64) -> Self {
        match &mut self {
            Self::Constant(value) => *value *= factor,
            Self::Piecewise { values, .. } | Self::Linear { values, .. } => {
                values.iter_mut().for_each(|value| *value *= factor);
            }
            Self::Sine { amplitude, .. } => *amplitude *= factor,
        }
        self
    }

    /// A bound for the absolute value of the function, at all times.
    ///
    /// ```
    /// use granule::bodies::TimeFunction;
    /// let ramp = TimeFunction::Linear { times: vec![0.0, 1.0], values: vec![1.0, -4.0] };
    /// assert_eq!(ramp.most(), 4.0);
    /// ```
    pub fn most(&self) -> f64 {
        match self {
            Self::Constant(value) => value.abs(),
            Self::Piecewise { values, .. } | Self::Linear { values, .. } => {
                values.iter().fold(0.0, |most, value| value.abs().max(most))
            }
            Self::Sine { amplitude, .. } => amplitude.abs(),
        }
    }

    /// The mean over `[start, start + length]`: `1/h ∫ f dt`, integrated exactly
    /// [maury2006, §3.1; the printed formula of §6.1 lacks the 1/h].
    pub fn mean(&self, start: f64, length: f64) -> f64 {
        let end = start + length;
        match self {
            Self::Constant(value) => *value,
            Self::Piecewise { times, values } => {
                let integral: f64 = values
                    .iter()
                    .zip(times.windows(2))
                    .map(|(value, w)| value * (w[1].min(end) - w[0].max(start)).max(0.0))
                    .sum();
                integral / length
            }
            Self::Linear { times, .. } => {
                // Between the points of the step and those of the function it is straight.
                let inner = times.iter().copied().filter(|t| start < *t && *t < end);
                let mut integral = 0.0;
                let mut from = start;
                for to in inner.chain([end]) {
                    integral += 0.5 * (to - from) * (self.at(from) + self.at(to));
                    from = to;
                }
                integral / length
            }
            Self::Sine {
                amplitude,
                frequency,
                phase,
            } => {
                let rate = std::f64::consts::TAU * frequency;
                if (rate * length).abs() < 1e-8 {
                    return amplitude * (rate * (start + 0.5 * length) + phase).sin();
                }
                let primitive = |t: f64| -(rate * t + phase).cos() / rate;
                amplitude * (primitive(end) - primitive(start)) / length
            }
        }
    }

    /// The value at time `t` (s); at a jump, the one after it.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Piecewise { times, values } => {
                let interval = times.windows(2).position(|w| w[0] <= t && t < w[1]);
                interval.map_or(0.0, |k| values[k])
            }
            Self::Linear { times, values } => {
                let next = times.partition_point(|known| *known <= t);
                match (next.checked_sub(1), times.get(next)) {
                    (None, _) => values[0],
                    (Some(last), None) => values[last],
                    (Some(k), Some(end)) => {
                        let share = (t - times[k]) / (end - times[k]);
                        values[k] + share * (values[next] - values[k])
                    }
                }
            }
            Self::Sine {
                amplitude,
                frequency,
                phase,
            } => amplitude * (std::f64::consts::TAU * frequency * t + phase).sin(),
        }
    }

    /// What is wrong with the numbers of this function, if anything.
    pub fn validate(&self) -> Result<(), String> {
        match self {
            Self::Constant(value) if !value.is_finite() => Err("the value must be finite".into()),
            Self::Constant(_) => Ok(()),
            Self::Linear { times, values } => {
                if times.is_empty() || values.len() != times.len() {
                    Err(format!(
                        "`values` must have as many entries as `times`, at least one (they have {} and {})",
                        values.len(),
                        times.len()
                    ))
                } else {
                    usable(times, values)
                }
            }
            Self::Piecewise { times, values } => {
                if times.len() < 2 || values.len() + 1 != times.len() {
                    Err(format!(
                        "`values` must have one entry fewer than `times` (they have {} and {})",
                        values.len(),
                        times.len()
                    ))
                } else {
                    usable(times, values)
                }
            }
            Self::Sine {
                amplitude,
                frequency,
                phase,
            } => {
                if amplitude.is_finite() && frequency.is_finite() && phase.is_finite() {
                    Ok(())
                } else {
                    Err("`amplitude`, `frequency` and `phase` must be finite".into())
                }
            }
        }
    }
}

/// A force on every dynamic body of a material (or all of them): `direction · magnitude(t)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyForce {
    /// Direction and unit of the force: newtons per unit of `magnitude`.
    pub direction: DVec3,
    /// The function of time.
    pub magnitude: TimeFunction,
    /// Only on bodies of this material; on all if `None`.
    pub material: Option<u16>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piecewise_means_are_exact_over_jumps() {
        let f = TimeFunction::Piecewise {
            times: vec![0.0, 1.0, 3.0],
            values: vec![2.0, -1.0],
        };
        assert_eq!(f.mean(0.5, 1.0), 0.5);
        assert_eq!(f.mean(2.5, 1.0), -0.5);
        assert_eq!(f.mean(-2.0, 1.0), 0.0);
    }

    #[test]
    fn ramps_are_straight_and_their_means_exact() {
        let f = TimeFunction::Linear {
            times: vec![1.0, 2.0, 4.0],
            values: vec![3.0, 5.0, -1.0],
        };
        assert_eq!(
            [0.0, 1.0, 1.5, 2.0, 3.0, 9.0].map(|t| f.at(t)),
            [3.0, 3.0, 4.0, 5.0, 2.0, -1.0]
        );
        assert_eq!(f.mean(0.0, 2.0), 0.5 * (3.0 + 4.0));
        assert_eq!(f.mean(1.5, 1.5), (0.5 * 4.5 + 3.5) / 1.5);
        assert!(f.validate().is_ok());
        let short = TimeFunction::Linear {
            times: vec![0.0, 1.0],
            values: vec![1.0],
        };
        assert!(short.validate().is_err());
    }

    #[test]
    fn values_at_a_jump_are_those_after_it() {
        let f = TimeFunction::Piecewise {
            times: vec![0.0, 1.0, 3.0],
            values: vec![2.0, -1.0],
        };
        assert_eq!(
            [-0.1, 0.0, 0.9, 1.0, 3.0].map(|t| f.at(t)),
            [0.0, 2.0, 2.0, -1.0, 0.0]
        );
    }

    #[test]
    fn the_mean_of_a_sine_over_its_period_is_zero() {
        let f = TimeFunction::Sine {
            amplitude: 3.0,
            frequency: 4.0,
            phase: 0.7,
        };
        assert!(f.mean(0.3, 0.25).abs() < 1e-14);
        let quadrature: f64 = (0..1000)
            .map(|k| f.mean(0.1 * (k as f64 + 0.5) / 1000.0, 1e-12))
            .sum::<f64>()
            / 1000.0;
        assert!((f.mean(0.0, 0.1) - quadrature).abs() < 1e-5);
    }
}
