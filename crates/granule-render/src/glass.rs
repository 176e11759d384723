//! Containers as thin glass: one sees that they are there, and what is in them.

use super::SAMPLES;
use super::camera::Camera;
use super::canvas::{Band, linear};
use super::shadow::ShadowMap;
use super::wide::{self, Work};
use glam::{DVec3, Vec3};
use granule_io::results::PatchMesh;
use std::ops::Range;

/// The triangles of containers, from back to front.
pub struct Glass<'a> {
    camera: &'a Camera,
    shadow: &'a ShadowMap,
    triangles: Vec<Triangle>,
}

struct Triangle {
    /// Pixel coordinates of the corners.
    corners: [[f64; 2]; 3],
    /// One over their depths, 1/m; linear in the picture.
    inverse: [f64; 3],
    color: Vec3,
    opacity: f32,
    /// The normal, if this is part of a floor, on which grains throw shadows.
    floor: Option<Vec3>,
}

impl<'a> Glass<'a> {
    /// Each mesh comes with the middle of its wall; `light` points from the scene to the light.
    pub fn new(
        camera: &'a Camera,
        meshes: &[(DVec3, PatchMesh)],
        shadow: &'a ShadowMap,
        light: DVec3,
    ) -> Self {
        let mut triangles = Vec::new();
        for (middle, mesh) in meshes {
            for indices in &mesh.triangles {
                let corners = indices.map(|k| mesh.points[k as usize]);
                triangles.extend(Triangle::new(camera, corners, *middle, light));
            }
        }
        triangles.sort_by(|a, b| b.0.total_cmp(&a.0));
        Self {
            camera,
            shadow,
            triangles: triangles
                .into_iter()
                .map(|(_, triangle)| triangle)
                .collect(),
        }
    }

    /// Draws the triangles over some rows.
    pub fn draw(&self, band: &mut Band<'_>) {
        wide::run(Fill { glass: self, band });
    }

    #[inline(always)]
    fn fill(&self, band: &mut Band<'_>, triangle: &Triangle) {
        let [a, b, c] = triangle.corners;
        let samples = band.map.width;
        let low = |axis: usize| a[axis].min(b[axis]).min(c[axis]).floor().max(0.0) as usize;
        let high = |axis: usize| a[axis].max(b[axis]).max(c[axis]).ceil().max(0.0) as usize;
        let around = low(0)..high(0).min(samples);
        let rows = (low(1) / SAMPLES).max(band.first)
            ..high(1).div_ceil(SAMPLES).min(band.first + band.rows);
        for row in rows {
            // The samples inside, in the upper and in the lower half of the row.
            let y = (SAMPLES * row) as f64;
            let spans = [
                triangle.span(y + 0.5, &around),
                triangle.span(y + 1.5, &around),
            ];
            let inside = [spans[0].clone(), spans[1].clone()];
            let full = spans[0].start.max(spans[1].start).div_ceil(SAMPLES)
                ..spans[0].end.min(spans[1].end) / SAMPLES;
            let touched = spans.into_iter().filter(|span| !span.is_empty());
            let touched = touched.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
            let Some(touched) = touched else { continue };
            let touched = touched.start / SAMPLES..touched.end.div_ceil(SAMPLES);
            // Where all of a pixel is inside, several pixels are worked on at once.
            let full = match full.is_empty() {
                true => touched.end..touched.end,
                false => full,
            };
            let row = Row {
                row,
                plane: triangle.inverse_along(y + 1.0),
                triangle,
            };
            let partly = (touched.start..full.start).chain(full.end..touched.end);
            for column in partly {
                let weights = [0, 1].map(|k| {
                    [0, 1].map(|j| match inside[k].contains(&(SAMPLES * column + j)) {
                        true => 1.0,
                        false => 0.0,
                    })
                });
                self.blend(band, &row, column..column + 1, weights);
            }
            self.blend(band, &row, full, [[1.0; SAMPLES]; SAMPLES]);
        }
    }

    /// Draws over pixels of a row, of whose samples such parts are inside.
    #[inline(always)]
    fn blend(
        &self,
        band: &mut Band<'_>,
        Row {
            row,
            plane,
            triangle,
        }: &Row<'_>,
        columns: Range<usize>,
        inside: [[f32; SAMPLES]; SAMPLES],
    ) {
        let start = (row - band.first) * band.width;
        let depths = band.depths(*row);
        let [above, below] = depths.map(|depths| &depths[columns.clone()]);
        let [begin, slope] = *plane;
        let begin = begin + slope * columns.start as f64;
        // One over the depth of the glass, at the k-th of these pixels.
        let inverse = |k: i32| (begin + slope * f64::from(k)) as f32;
        let share = triangle.opacity / (SAMPLES * SAMPLES) as f32;
        let Vec3 { x, y, z } = triangle.color;
        let [red, green, blue] = &mut band.colors;
        let [red, green, blue] =
            [red, green, blue].map(|channel| channel[start..][columns.clone()].iter_mut());
        // Without a branch, so that several pixels are computed at once.
        let pixels = red.zip(green).zip(blue).zip(above).zip(below);
        for (k, ((((red, green), blue), above), below)) in (0..).zip(pixels) {
            let inverse = inverse(k);
            let seen = |k: usize, j: usize| {
                let solid = [above, below][k][j];
                if solid * inverse >= 1.0 {
                    inside[k][j]
                } else {
                    0.0
                }
            };
            let opacity = share * (seen(0, 0) + seen(0, 1) + seen(1, 0) + seen(1, 1));
            *red += (x - *red) * opacity;
            *green += (y - *green) * opacity;
            *blue += (z - *blue) * opacity;
        }
        let Some(normal) = triangle.floor else {
            return;
        };
        let sight = self.camera.sight();
        for (k, column) in (0..).zip(columns) {
            // A solid floor right below has the shadow already.
            let inverse = inverse(k);
            let solid = depths.map(|depths| depths[column]);
            let open = |k: usize, j: usize| match solid[k][j] * inverse > 1.03 {
                true => inside[k][j],
                false => 0.0,
            };
            let open = 0.25 * (open(0, 0) + open(0, 1) + open(1, 0) + open(1, 1));
            if open > 0.0 {
                let [x, y] = [column, *row].map(|place| (SAMPLES * place + 1) as f32);
                let point = sight.point(x, y, 1.0 / inverse);
                let light = 1.0 - 0.38 * open * (1.0 - self.shadow.lit(point, normal));
                for channel in &mut band.colors {
                    channel[start + column] *= light;
                }
            }
        }
    }
}

/// A row of pixels of a triangle.
struct Row<'a> {
    row: usize,
    /// One over the depth of the glass in the middle of the first pixel, and how it grows from one to the next, 1/m.
    plane: [f64; 2],
    triangle: &'a Triangle,
}

/// Glass that is drawn over a band.
struct Fill<'a, 'b, 'c> {
    glass: &'a Glass<'a>,
    band: &'b mut Band<'c>,
}

impl Work for Fill<'_, '_, '_> {
    #[inline(always)]
    fn work(self) {
        for triangle in &self.glass.triangles {
            self.glass.fill(self.band, triangle);
        }
    }
}

impl Triangle {
    /// With the sum of the depths of its corners; `None` if it is not seen.
    fn new(
        camera: &Camera,
        corners: [DVec3; 3],
        middle: DVec3,
        light: DVec3,
    ) -> Option<(f64, Self)> {
        let [a, b, c] = corners;
        let centroid = (a + b + c) / 3.0;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let to_eye = camera.eye - centroid;
        // The side towards the viewer is kept thinner than the one behind the grains.
        let outward = if normal.dot(centroid - middle) < 0.0 {
            -normal
        } else {
            normal
        };
        let before = outward.dot(to_eye) > 0.0;
        let grazing = 1.0 - normal.dot(to_eye.normalize_or_zero()).abs();
        let thickness = if before { 0.05 } else { 0.17 };
        let brightness = 0.75 + 0.25 * outward.dot(light);
        let views = corners.map(|corner| camera.view(corner));
        let [Some(a), Some(b), Some(c)] = views.map(|view| camera.project(view)) else {
            return None;
        };
        let triangle = Self {
            corners: [a, b, c],
            inverse: views.map(|view| 1.0 / view.z),
            color: linear([150, 176, 205]) * brightness as f32,
            opacity: (thickness * (1.0 + 1.5 * grazing * grazing)) as f32,
            floor: (!before && outward.z < -0.7)
                .then(|| (camera.axes.transpose() * -outward).as_vec3()),
        };
        let depth = views[0].z + views[1].z + views[2].z;
        let area = triangle.area();
        (area != 0.0 && area.is_finite()).then_some((depth, triangle))
    }

    /// Twice its area, with a sign.
    fn area(&self) -> f64 {
        let [a, b, c] = self.corners;
        side(a, b, c[0], c[1])
    }

    /// The samples of a row at a height that are inside, of those around the triangle.
    #[inline(always)]
    fn span(&self, y: f64, around: &Range<usize>) -> Range<usize> {
        // Weights are linear along the row: each bounds the columns from one side.
        let (starts, ends) = (self.weights(0.5, y), self.weights(1.5, y));
        let (mut first, mut end) = (around.start as f64, around.end as f64);
        for (start, after) in starts.into_iter().zip(ends) {
            let growth = after - start;
            let zero = -start / growth;
            if growth > 0.0 {
                first = first.max(zero.ceil());
            } else if growth < 0.0 {
                end = end.min(zero.floor() + 1.0);
            } else if start < 0.0 {
                end = 0.0;
            }
        }
        first as usize..end.max(0.0) as usize
    }

    /// One over the depth, at a height and in the middle of the first pixel, and how it grows from one pixel to the next.
    #[inline(always)]
    fn inverse_along(&self, y: f64) -> [f64; 2] {
        let half = 0.5 * SAMPLES as f64;
        let at = |x: f64| -> f64 {
            let weights = self.weights(x, y).into_iter().zip(self.inverse);
            weights.map(|(weight, inverse)| weight * inverse).sum()
        };
        let start = at(half);
        [start, at(half + SAMPLES as f64) - start]
    }

    /// How much of each corner there is in a point; all positive inside.
    fn weights(&self, x: f64, y: f64) -> [f64; 3] {
        let [a, b, c] = self.corners;
        let area = self.area();
        [side(b, c, x, y), side(c, a, x, y), side(a, b, x, y)].map(|part| part / area)
    }
}

/// On which side of the line from p to q a point is, times their distances.
fn side(p: [f64; 2], q: [f64; 2], x: f64, y: f64) -> f64 {
    (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
}
