//! Half-spaces: they reach so far that they fade out, and carry a grid that tells sizes.

use super::camera::Camera;
use super::canvas::linear;
use super::raster::{DepthMap, NOTHING};
use super::wide::{self, Work};
use glam::{DVec3, Vec3};
use granule_io::results::Bounds;

/// Numbers of surfaces from this one on are half-spaces.
const FIRST: u32 = 1 << 31;

/// The half-spaces of a scene that face the viewer, in coordinates of the camera.
pub struct Ground {
    planes: Vec<Plane>,
    /// Of the grid, m.
    spacing: f32,
    base: Vec3,
}

struct Plane {
    /// The wall's place, m.
    point: DVec3,
    normal: DVec3,
    /// The normal again.
    up: Vec3,
    /// The directions of its grid.
    along: [Vec3; 2],
    /// Of its points the nearest to the middle of the scene, m.
    foot: Vec3,
    /// From there to where nothing is left of it, m.
    reach: f32,
}

/// What half-spaces look like somewhere.
pub struct Look {
    /// The colour, before light.
    pub base: Vec3,
    /// How much is left of it, from 0 to 1.
    pub fade: f32,
}

impl Ground {
    /// Of half-spaces given by points and upward normals, around a scene.
    pub fn new(camera: &Camera, planes: &[(DVec3, DVec3)], bounds: &Bounds) -> Self {
        let reach = (0.95 * bounds.diagonal()).max(1e-300) as f32;
        let center = camera.view(bounds.center());
        let plane = |&(point, normal): &(DVec3, DVec3)| {
            let (u, v) = normal.any_orthonormal_pair();
            let [normal, u, v] = [normal, u, v].map(|d| camera.axes.transpose() * d);
            let point = camera.view(point);
            Plane {
                point,
                normal,
                up: normal.as_vec3(),
                along: [u.as_vec3(), v.as_vec3()],
                foot: (center - normal.dot(center - point) * normal).as_vec3(),
                reach,
            }
        };
        Self {
            planes: planes.iter().map(plane).collect(),
            spacing: round_length(bounds.diagonal() / 14.0) as f32,
            base: linear([236, 234, 229]),
        }
    }

    /// Which half-space a number of a surface stands for.
    #[inline(always)]
    pub fn number(surface: u32) -> Option<usize> {
        (surface >= FIRST && surface != NOTHING).then(|| (surface - FIRST) as usize)
    }

    /// Whether a number of a surface stands for a body.
    #[inline(always)]
    pub fn is_body(surface: u32) -> bool {
        surface < FIRST
    }

    /// The normal of a half-space.
    #[inline(always)]
    pub fn normal(&self, number: usize) -> Vec3 {
        self.planes[number].up
    }

    /// Puts the half-spaces before what is behind them.
    pub fn cast(&self, camera: &Camera, map: &mut DepthMap) {
        wide::run(Cast {
            ground: self,
            camera,
            map,
        });
    }

    /// Whether a point is not inside of another half-space: a wall ends where another one begins.
    fn is_free(&self, point: DVec3) -> bool {
        let slack = f64::from(self.planes[0].reach) * 1e-9;
        self.planes.len() == 1
            || (self.planes.iter()).all(|plane| plane.normal.dot(point - plane.point) > -slack)
    }

    /// What a point of a half-space looks like, where a pixel is so large (m).
    #[inline(always)]
    pub fn look(&self, number: usize, point: Vec3, pixel: f32) -> Look {
        let plane = &self.planes[number];
        let offset = point - plane.point.as_vec3();
        let distance = |along: &Vec3| {
            let place = along.dot(offset) / self.spacing;
            (place - place.round_ties_even()).abs() * self.spacing / pixel
        };
        let nearest = distance(&plane.along[0]).min(distance(&plane.along[1]));
        let fade = plane.fade(point);
        Look {
            base: self.base * (1.0 - 0.14 * (0.95 - nearest).clamp(0.0, 1.0)),
            fade: fade * fade * (3.0 - 2.0 * fade),
        }
    }
}

/// Half-spaces that are put into a map.
struct Cast<'a> {
    ground: &'a Ground,
    camera: &'a Camera,
    map: &'a mut DepthMap,
}

impl Work for Cast<'_> {
    #[inline(always)]
    fn work(self) {
        let (ground, width) = (self.ground, self.map.width);
        let alone = ground.planes.len() == 1;
        let rows = self.map.depth.chunks_mut(width);
        let rows = rows.zip(self.map.surface.chunks_mut(width));
        for (y, (depth, surface)) in self.map.rows.clone().zip(rows) {
            for (number, plane) in (FIRST..).zip(&ground.planes) {
                // The eye is at the origin.
                let height = -plane.normal.dot(plane.point);
                let first = self.camera.ray(0.5, y as f64 + 0.5).1;
                let step = self.camera.ray(1.5, y as f64 + 0.5).1 - first;
                let (start, slope) = (plane.normal.dot(first), plane.normal.dot(step));
                if height <= 0.0 {
                    continue;
                }
                let samples = depth.iter_mut().zip(&mut *surface);
                if !alone {
                    for (x, (depth, surface)) in samples.enumerate() {
                        let t = -height / (start + x as f64 * slope);
                        let hit = t * (first + x as f64 * step);
                        if t > 0.0
                            && t < f64::from(*depth)
                            && plane.reaches(hit.as_vec3())
                            && ground.is_free(hit)
                        {
                            (*depth, *surface) = (t as f32, number);
                        }
                    }
                    continue;
                }
                // The same without a branch, so that several samples are computed at once.
                for (x, (depth, surface)) in (0i32..).zip(samples) {
                    let x = f64::from(x);
                    let t = -height / (start + x * slope);
                    let hit = (t * (first + x * step)).as_vec3();
                    let own = t as f32;
                    let nearer = (own > 0.0) & (own < *depth) & plane.reaches(hit);
                    *depth = if nearer { own } else { *depth };
                    *surface = if nearer { number } else { *surface };
                }
            }
        }
    }
}

impl Plane {
    /// Whether something is left of it at a point.
    #[inline(always)]
    fn reaches(&self, point: Vec3) -> bool {
        (point - self.foot).length_squared() < self.reach * self.reach
    }

    #[inline(always)]
    fn fade(&self, point: Vec3) -> f32 {
        let far = (point - self.foot).length() / self.reach;
        1.0 - ((far - 0.45) / 0.55).clamp(0.0, 1.0)
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
