//! The spheres around bodies, each in half a line of a cache: what most listed pairs are dismissed by.

use super::{ContactKey, Geometry, Partner};
use crate::bodies::Dimension;
use crate::math::DVec3;

/// Of a square of a distance: what is above this share of it is above it, rounding or not.
const FAR: f64 = 1.0 + 1e-9;

/// A sphere around a body, with how far it may go.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Ball {
    /// m.
    center: DVec3,
    /// Radius and way, m.
    reach: f64,
}

/// The spheres around all bodies.
#[derive(Debug, Clone, Default)]
pub(super) struct Balls(Vec<Ball>);

impl Balls {
    /// Takes where the bodies are, and the way (m) that each may go.
    pub(super) fn set(&mut self, geometry: &Geometry, way: impl Fn(usize) -> f64) {
        let bodies = geometry.positions.iter().zip(&geometry.bodies.radius);
        self.0.clear();
        self.0
            .extend(bodies.enumerate().map(|(body, (&center, radius))| Ball {
                center,
                reach: radius + way(body),
            }));
    }

    /// Whether the spheres around two bodies are so far apart that no root is needed to see that their gap, after both have
    /// gone their ways, is above `limit` (m); or that it takes no more than the plane of a flat wall to see that of a body and
    /// this wall, which goes no way of its own.
    #[inline(always)]
    pub(super) fn are_apart(&self, geometry: &Geometry, key: ContactKey, limit: f64) -> bool {
        let other = match key.partner {
            Partner::Body(other) => other,
            Partner::Wall(wall) => {
                let ball = &self.0[key.a as usize];
                let limit = ball.reach + limit;
                return (geometry.patches).is_beyond(wall, key.feature, ball.center, limit);
            }
        };
        let (i, j) = (key.a as usize, other as usize);
        let (one, two) = (&self.0[i], &self.0[j]);
        let offset = match geometry.lattice {
            None => one.center - two.center,
            Some(_) => geometry.offset(i, j).0,
        };
        let reach = one.reach + two.reach + limit;
        offset.length_squared() > FAR * reach * reach && geometry.dimension != Dimension::Line
    }
}
