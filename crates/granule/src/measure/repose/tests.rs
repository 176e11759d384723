//! Heaps whose shape is known.

use super::*;

/// Spheres on a hexagonal lattice that fill a cone with this angle (degrees) and height.
fn cone(angle: f64, height: f64, radius: f64, at: DVec3) -> (Vec<DVec3>, Vec<f64>) {
    let slope = angle.to_radians().tan();
    let (across, along, up) = (2.0, 3f64.sqrt(), (8.0f64 / 3.0).sqrt());
    let count = (height / slope / radius) as i64 + 2;
    let mut centers = Vec::new();
    for layer in 0..count {
        for row in -count..=count {
            for k in -count..=count {
                let shift = if (row + layer) % 2 == 0 { 0.0 } else { 1.0 };
                let center = radius
                    * DVec3::new(
                        across * k as f64 + shift,
                        along * row as f64 + if layer % 2 == 0 { 0.0 } else { 1.0 / along },
                        up * layer as f64 + 1.0,
                    );
                let distance = center.x.hypot(center.y);
                if center.z + radius <= height - slope * distance {
                    centers.push(at + center);
                }
            }
        }
    }
    let radii = vec![radius; centers.len()];
    (centers, radii)
}

#[test]
fn the_angle_of_a_cone_is_found() {
    for (angle, height) in [(15.0, 0.6), (25.0, 1.0), (35.0, 1.2)] {
        let at = DVec3::new(3.0, -2.0, 5.0);
        let (centers, radii) = cone(angle, height, 0.02, at);
        let heap = HeapProfile::of(&centers, &radii, DVec3::Z, Dimension::Space).unwrap();
        let found = heap.angle_of_repose().unwrap();
        assert!((found - angle).abs() < 1.0, "{found} for {angle}");
        assert_eq!(heap.flanks().len(), 1);
        assert!((heap.top() - height).abs() < 0.1, "{}", heap.top());
        // The cone of spheres ends where it is one sphere thick.
        let reach = (height - 0.04) / angle.to_radians().tan() + 0.02;
        let [left, right] = heap.fronts();
        assert_eq!(left, -right);
        assert!((right - reach).abs() < 0.08, "{right} for {reach}");
        assert!((heap.foot - at).length() < 0.05, "{}", heap.foot);
    }
}

#[test]
fn a_flat_heap_is_found_and_what_falls_on_it_does_not_count() {
    // 22 mm high with grains of 8 mm, as a heap with little friction is.
    let (mut centers, _) = cone(16.0, 0.022, 0.004, DVec3::ZERO);
    let alone = centers.clone();
    let of = |centers: &[DVec3]| {
        let radii = vec![0.004; centers.len()];
        HeapProfile::of(centers, &radii, DVec3::Z, Dimension::Space).unwrap()
    };
    let found = of(&alone).measured_angle().unwrap();
    assert!((found - 16.0).abs() < 4.0, "{found}");
    // A jet, and what is still in a funnel.
    centers.extend((0..6).map(|k| DVec3::new(0.0, 0.0, 0.035 + 0.012 * f64::from(k))));
    centers.extend((0..3).map(|k| DVec3::new(0.008 * f64::from(k), 0.0, 0.107)));
    assert_eq!(of(&centers).height, of(&alone).height);
}

#[test]
fn what_has_no_angle_says_why() {
    let plate = |layers: u32| {
        let count = 30;
        let places =
            (0..count * count * layers).map(|k| [k % count, k / count % count, k / count / count]);
        let centers: Vec<DVec3> = places
            .map(|place| 2.0 * DVec3::from_array(place.map(f64::from)))
            .collect();
        let radii = vec![1.0; centers.len()];
        HeapProfile::of(&centers, &radii, DVec3::Z, Dimension::Space).unwrap()
    };
    let low = plate(1).measured_angle().unwrap_err();
    assert_eq!(
        low,
        NoFlank::Low {
            height: 2.0,
            least: 3.0
        }
    );
    assert!(low.to_string().contains("layer"), "{low}");
}

#[test]
fn the_angle_does_not_depend_on_where_up_is() {
    let (centers, radii) = cone(25.0, 1.0, 0.03, DVec3::ZERO);
    let up = DVec3::new(0.3, -0.5, 0.4).normalize();
    let turn = crate::math::DQuat::from_rotation_arc(DVec3::Z, up);
    let turned: Vec<DVec3> = centers.iter().map(|center| turn * *center).collect();
    let heap = HeapProfile::of(&turned, &radii, 7.0 * up, Dimension::Space).unwrap();
    let found = heap.angle_of_repose().unwrap();
    assert!((found - 25.0).abs() < 1.5, "{found}");
}

#[test]
fn left_and_right_are_kept_apart_in_a_plane() {
    // A ridge of disks: 30° on the left, 45° on the right, its top at x = 10.
    let (radius, height) = (0.05, 4.0);
    let slopes = [30f64, 45.0].map(|angle| angle.to_radians().tan());
    let mut centers = Vec::new();
    for row in 0..40 {
        for k in -100..100 {
            let (x, y) = (2.0 * radius * f64::from(k), radius * f64::from(2 * row + 1));
            if y + radius <= height - slopes[usize::from(x > 0.0)] * x.abs() {
                centers.push(DVec3::new(10.0 + x, y, 0.0));
            }
        }
    }
    let radii = vec![radius; centers.len()];
    // A grain that was thrown far off is no front.
    centers.push(DVec3::new(40.0, radius, 0.0));
    let radii = [radii, vec![radius]].concat();
    let heap = HeapProfile::of(&centers, &radii, DVec3::Y, Dimension::Plane).unwrap();
    let angles: Vec<f64> = heap.flanks().iter().map(|flank| flank.angle).collect();
    assert_eq!(angles.len(), 2);
    assert!((angles[0] - 30.0).abs() < 1.0, "{angles:?}");
    assert!((angles[1] - 45.0).abs() < 1.0, "{angles:?}");
    let mean = heap.angle_of_repose().unwrap();
    assert!((mean - 37.5).abs() < 1.0, "{mean}");
    let [left, right] = heap.fronts().map(|front| heap.foot.x + front);
    assert!((left - (10.0 - height / slopes[0])).abs() < 0.3, "{left}");
    assert!((right - (10.0 + height / slopes[1])).abs() < 0.3, "{right}");
}

#[test]
fn a_heap_against_a_wall_has_one_flank() {
    let disks = (0..30).flat_map(|k| (0..30 - k).map(move |row| (k, row)));
    let centers: Vec<DVec3> = disks
        .map(|(k, row)| DVec3::new(f64::from(2 * k + 1), f64::from(2 * row + 1), 0.0))
        .collect();
    let radii = vec![1.0; centers.len()];
    let heap = HeapProfile::of(&centers, &radii, DVec3::Y, Dimension::Plane).unwrap();
    assert_eq!(heap.flanks().len(), 1);
    assert!((heap.angle_of_repose().unwrap() - 45.0).abs() < 1e-9);
}

#[test]
fn a_heap_with_a_crater_has_only_its_outer_flank() {
    let (centers, _) = cone(30.0, 1.2, 0.03, DVec3::ZERO);
    // A hole in the middle, its walls at 45°.
    let centers: Vec<DVec3> = centers
        .into_iter()
        .filter(|c| c.z < 0.1 + c.x.hypot(c.y))
        .collect();
    let radii = vec![0.03; centers.len()];
    let heap = HeapProfile::of(&centers, &radii, DVec3::Z, Dimension::Space).unwrap();
    assert_eq!(heap.flanks().len(), 1);
    let found = heap.angle_of_repose().unwrap();
    assert!((found - 30.0).abs() < 1.5, "{found}");
}

#[test]
fn what_is_no_heap_has_no_angle() {
    let of = |centers: &[DVec3], radii: &[f64], dimension| {
        HeapProfile::of(centers, radii, DVec3::Z, dimension)
    };
    assert_eq!(of(&[], &[], Dimension::Space), None);
    assert_eq!(of(&[DVec3::ZERO], &[0.0], Dimension::Space), None);
    assert_eq!(of(&[DVec3::NAN], &[1.0], Dimension::Space), None);
    assert_eq!(of(&[DVec3::ZERO], &[1.0], Dimension::Line), None);
    let nowhere = HeapProfile::of(&[DVec3::ZERO], &[1.0], DVec3::ZERO, Dimension::Space);
    assert_eq!(nowhere, None);
    // In a plane, up must lie in it.
    assert_eq!(of(&[DVec3::ZERO], &[1.0], Dimension::Plane), None);

    let one = of(&[DVec3::ZERO], &[1.0], Dimension::Space).unwrap();
    assert_eq!((one.angle_of_repose(), one.top()), (None, 2.0));
    // A flat layer.
    let layer: Vec<DVec3> = (0..400)
        .map(|k| DVec3::new(f64::from(2 * (k % 20)), f64::from(2 * (k / 20)), 0.0))
        .collect();
    let flat = of(&layer, &[1.0; 400], Dimension::Space).unwrap();
    assert_eq!(flat.angle_of_repose(), None);
    // Grains very far apart need no memory for what is between them.
    let apart = [DVec3::ZERO, DVec3::splat(1e200), DVec3::X];
    let apart = of(&apart, &[1.0; 3], Dimension::Space).unwrap();
    assert!(apart.distance.len() < 10);
    let nobody = [[0.0, 1e9], [1e9, 0.0], [-1e9, -1e9]].map(|[x, y]| DVec3::new(x, y, 0.0));
    assert_eq!(of(&nobody, &[1.0; 3], Dimension::Space), None);
}

/// Grains of radius 0.01 on a square lattice where `holds` is true, in a drum about the origin with a radius of 0.3
/// (a trough as long as it is wide, in space).
fn bed(dimension: Dimension, holds: impl Fn(DVec3) -> bool) -> HeapProfile {
    let rows = if dimension == Dimension::Plane {
        0..1
    } else {
        0..15
    };
    let places = (-30..=30).flat_map(|x| (-30..=30).map(move |z| (x, z)));
    let places = places.flat_map(|(x, z)| rows.clone().map(move |y| [x, y, z].map(f64::from)));
    let centers = places.map(|[x, y, z]| 0.02 * DVec3::new(x, y, z));
    let centers: Vec<DVec3> = centers.filter(|&center| holds(center)).collect();
    let (centers, up) = match dimension {
        Dimension::Plane => (
            centers.iter().map(|c| DVec3::new(c.x, c.z, 0.0)).collect(),
            DVec3::Y,
        ),
        _ => (centers, DVec3::Z),
    };
    HeapProfile::of(&centers, &vec![0.01; centers.len()], up, dimension).unwrap()
}

#[test]
fn a_bed_in_a_drum_or_on_a_slope_is_no_heap() {
    let in_drum = |c: DVec3| c.x.hypot(c.z) < 0.29;
    let below = |c: DVec3, angle: f64| c.z < c.x * angle.to_radians().tan();
    for dimension in [Dimension::Plane, Dimension::Space] {
        let drum = bed(dimension, |c| in_drum(c) && below(c, 35.0));
        let slope = bed(dimension, |c| {
            below(c, 20.0) && !below(c + 0.1 * DVec3::Z, 20.0)
        });
        for heap in [drum, slope] {
            let why = heap.measured_angle().unwrap_err();
            assert!(
                matches!(why, NoFlank::NoFloor { .. }),
                "{why} in {dimension:?}"
            );
            assert!(heap.flanks().is_empty());
        }
        // The same slope on a level floor is the flank of a heap.
        let heap = bed(dimension, |c| {
            c.z >= -0.3 && c.x.abs() < 0.29 && c.z < 0.3 - c.x.abs()
        });
        assert_eq!(heap.raised, 0.0, "{dimension:?}");
    }
}

#[test]
fn a_large_grain_is_a_floor_for_nobody() {
    // Three times as large as the others, which lie beside and on it.
    let mut centers = vec![DVec3::new(0.0, 0.03, 0.0)];
    let small = (-20..=20).map(|x| DVec3::new(0.02 * f64::from(x), 0.01, 0.0));
    centers.extend(small.filter(|c| c.x.abs() > 0.035));
    centers.push(DVec3::new(0.0, 0.07, 0.0));
    let radii: Vec<f64> = (0..centers.len())
        .map(|k| if k == 0 { 0.03 } else { 0.01 })
        .collect();
    let heap = HeapProfile::of(&centers, &radii, DVec3::Y, Dimension::Plane).unwrap();
    assert_eq!(heap.raised, 0.0);
}
