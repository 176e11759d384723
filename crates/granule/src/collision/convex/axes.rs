//! Directions in which polyhedra can be farthest apart: normals of faces, and directions across pairs of edges.
//!
//! The outward normals at an edge go from the normal of one of its faces to that of the other, along an arc of
//! the unit sphere. The direction across an edge of a and one of b is a candidate only where the arc of one
//! crosses the mirrored arc of the other: elsewhere one of the two edges is not what is farthest there.

use super::placed::{Faced, Placed};
use super::{Axis, Couple};
use crate::math::DVec3;

/// Squares of sines of angles below which edges are parallel.
const PARALLEL: f64 = 1e-24;

/// The outward normals at an edge, or a part of them.
#[derive(Clone, Copy)]
struct Arc {
    /// Where the arc begins and ends, unit.
    ends: [DVec3; 2],
    /// A point of the edge, m.
    point: DVec3,
    /// From one end of the edge to the other, m.
    along: DVec3,
}

/// Scratch memory for the search over faces and edges.
#[derive(Default)]
pub(super) struct Arcs {
    /// For each face of a and b, the point of the other solid that is deepest below it, m.
    deepest: [Vec<DVec3>; 2],
    arcs: [Vec<Arc>; 2],
}

impl Arcs {
    /// The best of the normals of faces; `None` if the solids are farther apart than `limit` (m) along one,
    /// nothing inside if there is no face.
    pub fn faces(&mut self, couple: &Couple, limit: f64) -> Option<Option<Axis>> {
        let mut best = None;
        for (solid, other, sign, deepest) in [
            (&couple.a, &couple.b, -1.0, 0),
            (&couple.b, &couple.a, 1.0, 1),
        ] {
            let deepest = &mut self.deepest[deepest];
            deepest.clear();
            for (face, &normal) in solid.normals.iter().enumerate() {
                let below = other.support(-normal).point;
                let level = level(solid, face);
                let separation = normal.dot(below) - level;
                if separation > limit {
                    return None;
                }
                deepest.push(below);
                best = couple.better(
                    best,
                    Axis {
                        normal: sign * normal,
                        separation,
                    },
                );
            }
        }
        Some(best)
    }

    /// The best of the directions across pairs of edges, or the one so far.
    pub fn edges(&mut self, couple: &Couple, so_far: Option<Axis>) -> Option<Axis> {
        let least = so_far.map_or(f64::NEG_INFINITY, |axis| axis.separation);
        let [arcs_a, arcs_b] = &mut self.arcs;
        collect(&couple.a, &couple.b, &self.deepest[0], least, arcs_a);
        collect(&couple.b, &couple.a, &self.deepest[1], least, arcs_b);
        let mut best = so_far;
        for a in arcs_a.iter() {
            for b in arcs_b.iter() {
                // Each arc's ends on the two sides of the other's plane.
                if b.ends[0].dot(a.along) * b.ends[1].dot(a.along) >= 0.0
                    || a.ends[0].dot(b.along) * a.ends[1].dot(b.along) >= 0.0
                {
                    continue;
                }
                let across = a.along.cross(b.along);
                let lengths = a.along.length_squared() * b.along.length_squared();
                if across.length_squared() <= PARALLEL * lengths {
                    continue;
                }
                let across = across.normalize();
                let normal = if across.dot(b.ends[0] + b.ends[1]) >= 0.0 {
                    across
                } else {
                    -across
                };
                // The other crossing of the two circles is where the arcs are on opposite sides.
                if normal.dot(a.ends[0] + a.ends[1]) >= 0.0 {
                    continue;
                }
                let separation = normal.dot(a.point - b.point);
                best = couple.better(best, Axis { normal, separation });
            }
        }
        best
    }
}

/// How far a solid reaches along the normal of one of its faces, m.
fn level(solid: &Placed, face: usize) -> f64 {
    let normal = solid.normals[face];
    match solid.shape {
        Faced::Hull(hull) => {
            let corners = hull.faces[face].corners.iter();
            let levels = corners.map(|&k| normal.dot(solid.vertices[k as usize]));
            levels.fold(f64::NEG_INFINITY, f64::max)
        }
        Faced::Frustum(_) => normal.dot(solid.vertices[face]),
    }
}

/// The arcs of a solid's edges along which the separation can be above `least` (m).
fn collect(solid: &Placed, other: &Placed, deepest: &[DVec3], least: f64, arcs: &mut Vec<Arc>) {
    arcs.clear();
    let Faced::Hull(hull) = solid.shape else {
        return;
    };
    for edge in &hull.edges {
        let [point, end] = edge.ends.map(|k| solid.vertices[k as usize]);
        let along = end - point;
        let mut push = |ends: [DVec3; 2]| {
            arcs.push(Arc { ends, point, along });
        };
        let Some(faces) = edge.faces else {
            // All directions across a segment, in three parts.
            let (x, y) = along.normalize_or(DVec3::X).any_orthonormal_pair();
            let parts = [
                x,
                -0.5 * x + 0.75_f64.sqrt() * y,
                -0.5 * x - 0.75_f64.sqrt() * y,
            ];
            push([parts[0], parts[1]]);
            push([parts[1], parts[2]]);
            push([parts[2], parts[0]]);
            continue;
        };
        let ends = faces.map(|k| solid.normals[k as usize]);
        // Along the arc the separation is at most that of the edge and any point of the other.
        let is_below = |inner: DVec3| {
            let way = inner - point;
            let higher = ends[0].dot(way).max(ends[1].dot(way));
            if higher <= 0.0 {
                return higher <= least;
            }
            let cosine = 0.5 * (ends[0] + ends[1]);
            least > 0.0 && higher * higher <= least * least * cosine.length_squared()
        };
        let known = faces.map(|k| deepest[k as usize]);
        let is_plate = hull.faces.len() == 2;
        if !is_plate && (is_below(other.center) || known.into_iter().any(is_below)) {
            continue;
        }
        if is_plate {
            // The edge of a plate: from one side to its rim, and on to the other side.
            let rim = along.cross(ends[0]).normalize_or_zero();
            let rim = if rim.dot(solid.center - point) > 0.0 {
                -rim
            } else {
                rim
            };
            push([ends[0], rim]);
            push([rim, ends[1]]);
        } else {
            push(ends);
        }
    }
}
