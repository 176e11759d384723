//! Shadows: the scene as the light sees it.

use super::body::Things;
use super::camera::Camera;
use super::raster::{Cut, Raster};
use glam::{DVec3, Mat3, Vec3};
use granule_io::results::Bounds;

/// Texels along a side of the map for each pixel in a row of the picture.
const TEXELS: f64 = 1.0;
/// Texels along a side of the square over which the edge of a shadow is spread.
const SPREAD: usize = 4;

/// What is solid as seen from a far light.
pub struct ShadowMap {
    depth: Vec<f32>,
    /// Texels along a side.
    texels: usize,
    /// From coordinates of the camera to those of the light.
    turn: Mat3,
    shift: Vec3,
    /// Texels a metre.
    scale: f32,
    /// Depth difference that counts as shadow, m.
    bias: f32,
}

impl ShadowMap {
    /// `light` points from the scene, which is in `bounds`, to the light; bodies are cut along the sides of `clip`; `width` is
    /// that of the picture, pixels.
    pub fn new(
        things: &Things<'_>,
        (bounds, clip): (&Bounds, Option<Bounds>),
        light: DVec3,
        camera: &Camera,
        width: usize,
    ) -> Self {
        let texels = ((TEXELS * width as f64) as usize).clamp(400, 4000);
        let corners = bounds.corners().map(|corner| (corner, 0.0));
        let size = [texels as f64; 2];
        let right = camera.axes.x_axis;
        let lamp = Camera::framing(corners.into_iter(), -light, right, false, size);
        let views = things.seen(&lamp);
        let cut = Cut::new(clip, &lamp, false);
        let depth = Raster::new(&lamp, &views, &cut, [texels; 2], 0).depths();
        let scale = lamp.scale(1.0);
        Self {
            depth,
            texels,
            turn: (lamp.axes.transpose() * camera.axes).as_mat3(),
            shift: lamp.view(camera.eye).as_vec3(),
            scale: scale as f32,
            bias: (2.5 / scale) as f32,
        }
    }

    /// How much of the light reaches a point, given with its normal in coordinates of the camera; from 0 to 1.
    #[inline(always)]
    pub fn lit(&self, point: Vec3, normal: Vec3) -> f32 {
        // A little off the surface, so that it does not shadow itself.
        let view = self.turn * (point + 0.6 * self.bias * normal) + self.shift;
        let middle = 0.5 * (self.texels - SPREAD + 1) as f32;
        let (x, y) = (middle + self.scale * view.x, middle - self.scale * view.y);
        let last = (self.texels - SPREAD) as f32;
        if !((0.0..last).contains(&x) && (0.0..last).contains(&y)) {
            return 1.0;
        }
        let deepest = view.z - self.bias;
        let mut lit = 0;
        for row in 0..SPREAD {
            let start = (y as usize + row) * self.texels + x as usize;
            // A known number of them, which are compared at once.
            if let Some(depths) = self.depth[start..].first_chunk::<SPREAD>() {
                lit += depths
                    .iter()
                    .map(|depth| u32::from(deepest < *depth))
                    .sum::<u32>();
            }
        }
        lit as f32 / (SPREAD * SPREAD) as f32
    }
}
