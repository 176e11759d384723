//! What is seen in which pixel, and how far away.

use super::body::Seen;
use super::camera::{Camera, Projection};
use rayon::prelude::*;
use std::ops::Range;

/// The index where no body is seen.
pub const NOTHING: u32 = u32::MAX;

/// Depths and numbers of what is seen, of all pixels.
pub struct DepthMap {
    pub width: usize,
    pub height: usize,
    /// z in camera coordinates, m; infinite where nothing is seen.
    pub depth: Vec<f32>,
    /// What is seen: the number of a body, or one that stands for a half-space.
    pub surface: Vec<u32>,
    /// Which triangle of the body, if it has a mesh; empty if none has.
    pub triangle: Vec<u32>,
}

impl DepthMap {
    /// Casts a ray through every pixel's middle at the bodies that may be there.
    pub fn of_bodies(camera: &Camera, bodies: &[Seen<'_>], width: usize, height: usize) -> Self {
        Self::of(camera, bodies, width, height, true)
    }

    /// The depths alone.
    pub fn depths(camera: &Camera, bodies: &[Seen<'_>], width: usize, height: usize) -> Vec<f32> {
        Self::of(camera, bodies, width, height, false).depth
    }

    /// With the numbers of surfaces, or without.
    fn of(camera: &Camera, bodies: &[Seen<'_>], width: usize, height: usize, named: bool) -> Self {
        // From front to back, so that most hidden bodies are known as such at once.
        let mut order: Vec<u32> = (0..bodies.len() as u32).collect();
        let front = |index: u32| bodies[index as usize].center.z - bodies[index as usize].radius;
        order.sort_by(|&a, &b| front(a).total_cmp(&front(b)).then(a.cmp(&b)));
        // The bodies of each band, and the box of pixels that each of them may cover.
        let mut bands: Vec<Vec<(u32, [f64; 4])>> = vec![Vec::new(); height.div_ceil(ROWS)];
        for index in order {
            let body = &bodies[index as usize];
            let Some(corners) = camera.outline(body.center, body.radius) else {
                continue;
            };
            let rows = pixels(corners[2], corners[3], 0, height);
            let touched = rows.start / ROWS..rows.end.div_ceil(ROWS);
            for band in bands.get_mut(touched).unwrap_or_default() {
                band.push((index, corners));
            }
        }

        let mut map = Self {
            width,
            height,
            depth: vec![f32::INFINITY; width * height],
            surface: Vec::new(),
            triangle: Vec::new(),
        };
        if named {
            map.surface = vec![NOTHING; width * height];
        }
        if named && bodies.iter().any(|body| body.mesh.is_some()) {
            map.triangle = vec![NOTHING; width * height];
        }
        let size = ROWS * width;
        let surfaces = chunks(&mut map.surface, size, bands.len());
        let triangles = chunks(&mut map.triangle, size, bands.len());
        let maps = map.depth.par_chunks_mut(size).zip(surfaces).zip(triangles);
        maps.zip(&bands)
            .enumerate()
            .for_each(|(number, (((depth, surface), triangle), boxes))| {
                let mut band = Band {
                    camera,
                    width,
                    rows: depth.len() / width,
                    first: number * ROWS,
                    depth,
                    surface,
                    triangle,
                    corners: Vec::new(),
                };
                for &(index, corners) in boxes {
                    band.draw(index, &bodies[index as usize], corners);
                }
            });
        map
    }
}

/// Slices of a map, one a band; empty ones of a map that there is not.
fn chunks(map: &mut [u32], size: usize, count: usize) -> Vec<&mut [u32]> {
    let mut chunks: Vec<&mut [u32]> = map.chunks_mut(size).collect();
    chunks.resize_with(count, Default::default);
    chunks
}

/// Rows of the bands that maps are computed in.
const ROWS: usize = 32;

/// Some rows of the map.
struct Band<'a> {
    camera: &'a Camera,
    width: usize,
    rows: usize,
    first: usize,
    depth: &'a mut [f32],
    surface: &'a mut [u32],
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
            if let Some(seen) = self.surface.get_mut(place) {
                *seen = index;
            }
            if let Some(seen) = self.triangle.get_mut(place) {
                *seen = triangle;
            }
        }
    }

    /// Draws a sphere. Lengths are relative to its centre, so that single precision will do.
    fn cast(&mut self, index: u32, sphere: &Seen<'_>, rows: Range<usize>, columns: Range<usize>) {
        let (center, radius) = (sphere.center, sphere.radius);
        let (z, radius_squared) = (center.z as f32, (radius * radius) as f32);
        for row in rows {
            let y = (self.first + row) as f64 + 0.5;
            let (origin, direction) = self.camera.ray(columns.start as f64 + 0.5, y);
            // Where the ray of the first column is at the depth of the centre, seen from there, and the way to the next.
            let first = origin + center.z * direction - center;
            let (ex, ey) = (first.x as f32, first.y as f32);
            let step = (1.0 / self.camera.scale(center.z)) as f32;
            let places = row * self.width + columns.start..row * self.width + columns.end;
            match self.camera.projection {
                Projection::Perspective(focal) => {
                    let (dx, dy) = (direction.x as f32, direction.y as f32);
                    let slope = (1.0 / focal) as f32;
                    self.nearer(places, index, |k| {
                        let (dx, ex) = (dx + k * slope, ex + k * step);
                        let a = dx * dx + dy * dy + 1.0;
                        let b = ex * dx + ey * dy;
                        let root = b * b - a * (ex * ex + ey * ey - radius_squared);
                        z - (b + root.sqrt()) / a
                    });
                }
                Projection::Orthographic(_) => self.nearer(places, index, |k| {
                    let ex = ex + k * step;
                    z - (radius_squared - ex * ex - ey * ey).sqrt()
                }),
            }
        }
    }

    /// Puts a part of a row of a sphere into the map where nothing is before it. The depth of the k-th sample is no
    /// number beside the sphere. There is no branch, so that several samples are computed at once.
    fn nearer(&mut self, places: Range<usize>, index: u32, depth_of: impl Fn(f32) -> f32) {
        let samples = self.depth[places.clone()].iter_mut();
        if self.surface.is_empty() {
            for (k, depth) in samples.enumerate() {
                let own = depth_of(k as f32);
                *depth = if own < *depth { own } else { *depth };
            }
            return;
        }
        for ((k, depth), seen) in samples.enumerate().zip(&mut self.surface[places]) {
            let own = depth_of(k as f32);
            let nearer = own < *depth;
            *depth = if nearer { own } else { *depth };
            *seen = if nearer { index } else { *seen };
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
