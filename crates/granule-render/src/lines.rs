//! Outlines of containers: rims, sides, and where a curved wall turns away from the viewer.

use super::shade::{Canvas, linear};
use glam::DVec3;
use granule_io::results::PatchMesh;
use std::collections::BTreeMap;

/// Half of the width of a line, in samples.
const HALF_WIDTH: f64 = 1.5;

/// Draws the outlines of all meshes; in a flat scene nothing hides them.
pub fn draw(canvas: &mut Canvas<'_>, meshes: &[(DVec3, PatchMesh)], flat: bool) {
    let mut coverage = vec![0f32; canvas.colors.len()];
    for (_, mesh) in meshes {
        let outlines = mesh.outlines.iter().flat_map(|line| line.windows(2));
        for pair in outlines {
            segment(canvas, &mut coverage, [pair[0], pair[1]], flat);
        }
        for ends in silhouette(canvas, mesh) {
            segment(canvas, &mut coverage, ends, flat);
        }
    }
    let ink = linear([52, 66, 88]);
    for (color, cover) in canvas.colors.iter_mut().zip(coverage) {
        *color = color.lerp(ink, cover);
    }
}

/// Edges between a triangle that faces the viewer and one that does not.
fn silhouette(canvas: &Canvas<'_>, mesh: &PatchMesh) -> Vec<[DVec3; 2]> {
    let along = canvas.camera.axes.z_axis;
    let perspective = matches!(
        canvas.camera.projection,
        super::camera::Projection::Perspective(_)
    );
    let corner = |index: u32| mesh.points[index as usize];
    let mut facing: BTreeMap<(u32, u32), bool> = BTreeMap::new();
    let mut edges = Vec::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(corner);
        let sight = if perspective {
            a - canvas.camera.eye
        } else {
            along
        };
        let front = (b - a).cross(c - a).dot(sight) < 0.0;
        for k in 0..3 {
            let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
            match facing.insert((p.min(q), p.max(q)), front) {
                Some(other) if other != front => edges.push([corner(p), corner(q)]),
                _ => {}
            }
        }
    }
    edges
}

fn segment(canvas: &Canvas<'_>, coverage: &mut [f32], ends: [DVec3; 2], flat: bool) {
    let views = ends.map(|end| canvas.camera.view(end));
    let [Some(a), Some(b)] = views.map(|view| canvas.camera.project(view)) else {
        return;
    };
    let (width, height) = (canvas.map.width, canvas.map.height);
    let range = |axis: usize, end: usize| {
        let low = (a[axis].min(b[axis]) - HALF_WIDTH - 1.0).max(0.0) as usize;
        let high = (a[axis].max(b[axis]) + HALF_WIDTH + 2.0).max(0.0) as usize;
        low.min(end)..high.min(end)
    };
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length_squared = (dx * dx + dy * dy).max(1e-300);
    for row in range(1, height) {
        // Only the columns near the line in this row.
        for column in range(0, width) {
            let (x, y) = (column as f64 + 0.5 - a[0], row as f64 + 0.5 - a[1]);
            let t = ((x * dx + y * dy) / length_squared).clamp(0.0, 1.0);
            let distance = (x - t * dx).hypot(y - t * dy);
            let cover = (HALF_WIDTH + 0.5 - distance).clamp(0.0, 1.0) as f32;
            if cover == 0.0 {
                continue;
            }
            let place = row * width + column;
            let over = (1.0 - t) / views[0].z + t / views[1].z;
            let hidden = !flat && (0.997 / over) as f32 > canvas.map.depth[place];
            let strength = if hidden { 0.12 } else { 0.75 };
            coverage[place] = coverage[place].max(strength * cover);
        }
    }
}
