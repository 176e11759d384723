//! Newton's method for the common normal of two surfaces.
//!
//! Sought are a point x of the first surface and a point y of the second whose outward normals are opposite and
//! parallel to x - y. With n the normal at y, K and V the derivatives of the two normals in the tangent plane, and U
//! what a step w of y can do there (all of it on a surface, a part on an edge, nothing at a corner), a step a of x
//! and w of y to first order fulfil
//!
//! ```text
//! K a + V w = -q,               q the tangential part of the normal at x
//! a - U w - g V w = -r,         r the tangential part of x - y, g = n·(x - y)
//! ```
//!
//! so `(K (U + g V) + V) w = K r - q`. Only curvatures enter, never their inverses: nothing is lost where a surface
//! is flat.

use super::feature::{Feature, Freedom, Side};
use super::other::Other;
use crate::math::{DMat2, DVec2, DVec3};
use crate::shapes::{Superellipsoid, SurfacePoint};

/// Most steps before Newton's method is taken to fail.
const MOST_STEPS: usize = 32;

/// Residuals that are reached at least: of normals, and of tangential distances in terms of the size.
const TOLERANCE: f64 = 1e-12;

/// Residuals below it are not made smaller: rounding.
const ROUNDING: f64 = 2e-15;

/// Residuals below it fall with every step.
const NEAR: f64 = 1e-2;

/// Longest step, in terms of the half axes.
const LONGEST: f64 = 0.3;

/// Points with a common normal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Common<'a> {
    /// On the first surface.
    pub first: SurfacePoint,
    /// On the second.
    pub second: Feature<'a>,
    pub second_point: DVec3,
    /// From the second to the first.
    pub normal: DVec3,
    /// `normal·(first - second)`, m.
    pub gap: f64,
    /// Whether no normal nearby has a larger gap. It is so wherever the gap is positive.
    pub largest: bool,
}

/// The system at a pair of points.
struct Linear {
    tangents: [DVec3; 2],
    gap: f64,
    /// r.
    apart: DVec2,
    /// q.
    tilt: DVec2,
    /// K.
    turn: DMat2,
    /// V.
    other_turn: DMat2,
    /// U.
    freedom: DMat2,
}

impl Linear {
    fn new(first: &SurfacePoint, second: &Side) -> Self {
        let normal = second.normal;
        let tangent = normal.any_orthonormal_vector();
        let tangents = [tangent, normal.cross(tangent)];
        let flat = |v: DVec3| DVec2::new(tangents[0].dot(v), tangents[1].dot(v));
        let dyad = |v: DVec2| DMat2::from_cols(v * v.x, v * v.y);
        let sum = |bends: &[DVec3; 2]| dyad(flat(bends[0])) + dyad(flat(bends[1]));
        let between = first.point - second.point;
        Self {
            tangents,
            gap: normal.dot(between),
            apart: flat(between),
            tilt: flat(first.normal),
            turn: sum(&first.bends),
            other_turn: sum(&second.bends),
            freedom: match second.freedom {
                Freedom::Surface => DMat2::IDENTITY,
                Freedom::Line(along) => dyad(flat(along)),
                Freedom::Point => DMat2::ZERO,
            },
        }
    }

    fn residual(&self, size: f64) -> f64 {
        self.tilt.length().max(self.apart.length() / size)
    }

    /// The steps a and `U w`, m.
    fn steps(&self, size: f64) -> Option<[DVec2; 2]> {
        let matrix = self.turn * (self.freedom + self.other_turn * self.gap) + self.other_turn;
        let right = self.turn * self.apart - self.tilt;
        // Where both surfaces are flat in the same direction any step there will do: the shortest.
        let floor = 1e-14 / size;
        let step = solve(matrix + DMat2::from_diagonal(DVec2::splat(floor)), right)?;
        let second = self.freedom * step;
        let first = second - self.apart + (self.other_turn * step) * self.gap;
        (first.is_finite() && second.is_finite()).then_some([first, second])
    }

    /// Whether `R + g` is positive with R the sum of the radii of curvature: the gap then is largest for this normal.
    fn is_largest(&self, size: f64) -> bool {
        if self.gap >= 0.0 {
            return true;
        }
        // The largest eigenvalue of the harmonic sum of K and V U⁻¹ against 1/|g|.
        let floor = DMat2::from_diagonal(DVec2::splat(1e-14 / size));
        let sum = self.turn * self.freedom + self.other_turn + floor;
        let Some(first) = solve(sum, self.turn.x_axis) else {
            return false;
        };
        let Some(second) = solve(sum, self.turn.y_axis) else {
            return false;
        };
        let both = self.other_turn * DMat2::from_cols(first, second);
        let [a, b, c] = [
            both.x_axis.x,
            0.5 * (both.x_axis.y + both.y_axis.x),
            both.y_axis.y,
        ];
        let largest = 0.5 * (a + c) + (0.5 * (a - c)).hypot(b);
        largest * -self.gap < 1.0
    }
}

fn solve(matrix: DMat2, right: DVec2) -> Option<DVec2> {
    let determinant = matrix.determinant();
    (determinant != 0.0).then(|| {
        let (a, b) = (matrix.x_axis, matrix.y_axis);
        DVec2::new(right.x * b.y - right.y * b.x, a.x * right.y - a.y * right.x) / determinant
    })
}

/// What Newton's method comes to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'a> {
    /// Points with a common normal.
    Common(Common<'a>),
    /// It leaves the piece of the second surface and goes on from here.
    Beyond(DVec3, Feature<'a>),
    /// Nothing.
    Failed,
}

/// From points nearby to points with a common normal on the same pieces of the surfaces.
pub(super) fn from<'a>(
    a: &Superellipsoid,
    other: &Other<'a>,
    first: DVec3,
    second: Feature<'a>,
) -> Outcome<'a> {
    if let Some((point, normal)) = second.flat(other) {
        return Outcome::Common(with_face(a, second, point, normal));
    }
    let size = a.half_axes.min_element();
    let longest = LONGEST * a.half_axes.max_element();
    let mut first = a.surface_point(first);
    let mut second = second;
    let mut before = f64::INFINITY;
    let mut beyond = false;
    let mut caution = 1.0;
    for step in 0..MOST_STEPS {
        let mut side = second.side(other, first.normal);
        if step == 0
            && first.normal.dot(side.point - first.point) < 0.0
            && a.gauge(side.point) > 1.0
        {
            // A point outside is not seen from the far side.
            first = a.surface_point(side.point);
            side = second.side(other, first.normal);
        }
        let linear = Linear::new(&first, &side);
        let residual = linear.residual(size);
        let opposite = side.normal.dot(first.normal) < 0.0;
        let settled = residual < ROUNDING || (residual < TOLERANCE && residual > 0.25 * before);
        if settled && opposite {
            return Outcome::Common(Common {
                first,
                second,
                second_point: side.point,
                normal: side.normal,
                gap: linear.gap,
                largest: linear.is_largest(size),
            });
        }
        // Steps that lead nowhere, from far away, go to and fro: shorter ones then.
        let astray = residual > before && residual > NEAR;
        caution = if astray {
            0.5 * caution
        } else {
            f64::min(1.5 * caution, 1.0)
        };
        before = residual;
        let Some([step, other_step]) = linear.steps(size) else {
            return Outcome::Failed;
        };
        let part = (longest / step.length())
            .min(LONGEST * second.reach() / other_step.length())
            .min(caution);
        let [t1, t2] = linear.tangents;
        let spatial = |step: DVec2| (t1 * step.x + t2 * step.y) * part;
        first = a.surface_point(first.point + spatial(step));
        second = second.moved(other, spatial(other_step));
        match second.beyond() {
            Some(next) if beyond => return Outcome::Beyond(first.point, next),
            Some(_) => beyond = true,
            None => beyond = false,
        }
    }
    Outcome::Failed
}

/// The point of the first solid that is nearest to a plane.
fn with_face<'a>(a: &Superellipsoid, face: Feature<'a>, point: DVec3, normal: DVec3) -> Common<'a> {
    let first = a.surface_point(a.support(-normal));
    let gap = normal.dot(first.point - point);
    Common {
        first,
        second: face,
        second_point: first.point - gap * normal,
        normal,
        gap,
        largest: true,
    }
}
