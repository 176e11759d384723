//! The shape of a body: one convex solid, or several that are joined rigidly.

use super::{Convex, MassProperties};
use crate::math::{DVec3, Pose, principal_axes};
use serde::{Deserialize, Serialize};

/// A convex part of a [`Solid`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Where it is in the frame of the body.
    pub pose: Pose,
    /// What it is.
    pub shape: Convex,
}

/// The shape of a body that is no sphere: convex parts in the frame of the body, whose origin is the centre
/// of mass and whose axes are the principal axes of inertia.
///
/// ```
/// use granule::math::DVec3;
/// use granule::shapes::{Hull, Solid};
/// let brick = Solid::from(Hull::cuboid(DVec3::new(0.1, 0.05, 0.03)));
/// assert!((brick.volume() - 0.2 * 0.1 * 0.06).abs() < 1e-15);
/// // J_z = m (a² + b²) / 12 with the edges a and b.
/// let inertia = brick.inertia(2500.0 * brick.volume());
/// assert!((inertia.z - 3.0 * (0.04 + 0.01) / 12.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solid {
    parts: Vec<Part>,
    /// m³.
    volume: f64,
    /// Principal moments of inertia over the mass, m².
    gyration: DVec3,
}

impl Solid {
    /// Joins convex parts rigidly. Also gives the frame of the body as the frame that the parts are given
    /// in sees it.
    ///
    /// Mass is distributed evenly over each part; where parts overlap, it counts twice. A part without a
    /// volume (a facet) or with one that is no number is refused.
    pub fn joined(parts: Vec<Part>) -> Result<(Self, Pose), String> {
        if parts.is_empty() {
            return Err("a shape needs at least one part".to_owned());
        }
        for part in &parts {
            part.shape.validate()?;
        }
        let whole = parts.iter().fold(MassProperties::NONE, |sum, part| {
            sum.joined(&part.shape.mass_properties().moved(&part.pose))
        });
        if !(whole.volume > 0.0 && whole.volume.is_finite()) {
            let volume = whole.volume;
            return Err(format!("the shape has the volume {volume} m³"));
        }
        Ok(Self::with_mass(parts, &whole))
    }

    /// Joins convex parts rigidly whose mass is distributed as `whole` says, for instance as in the mesh that
    /// they were made from. Also gives the frame of the body as the frame of the parts sees it.
    pub fn with_mass(parts: Vec<Part>, whole: &MassProperties) -> (Self, Pose) {
        let (moments, axes) = principal_axes(whole.inertia);
        let frame = Pose::new(whole.centroid, axes);
        let into_frame = |part: Part| Part {
            pose: frame.local_pose(&part.pose),
            shape: part.shape,
        };
        let solid = Self {
            parts: parts.into_iter().map(into_frame).collect(),
            volume: whole.volume,
            gyration: moments / whole.volume,
        };
        (solid, frame)
    }

    /// Its parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// m³.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Principal moments of inertia J with this mass (kg), kg m².
    pub fn inertia(&self, mass: f64) -> DVec3 {
        mass * self.gyration
    }

    /// The radius of a sphere about the centre of mass that holds the solid, m.
    pub fn bounding_radius(&self) -> f64 {
        let radii = self.parts.iter().map(|part| {
            let center = part.pose.position.length();
            // A ball about its own centre needs no more than its radius; others are taken corner by corner.
            match &part.shape {
                Convex::Hull(hull) => {
                    let corner = |v: &DVec3| part.pose.point(*v).length();
                    hull.vertices.iter().map(corner).fold(0.0, f64::max) + hull.radius
                }
                Convex::Superellipsoid(_) | Convex::Frustum(_) => {
                    center + part.shape.bounding_radius()
                }
            }
        });
        radii.fold(0.0, f64::max)
    }

    /// What is wrong with its numbers, if anything.
    pub fn validate(&self) -> Result<(), String> {
        if self.parts.is_empty() {
            return Err("it has no parts".to_owned());
        }
        for part in &self.parts {
            part.shape.validate()?;
            if !(part.pose.position.is_finite() && part.pose.orientation.is_normalized()) {
                return Err("the pose of a part is not usable".to_owned());
            }
        }
        let positive = |x: f64| x.is_normal() && x > 0.0;
        if positive(self.volume) && self.gyration.to_array().into_iter().all(positive) {
            return Ok(());
        }
        Err(format!(
            "it has the volume {} m³ and the squares {} m² of the radii of gyration; both must be positive",
            self.volume, self.gyration
        ))
    }

    /// The same in the plane z = 0: how far the solid reaches across the z axis, m.
    pub fn planar_radius(&self) -> f64 {
        let directions = (0..720).map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k) / 720.0;
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        });
        let farthest = directions.map(|d| self.support(d).truncate().length());
        // Between two directions a corner is at most this much farther.
        farthest.fold(0.0, f64::max) / (std::f64::consts::PI / 720.0).cos()
    }

    /// The point that is farthest in a direction (not zero), m, in the frame of the body.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let points = self.parts.iter().map(|part| {
            let local = part.pose.local_direction(direction);
            part.pose.point(part.shape.support(local))
        });
        points
            .max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction)))
            .unwrap_or(DVec3::ZERO)
    }

    /// Half the least thickness of a part, m.
    pub fn thickness(&self) -> f64 {
        let parts = self.parts.iter().map(|part| part.shape.thickness());
        parts.fold(f64::INFINITY, f64::min)
    }
}

impl<T: Into<Convex>> From<T> for Solid {
    /// A convex solid alone, in the frame of its principal axes.
    ///
    /// # Panics
    /// If the solid has no volume.
    fn from(shape: T) -> Self {
        let part = Part {
            pose: Pose::IDENTITY,
            shape: shape.into(),
        };
        Self::joined(vec![part]).expect("a solid has a volume").0
    }
}
