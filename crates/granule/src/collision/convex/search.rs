//! The direction of the largest separation of two solids that overlap, by a search over all directions.
//!
//! Any points x of a and y of b bound the separation, `s(n) ≤ n·(x - y)`. So within a triangle of
//! directions the separation is at most what the points that are farthest at one of its corners say at the others;
//! triangles that cannot be better than the best direction so far are left out, of the others the one with the highest bound is halved first.

use super::{Axis, Couple};
use crate::math::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Of the depth of the overlap: how much better than the best so far a direction must be to be looked for.
const WORTH: f64 = 1e-3;
/// Directions looked at.
const LOOKS: usize = 4000;
/// Below the coarsest triangles, the distance of their planes from the middle of the sphere, at least.
const FLATTEST: f64 = 0.57;

/// A direction with the way between the farthest points there.
#[derive(Clone, Copy)]
struct Look {
    normal: DVec3,
    way: DVec3,
}

/// A triangle of directions; the one that can be the best comes first.
struct Triangle {
    corners: [Look; 3],
    /// What the separation is at most within, m.
    bound: f64,
}

impl Triangle {
    fn new(corners: [Look; 3]) -> Self {
        let bound = bound(&corners);
        Self { corners, bound }
    }
}

impl PartialEq for Triangle {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Triangle {}

impl PartialOrd for Triangle {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Triangle {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound)
    }
}

/// Triangles of directions that are still to be looked at.
#[derive(Default)]
pub(super) struct Search {
    triangles: BinaryHeap<Triangle>,
}

impl Search {
    /// The best of all directions, starting from the best so far.
    pub fn best(&mut self, couple: &Couple, so_far: Axis) -> Axis {
        let mut best = so_far;
        let look = |normal: DVec3, best: &mut Axis| {
            let (a, b) = couple.extremes(normal);
            let way = a - b;
            let separation = way.dot(normal);
            if separation > best.separation && !couple.is_wrong_side(normal) {
                *best = couple.refine(Axis { normal, separation });
            }
            Look { normal, way }
        };
        let poles = [DVec3::X, DVec3::Y, DVec3::Z];
        let poles = poles.map(|axis| [axis, -axis].map(|normal| look(normal, &mut best)));
        self.triangles.clear();
        for x in poles[0] {
            for y in poles[1] {
                for z in poles[2] {
                    self.triangles.push(Triangle::new([x, y, z]));
                }
            }
        }
        for _ in 0..LOOKS {
            let Some(Triangle { corners, bound }) = self.triangles.pop() else {
                break;
            };
            if bound <= (1.0 - WORTH) * best.separation {
                break;
            }
            // Across the middle of the longest side.
            let length = |k: usize| {
                let (p, q) = (corners[k], corners[(k + 1) % 3]);
                p.normal.distance_squared(q.normal)
            };
            let longest = if length(0) >= length(1).max(length(2)) {
                0
            } else if length(1) >= length(2) {
                1
            } else {
                2
            };
            let [p, q, r] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);
            let middle = look((p.normal + q.normal).normalize(), &mut best);
            self.triangles.push(Triangle::new([p, middle, r]));
            self.triangles.push(Triangle::new([middle, q, r]));
        }
        best
    }
}

/// What the separation is at most within a triangle of directions, m.
///
/// Its directions are weighted means of its corners m_j, and any weighted mean of the ways g_i at the corners bounds
/// the separation: by the largest `m_j · g`. The bound is the least over the means of two ways, and
/// that of the three if it lies along the normal of the triangle.
fn bound(corners: &[Look; 3]) -> f64 {
    let along = corners.map(|look| corners.map(|corner| corner.normal.dot(look.way)));
    let highest = |values: [f64; 3]| values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let mut least = f64::INFINITY;
    for (first, second) in [(0, 1), (1, 2), (2, 0)] {
        let (p, q) = (along[first], along[second]);
        let mean = |share: f64| highest([0, 1, 2].map(|j| p[j] + share * (q[j] - p[j])));
        least = least.min(mean(0.0));
        // The highest of three lines is lowest where two of them cross.
        for (j, k) in [(0, 1), (1, 2), (2, 0)] {
            let share = (p[k] - p[j]) / (p[k] - p[j] + q[j] - q[k]);
            if (0.0..=1.0).contains(&share) {
                least = least.min(mean(share));
            }
        }
    }
    let [p, q, r] = along.map(DVec3::from_array);
    let weights = [q.cross(r), r.cross(p), p.cross(q)].map(|v| v.element_sum());
    let sum: f64 = weights.iter().sum();
    if weights.iter().all(|w| w / sum >= 0.0) {
        let mean = (weights[0] * p + weights[1] * q + weights[2] * r) / sum;
        least = least.min(mean.max_element());
    }
    if least > 0.0 { least / FLATTEST } else { least }
}
