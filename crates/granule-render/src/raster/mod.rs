//! What is seen in which pixel, and how far away.

mod cut;
mod fill;

pub use cut::Cut;

use super::body::{Form, Seen};
use super::camera::{Camera, Projection};
use super::wide::{self, Work};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// The index where no body is seen.
pub const NOTHING: u32 = u32::MAX;
/// In the number of a surface: what is seen is the inside of the body, where it is cut.
pub const FACE: u32 = 1 << 30;

/// Rows of the bands that bodies are sorted into: so few that a band stays in the cache.
const ROWS: usize = 16;
/// The same if there are meshes, whose corners are found again for each band.
const ROWS_OF_MESHES: usize = 64;

/// Depths and numbers of what is seen, of some rows of a picture.
#[derive(Default)]
pub struct DepthMap {
    pub width: usize,
    /// Which rows of the picture.
    pub rows: Range<usize>,
    /// z in camera coordinates, m; infinite where nothing is seen.
    pub depth: Vec<f32>,
    /// What is seen: the number of a body, with [`FACE`] where it is cut, or one that stands for a half-space.
    pub surface: Vec<u32>,
    /// Which triangle of the body, if it has a mesh; empty if none has.
    pub triangle: Vec<u32>,
}

impl DepthMap {
    /// Where a sample stands, in column `x` and row `y` of the picture.
    #[inline(always)]
    pub fn place(&self, x: usize, y: usize) -> usize {
        (y - self.rows.start) * self.width + x
    }
}

/// Bodies before a camera, sorted to be cast into maps.
pub struct Raster<'a> {
    camera: &'a Camera,
    bodies: &'a [Seen<'a>],
    width: usize,
    height: usize,
    /// Rows of a band, an even number.
    pub rows: usize,
    /// Rows above and below a band that are cast with it.
    halo: usize,
    /// The bodies of each band, from front to back, and the box of pixels that each of them may cover.
    bands: Vec<Vec<(u32, [f64; 4])>>,
    /// Whether some have meshes.
    meshes: bool,
    /// What of the bodies is drawn.
    cut: &'a Cut,
}

impl<'a> Raster<'a> {
    /// Of a picture with so many columns and rows, of bands that share `halo` rows with those above and below.
    pub fn new(
        camera: &'a Camera,
        bodies: &'a [Seen<'a>],
        cut: &'a Cut,
        [width, height]: [usize; 2],
        halo: usize,
    ) -> Raster<'a> {
        let meshes = bodies.iter().any(|body| body.mesh().is_some());
        let size = if meshes { ROWS_OF_MESHES } else { ROWS };
        // From front to back, so that most hidden bodies are known as such at once.
        let mut order: Vec<u32> = (0..bodies.len() as u32).collect();
        let front = |index: u32| bodies[index as usize].center.z - bodies[index as usize].radius;
        order.sort_by(|&a, &b| front(a).total_cmp(&front(b)));
        let mut bands: Vec<Vec<(u32, [f64; 4])>> = vec![Vec::new(); height.div_ceil(size)];
        for index in order {
            let body = &bodies[index as usize];
            let Some(corners) = body.outline(camera) else {
                continue;
            };
            let rows = pixels(corners[2], corners[3], 0, height);
            let touched = rows.start.saturating_sub(halo) / size..(rows.end + halo).div_ceil(size);
            let touched = touched.start..touched.end.min(bands.len());
            for band in bands.get_mut(touched).unwrap_or_default() {
                band.push((index, corners));
            }
        }
        Self {
            camera,
            bodies,
            width,
            height,
            rows: size,
            halo,
            bands,
            meshes,
            cut,
        }
    }

    /// Casts a ray through the middle of every pixel of a band at the bodies that may be there.
    pub fn cast(&self, band: usize, map: &mut DepthMap) {
        let first = (band * self.rows).saturating_sub(self.halo);
        map.width = self.width;
        map.rows = first..((band + 1) * self.rows + self.halo).min(self.height);
        let size = self.width * map.rows.len();
        refill(&mut map.depth, size, f32::INFINITY);
        refill(&mut map.surface, size, NOTHING);
        refill(
            &mut map.triangle,
            if self.meshes { size } else { 0 },
            NOTHING,
        );
        let (surface, triangle) = (&mut map.surface, &mut map.triangle);
        self.draw(band, first, &mut map.depth, surface, triangle);
    }

    /// The map of the whole picture.
    pub fn whole(&self) -> DepthMap {
        let size = self.width * self.height;
        let mut map = DepthMap {
            width: self.width,
            rows: 0..self.height,
            depth: vec![f32::INFINITY; size],
            surface: vec![NOTHING; size],
            triangle: vec![NOTHING; if self.meshes { size } else { 0 }],
        };
        let size = self.rows * self.width;
        let mut triangles: Vec<&mut [u32]> = map.triangle.chunks_mut(size).collect();
        triangles.resize_with(self.bands.len(), Default::default);
        let maps = map.depth.par_chunks_mut(size);
        let maps = maps.zip(map.surface.par_chunks_mut(size)).zip(triangles);
        maps.enumerate()
            .for_each(|(number, ((depth, surface), triangle))| {
                self.draw(number, number * self.rows, depth, surface, triangle);
            });
        map
    }

    /// The depths of the whole picture alone.
    pub fn depths(&self) -> Vec<f32> {
        let mut depth = vec![f32::INFINITY; self.width * self.height];
        let bands = depth.par_chunks_mut(self.rows * self.width).enumerate();
        bands.for_each(|(number, depth)| {
            self.draw(number, number * self.rows, depth, &mut [], &mut []);
        });
        depth
    }

    /// Draws the bodies of a band into rows of it, from the row `first` on.
    fn draw(
        &self,
        number: usize,
        first: usize,
        depth: &mut [f32],
        surface: &mut [u32],
        triangle: &mut [u32],
    ) {
        let band = Band {
            camera: self.camera,
            cut: self.cut,
            width: self.width,
            rows: depth.len() / self.width,
            first,
            depth,
            surface,
            triangle,
            corners: Vec::new(),
        };
        wide::run(Bodies {
            band,
            bodies: self.bodies,
            boxes: &self.bands[number],
        });
    }
}

/// Makes a map of the given size with one value everywhere.
fn refill<T: Copy>(map: &mut Vec<T>, size: usize, value: T) {
    map.clear();
    map.resize(size, value);
}

/// Bodies that are drawn into a band.
struct Bodies<'a, 'b> {
    band: Band<'a>,
    bodies: &'a [Seen<'b>],
    boxes: &'a [(u32, [f64; 4])],
}

impl Work for Bodies<'_, '_> {
    #[inline(always)]
    fn work(mut self) {
        for &(index, corners) in self.boxes {
            self.band.draw(index, &self.bodies[index as usize], corners);
        }
    }
}

/// Some rows of the map.
struct Band<'a> {
    camera: &'a Camera,
    cut: &'a Cut,
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

/// The largest of some depths, found for several at once.
#[inline(always)]
fn farthest(depths: &[f32]) -> f32 {
    let farther = |a: f32, b: f32| if b > a { b } else { a };
    let (eights, rest) = depths.as_chunks::<8>();
    let mut far = [0.0; 8];
    for depths in eights {
        for (far, depth) in far.iter_mut().zip(depths) {
            *far = farther(*far, *depth);
        }
    }
    far.iter().chain(rest).copied().fold(0.0, farther)
}

/// The pixels whose middles are within a range, of those from `first` up to `end` of them.
fn pixels(low: f64, high: f64, first: usize, end: usize) -> Range<usize> {
    // The conversion cuts off what is outside the picture.
    let from = (low - 0.5 - first as f64).ceil().max(0.0) as usize;
    let to = (high + 0.5 - first as f64).floor().max(0.0) as usize;
    from..to.min(end)
}

impl Band<'_> {
    #[inline(always)]
    fn draw(&mut self, index: u32, body: &Seen<'_>, [x0, x1, y0, y1]: [f64; 4]) {
        let rows = pixels(y0, y1, self.first, self.rows);
        let columns = pixels(x0, x1, 0, self.width);
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        let whole = self.cut.holds(body.center, body.radius);
        match body.form {
            Form::Mesh(_) if !whole => self.fill_cut(index, body, rows, columns),
            Form::Ball | Form::Tube { .. } if !whole => self.cast_cut(index, body, rows, columns),
            Form::Ball => self.cast(index, body, rows, columns),
            Form::Tube { half, thickness } => {
                self.cast_tube(index, (body, half, thickness), rows, columns)
            }
            Form::Mesh(_) => self.fill(index, body),
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
    #[inline(always)]
    fn cast(&mut self, index: u32, sphere: &Seen<'_>, rows: Range<usize>, columns: Range<usize>) {
        let (center, radius) = (sphere.center, sphere.radius);
        let (z, radius_squared) = (center.z as f32, (radius * radius) as f32);
        let front = (center.z - radius) as f32;
        for row in rows {
            let places = row * self.width + columns.start..row * self.width + columns.end;
            // Most rows of most bodies are behind others.
            if farthest(&self.depth[places.clone()]) <= front {
                continue;
            }
            let y = (self.first + row) as f64 + 0.5;
            let (origin, direction) = self.camera.ray(columns.start as f64 + 0.5, y);
            // Where the ray of the first column is at the depth of the centre, seen from there, and the way to the next.
            let first = origin + center.z * direction - center;
            let (ex, ey) = (first.x as f32, first.y as f32);
            let step = (1.0 / self.camera.scale(center.z)) as f32;
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

    /// Draws a tube. A ray that meets the endless tube beyond an end may meet the ball there.
    #[inline(always)]
    fn cast_tube(
        &mut self,
        index: u32,
        (tube, half, thickness): (&Seen<'_>, DVec3, f64),
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        let (center, front) = (tube.center, (tube.center.z - tube.radius) as f32);
        let axis = half.normalize_or_zero().as_vec3();
        let (z, half, square) = (
            center.z as f32,
            half.length() as f32,
            (thickness * thickness) as f32,
        );
        let step = (1.0 / self.camera.scale(center.z)) as f32;
        let slope = match self.camera.projection {
            Projection::Perspective(focal) => (1.0 / focal) as f32,
            Projection::Orthographic(_) => 0.0,
        };
        for row in rows {
            let places = row * self.width + columns.start..row * self.width + columns.end;
            if farthest(&self.depth[places.clone()]) <= front {
                continue;
            }
            let y = (self.first + row) as f64 + 0.5;
            let (origin, direction) = self.camera.ray(columns.start as f64 + 0.5, y);
            let first = origin + center.z * direction - center;
            let (ex, ey) = (first.x as f32, first.y as f32);
            let (dx, dy) = (direction.x as f32, direction.y as f32);
            self.nearer(places, index, |k| {
                let (dx, ex) = (dx + k * slope, ex + k * step);
                let (dd, ed) = (dx * dx + dy * dy + 1.0, ex * dx + ey * dy);
                let du = dx * axis.x + dy * axis.y + axis.z;
                let eu = ex * axis.x + ey * axis.y;
                let ee = ex * ex + ey * ey - square;
                let (a, b, c) = (dd - du * du, ed - eu * du, ee - eu * eu);
                let side = -(b + (b * b - a * c).sqrt()) / a;
                let along = eu + side * du;
                let end = half.copysign(along);
                let (b, c) = (ed - end * du, ee - 2.0 * end * eu + end * end);
                let ball = -(b + (b * b - dd * c).sqrt()) / dd;
                z + if along.abs() <= half { side } else { ball }
            });
        }
    }

    /// Puts a part of a row of a sphere or a tube into the map where nothing is before it. The depth of the k-th sample is no
    /// number beside it. There is no branch, so that several samples are computed at once.
    #[inline(always)]
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
}
