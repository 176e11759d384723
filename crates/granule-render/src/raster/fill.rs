//! Meshes: triangles of bodies.

use super::super::body::Seen;
use super::super::camera::Projection;
use super::{Band, FACE, pixels};
use std::ops::Range;

/// What is seen first of a body that is cut, in a sample.
#[derive(Clone, Copy)]
struct First {
    depth: f32,
    triangle: u32,
    /// Whether it is seen from within.
    inside: bool,
}

/// Before any triangle.
const NONE: First = First {
    depth: f32::INFINITY,
    triangle: 0,
    inside: false,
};

impl Band<'_> {
    /// Draws the triangles of a mesh that face the viewer.
    pub(super) fn fill(&mut self, index: u32, body: &Seen<'_>) {
        let Some(mesh) = body.mesh() else { return };
        let corners = self.corners(body);
        for (number, triangle) in (0u32..).zip(&mesh.triangles) {
            let corners = triangle.map(|k| corners[k as usize]);
            if area(corners) > 0.0 {
                self.samples(corners, |band, place, depth, _| {
                    band.put(place, depth, index, number);
                });
            }
        }
        self.corners = corners;
    }

    /// Draws what a cut leaves of a mesh. Where the first triangle behind the cut faces away, the cut goes through the body.
    pub(super) fn fill_cut(
        &mut self,
        index: u32,
        body: &Seen<'_>,
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        let Some(mesh) = body.mesh() else { return };
        let corners = self.corners(body);
        let wide = columns.len();
        let mut first = vec![NONE; rows.len() * wide];
        for (triangle, places) in (0u32..).zip(&mesh.triangles) {
            let [a, b, c] = places.map(|k| corners[k as usize]);
            let inside = area([a, b, c]) < 0.0;
            let turned = if inside { [a, c, b] } else { [a, b, c] };
            self.samples(turned, |band, place, depth, [x, y]| {
                let near = band.cut.along(band.camera.ray(x, y)).start as f32;
                let (row, column) = (place / band.width, place % band.width);
                if depth < near || !rows.contains(&row) || !columns.contains(&column) {
                    return;
                }
                let first = &mut first[(row - rows.start) * wide + column - columns.start];
                if depth < first.depth {
                    *first = First {
                        depth,
                        triangle,
                        inside,
                    };
                }
            });
        }
        self.corners = corners;
        for (k, first) in first.iter().enumerate() {
            if first.depth == f32::INFINITY {
                continue;
            }
            let (row, column) = (rows.start + k / wide, columns.start + k % wide);
            let (x, y) = (column as f64 + 0.5, (self.first + row) as f64 + 0.5);
            let seen = self.cut.along(self.camera.ray(x, y));
            let place = row * self.width + column;
            match first.inside {
                true if seen.start < seen.end && seen.start > 0.0 => {
                    self.put(place, seen.start as f32, index | FACE, 0);
                }
                false if f64::from(first.depth) <= seen.end => {
                    self.put(place, first.depth, index, first.triangle);
                }
                _ => (),
            }
        }
    }

    /// The corners of a mesh: pixel coordinates, and a number that is linear in the picture and tells the depth. They are to
    /// be given back, so that their place is used again.
    fn corners(&mut self, body: &Seen<'_>) -> Vec<[f64; 3]> {
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        let points = body.mesh().map_or(&[][..], |mesh| &mesh.points);
        corners.extend(points.iter().map(|point| {
            let view = body.center + body.turn * *point;
            let scale = self.camera.scale(view.z);
            let linear = match self.camera.projection {
                Projection::Perspective(_) => 1.0 / view.z,
                Projection::Orthographic(_) => view.z,
            };
            let [x, y] = self.camera.middle;
            [x + scale * view.x, y - scale * view.y, linear]
        }));
        corners
    }

    /// Gives the samples of a triangle of positive area to `take`: place, depth, and pixel coordinates.
    #[inline(always)]
    fn samples(
        &mut self,
        [a, b, c]: [[f64; 3]; 3],
        mut take: impl FnMut(&mut Self, usize, f32, [f64; 2]),
    ) {
        let area = area([a, b, c]);
        if !(area > 0.0 && area.is_finite()) {
            return;
        }
        // A sample on an edge shall not slip between two triangles.
        let least = -1e-9 * area;
        let low = |axis: usize| a[axis].min(b[axis]).min(c[axis]);
        let high = |axis: usize| a[axis].max(b[axis]).max(c[axis]);
        let columns = pixels(low(0), high(0), 0, self.width);
        for row in pixels(low(1), high(1), self.first, self.rows) {
            let y = (self.first + row) as f64 + 0.5;
            for column in columns.clone() {
                let x = column as f64 + 0.5;
                let weights = [left(b, c, x, y), left(c, a, x, y), left(a, b, x, y)];
                if weights.iter().any(|&weight| weight < least) {
                    continue;
                }
                let linear = (weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2]) / area;
                let depth = match self.camera.projection {
                    Projection::Perspective(_) => 1.0 / linear,
                    Projection::Orthographic(_) => linear,
                };
                take(self, row * self.width + column, depth as f32, [x, y]);
            }
        }
    }
}

/// How far (x, y) is to the left of the line from p to q, times its length; y is down in the picture.
fn left(p: [f64; 3], q: [f64; 3], x: f64, y: f64) -> f64 {
    (q[1] - p[1]) * (x - p[0]) - (q[0] - p[0]) * (y - p[1])
}

/// Twice the area of a triangle in the picture, positive if it faces the viewer.
fn area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    left(a, b, c[0], c[1])
}
