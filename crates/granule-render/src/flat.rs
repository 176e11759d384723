//! Scenes in a plane: disks and polygons, filled, before a section of the half-spaces.

use super::SAMPLES;
use super::body::{Seen, Things};
use super::camera::Camera;
use super::canvas::{Band, linear};
use super::raster::{DepthMap, NOTHING};
use glam::{DVec3, Vec3};

/// The widest rim of a body, in samples.
pub const RIM: usize = 3;

/// What is drawn in a plane.
pub struct Plan<'a> {
    pub camera: &'a Camera,
    pub things: &'a Things<'a>,
    pub views: &'a [Seen<'a>],
    /// Half of how wide each is across, m.
    pub breadths: &'a [f64],
    /// Points and upward normals of half-spaces.
    pub planes: &'a [(DVec3, DVec3)],
}

impl Plan<'_> {
    /// Colours all pixels of some rows by the means of their samples.
    pub fn draw(&self, band: &mut Band<'_>) {
        let map = band.map;
        for row in 0..band.rows {
            let behind = band.behind(band.first + row);
            for column in 0..band.width {
                let mut sum = Vec3::ZERO;
                for k in 0..SAMPLES * SAMPLES {
                    let x = SAMPLES * column + k % SAMPLES;
                    let y = SAMPLES * (band.first + row) + k / SAMPLES;
                    let (origin, _) = self.camera.ray(x as f64 + 0.5, y as f64 + 0.5);
                    sum += match map.surface[map.place(x, y)] {
                        NOTHING => {
                            self.section(self.camera.axes * origin + self.camera.eye, behind)
                        }
                        index => self.filled(map, index, x, y, origin),
                    };
                }
                band.paint(row * band.width + column, sum / (SAMPLES * SAMPLES) as f32);
            }
        }
    }

    /// A point of the picture of a plane scene where there is no disk: free or solid.
    fn section(&self, point: DVec3, background: Vec3) -> Vec3 {
        let pixel = 1.0 / self.camera.scale(1.0);
        let mut color = background;
        for &(place, normal) in self.planes {
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

    /// A point of a body in a plane: lighter above, with a dark rim and a spoke that shows how it turned; or of a tube.
    fn filled(&self, map: &DepthMap, index: u32, x: usize, y: usize, origin: DVec3) -> Vec3 {
        let index_of_tube = (index as usize).checked_sub(self.things.bodies.len());
        if let Some(tube) = index_of_tube {
            return linear(self.things.tubes[tube].color);
        }
        let (body, view) = (
            self.things.bodies[index as usize],
            &self.views[index as usize],
        );
        let (center, radius) = (view.center, view.radius);
        let offset = DVec3::new(origin.x - center.x, origin.y - center.y, 0.0);
        let pixels = radius * self.camera.scale(1.0);
        let rim = (0.07 * pixels).clamp(0.8, RIM as f64);
        let at_rim = match view.mesh() {
            None => pixels - offset.length() * self.camera.scale(1.0) < rim,
            Some(_) => ends_near(map, index, x, y, rim),
        };
        let tone = 0.95 + 0.12 * (offset.y - 0.6 * offset.x) / radius;
        let spoke = self.camera.axes.transpose() * (body.orientation * DVec3::X);
        let (along, across) = (spoke.dot(offset), spoke.cross(offset).z.abs());
        let width = (0.05 * self.breadths[index as usize]).max(0.8 / self.camera.scale(1.0));
        let marked = pixels > 8.0 && along > 0.0 && across < width;
        let dark = if at_rim || marked { 0.35 } else { 1.0 };
        linear(body.color) * (tone * dark) as f32
    }
}

/// Whether something else than this body is seen so many samples away.
fn ends_near(map: &DepthMap, index: u32, x: usize, y: usize, distance: f64) -> bool {
    (0..8).any(|direction| {
        let angle = std::f64::consts::TAU * f64::from(direction) / 8.0;
        let away = |from: usize, along: f64| from as f64 + (distance.max(1.0) * along).round();
        let (px, py) = (away(x, angle.cos()), away(y, angle.sin()));
        let inside = (0.0..map.width as f64).contains(&px)
            && (map.rows.start as f64..map.rows.end as f64).contains(&py);
        inside && map.surface[map.place(px as usize, py as usize)] != index
    })
}
