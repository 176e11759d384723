//! Nearest points by support points alone: the method of Gilbert, Johnson and Keerthi.
//!
//! The differences of points of two convex solids are a convex set; its point v nearest to the origin is sought in
//! the hulls of up to four support points. It always gets there, however the solids bend, but slowly where they are round.

use super::other::Other;
use crate::math::DVec3;
use crate::shapes::Superellipsoid;

/// Most steps.
const MOST_STEPS: usize = 200;

/// A point of each solid, and their difference.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    first: DVec3,
    second: DVec3,
    between: DVec3,
}

/// Nearly nearest points of two solids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    /// In the first solid, m.
    pub first: DVec3,
    /// In the second, m.
    pub second: DVec3,
    /// Up to three points of the second whose hull holds it, the last one again and again, m.
    pub supports: [DVec3; 3],
}

/// The nearest points of solids that are apart, their distance known to `accuracy`, m; none where they overlap.
/// Begins along `start`, from the second towards the first.
pub(super) fn nearest(
    a: &Superellipsoid,
    other: &Other,
    start: DVec3,
    accuracy: f64,
) -> Option<Pair> {
    let vertex = |normal: DVec3| {
        let (first, second) = (a.support(-normal), other.support(normal));
        Vertex {
            first,
            second,
            between: first - second,
        }
    };
    let mut simplex = [vertex(start); 4];
    let mut count = 1;
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    let mut distance = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let point = |part: fn(&Vertex) -> DVec3| -> DVec3 {
            (0..count).map(|k| weights[k] * part(&simplex[k])).sum()
        };
        let between = point(|vertex| vertex.between);
        let pair = Pair {
            first: point(|vertex| vertex.first),
            second: point(|vertex| vertex.second),
            supports: [0, 1, 2].map(|k| simplex[k.min(count - 1)].second),
        };
        let length = between.length();
        if length == 0.0 || count == 4 {
            return None;
        }
        let next = vertex(between / length);
        let bound = next.between.dot(between) / length;
        if length >= distance || (bound > 0.0 && length - bound <= accuracy) {
            // A plane between the solids is what shows that they are apart.
            return (bound > 0.0).then_some(pair);
        }
        distance = length;
        simplex[count] = next;
        (simplex, count, weights) = reduced(simplex, count + 1);
    }
    None
}

/// The vertices whose hull holds the point nearest to the origin, and their weights.
fn reduced(simplex: [Vertex; 4], count: usize) -> ([Vertex; 4], usize, [f64; 4]) {
    let mut best = (f64::INFINITY, simplex, count, [0.0; 4]);
    for subset in 1..1usize << count {
        let mut chosen = simplex;
        let mut size = 0;
        for (k, vertex) in simplex.iter().enumerate().take(count) {
            if subset >> k & 1 == 1 {
                chosen[size] = *vertex;
                size += 1;
            }
        }
        let Some(weights) = weights(&chosen[..size]) else {
            continue;
        };
        let point: DVec3 = (0..size).map(|k| weights[k] * chosen[k].between).sum();
        let distance = point.length_squared();
        if distance < best.0 {
            best = (distance, chosen, size, weights);
        }
    }
    (best.1, best.2, best.3)
}

/// The weights of the point of the plane through the vertices that is nearest to the origin, if it is among them.
fn weights(vertices: &[Vertex]) -> Option<[f64; 4]> {
    let base = vertices[0].between;
    let arm = |k: usize| vertices[k].between - base;
    let mut parts = [0.0; 4];
    match vertices.len() {
        1 => {}
        2 => parts[1] = -base.dot(arm(1)) / arm(1).length_squared(),
        3 => {
            let (u, v) = (arm(1), arm(2));
            let normal = u.cross(v);
            let square = normal.length_squared();
            parts[1] = -base.cross(v).dot(normal) / square;
            parts[2] = -u.cross(base).dot(normal) / square;
        }
        _ => {
            let (u, v, w) = (arm(1), arm(2), arm(3));
            let volume = u.dot(v.cross(w));
            parts[1] = -base.dot(v.cross(w)) / volume;
            parts[2] = -base.dot(w.cross(u)) / volume;
            parts[3] = -base.dot(u.cross(v)) / volume;
        }
    }
    parts[0] = 1.0 - parts[1] - parts[2] - parts[3];
    let inside = parts[..vertices.len()]
        .iter()
        .all(|part| *part >= 0.0 && part.is_finite());
    inside.then_some(parts)
}
