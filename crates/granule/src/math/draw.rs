//! Random numbers that are the same everywhere: PCG64 for the bits, and only operations that
//! every machine rounds alike.

use super::DQuat;
use rand::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// What numbers are drawn for. Each purpose has a stream of its own, so that another distribution
/// of radii, say, leaves the places as they are.
#[derive(Debug, Clone, Copy)]
pub enum Purpose {
    /// Where bodies are.
    Place = 1,
    /// Radii, or other measures of the size.
    Radius = 2,
    /// Masses.
    Mass = 3,
    /// How bodies are turned.
    Orientation = 4,
}

/// How a number is drawn.
///
/// ```
/// use granule::math::{Distribution, Purpose, Stream};
/// let radius = Distribution::Uniform([1e-3, 2e-3]);
/// let mut stream = Stream::new(7, Purpose::Radius);
/// let drawn = stream.draw(&radius);
/// assert!(1e-3 <= drawn && drawn <= radius.largest());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Distribution {
    /// Always the same.
    Constant(f64),
    /// Between a smallest and a largest value, all equally likely.
    Uniform([f64; 2]),
    /// See [`LogNormal`].
    LogNormal(LogNormal),
    /// See [`Histogram`].
    Histogram(Histogram),
}

impl Distribution {
    /// No value is above.
    pub fn largest(&self) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Uniform([low, high]) => low.max(*high),
            Self::LogNormal(shape) => shape.max,
            Self::Histogram(shape) => shape.edges.iter().copied().fold(0.0, f64::max),
        }
    }

    /// No value is below.
    pub fn smallest(&self) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Uniform([low, high]) => low.min(*high),
            Self::LogNormal(shape) => shape.min,
            Self::Histogram(shape) => shape.edges.iter().copied().fold(f64::INFINITY, f64::min),
        }
    }
}

/// `median · exp(sigma · Z)` with Z normal, drawn anew while outside `[min, max]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogNormal {
    /// Half of the values are below it; positive.
    pub median: f64,
    /// Standard deviation of the logarithm; not negative.
    pub sigma: f64,
    /// No value is below; positive and at most the median.
    pub min: f64,
    /// No value is above; at least the median.
    pub max: f64,
}

/// Uniform within each of several intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    /// Ends of the intervals, increasing.
    pub edges: Vec<f64>,
    /// Share of the number of grains in each interval: one fewer than `edges`, not negative, any
    /// sum but zero.
    pub weights: Vec<f64>,
}

/// A stream of random numbers.
pub struct Stream(Pcg64);

/// Odd factors that spread neighbouring numbers over 128 bits.
const SPREAD: [u128; 3] = [
    0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835,
    0xd1b5_4a32_d192_ed03_aef1_7502_108e_f2d9,
    0x8cb9_2ba7_2f3d_8dd7_bf58_476d_1ce4_e5b9,
];

/// How often a value outside the bounds is drawn anew before it is moved to the nearest bound.
const REDRAWS: usize = 10_000;

impl Stream {
    /// The numbers for a purpose that follow from a seed.
    pub fn new(seed: u64, purpose: Purpose) -> Self {
        // Neighbouring seeds must give unlike states.
        let state = (u128::from(seed) + 1).wrapping_mul(SPREAD[0]);
        Self(Pcg64::new(state, purpose as u128))
    }

    /// The same for one of many bodies at one of many steps: nothing but the seed need be remembered to draw for the
    /// next.
    pub fn keyed(seed: u64, purpose: Purpose, [body, step]: [u64; 2]) -> Self {
        let spread = |k: usize, number: u64| (u128::from(number) + 1).wrapping_mul(SPREAD[k]);
        let state = spread(0, seed)
            .wrapping_add(spread(1, body))
            .wrapping_add(spread(2, step));
        let mut stream = Self(Pcg64::new(state, purpose as u128));
        // The first numbers of states that differ by a constant are alike in their low bits.
        for _ in 0..4 {
            stream.unit();
        }
        stream
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        // 2⁻⁵³: the 53 upper bits fill a double exactly.
        (self.0.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in [low, high].
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        (low + (high - low) * self.unit()).clamp(low.min(high), high.max(low))
    }

    /// A normal number, by Marsaglia's polar method.
    fn normal(&mut self) -> f64 {
        let (x, _, s) = self.in_disk();
        x * (-2.0 * libm::log(s) / s).sqrt()
    }

    /// A point in the unit disk, not its middle, and the square of its distance from there.
    fn in_disk(&mut self) -> (f64, f64, f64) {
        loop {
            let (x, y) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return (x, y, s);
            }
        }
    }

    /// A turn, all equally likely: Marsaglia's point on the sphere in four dimensions. In a plane it is about z.
    pub fn turn(&mut self, dimension: usize) -> DQuat {
        let (x, y, s) = self.in_disk();
        if dimension == 2 {
            return DQuat::from_xyzw(0.0, 0.0, x, y).normalize();
        }
        let (z, w, rest) = self.in_disk();
        let scale = ((1.0 - s) / rest).sqrt();
        DQuat::from_xyzw(x, y, scale * z, scale * w).normalize()
    }

    /// A value of a distribution.
    pub fn draw(&mut self, distribution: &Distribution) -> f64 {
        match distribution {
            Distribution::Constant(value) => *value,
            Distribution::Uniform([low, high]) => self.between(*low, *high),
            Distribution::LogNormal(shape) => self.log_normal(shape),
            Distribution::Histogram(shape) => self.histogram(shape),
        }
    }

    fn log_normal(&mut self, shape: &LogNormal) -> f64 {
        let mut value = shape.median;
        for _ in 0..REDRAWS {
            value = shape.median * libm::exp(shape.sigma * self.normal());
            if shape.min <= value && value <= shape.max {
                return value;
            }
        }
        value.max(shape.min).min(shape.max)
    }

    fn histogram(&mut self, shape: &Histogram) -> f64 {
        let total: f64 = shape.weights.iter().sum();
        let mut rest = self.unit() * total;
        let mut chosen = None;
        for (interval, weight) in shape.edges.windows(2).zip(&shape.weights) {
            if *weight > 0.0 {
                chosen = Some(interval);
                if rest < *weight {
                    break;
                }
                rest -= weight;
            }
        }
        chosen.map_or(0.0, |interval| self.between(interval[0], interval[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;

    #[test]
    fn the_bits_of_the_stream_are_pinned() {
        // A scene must give the same bodies on every machine and in every later version.
        let mut stream = Stream::new(7, Purpose::Place);
        let drawn: Vec<u64> = (0..3).map(|_| stream.unit().to_bits()).collect();
        let mut shape = Stream::new(7, Purpose::Radius);
        let log_normal = LogNormal {
            median: 1.0,
            sigma: 0.5,
            min: 0.1,
            max: 9.0,
        };
        let value = shape.log_normal(&log_normal).to_bits();
        insta::assert_snapshot!(format!("{drawn:x?} {value:x}"));
    }

    #[test]
    fn turns_prefer_no_direction() {
        // Of a uniform turn R each entry has the mean 0 and the mean square 1/3, and R e₁ any direction.
        let mut stream = Stream::new(5, Purpose::Orientation);
        let count = 20_000;
        let (mut mean, mut square, mut trace) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for _ in 0..count {
            let turn = stream.turn(3);
            assert!((turn.length() - 1.0).abs() < 1e-15);
            let x = turn * DVec3::X;
            mean += x;
            square += x * x;
            let angle = 2.0 * turn.w.abs().acos();
            trace += 1.0 + 2.0 * angle.cos();
        }
        let count = f64::from(count);
        assert!((mean / count).length() < 0.02, "{mean}");
        assert!((square / count - DVec3::splat(1.0 / 3.0)).length() < 0.01);
        assert!((trace / count).abs() < 0.03, "{trace}");
        let flat = Stream::new(5, Purpose::Orientation).turn(2);
        assert_eq!((flat.x, flat.y), (0.0, 0.0));
    }

    #[test]
    fn bodies_and_steps_that_follow_each_other_draw_unlike_numbers() {
        // Mean, mean square and the products of neighbours of independent uniform numbers.
        let count = 20_000;
        let first = |body: u64, step: u64| Stream::keyed(3, Purpose::Place, [body, step]).unit();
        for of in [|k: u64| [k, 5], |k: u64| [5, k], |k: u64| [k, k]] {
            let drawn: Vec<f64> = (0..count).map(|k| first(of(k)[0], of(k)[1])).collect();
            let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / count as f64;
            assert!((mean(&mut drawn.iter().copied()) - 0.5).abs() < 0.01);
            assert!((mean(&mut drawn.iter().map(|x| x * x)) - 1.0 / 3.0).abs() < 0.01);
            let products = mean(&mut drawn.windows(2).map(|x| x[0] * x[1]));
            assert!((products - 0.25).abs() < 0.01, "{products}");
        }
    }

    #[test]
    fn a_histogram_follows_its_weights() {
        let shape = Histogram {
            edges: vec![1.0, 2.0, 3.0, 4.0],
            weights: vec![1.0, 0.0, 3.0],
        };
        let mut stream = Stream::new(1, Purpose::Radius);
        let values: Vec<f64> = (0..4000).map(|_| stream.histogram(&shape)).collect();
        let low = values.iter().filter(|&&v| v <= 2.0).count();
        assert!(
            values
                .iter()
                .all(|v| (1.0..=2.0).contains(v) || (3.0..=4.0).contains(v))
        );
        assert!((900..1100).contains(&low), "{low}");
    }

    #[test]
    fn a_log_normal_keeps_its_median_and_its_bounds() {
        let shape = LogNormal {
            median: 2.0,
            sigma: 0.6,
            min: 0.5,
            max: 8.0,
        };
        let mut stream = Stream::new(3, Purpose::Radius);
        let mut values: Vec<f64> = (0..5000).map(|_| stream.log_normal(&shape)).collect();
        values.sort_by(f64::total_cmp);
        assert!(values[0] >= 0.5 && values[4999] <= 8.0);
        assert!((values[2500] - 2.0).abs() < 0.1, "{}", values[2500]);
    }
}
