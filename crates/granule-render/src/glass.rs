//! Containers as thin glass: one sees that they are there, and what is in them.

use super::camera::Camera;
use super::canvas::{Band, linear};
use super::shadow::ShadowMap;
use super::wide::{self, Work};
use glam::{DVec3, Vec3};
use granule_io::results::PatchMesh;

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
        let width = band.map.width;
        let sight = self.camera.sight();
        let low = |axis: usize| a[axis].min(b[axis]).min(c[axis]).floor().max(0.0) as usize;
        let high = |axis: usize| a[axis].max(b[axis]).max(c[axis]).ceil().max(0.0) as usize;
        let rows = low(1).max(band.first)..high(1).min(band.first + band.rows);
        for row in rows {
            // Weights are linear along the row: each bounds the columns from one side.
            let y = row as f64 + 0.5;
            let starts = triangle.weights(0.5, y);
            let ends = triangle.weights(1.5, y);
            let (mut first, mut end) = (low(0) as f64, high(0).min(width) as f64);
            let (mut start, mut slope) = (0.0, 0.0);
            for k in 0..3 {
                let growth = ends[k] - starts[k];
                let zero = -starts[k] / growth;
                if growth > 0.0 {
                    first = first.max(zero.ceil());
                } else if growth < 0.0 {
                    end = end.min(zero.floor() + 1.0);
                } else if starts[k] < 0.0 {
                    end = 0.0;
                }
                start += starts[k] * triangle.inverse[k];
                slope += growth * triangle.inverse[k];
            }
            let columns = first as usize..end.max(0.0) as usize;
            if columns.is_empty() {
                continue;
            }
            let solid = &band.map.depth[band.map.place(0, row)..][columns.clone()];
            let places = (row - band.first) * width..(row - band.first + 1) * width;
            // One over the depth of the glass, at the k-th of these columns.
            let start = start + slope * columns.start as f64;
            let inverse = |k: i32| (start + slope * f64::from(k)) as f32;
            let Vec3 { x, y, z } = triangle.color;
            let [red, green, blue] = &mut band.colors;
            let [red, green, blue] = [red, green, blue]
                .map(|channel| channel[places.clone()][columns.clone()].iter_mut());
            // Without a branch, so that several samples are computed at once.
            let samples = red.zip(green).zip(blue).zip(solid);
            for (k, (((red, green), blue), solid)) in (0..).zip(samples) {
                let before = solid * inverse(k) >= 1.0;
                let opacity = if before { triangle.opacity } else { 0.0 };
                *red += (x - *red) * opacity;
                *green += (y - *green) * opacity;
                *blue += (z - *blue) * opacity;
            }
            let Some(normal) = triangle.floor else {
                continue;
            };
            for (k, (column, solid)) in (0..).zip(columns.zip(solid)) {
                // A solid floor right below has the shadow already.
                let inverse = inverse(k);
                if solid * inverse > 1.03 {
                    let point = sight.point(column as f32 + 0.5, row as f32 + 0.5, 1.0 / inverse);
                    let light = 0.62 + 0.38 * self.shadow.lit(point, normal);
                    for channel in &mut band.colors {
                        channel[places.start + column] *= light;
                    }
                }
            }
        }
    }
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
