//! The direction of the largest separation near a given one, for solids with rims and mantles.
//!
//! Near a direction each solid's farthest point is a corner or the point of a rim, and the separation a smooth function of
//! the direction. The best direction is a stationary point of it, or it is where two features are
//! equally far: along an edge, whose normals are at a right angle to it, or along a mantle, whose normals are at
//! one angle to the axis. So Newton's method runs on the sphere, on one circle of it, or the crossing of two
//! circles is taken; whatever comes out is compared by its true separation.

use super::placed::{Faced, LOWEST, Placed};
use super::{Axis, Couple};
use crate::math::DVec3;

/// Newton steps.
const STEPS: usize = 12;
/// The longest step.
const LONGEST: f64 = 0.5;
/// A step after which the next one is rounding.
const SHORTEST: f64 = 1e-12;
/// How often the features are looked for again.
const ROUNDS: usize = 4;

/// A circle of directions: all with `axis · n = cosine`.
#[derive(Clone, Copy, PartialEq)]
struct Circle {
    axis: DVec3,
    cosine: f64,
}

impl Circle {
    /// The direction of the circle that is nearest to one.
    fn nearest(&self, normal: DVec3) -> DVec3 {
        let across = (normal - normal.dot(self.axis) * self.axis).normalize_or_zero();
        self.cosine * self.axis + (1.0 - self.cosine * self.cosine).max(0.0).sqrt() * across
    }

    /// The common direction of two circles that is nearest to one; not finite where there is none.
    fn crossing(&self, other: &Self, normal: DVec3) -> DVec3 {
        let cosine = self.axis.dot(other.axis);
        let square = 1.0 - cosine * cosine;
        let first = (self.cosine - cosine * other.cosine) / square;
        let second = (other.cosine - cosine * self.cosine) / square;
        let flat = first * self.axis + second * other.axis;
        let across = self.axis.cross(other.axis);
        let height = ((1.0 - flat.length_squared()) / square).sqrt();
        flat + height.copysign(across.dot(normal)) * across
    }
}

/// What is farthest of a solid near a direction.
#[derive(Clone, Copy, PartialEq)]
struct Feature {
    /// The corner, or the middle of the rim, m.
    middle: DVec3,
    /// The axis of the rim.
    axis: DVec3,
    /// Radius of the rim, m; zero for a corner.
    radius: f64,
    /// The nearest directions, from b towards a, in which another feature is as far.
    circles: [Option<Circle>; 2],
}

impl Feature {
    /// Of a solid that touches in the direction `sign` n.
    fn of(solid: &Placed, sign: f64, normal: DVec3) -> Self {
        let top = solid.support(sign * normal);
        match solid.shape {
            Faced::Hull(hull) => {
                let at_top = hull.edges.iter().filter(|e| e.ends.contains(&top.corner));
                let mut nearest = [(f64::INFINITY, None); 2];
                for edge in at_top {
                    let [p, q] = edge.ends.map(|k| solid.vertices[k as usize]);
                    let axis = (q - p).normalize_or_zero();
                    let turn = axis.dot(normal).abs();
                    let found = (turn, Some(Circle { axis, cosine: 0.0 }));
                    if turn < nearest[0].0 {
                        nearest = [found, nearest[0]];
                    } else if turn < nearest[1].0 {
                        nearest[1] = found;
                    }
                }
                Self {
                    middle: top.point,
                    axis: DVec3::ZERO,
                    radius: 0.0,
                    circles: nearest.map(|(_, circle)| circle),
                }
            }
            Faced::Frustum(frustum) => {
                let end = (top.corner - LOWEST) as usize;
                let axis = solid.frame.z_axis;
                Self {
                    middle: solid.vertices[end],
                    axis,
                    radius: frustum.end_radius(end == 1),
                    circles: [
                        Some(Circle {
                            axis,
                            cosine: sign * frustum.mantle_slope(),
                        }),
                        None,
                    ],
                }
            }
        }
    }

    /// The farthest point in the direction `sign` n, m, and for a rim the tangent there times the square root
    /// of how far the point goes when n turns by one about the axis.
    fn farthest(&self, sign: f64, normal: DVec3) -> (DVec3, DVec3) {
        if self.radius == 0.0 {
            return (self.middle, DVec3::ZERO);
        }
        let across = normal - normal.dot(self.axis) * self.axis;
        let length = across.length();
        let radial = sign * across / length;
        let tangent = self.axis.cross(radial);
        (
            self.middle + self.radius * radial,
            (self.radius / length).sqrt() * tangent,
        )
    }
}

/// Newton's method for the largest separation of two features, on a circle or on the sphere; not a number where it fails.
fn newton(features: [&Feature; 2], circle: Option<Circle>, start: DVec3) -> DVec3 {
    let mut normal = circle.map_or(start, |circle| circle.nearest(start));
    for _ in 0..STEPS {
        let (a, bend_a) = features[0].farthest(-1.0, normal);
        let (b, bend_b) = features[1].farthest(1.0, normal);
        let way = a - b;
        let separation = way.dot(normal);
        let bent =
            |u: DVec3, v: DVec3| -bend_a.dot(u) * bend_a.dot(v) - bend_b.dot(u) * bend_b.dot(v);
        let step = match circle {
            Some(circle) => {
                let tangent = circle.axis.cross(normal).normalize_or_zero();
                let square = 1.0 - circle.cosine * circle.cosine;
                let inwards = (circle.cosine * circle.axis - normal) / square;
                let curvature = bent(tangent, tangent) + way.dot(inwards);
                if curvature >= 0.0 {
                    return DVec3::NAN;
                }
                -way.dot(tangent) / curvature * tangent
            }
            None => {
                let (x, y) = normal.any_orthonormal_pair();
                let (xx, xy, yy) = (bent(x, x) - separation, bent(x, y), bent(y, y) - separation);
                let determinant = xx * yy - xy * xy;
                if determinant <= 0.0 || xx >= 0.0 {
                    return DVec3::NAN;
                }
                let (slope_x, slope_y) = (way.dot(x), way.dot(y));
                let along_x = (xy * slope_y - yy * slope_x) / determinant;
                let along_y = (xy * slope_x - xx * slope_y) / determinant;
                along_x * x + along_y * y
            }
        };
        let moved = normal + step.clamp_length_max(LONGEST);
        normal = match circle {
            Some(circle) => circle.nearest(moved),
            None => moved.normalize_or_zero(),
        };
        if step.length() < SHORTEST {
            return normal;
        }
    }
    DVec3::NAN
}

impl Couple<'_> {
    /// The best direction near this one. One that Newton's method found is taken before a start that is as
    /// good within rounding: separations near the best direction differ only by the square of the angle.
    pub(super) fn refine(&self, start: Axis) -> Axis {
        let mut best = start;
        let mut least = start.separation - self.rounding;
        let mut last = None;
        for _ in 0..ROUNDS {
            let from = best;
            let a = Feature::of(&self.a, -1.0, from.normal);
            let b = Feature::of(&self.b, 1.0, from.normal);
            if last == Some([a, b]) {
                break;
            }
            last = Some([a, b]);
            let mut consider = |normal: DVec3| {
                let normal = normal.normalize_or_zero();
                if !normal.is_finite() || normal == DVec3::ZERO {
                    return;
                }
                let separation = self.separation(normal);
                let is_out = separation > 0.0 || !self.is_wrong_side(normal);
                if separation > least && is_out {
                    least = separation;
                    best = Axis { normal, separation };
                }
            };
            consider(newton([&a, &b], None, from.normal));
            for circle in a.circles.into_iter().chain(b.circles).flatten() {
                consider(newton([&a, &b], Some(circle), from.normal));
            }
            for first in a.circles.iter().flatten() {
                for second in b.circles.iter().flatten() {
                    consider(first.crossing(second, from.normal));
                }
            }
        }
        best
    }
}
