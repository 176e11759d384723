//! Solids that are not convex as convex parts.

use crate::mesh_shapes::Soup;
use granule::math::DVec3;
use granule::shapes::{Hull, TriangleMesh};

/// The volume of a hull, m³.
fn volume(hull: &Hull) -> f64 {
    let tetrahedra = hull.faces.iter().flat_map(|face| {
        let corner = |k: usize| hull.vertices[face.corners[k] as usize];
        (1..face.corners.len() - 1)
            .map(move |k| corner(0).dot(corner(k).cross(corner(k + 1))) / 6.0)
    });
    tetrahedra.sum()
}

/// How far a point is outside a hull at least, m; negative inside.
fn outside(hull: &Hull, point: DVec3) -> f64 {
    let heights = hull.faces.iter().map(|face| {
        let corner = hull.vertices[face.corners[0] as usize];
        face.normal.dot(point - corner)
    });
    heights.fold(f64::NEG_INFINITY, f64::max)
}

/// Parts that hold all corners of the mesh and do not overlap, and their volumes together.
fn parts(mesh: &TriangleMesh) -> (Vec<Hull>, f64) {
    let hulls = mesh.decomposition().unwrap();
    for &vertex in mesh.vertices() {
        let nearest = hulls.iter().map(|hull| outside(hull, vertex));
        assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-6, "{vertex}");
    }
    for (k, hull) in hulls.iter().enumerate() {
        let middle = hull.vertices.iter().sum::<DVec3>() / hull.vertices.len() as f64;
        for other in hulls.iter().skip(k + 1) {
            assert!(outside(other, middle) > 0.0, "{middle}");
        }
    }
    let total = hulls.iter().map(volume).sum();
    (hulls, total)
}

#[test]
fn convex_solids_are_one_part() {
    for soup in [Soup::cuboid([1.0, 2.0, 3.0]), Soup::sphere(12)] {
        let mesh = soup.mesh();
        let (hulls, total) = parts(&mesh);
        let exact = mesh.mass_properties().unwrap().volume;
        assert_eq!(hulls.len(), 1);
        assert!((total - exact).abs() < 1e-9 * exact);
    }
}

#[test]
fn open_surfaces_have_no_parts() {
    assert!(Soup::floor(3).mesh().decomposition().is_err());
}
