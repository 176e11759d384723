//! What is solid, as a camera sees it.

use super::camera::Camera;
use super::{Body, Color, Tube};
use glam::{DMat3, DVec3, Vec3};
use granule::bodies::Dimension;
use granule::shapes::Solid;
use granule_io::results::{SolidMesh, tessellate_solid};

/// The bodies and tubes of a picture, with the surfaces of solids.
pub struct Things<'a> {
    /// Spheres and solids.
    pub bodies: Vec<&'a Body>,
    /// Tubes; their numbers come after those of the bodies.
    pub tubes: Vec<&'a Tube>,
    /// Surfaces of solids by their numbers; none for those that no body has.
    pub meshes: Vec<Option<SolidMesh>>,
}

/// A thing in camera coordinates.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// Centre, m.
    pub center: DVec3,
    /// The radius of the sphere, or of one that holds all of it, m.
    pub radius: f64,
    /// What it looks like.
    pub form: Form<'a>,
    /// Turns directions of its own frame into those of the camera.
    pub turn: DMat3,
}

/// What a thing looks like.
#[derive(Clone, Copy)]
pub enum Form<'a> {
    /// A sphere.
    Ball,
    /// All within a thickness (m) of a straight line, which goes from the centre to either side by `half` (m).
    Tube { half: DVec3, thickness: f64 },
    /// A surface in the frame of the body.
    Mesh(&'a SolidMesh),
}

/// A surface whose normals the point alone tells: all within one over `curvature` of a line along `axis`, a unit vector,
/// which goes to either side by `half`.
#[derive(Clone, Copy)]
pub struct Round {
    center: Vec3,
    axis: Vec3,
    half: f32,
    curvature: f32,
}

impl Round {
    /// The outward normal at a point of the surface.
    #[inline(always)]
    pub fn normal(&self, point: Vec3) -> Vec3 {
        let from = point - self.center;
        let along = from.dot(self.axis).max(-self.half).min(self.half);
        (from - along * self.axis) * self.curvature
    }
}

impl<'a> Seen<'a> {
    /// The surface of a mesh.
    pub fn mesh(&self) -> Option<&'a SolidMesh> {
        match self.form {
            Form::Mesh(mesh) => Some(mesh),
            Form::Ball | Form::Tube { .. } => None,
        }
    }

    /// Half of how wide it is across in a plane, m.
    pub fn breadth(&self) -> f64 {
        match self.form {
            Form::Ball => self.radius,
            Form::Tube { thickness, .. } => thickness,
            Form::Mesh(mesh) => {
                let points = || mesh.points.iter();
                let reach = |axis: usize| points().map(|p| p[axis].abs()).fold(0.0, f64::max);
                reach(0).min(reach(1))
            }
        }
    }

    /// The surface of a ball or a tube.
    pub fn round(&self) -> Round {
        let (half, thickness) = match self.form {
            Form::Tube { half, thickness } => (half, thickness),
            Form::Ball | Form::Mesh(_) => (DVec3::ZERO, self.radius),
        };
        Round {
            center: self.center.as_vec3(),
            axis: half.normalize_or_zero().as_vec3(),
            half: half.length() as f32,
            curvature: (1.0 / thickness) as f32,
        }
    }

    /// The box of pixels that it may cover: x from, x to, y from, y to; `None` if it is not wholly in front of the eye.
    pub fn outline(&self, camera: &Camera) -> Option<[f64; 4]> {
        let Form::Tube { half, thickness } = self.form else {
            return camera.outline(self.center, self.radius);
        };
        let a = camera.outline(self.center - half, thickness)?;
        let b = camera.outline(self.center + half, thickness)?;
        Some([
            a[0].min(b[0]),
            a[1].max(b[1]),
            a[2].min(b[2]),
            a[3].max(b[3]),
        ])
    }

    /// The outward normal where a ray meets a triangle of the mesh, or, of a sphere, at a point of the ray. The point is
    /// `depth` (m) along the direction, whose z is 1.
    pub fn normal(&self, triangle: u32, origin: DVec3, direction: DVec3, depth: f64) -> DVec3 {
        let point = origin + depth * direction;
        let Some(mesh) = self.mesh() else {
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

impl<'a> Things<'a> {
    /// With the surfaces of solids, each as fine as the largest picture of it needs.
    pub fn new(
        bodies: Vec<&'a Body>,
        tubes: Vec<&'a Tube>,
        solids: &[Solid],
        dimension: Dimension,
        camera: &Camera,
    ) -> Self {
        let mut largest = vec![0.0f64; solids.len()];
        for body in &bodies {
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
        Self {
            bodies,
            tubes,
            meshes: solids.iter().zip(largest).map(mesh).collect(),
        }
    }

    /// All in the coordinates of a camera. A solid without a mesh is drawn as the sphere that holds it.
    pub fn seen(&self, camera: &Camera) -> Vec<Seen<'_>> {
        let body = |body: &&Body| {
            let mesh = (body.solid).and_then(|number| self.meshes.get(number as usize)?.as_ref());
            Seen {
                center: camera.view(body.center),
                radius: body.radius,
                form: mesh.map_or(Form::Ball, Form::Mesh),
                turn: camera.axes.transpose() * DMat3::from_quat(body.orientation),
            }
        };
        let tube = |tube: &&Tube| {
            let [a, b] = tube.ends.map(|end| camera.view(end));
            let (half, thickness) = (0.5 * (b - a), tube.radius);
            Seen {
                center: 0.5 * (a + b),
                radius: half.length() + thickness,
                form: Form::Tube { half, thickness },
                turn: DMat3::IDENTITY,
            }
        };
        let bodies = self.bodies.iter().map(body);
        bodies.chain(self.tubes.iter().map(tube)).collect()
    }

    /// The colour of each.
    pub fn colors(&self) -> impl Iterator<Item = Color> {
        let tubes = self.tubes.iter().map(|tube| tube.color);
        self.bodies.iter().map(|body| body.color).chain(tubes)
    }
}
