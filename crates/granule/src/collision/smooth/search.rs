//! From a guess to the nearest points, whatever it takes.

use super::Nearest;
use super::common_normal::{self, Common, Outcome};
use super::feature::{Feature, Verdict};
use super::other::Other;
use super::simplex::{self, Pair};
use crate::math::{DMat3, DVec3};
use crate::shapes::{Superellipsoid, SurfacePoint};

/// Most pieces of a surface that are looked at on the way to the right one.
const MOST_PIECES: usize = 24;

/// Most times that overlapping solids are moved apart.
const MOST_MOVES: usize = 100;

/// Overlaps up to this part of the smallest half axis are those of solids that just came to touch: the guess leads
/// to the normal along which they did. Deeper ones may have a less deep one elsewhere.
const SHALLOW: f64 = 0.05;

/// Of gaps in terms of the smallest half axis, and of normals: what is smaller is rounding.
const ROUNDING: f64 = 1e-13;

/// The nearest points of a superellipsoid at the origin and another solid, in the frame of the first.
pub(super) fn nearest(a: &Superellipsoid, other: &Other) -> Nearest {
    let guess = guess(a, other);
    let found = walk(a, other, a.support(-guess), Feature::farthest(other, guess))
        .filter(|found| found.gap >= 0.0 || is_shallow(a, found))
        .or_else(|| apart(a, other, guess))
        .unwrap_or_else(|| overlapping(a, other, guess));
    let rounding = other.rounding();
    Nearest {
        point_a: found.first.point,
        point_b: found.second_point + rounding * found.normal,
        normal: found.normal,
        gap: found.gap - rounding,
    }
}

/// Whether solids overlap, but not far: the point of the second is inside the first.
fn is_shallow(a: &Superellipsoid, found: &Common) -> bool {
    -found.gap < SHALLOW * a.half_axes.min_element() && a.gauge(found.second_point) < 1.0
}

/// How far the solids are apart along a unit normal from the second to the first, m.
fn separation(a: &Superellipsoid, other: &Other, normal: DVec3) -> f64 {
    normal.dot(a.support(-normal) - other.support(normal))
}

/// A common normal of ellipsoids of about the same shapes.
fn guess(a: &Superellipsoid, other: &Other) -> DVec3 {
    let (centre, theirs) = other.ellipsoid();
    let ours = DMat3::from_diagonal(a.half_axes * a.half_axes);
    let Some(mut normal) = (-centre).try_normalize() else {
        return DVec3::Z;
    };
    for _ in 0..3 {
        let reach = |of: DMat3| normal.dot(of * normal).sqrt();
        let (our_reach, their_reach) = (reach(ours), reach(theirs).max(1e-3 * reach(ours)));
        let gap = (-normal.dot(centre) - our_reach - their_reach).max(0.0);
        let sum = ours * (1.0 / our_reach) + theirs * (1.0 / their_reach);
        let matrix = sum + DMat3::from_diagonal(DVec3::splat(gap));
        normal = (matrix.inverse() * -centre)
            .try_normalize()
            .unwrap_or(normal);
    }
    normal
}

/// By Newton's method on one piece of the second surface after the other.
fn walk<'a>(
    a: &Superellipsoid,
    other: &Other<'a>,
    first: DVec3,
    second: Feature<'a>,
) -> Option<Common<'a>> {
    let (mut first, mut second) = (first, second);
    for _ in 0..MOST_PIECES {
        match common_normal::from(a, other, first, second) {
            Outcome::Common(found) => {
                match found
                    .second
                    .verdict(other, found.second_point, found.normal)
                {
                    Verdict::Right => return found.largest.then_some(found),
                    Verdict::Elsewhere(next) => (first, second) = (found.first.point, next),
                }
            }
            Outcome::Beyond(from, next) => (first, second) = (from, next),
            Outcome::Failed => return None,
        }
    }
    None
}

/// The nearest points of solids that are apart; none if they overlap.
fn apart<'a>(a: &Superellipsoid, other: &Other<'a>, start: DVec3) -> Option<Common<'a>> {
    let size = a.half_axes.min_element();
    let mut last = None;
    for accuracy in [1e-2, 1e-4, 1e-7, 1e-10, 1e-14] {
        let pair = simplex::nearest(a, other, start, accuracy * size)?;
        let rough = rough(other, &pair)?;
        let found = walk(a, other, pair.first, rough.second);
        if let Some(found) = found.filter(|found| found.gap >= 0.0) {
            return Some(found);
        }
        last = Some(rough);
    }
    last
}

/// Points that are nearly the nearest ones of solids apart.
fn rough<'a>(other: &Other<'a>, pair: &Pair) -> Option<Common<'a>> {
    let between = pair.first - pair.second;
    let normal = between.try_normalize()?;
    Some(Common {
        first: SurfacePoint {
            point: pair.first,
            normal: -normal,
            bends: [DVec3::ZERO; 2],
        },
        second: Feature::of(other, pair, normal),
        second_point: pair.second,
        normal,
        gap: between.length(),
        largest: true,
    })
}

/// A normal along which the solids overlap least, at least among those nearby.
///
/// Moved apart by L along n they are solids with a gap, whose common normal n' is the one for which the separation
/// `s(n') + L n·n'` is largest. So `s(n') ≥ s(n) + L (1 - n·n')`: again and again, s rises until n' = n.
fn overlapping<'a>(a: &Superellipsoid, other: &Other<'a>, guess: DVec3) -> Common<'a> {
    let size = a.half_axes.min_element();
    let mut normal = thinnest(a, other, guess);
    let first = a.surface_point(a.support(-normal));
    let mut best = Common {
        first,
        second: Feature::farthest(other, normal),
        second_point: other.support(normal),
        normal,
        gap: separation(a, other, normal),
        largest: true,
    };
    for _ in 0..MOST_MOVES {
        let by = (0.1 * size - separation(a, other, normal)) * normal;
        let Some(found) = apart(a, &other.moved(-by), normal) else {
            break;
        };
        let reached = separation(a, other, found.normal);
        let better = walk(a, other, found.first.point, found.second);
        if let Some(better) = better.filter(|better| better.gap >= reached - ROUNDING * size) {
            return better;
        }
        best = Common {
            second_point: found.second_point + by,
            gap: reached,
            ..found
        };
        if (found.normal - normal).length() < ROUNDING {
            break;
        }
        normal = found.normal;
    }
    best
}

/// A normal to begin with where solids overlap: of several that along which they overlap least.
///
/// They are the guess, the axes of both solids, and the normal between the second solid and the first one made smaller
/// until it is outside: where they overlap little, that is nearly where they came to touch.
fn thinnest(a: &Superellipsoid, other: &Other, guess: DVec3) -> DVec3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let all = axes
        .into_iter()
        .chain(axes.map(|axis| other.direction(axis)));
    let mut best = (separation(a, other, guess), guess);
    for normal in all
        .flat_map(|axis| [axis, -axis])
        .chain(smaller(a, other, guess))
    {
        let gap = separation(a, other, normal);
        if gap > best.0 {
            best = (gap, normal);
        }
    }
    best.1
}

/// The normal between the second solid and the first one made smaller; none if its centre is inside the second.
fn smaller(a: &Superellipsoid, other: &Other, start: DVec3) -> Option<DVec3> {
    [0.9, 0.7, 0.4, 0.1].into_iter().find_map(|part| {
        let small = Superellipsoid {
            half_axes: a.half_axes * part,
            ..*a
        };
        let accuracy = 1e-2 * small.half_axes.min_element();
        let pair = simplex::nearest(&small, other, start, accuracy)?;
        (pair.first - pair.second).try_normalize()
    })
}
