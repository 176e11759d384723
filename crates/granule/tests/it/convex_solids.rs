//! Convex solids are closed and convex, hold the points that they were made from, and have the volumes and the moments
//! of inertia that closed forms and sums over a grid give.

use crate::convex_reference::{Solid, direction, random, vector};
use granule::math::{DMat3, DVec2, DVec3, Pose};
use granule::shapes::{Convex, Frustum, Hull, MassProperties};
use rand::RngExt;
use std::f64::consts::PI;

fn check(hull: &Hull) {
    hull.validate().unwrap();
    let (corners, edges, faces) = (hull.vertices.len(), hull.edges.len(), hull.faces.len());
    assert_eq!(corners + faces, edges + 2, "Euler's formula");
    // Every face is a plane with the whole solid below.
    for face in &hull.faces {
        let level = face.normal.dot(hull.vertices[face.corners[0] as usize]);
        for vertex in &hull.vertices {
            assert!(face.normal.dot(*vertex) <= level + 1e-8 * hull.bounding_radius());
        }
    }
}

#[test]
fn hulls_of_points_hold_them_all() {
    let mut random = random(11);
    for count in (4..60).chain([200, 1000]) {
        let on_sphere = count % 2 == 0;
        let points: Vec<DVec3> = (0..count)
            .map(|_| {
                if on_sphere {
                    direction(&mut random)
                } else {
                    vector(&mut random)
                }
            })
            .map(|p| p * DVec3::new(1.0, 0.3, 2.0) + DVec3::new(3.0, 0.0, -1.0))
            .collect();
        let hull = Hull::of_points(&points).unwrap();
        check(&hull);
        assert!(hull.vertices.iter().all(|v| points.contains(v)));
        assert!(!on_sphere || hull.vertices.len() == count, "{count}");
        for face in &hull.faces {
            let level = face.normal.dot(hull.vertices[face.corners[0] as usize]);
            assert!(points.iter().all(|p| face.normal.dot(*p) <= level + 1e-8));
        }
    }
}

#[test]
fn triangles_in_one_plane_are_one_face() {
    let mut grid = Vec::new();
    for x in 0..4 {
        for y in 0..4 {
            for z in 0..4 {
                grid.push(DVec3::new(
                    f64::from(x),
                    0.1 * f64::from(y),
                    7.0 * f64::from(z),
                ));
            }
        }
    }
    let hull = Hull::of_points(&grid).unwrap();
    check(&hull);
    assert_eq!(
        (hull.vertices.len(), hull.edges.len(), hull.faces.len()),
        (8, 12, 6)
    );
    // A prism of 24 sides, turned and moved, its rounding errors and all.
    let mut random = random(12);
    let turn = crate::convex_reference::rotation(&mut random);
    let mut points = Vec::new();
    for k in 0..24 {
        let (sine, cosine) = (PI * f64::from(k) / 12.0).sin_cos();
        for z in [-1.0, 0.0, 1.0] {
            points.push(turn * DVec3::new(cosine, sine, z) + DVec3::new(100.0, 20.0, 3.0));
        }
    }
    let hull = Hull::of_points(&points).unwrap();
    check(&hull);
    assert_eq!(
        (hull.vertices.len(), hull.edges.len(), hull.faces.len()),
        (48, 72, 26)
    );
}

#[test]
fn constructed_solids_are_closed_and_convex() {
    check(&Hull::cuboid(DVec3::new(1.0, 2.0, 3.0)));
    let triangle = [DVec2::ZERO, DVec2::Y, DVec2::X];
    let hexagon: Vec<DVec2> = (0..6)
        .map(|k| DVec2::from_angle(PI * f64::from(k) / 3.0))
        .collect();
    for polygon in [&triangle[..], &hexagon] {
        let prism = Hull::prism(polygon, 0.5).unwrap();
        check(&prism);
        assert_eq!(prism.faces.len(), polygon.len() + 2);
    }
    let facet = Hull::facet(&[DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap();
    facet.validate().unwrap();
    assert_eq!(facet.faces[0].normal, -facet.faces[1].normal);
    Hull::ball(1.0).validate().unwrap();
    Hull::segment(1.0, 0.2).validate().unwrap();
}

#[test]
fn points_that_make_no_solid_are_refused() {
    let refused = |points: &[DVec3], why: &str| {
        let message = Hull::of_points(points).unwrap_err();
        assert!(message.contains(why), "{message}");
    };
    let flat: Vec<DVec3> = (0..10)
        .map(|k| DVec3::new(f64::from(k), f64::from(k * k), 1.0))
        .collect();
    let line: Vec<DVec3> = (0..10).map(|k| f64::from(k) * DVec3::ONE).collect();
    refused(&[], "at least 4");
    refused(&[DVec3::ZERO, DVec3::X, DVec3::Y], "at least 4");
    refused(&[DVec3::ONE; 5], "one place");
    refused(&line, "line");
    refused(&flat, "plane");
    refused(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::NAN], "finite");
    refused(
        &[
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
            DVec3::new(0.0, 0.0, f64::INFINITY),
        ],
        "finite",
    );
    let bent = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.5), DVec3::Y];
    assert!(Hull::facet(&bent).unwrap_err().contains("flat"));
    let hollow = [
        DVec2::ZERO,
        DVec2::new(1.0, 1.0),
        DVec2::X * 0.1,
        DVec2::new(1.0, -1.0),
    ];
    assert!(Hull::prism(&hollow, 1.0).unwrap_err().contains("convex"));
    let star: Vec<DVec2> = (0..5)
        .map(|k| DVec2::from_angle(0.8 * PI * f64::from(k)))
        .collect();
    assert!(Hull::prism(&star, 1.0).unwrap_err().contains("crosses"));
    assert!(Hull::prism(&[DVec2::ZERO, DVec2::X], 1.0).is_err());
    assert!(Hull::prism(&[DVec2::ZERO, DVec2::X, DVec2::Y], f64::NAN).is_err());
}

#[test]
fn broken_hulls_are_refused() {
    let good = Hull::cuboid(DVec3::ONE);
    let broken = |change: &dyn Fn(&mut Hull)| {
        let mut hull = good.clone();
        change(&mut hull);
        hull.validate().unwrap_err()
    };
    assert!(broken(&|h| h.radius = -1.0).contains("radius"));
    assert!(broken(&|h| h.vertices[2].x = f64::NAN).contains("finite"));
    assert!(broken(&|h| h.vertices[2].x = 3.0).contains("face"));
    assert!(broken(&|h| h.faces[1].corners[0] = 99).contains("has not"));
    assert!(broken(&|h| h.faces[1].corners.reverse()).contains("counter-clockwise"));
    assert!(broken(&|h| h.faces[1].normal *= 2.0).contains("length one"));
    assert!(broken(&|h| h.faces.truncate(5)).contains("close"));
    assert!(broken(&|h| h.edges.truncate(11)).contains("edges"));
    assert!(broken(&|h| h.edges.swap(0, 1)).contains("edges"));
    assert!(broken(&|h| h.vertices.clear()).contains("corner"));
}

fn close(found: &MassProperties, volume: f64, centroid: DVec3, inertia: DMat3, precise: f64) {
    let size = volume.cbrt();
    assert!(
        (found.volume - volume).abs() < precise * volume,
        "{} {volume}",
        found.volume
    );
    let off = found.centroid.distance(centroid);
    assert!(off < precise * size, "{} {centroid}", found.centroid);
    let scale = volume * size * size;
    let (found, expected) = (found.inertia.to_cols_array(), inertia.to_cols_array());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() < precise * scale, "{found:?} {expected:?}");
    }
}

#[test]
fn moments_are_those_of_closed_forms() {
    let half = DVec3::new(0.2, 0.5, 0.7);
    let volume = 8.0 * half.element_product();
    let squares = half * half;
    let sums = DVec3::new(
        squares.y + squares.z,
        squares.x + squares.z,
        squares.x + squares.y,
    );
    let inertia = DMat3::from_diagonal(volume / 3.0 * sums);
    close(
        &Hull::cuboid(half).mass_properties(),
        volume,
        DVec3::ZERO,
        inertia,
        1e-14,
    );

    let ball = Hull::ball(0.3).mass_properties();
    let volume = 4.0 / 3.0 * PI * 0.027;
    close(
        &ball,
        volume,
        DVec3::ZERO,
        DMat3::from_diagonal(DVec3::splat(0.4 * volume * 0.09)),
        1e-14,
    );

    let (length, radius) = (1.4, 0.3_f64);
    let (rod, ends) = (
        PI * radius * radius * length,
        4.0 / 3.0 * PI * radius.powi(3),
    );
    let along = 0.5 * rod * radius * radius + 0.4 * ends * radius * radius;
    let across = rod * (length * length / 12.0 + radius * radius / 4.0)
        + ends * (0.4 * radius * radius + 0.25 * length * length + 0.375 * length * radius);
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, along));
    close(
        &Hull::segment(0.7, radius).mass_properties(),
        rod + ends,
        DVec3::ZERO,
        inertia,
        1e-14,
    );

    // Steiner: volume, surface, mean width.
    let rounded = Hull::cuboid(half).with_radius(0.1).mass_properties();
    let surface = 8.0 * (half.x * half.y + half.y * half.z + half.z * half.x);
    let steiner = 8.0 * half.element_product()
        + 0.1 * surface
        + 0.01 * PI * 2.0 * half.element_sum()
        + 4.0 / 3.0 * PI * 0.001;
    assert!((rounded.volume - steiner).abs() < 1e-14);

    // A cylinder, a cone with its centre at a quarter of its height.
    let frustum = |bottom_radius, top_radius| Frustum {
        bottom: 1.0,
        top: 3.0,
        bottom_radius,
        top_radius,
    };
    let cylinder = frustum(0.5, 0.5).mass_properties();
    let volume = PI * 0.25 * 2.0;
    let across = volume * (4.0 / 12.0 + 0.25 / 4.0);
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, volume * 0.125));
    close(&cylinder, volume, 2.0 * DVec3::Z, inertia, 1e-14);
    let cone = frustum(0.5, 0.0).mass_properties();
    let volume = PI * 0.25 * 2.0 / 3.0;
    let across = volume * (3.0 / 80.0 * 4.0 + 3.0 / 20.0 * 0.25);
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, volume * 0.3 * 0.25));
    close(&cone, volume, 1.5 * DVec3::Z, inertia, 1e-14);
}

/// Volume, centre and inertia from the points of a grid that are inside.
fn summed(shape: &Convex, cells: i32) -> MassProperties {
    let solid = Solid {
        shape: shape.clone(),
        at: Pose::IDENTITY,
    };
    let low = DVec3::new(
        solid.support(DVec3::NEG_X).x,
        solid.support(DVec3::NEG_Y).y,
        solid.support(DVec3::NEG_Z).z,
    );
    let high = DVec3::new(
        solid.support(DVec3::X).x,
        solid.support(DVec3::Y).y,
        solid.support(DVec3::Z).z,
    );
    let cell = (high - low) / f64::from(cells);
    let (mut count, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for i in 0..cells {
        for j in 0..cells {
            for k in 0..cells {
                let place = DVec3::new(f64::from(i), f64::from(j), f64::from(k)) + 0.5;
                let point = low + cell * place;
                if solid.outside(point) <= 0.0 {
                    count += 1.0;
                    first += point;
                    second += DMat3::from_cols(point.x * point, point.y * point, point.z * point);
                }
            }
        }
    }
    let volume = cell.element_product();
    let centroid = first / count;
    let outer = DMat3::from_cols(
        centroid.x * centroid,
        centroid.y * centroid,
        centroid.z * centroid,
    );
    let second = volume * (second - count * outer);
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    MassProperties {
        volume: count * volume,
        centroid,
        inertia: trace * DMat3::IDENTITY - second,
    }
}

#[test]
fn moments_are_those_of_sums_over_a_grid() {
    let corners = [
        DVec3::ZERO,
        DVec3::X,
        2.0 * DVec3::Y,
        DVec3::new(0.3, 0.2, 1.5),
    ];
    let sharp = Hull::of_points(&corners).unwrap();
    let facet = Hull::facet(&corners[..3]).unwrap();
    let shapes = [
        Convex::Hull(sharp.clone()),
        Convex::Hull(sharp.with_radius(0.7)),
        Convex::Hull(facet.with_radius(0.4)),
        Convex::Frustum(Frustum {
            bottom: -0.4,
            top: 1.0,
            bottom_radius: 0.3,
            top_radius: 0.8,
        }),
    ];
    for shape in shapes {
        let expected = summed(&shape, 60);
        let found = match &shape {
            Convex::Hull(hull) => hull.mass_properties(),
            Convex::Frustum(frustum) => frustum.mass_properties(),
            Convex::Superellipsoid(_) => unreachable!(),
        };
        close(
            &found,
            expected.volume,
            expected.centroid,
            expected.inertia,
            3e-3,
        );
    }
}

#[test]
fn a_rounded_facet_is_a_rounded_prism_without_height() {
    let polygon = [DVec2::ZERO, DVec2::X, DVec2::new(0.4, 0.8)];
    let facet = Hull::facet(&polygon.map(|p| p.extend(0.0))).unwrap();
    let prism = Hull::prism(&polygon, 1e-9).unwrap();
    let expected = prism.with_radius(0.3).mass_properties();
    let found = facet.with_radius(0.3).mass_properties();
    close(
        &found,
        expected.volume,
        expected.centroid,
        expected.inertia,
        1e-7,
    );
}

#[test]
fn thickness_is_the_least_width() {
    let mut random = random(13);
    let corners = [
        DVec3::ONE,
        DVec3::new(1.0, -1.0, -1.0),
        DVec3::new(-1.0, 1.0, -1.0),
        DVec3::new(-1.0, -1.0, 1.0),
    ];
    let tetrahedron = Hull::of_points(&corners).unwrap();
    // Between two opposite edges.
    assert!((tetrahedron.thickness() - 1.0).abs() < 1e-15);
    let points: Vec<DVec3> = (0..12).map(|_| vector(&mut random)).collect();
    let shapes = [
        Convex::Hull(Hull::of_points(&points).unwrap()),
        Convex::Hull(tetrahedron.with_radius(0.2)),
        Convex::Frustum(Frustum {
            bottom: -0.4,
            top: 1.0,
            bottom_radius: 0.3,
            top_radius: 0.8,
        }),
        Convex::Frustum(Frustum {
            bottom: 0.0,
            top: 1.0,
            bottom_radius: 0.5,
            top_radius: 0.0,
        }),
        Convex::Frustum(Frustum {
            bottom: 0.0,
            top: 0.1,
            bottom_radius: 0.5,
            top_radius: 0.1,
        }),
    ];
    for shape in shapes {
        let thickness = match &shape {
            Convex::Hull(hull) => hull.thickness(),
            Convex::Frustum(frustum) => frustum.thickness(),
            Convex::Superellipsoid(_) => unreachable!(),
        };
        let solid = Solid {
            shape,
            at: Pose::IDENTITY,
        };
        let width = |n: DVec3| 0.5 * n.dot(solid.support(n) - solid.support(-n));
        let mut best = (f64::INFINITY, DVec3::X);
        for _ in 0..2000 {
            let normal = direction(&mut random);
            best = if width(normal) < best.0 {
                (width(normal), normal)
            } else {
                best
            };
        }
        let mut step = 0.1;
        while step > 1e-9 {
            let tried = (0..40).map(|_| (best.1 + step * vector(&mut random)).normalize());
            match tried.map(|n| (width(n), n)).find(|t| t.0 < best.0) {
                Some(better) => best = better,
                None => step *= 0.5,
            }
        }
        assert!((best.0 - thickness).abs() < 1e-6, "{thickness} {}", best.0);
    }
}

#[test]
fn support_points_are_farthest() {
    let mut random = random(14);
    for _ in 0..50 {
        let mut radius = || random.random_range(0.0..1.0);
        let frustum = Frustum {
            bottom: -1.0,
            top: 0.5,
            bottom_radius: radius(),
            top_radius: radius(),
        };
        let hull = Hull::cuboid(DVec3::new(1.0, 2.0, 3.0)).with_radius(radius());
        let normal = direction(&mut random);
        let (p, q) = (frustum.support(normal), hull.support(normal));
        for _ in 0..100 {
            let other = direction(&mut random);
            assert!(normal.dot(frustum.support(other)) <= normal.dot(p) + 1e-15);
            assert!(normal.dot(hull.support(other)) <= normal.dot(q) + 1e-15);
        }
        assert!(p.length() <= frustum.bounding_radius() + 1e-15);
        assert!(q.length() <= hull.bounding_radius() + 1e-15);
    }
}
