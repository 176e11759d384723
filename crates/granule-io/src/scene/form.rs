//! From the shapes that a scene names to those of the engine.

use super::convert;
use super::error::Problem;
use super::grammar::{BoxSolid, PartSpec, ShapeSpec, Shaped, UnionSolid};
use super::key_path::KeyPath;
use super::meshes::Meshes;
use granule::math::{DMat3, DVec2, DVec3, Pose};
use granule::shapes::{Convex, Frustum, Hull, MassProperties, Part, Solid, Superellipsoid};

/// A shape of a body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    /// A sphere; a disk in 2D, a segment in 1D.
    Sphere {
        /// m.
        radius: f64,
    },
    /// Anything else.
    Solid {
        /// In the frame of its centre of mass and its principal axes.
        solid: Solid,
        /// That frame, as the frame sees it that the user gave the shape in.
        frame: Pose,
    },
}

/// The form of a shape whose numbers have been checked; `path` leads to the table that names it. Files are read only
/// if there is something to read them with: without, a shape from a file has no form.
pub(crate) fn form(
    shaped: &impl Shaped,
    dimension: usize,
    meshes: Option<&mut Meshes<'_>>,
    path: &KeyPath,
) -> Result<Option<Form>, Problem> {
    let Some((key, shape)) = shaped.shape() else {
        return Ok(None);
    };
    let path = path.join(key);
    if let ShapeSpec::Mesh(mesh) = shape {
        return meshes.map(|meshes| meshes.solid(mesh, &path)).transpose();
    }
    of_numbers(shape, dimension, &path).map(Some)
}

/// The form of a shape that is not in a file.
fn of_numbers(shape: ShapeSpec<'_>, dimension: usize, path: &KeyPath) -> Result<Form, Problem> {
    match shape {
        ShapeSpec::Sphere(sphere) => Ok(Form::Sphere {
            radius: sphere.radius,
        }),
        ShapeSpec::Union(union) => joined(union, dimension, path),
        ShapeSpec::Hull(hull) => {
            let points: Vec<DVec3> = hull.points.iter().copied().map(DVec3::from_array).collect();
            let solid = Hull::of_points(&points).and_then(|h| alone(h.with_radius(hull.rounding)));
            solid.map_err(|reason| {
                Problem::new(path.join("points"), "these points make no solid", reason)
                    .help("give the corners of a solid: four or more points that do not all lie in one plane, in m")
            })
        }
        ShapeSpec::Polygon(polygon) => {
            let corners: Vec<DVec2> = polygon
                .corners
                .iter()
                .copied()
                .map(DVec2::from_array)
                .collect();
            let made = Solid::polygon(&corners, polygon.rounding);
            made.map(Form::from).map_err(|reason| {
                Problem::new(
                    path.join("corners"),
                    "these corners make no convex polygon",
                    reason,
                )
                .help(
                    "go around the polygon once; a shape with a hollow is a `union` of convex ones",
                )
            })
        }
        ShapeSpec::Box(cuboid) => of_box(cuboid, dimension).map_err(|reason| refused(path, reason)),
        ShapeSpec::Ellipse(ellipse) => {
            let made = Solid::ellipse(DVec2::from_array(ellipse.half_axes), ellipse.exponent);
            let at_origin = |solid| (solid, Pose::IDENTITY).into();
            made.map(at_origin).map_err(|reason| refused(path, reason))
        }
        ShapeSpec::Ellipsoid(ellipsoid) => smooth(ellipsoid.half_axes, [2.0, 2.0], path),
        ShapeSpec::Superellipsoid(shape) => smooth(shape.half_axes, shape.exponents, path),
        ShapeSpec::Capsule(capsule) => {
            let hull = Hull::segment(0.5 * capsule.length, capsule.radius);
            alone(hull).map_err(|reason| refused(path, reason))
        }
        ShapeSpec::Cylinder(shape) => frustum([shape.radius; 2], shape.length, path),
        ShapeSpec::Cone(shape) => {
            frustum([shape.bottom_radius, shape.top_radius], shape.length, path)
        }
        // Only what is told from its numbers comes here.
        ShapeSpec::Mesh(_) => Err(refused(
            path,
            "a part of a union is not from a file".to_owned(),
        )),
    }
}

/// Numbers that the engine cannot make a solid of.
fn refused(path: &KeyPath, reason: String) -> Problem {
    Problem::new(
        path.clone(),
        format!("this {} cannot be made", path.name()),
        reason,
    )
}

impl From<(Solid, Pose)> for Form {
    fn from((solid, frame): (Solid, Pose)) -> Self {
        Self::Solid { solid, frame }
    }
}

/// One convex solid, in 3D.
fn alone(shape: impl Into<Convex>) -> Result<Form, String> {
    let part = Part {
        pose: Pose::IDENTITY,
        shape: shape.into(),
    };
    Solid::joined(vec![part]).map(Form::from)
}

fn smooth(half_axes: [f64; 3], [around, along]: [f64; 2], path: &KeyPath) -> Result<Form, Problem> {
    let shape = Superellipsoid {
        half_axes: DVec3::from_array(half_axes),
        around,
        along,
    };
    alone(shape).map_err(|reason| refused(path, reason))
}

fn frustum([bottom, top]: [f64; 2], length: f64, path: &KeyPath) -> Result<Form, Problem> {
    let shape = Frustum {
        bottom: -0.5 * length,
        top: 0.5 * length,
        bottom_radius: bottom,
        top_radius: top,
    };
    alone(shape).map_err(|reason| refused(path, reason))
}

/// Its size includes what is rounded.
fn of_box(shape: &BoxSolid, dimension: usize) -> Result<Form, String> {
    let half = 0.5 * convert::vector(&shape.size) - shape.rounding;
    if dimension == 3 {
        return alone(Hull::cuboid(half).with_radius(shape.rounding));
    }
    let signs = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = signs.map(|(x, y)| half.truncate() * DVec2::new(x, y));
    Solid::polygon(&corners, shape.rounding).map(Form::from)
}

/// The parts of a union as one solid.
fn joined(union: &UnionSolid, dimension: usize, path: &KeyPath) -> Result<Form, Problem> {
    let mut parts = Vec::new();
    let mut whole = MassProperties::NONE;
    for (k, part) in union.parts.iter().enumerate() {
        let path = path.join("parts").join(k);
        let Some((key, shape)) = part.shape() else {
            continue;
        };
        let (solid, frame) = match of_numbers(shape, dimension, &path.join(key))? {
            Form::Sphere { radius } => ball(radius, dimension),
            Form::Solid { solid, frame } => (solid, frame),
        };
        let at = pose(part).then(&frame);
        parts.extend(solid.parts().iter().map(|part| Part {
            pose: at.then(&part.pose),
            shape: part.shape.clone(),
        }));
        whole = whole.joined(&properties(&solid).moved(&at));
    }
    if !(whole.volume > 0.0 && whole.volume.is_finite()) {
        let reason = format!("the parts have a volume of {} m³", whole.volume);
        return Err(refused(path, reason));
    }
    Ok(Solid::with_mass(parts, &whole).into())
}

fn pose(part: &PartSpec) -> Pose {
    let position = convert::vector_or_zero(part.position.as_ref());
    Pose::new(position, convert::quaternion(part.orientation))
}

/// A ball as part of a solid; in 2D it has the mass of a disk.
fn ball(radius: f64, dimension: usize) -> (Solid, Pose) {
    use std::f64::consts::PI;
    let part = Part {
        pose: Pose::IDENTITY,
        shape: Convex::Hull(Hull::ball(radius)),
    };
    let square = radius * radius;
    let (volume, moments) = match dimension {
        2 => (PI * square, square * DVec3::new(0.25, 0.25, 0.5)),
        _ => (4.0 / 3.0 * PI * radius * square, DVec3::splat(0.4 * square)),
    };
    let whole = MassProperties {
        volume,
        centroid: DVec3::ZERO,
        inertia: DMat3::from_diagonal(volume * moments),
    };
    Solid::with_mass(vec![part], &whole)
}

/// Volume and moments of a solid in its own frame.
fn properties(solid: &Solid) -> MassProperties {
    MassProperties {
        volume: solid.volume(),
        centroid: DVec3::ZERO,
        inertia: DMat3::from_diagonal(solid.inertia(solid.volume())),
    }
}

impl Form {
    /// The same with all lengths multiplied by a factor.
    pub(crate) fn scaled(&self, factor: f64, dimension: usize) -> Self {
        match self {
            Self::Sphere { radius } => Self::Sphere {
                radius: factor * radius,
            },
            Self::Solid { solid, frame } => {
                let bigger = |pose: &Pose| Pose::new(factor * pose.position, pose.orientation);
                let parts = solid.parts().iter().map(|part| Part {
                    pose: bigger(&part.pose),
                    shape: scaled_convex(&part.shape, factor),
                });
                let volume = solid.volume() * factor.powi(dimension as i32);
                let whole = MassProperties {
                    volume,
                    centroid: DVec3::ZERO,
                    inertia: DMat3::from_diagonal(solid.inertia(volume * factor * factor)),
                };
                let (solid, own) = Solid::with_mass(parts.collect(), &whole);
                let frame = bigger(frame).then(&own);
                Self::Solid { solid, frame }
            }
        }
    }
}

fn scaled_convex(shape: &Convex, factor: f64) -> Convex {
    match shape {
        Convex::Hull(hull) => {
            let mut hull = hull.clone();
            hull.vertices.iter_mut().for_each(|v| *v *= factor);
            hull.radius *= factor;
            Convex::Hull(hull)
        }
        Convex::Superellipsoid(shape) => Convex::Superellipsoid(Superellipsoid {
            half_axes: factor * shape.half_axes,
            ..*shape
        }),
        Convex::Frustum(shape) => Convex::Frustum(Frustum {
            bottom: factor * shape.bottom,
            top: factor * shape.top,
            bottom_radius: factor * shape.bottom_radius,
            top_radius: factor * shape.top_radius,
        }),
    }
}
