//! Containers as thin glass: one sees that they are there, and what is in them.

use super::shade::{Canvas, linear};
use glam::{DVec3, Vec3};
use granule_io::results::PatchMesh;

struct Triangle {
    corners: [DVec3; 3],
    color: Vec3,
    opacity: f32,
    /// The normal, if this is part of a floor, on which grains throw shadows.
    floor: Option<DVec3>,
}

/// Draws the triangles from back to front; each mesh comes with the middle of its wall.
pub fn draw(canvas: &mut Canvas<'_>, meshes: &[(DVec3, PatchMesh)]) {
    let mut triangles = Vec::new();
    for (middle, mesh) in meshes {
        for indices in &mesh.triangles {
            let corner = |k: usize| mesh.points[indices[k] as usize];
            let centroid = (corner(0) + corner(1) + corner(2)) / 3.0;
            let normal = (corner(1) - corner(0))
                .cross(corner(2) - corner(0))
                .normalize_or_zero();
            let to_eye = canvas.camera.eye - centroid;
            // The side towards the viewer is kept thinner than the one behind the grains.
            let outward = if normal.dot(centroid - *middle) < 0.0 {
                -normal
            } else {
                normal
            };
            let before = outward.dot(to_eye) > 0.0;
            let grazing = 1.0 - normal.dot(to_eye.normalize_or_zero()).abs();
            let thickness = if before { 0.05 } else { 0.17 };
            let brightness = 0.75 + 0.25 * outward.dot(canvas.light);
            triangles.push(Triangle {
                corners: [0, 1, 2].map(|k| canvas.camera.view(corner(k))),
                color: linear([150, 176, 205]) * brightness as f32,
                floor: (!before && outward.z < -0.7).then_some(-outward),
                opacity: (thickness * (1.0 + 1.5 * grazing * grazing)) as f32,
            });
        }
    }
    let depth = |t: &Triangle| t.corners[0].z + t.corners[1].z + t.corners[2].z;
    triangles.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
    triangles.iter().for_each(|triangle| fill(canvas, triangle));
}

fn fill(canvas: &mut Canvas<'_>, triangle: &Triangle) {
    let [Some(a), Some(b), Some(c)] = triangle.corners.map(|p| canvas.camera.project(p)) else {
        return;
    };
    let edge = |p: [f64; 2], q: [f64; 2], x: f64, y: f64| {
        (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
    };
    let area = edge(a, b, c[0], c[1]);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let inverse = triangle.corners.map(|p| 1.0 / p.z);
    let (width, height) = (canvas.map.width, canvas.map.height);
    let range = |axis: usize, end: usize| {
        let low = a[axis].min(b[axis]).min(c[axis]).floor().max(0.0) as usize;
        let high = a[axis].max(b[axis]).max(c[axis]).ceil().max(0.0) as usize;
        low.min(end)..high.min(end)
    };
    for row in range(1, height) {
        for column in range(0, width) {
            let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
            let weights = [edge(b, c, x, y), edge(c, a, x, y), edge(a, b, x, y)].map(|e| e / area);
            if weights.iter().any(|&weight| weight < 0.0) {
                continue;
            }
            // In perspective 1/z is linear in the picture.
            let over: f64 = weights.iter().zip(inverse).map(|(w, i)| w * i).sum();
            let place = row * width + column;
            if (1.0 / over) as f32 > canvas.map.depth[place] {
                continue;
            }
            let mut color = canvas.colors[place].lerp(triangle.color, triangle.opacity);
            // A solid floor right below has the shadow already.
            let alone = canvas.map.depth[place] as f64 * over > 1.03;
            if let (true, Some(normal), Some(shadow)) = (alone, triangle.floor, &canvas.shadow) {
                let (origin, direction) = canvas.camera.ray(x, y);
                let view = origin + direction / over;
                let point = canvas.camera.axes * view + canvas.camera.eye;
                color *= (0.62 + 0.38 * shadow.lit(point, normal)) as f32;
            }
            canvas.colors[place] = color;
        }
    }
}
