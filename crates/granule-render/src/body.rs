//! Bodies as a camera sees them.

use super::Body;
use super::camera::Camera;
use glam::{DMat3, DVec3};
use granule::bodies::Dimension;
use granule::shapes::Solid;
use granule_io::results::{SolidMesh, tessellate_solid};

/// A body in camera coordinates: a sphere, or what its mesh says.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// Centre, m.
    pub center: DVec3,
    /// The radius of the sphere, or of one that holds the body, m.
    pub radius: f64,
    /// Its surface in its own frame; none for a sphere.
    pub mesh: Option<&'a SolidMesh>,
    /// Turns directions of its own frame into those of the camera.
    pub turn: DMat3,
}

impl Seen<'_> {
    /// The outward normal where a ray meets a triangle of the mesh, or, of a sphere, at a point of the ray. The point is
    /// `depth` (m) along the direction, whose z is 1.
    pub fn normal(&self, triangle: u32, origin: DVec3, direction: DVec3, depth: f64) -> DVec3 {
        let point = origin + depth * direction;
        let Some(mesh) = self.mesh else {
            return (point - self.center) / self.radius;
        };
        let corners = mesh.triangles[triangle as usize];
        let [a, b, c] = corners.map(|k| mesh.points[k as usize]);
        let local = self.turn.transpose() * (point - self.center);
        // How much of the triangle is on the other side of the point from each corner.
        let across = (b - a).cross(c - a);
        let part = |p: DVec3, q: DVec3| across.dot((p - local).cross(q - local)).max(0.0);
        let weights = [part(b, c), part(c, a), part(a, b)];
        let mixed = corners.iter().zip(weights);
        let normal: DVec3 = mixed
            .map(|(&k, weight)| weight * mesh.normals[k as usize])
            .sum();
        self.turn * normal.normalize_or(across.normalize_or_zero())
    }
}

/// The meshes of solids, each as fine as the largest picture of it needs; none for those that no body has.
pub fn meshes(
    camera: &Camera,
    bodies: &[&Body],
    solids: &[Solid],
    dimension: Dimension,
) -> Vec<Option<SolidMesh>> {
    let mut largest = vec![0.0f64; solids.len()];
    for body in bodies {
        if let Some(pixels) = body
            .solid
            .and_then(|number| largest.get_mut(number as usize))
        {
            let center = camera.view(body.center);
            let nearest = (center.z - body.radius).max(0.1 * body.radius);
            *pixels = pixels.max(body.radius * camera.scale(nearest));
        }
    }
    let mesh = |(solid, pixels): (&Solid, f64)| {
        // A circle of so many pixels and a polygon of so many sides differ by a quarter of a pixel.
        let sides = (4.44 * pixels.sqrt()).clamp(8.0, 160.0) as u32;
        (pixels > 0.0).then(|| tessellate_solid(solid, dimension, sides))
    };
    solids.iter().zip(largest).map(mesh).collect()
}

/// The bodies in the coordinates of a camera. A solid without a mesh is drawn as the sphere that holds it.
pub fn seen<'a>(
    camera: &Camera,
    bodies: &[&Body],
    meshes: &'a [Option<SolidMesh>],
) -> Vec<Seen<'a>> {
    let own = |body: &&Body| Seen {
        center: camera.view(body.center),
        radius: body.radius,
        mesh: body
            .solid
            .and_then(|number| meshes.get(number as usize)?.as_ref()),
        turn: camera.axes.transpose() * DMat3::from_quat(body.orientation),
    };
    bodies.iter().map(own).collect()
}
