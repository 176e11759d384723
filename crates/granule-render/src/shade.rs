//! Light: from what is seen where to colours, in space.
//!
//! A pixel has several samples. Those that show the same surface are lit together, as one point with the mean of
//! their normals; so edges are smooth, and light is computed once a pixel almost everywhere.

use super::body::{Round, Seen};
use super::camera::{Camera, Sight};
use super::canvas::{Band, linear};
use super::gaps::{Gaps, Openness};
use super::ground::Ground;
use super::raster::{Cut, DepthMap, FACE, NOTHING};
use super::shadow::ShadowMap;
use super::wide::{self, Work};
use super::{Color, SAMPLES};
use glam::{DVec3, Vec3};

/// Light from everywhere, from the lamp, and from where the viewer stands.
const AMBIENT: f32 = 0.46;
const LAMP: f32 = 0.66;
const VIEWER: f32 = 0.16;
/// How strong the highlight on bodies is.
const SHINE: f32 = 0.18;
/// How bright the edges of solids are beside their faces.
const EDGE: f32 = 0.6;
/// How much paler than their outside the inside of bodies is, where they are cut.
const PALE: f32 = 0.12;

/// What the samples of a picture show.
pub struct Surfaces<'a> {
    camera: &'a Camera,
    pub sight: Sight,
    views: &'a [Seen<'a>],
    /// The surfaces of what has no mesh.
    rounds: &'a [Round],
    ground: &'a Ground,
    cut: &'a Cut,
}

impl<'a> Surfaces<'a> {
    pub fn new(
        camera: &'a Camera,
        views: &'a [Seen<'a>],
        rounds: &'a [Round],
        ground: &'a Ground,
        cut: &'a Cut,
    ) -> Self {
        Self {
            camera,
            sight: camera.sight(),
            views,
            rounds,
            ground,
            cut,
        }
    }

    /// Point and normal that are seen in a sample, in coordinates of the camera. There must be something.
    #[inline(always)]
    pub fn at(&self, map: &DepthMap, x: usize, y: usize) -> (Vec3, Vec3) {
        let place = map.place(x, y);
        let depth = map.depth[place];
        let point = self.sight.point(x as f32 + 0.5, y as f32 + 0.5, depth);
        let surface = map.surface[place];
        let normal = self.smooth_normal(surface, point).unwrap_or_else(|| {
            let (origin, direction) = self.camera.ray(x as f64 + 0.5, y as f64 + 0.5);
            let (body, triangle) = (&self.views[surface as usize], map.triangle[place]);
            body.normal(triangle, origin, direction, f64::from(depth))
                .as_vec3()
        });
        (point, normal)
    }

    /// The normal of a surface at a point of it, if the point tells it: of spheres, tubes, half-spaces, and where bodies are
    /// cut.
    #[inline(always)]
    fn smooth_normal(&self, surface: u32, point: Vec3) -> Option<Vec3> {
        if let Some(number) = Ground::number(surface) {
            return Some(self.ground.normal(number));
        }
        if surface & FACE != 0 {
            return Some(self.cut.normal(point));
        }
        let round = self.views[surface as usize].mesh().is_none();
        round.then(|| self.rounds[surface as usize].normal(point))
    }

    /// Whether a sample of a solid is at a sharp edge, or beside another body that it may be flush with.
    fn on_edge(&self, map: &DepthMap, x: usize, y: usize) -> bool {
        let place = map.place(x, y);
        let own = map.surface[place];
        let neighbours = [
            (x + 1, y),
            (x.wrapping_sub(1), y),
            (x, y + 1),
            (x, y.wrapping_sub(1)),
        ];
        neighbours.into_iter().any(|(nx, ny)| {
            if nx >= map.width || !map.rows.contains(&ny) {
                return false;
            }
            let other = map.place(nx, ny);
            match map.surface[other] {
                surface if surface == own => {
                    map.triangle[other] != map.triangle[place]
                        && self.at(map, nx, ny).1.dot(self.at(map, x, y).1) < 0.85
                }
                surface => Ground::is_body(surface),
            }
        })
    }

    /// Whether the edges of a body are drawn: small ones would be all edge.
    fn has_edges(&self, surface: u32) -> bool {
        self.views.get(surface as usize).is_some_and(|body| {
            body.mesh().is_some() && body.radius * self.camera.scale(body.center.z) >= 12.0
        })
    }
}

/// Bodies and half-spaces in light.
pub struct Shader<'a> {
    surfaces: &'a Surfaces<'a>,
    gaps: &'a Gaps<'a>,
    open: Openness,
    shadow: &'a ShadowMap,
    /// Of bodies, in linear light.
    colors: Vec<Vec3>,
    /// Directions in coordinates of the camera: to the light, and up.
    light: Vec3,
    up: Vec3,
}

impl<'a> Shader<'a> {
    /// `light` points from the scene to the light.
    pub fn new(
        surfaces: &'a Surfaces<'a>,
        gaps: &'a Gaps<'a>,
        colors: impl Iterator<Item = Color>,
        shadow: &'a ShadowMap,
        light: DVec3,
    ) -> Self {
        let seen = |direction: DVec3| (surfaces.camera.axes.transpose() * direction).as_vec3();
        Self {
            surfaces,
            open: gaps.openness(),
            gaps,
            shadow,
            colors: colors.map(linear).collect(),
            light: seen(light),
            up: seen(DVec3::Z),
        }
    }

    /// Colours all pixels of some rows.
    pub fn draw(&self, band: &mut Band<'_>) {
        wide::run(Lighting { shader: self, band });
    }

    /// The colour of samples of a pixel that show the same surface.
    #[inline(always)]
    fn lit_together(
        &self,
        map: &DepthMap,
        surface: u32,
        samples: impl Iterator<Item = [usize; 2]>,
        behind: Vec3,
    ) -> Vec3 {
        let edged = self.surfaces.has_edges(surface);
        let (mut count, mut edges) = (0.0, 0.0);
        let (mut point, mut normal) = (Vec3::ZERO, Vec3::ZERO);
        let [mut x, mut y] = [0, 0];
        for sample in samples {
            [x, y] = sample;
            let (p, n) = self.surfaces.at(map, x, y);
            (point, normal) = (point + p, normal + n);
            count += 1.0;
            edges += f32::from(u8::from(edged && self.surfaces.on_edge(map, x, y)));
        }
        let edges = edges / count;
        self.lit(surface, [x, y], point / count, normal, edges, behind)
    }

    /// The colour of a pixel all of whose samples show the same surface.
    #[inline(always)]
    fn lit_alone(
        &self,
        map: &DepthMap,
        surface: u32,
        samples: [[usize; 2]; SAMPLES * SAMPLES],
        behind: Vec3,
    ) -> Vec3 {
        let [x, y] = samples[0];
        let depth: f32 = samples
            .iter()
            .map(|&[x, y]| map.depth[map.place(x, y)])
            .sum();
        let half = 0.5 * SAMPLES as f32;
        let depth = depth / (SAMPLES * SAMPLES) as f32;
        let point = (self.surfaces.sight).point(x as f32 + half, y as f32 + half, depth);
        match self.surfaces.smooth_normal(surface, point) {
            Some(normal) => self.lit(surface, [x, y], point, normal, 0.0, behind),
            None => self.lit_together(map, surface, samples.into_iter(), behind),
        }
    }

    /// The colour of a surface at a point seen in a sample, of which a part is edge.
    #[inline(always)]
    fn lit(
        &self,
        surface: u32,
        [x, y]: [usize; 2],
        point: Vec3,
        normal: Vec3,
        edges: f32,
        behind: Vec3,
    ) -> Vec3 {
        let normal = normal.normalize_or_zero();
        let (x, y) = (x / SAMPLES, y / SAMPLES);
        let open = (self.open.around(x, y, surface))
            .unwrap_or_else(|| self.gaps.look(x, y, point, normal));
        match Ground::number(surface) {
            Some(number) => {
                let pixel = SAMPLES as f32 * self.surfaces.sight.pixel(point.z);
                let look = self.surfaces.ground.look(number, point, pixel);
                let lit = 0.95 * self.lambert(look.base, point, normal, open, 0.0);
                behind.lerp(lit, look.fade)
            }
            None => {
                let mut base = self.colors[(surface & !FACE) as usize];
                if surface & FACE != 0 {
                    base = base.lerp(Vec3::ONE, PALE);
                }
                base *= 1.0 + (EDGE - 1.0) * edges;
                self.lambert(base, point, normal, open, SHINE)
            }
        }
    }

    /// Lambert's light with shadow, gaps and a small highlight.
    #[inline(always)]
    fn lambert(&self, base: Vec3, point: Vec3, normal: Vec3, open: f32, shine: f32) -> Vec3 {
        let cosine = normal.dot(self.light).max(0.0);
        let lamp = if cosine > 0.0 {
            self.shadow.lit(point, normal)
        } else {
            0.0
        };
        let sky = 0.75 + 0.25 * normal.dot(self.up);
        let sight = point.normalize_or_zero();
        let half = (self.light - sight).normalize_or_zero();
        let highlight = shine * lamp * normal.dot(half).max(0.0).powi(40);
        let towards = -normal.dot(sight);
        let diffuse = (AMBIENT * sky + VIEWER * towards.max(0.0)) * open
            + LAMP * lamp * cosine * (0.4 + 0.6 * open);
        base * diffuse + Vec3::splat(highlight)
    }
}

/// The pixels of a band, which are coloured.
struct Lighting<'a, 'b, 'c> {
    shader: &'a Shader<'a>,
    band: &'b mut Band<'c>,
}

impl Work for Lighting<'_, '_, '_> {
    #[inline(always)]
    fn work(self) {
        let Self { shader, band } = self;
        let (map, width) = (band.map, band.width);
        for row in 0..band.rows {
            let y = SAMPLES * (band.first + row);
            let behind = band.behind(band.first + row);
            let places = row * width..(row + 1) * width;
            for (channel, value) in band.colors.iter_mut().zip(behind.to_array()) {
                channel[places.clone()].fill(value);
            }
            let shown = &map.surface[map.place(0, y)..][..SAMPLES * map.width];
            let (above, below) = shown.split_at(map.width);
            let pairs = above.chunks_exact(SAMPLES).zip(below.chunks_exact(SAMPLES));
            for (column, (above, below)) in pairs.enumerate() {
                let shown = [above[0], above[1], below[0], below[1]];
                // Almost everywhere all show the same.
                let others = (shown[0] ^ shown[1]) | (shown[0] ^ shown[2]) | (shown[0] ^ shown[3]);
                if others == 0 && shown[0] == NOTHING {
                    continue;
                }
                let x = SAMPLES * column;
                let samples: [[usize; 2]; SAMPLES * SAMPLES] =
                    std::array::from_fn(|k| [x + k % SAMPLES, y + k / SAMPLES]);
                if others == 0 {
                    let color = shader.lit_alone(map, shown[0], samples, behind);
                    band.paint(row * width + column, color);
                    continue;
                }
                let mut sum = Vec3::ZERO;
                for (k, &surface) in shown.iter().enumerate() {
                    if shown[..k].contains(&surface) {
                        continue;
                    }
                    let same = (0..shown.len()).filter(|&other| shown[other] == surface);
                    let points = same.clone().map(|k| samples[k]);
                    let color = match surface {
                        NOTHING => behind,
                        _ => shader.lit_together(map, surface, points, behind),
                    };
                    sum += same.count() as f32 * color;
                }
                band.paint(row * width + column, sum / shown.len() as f32);
            }
        }
    }
}

/// Where the light comes from: over the viewer's left shoulder, from above.
pub fn light(camera: &Camera) -> DVec3 {
    (camera.axes * DVec3::new(-0.5, 0.25, -0.45) + 0.75 * DVec3::Z).normalize()
}
