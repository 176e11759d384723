//! Meshes are closed, and as large as the shapes that they stand for.

use super::*;
use glam::{DQuat, DVec2};
use granule::shapes::{Frustum, Hull, Part, Superellipsoid};
use std::f64::consts::PI;

fn box_of(x: f64, y: f64, z: f64) -> Hull {
    Hull::cuboid(DVec3::new(x, y, z))
}

/// A shape of every kind.
fn shapes() -> Vec<(&'static str, Solid)> {
    let points = (0..40).map(|k| {
        let (a, b) = (2.4 * f64::from(k), f64::from(k) / 20.0 - 0.975);
        let across = (1.0 - b * b).sqrt();
        DVec3::new(across * a.cos(), 0.7 * across * a.sin(), 0.5 * b)
    });
    let points: Vec<DVec3> = points.collect();
    let hexagon: Vec<DVec2> = (0..6)
        .map(|k| DVec2::from_angle(PI / 3.0 * f64::from(k)))
        .collect();
    let square = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
    let square = square.map(|(x, y)| DVec3::new(x, y, 0.0));
    let frustum = |bottom_radius, top_radius| Frustum {
        bottom: -0.5,
        top: 0.7,
        bottom_radius,
        top_radius,
    };
    let superellipsoid = |around, along| Superellipsoid {
        half_axes: DVec3::new(0.5, 0.3, 0.8),
        around,
        along,
    };
    vec![
        ("box", box_of(0.3, 0.2, 0.1).into()),
        (
            "rounded box",
            box_of(0.3, 0.2, 0.1).with_radius(0.05).into(),
        ),
        ("prism", Hull::prism(&hexagon, 0.4).unwrap().into()),
        ("hull", Hull::of_points(&points).unwrap().into()),
        (
            "rounded hull",
            Hull::of_points(&points).unwrap().with_radius(0.2).into(),
        ),
        (
            "plate",
            Hull::facet(&square).unwrap().with_radius(0.1).into(),
        ),
        ("ball", Hull::ball(0.4).into()),
        ("capsule", Hull::segment(0.5, 0.2).into()),
        ("ellipsoid", superellipsoid(2.0, 2.0).into()),
        ("superellipsoid", superellipsoid(6.0, 3.0).into()),
        ("cylinder", frustum(0.3, 0.3).into()),
        ("frustum", frustum(0.3, 0.1).into()),
        ("cone", frustum(0.4, 0.0).into()),
        ("cone upside down", frustum(0.0, 0.4).into()),
        ("two parts", dumbbell()),
    ]
}

/// Two boxes side by side, one of them turned.
fn dumbbell() -> Solid {
    let part = |position: DVec3, angle: f64, shape: Hull| Part {
        pose: Pose::new(position, DQuat::from_rotation_y(angle)),
        shape: shape.into(),
    };
    let parts = vec![
        part(DVec3::new(-1.0, 0.2, 0.0), 0.0, box_of(0.3, 0.2, 0.1)),
        part(
            DVec3::new(1.0, 0.0, 0.3),
            0.7,
            box_of(0.2, 0.2, 0.2).with_radius(0.1),
        ),
    ];
    Solid::joined(parts).unwrap().0
}

/// The flux of x through the surface is three times the volume.
fn volume(mesh: &SolidMesh) -> f64 {
    let corner = |k: u32| mesh.points[k as usize];
    let flux = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0;
    mesh.triangles.iter().map(flux).sum()
}

#[test]
fn surfaces_are_closed_and_have_areas() {
    for (name, solid) in shapes() {
        let mesh = tessellate_solid(&solid, Dimension::Space, 20).welded();
        let mut sides = BTreeMap::new();
        for t in &mesh.triangles {
            for k in 0..3 {
                *sides.entry((t[k], t[(k + 1) % 3])).or_insert(0) += 1;
            }
            let [a, b, c] = t.map(|k| mesh.points[k as usize]);
            assert!((b - a).cross(c - a).length() > 1e-9, "{name}");
        }
        for (&(from, to), &count) in &sides {
            assert_eq!(count, 1, "{name}");
            assert_eq!(sides.get(&(to, from)), Some(&1), "{name}");
        }
        assert!(!mesh.triangles.is_empty(), "{name}");
    }
}

#[test]
fn volumes_converge_quadratically() {
    for (name, solid) in shapes() {
        let error = |sides: u32| {
            let mesh = tessellate_solid(&solid, Dimension::Space, sides);
            (volume(&mesh) / solid.volume() - 1.0).abs()
        };
        let (coarse, fine) = (error(96), error(384));
        assert!(coarse < 4e-3, "{name}: {coarse}");
        // Four times as many sides: a sixteenth of the error, and somewhat more where an edge has few steps, as their
        // number is whole; or there is none.
        assert!(
            fine < 0.1 * coarse || fine < 1e-12,
            "{name}: {coarse} {fine}"
        );
    }
}

#[test]
fn points_are_on_the_surface_and_normals_point_outwards() {
    for (name, solid) in shapes() {
        let mesh = tessellate_solid(&solid, Dimension::Space, 16);
        for normal in &mesh.normals {
            assert!((normal.length() - 1.0).abs() < 1e-12, "{name}");
        }
        if solid.parts().len() > 1 {
            continue;
        }
        let size = solid.bounding_radius();
        for (&point, &normal) in mesh.points.iter().zip(&mesh.normals) {
            // No point of a convex solid is farther along the normal.
            let beyond = (solid.support(normal) - point).dot(normal);
            // At the tip of a cone the normal is that beside it.
            assert!(beyond.abs() < 1e-9 * size, "{name}: {beyond}");
        }
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|k| mesh.points[k as usize]);
            let outward = (b - a).cross(c - a);
            let smooth: DVec3 = t.iter().map(|&k| mesh.normals[k as usize]).sum();
            assert!(outward.dot(smooth) > 0.0, "{name}");
        }
    }
}

#[test]
fn in_a_plane_areas_converge() {
    let corners = [(-0.4, -0.3), (0.5, -0.2), (0.3, 0.4)].map(|(x, y)| DVec2::new(x, y));
    let shapes = [
        ("polygon", Solid::polygon(&corners, 0.0).unwrap().0),
        ("rounded polygon", Solid::polygon(&corners, 0.1).unwrap().0),
        (
            "ellipse",
            Solid::ellipse(DVec2::new(0.5, 0.2), 2.0).unwrap(),
        ),
        (
            "superellipse",
            Solid::ellipse(DVec2::new(0.5, 0.4), 5.0).unwrap(),
        ),
    ];
    for (name, solid) in shapes {
        let area = |sides: u32| {
            let mesh = tessellate_solid(&solid, Dimension::Plane, sides);
            assert!(mesh.points.iter().all(|p| p.z.abs() < 1e-12), "{name}");
            let corner = |k: u32| mesh.points[k as usize];
            let part = |t: &[u32; 3]| {
                let [a, b, c] = t.map(corner);
                0.5 * (b - a).cross(c - a).z
            };
            mesh.triangles.iter().map(part).sum::<f64>()
        };
        let error = |sides: u32| (area(sides) / solid.volume() - 1.0).abs();
        let (coarse, fine) = (error(96), error(384));
        assert!(coarse < 2e-3, "{name}: {coarse}");
        assert!(
            fine < 0.1 * coarse || fine < 1e-12,
            "{name}: {coarse} {fine}"
        );
    }
}
