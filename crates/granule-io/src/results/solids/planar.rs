//! Shapes in a plane: the outlines of solids that are the same on both sides of it.

use super::SolidMesh;
use super::round::superellipsoid_point;
use glam::{DVec2, DVec3};
use granule::shapes::{Convex, Part};
use std::f64::consts::TAU;

/// A part as it looks along z, as triangles about its middle in the plane z = 0.
pub(super) fn mesh(part: &Part, sides: u32) -> SolidMesh {
    let directions = (0..sides).map(|k| DVec2::from_angle(TAU * f64::from(k) / f64::from(sides)));
    let flat = |local: DVec3| part.pose.point(local).truncate();
    let points: Vec<DVec2> = match &part.shape {
        Convex::Hull(hull) => {
            let corners = hull.vertices.iter().map(|&corner| flat(corner)).collect();
            rounded(&convex(corners), hull.radius, sides)
        }
        Convex::Superellipsoid(shape) => {
            let point = |d: DVec2| flat(superellipsoid_point(shape, d.extend(0.0)));
            convex(directions.map(point).collect())
        }
        Convex::Frustum(shape) => {
            let point = |d: DVec2| flat(shape.support(part.pose.local_direction(d.extend(0.0))));
            convex(directions.map(point).collect())
        }
    };
    let mut mesh = SolidMesh::default();
    let middle = points.iter().sum::<DVec2>() / points.len().max(1) as f64;
    let middle = mesh.add(middle.extend(0.0), DVec3::Z);
    for point in &points {
        mesh.add(point.extend(0.0), DVec3::Z);
    }
    let count = points.len() as u32;
    for k in 0..count {
        mesh.triangles.push([middle, 1 + k, 1 + (k + 1) % count]);
    }
    mesh
}

/// The corners of the convex hull of points, counter-clockwise; points within rounding of each other are one.
fn convex(all: Vec<DVec2>) -> Vec<DVec2> {
    let size = all.iter().map(|p| p.distance(all[0])).fold(0.0, f64::max);
    let mut points: Vec<DVec2> = Vec::new();
    for point in all {
        if points.iter().all(|p| p.distance(point) > 1e-9 * size) {
            points.push(point);
        }
    }
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    if points.len() < 3 {
        return points;
    }
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..]
                && (b - a).perp_dot(point - b) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        // Where one chain ends the other begins.
        chain.pop();
        chain
    };
    let mut corners = chain(&mut points.iter().copied());
    corners.extend(chain(&mut points.iter().rev().copied()));
    corners
}

/// A convex polygon with an arc of this radius (m) at each corner.
fn rounded(corners: &[DVec2], radius: f64, sides: u32) -> Vec<DVec2> {
    if radius <= 0.0 {
        return corners.to_vec();
    }
    let count = corners.len();
    let outward = |k: usize| {
        let edge = corners[(k + 1) % count] - corners[k];
        -edge.perp().normalize_or(DVec2::NEG_X)
    };
    let mut points = Vec::new();
    for (k, &corner) in corners.iter().enumerate() {
        let (from, to) = (outward((k + count - 1) % count), outward(k));
        let angle = match count {
            1 => TAU,
            _ => from.perp_dot(to).atan2(from.dot(to)).rem_euclid(TAU),
        };
        let steps = (angle * f64::from(sides) / TAU).ceil().max(1.0) as u32;
        // All around a single point, the last direction is the first.
        let last = if count == 1 { steps - 1 } else { steps };
        for step in 0..=last {
            let turn = DVec2::from_angle(angle * f64::from(step) / f64::from(steps));
            points.push(corner + radius * turn.rotate(from));
        }
    }
    points
}
