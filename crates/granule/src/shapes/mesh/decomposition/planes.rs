//! Where to cut.

use super::super::{Beyond, TriangleMesh};
use super::piece::Plane;
use crate::math::{DVec3, principal_axes};
use crate::shapes::Hull;

/// Concave edges that are tried for a part.
const EDGES: usize = 12;
/// Where a part is cut square to an axis, as parts of its length.
const CUTS: [f64; 5] = [0.5, 1.0 / 3.0, 2.0 / 3.0, 0.2, 0.8];

/// A concave edge with the planes through it that could make it vanish.
#[derive(Debug, Clone)]
pub(super) struct ConcaveEdge {
    middle: DVec3,
    /// Those of its two triangles, and the one between.
    planes: [Plane; 3],
    /// Its length times the angle by which it is concave, m.
    weight: f64,
}

/// The concave edges of a mesh, the longest and sharpest first.
pub(super) fn concave_edges(mesh: &TriangleMesh) -> Vec<ConcaveEdge> {
    let mut found = Vec::new();
    for triangle in 0..mesh.triangles().len() as u32 {
        let corners = mesh.corners(triangle);
        for edge in 0..3 {
            let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
            let own = mesh.facet_normal(triangle);
            if let Beyond::Concave { normal } = mesh.beyond(triangle, edge) {
                let middle = 0.5 * (from + to);
                let through = |normal: DVec3| Plane {
                    normal,
                    offset: normal.dot(middle),
                };
                let between = (own - normal).normalize_or(own);
                found.push(ConcaveEdge {
                    middle,
                    planes: [own, normal, between].map(through),
                    weight: from.distance(to) * own.angle_between(normal),
                });
            }
        }
    }
    // Both triangles give an edge: the same planes are tried once.
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    found
}

/// The planes to try for a part with this hull that is below the planes that it was cut by.
pub(super) fn candidates(
    edges: &[ConcaveEdge],
    hull: &Hull,
    cut_by: &[Plane],
    tolerance: f64,
) -> Vec<Plane> {
    let mut planes: Vec<Plane> = Vec::new();
    let mut add = |plane: Plane| {
        let same = |other: &Plane| {
            let along = plane.normal.dot(other.normal);
            along.abs() > 1.0 - 1e-12 && (plane.offset - along * other.offset).abs() <= tolerance
        };
        let new = !planes.iter().any(same);
        if new {
            planes.push(plane);
        }
        new
    };
    let within = |edge: &&ConcaveEdge| {
        let hull_planes = hull.faces.iter().map(|face| Plane {
            normal: face.normal,
            offset: face.normal.dot(hull.vertices[face.corners[0] as usize]),
        });
        let below = |plane: Plane| plane.height(edge.middle) <= tolerance;
        cut_by.iter().copied().all(below) && { hull_planes }.all(below)
    };
    let mut tried = 0;
    for edge in edges.iter().filter(within) {
        let new = edge.planes.map(&mut add);
        tried += usize::from(new.contains(&true));
        if tried == EDGES {
            break;
        }
    }
    for part in CUTS {
        for plane in across(hull, part) {
            add(plane);
        }
    }
    planes
}

/// The planes square to the principal axes of a hull at this part of its length along them.
pub(super) fn across(hull: &Hull, part: f64) -> [Plane; 3] {
    let (_, axes) = principal_axes(hull.mass_properties().inertia);
    [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
        let normal = axes * axis;
        let along = |direction: DVec3| hull.core_support(direction).dot(normal);
        let (low, high) = (along(-normal), along(normal));
        Plane {
            normal,
            offset: low + part * (high - low),
        }
    })
}
