//! The points of contact along a normal: the corners of what two faces share, seen along it.
//!
//! They are the corners of a's face that are above b's, the corners of b's face that are below a's, and the
//! crossings of their edges. Of these only the corners of the convex polygon of all are kept: the faces
//! are flat, so the gap between is a weighted mean of the gaps at the corners, and a force
//! inside is the sum of forces of its direction at the corners, with the same moment. Points inside
//! therefore change neither what is forbidden nor what can be exerted: the motion is the same without them.

use super::placed::Patch;
use super::{Axis, Couple};
use crate::math::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// Of the radius of round solids: how far beside each other, seen along the normal, points still
/// touch. The gap there is larger by the square of the way over twice the radius.
const BESIDE: f64 = 1e-3;

/// One point of contact between two solids.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ManifoldPoint {
    /// On the surface of a, in the world, m.
    pub point: DVec3,
    /// Unit normal, from b towards a.
    pub normal: DVec3,
    /// Distance of the surfaces along the normal, m; negative where they overlap.
    pub gap: f64,
    /// Which corner of a, corner of b, or crossing of two edges it is: the same from step to step.
    pub feature: u32,
}

/// What a point of contact is, by the highest bits of its feature.
#[derive(Clone, Copy)]
enum Kind {
    CornerOfA = 0,
    CornerOfB = 1,
    Crossing = 2,
}

/// Bits for the number of a corner or an edge.
const BITS: u32 = 15;

fn feature(kind: Kind, a: u32, b: u32) -> u32 {
    let mask = (1 << BITS) - 1;
    ((kind as u32) << (2 * BITS)) | ((a & mask) << BITS) | (b & mask)
}

/// A point of contact of two solids without their rounding radii.
#[derive(Clone, Copy)]
struct Found {
    /// On a, m.
    point: DVec3,
    /// Seen along the normal, m.
    place: DVec2,
    gap: f64,
    feature: u32,
}

/// A patch seen along the normal.
#[derive(Default)]
struct Flat {
    patch: Patch,
    /// Its corners, m.
    places: Vec<DVec2>,
    /// For each corner of the other patch and each edge of this one, how far the corner is on the inner side, m.
    inwards: Vec<f64>,
}

impl Flat {
    /// Edges: as many as corners, but one of two corners and none of one.
    fn edges(&self) -> usize {
        match self.places.len() {
            0 | 1 => 0,
            2 => 1,
            corners => corners,
        }
    }

    /// The corner after this one.
    fn next(&self, corner: usize) -> usize {
        if corner + 1 == self.places.len() {
            0
        } else {
            corner + 1
        }
    }

    /// Fills `places`, seen along `normal`, which points out of the patch.
    fn look(&mut self, x: DVec3, y: DVec3) {
        let corners = self.patch.corners.iter();
        self.places.clear();
        self.places
            .extend(corners.map(|c| DVec2::new(x.dot(c.point), y.dot(c.point))));
    }

    /// Fills `inwards` for the corners of another patch; `turn` is -1 where corners go clockwise.
    fn measure(&mut self, other: &[DVec2], turn: f64) {
        let edges = self.edges();
        self.inwards.clear();
        for edge in 0..edges {
            let (from, to) = (self.places[edge], self.places[self.next(edge)]);
            let inner = turn * (to - from).normalize_or_zero().perp();
            self.inwards
                .extend(other.iter().map(|p| inner.dot(p - from)));
        }
    }

    /// How far corner k of the other patch (of `count`) is on the inner side of an edge, m.
    fn inward(&self, edge: usize, k: usize, count: usize) -> f64 {
        self.inwards[edge * count + k]
    }

    /// The point of the patch that is nearest to corner k (of `count`) of the other one, seen along the normal, and
    /// how far beside it is, both m.
    fn nearest(
        &self,
        point: DVec3,
        place: DVec2,
        k: usize,
        count: usize,
        normal: DVec3,
    ) -> (DVec3, f64) {
        let farthest_out = (0..self.edges()).map(|edge| (edge, -self.inward(edge, k, count)));
        let farthest_out = farthest_out.fold((0, f64::NEG_INFINITY), |best, edge| {
            if edge.1 > best.1 { edge } else { best }
        });
        let corners = &self.patch.corners;
        match corners[..] {
            [] => (point, f64::INFINITY),
            [only] => (only.point, self.places[0].distance(place)),
            [first, _, _, ..] if farthest_out.1 <= 0.0 => {
                let face = self.patch.normal;
                let height = face.dot(first.point - point) / face.dot(normal);
                (point + height * normal, 0.0)
            }
            [_, _, ..] => {
                let from = farthest_out.0;
                let to = self.next(from);
                let (start, end) = (self.places[from], self.places[to]);
                let share = (place - start).dot(end - start) / start.distance_squared(end);
                let share = share.clamp(0.0, 1.0);
                (
                    corners[from].point.lerp(corners[to].point, share),
                    start.lerp(end, share).distance(place),
                )
            }
        }
    }
}

/// Points of contact along a normal, and scratch memory for them.
#[derive(Default)]
pub(super) struct Manifold {
    a: Flat,
    b: Flat,
    found: Vec<Found>,
    order: Vec<Found>,
}

impl Manifold {
    /// Finds the points along a normal whose gap, without rounding radii, is at most `limit` (m).
    pub fn build(&mut self, couple: &Couple, axis: Axis, limit: f64) {
        let normal = axis.normal;
        self.found.clear();
        couple.a.patch(-normal, couple.tolerance, &mut self.a.patch);
        couple.b.patch(normal, couple.tolerance, &mut self.b.patch);
        let (x, y) = across(normal);
        self.a.look(x, y);
        self.b.look(x, y);
        self.a.measure(&self.b.places, -1.0);
        self.b.measure(&self.a.places, 1.0);
        let roundness = self.a.patch.roundness + self.b.patch.roundness;
        let radii = couple.a.radius + couple.b.radius;
        let allowed = couple.tolerance.max(BESIDE * roundness);
        // Round solids are farther apart beside the point where they are closest.
        let gap_beside = |way: f64, beside: f64| {
            let radius = roundness + (way - radii).max(0.0);
            way + if roundness > 0.0 {
                0.5 * beside * beside / radius
            } else {
                0.0
            }
        };
        let (count_a, count_b) = (self.a.places.len(), self.b.places.len());
        let mut add = |found: Found| {
            if found.gap <= limit {
                self.found.push(found);
            }
        };
        for (k, corner) in self.a.patch.corners.iter().enumerate() {
            let place = self.a.places[k];
            let (below, beside) = self.b.nearest(corner.point, place, k, count_a, normal);
            if beside <= allowed {
                add(Found {
                    point: corner.point,
                    place,
                    gap: gap_beside(normal.dot(corner.point - below), beside),
                    feature: feature(Kind::CornerOfA, corner.number, 0),
                });
            }
        }
        for (k, corner) in self.b.patch.corners.iter().enumerate() {
            let place = self.b.places[k];
            let (above, beside) = self.a.nearest(corner.point, place, k, count_b, normal);
            if beside <= allowed {
                add(Found {
                    point: above,
                    place,
                    gap: gap_beside(normal.dot(above - corner.point), beside),
                    feature: feature(Kind::CornerOfB, corner.number, 0),
                });
            }
        }
        for i in 0..self.a.edges() {
            for j in 0..self.b.edges() {
                let (i_next, j_next) = (self.a.next(i), self.b.next(j));
                let of_a = [i, i_next].map(|k| self.b.inward(j, k, count_a));
                let of_b = [j, j_next].map(|k| self.a.inward(i, k, count_b));
                if of_a[0] * of_a[1] >= 0.0 || of_b[0] * of_b[1] >= 0.0 {
                    continue;
                }
                let (a, b) = (&self.a.patch.corners, &self.b.patch.corners);
                let share = of_a[0] / (of_a[0] - of_a[1]);
                let point = a[i].point.lerp(a[i_next].point, share);
                let other = b[j]
                    .point
                    .lerp(b[j_next].point, of_b[0] / (of_b[0] - of_b[1]));
                let edge_a = couple.a.edge_number(a[i].number, a[i_next].number);
                let edge_b = couple.b.edge_number(b[j].number, b[j_next].number);
                add(Found {
                    point,
                    place: self.a.places[i].lerp(self.a.places[i_next], share),
                    gap: normal.dot(point - other),
                    feature: feature(Kind::Crossing, edge_a, edge_b),
                });
            }
        }
    }

    /// The smallest gap, without rounding radii, m; infinite without points.
    pub fn deepest(&self) -> f64 {
        self.found
            .iter()
            .map(|f| f.gap)
            .fold(f64::INFINITY, f64::min)
    }

    /// Adds the points to `points`, without those that are not needed, and with the deepest one if the faces
    /// did not have it.
    pub fn finish(
        &mut self,
        couple: &Couple,
        axis: Axis,
        origin: DVec3,
        reach: f64,
        points: &mut Vec<ManifoldPoint>,
    ) {
        let level = axis.separation + couple.tolerance;
        let deepest = self.found.iter().copied().find(|f| f.gap <= level);
        let deepest = deepest.unwrap_or_else(|| deepest_point(couple, axis));
        self.drop_inner(couple.tolerance);
        // A point beside it may have stood for it.
        if self.deepest() > level {
            self.found.retain(|f| f.feature != deepest.feature);
            self.found.push(deepest);
        }
        self.found.sort_unstable_by_key(|f| f.feature);
        let radii = couple.a.radius + couple.b.radius;
        let on_surface = |f: &Found| ManifoldPoint {
            point: origin + f.point - couple.a.radius * axis.normal,
            normal: axis.normal,
            gap: f.gap - radii,
            feature: f.feature,
        };
        points.extend(self.found.iter().map(on_surface).filter(|p| p.gap <= reach));
    }

    /// Leaves the corners of the convex polygon of all points; of coincident ones the one with the lowest feature.
    fn drop_inner(&mut self, tolerance: f64) {
        self.found.sort_unstable_by_key(|f| f.feature);
        let order = &mut self.order;
        order.clear();
        for found in &self.found {
            let is_there =
                |f: &Found| f.place.distance_squared(found.place) <= 4.0 * tolerance * tolerance;
            if !order.iter().any(is_there) {
                order.push(*found);
            }
        }
        self.found.clear();
        if order.len() <= 2 {
            self.found.append(order);
            return;
        }
        order.sort_unstable_by(|p, q| {
            let across = p.place.x.total_cmp(&q.place.x);
            across
                .then(p.place.y.total_cmp(&q.place.y))
                .then(p.feature.cmp(&q.feature))
        });
        // Counter-clockwise: to the right below, and back above.
        half_ring(order.iter(), &mut self.found);
        half_ring(order.iter().rev(), &mut self.found);
        // Of those nearly on the way between their neighbours, crossings go first, as they come and go.
        while let Some(k) = needless(&self.found, tolerance) {
            self.found.remove(k);
        }
    }
}

/// Adds the points on the right of the way from the first to the last, without the last.
fn half_ring<'f>(sorted: impl Iterator<Item = &'f Found>, ring: &mut Vec<Found>) {
    let first = ring.len();
    for found in sorted {
        while let [.., p, q] = ring[first..] {
            if (q.place - p.place).perp_dot(found.place - q.place) > 0.0 {
                break;
            }
            ring.pop();
        }
        ring.push(*found);
    }
    ring.pop();
}

/// The point with the highest feature of those that are on the way between their neighbours.
fn needless(ring: &[Found], tolerance: f64) -> Option<usize> {
    let count = ring.len();
    let is_between = |k: &usize| {
        let (before, after) = (ring[(k + count - 1) % count], ring[(k + 1) % count]);
        let (way, own) = (after.place - before.place, ring[*k].place - before.place);
        let along = own.dot(way);
        let beside = way.perp_dot(own).abs();
        beside <= tolerance * way.length() && (0.0..=way.length_squared()).contains(&along)
    };
    let between = (0..count).filter(|_| count > 2).filter(is_between);
    between.max_by_key(|&k| ring[k].feature)
}

/// Two unit directions across the normal that with it make a right-handed frame.
fn across(normal: DVec3) -> (DVec3, DVec3) {
    let x = normal.any_orthonormal_vector();
    (x, normal.cross(x))
}

/// The deepest point, from what is farthest of each solid towards the other.
fn deepest_point(couple: &Couple, axis: Axis) -> Found {
    let normal = axis.normal;
    let (x, y) = across(normal);
    let (a, b) = (couple.a.support(-normal), couple.b.support(normal));
    let (corner_a, corner_b) = (
        couple.a.is_corner(-normal, couple.tolerance),
        couple.b.is_corner(normal, couple.tolerance),
    );
    let at_b = corner_b && !corner_a;
    let (point, feature) = if at_b {
        (
            b.point + axis.separation * normal,
            feature(Kind::CornerOfB, b.corner, 0),
        )
    } else {
        (a.point, feature(Kind::CornerOfA, a.corner, 0))
    };
    Found {
        point,
        place: DVec2::new(x.dot(point), y.dot(point)),
        gap: axis.separation,
        feature,
    }
}
