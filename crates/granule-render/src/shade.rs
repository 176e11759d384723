//! Light: from what is seen where to colours.

use super::body::{Seen, seen};
use super::camera::Camera;
use super::image::Image;
use super::raster::{DepthMap, NOTHING, band_rows};
use super::shadow::ShadowMap;
use super::{Body, Color, SAMPLES};
use glam::{DVec2, DVec3, Vec3};
use granule_io::results::{Bounds, SolidMesh};
use std::thread;

/// Looks for gaps around a pixel; how many times.
const GAP_SAMPLES: usize = 14;
/// Every so many pixels of a row and every so many rows are looked at if gaps are wide.
const STRIDE: usize = 4;
/// Light from everywhere, from the lamp, and from where the viewer stands.
const AMBIENT: f64 = 0.46;
const LAMP: f64 = 0.66;
const VIEWER: f64 = 0.16;
/// How bright the edges of solids are beside their faces.
const EDGE: f32 = 0.6;

/// The picture while it is drawn, in linear light, with the depth of what is solid.
pub struct Canvas<'a> {
    pub camera: &'a Camera,
    pub map: DepthMap,
    pub colors: Vec<Vec3>,
    /// Points from the scene to the light.
    pub light: DVec3,
    /// Where the light does not reach; nowhere, in a flat scene.
    pub shadow: Option<ShadowMap>,
}

/// An sRGB colour as linear light.
pub fn linear([r, g, b]: Color) -> Vec3 {
    let channel = |c: u8| (f32::from(c) / 255.0).powf(2.2);
    Vec3::new(channel(r), channel(g), channel(b))
}

impl<'a> Canvas<'a> {
    /// Draws everything solid: bodies (disks and polygons, if `flat`) and half-spaces.
    pub fn new(
        camera: &'a Camera,
        [width, height]: [usize; 2],
        bodies: &[&Body],
        meshes: &[Option<SolidMesh>],
        bounds: Bounds,
        planes: Vec<(DVec3, DVec3)>,
        flat: bool,
    ) -> Self {
        let views = seen(camera, bodies, meshes);
        let map = DepthMap::of_bodies(camera, &views, width, height);
        let up = if flat { DVec3::Y } else { DVec3::Z };
        let light = (camera.axes * DVec3::new(-0.5, 0.25, -0.45) + 0.75 * up).normalize();
        let right = camera.axes.x_axis;
        let shadow = (!flat).then(|| ShadowMap::new(bodies, meshes, &bounds, light, right));
        let mut radii: Vec<f64> = bodies.iter().map(|body| body.radius).collect();
        radii.sort_by(f64::total_cmp);
        let shader = Shader {
            camera,
            map: &map,
            views: &views,
            bodies,
            planes,
            bounds,
            light,
            shadow,
            coarse: coarse(&map),
            gap_samples: std::array::from_fn(gap_sample),
            gap: 1.6 * radii.get(radii.len() / 2).copied().unwrap_or(0.0),
            spacing: round_length(bounds.diagonal() / 14.0),
            flat,
        };
        let mut colors = vec![Vec3::ZERO; width * height];
        let mut depth = map.depth.clone();
        let rows = band_rows(height);
        thread::scope(|scope| {
            let bands = colors
                .chunks_mut(rows * width)
                .zip(depth.chunks_mut(rows * width));
            for (band, (colors, depth)) in bands.enumerate() {
                let shader = &shader;
                scope.spawn(move || {
                    for (k, (color, depth)) in colors.iter_mut().zip(depth).enumerate() {
                        (*color, *depth) = shader.pixel(k % width, band * rows + k / width);
                    }
                });
            }
        });
        let shadow = shader.shadow;
        let map = DepthMap { depth, ..map };
        Self {
            camera,
            map,
            colors,
            light,
            shadow,
        }
    }

    /// The picture, with the samples of each pixel averaged.
    pub fn finish(self) -> Image {
        let (width, height) = (self.map.width / SAMPLES, self.map.height / SAMPLES);
        let mut pixels = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                let mut sum = Vec3::ZERO;
                for sample in 0..SAMPLES * SAMPLES {
                    let (sx, sy) = (
                        x * SAMPLES + sample % SAMPLES,
                        y * SAMPLES + sample / SAMPLES,
                    );
                    sum += self.colors[sy * self.map.width + sx];
                }
                let mean = sum / (SAMPLES * SAMPLES) as f32;
                let srgb = mean.to_array().map(|c| c.clamp(0.0, 1.0).powf(1.0 / 2.2));
                pixels.extend(srgb.map(|c| (255.0 * c).round() as u8));
            }
        }
        Image {
            width: width as u32,
            height: height as u32,
            pixels,
        }
    }
}

/// 1, 2 or 5 times a power of ten, near the given length.
fn round_length(length: f64) -> f64 {
    if !(length > 0.0 && length.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powf(length.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|f| f * power >= length);
    factor.unwrap_or(10.0) * power
}

/// A place in the unit circle: all together fill it evenly.
fn gap_sample(number: usize) -> DVec2 {
    let part = (number as f64 + 0.5) / GAP_SAMPLES as f64;
    part.sqrt() * DVec2::from_angle(std::f64::consts::TAU * 2.618_034 * number as f64)
}

/// The depths of every [`STRIDE`]-th pixel of every [`STRIDE`]-th row.
fn coarse(map: &DepthMap) -> Vec<f32> {
    let rows = map.depth.chunks(map.width).step_by(STRIDE);
    rows.flat_map(|row| row.iter().step_by(STRIDE).copied())
        .collect()
}

struct Shader<'a> {
    camera: &'a Camera,
    map: &'a DepthMap,
    views: &'a [Seen<'a>],
    bodies: &'a [&'a Body],
    planes: Vec<(DVec3, DVec3)>,
    bounds: Bounds,
    light: DVec3,
    shadow: Option<ShadowMap>,
    /// The depths of every so many pixels, a map that is small enough to be looked up far and wide.
    coarse: Vec<f32>,
    /// Where to look for gaps, in units of how far.
    gap_samples: [DVec2; GAP_SAMPLES],
    /// How far to look for gaps, m.
    gap: f64,
    /// Of the grid on half-spaces, m.
    spacing: f64,
    flat: bool,
}

impl Shader<'_> {
    /// Colour and depth of a pixel.
    fn pixel(&self, x: usize, y: usize) -> (Vec3, f32) {
        let place = y * self.map.width + x;
        let (depth, index) = (self.map.depth[place], self.map.body[place]);
        let (origin, direction) = self.camera.ray(x as f64 + 0.5, y as f64 + 0.5);
        let height = y as f32 / self.map.height as f32;
        let background = linear([252, 252, 253]).lerp(linear([226, 232, 239]), height);
        if self.flat {
            let point = self.camera.axes * origin + self.camera.eye;
            let color = match index {
                NOTHING => self.section(point, background),
                _ => self.filled(index, x, y, origin),
            };
            return (color, depth);
        }
        let solid = match index {
            NOTHING => background,
            _ => {
                let view = origin + f64::from(depth) * direction;
                let normal = self.normal(x, y);
                let open = self.openness(x, y, view, normal);
                let mut base = linear(self.bodies[index as usize].color);
                if self.on_edge(x, y, normal) {
                    base *= EDGE;
                }
                self.lit(base, view, normal, open, 0.18)
            }
        };
        self.with_planes(x, y, direction, solid, depth)
    }

    /// The normal of the body that is seen in a pixel.
    fn normal(&self, x: usize, y: usize) -> DVec3 {
        let place = y * self.map.width + x;
        let (origin, direction) = self.camera.ray(x as f64 + 0.5, y as f64 + 0.5);
        let body = &self.views[self.map.body[place] as usize];
        let depth = f64::from(self.map.depth[place]);
        body.normal(self.map.triangle[place], origin, direction, depth)
    }

    /// Whether a pixel of a solid is at a sharp edge, or beside another body that it may be flush with.
    fn on_edge(&self, x: usize, y: usize, normal: DVec3) -> bool {
        let own = self.map.body[y * self.map.width + x];
        let body = &self.views[own as usize];
        // Small ones would be all edge.
        if body.mesh.is_none() || body.radius * self.camera.scale(body.center.z) < 12.0 {
            return false;
        }
        let neighbours = [
            (x + 1, y),
            (x.wrapping_sub(1), y),
            (x, y + 1),
            (x, y.wrapping_sub(1)),
        ];
        neighbours.into_iter().any(|(x, y)| {
            x < self.map.width
                && y < self.map.height
                && match self.map.body[y * self.map.width + x] {
                    NOTHING => false,
                    other if other == own => self.normal(x, y).dot(normal) < 0.85,
                    _ => true,
                }
        })
    }

    /// Lambert's light with shadow, gaps and a small highlight.
    fn lit(&self, base: Vec3, view: DVec3, normal: DVec3, open: f64, shine: f64) -> Vec3 {
        let axes = self.camera.axes;
        let (world, up) = (axes * normal, axes.transpose() * DVec3::Z);
        let light = axes.transpose() * self.light;
        let cosine = normal.dot(light).max(0.0);
        let mut lamp = 0.0;
        if cosine > 0.0 {
            let point = axes * view + self.camera.eye;
            lamp = self
                .shadow
                .as_ref()
                .map_or(1.0, |shadow| shadow.lit(point, world));
        }
        let sky = 0.75 + 0.25 * normal.dot(up);
        let half = (light - view.normalize_or_zero()).normalize_or_zero();
        let highlight = shine * lamp * normal.dot(half).max(0.0).powi(40);
        let towards = -normal.dot(view.normalize_or_zero());
        let diffuse = (AMBIENT * sky + VIEWER * towards.max(0.0)) * open
            + LAMP * lamp * cosine * (0.4 + 0.6 * open);
        base * diffuse as f32 + Vec3::splat(highlight as f32)
    }

    /// How much of the surroundings of a pixel is not blocked by near spheres, from 0 to 1.
    fn openness(&self, x: usize, y: usize, view: DVec3, normal: DVec3) -> f64 {
        let reach = (self.gap * self.camera.scale(view.z)).clamp(2.0, 160.0);
        // The pattern turns from pixel to pixel; the samples of a pixel average it.
        let seed = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca6b);
        let turn = f64::from(seed.wrapping_mul(0xc2b2_ae35) >> 16) / 65536.0;
        let turn = reach * DVec2::from_angle(std::f64::consts::TAU * turn);
        let wide = reach > (8 * STRIDE) as f64;
        let mut blocked = 0.0;
        for sample in self.gap_samples {
            let place = DVec2::new(x as f64, y as f64) + turn.rotate(sample);
            let (px, py) = (place.x, place.y);
            if px < 0.0 || py < 0.0 {
                continue;
            }
            let (px, py) = (px as usize, py as usize);
            if px >= self.map.width || py >= self.map.height {
                continue;
            }
            let (px, py, depth) = if wide {
                let (column, row) = (px / STRIDE, py / STRIDE);
                let depth = self.coarse[row * self.map.width.div_ceil(STRIDE) + column];
                (column * STRIDE, row * STRIDE, depth)
            } else {
                (px, py, self.map.depth[py * self.map.width + px])
            };
            if depth.is_finite() {
                let (origin, direction) = self.camera.ray(px as f64 + 0.5, py as f64 + 0.5);
                let to = origin + f64::from(depth) * direction - view;
                let above = normal.dot(to);
                if above > 0.0 {
                    let length = to.length();
                    let near = self.gap * self.gap / (self.gap * self.gap + length * length);
                    blocked += near * (above / length - 0.1).max(0.0);
                }
            }
        }
        (1.0 - 2.4 * blocked / GAP_SAMPLES as f64).clamp(0.12, 1.0)
    }

    /// Puts the half-spaces that face the viewer before what is behind them.
    fn with_planes(
        &self,
        x: usize,
        y: usize,
        direction: DVec3,
        solid: Vec3,
        depth: f32,
    ) -> (Vec3, f32) {
        let ray = self.camera.axes * direction;
        let mut nearest: Option<(f64, usize)> = None;
        for (index, &(point, normal)) in self.planes.iter().enumerate() {
            let height = normal.dot(self.camera.eye - point);
            let t = -height / normal.dot(ray);
            let seen = height > 0.0 && t > 0.0 && t < f64::from(depth);
            if !seen || nearest.is_some_and(|(other, _)| other < t) {
                continue;
            }
            // A wall ends where another one begins.
            let hit = self.camera.eye + t * ray;
            let slack = 1e-9 * (1.0 + self.bounds.diagonal());
            if self.planes.iter().all(|&(p, n)| n.dot(hit - p) > -slack) {
                nearest = Some((t, index));
            }
        }
        let Some((t, index)) = nearest else {
            return (solid, depth);
        };
        let (point, normal) = self.planes[index];
        let hit = self.camera.eye + t * ray;
        let center = self.bounds.center();
        let foot = center - normal.dot(center - point) * normal;
        let far = (hit - foot).length() / (0.95 * self.bounds.diagonal()).max(1e-300);
        let fade = 1.0 - ((far - 0.45) / 0.55).clamp(0.0, 1.0);
        let view = t * direction;
        let normal_view = self.camera.axes.transpose() * normal;
        let open = self.openness(x, y, view, normal_view);
        let mut base = linear([236, 234, 229]);
        if self.on_grid(hit - point, normal, t) {
            base *= 0.86;
        }
        let lit = 0.95 * self.lit(base, view, normal_view, open, 0.0);
        let fade = (fade * fade * (3.0 - 2.0 * fade)) as f32;
        (
            solid.lerp(lit, fade),
            if fade > 0.5 { t as f32 } else { depth },
        )
    }

    /// Whether a point of a plane, relative to the wall's place, lies on a line of its grid.
    fn on_grid(&self, offset: DVec3, normal: DVec3, depth: f64) -> bool {
        let u = normal.any_orthonormal_pair();
        let half_line = 0.9 / self.camera.scale(depth);
        [u.0, u.1].into_iter().any(|axis| {
            let along = axis.dot(offset) / self.spacing;
            (along - along.round()).abs() * self.spacing < half_line
        })
    }

    /// A point of the picture of a plane scene where there is no disk: free or solid.
    fn section(&self, point: DVec3, background: Vec3) -> Vec3 {
        let pixel = 1.0 / self.camera.scale(1.0);
        let mut color = background;
        for &(place, normal) in &self.planes {
            // A plane that the view is along is not seen at all.
            let flat = DVec3::new(normal.x, normal.y, 0.0);
            let height = normal.dot(DVec3::new(point.x, point.y, place.z) - place);
            if flat.length() < 1e-9 || height > 0.0 {
                continue;
            }
            color = linear([205, 203, 198]);
            if height > -3.0 * pixel {
                return linear([70, 76, 86]);
            }
        }
        color
    }

    /// A point of a body in a plane: lighter above, with a dark rim and a spoke that shows how it turned.
    fn filled(&self, index: u32, x: usize, y: usize, origin: DVec3) -> Vec3 {
        let (body, view) = (self.bodies[index as usize], &self.views[index as usize]);
        let (center, radius) = (view.center, view.radius);
        let offset = DVec3::new(origin.x - center.x, origin.y - center.y, 0.0);
        let pixels = radius * self.camera.scale(1.0);
        let rim = (0.07 * pixels).clamp(0.8, 3.0);
        let at_rim = match view.mesh {
            None => pixels - offset.length() * self.camera.scale(1.0) < rim,
            Some(_) => self.ends_near(index, x, y, rim),
        };
        let tone = 0.95 + 0.12 * (offset.y - 0.6 * offset.x) / radius;
        let spoke = self.camera.axes.transpose() * (body.orientation * DVec3::X);
        let (along, across) = (spoke.dot(offset), spoke.cross(offset).z.abs());
        let width = (0.05 * radius).max(0.8 / self.camera.scale(1.0));
        let marked = pixels > 8.0 && along > 0.0 && across < width;
        let dark = if at_rim || marked { 0.35 } else { 1.0 };
        linear(body.color) * (tone * dark) as f32
    }

    /// Whether something else than this body is seen so many samples away.
    fn ends_near(&self, index: u32, x: usize, y: usize, distance: f64) -> bool {
        (0..8).any(|direction| {
            let angle = std::f64::consts::TAU * f64::from(direction) / 8.0;
            let away = |from: usize, along: f64| from as f64 + (distance.max(1.0) * along).round();
            let (px, py) = (away(x, angle.cos()), away(y, angle.sin()));
            let inside = (0.0..self.map.width as f64).contains(&px)
                && (0.0..self.map.height as f64).contains(&py);
            inside && self.map.body[py as usize * self.map.width + px as usize] != index
        })
    }
}
