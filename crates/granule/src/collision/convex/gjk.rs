//! The closest points of two convex solids that are apart, by the method of Gilbert, Johnson and Keerthi.
//!
//! The difference of two convex solids, all `x_a - x_b`, is convex too; its point v nearest to the
//! origin is the way between the closest points. A simplex of at most four points of the difference
//! is moved towards it: in each step the point that is farthest against v joins the simplex, and the
//! points that do not carry the new v leave it.

use super::Axis;
use crate::math::DVec3;

/// Steps; polyhedra need about as many as a simplex has corners, round solids some tens.
const STEPS: usize = 100;
/// Of a distance: what is not worth another step, where only rounding ends the search.
pub(super) const PRECISE: f64 = 1e-15;

/// Squares of sines of angles below which the corners of a tetrahedron lie in a plane.
const FLAT: f64 = 1e-24;

/// At most four points of the difference.
#[derive(Clone, Copy)]
struct Simplex {
    points: [DVec3; 4],
    count: usize,
}

impl Simplex {
    fn of(points: &[DVec3]) -> Self {
        let mut all = [DVec3::ZERO; 4];
        all[..points.len()].copy_from_slice(points);
        Self {
            points: all,
            count: points.len(),
        }
    }
}

/// The direction between the closest points, from b towards a, with the separation along it; `None` where the solids
/// overlap. `extremes` gives the point of a that is farthest against a direction and the point of b that is farthest
/// along it. The search ends as soon as the separation is above `limit` (m), or known but for a share of `precision`.
pub(super) fn closest(
    start: DVec3,
    limit: f64,
    precision: f64,
    extremes: impl Fn(DVec3) -> (DVec3, DVec3),
) -> Option<Axis> {
    let difference = |normal: DVec3| {
        let (a, b) = extremes(normal);
        a - b
    };
    let mut way = difference(start.normalize_or(DVec3::X));
    let mut simplex = Simplex::of(&[way]);
    let mut best: Option<Axis> = None;
    for _ in 0..STEPS {
        let distance = way.length();
        if distance == 0.0 || !distance.is_finite() {
            break;
        }
        let normal = way / distance;
        let point = difference(normal);
        let separation = normal.dot(point);
        if best.is_none_or(|axis| separation > axis.separation) {
            best = Some(Axis { normal, separation });
        }
        let known = simplex.points[..simplex.count].contains(&point);
        if known || separation > limit || distance - separation <= precision * distance {
            break;
        }
        let mut points = simplex.points;
        if simplex.count == 4 {
            break;
        }
        points[simplex.count] = point;
        let Some((next, nearest)) = nearest(&points[..=simplex.count]) else {
            break;
        };
        if nearest.length_squared() >= way.length_squared() {
            break;
        }
        (simplex, way) = (next, nearest);
    }
    best.filter(|axis| axis.separation > 0.0)
}

/// The point of a simplex that is nearest to the origin, and the corners that carry it; `None` if the origin is inside.
fn nearest(points: &[DVec3]) -> Option<(Simplex, DVec3)> {
    match *points {
        [a, b] => Some(of_segment(a, b)),
        [a, b, c] => Some(of_triangle(a, b, c)),
        [a, b, c, d] => of_tetrahedron([a, b, c, d]),
        _ => None,
    }
}

fn of_segment(a: DVec3, b: DVec3) -> (Simplex, DVec3) {
    let along = b - a;
    let share = -a.dot(along) / along.length_squared();
    if share >= 1.0 {
        (Simplex::of(&[b]), b)
    } else if share > 0.0 {
        // From the nearer end, which loses fewer digits.
        let point = if share < 0.5 {
            a + share * along
        } else {
            b + (b.dot(along) / along.length_squared()) * -along
        };
        (Simplex::of(&[a, b]), point)
    } else {
        (Simplex::of(&[a]), a)
    }
}

fn of_triangle(a: DVec3, b: DVec3, c: DVec3) -> (Simplex, DVec3) {
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared();
    // The side of each edge that the origin is on.
    let weights = [b.cross(c), c.cross(a), a.cross(b)].map(|area| area.dot(normal));
    if square > 0.0 && weights.iter().all(|&w| w > 0.0) {
        let height = [a, b, c]
            .into_iter()
            .min_by(|p, q| p.length_squared().total_cmp(&q.length_squared()));
        let height = height.unwrap_or(a).dot(normal) / square;
        return (Simplex::of(&[a, b, c]), height * normal);
    }
    nearer([of_segment(a, b), of_segment(b, c), of_segment(c, a)])
}

fn of_tetrahedron(points: [DVec3; 4]) -> Option<(Simplex, DVec3)> {
    let [a, b, c, d] = points;
    let faces = [[a, b, c, d], [a, b, d, c], [a, c, d, b], [b, c, d, a]];
    let mut best: Option<(Simplex, DVec3)> = None;
    for [p, q, r, opposite] in faces {
        let normal = (q - p).cross(r - p);
        let (origin, other) = (-p.dot(normal), (opposite - p).dot(normal));
        // Without a volume there is no inside.
        let largest = normal.length_squared() * p.distance_squared(opposite);
        if origin * other > 0.0 && other * other > FLAT * largest {
            continue;
        }
        let found = of_triangle(p, q, r);
        if best.is_none_or(|(_, way)| found.1.length_squared() < way.length_squared()) {
            best = Some(found);
        }
    }
    best
}

/// The one nearest to the origin, the first of several.
fn nearer<const N: usize>(all: [(Simplex, DVec3); N]) -> (Simplex, DVec3) {
    let mut best = all[0];
    for found in &all[1..] {
        if found.1.length_squared() < best.1.length_squared() {
            best = *found;
        }
    }
    best
}
