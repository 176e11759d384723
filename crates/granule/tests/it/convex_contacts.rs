//! Where two convex solids touch: distances and depths against plain searches, the points of contact of
//! known arrangements, and what must not matter.

use crate::convex_reference::{
    ALL, Kind, ROUND, SHARP, Solid, couple, deepest, direction, feature_distance,
    largest_separation, random, rotation, separation, touch, vector,
};
use crate::extent::extent;
use granule::collision::{Faced, with_plane};
use granule::math::{DQuat, DVec3, Pose};
use granule::shapes::{Convex, Frustum, Hull};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Relative to the sizes.
const PRECISE: f64 = 1e-9;

fn ratio(random: &mut Pcg64) -> f64 {
    10.0_f64.powf(random.random_range(-2.0..2.0))
}

fn pick(kinds: &[Kind], random: &mut Pcg64) -> Kind {
    kinds[random.random_range(0..kinds.len())]
}

#[test]
fn distances_of_sharp_polyhedra_are_those_of_their_features() {
    let mut random = random(1);
    let mut apart = 0;
    let count = extent(3000, 100_000);
    for _ in 0..count {
        let kinds = [pick(&SHARP, &mut random), pick(&SHARP, &mut random)];
        let gap = random.random_range(-0.05..0.5);
        let [a, b] = couple(kinds, ratio(&mut random), gap, &mut random);
        let found = deepest(&touch(&a, &b, 1e3));
        // Along any direction they are at most as far apart as they are.
        if separation(&a, &b, found.normal) <= 0.0 {
            continue;
        }
        apart += 1;
        let expected = feature_distance(&a, &b);
        let scale = a.size().min(b.size());
        assert!(
            (found.gap - expected).abs() < PRECISE * scale,
            "{} instead of {expected}: {a:?} {b:?}",
            found.gap
        );
    }
    assert!(apart > count / 2, "{apart}");
}

#[test]
fn depths_of_sharp_polyhedra_are_those_of_all_axes() {
    let mut random = random(2);
    let mut overlapping = 0;
    for _ in 0..600 {
        let kinds = [pick(&SHARP, &mut random), pick(&SHARP, &mut random)];
        let gap = random.random_range(-1.5..-0.2);
        let [a, b] = couple(kinds, ratio(&mut random), gap, &mut random);
        let expected = largest_separation(&a, &b);
        if expected > 0.0 {
            continue;
        }
        overlapping += 1;
        let found = deepest(&touch(&a, &b, 0.0));
        let scale = a.size().min(b.size());
        assert!(
            (found.gap - expected).abs() < 2.0 * PRECISE * scale,
            "{} instead of {expected}: {a:?} {b:?}",
            found.gap
        );
    }
    assert!(overlapping > 200, "{overlapping}");
}

/// The separation along any direction is at most the distance, and any two points are at least as far apart: if
/// the gap is both, it is the distance.
fn check_distance(a: &Solid, b: &Solid) -> Option<f64> {
    let points = touch(a, b, 1e3);
    let found = deepest(&points);
    let scale = a.size().min(b.size());
    let precise = PRECISE * scale;
    assert!((found.normal.length() - 1.0).abs() < 1e-14);
    let along = separation(a, b, found.normal);
    assert!(
        (along - found.gap).abs() < 2.0 * precise,
        "gap {} but separation {along}: {a:?} {b:?}",
        found.gap
    );
    if found.gap <= 0.0 {
        return None;
    }
    let outside = [a.outside(found.point), b.outside(found.point) - found.gap];
    assert!(
        outside.iter().all(|&d| d < 2.0 * precise),
        "outside by {outside:?}, gap {}: {a:?} {b:?} {points:?}",
        found.gap
    );
    Some(found.gap)
}

#[test]
fn distances_of_all_solids_are_certified_by_points_and_a_direction() {
    let mut random = random(3);
    let count = extent(1000, 100_000);
    for family in ALL {
        let mut apart = 0;
        for _ in 0..count {
            let kinds = [family, pick(&ALL, &mut random)];
            let gap = random.random_range(0.0..0.5);
            let [a, b] = couple(kinds, ratio(&mut random), gap, &mut random);
            apart += usize::from(check_distance(&a, &b).is_some());
        }
        assert!(apart > count / 2, "{apart}");
    }
}

/// No direction out of an overlap is shorter: many directions, and the neighbours of the best of them.
fn check_depth(a: &Solid, b: &Solid, random: &mut Pcg64) {
    let found = deepest(&touch(a, b, 0.0));
    let (scale, overlap) = (a.size().min(b.size()), -found.gap);
    let mut best: Vec<(f64, DVec3)> = (0..400)
        .map(|_| direction(random))
        .map(|n| (separation(a, b, n), n))
        .collect();
    best.push((separation(a, b, found.normal), found.normal));
    best.sort_by(|p, q| q.0.total_cmp(&p.0));
    for &(start, normal) in &best[..8] {
        let (mut top, mut normal, mut step) = (start, normal, 0.1);
        while step > 1e-8 {
            let better = (0..8).find_map(|_| {
                let tried = (normal + step * vector(random)).normalize();
                let along = separation(a, b, tried);
                (along > top).then_some((along, tried))
            });
            match better {
                Some(better) => (top, normal) = better,
                None => step *= 0.5,
            }
        }
        // Where two directions are nearly as good, either may be found; a shallow overlap is left as it began, and
        // not searched for others.
        let slack = if overlap > 1e-2 * scale { 1e-3 } else { 0.1 };
        assert!(
            top < found.gap + 2.0 * PRECISE * scale + slack * overlap,
            "{} but {top} along {normal}: {a:?} {b:?} {found:?}",
            found.gap
        );
    }
}

#[test]
fn no_direction_out_of_an_overlap_of_round_solids_is_shorter() {
    let mut random = random(4);
    let mut overlapping = 0;
    for k in 0..600 {
        let kinds = [pick(&ROUND, &mut random), pick(&ALL, &mut random)];
        let gap = random.random_range(-0.8..0.0);
        let [mut a, b] = couple(kinds, ratio(&mut random), gap, &mut random);
        let plate = |s: &Solid| matches!(&s.shape, Convex::Hull(h) if h.faces.len() == 2);
        if plate(&b) {
            continue;
        }
        if k % 2 == 0 && check_distance(&a, &b).is_some() {
            // Until they just overlap.
            let found = deepest(&touch(&a, &b, 1e3));
            let depth = 10.0_f64.powf(random.random_range(-12.0..-2.0));
            a.at.position -= (found.gap + depth * a.size().min(b.size())) * found.normal;
        }
        if check_distance(&a, &b).is_none() {
            overlapping += 1;
            check_depth(&a, &b, &mut random);
        }
    }
    assert!(overlapping > 200, "{overlapping}");
}

fn brick(half: DVec3, at: DVec3, turned: DQuat) -> Solid {
    Solid {
        shape: Convex::Hull(Hull::cuboid(half)),
        at: Pose::new(at, turned),
    }
}

#[test]
fn a_box_on_a_box_has_four_points_and_a_turned_one_eight() {
    let half = DVec3::splat(0.5);
    let below = brick(half, DVec3::ZERO, DQuat::IDENTITY);
    for gap in [-1e-3, -1e-9, 0.0, 1e-9, 1e-3] {
        let above = brick(half, DVec3::new(0.0, 0.0, 1.0 + gap), DQuat::IDENTITY);
        let points = touch(&above, &below, 0.01);
        assert_eq!(points.len(), 4);
        for p in &points {
            assert_eq!(p.normal, DVec3::Z);
            assert!((p.gap - gap).abs() < 1e-15);
            assert_eq!(p.point.truncate().abs(), half.truncate());
        }
        let eighth = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let turned = brick(half, DVec3::new(0.0, 0.0, 1.0 + gap), eighth);
        let points = touch(&turned, &below, 0.01);
        assert_eq!(points.len(), 8);
        let along = 0.5 * std::f64::consts::SQRT_2 - 0.5;
        for p in &points {
            assert_eq!(p.normal, DVec3::Z);
            assert!((p.gap - gap).abs() < 1e-15);
            let place = p.point.truncate().abs();
            assert!((place.max_element() - 0.5).abs() < 1e-15);
            assert!((place.min_element() - along).abs() < 1e-15, "{place}");
        }
    }
}

#[test]
fn features_stay_under_small_motions() {
    let mut random = random(5);
    let half = DVec3::new(0.2, 0.1, 0.05);
    let base = brick(half, DVec3::ZERO, DQuat::IDENTITY);
    // Exactly above each other, half over the edge, in a row, across.
    let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let cases = [
        (DVec3::new(0.0, 0.0, 0.1), DQuat::IDENTITY),
        (DVec3::new(0.2, 0.0, 0.1), DQuat::IDENTITY),
        (DVec3::new(0.3, 0.1, 0.1), DQuat::IDENTITY),
        (DVec3::new(0.4, 0.0, 0.0), DQuat::IDENTITY),
        (DVec3::new(0.1, 0.1, 0.1), quarter),
    ];
    for (at, turned) in cases {
        let features = |solid: &Solid| -> Vec<u32> {
            touch(solid, &base, 1e-3)
                .iter()
                .map(|p| p.feature)
                .collect()
        };
        let still = features(&brick(half, at, turned));
        assert!(still.len() >= 4, "{still:?}");
        for _ in 0..200 {
            let at = at + 1e-10 * half.x * vector(&mut random);
            let turn = DQuat::from_scaled_axis(1e-10 * vector(&mut random));
            let moved = brick(half, at, turn * turned);
            assert_eq!(features(&moved), still, "{at}");
        }
    }
}

#[test]
fn place_and_turn_of_the_pair_do_not_matter_nor_does_its_order() {
    let mut random = random(6);
    for _ in 0..500 {
        let kinds = [pick(&ALL, &mut random), pick(&ALL, &mut random)];
        let gap = random.random_range(-0.05..0.1);
        let [a, b] = couple(kinds, ratio(&mut random), gap, &mut random);
        let there = Pose::new(5.0 * vector(&mut random), rotation(&mut random));
        let moved = |s: &Solid| Solid {
            shape: s.shape.clone(),
            at: there.then(&s.at),
        };
        let scale = a.size().min(b.size());
        let here = deepest(&touch(&a, &b, 1e3));
        let far = deepest(&touch(&moved(&a), &moved(&b), 1e3));
        assert!(
            (here.gap - far.gap).abs() < PRECISE * scale,
            "{here:?}, elsewhere {far:?}: {a:?} {b:?}"
        );
        let turned = deepest(&touch(&b, &a, 1e3));
        assert!(
            (here.gap - turned.gap).abs() < PRECISE * scale,
            "{here:?}, turned {turned:?}: {a:?} {b:?}"
        );
    }
}

#[test]
fn degenerate_arrangements_have_finite_answers() {
    let mut random = random(7);
    let needle = Hull::cuboid(DVec3::new(1e-3, 1e-3, 1.0));
    let mut shapes: Vec<Convex> = ALL
        .iter()
        .map(|&kind| crate::convex_reference::shape(kind, 1.0, &mut random))
        .collect();
    shapes.push(Convex::Hull(needle));
    let quarter = std::f64::consts::FRAC_PI_2;
    for first in &shapes {
        for second in &shapes {
            for turn in [0.0, quarter, 2.0 * quarter, 0.5 * quarter, 1e-12] {
                for way in [
                    DVec3::ZERO,
                    DVec3::X,
                    DVec3::Z,
                    DVec3::new(1e-300, 0.0, 0.0),
                    1e-17 * DVec3::ONE,
                ] {
                    let a = Solid {
                        shape: first.clone(),
                        at: Pose::new(way, DQuat::from_rotation_x(turn)),
                    };
                    let b = Solid {
                        shape: second.clone(),
                        at: Pose::IDENTITY,
                    };
                    let points = touch(&a, &b, 10.0);
                    assert!(!points.is_empty(), "{a:?} {b:?}");
                    for p in &points {
                        assert!(p.point.is_finite() && p.gap.is_finite());
                        assert!((p.normal.length() - 1.0).abs() < 1e-12, "{p:?}");
                    }
                    let sorted = points.windows(2).all(|w| w[0].feature < w[1].feature);
                    assert!(sorted, "{points:?}");
                }
            }
        }
    }
}

#[test]
fn points_of_contact_are_on_both_surfaces() {
    let mut random = random(8);
    let mut several = 0;
    for _ in 0..3000 {
        let kinds = [pick(&SHARP, &mut random), pick(&SHARP, &mut random)];
        let gap = random.random_range(-0.05..0.1);
        let [a, b] = couple(kinds, ratio(&mut random), gap, &mut random);
        let scale = a.size().min(b.size());
        let points = touch(&a, &b, 1.0 * scale);
        several += usize::from(points.len() > 2);
        for p in &points {
            let off = [a.outside(p.point), b.outside(p.point - p.gap * p.normal)];
            assert!(
                off.iter().all(|d| d.abs() < 10.0 * PRECISE * scale),
                "{off:?}, {p:?}: {a:?} {b:?}"
            );
        }
    }
    assert!(several > 500, "{several}");
}

#[test]
fn cylinders_touch_along_lines_and_in_disks() {
    let cylinder = |at: DVec3, turned: DQuat| Solid {
        shape: Convex::Frustum(Frustum {
            bottom: -0.5,
            top: 0.5,
            bottom_radius: 0.2,
            top_radius: 0.2,
        }),
        at: Pose::new(at, turned),
    };
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let turned = DQuat::from_rotation_z(0.3);
    let floor = brick(
        DVec3::new(2.0, 2.0, 0.5),
        DVec3::new(0.1, 0.2, -0.5),
        turned,
    );
    for gap in [-1e-3, -1e-6, 0.0, 1e-6, 1e-3] {
        // Standing on a floor: corners of the rim.
        let standing = cylinder(DVec3::new(0.0, 0.0, 0.5 + gap), DQuat::IDENTITY);
        let points = touch(&standing, &floor, 0.01);
        assert_eq!(points.len(), 12);
        for p in &points {
            assert_eq!(p.normal, DVec3::Z);
            assert!((p.gap - gap).abs() < 1e-15);
            assert!((p.point.truncate().length() - 0.2).abs() < 1e-15);
        }
        // Lying on it, and on another one: the ends of a line.
        let log = cylinder(DVec3::new(0.0, 0.0, 0.2 + gap), lying);
        let below = cylinder(DVec3::new(0.0, 0.3, -0.2), lying);
        for (other, from, to) in [(&floor, -0.5, 0.5), (&below, -0.2, 0.5)] {
            let points = touch(&log, other, 0.01);
            assert_eq!(points.len(), 2, "{points:?}");
            for p in &points {
                assert!(p.normal.distance(DVec3::Z) < 1e-14, "{p:?}");
                assert!((p.gap - gap).abs() < 1e-14, "{p:?}");
                assert!(p.point.x.abs() < 1e-14);
                let at_end = (p.point.y - from).abs().min((p.point.y - to).abs());
                assert!(at_end < 1e-14, "{p:?}");
            }
        }
        // Across another one: one point.
        let across = cylinder(
            DVec3::new(0.0, 0.0, -0.2),
            DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2),
        );
        let points = touch(&log, &across, 0.01);
        assert_eq!(points.len(), 1, "{points:?}");
        assert!(points[0].normal.distance(DVec3::Z) < 1e-14);
        assert!((points[0].gap - gap).abs() < 1e-14);
    }
}

#[test]
fn plates_touch_on_the_side_of_the_others_middle() {
    let corners = [
        DVec3::new(-2.0, -2.0, 0.0),
        DVec3::new(2.0, -2.0, 0.0),
        DVec3::new(0.0, 3.0, 0.0),
    ];
    let plate = Solid {
        shape: Convex::Hull(Hull::facet(&corners).unwrap()),
        at: Pose::IDENTITY,
    };
    let half = DVec3::new(0.3, 0.2, 0.5);
    for side in [-1.0, 1.0] {
        for depth in [-1e-3, 0.0, 1e-3, 0.2, 0.45] {
            let at = DVec3::new(0.0, 0.1, side * (0.5 - depth));
            let other = brick(half, at, DQuat::IDENTITY);
            let points = touch(&other, &plate, 0.01);
            assert_eq!(points.len(), 4, "{depth}");
            for p in &points {
                assert_eq!(p.normal, side * DVec3::Z);
                assert!((p.gap + depth).abs() < 1e-15);
            }
            // Seen from the plate.
            for p in touch(&plate, &other, 0.01) {
                assert_eq!(p.normal, -side * DVec3::Z);
                assert!((p.gap + depth).abs() < 1e-15);
            }
        }
    }
}

#[test]
fn planes_touch_corners_and_rims() {
    let mut random = random(9);
    for kind in [ALL, ALL, ALL].concat() {
        let shape = crate::convex_reference::shape(kind, 1.0, &mut random);
        let at = Pose::new(vector(&mut random), rotation(&mut random));
        let (origin, normal) = (vector(&mut random), direction(&mut random));
        let solid = Solid { shape, at };
        let lowest = normal.dot(solid.support(-normal) - origin);
        let mut points = Vec::new();
        with_plane(
            Faced::of(&solid.shape).unwrap(),
            &at,
            (origin, normal),
            lowest + 0.2,
            &mut points,
        );
        let found = deepest(&points);
        assert!(
            (found.gap - lowest).abs() < 1e-9,
            "{kind:?}: {found:?} {lowest}"
        );
        for p in &points {
            assert!((p.gap - normal.dot(p.point - origin)).abs() < 1e-14);
            assert!(p.gap <= lowest + 0.2 && p.normal == normal);
            // On the surface, or within it below a rounded corner that is not the lowest.
            let outside = solid.outside(p.point);
            let is_rounded = kind == Kind::RoundedBox || kind == Kind::Capsule;
            assert!(
                outside < 1e-14 && (is_rounded || outside > -1e-14),
                "{kind:?}: {p:?}"
            );
        }
        assert!(points.windows(2).all(|w| w[0].feature < w[1].feature));
        points.clear();
        with_plane(
            Faced::of(&solid.shape).unwrap(),
            &at,
            (origin, normal),
            lowest - 1e-9,
            &mut points,
        );
        assert!(points.is_empty());
    }
    // A cylinder that stands rests on the corners of its rim alone, whatever rounding says is lowest.
    let standing = Frustum {
        bottom: -1.0,
        top: 1.0,
        bottom_radius: 0.5,
        top_radius: 0.5,
    };
    for _ in 0..100 {
        let turn = DQuat::from_scaled_axis(1e-10 * vector(&mut random));
        let mut points = Vec::new();
        with_plane(
            Faced::Frustum(&standing),
            &Pose::new(DVec3::Z, turn),
            (DVec3::ZERO, DVec3::Z),
            1e-3,
            &mut points,
        );
        let features: Vec<u32> = points.iter().map(|p| p.feature).collect();
        assert_eq!(features, (0..12).collect::<Vec<u32>>());
    }
}
