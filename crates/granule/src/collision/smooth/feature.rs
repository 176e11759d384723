//! The smooth pieces of which the surface of a convex solid is made.

use super::other::Other;
use super::simplex::Pair;
use super::{frustum, hull};
use crate::math::DVec3;
use crate::shapes::{Convex, Superellipsoid, SurfacePoint};

/// A place on the surface of the second solid.
#[derive(Debug, Clone, Copy)]
pub(super) enum Feature<'a> {
    /// A superellipsoid is all one piece; this is the place, in its frame.
    Smooth(&'a Superellipsoid, SurfacePoint),
    /// Of a hull.
    Hull(hull::Place<'a>),
    /// Of a truncated cone.
    Frustum(frustum::Place<'a>),
}

/// Where a point can go on its piece of the surface.
#[derive(Debug, Clone, Copy)]
pub(super) enum Freedom {
    /// In the tangent plane.
    Surface,
    /// Along this unit vector.
    Line(DVec3),
    /// Nowhere.
    Point,
}

/// The surface of the second solid about a place, to first order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    /// The place, m.
    pub point: DVec3,
    /// A unit outward normal there: of several that with the first solid's normal opposite, as far as possible.
    pub normal: DVec3,
    /// Where the point can go.
    pub freedom: Freedom,
    /// The normal turns by the sum of `b (b·w)` for a step w, as for [`SurfacePoint::bends`]; where the point cannot
    /// follow, w turns the normal only, and b has unit length.
    pub bends: [DVec3; 2],
}

/// What follows once the nearest points of a piece, taken beyond its ends, are known.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verdict<'a> {
    /// They are those of the solid.
    Right,
    /// They are not; those of this piece may be.
    Elsewhere(Feature<'a>),
}

impl<'a> Feature<'a> {
    /// A place to begin with where the solid is farthest along `normal`.
    pub fn farthest(other: &Other<'a>, normal: DVec3) -> Self {
        let along = other.local_direction(normal);
        match other.solid {
            Convex::Superellipsoid(solid) => {
                Self::Smooth(solid, solid.surface_point(solid.support(along)))
            }
            Convex::Hull(hull) => Self::Hull(hull::Place::farthest(hull, along)),
            Convex::Frustum(frustum) => Self::Frustum(frustum::Place::farthest(frustum, along)),
        }
    }

    /// The piece to which support points belong whose hull holds nearly nearest points with this normal.
    pub fn of(other: &Other<'a>, pair: &Pair, normal: DVec3) -> Self {
        let second = other.local_point(pair.second);
        let along = other.local_direction(normal);
        match other.solid {
            Convex::Superellipsoid(solid) => Self::Smooth(solid, solid.surface_point(second)),
            Convex::Hull(hull) => {
                let supports = pair.supports.map(|support| other.local_point(support));
                Self::Hull(hull::Place::of(hull, supports, second, along))
            }
            Convex::Frustum(frustum) => Self::Frustum(frustum::Place::of(frustum, second, along)),
        }
    }

    /// The unit normal of a flat piece, of which all nearest points are known at once, and a point of it.
    pub fn flat(&self, other: &Other) -> Option<(DVec3, DVec3)> {
        let (point, normal) = match self {
            Self::Smooth(..) => return None,
            Self::Hull(place) => place.flat()?,
            Self::Frustum(place) => place.flat()?,
        };
        Some((other.point(point), other.direction(normal)))
    }

    /// The surface about this place, towards the first solid, whose nearest point has this outward unit normal.
    pub fn side(&self, other: &Other, opposite: DVec3) -> Side {
        let towards = other.local_direction(-opposite);
        let local = match self {
            Self::Smooth(_, place) => Side {
                point: place.point,
                normal: place.normal,
                freedom: Freedom::Surface,
                bends: place.bends,
            },
            Self::Hull(place) => place.side(towards),
            Self::Frustum(place) => place.side(towards),
        };
        Side {
            point: other.point(local.point),
            normal: other.direction(local.normal),
            freedom: match local.freedom {
                Freedom::Line(along) => Freedom::Line(other.direction(along)),
                Freedom::Surface => Freedom::Surface,
                Freedom::Point => Freedom::Point,
            },
            bends: local.bends.map(|bend| other.direction(bend)),
        }
    }

    /// The place after a step, m, of its point.
    pub fn moved(&self, other: &Other, step: DVec3) -> Self {
        let step = other.local_direction(step);
        match self {
            Self::Smooth(solid, place) => {
                Self::Smooth(solid, solid.surface_point(place.point + step))
            }
            Self::Hull(place) => Self::Hull(place.moved(step)),
            Self::Frustum(place) => Self::Frustum(place.moved(step)),
        }
    }

    /// How far a step may go for first order to say something, m.
    pub fn reach(&self) -> f64 {
        match self {
            Self::Smooth(solid, _) => solid.half_axes.max_element(),
            Self::Hull(_) => f64::INFINITY,
            Self::Frustum(place) => place.reach(),
        }
    }

    /// The piece where this place is, if it is beyond the ends of its own.
    pub fn beyond(&self) -> Option<Self> {
        match self {
            Self::Smooth(..) => None,
            Self::Hull(place) => place.beyond().map(Self::Hull),
            Self::Frustum(place) => place.beyond().map(Self::Frustum),
        }
    }

    /// Whether nearest points with this common `normal`, the one on this piece at `point`, are those of the solid.
    pub fn verdict(&self, other: &Other, point: DVec3, normal: DVec3) -> Verdict<'a> {
        let (point, normal) = (other.local_point(point), other.local_direction(normal));
        match self {
            Self::Smooth(..) => Verdict::Right,
            Self::Hull(place) => place
                .next(point, normal)
                .map_or(Verdict::Right, |next| Verdict::Elsewhere(Self::Hull(next))),
            Self::Frustum(place) => place.next(point, normal).map_or(Verdict::Right, |next| {
                Verdict::Elsewhere(Self::Frustum(next))
            }),
        }
    }
}
