//! The norm `(u^m + v^m)^(1/m)` of two numbers, of which superellipsoids are made.

use libm::{exp, log, log1p};

/// Below it a ratio of two numbers counts as zero: its square must not vanish.
const TINY: f64 = 1e-150;

/// `N = (u^m + v^m)^(1/m)` of u, v ≥ 0 with its derivatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Norm {
    /// N.
    pub value: f64,
    /// ∂N/∂u, ∂N/∂v.
    pub slopes: [f64; 2],
    /// `(∂N/∂u) / u`, finite for m ≥ 2 also where u = 0.
    pub slope_by_first: f64,
    /// (u, v) divided by the larger one; (1, 0) where both are zero.
    pub scaled: [f64; 2],
    /// The larger of u, v.
    pub scale: f64,
    /// q: N divided by the larger of u, v.
    pub growth: f64,
    /// β of the second derivatives `β/scale (v̂, -û)(v̂, -û)ᵀ`, with (û, v̂) the scaled numbers.
    pub bend: f64,
}

impl Norm {
    /// Derivatives of second order only for m ≥ 2.
    #[inline]
    pub fn new(u: f64, v: f64, m: f64) -> Self {
        let first = u >= v;
        let (high, low) = if first { (u, v) } else { (v, u) };
        let t = if high > 0.0 { low / high } else { 0.0 };
        // t^m, t^(m-1), t^(m-2) and q = (1 + t^m)^(1/m).
        let (t0, t1, t2, q);
        if m == 2.0 {
            (t0, t1, t2) = (t * t, t, 1.0);
            q = (1.0 + t0).sqrt();
        } else if t > TINY {
            t0 = power(t, m);
            t1 = t0 / t;
            t2 = t1 / t;
            q = root(t0, m);
        } else {
            (t0, t1, t2, q) = (0.0, 0.0, 0.0, 1.0);
        }
        let steep = q / (1.0 + t0);
        let by_high = if high > 0.0 { steep / high } else { 0.0 };
        let bend = (m - 1.0) * t2 * steep / (1.0 + t0);
        let (slopes, slope_by_first, scaled) = if first {
            ([steep, t1 * steep], by_high, [1.0, t])
        } else {
            ([t1 * steep, steep], t2 * by_high, [t, 1.0])
        };
        Self {
            value: high * q,
            slopes,
            slope_by_first,
            scaled,
            scale: high,
            growth: q,
            bend,
        }
    }
}

/// `t^m` for t from 0 to 1. By logarithms it takes a quarter of the time of `pow`, and what they lose of the last digits
/// for small t is nothing beside 1; by products for small whole m it takes less still.
fn power(t: f64, m: f64) -> f64 {
    if m == m.floor() && m <= 8.0 {
        (1..m as u32).fold(t, |product, _| product * t)
    } else {
        exp(m * log(t))
    }
}

/// `(1 + x)^(1/m)` for x from 0 to 1.
fn root(x: f64, m: f64) -> f64 {
    if m == 4.0 {
        (1.0 + x).sqrt().sqrt()
    } else if m == 8.0 {
        (1.0 + x).sqrt().sqrt().sqrt()
    } else {
        exp(log1p(x) / m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_differences() {
        let value = |u, v, m| Norm::new(u, v, m).value;
        for m in [2.0, 2.5, 3.0, 4.0, 5.7, 8.0] {
            for (u, v) in [(0.3, 0.7), (1.2, 0.2), (0.9, 0.9), (2e-3, 3e-3)] {
                let norm = Norm::new(u, v, m);
                let exact = (f64::powf(u, m) + f64::powf(v, m)).powf(1.0 / m);
                assert!((norm.value - exact).abs() < 1e-15 * exact);
                let d = 1e-5 * norm.scale;
                let du = (value(u + d, v, m) - value(u - d, v, m)) / (2.0 * d);
                let dv = (value(u, v + d, m) - value(u, v - d, m)) / (2.0 * d);
                assert!((norm.slopes[0] - du).abs() < 1e-8);
                assert!((norm.slopes[1] - dv).abs() < 1e-8);
                assert!((norm.slope_by_first * u - norm.slopes[0]).abs() < 1e-14);
                let duu = (Norm::new(u + d, v, m).slopes[0] - Norm::new(u - d, v, m).slopes[0])
                    / (2.0 * d);
                let duv = (Norm::new(u, v + d, m).slopes[0] - Norm::new(u, v - d, m).slopes[0])
                    / (2.0 * d);
                let second = norm.bend / norm.scale;
                let [a, b] = norm.scaled;
                assert!((second * b * b - duu).abs() * norm.scale < 1e-8);
                assert!((second * a * b + duv).abs() * norm.scale < 1e-8);
            }
        }
    }

    #[test]
    fn nothing_is_lost_where_a_number_vanishes() {
        for m in [2.0, 3.0, 8.0] {
            for (u, v) in [
                (0.0, 0.0),
                (0.0, 1.0),
                (1.0, 0.0),
                (1e-200, 1.0),
                (1.0, 1e-310),
            ] {
                let norm = Norm::new(u, v, m);
                assert!((norm.value - f64::max(u, v)).abs() < 1e-15);
                let all = [
                    norm.slopes[0],
                    norm.slopes[1],
                    norm.bend,
                    norm.slope_by_first,
                ];
                assert!(all.iter().all(|x| x.is_finite()), "{norm:?}");
            }
        }
        assert_eq!(Norm::new(0.0, 2.0, 2.0).slope_by_first, 0.5);
        assert_eq!(Norm::new(0.0, 2.0, 3.0).slope_by_first, 0.0);
    }
}
