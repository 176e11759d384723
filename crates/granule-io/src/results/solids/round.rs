//! Smooth shapes: spheres, superellipsoids, cylinders and cones.

use super::SolidMesh;
use glam::{DVec2, DVec3};
use granule::shapes::{Frustum, Superellipsoid};
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, TAU};

/// The unit sphere as an octahedron whose edges are divided evenly and whose faces bulge.
pub(super) fn sphere(sides: u32) -> SolidMesh {
    let steps = (sides.div_ceil(4)).max(1) as i32;
    let mut mesh = SolidMesh::default();
    let mut places: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    let mut point = |mesh: &mut SolidMesh, place: [i32; 3]| {
        *places.entry(place).or_insert_with(|| {
            let along = |k: i32| (FRAC_PI_2 * f64::from(k) / f64::from(steps)).sin();
            let direction = DVec3::from_array(place.map(along)).normalize();
            mesh.add(direction, direction)
        })
    };
    for octant in 0..8 {
        let sign = |axis: i32| if octant >> axis & 1 == 0 { 1 } else { -1 };
        let mirrored = sign(0) * sign(1) * sign(2) < 0;
        let mut triangle = |corners: [[i32; 2]; 3]| {
            let mut corners = corners.map(|[i, j]| {
                let place = [sign(0) * i, sign(1) * j, sign(2) * (steps - i - j)];
                point(&mut mesh, place)
            });
            if mirrored {
                corners.swap(1, 2);
            }
            mesh.triangles.push(corners);
        };
        for i in 0..steps {
            for j in 0..steps - i {
                triangle([[i, j], [i + 1, j], [i, j + 1]]);
                if i + j + 1 < steps {
                    triangle([[i + 1, j], [i + 1, j + 1], [i, j + 1]]);
                }
            }
        }
    }
    mesh
}

/// The image of the sphere under [`superellipsoid_point`].
pub(super) fn superellipsoid(shape: &Superellipsoid, sides: u32) -> SolidMesh {
    let mut mesh = sphere(sides);
    for (point, normal) in mesh.points.iter_mut().zip(&mut mesh.normals) {
        *point = superellipsoid_point(shape, *point);
        *normal = shape.normal(*point);
    }
    mesh
}

/// The point (m) of a superellipsoid for a unit direction: of an ellipsoid the sphere's point stretched, of other
/// shapes one nearer to their edges, so that evenly many directions give a fine mesh where they bend.
pub(super) fn superellipsoid_point(shape: &Superellipsoid, direction: DVec3) -> DVec3 {
    let power = |x: f64, exponent: f64| x.abs().powf(2.0 / exponent).copysign(x);
    let across = direction.truncate();
    let round = across.normalize_or_zero();
    let point = DVec2::new(power(round.x, shape.around), power(round.y, shape.around));
    let height = power(direction.z, shape.along);
    shape.half_axes * (power(across.length(), shape.along) * point).extend(height)
}

/// Mantle and ends.
pub(super) fn frustum(shape: &Frustum, sides: u32) -> SolidMesh {
    let mut mesh = SolidMesh::default();
    let direction = |k: f64| {
        let angle = TAU * k / f64::from(sides);
        DVec3::new(angle.cos(), angle.sin(), 0.0)
    };
    let rims = [
        (shape.bottom_radius, shape.bottom),
        (shape.top_radius, shape.top),
    ];
    let slope = (shape.bottom_radius - shape.top_radius) / (shape.top - shape.bottom);
    let slant = |across: DVec3| (across + slope * DVec3::Z).normalize();
    // The mantle: the points at the bottom, then those at the top.
    for (radius, z) in rims {
        for k in 0..sides {
            // At a tip the normal of a triangle is that of its middle.
            let turn = f64::from(k) + if radius > 0.0 { 0.0 } else { 0.5 };
            let point = radius * direction(f64::from(k)) + z * DVec3::Z;
            mesh.add(point, slant(direction(turn)));
        }
    }
    for k in 0..sides {
        let next = (k + 1) % sides;
        if shape.bottom_radius > 0.0 {
            mesh.triangles.push([k, next, sides + k]);
        }
        if shape.top_radius > 0.0 {
            // Beyond a tip at the bottom, a triangle starts at the tip's point of its own.
            let below = if shape.bottom_radius > 0.0 { next } else { k };
            mesh.triangles.push([below, sides + next, sides + k]);
        }
    }
    for ((radius, z), normal) in rims.into_iter().zip([DVec3::NEG_Z, DVec3::Z]) {
        if radius > 0.0 {
            let rim = (0..sides).map(|k| radius * direction(f64::from(k)) + z * DVec3::Z);
            let rim: Vec<u32> = rim.map(|point| mesh.add(point, normal)).collect();
            for pair in rim[1..].windows(2) {
                let (from, to) = if normal.z > 0.0 {
                    (pair[0], pair[1])
                } else {
                    (pair[1], pair[0])
                };
                mesh.triangles.push([rim[0], from, to]);
            }
        }
    }
    mesh
}
