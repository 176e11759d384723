//! Ends, rims, mantle and tip of truncated cones.

use super::feature::{Freedom, Side};
use crate::math::{DMat3, DVec3};
use crate::shapes::Frustum;

/// Of a length or a slope: what is smaller is rounding.
const ROUNDING: f64 = 1e-13;

/// A place on the surface of a truncated cone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    frustum: &'a Frustum,
    piece: Piece,
}

#[derive(Debug, Clone, Copy)]
enum Piece {
    /// The flat end at the top or the bottom.
    End(End),
    /// The circle about an end, at the unit vector from the axis.
    Rim(End, DVec3),
    /// The side, at the unit vector from the axis and this z, which may be beyond the ends.
    Mantle(DVec3, f64),
    /// An end of no radius.
    Tip(End),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Top,
    Bottom,
}

/// The point farthest along a direction, m.
pub(super) fn farthest(frustum: &Frustum, along: DVec3) -> DVec3 {
    let outward = radial(along).unwrap_or(DVec3::X);
    let [top, bottom] = [End::Top, End::Bottom].map(|end| rim_point(frustum, end, outward));
    if along.dot(top) >= along.dot(bottom) {
        top
    } else {
        bottom
    }
}

/// Centre, m, and squares of half axes, m².
pub(super) fn spread(frustum: &Frustum) -> (DVec3, DMat3) {
    let radius = frustum.bottom_radius.max(frustum.top_radius);
    let half = 0.5 * (frustum.top - frustum.bottom);
    let axes = DVec3::new(radius, radius, half);
    let centre = DVec3::new(0.0, 0.0, frustum.bottom + half);
    (centre, DMat3::from_diagonal(axes * axes))
}

/// The unit vector from the axis towards a point.
fn radial(point: DVec3) -> Option<DVec3> {
    DVec3::new(point.x, point.y, 0.0).try_normalize()
}

fn end_point(frustum: &Frustum, end: End) -> (f64, f64) {
    match end {
        End::Top => (frustum.top, frustum.top_radius),
        End::Bottom => (frustum.bottom, frustum.bottom_radius),
    }
}

fn rim_point(frustum: &Frustum, end: End, outward: DVec3) -> DVec3 {
    let (z, radius) = end_point(frustum, end);
    outward * radius + DVec3::new(0.0, 0.0, z)
}

fn end_normal(end: End) -> DVec3 {
    match end {
        End::Top => DVec3::Z,
        End::Bottom => DVec3::NEG_Z,
    }
}

impl<'a> Place<'a> {
    /// An end or the mantle, whichever faces the direction more.
    pub fn farthest(frustum: &'a Frustum, along: DVec3) -> Self {
        let place = |piece| Self { frustum, piece };
        let end = if along.z >= 0.0 {
            End::Top
        } else {
            End::Bottom
        };
        let outward = radial(along).unwrap_or(DVec3::X);
        let mantle = place(Piece::Mantle(outward, 0.5 * (frustum.top + frustum.bottom)));
        let (_, radius) = end_point(frustum, end);
        if radius > 0.0 && along.z.abs() >= along.dot(mantle.mantle_normal(outward)) {
            place(Piece::End(end))
        } else {
            mantle
        }
    }

    /// The piece about a point, m, with nearly this normal.
    pub fn of(frustum: &'a Frustum, point: DVec3, along: DVec3) -> Self {
        let place = |piece| Self { frustum, piece };
        let outward = radial(point).unwrap_or(DVec3::X);
        let [top, bottom] = [End::Top, End::Bottom].map(|end| rim_point(frustum, end, outward));
        let rise = along.dot((top - bottom).normalize());
        let end = if rise >= 0.0 { End::Top } else { End::Bottom };
        let (_, radius) = end_point(frustum, end);
        if rise.abs() < 0.01 {
            place(Piece::Mantle(outward, point.z))
        } else if radius == 0.0 {
            place(Piece::Tip(end))
        } else if along.dot(end_normal(end)) > 0.9999 && point.x.hypot(point.y) < 0.999 * radius {
            place(Piece::End(end))
        } else {
            place(Piece::Rim(end, outward))
        }
    }

    /// The centre of an end, m, and its unit normal.
    pub fn flat(&self) -> Option<(DVec3, DVec3)> {
        match self.piece {
            Piece::End(end) => {
                let (z, _) = end_point(self.frustum, end);
                Some((DVec3::new(0.0, 0.0, z), end_normal(end)))
            }
            Piece::Rim(..) | Piece::Mantle(..) | Piece::Tip(_) => None,
        }
    }

    /// As [`super::feature::Feature::side`], in the frame of the solid.
    pub fn side(&self, towards: DVec3) -> Side {
        match self.piece {
            Piece::End(end) => Side {
                point: rim_point(self.frustum, end, DVec3::ZERO),
                normal: end_normal(end),
                freedom: Freedom::Surface,
                bends: [DVec3::ZERO; 2],
            },
            Piece::Rim(end, outward) => {
                let (_, radius) = end_point(self.frustum, end);
                let along = DVec3::Z.cross(outward);
                let normal = (towards - along * along.dot(towards))
                    .try_normalize()
                    .unwrap_or(outward);
                let curvature = normal.dot(outward).max(0.0) / radius;
                Side {
                    point: rim_point(self.frustum, end, outward),
                    normal,
                    freedom: Freedom::Line(along),
                    bends: [along.cross(normal), along * curvature.sqrt()],
                }
            }
            Piece::Mantle(outward, z) => {
                let normal = self.mantle_normal(outward);
                let radius = self.radius(z).max(ROUNDING * self.largest_radius());
                let along = DVec3::Z.cross(outward);
                Side {
                    point: outward * radius + DVec3::new(0.0, 0.0, z),
                    normal,
                    freedom: Freedom::Surface,
                    bends: [along * (normal.dot(outward) / radius).sqrt(), DVec3::ZERO],
                }
            }
            Piece::Tip(end) => {
                let across = towards.any_orthonormal_vector();
                Side {
                    point: rim_point(self.frustum, end, DVec3::ZERO),
                    normal: towards,
                    freedom: Freedom::Point,
                    bends: [across, towards.cross(across)],
                }
            }
        }
    }

    /// As [`super::feature::Feature::moved`], in the frame of the solid.
    pub fn moved(&self, step: DVec3) -> Self {
        let piece = match self.piece {
            Piece::Rim(end, outward) => {
                let (_, radius) = end_point(self.frustum, end);
                Piece::Rim(end, radial(outward * radius + step).unwrap_or(outward))
            }
            Piece::Mantle(outward, z) => {
                let radius = self.radius(z).max(ROUNDING * self.largest_radius());
                Piece::Mantle(
                    radial(outward * radius + step).unwrap_or(outward),
                    z + step.z,
                )
            }
            Piece::End(_) | Piece::Tip(_) => self.piece,
        };
        Self { piece, ..*self }
    }

    /// As for hulls: where to look next if nearest points with this normal, the one on this piece at `point`, are
    /// not those of the solid.
    pub fn next(&self, point: DVec3, normal: DVec3) -> Option<Self> {
        let piece = match self.piece {
            Piece::End(end) => {
                let (_, radius) = end_point(self.frustum, end);
                let outside = point.x.hypot(point.y) > radius * (1.0 + ROUNDING);
                outside.then(|| Piece::Rim(end, radial(point).unwrap_or(DVec3::X)))?
            }
            Piece::Mantle(..) => return self.beyond(),
            Piece::Rim(end, outward) => {
                if normal.dot(outward) < -ROUNDING {
                    Piece::End(end)
                } else {
                    self.mantle_above(end, outward, normal)?
                }
            }
            Piece::Tip(end) => {
                self.mantle_above(end, radial(normal).unwrap_or(DVec3::X), normal)?
            }
        };
        Some(Self { piece, ..*self })
    }

    /// The rim or tip at an end of the mantle, if the place is beyond it.
    pub fn beyond(&self) -> Option<Self> {
        let Piece::Mantle(outward, z) = self.piece else {
            return None;
        };
        let end = if z > self.frustum.top {
            End::Top
        } else if z < self.frustum.bottom {
            End::Bottom
        } else {
            return None;
        };
        let (_, radius) = end_point(self.frustum, end);
        let piece = if radius > 0.0 {
            Piece::Rim(end, outward)
        } else {
            Piece::Tip(end)
        };
        Some(Self { piece, ..*self })
    }

    /// The mantle beside an end, if it rises along the normal.
    fn mantle_above(&self, end: End, outward: DVec3, normal: DVec3) -> Option<Piece> {
        let [from, to] = match end {
            End::Top => [End::Top, End::Bottom],
            End::Bottom => [End::Bottom, End::Top],
        };
        let line = rim_point(self.frustum, to, outward) - rim_point(self.frustum, from, outward);
        let (z, _) = end_point(self.frustum, from);
        let start = z + 0.01 * line.z;
        (normal.dot(line.normalize()) > ROUNDING).then_some(Piece::Mantle(outward, start))
    }

    /// How far a step may go for first order to say something, m.
    pub fn reach(&self) -> f64 {
        self.largest_radius()
            .max(self.frustum.top - self.frustum.bottom)
    }

    fn radius(&self, z: f64) -> f64 {
        let Frustum {
            bottom,
            top,
            bottom_radius,
            top_radius,
        } = self.frustum;
        bottom_radius + (top_radius - bottom_radius) * (z - bottom) / (top - bottom)
    }

    fn largest_radius(&self) -> f64 {
        self.frustum.bottom_radius.max(self.frustum.top_radius)
    }

    fn mantle_normal(&self, outward: DVec3) -> DVec3 {
        let height = self.frustum.top - self.frustum.bottom;
        let narrowing = self.frustum.bottom_radius - self.frustum.top_radius;
        (outward * height + DVec3::Z * narrowing).normalize()
    }
}
