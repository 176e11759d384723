//! Random numbers that are the same everywhere: PCG64 for the bits, and only operations that
//! every machine rounds alike.

use crate::scene::grammar::{Distribution, Histogram, LogNormal, Quantity};
use granule::math::DQuat;
use rand::Rng;
use rand_pcg::Pcg64;

/// What numbers are drawn for. Each purpose has a stream of its own, so that another distribution
/// of radii, say, leaves the places as they are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Place = 1,
    Radius = 2,
    Mass = 3,
    Orientation = 4,
}

/// A stream of random numbers.
pub(crate) struct Stream(Pcg64);

/// How often a value outside the bounds is drawn anew before it is moved to the nearest bound.
const REDRAWS: usize = 10_000;

impl Stream {
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        // Neighbouring seeds must give unlike states: an odd factor spreads them over 128 bits.
        let state = (u128::from(seed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        Self(Pcg64::new(state, purpose as u128))
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        // 2⁻⁵³: the 53 upper bits fill a double exactly.
        (self.0.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in [low, high].
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
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
    pub(crate) fn turn(&mut self, dimension: usize) -> DQuat {
        let (x, y, s) = self.in_disk();
        if dimension == 2 {
            return DQuat::from_xyzw(0.0, 0.0, x, y).normalize();
        }
        let (z, w, rest) = self.in_disk();
        let scale = ((1.0 - s) / rest).sqrt();
        DQuat::from_xyzw(x, y, scale * z, scale * w).normalize()
    }

    /// A value of the quantity.
    pub(crate) fn quantity(&mut self, quantity: &Quantity) -> f64 {
        match quantity {
            Quantity::Constant(value) => *value,
            Quantity::Drawn(Distribution::Uniform([low, high])) => self.between(*low, *high),
            Quantity::Drawn(Distribution::LogNormal(shape)) => self.log_normal(shape),
            Quantity::Drawn(Distribution::Histogram(shape)) => self.histogram(shape),
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
    use granule::math::DVec3;

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
