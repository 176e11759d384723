//! Which body is seen in which pixel, and how far away.

use super::body::Seen;
use super::camera::{Camera, Projection};
use std::ops::Range;
use std::thread;

/// The index where no body is seen.
pub const NOTHING: u32 = u32::MAX;

/// Depths and indices of bodies of all pixels.
pub struct DepthMap {
    pub width: usize,
    pub height: usize,
    /// z in camera coordinates, m; infinite where nothing is seen.
    pub depth: Vec<f32>,
    /// Which body is seen.
    pub body: Vec<u32>,
    /// Which triangle of it, if it has a mesh.
    pub triangle: Vec<u32>,
}

impl DepthMap {
    /// Casts a ray through every pixel's middle at the bodies that may be there.
    pub fn of_bodies(camera: &Camera, bodies: &[Seen<'_>], width: usize, height: usize) -> Self {
        // From front to back, so that most hidden bodies are known as such at once.
        let mut order: Vec<u32> = (0..bodies.len() as u32).collect();
        let front = |index: u32| bodies[index as usize].center.z - bodies[index as usize].radius;
        order.sort_by(|&a, &b| front(a).total_cmp(&front(b)).then(a.cmp(&b)));
        let boxes: Vec<(u32, [f64; 4])> = order
            .into_iter()
            .filter_map(|index| {
                let body = &bodies[index as usize];
                Some((index, camera.outline(body.center, body.radius)?))
            })
            .collect();

        let mut map = Self {
            width,
            height,
            depth: vec![f32::INFINITY; width * height],
            body: vec![NOTHING; width * height],
            triangle: vec![NOTHING; width * height],
        };
        let rows = band_rows(height);
        thread::scope(|scope| {
            let depths = map.depth.chunks_mut(rows * width);
            let indices = map
                .body
                .chunks_mut(rows * width)
                .zip(map.triangle.chunks_mut(rows * width));
            for (band, (depth, (body, triangle))) in depths.zip(indices).enumerate() {
                let boxes = &boxes;
                scope.spawn(move || {
                    let mut band = Band {
                        camera,
                        width,
                        rows: depth.len() / width,
                        first: band * rows,
                        depth,
                        body,
                        triangle,
                        corners: Vec::new(),
                    };
                    for &(index, corners) in boxes {
                        band.draw(index, &bodies[index as usize], corners);
                    }
                });
            }
        });
        map
    }
}

/// Rows of the bands that pictures are computed in, one thread a band.
pub fn band_rows(height: usize) -> usize {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    height.div_ceil(threads).max(1)
}

/// Some rows of the map.
struct Band<'a> {
    camera: &'a Camera,
    width: usize,
    rows: usize,
    first: usize,
    depth: &'a mut [f32],
    body: &'a mut [u32],
    triangle: &'a mut [u32],
    /// The corners of the mesh that is drawn: pixel coordinates, and a number that is linear in the picture and tells the
    /// depth.
    corners: Vec<[f64; 3]>,
}

/// The pixels whose middles are within a range, of those from `first` up to `end` of them.
fn pixels(low: f64, high: f64, first: usize, end: usize) -> Range<usize> {
    // The conversion cuts off what is outside the picture.
    let from = (low - 0.5 - first as f64).ceil().max(0.0) as usize;
    let to = (high + 0.5 - first as f64).floor().max(0.0) as usize;
    from..to.min(end)
}

impl Band<'_> {
    fn draw(&mut self, index: u32, body: &Seen<'_>, [x0, x1, y0, y1]: [f64; 4]) {
        let rows = pixels(y0, y1, self.first, self.rows);
        let columns = pixels(x0, x1, 0, self.width);
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        match body.mesh {
            None => self.cast(index, body, rows, columns),
            Some(_) => self.fill(index, body),
        }
    }

    /// Puts a point of a body into the map, unless something is before it.
    fn put(&mut self, place: usize, depth: f32, index: u32, triangle: u32) {
        if depth < self.depth[place] {
            self.depth[place] = depth;
            self.body[place] = index;
            self.triangle[place] = triangle;
        }
    }

    /// Draws a sphere.
    fn cast(&mut self, index: u32, sphere: &Seen<'_>, rows: Range<usize>, columns: Range<usize>) {
        let (center, radius) = (sphere.center, sphere.radius);
        let front = (center.z - radius) as f32;
        let constant = center.length_squared() - radius * radius;
        for row in rows {
            let y = (self.first + row) as f64 + 0.5;
            for x in columns.clone() {
                let place = row * self.width + x;
                if front >= self.depth[place] {
                    continue;
                }
                let (origin, direction) = self.camera.ray(x as f64 + 0.5, y);
                let hit = match self.camera.projection {
                    Projection::Perspective(_) => {
                        let (a, b) = (direction.length_squared(), direction.dot(center));
                        let root = b * b - a * constant;
                        (root > 0.0).then(|| (b - root.sqrt()) / a)
                    }
                    Projection::Orthographic(_) => {
                        let (dx, dy) = (origin.x - center.x, origin.y - center.y);
                        let root = radius * radius - dx * dx - dy * dy;
                        (root > 0.0).then(|| center.z - root.sqrt())
                    }
                };
                if let Some(depth) = hit {
                    self.put(place, depth as f32, index, NOTHING);
                }
            }
        }
    }

    /// Draws the triangles of a mesh that face the viewer.
    fn fill(&mut self, index: u32, body: &Seen<'_>) {
        let Some(mesh) = body.mesh else { return };
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        corners.extend(mesh.points.iter().map(|point| {
            let view = body.center + body.turn * *point;
            let scale = self.camera.scale(view.z);
            let linear = match self.camera.projection {
                Projection::Perspective(_) => 1.0 / view.z,
                Projection::Orthographic(_) => view.z,
            };
            let [x, y] = self.camera.middle;
            [x + scale * view.x, y - scale * view.y, linear]
        }));
        for (number, triangle) in (0u32..).zip(&mesh.triangles) {
            self.fill_triangle(index, number, triangle.map(|k| corners[k as usize]));
        }
        self.corners = corners;
    }

    fn fill_triangle(&mut self, index: u32, number: u32, [a, b, c]: [[f64; 3]; 3]) {
        // How far (x, y) is to the left of the line from p to q, times its length; y is down in the picture.
        let left = |p: [f64; 3], q: [f64; 3], x: f64, y: f64| {
            (q[1] - p[1]) * (x - p[0]) - (q[0] - p[0]) * (y - p[1])
        };
        let area = left(a, b, c[0], c[1]);
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
                self.put(row * self.width + column, depth as f32, index, number);
            }
        }
    }
}
