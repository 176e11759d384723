//! Where balls touch meshes, against planes and against a search through all triangles.

use crate::mesh_shapes::Soup;
use granule::math::{DQuat, DVec3};
use granule::shapes::{MeshContact, TriangleMesh};
use proptest::prelude::*;

fn contacts(mesh: &TriangleMesh, center: DVec3, reach: f64) -> Vec<MeshContact> {
    let mut found = Vec::new();
    mesh.ball_contacts(center, reach, &mut found);
    found
}

/// The point of a triangle closest to `center`, by the least of `|x - c|²` over its face, its edges and its
/// corners, with coordinates on the triangle.
fn closest(corners: [DVec3; 3], center: DVec3) -> DVec3 {
    let [a, b, c] = corners;
    let mut candidates = vec![a, b, c];
    for (from, to) in [(a, b), (b, c), (c, a)] {
        let t = (center - from).dot(to - from) / (to - from).length_squared();
        candidates.push(from + t.clamp(0.0, 1.0) * (to - from));
    }
    // [u·u u·v; u·v v·v] (s, t) = (u·d, v·d)
    let (u, v, d) = (b - a, c - a, center - a);
    let (uu, uv, vv, ud, vd) = (u.dot(u), u.dot(v), v.dot(v), u.dot(d), v.dot(d));
    let det = uu * vv - uv * uv;
    let (s, t) = ((vv * ud - uv * vd) / det, (uu * vd - uv * ud) / det);
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        candidates.push(a + s * u + t * v);
    }
    let by_distance = |x: &DVec3, y: &DVec3| {
        x.distance_squared(center)
            .total_cmp(&y.distance_squared(center))
    };
    candidates.into_iter().min_by(by_distance).unwrap()
}

/// The contacts by a search through all: the closest points of triangles that no other triangle through the
/// same point improves, each once.
fn brute_force(mesh: &TriangleMesh, center: DVec3, reach: f64) -> Vec<DVec3> {
    let all: Vec<[DVec3; 3]> = (0..mesh.triangles().len() as u32)
        .map(|t| mesh.corners(t))
        .collect();
    let points: Vec<DVec3> = all.iter().map(|&t| closest(t, center)).collect();
    let mut found: Vec<DVec3> = Vec::new();
    for &point in &points {
        let distance = point.distance(center);
        let holds = |k: &usize| closest(all[*k], point).distance(point) < 1e-10;
        let least = || {
            let beside = (0..all.len()).filter(holds);
            beside
                .into_iter()
                .all(|k| points[k].distance(center) > distance - 1e-12)
        };
        let known = found
            .iter()
            .any(|other| other.distance(point) < 1e-6 * distance);
        if distance <= reach && !known && least() {
            found.push(point);
        }
    }
    found
}

fn vector(reach: f64) -> impl Strategy<Value = DVec3> {
    let number = || -reach..reach;
    (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

/// Surfaces with ridges, valleys, saddles, rims and corners.
fn surfaces() -> Vec<TriangleMesh> {
    let rough = Soup::grid(9, 7, |i, j| {
        let height = f64::from((i * 37 + j * 61 + i * j * 13) % 11) / 11.0;
        DVec3::new(
            f64::from(i) / 4.5 - 1.0,
            f64::from(j) / 3.5 - 1.0,
            0.6 * height - 0.3,
        )
    });
    let mut fin = Soup::cuboid([1.0, 0.7, 1.2]);
    fin.vertices
        .extend([DVec3::new(0.0, 0.9, 0.9), DVec3::new(-0.8, 0.3, 0.1)]);
    fin.triangles.extend([[6, 7, 8], [0, 6, 9]]);
    let turn = DQuat::from_scaled_axis(DVec3::new(0.4, 0.2, -0.9));
    vec![
        rough.turned(turn, DVec3::ZERO).mesh(),
        fin.turned(turn, DVec3::new(0.1, 0.0, -0.1)).mesh(),
        Soup::torus(0.7, 0.3, 14, 8).mesh(),
        Soup::sphere(6).mesh().turned_over(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::extent::extent(400, 4000)))]
    #[test]
    fn contacts_are_those_of_a_search_through_all(center in vector(1.3), reach in 0.0..0.8) {
        for mesh in surfaces() {
            let found = contacts(&mesh, center, reach);
            let expected = brute_force(&mesh, center, reach);
            prop_assert_eq!(found.len(), expected.len(), "{:?} {:?}", found, expected);
            for contact in &found {
                let point = contact.point;
                prop_assert!(expected.iter().any(|x| x.distance(point) < 1e-12));
                prop_assert!((contact.distance - point.distance(center)).abs() < 1e-12);
                prop_assert!((contact.normal.length() - 1.0).abs() < 1e-14);
                let back = point + contact.distance * contact.normal;
                prop_assert!(back.distance(center) < 1e-12);
                let corners = mesh.corners(contact.triangle);
                prop_assert!(closest(corners, point).distance(point) < 1e-12);
            }
            prop_assert!(found.is_sorted_by_key(|contact| contact.triangle));
        }
    }

    #[test]
    fn distances_are_those_of_a_search_through_all(center in vector(2.0)) {
        for mesh in surfaces() {
            let triangles = 0..mesh.triangles().len() as u32;
            let all = triangles.map(|t| closest(mesh.corners(t), center).distance(center));
            let distance = all.fold(f64::INFINITY, f64::min);
            let found = contacts(&mesh, center, distance + 1e-3);
            let least = found.iter().fold(f64::INFINITY, |m, contact| contact.distance.min(m));
            prop_assert!((least - distance).abs() < 1e-14);
            prop_assert!(mesh.distance_within(center, distance + 1e-14));
            prop_assert!(!mesh.distance_within(center, distance - 1e-14));
        }
    }

    #[test]
    fn boxes_are_searched_as_by_going_through_all(a in vector(1.3), b in vector(1.3)) {
        let (min, max) = (a.min(b), a.max(b));
        for mesh in surfaces() {
            let mut found = vec![7];
            mesh.near(min, max, &mut found);
            let triangles = 0..mesh.triangles().len() as u32;
            let expected: Vec<u32> = triangles.filter(|&t| {
                let [a, b, c] = mesh.corners(t);
                (0..3).all(|axis| {
                    let range = [a[axis], b[axis], c[axis]];
                    let low = range.iter().fold(f64::INFINITY, |m, x| x.min(m));
                    let high = range.iter().fold(f64::NEG_INFINITY, |m, x| x.max(m));
                    low <= max[axis] && high >= min[axis]
                })
            }).collect();
            prop_assert_eq!(found, expected);
        }
    }
}

/// A ball that rolls over a floor has the contact of the plane at every moment, also when its centre is above
/// an edge or a corner.
#[test]
fn a_ball_on_a_floor_of_triangles_is_on_a_plane() {
    let turn = DQuat::from_scaled_axis(DVec3::new(0.7, -0.4, 0.3));
    let single = |mut soup: Soup| {
        for vertex in &mut soup.vertices {
            *vertex = vertex.as_vec3().as_dvec3();
        }
        soup
    };
    let upright = (DQuat::IDENTITY, DVec3::ZERO);
    let oblique = (turn, DVec3::new(300.0, -20.0, 50.0));
    let near = (turn, DVec3::new(0.3, -0.2, 0.5));
    // Coordinates below 2 are off by 2⁻²⁴ at most, so that a triangle of the height 1/(8 √2) is turned by at
    // most twice that of a corner over the height.
    let single_precision = 2.0 * 3_f64.sqrt() * 0.5_f64.powi(24) * 8.0 * 2_f64.sqrt();
    let floors = [
        (Soup::floor(8), upright, 1e-15),
        (Soup::floor(7), near, 1e-14),
        (Soup::floor(7), oblique, 1e-12),
        (
            single(Soup::floor(8).turned(near.0, near.1)),
            near,
            single_precision,
        ),
    ];
    for (index, (floor, (turn, shift), tolerance)) in floors.into_iter().enumerate() {
        let soup = if index == 3 {
            floor
        } else {
            floor.turned(turn, shift)
        };
        let mesh = soup.mesh();
        let reach = 0.11;
        for step in 0..=640 {
            for (slope, start, height) in [
                (0.0, 0.5, 0.1),
                (1.0, 0.0, 0.1),
                (0.37, 0.2, 0.1),
                (0.0, 0.4375, 1e-3),
                (-1.0, 1.0, 1e-6),
                (0.5, 0.25, -0.1),
            ] {
                let x = f64::from(step) / 640.0;
                let place = DVec3::new(x, start + slope * x, 0.0);
                let rim = place.truncate().min_element() <= 0.0 || place.max_element() >= 1.0;
                if index == 3 && rim {
                    // Rounding has moved the rim as well, from below the centre.
                    continue;
                }
                let center = turn * (place + height * DVec3::Z) + shift;
                let found = contacts(&mesh, center, reach);
                assert_eq!(found.len(), 1, "{index} {place} {found:?}");
                let side = height.signum() * (turn * DVec3::Z);
                let contact = found[0];
                assert!(
                    contact.normal.distance(side) <= tolerance,
                    "{index} {contact:?}"
                );
                assert!((contact.distance - height.abs()).abs() <= tolerance);
                assert!(contact.point.distance(turn * place + shift) <= tolerance);
            }
        }
    }
}

#[test]
fn floors_whose_triangles_do_not_share_vertices_are_planes_too() {
    // Left of x = 1/2 eight triangles along the edge, right of it two.
    let mut soup = Soup::grid(1, 4, |i, j| {
        DVec3::new(0.5 * f64::from(i), 0.25 * f64::from(j), 0.0)
    });
    let right = Soup::grid(1, 1, |i, j| {
        DVec3::new(0.5 + 0.5 * f64::from(i), f64::from(j), 0.0)
    });
    let count = soup.vertices.len() as u32;
    soup.vertices.extend(right.vertices);
    soup.triangles
        .extend(right.triangles.iter().map(|t| t.map(|k| k + count)));
    for offset in [0.0, 5e-8, -5e-8] {
        let mut soup = soup.clone();
        for vertex in &mut soup.vertices[count as usize..] {
            vertex.x += offset;
        }
        let mesh = soup.mesh();
        for step in 0..=400 {
            for y in [0.3, 0.5, 0.61] {
                let center = DVec3::new(f64::from(step) / 400.0, y, 0.1);
                let found = contacts(&mesh, center, 0.3);
                assert_eq!(found.len(), 1, "{offset} {center} {found:?}");
                assert!(found[0].normal.distance(DVec3::Z) < 1e-6);
            }
        }
    }
    // A step that is higher is one.
    for vertex in &mut soup.vertices[count as usize..] {
        vertex.z += 1e-3;
    }
    let found = contacts(&soup.mesh(), DVec3::new(0.49, 0.3, 0.1), 0.3);
    assert_eq!(found.len(), 2);
}

#[test]
fn a_concave_edge_has_two_contacts_and_a_ridge_one() {
    // The corner of a room: three faces, then two, then one within reach.
    let room = Soup::cuboid([2.0; 3]).mesh();
    let touch = |x: f64, y: f64, z: f64| contacts(&room, DVec3::new(x, y, z), 0.25);
    let mut normals: Vec<[f64; 3]> = touch(0.8, 0.79, -0.81)
        .iter()
        .map(|c| c.normal.to_array())
        .collect();
    normals.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(
        normals,
        [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]
    );
    assert_eq!(touch(0.8, 0.1, -0.81).len(), 2);
    assert_eq!(touch(0.8, 0.0, 0.0).len(), 1);
    assert_eq!(touch(0.0, 0.0, 0.0).len(), 0);
    // From outside: on a face, on an edge, on a corner.
    for center in [
        DVec3::new(1.2, 0.3, 0.1),
        DVec3::new(1.1, 1.2, 0.0),
        DVec3::new(1.1, 1.1, -1.1),
        DVec3::new(1.1, 1.0, 1.0),
    ] {
        let found = contacts(&room, center, 0.25);
        assert_eq!(found.len(), 1, "{center}");
        let nearest = center.clamp(DVec3::NEG_ONE, DVec3::ONE);
        assert!(found[0].point.distance(nearest) < 1e-15);
        assert!(found[0].normal.distance((center - nearest).normalize()) < 1e-14);
        let sharing = (0..12).filter(|&t| {
            let corners = room.corners(t);
            closest(corners, nearest).distance(nearest) < 1e-12
        });
        assert_eq!(Some(found[0].triangle), sharing.min());
    }
}

#[test]
fn centres_on_the_mesh_have_a_normal() {
    let cube = Soup::cuboid([2.0; 3]).mesh();
    for center in [
        DVec3::new(1.0, 0.2, 0.3),
        DVec3::new(1.0, 1.0, 0.3),
        DVec3::ONE,
    ] {
        let found = contacts(&cube, center, 0.1);
        assert_eq!(found.len(), 1, "{center} {found:?}");
        assert_eq!(found[0].distance, 0.0);
        assert_eq!(found[0].normal.length(), 1.0);
        assert_eq!(found[0].normal.dot(center), 1.0);
    }
}

#[test]
fn nothing_is_near_what_is_no_number() {
    let cube = Soup::cuboid([2.0; 3]).mesh();
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(contacts(&cube, DVec3::new(0.0, bad, 0.0), 1.0).is_empty());
        assert!(!cube.distance_within(DVec3::new(0.0, bad, 0.0), 1.0));
    }
    assert!(contacts(&cube, DVec3::X, f64::NAN).is_empty());
    assert!(contacts(&cube, DVec3::X, -1.0).is_empty());
    assert!(!cube.distance_within(DVec3::X, -1.0));
}
