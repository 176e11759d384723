//! Shadows: the scene as the light sees it.

use super::Body;
use super::body::seen;
use super::camera::Camera;
use super::raster::DepthMap;
use glam::DVec3;
use granule_io::results::{Bounds, SolidMesh};

/// Texels along a side of the map.
const TEXELS: usize = 1600;

/// The bodies as seen from a far light.
pub struct ShadowMap {
    camera: Camera,
    map: DepthMap,
    /// Depth difference that counts as shadow, m.
    bias: f64,
}

impl ShadowMap {
    /// `light` points from the scene, which is in `bounds`, to the light.
    pub fn new(
        bodies: &[&Body],
        meshes: &[Option<SolidMesh>],
        bounds: &Bounds,
        light: DVec3,
        up: DVec3,
    ) -> Self {
        let size = [TEXELS as f64; 2];
        let corners = bounds.corners().map(|corner| (corner, 0.0));
        let camera = Camera::framing(corners.into_iter(), -light, up, false, size);
        let map = DepthMap::of_bodies(&camera, &seen(&camera, bodies, meshes), TEXELS, TEXELS);
        let bias = 2.5 / camera.scale(1.0);
        Self { camera, map, bias }
    }

    /// How much of the light reaches a point of the world, from 0 to 1.
    pub fn lit(&self, point: DVec3, normal: DVec3) -> f64 {
        // A little off the surface, so that it does not shadow itself.
        let view = self.camera.view(point + 0.6 * self.bias * normal);
        let Some([x, y]) = self.camera.project(view) else {
            return 1.0;
        };
        let mut lit = 0;
        for dy in -2..=2 {
            for dx in -2..=2 {
                let (tx, ty) = (x as i64 + dx, y as i64 + dy);
                let inside = (0..TEXELS as i64).contains(&tx) && (0..TEXELS as i64).contains(&ty);
                let depth = if inside {
                    f64::from(self.map.depth[ty as usize * TEXELS + tx as usize])
                } else {
                    f64::INFINITY
                };
                lit += i32::from(view.z < depth + self.bias);
            }
        }
        f64::from(lit) / 25.0
    }
}
