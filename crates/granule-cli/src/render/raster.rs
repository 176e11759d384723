//! Which sphere is seen in which pixel, and how far away.

use super::camera::{Camera, Projection};
use glam::DVec3;
use std::thread;

/// The sphere index where none is seen.
pub const NOTHING: u32 = u32::MAX;

/// Depths and sphere indices of all pixels.
pub struct DepthMap {
    pub width: usize,
    pub height: usize,
    /// z in camera coordinates, m; infinite where nothing is seen.
    pub depth: Vec<f32>,
    /// Which sphere is seen.
    pub sphere: Vec<u32>,
}

impl DepthMap {
    /// Casts a ray through every pixel's middle at the spheres (in camera coordinates) that may
    /// be there.
    pub fn of_spheres(
        camera: &Camera,
        spheres: &[(DVec3, f64)],
        width: usize,
        height: usize,
    ) -> Self {
        // From front to back, so that most hidden spheres are known as such at once.
        let mut order: Vec<u32> = (0..spheres.len() as u32).collect();
        let front = |index: u32| spheres[index as usize].0.z - spheres[index as usize].1;
        order.sort_by(|&a, &b| front(a).total_cmp(&front(b)).then(a.cmp(&b)));
        let boxes: Vec<(u32, [f64; 4])> = order
            .into_iter()
            .filter_map(|index| {
                let (center, radius) = spheres[index as usize];
                Some((index, camera.outline(center, radius)?))
            })
            .collect();

        let mut map = Self {
            width,
            height,
            depth: vec![f32::INFINITY; width * height],
            sphere: vec![NOTHING; width * height],
        };
        let rows = band_rows(height);
        thread::scope(|scope| {
            let bands = map
                .depth
                .chunks_mut(rows * width)
                .zip(map.sphere.chunks_mut(rows * width));
            for (band, (depth, sphere)) in bands.enumerate() {
                let boxes = &boxes;
                scope.spawn(move || {
                    let mut band = Band {
                        camera,
                        width,
                        first: band * rows,
                        depth,
                        sphere,
                    };
                    for &(index, corners) in boxes {
                        let (center, radius) = spheres[index as usize];
                        band.cast(index, center, radius, corners);
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

struct Band<'a> {
    camera: &'a Camera,
    width: usize,
    first: usize,
    depth: &'a mut [f32],
    sphere: &'a mut [u32],
}

impl Band<'_> {
    fn cast(&mut self, index: u32, center: DVec3, radius: f64, [x0, x1, y0, y1]: [f64; 4]) {
        let rows = self.depth.len() / self.width;
        // Pixels whose middle is inside; the conversion cuts off what is outside the picture.
        let from = |low: f64, first: usize| (low - 0.5 - first as f64).ceil().max(0.0) as usize;
        let to = |high: f64, first: usize, end: usize| {
            ((high + 0.5 - first as f64).floor().max(0.0) as usize).min(end)
        };
        let front = (center.z - radius) as f32;
        let constant = center.length_squared() - radius * radius;
        for row in from(y0, self.first)..to(y1, self.first, rows) {
            let y = (self.first + row) as f64 + 0.5;
            for x in from(x0, 0)..to(x1, 0, self.width) {
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
                if let Some(depth) = hit.map(|depth| depth as f32)
                    && depth < self.depth[place]
                {
                    self.depth[place] = depth;
                    self.sphere[place] = index;
                }
            }
        }
    }
}
