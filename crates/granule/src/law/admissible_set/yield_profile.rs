//! The half-plane in which a rounded and capped cone is drawn: a along the normal, t ≥ 0 across it.
//!
//! With the direction `e = (1, μ)/√(1 + μ²)` of the edge of the cone C, the direction `m = (-μ, 1)/√(1 + μ²)` away from
//! it and the radius d of the ball B, the boundary of C ⊕ B is an arc of B from (-d, 0) to d m, and the ray d m + ℓ e
//! (ℓ ≥ 0) from there on. The cap cuts that off at a = r ≥ 0: the *lid*, whose end is the *rim*.
//!
//! **Projection** in the metric `a² + κ t²`. If the nearest point of C ⊕ B is below the cap, it is the one; otherwise
//! the nearest point is on the lid, since one below it would be nearest in all of C ⊕ B. Of the edge it has a closed
//! form. On the arc it is `(x_a/(1 + ν), κ x_t/(κ + ν))` for the ν > 0 at which its length is d: closed for κ = 1,
//! otherwise the root of `1/|y(ν)| - 1/d`, which increases and is concave, so that Newton's method climbs to it from
//! ν = 0 without passing it (the secular equation of trust regions).

/// Where the nearest point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// At the point itself.
    Inside,
    /// On the ray.
    Edge,
    /// On the arc.
    Arc,
    /// On the cap, as far across as the point itself.
    Lid,
    /// Where cap and edge meet.
    Rim,
}

/// More Newton steps than the arc takes, whatever the metric.
const MOST_STEPS: usize = 64;

/// The profile of [`super::AdmissibleSet::Yield`].
#[derive(Debug, Clone, Copy)]
pub(super) struct YieldProfile {
    friction: f64,
    /// d, N s.
    rounding: f64,
    /// r, N s.
    cap: f64,
    /// e.
    edge: [f64; 2],
}

impl YieldProfile {
    pub(super) fn new(friction: f64, rounding: f64, cap: f64) -> Self {
        let length = f64::hypot(1.0, friction);
        Self {
            friction,
            rounding,
            cap,
            edge: [1.0 / length, friction / length],
        }
    }

    /// How far the set reaches across the normal at a height between -d and r, and how that grows with the height.
    pub(super) fn section(&self, along: f64) -> (f64, f64) {
        let (d, [c, s]) = (self.rounding, self.edge);
        if along >= -d * s {
            // μ a + d √(1 + μ²), without the difference of two large numbers.
            (self.friction * (along + d * s) + d * c, self.friction)
        } else {
            let radius = ((d - along) * (d + along)).max(0.0).sqrt();
            (radius, -along / radius)
        }
    }

    /// The point of the set nearest to x, with κ the weight across over that along the normal.
    pub(super) fn nearest(&self, x: [f64; 2], kappa: f64) -> (Piece, [f64; 2]) {
        let (piece, point) = self.nearest_without_cap(x, kappa);
        if point[0] > self.cap {
            let rim = self.section(self.cap).0;
            return match x[1] <= rim {
                true => (Piece::Lid, [self.cap, x[1]]),
                false => (Piece::Rim, [self.cap, rim]),
            };
        }
        (piece, point)
    }

    fn nearest_without_cap(&self, x: [f64; 2], kappa: f64) -> (Piece, [f64; 2]) {
        let (d, [c, s]) = (self.rounding, self.edge);
        let (along, away) = (c * x[0] + s * x[1], c * x[1] - s * x[0]);
        let inside = (along >= 0.0 && away <= d) || x[0] * x[0] + x[1] * x[1] <= d * d;
        if inside {
            return (Piece::Inside, x);
        }
        let excess = (away - d) / (s * s + c * c / kappa);
        let along = along + excess * s * c * (1.0 - 1.0 / kappa);
        if along >= 0.0 {
            return (Piece::Edge, [c * along - s * d, s * along + c * d]);
        }
        (Piece::Arc, self.nearest_on_ball(x, kappa))
    }

    /// The point of the ball nearest to x outside of it.
    fn nearest_on_ball(&self, x: [f64; 2], kappa: f64) -> [f64; 2] {
        let d = self.rounding;
        if d == 0.0 {
            return [0.0; 2];
        }
        let mut pulled = 0.0;
        let mut point = x;
        for _ in 0..MOST_STEPS {
            let [along, across] = [1.0 + pulled, kappa + pulled];
            point = [x[0] / along, kappa * x[1] / across];
            let squares = point.map(|y| y * y);
            let square = squares[0] + squares[1];
            let slope = (squares[0] / along + squares[1] / across) / square;
            let step = (square.sqrt() / d - 1.0) / slope;
            pulled += step;
            let moves = step > 4.0 * f64::EPSILON * pulled;
            if !moves {
                break;
            }
        }
        let length = f64::hypot(point[0], point[1]);
        point.map(|y| d / length * y)
    }

    /// How the nearest point of x in the plain metric changes with x: in the half-plane for a change there, and the
    /// factor of what turns about the normal. At a kink it is that from inside.
    pub(super) fn derivative(&self, x: [f64; 2], change: [f64; 2]) -> ([f64; 2], f64) {
        let (piece, point) = self.nearest(x, 1.0);
        let [c, s] = self.edge;
        match piece {
            Piece::Inside => (change, 1.0),
            Piece::Edge => {
                let along = c * change[0] + s * change[1];
                ([c * along, s * along], point[1] / x[1])
            }
            Piece::Arc => {
                let square = x[0] * x[0] + x[1] * x[1];
                let factor = self.rounding / square.sqrt();
                let radial = (x[0] * change[0] + x[1] * change[1]) / square;
                let [along, across] = [0, 1].map(|i| factor * (change[i] - radial * x[i]));
                ([along, across], factor)
            }
            Piece::Lid => ([0.0, change[1]], 1.0),
            Piece::Rim => ([0.0; 2], point[1] / x[1]),
        }
    }

    /// The support function at (w_a, w_t): `d |w|` where the edge falls away from w, elsewhere that of the rim.
    pub(super) fn support(&self, velocity: [f64; 2]) -> f64 {
        let [along, across] = velocity;
        let opening = along + self.friction * across;
        if opening <= 0.0 {
            return self.rounding * f64::hypot(along, across);
        }
        self.cap * opening + self.rounding / self.edge[0] * across
    }
}
