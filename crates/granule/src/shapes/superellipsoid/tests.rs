//! Superellipsoids against their definition and against sums over many points.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The inequality that defines the solid.
fn left_side(solid: &Superellipsoid, p: DVec3) -> f64 {
    let [u, v, w] = (p / solid.half_axes).abs().to_array();
    let (m, n) = (solid.around, solid.along);
    (u.powf(m) + v.powf(m)).powf(n / m) + w.powf(n)
}

fn between(random: &mut Pcg64, low: f64, high: f64) -> f64 {
    low + (high - low) * random.random::<f64>()
}

fn direction(random: &mut Pcg64) -> DVec3 {
    loop {
        let v = DVec3::from_array([0; 3].map(|_| between(random, -1.0, 1.0)));
        if (0.1..1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

fn solid(random: &mut Pcg64) -> Superellipsoid {
    let exponents = [2.0, 3.0, 4.0, 8.0, between(random, 2.0, 8.0)];
    let mut exponent = || exponents[(between(random, 0.0, 5.0)) as usize];
    let (around, along) = (exponent(), exponent());
    let half_axes = DVec3::from_array([0; 3].map(|_| 10f64.powf(between(random, -1.0, 0.0))));
    Superellipsoid {
        half_axes,
        around,
        along,
    }
}

#[test]
fn the_gauge_is_that_of_the_inequality() {
    let mut random = Pcg64::seed_from_u64(1);
    for _ in 0..1000 {
        let solid = solid(&mut random);
        let point = direction(&mut random) * between(&mut random, 0.1, 3.0);
        let exact = left_side(&solid, point).powf(1.0 / solid.along);
        assert!((solid.gauge(point) / exact - 1.0).abs() < 1e-13);
        let gradient = solid.gauge_gradient(point);
        for axis in 0..3 {
            let mut step = DVec3::ZERO;
            step[axis] = 1e-5 * solid.half_axes[axis];
            let rise = solid.gauge(point + step) - solid.gauge(point - step);
            let slope = rise / (2.0 * step[axis]);
            assert!((gradient[axis] - slope).abs() < 1e-6 / solid.half_axes[axis]);
        }
    }
}

#[test]
fn no_point_is_farther_than_the_support_point() {
    let mut random = Pcg64::seed_from_u64(2);
    for _ in 0..1000 {
        let solid = solid(&mut random);
        let along = direction(&mut random);
        let farthest = solid.support(along);
        assert!((left_side(&solid, farthest) - 1.0).abs() < 1e-13);
        assert!((solid.normal(farthest) - along).length() < 1e-12);
        for _ in 0..100 {
            let ray = direction(&mut random);
            let on_surface = ray / solid.gauge(ray);
            assert!(along.dot(on_surface) <= along.dot(farthest) * (1.0 + 1e-14));
        }
    }
    assert_eq!(
        Superellipsoid::sphere(2.0).support(DVec3::ZERO),
        DVec3::ZERO
    );
}

#[test]
fn normals_turn_along_the_surface_as_its_bends_say() {
    let mut random = Pcg64::seed_from_u64(3);
    for _ in 0..1000 {
        let solid = solid(&mut random);
        let place = solid.surface_point(direction(&mut random) * solid.half_axes);
        assert!((solid.gauge(place.point) - 1.0).abs() < 1e-14);
        let step =
            direction(&mut random).cross(place.normal) * 1e-5 * solid.half_axes.min_element();
        let normal = |step: DVec3| solid.surface_point(place.point + step).normal;
        let turned = 0.5 * (normal(step) - normal(-step));
        let expected: DVec3 = place.bends.iter().map(|b| *b * b.dot(step)).sum();
        let expected = expected.reject_from_normalized(place.normal);
        let curvature: f64 = place.bends.iter().map(|b| b.length_squared()).sum();
        let size = curvature * step.length();
        assert!(
            (turned - expected).length() < 1e-5 * size + 1e-12,
            "{solid:?} {turned} {expected}"
        );
    }
}

#[test]
fn the_ball_around_is_the_smallest() {
    let mut random = Pcg64::seed_from_u64(4);
    for _ in 0..20 {
        let solid = solid(&mut random);
        let mut farthest = 0.0_f64;
        for _ in 0..200 {
            // Going on to the support point along a point's own direction leads to the farthest one.
            let mut point = direction(&mut random);
            for _ in 0..300 {
                point = solid.support(point);
            }
            farthest = farthest.max(point.length());
        }
        let radius = solid.bounding_radius();
        assert!(
            (radius / farthest - 1.0).abs() < 1e-9,
            "{solid:?} {radius} {farthest}"
        );
    }
    assert_eq!(
        Superellipsoid::ellipsoid(DVec3::new(1.0, 3.0, 2.0)).bounding_radius(),
        3.0
    );
}

/// Integrals over the first octant, by the midpoint rule in coordinates in which the solid is a box: x = t u, y = t v
/// on the section at z.
fn sums(solid: &Superellipsoid) -> (f64, DVec3) {
    const STEPS: usize = 400;
    let part = |k: usize| (k as f64 + 0.5) / STEPS as f64;
    let (m, n) = (solid.around, solid.along);
    // Along z by z = 1 - (1 - s)³, since the section ends steeply; across by the angle.
    let (mut volume, mut squares) = (0.0, DVec3::ZERO);
    let (mut area, mut wide) = (0.0, DVec3::ZERO);
    for k in 0..STEPS {
        let (sine, cosine) = (part(k) * std::f64::consts::FRAC_PI_2).sin_cos();
        // The radius of the section there; its sector and moments.
        let radius = (sine.powf(m) + cosine.powf(m)).powf(-1.0 / m);
        let width = std::f64::consts::FRAC_PI_2 / STEPS as f64;
        area += radius.powi(2) / 2.0 * width;
        wide += DVec3::new(cosine * cosine, sine * sine, 0.0) * radius.powi(4) / 4.0 * width;
    }
    for k in 0..STEPS * 100 {
        let s = (k as f64 + 0.5) / (STEPS * 100) as f64;
        let (z, width) = (
            1.0 - (1.0 - s).powi(3),
            3.0 * (1.0 - s).powi(2) / (STEPS * 100) as f64,
        );
        let scale = (1.0 - z.powf(n)).powf(1.0 / n);
        volume += area * scale.powi(2) * width;
        squares += wide * scale.powi(4) * width;
        squares.z += z * z * area * scale.powi(2) * width;
    }
    let product = 8.0 * solid.half_axes.element_product();
    let squares = squares * solid.half_axes * solid.half_axes * product;
    let moments = DVec3::splat(squares.element_sum()) - squares;
    (volume * product, moments)
}

#[test]
fn volume_and_moments_are_those_of_sums() {
    let mut random = Pcg64::seed_from_u64(5);
    for _ in 0..20 {
        let solid = solid(&mut random);
        let (volume, moments) = sums(&solid);
        assert!(
            (solid.volume() / volume - 1.0).abs() < 1e-6,
            "{solid:?} {volume}"
        );
        let ratio = solid.moments() / moments - 1.0;
        assert!(ratio.abs().max_element() < 1e-6, "{solid:?} {ratio}");
    }
    // An ellipsoid: 4π abc / 3 and m (b² + c²) / 5.
    let ellipsoid = Superellipsoid::ellipsoid(DVec3::new(1.0, 2.0, 3.0));
    let volume = 8.0 * std::f64::consts::PI;
    assert!((ellipsoid.volume() / volume - 1.0).abs() < 1e-14);
    let moments = volume / 5.0 * DVec3::new(13.0, 10.0, 5.0);
    assert!((ellipsoid.moments() / moments - 1.0).abs().max_element() < 1e-14);
}

#[test]
fn closest_points_are_nearer_than_all_others() {
    let mut random = Pcg64::seed_from_u64(6);
    for k in 0..3000 {
        let solid = solid(&mut random);
        let scale = if k % 3 == 0 {
            0.95
        } else {
            1.0 + 10f64.powf(between(&mut random, -6.0, 1.0))
        };
        let point = direction(&mut random) * solid.half_axes * between(&mut random, 0.5, 1.0);
        let point = point / solid.gauge(point) * scale;
        let found = solid.closest_point(point);
        let size = solid.half_axes.min_element();
        assert!((solid.gauge(found.point) - 1.0).abs() < 1e-13);
        assert_eq!(found.distance < 0.0, scale < 1.0);
        // The point is straight above: the tangential rest vanishes.
        let rest = point - found.point - found.distance * found.normal;
        assert!(rest.length() < 1e-10 * size, "{solid:?} {point} {rest}");
        let nearest = point.distance(found.point) * (1.0 + 1e-12);
        for _ in 0..100 {
            let other =
                found.point + direction(&mut random) * between(&mut random, 0.0, 0.3) * size;
            let other = other / solid.gauge(other);
            assert!(
                point.distance(other) >= nearest * (1.0 - 1e-11),
                "{solid:?} {point} {found:?}"
            );
        }
        if scale > 1.0 {
            // Outside, the tangent plane shows that no point is nearer.
            assert!((solid.support(found.normal) - found.point).dot(found.normal) < 1e-13);
        }
    }
}

#[test]
fn the_centre_is_nearest_to_the_end_of_the_shortest_axis() {
    let solid = Superellipsoid {
        half_axes: DVec3::new(3.0, 1.0, 2.0),
        around: 4.0,
        along: 3.0,
    };
    let found = solid.closest_point(DVec3::ZERO);
    assert!((found.distance + 1.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn wrong_solids_are_refused_with_a_reason() {
    let good = Superellipsoid::ellipsoid(DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(good.validate(), Ok(()));
    let refused = |solid: Superellipsoid, word: &str| {
        let reason = solid.validate().unwrap_err();
        assert!(reason.contains(word), "{reason}");
    };
    for axis in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(
            Superellipsoid::ellipsoid(DVec3::new(1.0, axis, 1.0)),
            "half axes",
        );
    }
    refused(
        Superellipsoid::ellipsoid(DVec3::new(1.0, 1.0, 9e-4)),
        "factor",
    );
    for exponent in [1.9, 8.1, f64::NAN] {
        refused(
            Superellipsoid {
                around: exponent,
                ..good
            },
            "around",
        );
        refused(
            Superellipsoid {
                along: exponent,
                ..good
            },
            "along",
        );
    }
}
