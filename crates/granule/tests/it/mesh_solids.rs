//! What meshes enclose, what is wrong with those that enclose nothing, and what no mesh can be made of.

use crate::mesh_shapes::Soup;
use granule::math::{DMat3, DQuat, DVec3, principal_axes};
use granule::shapes::{Beyond, DefectKind, MeshError, TriangleMesh};
use std::f64::consts::PI;

fn kinds(soup: &Soup) -> Vec<(DefectKind, usize)> {
    let defects = soup.mesh().defects();
    defects.iter().map(|d| (d.kind, d.count)).collect()
}

fn close(a: DMat3, b: DMat3, tolerance: f64) -> bool {
    (a - b).to_cols_array().iter().all(|x| x.abs() <= tolerance)
}

#[test]
fn boxes_have_the_mass_properties_of_boxes() {
    let size = [1.0, 0.6, 2.0];
    let [a, b, c] = size;
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -1.0, 0.5));
    let shift = DVec3::new(10.0, -3.0, 5.0);
    let mesh = Soup::cuboid(size).turned(turn, shift).mesh();
    assert!(mesh.is_watertight());
    let found = mesh.mass_properties().unwrap();
    let volume = a * b * c;
    assert!((found.volume - volume).abs() < 1e-13);
    assert!(found.centroid.distance(shift) < 1e-13);
    let moments = volume / 12.0 * DVec3::new(b * b + c * c, a * a + c * c, a * a + b * b);
    let rotation = DMat3::from_quat(turn);
    let expected = rotation * DMat3::from_diagonal(moments) * rotation.transpose();
    assert!(close(found.inertia, expected, 1e-13));
    let (principal, _) = principal_axes(found.inertia);
    let mut sorted = [principal.to_array(), moments.to_array()];
    sorted
        .iter_mut()
        .for_each(|list| list.sort_by(f64::total_cmp));
    let [principal, moments] = sorted.map(DVec3::from_array);
    assert!(principal.distance(moments) < 1e-13);
}

#[test]
fn tetrahedra_have_the_mass_properties_of_tetrahedra() {
    // With the corners 0, e₁, e₂, e₃: ∫ x² = 1/60, ∫ x y = 1/120, V = 1/6, centroid 1/4.
    let soup = Soup {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let found = soup.mesh().mass_properties().unwrap();
    assert!((found.volume - 1.0 / 6.0).abs() < 1e-16);
    assert!(found.centroid.distance(DVec3::splat(0.25)) < 1e-16);
    let square = 1.0 / 60.0 - 1.0 / 96.0;
    let mixed = 1.0 / 120.0 - 1.0 / 96.0;
    let expected = DMat3::from_cols_array_2d(&[
        [2.0 * square, -mixed, -mixed],
        [-mixed, 2.0 * square, -mixed],
        [-mixed, -mixed, 2.0 * square],
    ]);
    assert!(close(found.inertia, expected, 1e-16));
}

#[test]
fn spheres_and_tori_converge_to_theirs_with_the_square_of_the_spacing() {
    let sphere = |n| {
        let found = Soup::sphere(n).mesh().mass_properties().unwrap();
        let volume = 4.0 / 3.0 * PI;
        assert!(found.centroid.length() < 1e-14);
        let error = (found.inertia.x_axis.x - 0.4 * volume).abs();
        [(found.volume - volume).abs(), error]
    };
    let (large, small) = (2.0, 0.5);
    let torus = |n| {
        let mesh = Soup::torus(large, small, 4 * n, n).mesh();
        let found = mesh.mass_properties().unwrap();
        let volume = 2.0 * PI * PI * large * small * small;
        // J_z = m (R² + 3/4 r²), J_x = m (R²/2 + 5/8 r²).
        let along = volume * (large * large + 0.75 * small * small);
        let across = volume * (0.5 * large * large + 0.625 * small * small);
        let error = (found.inertia.z_axis.z - along).abs();
        [
            (found.volume - volume).abs(),
            error + (found.inertia.x_axis.x - across).abs(),
        ]
    };
    for (coarse, fine) in [(sphere(20), sphere(80)), (torus(12), torus(48))] {
        for (coarse, fine) in coarse.into_iter().zip(fine) {
            let order = (coarse / fine).log(4.0);
            assert!((order - 2.0).abs() < 0.03, "{coarse} {fine} {order}");
        }
    }
}

#[test]
fn defects_are_told_apart() {
    let whole = Soup::cuboid([1.0; 3]);
    assert_eq!(kinds(&whole), []);

    let mut open = whole.clone();
    open.triangles.truncate(10);
    assert_eq!(kinds(&open), [(DefectKind::OpenEdges, 4)]);

    let mut flipped = whole.clone();
    flipped.triangles[3].swap(0, 1);
    assert_eq!(kinds(&flipped), [(DefectKind::MixedOrientation, 3)]);

    let mut doubled = whole.clone();
    doubled.triangles.push([2, 3, 0]);
    assert_eq!(doubled.triangles[0], [0, 2, 3]);
    assert_eq!(kinds(&doubled), [(DefectKind::DoubledTriangles, 1)]);

    // A second box that has an edge of the first, and a fin on an edge.
    let mut touching = whole.clone();
    let second = Soup::cuboid([1.0; 3]).turned(DQuat::IDENTITY, DVec3::new(1.0, 1.0, 0.0));
    touching.vertices.extend(second.vertices);
    touching
        .triangles
        .extend(second.triangles.iter().map(|t| t.map(|k| k + 8)));
    assert_eq!(kinds(&touching), [(DefectKind::BranchingEdges, 1)]);
    let mut fin = whole.clone();
    fin.vertices.push(DVec3::new(0.0, 2.0, 2.0));
    fin.triangles.push([6, 7, 8]);
    let expected = [(DefectKind::OpenEdges, 2), (DefectKind::BranchingEdges, 1)];
    assert_eq!(kinds(&fin), expected);

    let inverted = whole.mesh().turned_over();
    assert_eq!(inverted.defects()[0].kind, DefectKind::Inverted);
    assert!(inverted.turned_over() == whole.mesh());
}

#[test]
fn errors_say_how_many_and_where() {
    let mut open = Soup::cuboid([2.0; 3]);
    open.triangles.truncate(10);
    let error = open.mesh().mass_properties().unwrap_err().to_string();
    let expected =
        "the mesh encloses no solid: 4 edges with one triangle only (for instance at [1, 0, -1])";
    // The face at x = 1 is missing.
    assert!(
        error.starts_with(expected.split('[').next().unwrap()),
        "{error}"
    );
    let place = error.split('[').nth(1).unwrap().trim_end_matches("])");
    let place: Vec<f64> = place.split(", ").map(|x| x.parse().unwrap()).collect();
    assert_eq!(place[0], 1.0, "{error}");
    let inverted = Soup::cuboid([1.0; 3]).mesh().turned_over();
    let error = inverted.mass_properties().unwrap_err().to_string();
    assert!(error.contains("the normals point inwards"), "{error}");
}

#[test]
fn what_is_no_mesh_is_refused() {
    let floor = Soup::floor(2);
    let make = |vertices: &[DVec3], triangles: &[[u32; 3]]| {
        TriangleMesh::new(vertices, triangles).unwrap_err()
    };
    assert_eq!(make(&floor.vertices, &[]), MeshError::NoTriangles);
    let error = make(&floor.vertices, &[[0, 1, 3], [0, 9, 1]]);
    let text = "triangle 1 has the vertex 9, but there are only 9, counted from 0";
    assert_eq!(error.to_string(), text);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61] {
        let mut vertices = floor.vertices.clone();
        vertices[4].y = bad;
        let error = make(&vertices, &floor.triangles);
        assert!(
            matches!(error, MeshError::Coordinate { vertex: 4, .. }),
            "{error}"
        );
    }
    let line = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
    assert_eq!(
        make(&line, &[[0, 1, 2], [0, 0, 1]]),
        MeshError::AllDegenerate { count: 2 }
    );
    assert!(matches!(
        make(&[DVec3::ONE; 3], &[[0, 1, 2]]),
        MeshError::Tiny { extent: 0.0 }
    ));
}

#[test]
fn vertices_are_welded_and_triangles_without_area_left_out() {
    let whole = Soup::sphere(12);
    let apart = whole.unshared().mesh();
    assert!(apart.is_watertight());
    let repairs = apart.repairs();
    assert_eq!(apart.vertices().len(), 24 * 11 + 2);
    // One of the two triangles of a quadrilateral at a pole has no area.
    assert_eq!(repairs.degenerate, 48);
    assert_eq!(apart.triangles().len(), 2 * 24 * 12 - 48);
    assert_eq!(repairs.welded, 3 * 2 * 24 * 12 - (24 * 11 + 2));
    assert_eq!(repairs.unused, 0);
    // Rounding of single precision parts nothing.
    let mut rough = whole.unshared();
    let noise = |k: usize| if k.is_multiple_of(2) { 6e-8 } else { -6e-8 };
    for (k, vertex) in rough.vertices.iter_mut().enumerate() {
        *vertex += DVec3::new(noise(k), noise(k / 2), noise(k / 3));
    }
    assert!(rough.mesh().is_watertight());
    // Vertices that no triangle has, however far, change nothing.
    let mut far = whole.unshared();
    far.vertices.push(DVec3::splat(1e9));
    let far = far.mesh();
    assert!(far == apart);
    assert_eq!(far.repairs().unused, 1);
    // What is farther apart stays apart.
    let mut torn = whole.unshared();
    torn.vertices[300] += 2e-6;
    assert!(!torn.mesh().is_watertight());
}

#[test]
fn meshes_are_stored_and_come_back() {
    let mesh = Soup::torus(1.0, 0.3, 12, 8).mesh();
    let text = serde_json::to_string(&mesh).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(stored.as_object().unwrap().len(), 2);
    let back: TriangleMesh = serde_json::from_str(&text).unwrap();
    assert!(back == mesh);
    assert_eq!(back.mass_properties(), mesh.mass_properties());
    for bad in [
        r#"{"vertices": [], "triangles": []}"#,
        r#"{"vertices": [[0,0,0],[1,0,0],[0,1,0]], "triangles": [[0,1,3]]}"#,
        r#"{"vertices": [[0,0,0],[1,0,0],[2,0,0]], "triangles": [[0,1,2]]}"#,
        r#"{"vertices": [[0,0,0],[1e99,0,0],[0,1,0]], "triangles": [[0,1,2]]}"#,
    ] {
        assert!(serde_json::from_str::<TriangleMesh>(bad).is_err(), "{bad}");
    }
}

#[test]
fn what_lies_beyond_edges_is_known() {
    let cube = Soup::cuboid([1.0; 3]).mesh();
    for triangle in 0..12 {
        let own = cube.facet_normal(triangle);
        let [a, b, c] = cube.corners(triangle);
        let beyond = [0, 1, 2].map(|edge| cube.beyond(triangle, edge));
        let flat = beyond.iter().filter(|b| **b == Beyond::Flat).count();
        assert_eq!(flat, 1, "the diagonal of a face");
        for (edge, [from, to]) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
            if let Beyond::Convex { normal } = beyond[edge] {
                // Outwards at the middle of an edge of the cube.
                let middle = 0.5 * (from + to);
                assert!((own + normal - 2.0 * middle).length() < 1e-15);
            } else {
                assert_eq!(beyond[edge], Beyond::Flat);
            }
        }
    }
    let inside = cube.turned_over();
    let beyond = (0..12).flat_map(|t| [0, 1, 2].map(|edge| inside.beyond(t, edge)));
    assert_eq!(
        beyond
            .filter(|b| matches!(b, Beyond::Concave { .. }))
            .count(),
        24
    );
    let floor = Soup::floor(1).mesh();
    let beyond = [0, 1].map(|t| [0, 1, 2].map(|edge| floor.beyond(t, edge)));
    let open = beyond
        .iter()
        .flatten()
        .filter(|b| **b == Beyond::Open)
        .count();
    assert_eq!(open, 4);
    let mut fin = Soup::cuboid([1.0; 3]);
    fin.vertices.push(DVec3::new(0.0, 2.0, 2.0));
    fin.triangles.push([6, 7, 8]);
    assert_eq!(fin.mesh().beyond(12, 0), Beyond::Branching);
    // A neighbour whose normal points to the other side is turned over.
    let mut mixed = Soup::cuboid([1.0; 3]);
    let face = mixed.triangles[2];
    assert_eq!(mixed.mesh().facet_normal(2), DVec3::Z);
    mixed.triangles[2] = [face[0], face[2], face[1]];
    let mixed = mixed.mesh();
    let seen = (0..12).filter(|&t| t != 2 && t != 3);
    let normals = seen.flat_map(|t| [0, 1, 2].map(|edge| mixed.beyond(t, edge)));
    let up = normals
        .filter(|b| *b == Beyond::Convex { normal: DVec3::Z })
        .count();
    assert_eq!(up, 4);
}
