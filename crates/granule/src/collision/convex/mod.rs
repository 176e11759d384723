//! Where two convex solids with faces touch: their normal, and the points of contact with their gaps.
//!
//! The normal n is the direction in which the solids are farthest apart: the one with the largest
//! *separation* `s(n) = min_a n·x - max_b n·x`. It is their distance where they are apart and minus
//! the way that they must be moved to come apart where they overlap. Every direction gives a lower
//! bound of the distance, so it is enough to know candidates among which the best one is:
//!
//! - normals of faces, and for solids that touch or overlap the directions across pairs of edges
//!   (`axes.rs`): the largest separation of polyhedra that overlap is one of them;
//! - the direction between the closest points of solids that are apart (`gjk.rs`);
//! - for cylinders and cones, whose normals turn along rims and mantles, Newton's method started
//!   from the best of the above (`refine.rs`), and where they overlap the best of a search over all
//!   directions (`search.rs`).
//!
//! A face's normal is taken where another direction is better only by rounding, so that solids at rest on
//! faces have exact and steady normals.
//!
//! The points of contact are the corners of what the two faces along the normal share (`manifold.rs`).

mod axes;
mod gjk;
mod manifold;
mod placed;
mod plane;
mod refine;
mod search;

pub use manifold::ManifoldPoint;
pub use placed::Faced;
pub use plane::with_plane;

use crate::math::{DVec3, Pose};
use axes::Arcs;
use manifold::Manifold;
use placed::{Placed, Room};
use search::Search;
use std::cell::RefCell;

/// Of the size of the smaller solid: a length below which two directions are equally good, two points one.
const TOLERANCE: f64 = 1e-9;
/// Of the size of the larger solid: a length that rounding may be as large as.
const ROUNDING: f64 = 1e-14;
/// Of a distance: how well it is known where Newton's method can start.
const ROUGH: f64 = 1e-2;
/// Of the size of the smaller solid: how much smaller both are made to bring them out of an overlap.
const SMALLER: [f64; 2] = [1e-4, 1e-2];

/// A direction with the separation of the two solids along it, m.
#[derive(Debug, Clone, Copy)]
struct Axis {
    /// Unit normal, from b towards a.
    normal: DVec3,
    /// s(n) of the solids without their rounding radii, m.
    separation: f64,
}

/// Two solids in a common frame: the world's axes, with the origin where a is.
struct Couple<'s> {
    a: Placed<'s>,
    b: Placed<'s>,
    /// Their sizes, m.
    sizes: [f64; 2],
    /// The size of the smaller one, m.
    size: f64,
    /// A length below which directions are equally good and points one, m.
    tolerance: f64,
    /// A length that is rounding, m.
    rounding: f64,
}

impl Couple<'_> {
    /// The point of a that is farthest against a direction, and the point of b that is farthest along it, m.
    fn extremes(&self, normal: DVec3) -> (DVec3, DVec3) {
        let (a, b) = (self.a.support(-normal), self.b.support(normal));
        (a.point, b.point)
    }

    /// The separation along a unit direction, m.
    fn separation(&self, normal: DVec3) -> f64 {
        let (a, b) = self.extremes(normal);
        normal.dot(a - b)
    }

    /// The point of a that is farthest against a direction, and the point of b that is farthest along it, when
    /// both solids are made smaller about their middles by `less` (m).
    fn inner_extremes(&self, normal: DVec3, less: f64) -> (DVec3, DVec3) {
        let (a, b) = self.extremes(normal);
        let smaller = |solid: &Placed, size: f64, point: DVec3| {
            point + (less / size).min(1.0) * (solid.center - point)
        };
        (
            smaller(&self.a, self.sizes[0], a),
            smaller(&self.b, self.sizes[1], b),
        )
    }

    /// Whether the closest points are known: those that are farthest along the direction are one above the other.
    fn are_closest(&self, axis: Axis) -> bool {
        let (a, b) = self.extremes(axis.normal);
        let beside = a - b - axis.separation * axis.normal;
        axis.separation > 0.0 && beside.length() <= self.tolerance
    }

    /// The best direction of solids of which one at least has a rim and a mantle.
    fn best_of_curved(
        &self,
        so_far: Option<Axis>,
        limit: f64,
        search: &mut Search,
        manifold: &mut Manifold,
    ) -> Option<Axis> {
        let start = so_far.map_or(DVec3::X, |axis| axis.normal);
        let extremes = |normal| self.extremes(normal);
        let Some(axis) = gjk::closest(start, limit, ROUGH, extremes) else {
            return so_far.map(|axis| self.best_out_of_overlap(axis, search));
        };
        let axis = self.refine(axis);
        if axis.separation > limit || self.are_closest(axis) {
            return Some(axis);
        }
        manifold.build(self, axis, limit);
        if manifold.deepest() <= axis.separation + self.tolerance {
            return Some(axis);
        }
        let better = gjk::closest(axis.normal, limit, gjk::PRECISE, extremes);
        let better = better.map(|axis| self.refine(axis));
        better
            .filter(|better| better.separation > axis.separation)
            .or(Some(axis))
    }

    /// The best direction out of an overlap of such solids. Little overlap goes away when the solids are made a
    /// little smaller, and the direction then is near the best one; much of it asks for a search.
    fn best_out_of_overlap(&self, so_far: Axis, search: &mut Search) -> Axis {
        let mut best = so_far;
        for smaller in SMALLER {
            let less = smaller * self.size;
            let inner = |normal| self.inner_extremes(normal, less);
            let inner = gjk::closest(best.normal, f64::INFINITY, ROUGH, inner);
            if let Some(Axis { normal, .. }) = inner {
                let separation = self.separation(normal);
                let found = self.refine(Axis { normal, separation });
                best = self.better(Some(best), found).unwrap_or(best);
                if best.separation >= -less {
                    return best;
                }
            }
        }
        search.best(self, best)
    }

    /// Whether a direction out of an overlap leads a thin plate to its other side: that of the
    /// other solid's centre is the right one.
    fn is_wrong_side(&self, normal: DVec3) -> bool {
        let wrong = |plate: &Placed, other: &Placed, outwards: DVec3| {
            plate
                .side_of(other.center)
                .is_some_and(|side| side.dot(outwards) < -TOLERANCE)
        };
        wrong(&self.a, &self.b, -normal) || wrong(&self.b, &self.a, normal)
    }

    /// Some direction for solids that have no candidate: balls and capsules through each other's middles.
    fn any(&self) -> Axis {
        let along = |solid: &Placed| match solid.vertices {
            [from, to] => (*to - *from).normalize_or_zero(),
            _ => DVec3::ZERO,
        };
        let (a, b) = (along(&self.a), along(&self.b));
        let edge = if a == DVec3::ZERO { b } else { a };
        let normal = if edge == DVec3::ZERO {
            DVec3::X
        } else {
            edge.any_orthonormal_vector()
        };
        Axis {
            normal,
            separation: self.separation(normal),
        }
    }

    /// The better of two directions: the first where the second is better only by rounding, or leads a plate
    /// to its other side.
    fn better(&self, first: Option<Axis>, second: Axis) -> Option<Axis> {
        let least = first.map_or(f64::NEG_INFINITY, |axis| axis.separation + self.tolerance);
        let is_better = second.separation > least && second.normal.is_finite();
        if is_better && (second.separation > 0.0 || !self.is_wrong_side(second.normal)) {
            Some(second)
        } else {
            first
        }
    }
}

/// Memory that is used again.
#[derive(Default)]
struct Scratch {
    a: Room,
    b: Room,
    arcs: Arcs,
    search: Search,
    manifold: Manifold,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Adds the points of contact of two convex solids whose gap is at most `reach` (m), in the order of their
/// features. The deepest one is always among them if it is within reach.
pub fn contacts(
    a: Faced,
    at_a: &Pose,
    b: Faced,
    at_b: &Pose,
    reach: f64,
    points: &mut Vec<ManifoldPoint>,
) {
    let sizes = [a.bounding_radius(), b.bounding_radius()];
    let near = at_a.position.distance(at_b.position) <= sizes[0] + sizes[1] + reach;
    if !near {
        return;
    }
    SCRATCH.with_borrow_mut(|scratch| {
        let Scratch {
            a: room_a,
            b: room_b,
            arcs,
            search,
            manifold,
        } = scratch;
        let rounding = ROUNDING * sizes[0].max(sizes[1]);
        let couple = Couple {
            a: Placed::new(a, DVec3::ZERO, at_a.orientation, room_a),
            b: Placed::new(b, at_b.position - at_a.position, at_b.orientation, room_b),
            sizes,
            size: sizes[0].min(sizes[1]),
            tolerance: (TOLERANCE * sizes[0].min(sizes[1])).max(rounding),
            rounding,
        };
        let limit = reach + couple.a.radius + couple.b.radius;
        if let Some(axis) = normal(&couple, limit, arcs, search, manifold) {
            manifold.finish(&couple, axis, at_a.position, reach, points);
        }
    });
}

/// The direction of the largest separation, with the points of contact left in `manifold`; `None` if it is
/// above `limit` (m).
fn normal(
    couple: &Couple,
    limit: f64,
    arcs: &mut Arcs,
    search: &mut Search,
    manifold: &mut Manifold,
) -> Option<Axis> {
    let mut best = arcs.faces(couple, limit)?;
    let is_curved = couple.a.is_curved() || couple.b.is_curved();
    let is_apart = best.is_some_and(|axis| axis.separation > couple.tolerance);
    if !is_apart && !is_curved {
        best = arcs.edges(couple, best);
    }
    if let Some(axis) = best {
        if axis.separation > limit {
            return None;
        }
        // Faces and edges are all that there is where polyhedra overlap.
        let is_complete = !is_curved && axis.separation < -couple.tolerance;
        // Points as far apart as the separation, one above the other, are the closest ones.
        manifold.build(couple, axis, limit);
        let is_closest = axis.separation >= -couple.tolerance
            && manifold.deepest() <= axis.separation + couple.tolerance;
        if is_complete || is_closest {
            return Some(axis);
        }
    }
    let found = if is_curved {
        couple.best_of_curved(best, limit, search, manifold)
    } else {
        let start = best.map_or(couple.a.center - couple.b.center, |axis| axis.normal);
        gjk::closest(start, limit, gjk::PRECISE, |normal| couple.extremes(normal))
    };
    if let Some(axis) = found {
        // No face has points that are one above the other, so none is preferred where the solids are apart.
        let is_farther = best.is_none_or(|best| axis.separation > best.separation);
        best = if axis.separation > 0.0 && is_farther {
            Some(axis)
        } else {
            couple.better(best, axis)
        };
    }
    let axis = best.unwrap_or_else(|| couple.any());
    if axis.separation > limit {
        return None;
    }
    manifold.build(couple, axis, limit);
    Some(axis)
}
