//! Solids divided into convex parts.

use crate::mesh_shapes::Soup;
use granule::math::{DQuat, DVec3};
use granule::shapes::{Hull, MeshError, TriangleMesh};

fn volume(parts: &[Hull]) -> f64 {
    parts.iter().map(|part| part.mass_properties().volume).sum()
}

/// How far a point is outside a hull, m; negative inside.
fn outside(hull: &Hull, point: DVec3) -> f64 {
    let heights = hull.faces.iter().map(|face| {
        let corner = hull.vertices[face.corners[0] as usize];
        face.normal.dot(point - corner)
    });
    heights.fold(f64::NEG_INFINITY, f64::max)
}

/// The parts of a solid, which hold all corners of the mesh and do not overlap.
fn parts(mesh: &TriangleMesh) -> Vec<Hull> {
    let parts = mesh.decomposition().unwrap();
    for &vertex in mesh.vertices() {
        let nearest = parts.iter().map(|part| outside(part, vertex));
        assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-6, "{vertex}");
    }
    for (k, part) in parts.iter().enumerate() {
        let middle = part.mass_properties().centroid;
        for other in parts.iter().skip(k + 1) {
            assert!(outside(other, middle) > 0.0, "{middle}");
        }
    }
    parts
}

/// A prism over a polygon given with triangles that cover it.
fn prism(outline: &[[f64; 2]], cover: &[[u32; 3]]) -> Soup {
    let count = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |p| DVec3::new(p[0], p[1], z));
    let lids = cover
        .iter()
        .flat_map(|&[a, b, c]| [[a, c, b], [a + count, b + count, c + count]]);
    let walls = (0..count).flat_map(|k| {
        let next = (k + 1) % count;
        [[k, next, next + count], [k, next + count, k + count]]
    });
    Soup {
        vertices: at(0.0).chain(at(1.0)).collect(),
        triangles: lids.chain(walls).collect(),
    }
}

#[test]
fn convex_solids_are_one_part() {
    let cube = Soup::cuboid([1.0, 2.0, 0.5]);
    let turn = DQuat::from_scaled_axis(DVec3::new(1.0, 0.4, -0.3));
    for soup in [cube.clone(), cube.turned(turn, DVec3::splat(5.0))] {
        let found = parts(&soup.mesh());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].vertices.len(), 8);
        assert!((volume(&found) - 1.0).abs() < 1e-13);
    }
    let sphere = Soup::sphere(8).mesh();
    let found = parts(&sphere);
    let exact = sphere.mass_properties().unwrap().volume;
    assert_eq!(found.len(), 1);
    assert!((volume(&found) - exact).abs() < 1e-9 * exact);
    // More corners than are kept.
    let found = Soup::sphere(24).mesh().decomposition().unwrap();
    assert_eq!(found.len(), 1);
    assert!((200..=256).contains(&found[0].vertices.len()));
    assert!(
        found[0]
            .vertices
            .iter()
            .all(|v| (v.length() - 1.0).abs() < 1e-14)
    );
}

#[test]
fn solids_with_few_concave_edges_become_the_parts_one_sees() {
    let letter_l = prism(
        &[
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]],
    );
    // A bridge, whose feet fall apart when they are cut off.
    let bridge = prism(
        &[
            [0.0, 0.0],
            [1.0, 0.0],
            [1.0, 1.0],
            [2.0, 1.0],
            [2.0, 0.0],
            [3.0, 0.0],
            [3.0, 2.0],
            [0.0, 2.0],
        ],
        &[
            [0, 1, 2],
            [0, 2, 7],
            [2, 3, 6],
            [2, 6, 7],
            [3, 4, 5],
            [3, 5, 6],
        ],
    );
    let arrow = prism(
        &[[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.7, 1.0]],
        &[[0, 1, 3], [1, 2, 3]],
    );
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.8));
    for (soup, count, exact) in [(letter_l, 2, 4.0), (bridge, 3, 5.0), (arrow, 2, 1.3)] {
        let oblique = soup.clone().turned(turn, DVec3::new(0.2, 7.0, -1.0));
        for soup in [soup, oblique] {
            let mesh = soup.mesh();
            let found = parts(&mesh);
            assert_eq!(found.len(), count);
            assert!((volume(&found) - exact).abs() < 1e-12, "{}", volume(&found));
            assert_eq!(found, parts(&mesh));
        }
    }
}

/// Points of a torus are in its parts, and the parts are larger than it by no more than 1 %.
#[test]
fn parts_cover_a_ring_and_keep_its_hole() {
    let mesh = Soup::torus(1.0, 0.35, 24, 12).mesh();
    let found = parts(&mesh);
    assert!(found.len() <= 24, "{}", found.len());
    let excess = volume(&found) / mesh.mass_properties().unwrap().volume - 1.0;
    assert!((0.0..=0.01).contains(&excess), "{excess}");
    for triangle in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(triangle);
        let ring = (a + b + c).with_z(0.0).normalize();
        for (u, v) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.2, 0.5), (0.6, 0.3)] {
            let surface = a + u * (b - a) + v * (c - a);
            for depth in [0.0, 0.3, 1.0] {
                // From the surface to the middle of the ring nearby, which is within.
                let point = surface.lerp(ring, depth);
                let least = found.iter().map(|part| outside(part, point));
                let least = least.fold(f64::INFINITY, f64::min);
                assert!(least < 1e-7, "{point} is {least} outside");
            }
        }
    }
    for k in 0..48 {
        let angle = std::f64::consts::TAU * f64::from(k) / 48.0;
        let hole = 0.5 * DVec3::new(angle.cos(), angle.sin(), 0.0);
        assert!(found.iter().all(|part| outside(part, hole) > 0.0), "{hole}");
    }
}

/// A box with a cavity: the parts leave it free and hold all the rest.
#[test]
fn hollow_solids_are_divided_too() {
    let mut soup = Soup::cuboid([3.0; 3]);
    let cavity = Soup::cuboid([1.0; 3]);
    soup.vertices.extend(cavity.vertices);
    let turned_over = cavity
        .triangles
        .iter()
        .map(|&[a, b, c]| [a + 8, c + 8, b + 8]);
    soup.triangles.extend(turned_over);
    let mesh = soup.mesh();
    assert!((mesh.mass_properties().unwrap().volume - 26.0).abs() < 1e-13);
    let found = parts(&mesh);
    assert!(
        (26.0 - 1e-9..26.26).contains(&volume(&found)),
        "{}",
        volume(&found)
    );
    for x in -7_i32..=7 {
        for y in -7_i32..=7 {
            for z in -7_i32..=7 {
                let point = 0.2 * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                let free = point.abs().max_element() < 0.5;
                let least = found.iter().map(|part| outside(part, point));
                let least = least.fold(f64::INFINITY, f64::min);
                assert!(free || least < 1e-7, "{point} is {least} outside");
            }
        }
    }
    assert!(found.iter().all(|part| outside(part, DVec3::ZERO) > 0.0));
}

#[test]
fn surfaces_that_enclose_nothing_have_no_parts() {
    let error = Soup::floor(3).mesh().decomposition();
    assert!(matches!(error, Err(MeshError::NotWatertight(_))));
}
