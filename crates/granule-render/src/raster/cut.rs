//! Bodies that are cut: what is beyond some planes is not drawn, and where a plane goes through a body one sees its inside.

use super::super::body::{Form, Seen};
use super::super::camera::Camera;
use super::{Band, FACE};
use glam::{DVec3, Vec3};
use granule_io::results::Bounds;
use std::ops::Range;

/// The half-spaces that what is drawn lies in, in coordinates of a camera.
#[derive(Debug, Default)]
pub struct Cut {
    /// Outward unit normals n and distances d: n·p ≤ d is drawn.
    planes: Vec<(DVec3, f64)>,
}

impl Cut {
    /// Along the sides of a box that are not infinitely far away. What is in a plane is cut only along that plane.
    pub fn new(clip: Option<Bounds>, camera: &Camera, flat: bool) -> Self {
        let mut planes = Vec::new();
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for (axis, normal) in axes.into_iter().enumerate().take(if flat { 2 } else { 3 }) {
            let Some(clip) = clip else { break };
            planes.push((normal, clip.max[axis]));
            planes.push((-normal, -clip.min[axis]));
        }
        planes.retain(|(_, distance)| distance.is_finite());
        for (normal, distance) in &mut planes {
            *distance -= normal.dot(camera.eye);
            *normal = camera.axes.transpose() * *normal;
        }
        Self { planes }
    }

    /// Whether a sphere is drawn as a whole.
    #[inline(always)]
    pub fn holds(&self, center: DVec3, radius: f64) -> bool {
        let whole = |&(normal, distance): &(DVec3, f64)| normal.dot(center) + radius <= distance;
        self.planes.iter().all(whole)
    }

    /// Whether something of a sphere may be drawn.
    pub fn meets(&self, center: DVec3, radius: f64) -> bool {
        let some = |&(normal, distance): &(DVec3, f64)| normal.dot(center) - radius < distance;
        self.planes.iter().all(some)
    }

    /// From where to where a ray is in what is drawn, in units of its direction; empty if it never is.
    pub fn along(&self, (origin, direction): (DVec3, DVec3)) -> Range<f64> {
        let (mut near, mut far) = (f64::NEG_INFINITY, f64::INFINITY);
        for (normal, distance) in &self.planes {
            let (room, speed) = (distance - normal.dot(origin), normal.dot(direction));
            if speed > 0.0 {
                far = far.min(room / speed);
            } else if speed < 0.0 {
                near = near.max(room / speed);
            } else if room < 0.0 {
                far = f64::NEG_INFINITY;
            }
        }
        near..far
    }

    /// The outward normal of the plane that a point is on.
    pub fn normal(&self, point: Vec3) -> Vec3 {
        let point = point.as_dvec3();
        let off = |(normal, distance): &&(DVec3, f64)| (normal.dot(point) - distance).abs();
        let nearest = (self.planes.iter()).min_by(|a, b| off(a).total_cmp(&off(b)));
        nearest.map_or(Vec3::NEG_Z, |(normal, _)| normal.as_vec3())
    }
}

/// Where a ray enters and leaves a ball, in units of its direction; `from` is the way from its centre to where the ray starts.
fn through_ball((from, direction): (DVec3, DVec3), radius: f64) -> Option<[f64; 2]> {
    let (a, b) = (direction.length_squared(), from.dot(direction));
    let root = b * b - a * (from.length_squared() - radius * radius);
    (root >= 0.0).then(|| [-root.sqrt(), root.sqrt()].map(|root| (root - b) / a))
}

/// The same of all within a thickness of a line, which goes from the centre to either side by `half`.
fn through_tube(
    (from, direction): (DVec3, DVec3),
    half: DVec3,
    thickness: f64,
) -> Option<[f64; 2]> {
    let axis = half.normalize_or_zero();
    let [off, slanted] = [from, direction].map(|v| v - v.dot(axis) * axis);
    let beside = |t: &f64| (from + *t * direction).dot(axis).abs() <= half.length();
    let side = through_ball((off, slanted), thickness);
    let side = side.into_iter().flatten().filter(beside);
    let ends = [from - half, from + half].map(|from| through_ball((from, direction), thickness));
    // It is convex: the ray enters where it enters the first of its parts.
    let ends = ends.into_iter().flatten().flatten();
    (side.chain(ends)).fold(None, |span, t| {
        let [enters, leaves] = span.unwrap_or([t, t]);
        Some([t.min(enters), t.max(leaves)])
    })
}

impl Band<'_> {
    /// Draws what a cut leaves of a sphere or a tube.
    pub(super) fn cast_cut(
        &mut self,
        index: u32,
        body: &Seen<'_>,
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        for row in rows {
            for column in columns.clone() {
                let (x, y) = (column as f64 + 0.5, (self.first + row) as f64 + 0.5);
                let (origin, direction) = self.camera.ray(x, y);
                let ray = (origin - body.center, direction);
                let through = match body.form {
                    Form::Tube { half, thickness } => through_tube(ray, half, thickness),
                    Form::Ball | Form::Mesh(_) => through_ball(ray, body.radius),
                };
                let Some([enters, leaves]) = through else {
                    continue;
                };
                let seen = self.cut.along((origin, direction));
                let place = row * self.width + column;
                if enters >= seen.start && enters <= seen.end {
                    self.put(place, enters as f32, index, 0);
                } else if enters < seen.start && seen.start < leaves.min(seen.end) {
                    self.put(place, seen.start as f32, index | FACE, 0);
                }
            }
        }
    }
}
