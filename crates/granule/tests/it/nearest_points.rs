//! Nearest points of superellipsoids and other convex solids: as they were placed, as an exhaustive search finds
//! them, and where nothing is well defined.

use crate::convex_pairs::{Dice, FAMILIES, Family, Pair, block, rod};
use crate::extent::extent;
use granule::collision::smooth::{Nearest, nearest, with_plane};
use granule::math::{DQuat, DVec2, DVec3, Pose};
use granule::shapes::{Convex, Frustum, Superellipsoid};

fn found(pair: &Pair) -> Nearest {
    nearest(&pair.a, &pair.at_a, &pair.b, &pair.at_b)
}

/// What every answer fulfils, in terms of the size: the points are on the surfaces, the normal is that of a, the
/// line between the points is along it, and the gap is the separation along it.
fn assert_sound(pair: &Pair, answer: &Nearest, tolerance: f64) {
    let size = pair.size;
    let local = pair.at_a.local_point(answer.point_a);
    assert!(
        (pair.a.gauge(local) - 1.0).abs() < tolerance,
        "{pair:?} {answer:?}"
    );
    let normal_a = pair.at_a.direction(pair.a.normal(local));
    assert!(
        (normal_a + answer.normal).length() < tolerance,
        "{pair:?} {answer:?}"
    );
    let between = answer.point_a - answer.point_b;
    let along = answer.gap * answer.normal;
    assert!(
        (between - along).length() < tolerance * size,
        "{pair:?} {answer:?}"
    );
    let separation = pair.separation(answer.normal);
    assert!(
        (separation - answer.gap).abs() < tolerance * size,
        "{pair:?} {answer:?}"
    );
    assert!((answer.normal.length() - 1.0).abs() < 1e-14);
    if let Convex::Superellipsoid(b) = &pair.b {
        let local = pair.at_b.local_point(answer.point_b);
        let normal_b = pair.at_b.direction(b.normal(local));
        assert!(
            (b.gauge(local) - 1.0).abs() < tolerance,
            "{pair:?} {answer:?}"
        );
        assert!(
            (normal_b - answer.normal).length() < tolerance,
            "{pair:?} {answer:?}"
        );
    }
}

#[test]
fn solids_apart_are_nearest_where_they_were_placed() {
    for family in FAMILIES {
        let mut dice = Dice::new(1);
        for _ in 0..extent(3_000, 100_000) {
            let gap = dice.power(-6.0, 0.3);
            let pair = dice.pair(family, gap);
            let answer = found(&pair);
            assert_sound(&pair, &answer, 1e-10);
            let error = (answer.gap - pair.gap).abs();
            assert!(
                error < 1e-11 * pair.size,
                "{family:?} {error:e} {pair:?} {answer:?}"
            );
            assert!(
                (answer.normal - pair.normal).length() < 1e-9,
                "{pair:?} {answer:?}"
            );
            assert!(
                answer.point_a.distance(pair.point_a) < 1e-9 * pair.size,
                "{pair:?}"
            );
        }
    }
}

#[test]
fn solids_that_overlap_a_little_do_so_where_they_were_placed() {
    for family in FAMILIES {
        let mut dice = Dice::new(2);
        for _ in 0..extent(2_000, 100_000) {
            let depth = 0.03 * dice.power(-6.0, 0.0);
            let pair = dice.pair(family, -depth);
            let answer = found(&pair);
            assert_sound(&pair, &answer, 1e-10);
            // There may be a way out that is shorter still, but none that is longer is taken.
            assert!(
                answer.gap > pair.gap - 1e-11 * pair.size,
                "{family:?} {pair:?} {answer:?}"
            );
            assert!(answer.gap < 0.0);
        }
    }
}

/// The largest separation over all normals, by trying many and then ever finer ones about the best.
fn searched(pair: &Pair) -> f64 {
    const DIRECTIONS: usize = 4000;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut tried: Vec<(f64, DVec3)> = (0..DIRECTIONS)
        .map(|k| {
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / DIRECTIONS as f64;
            let across = (1.0 - z * z).sqrt();
            let (sine, cosine) = (k as f64 * golden).sin_cos();
            let normal = DVec3::new(across * cosine, across * sine, z);
            (pair.separation(normal), normal)
        })
        .collect();
    tried.sort_by(|one, other| other.0.total_cmp(&one.0));
    // Some that are good and far from each other.
    let mut starts: Vec<(f64, DVec3)> = Vec::new();
    for start in tried {
        if starts.len() < 4 && starts.iter().all(|known| known.1.dot(start.1) < 0.95) {
            starts.push(start);
        }
    }
    let refined = starts.into_iter().map(|start| refined(pair, start));
    refined.fold(f64::NEG_INFINITY, f64::max)
}

/// The largest separation near a normal.
fn refined(pair: &Pair, start: (f64, DVec3)) -> f64 {
    // The separation s is concave, and so is s(n) - best |n| as long as the best is not negative.
    let mut best = start;
    for width in [0.1, 0.1, 1e-2, 1e-3, 1e-5, 1e-7] {
        let (so_far, middle) = best;
        let tangent = middle.any_orthonormal_vector();
        let other = middle.cross(tangent);
        let at = |u: f64, v: f64| middle + tangent * u + other * v;
        let beyond = |normal: DVec3| pair.separation(normal) - so_far * normal.length();
        let along = |u: f64| largest(width, |v| beyond(at(u, v)));
        let (u, _) = largest(width, |u| along(u).1);
        let normal = at(u, along(u).0).normalize();
        let value = pair.separation(normal);
        if value > so_far {
            best = (value, normal);
        }
    }
    best.0
}

/// Where a function that rises and then falls is largest between `-width` and `width`, by golden sections.
fn largest(width: f64, mut of: impl FnMut(f64) -> f64) -> (f64, f64) {
    let part = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = (-width, width);
    let mut inner = [high - part * (high - low), low + part * (high - low)];
    let mut values = inner.map(&mut of);
    for _ in 0..50 {
        if values[0] > values[1] {
            high = inner[1];
            inner = [high - part * (high - low), inner[0]];
            values = [of(inner[0]), values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + part * (high - low)];
            values = [values[1], of(inner[1])];
        }
    }
    if values[0] > values[1] {
        (inner[0], values[0])
    } else {
        (inner[1], values[1])
    }
}

#[test]
fn no_other_normal_separates_better() {
    for family in FAMILIES {
        let mut dice = Dice::new(3);
        let count = extent(30, 1_000);
        let mut reached = 0;
        for k in 0..count {
            let gap = if k % 4 == 0 { -0.03 } else { 1.0 } * dice.power(-6.0, 0.3);
            let pair = dice.pair(family, gap);
            let (answer, best) = (found(&pair), searched(&pair));
            assert_sound(&pair, &answer, 1e-10);
            let gain = (best - answer.gap) / pair.size;
            assert!(gain < 1e-9, "{family:?} {gain:e} {pair:?} {answer:?}");
            reached += usize::from(gain > -1e-9);
        }
        // The search itself gets there nearly always, except to the sharpest peaks.
        assert!(
            20 * reached >= 19 * count,
            "{family:?} {reached} of {count}"
        );
    }
}

#[test]
fn flat_sides_that_are_nearly_parallel_have_a_certain_gap() {
    let mut dice = Dice::new(4);
    for k in 0..extent(3_000, 100_000) {
        let (a, b) = (dice.superellipsoid(1.0), dice.superellipsoid(1.0));
        let tilt = if k % 3 == 0 {
            0.0
        } else {
            dice.power(-12.0, -0.5)
        };
        let turn = DQuat::from_scaled_axis(tilt * dice.vector());
        let towards = [DVec3::X, DVec3::Y, DVec3::Z][dice.below(3)];
        let aside = dice.vector() * a.half_axes.min(b.half_axes);
        let aside = aside.reject_from_normalized(towards);
        let size = a.half_axes.min_element().min(b.half_axes.min_element());
        let gap = if k % 4 == 0 { -0.05 } else { 1.0 } * size * dice.power(-6.0, 0.3);
        let reach = a.support(towards).dot(towards)
            + (turn * b.support(turn.conjugate() * -towards)).dot(-towards);
        let pair = Pair {
            a,
            at_a: Pose::IDENTITY,
            b: Convex::Superellipsoid(b),
            at_b: Pose::new(towards * (reach + gap) + aside, turn),
            normal: -towards,
            point_a: DVec3::ZERO,
            gap,
            size,
        };
        let answer = found(&pair);
        assert_sound(&pair, &answer, 1e-10);
        // Along `towards` they are apart by the gap, so that the largest separation is no less.
        assert!(answer.gap > gap - 1e-12 * size);
        // The other way round the same.
        let swapped = nearest(&b, &pair.at_b, &Convex::Superellipsoid(a), &pair.at_a);
        assert!(
            (swapped.gap - answer.gap).abs() < 1e-11 * size,
            "{pair:?} {answer:?} {swapped:?}"
        );
        if answer.gap > 0.0 {
            assert!((swapped.normal + answer.normal).length() < 1e-9 * (1.0 + size / answer.gap));
        }
    }
}

#[test]
fn flat_sides_on_faces_have_a_certain_gap() {
    let mut dice = Dice::new(10);
    for k in 0..extent(3_000, 100_000) {
        let a = dice.superellipsoid(1.0);
        let half = DVec3::from_array([0; 3].map(|_| dice.power(-1.0, 0.5)));
        let b = match k % 3 {
            0 => Convex::Hull(block(half, 0.0)),
            1 => Convex::Hull(block(half, 0.05)),
            _ => Convex::Frustum(Frustum {
                bottom: -half.z,
                top: half.z,
                bottom_radius: half.x,
                top_radius: half.y.min(half.x),
            }),
        };
        let tilt = [0.0, dice.power(-12.0, -0.5)][dice.below(2)];
        let turn = DQuat::from_scaled_axis(tilt * dice.vector());
        let towards = [DVec3::X, DVec3::Y, DVec3::Z][dice.below(3)];
        let aside = (dice.vector() * a.half_axes.max(half)).reject_from_normalized(towards);
        let size = a.half_axes.min_element().min(half.min_element());
        let gap = if k % 4 == 0 { -0.03 } else { 1.0 } * size * dice.power(-6.0, 0.3);
        let mut pair = Pair {
            a,
            at_a: Pose::IDENTITY,
            b,
            at_b: Pose::new(DVec3::ZERO, turn),
            normal: -towards,
            point_a: DVec3::ZERO,
            gap,
            size,
        };
        let so_far = pair.separation(-towards);
        pair.at_b.position = towards * (gap - so_far) + aside;
        let answer = found(&pair);
        assert_sound(&pair, &answer, 1e-10);
        // Along `towards` they are apart by the gap, so that the largest separation is no less.
        assert!(answer.gap > gap - 1e-11 * size, "{pair:?} {answer:?}");
    }
}

#[test]
fn gaps_close_steadily_as_solids_are_pushed_into_each_other() {
    const STEPS: usize = 60;
    for family in FAMILIES {
        let mut dice = Dice::new(5);
        for _ in 0..extent(40, 1_000) {
            let mut pair = dice.pair(family, 0.04);
            let way = (pair.normal + 0.3 * dice.direction()).normalize() * pair.size;
            let mut before = found(&pair);
            for _ in 0..STEPS {
                pair.at_b.position += way * (0.08 / STEPS as f64);
                let answer = found(&pair);
                // The separation along any normal changes by no more than the way, and by what the normal sees of it.
                let step = way * (0.08 / STEPS as f64);
                let (most, least) = (-before.normal.dot(step), -answer.normal.dot(step));
                let change = answer.gap - before.gap;
                let rounding = 1e-11 * pair.size;
                assert!(
                    change >= most - rounding,
                    "{family:?} {pair:?} {before:?} {answer:?}"
                );
                assert!(
                    change <= least + rounding,
                    "{family:?} {pair:?} {before:?} {answer:?}"
                );
                before = answer;
            }
            assert!(before.gap < 0.0);
        }
    }
}

#[test]
fn spheres_are_exact() {
    let mut dice = Dice::new(6);
    for _ in 0..1000 {
        let (r, s) = (dice.power(-2.0, 0.0), dice.power(-2.0, 0.0));
        let at_a = Pose::new(dice.vector(), dice.turn());
        let at_b = Pose::new(dice.vector(), dice.turn());
        let line = at_a.position - at_b.position;
        for b in [
            Convex::Superellipsoid(Superellipsoid::sphere(s)),
            Convex::Hull(rod(0.0, s)),
        ] {
            let answer = nearest(&Superellipsoid::sphere(r), &at_a, &b, &at_b);
            assert!((answer.gap - (line.length() - r - s)).abs() < 1e-15);
            assert!((answer.normal - line.normalize()).length() < 1e-15);
        }
    }
}

#[test]
fn a_plane_is_met_at_the_lowest_point() {
    let mut dice = Dice::new(7);
    for _ in 0..1000 {
        let pair = dice.pair(Family::Superellipsoid, 1.0);
        let (point, normal) = (dice.vector(), dice.direction());
        let answer = with_plane(&pair.a, &pair.at_a, point, normal);
        assert!(normal.dot(answer.point_b - point).abs() < 1e-14);
        assert!((answer.point_a - answer.point_b - answer.gap * normal).length() < 1e-14);
        let local = pair.at_a.local_point(answer.point_a);
        assert!((pair.at_a.direction(pair.a.normal(local)) + normal).length() < 1e-12);
    }
}

#[test]
fn ellipses_in_a_plane_stay_there() {
    let mut dice = Dice::new(8);
    for _ in 0..extent(5_000, 100_000) {
        let mut ellipse = || {
            let axes = DVec2::new(dice.power(-1.0, 0.0), dice.power(-1.0, 0.0));
            let place = dice.vector().with_z(0.0);
            let turn = DQuat::from_rotation_z(dice.between(-3.0, 3.0));
            (Superellipsoid::ellipse(axes), Pose::new(place, turn))
        };
        let ((a, at_a), (b, at_b)) = (ellipse(), ellipse());
        let answer = nearest(&a, &at_a, &Convex::Superellipsoid(b), &at_b);
        assert!(
            answer.normal.z.abs() < 1e-14,
            "{a:?} {at_a:?} {b:?} {at_b:?} {answer:?}"
        );
        assert!(answer.point_a.z.abs() < 1e-14 && answer.point_b.z.abs() < 1e-14);
    }
}

#[test]
fn every_placement_has_a_normal() {
    let ellipsoid = |x, y, z| Superellipsoid::ellipsoid(DVec3::new(x, y, z));
    let rounded = |axes, around, along| Superellipsoid {
        half_axes: axes,
        around,
        along,
    };
    let solids = [
        Superellipsoid::sphere(1.0),
        ellipsoid(1.0, 1e-3, 1e-3),
        ellipsoid(1.0, 1.0, 1e-3),
        ellipsoid(1.0, 0.5, 0.2),
        rounded(DVec3::ONE, 8.0, 8.0),
        rounded(DVec3::new(1.0, 0.1, 0.1), 2.0, 8.0),
    ];
    let frustum = |bottom_radius, top_radius| {
        Convex::Frustum(Frustum {
            bottom: -1.0,
            top: 1.0,
            bottom_radius,
            top_radius,
        })
    };
    let mut others: Vec<Convex> = solids.map(Convex::Superellipsoid).to_vec();
    others.push(Convex::Hull(rod(0.0, 1.0)));
    others.push(Convex::Hull(rod(1.0, 0.1)));
    others.push(Convex::Hull(block(DVec3::ONE, 0.0)));
    others.push(Convex::Hull(block(DVec3::new(1.0, 1.0, 1e-3), 0.0)));
    others.extend([frustum(1.0, 1.0), frustum(1.0, 0.0), frustum(0.0, 0.5)]);
    let places = [
        DVec3::ZERO,
        DVec3::X,
        2.0 * DVec3::X,
        DVec3::Z,
        2.0 * DVec3::Z,
        1e-300 * DVec3::X,
        2e-3 * DVec3::Z,
        1e-17 * DVec3::Z,
        DVec3::new(1.0, 1.0, 1.0),
        1e6 * DVec3::Z,
    ];
    let turns = [
        DQuat::IDENTITY,
        DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
        DQuat::from_rotation_y(0.3),
    ];
    for a in solids {
        for b in &others {
            for place in places {
                for turn in turns {
                    let pair = Pair {
                        a,
                        at_a: Pose::IDENTITY,
                        b: b.clone(),
                        at_b: Pose::new(place, turn),
                        normal: DVec3::Z,
                        point_a: DVec3::ZERO,
                        gap: 0.0,
                        size: 1.0 + place.length(),
                    };
                    let answer = found(&pair);
                    assert!(
                        (answer.normal.length() - 1.0).abs() < 1e-14,
                        "{pair:?} {answer:?}"
                    );
                    let between = answer.point_a - answer.point_b;
                    let along = answer.gap * answer.normal;
                    assert!(
                        (between - along).length() < 1e-10 * pair.size,
                        "{pair:?} {answer:?}"
                    );
                    let error = (pair.separation(answer.normal) - answer.gap).abs();
                    assert!(error < 1e-10 * pair.size, "{pair:?} {answer:?}");
                }
            }
        }
    }
}
