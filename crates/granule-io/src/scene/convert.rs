//! From the words of a scene file to the types of the engine.

use super::error::Problem;
use super::grammar::{Face, MotionSpec, PlateShape, Region, Vector, WallSpec};
use super::key_path::KeyPath;
use super::meshes::Meshes;
use granule::bodies::{Dimension, Motion, Wall};
use granule::math::{DMat3, DQuat, DVec3};
use granule::shapes::{self, Block, BoxContainer, Cone, Cylinder, HalfSpace, Plate, Surface};

/// The vector with zeros for what is not given.
pub(crate) fn vector(vector: &Vector) -> DVec3 {
    let component = |k: usize| vector.0.get(k).copied().unwrap_or(0.0);
    DVec3::new(component(0), component(1), component(2))
}

/// The vector, or zero.
pub(crate) fn vector_or_zero(given: Option<&Vector>) -> DVec3 {
    given.map_or(DVec3::ZERO, vector)
}

/// The direction scaled so that its largest component is ±1: no length over- or underflows.
pub(crate) fn direction(given: &Vector) -> DVec3 {
    let direction = vector(given);
    let largest = direction.abs().max_element();
    if largest > 0.0 {
        direction / largest
    } else {
        DVec3::Z
    }
}

/// Whether the vector points along z, up or down.
pub(crate) fn is_along_z(given: &Vector) -> bool {
    given.0.len() == 3 && given.0[0] == 0.0 && given.0[1] == 0.0 && given.0[2] != 0.0
}

/// A part of space, in so many dimensions.
pub(crate) fn region(given: &Region, dimension: usize) -> shapes::Region {
    let axis = |axis: Option<&Vector>| axis.map_or(DVec3::Z, direction);
    match given {
        Region::Box(region) => shapes::Region::cuboid(vector(&region.min), vector(&region.max)),
        Region::Cylinder(region) if dimension == 2 => {
            shapes::Region::disk(vector(&region.center), region.radius)
        }
        Region::Cylinder(region) => shapes::Region::frustum(
            vector(&region.center),
            axis(region.axis.as_ref()),
            [region.radius, region.radius],
            region.length.unwrap_or(0.0),
        ),
        Region::Cone(region) => shapes::Region::frustum(
            vector(&region.center),
            axis(region.axis.as_ref()),
            [region.bottom_radius, region.top_radius],
            region.length,
        ),
    }
}

/// An angular velocity: a single number is about z.
pub(crate) fn spin(given: Option<&Vector>) -> DVec3 {
    match given.map(|vector| &vector.0[..]) {
        Some([rate]) => DVec3::new(0.0, 0.0, *rate),
        _ => vector_or_zero(given),
    }
}

/// The unit quaternion of `[x, y, z, w]`.
pub(crate) fn quaternion(given: Option<[f64; 4]>) -> DQuat {
    let Some(parts) = given else {
        return DQuat::IDENTITY;
    };
    let largest = parts
        .iter()
        .fold(0.0_f64, |largest, part| largest.max(part.abs()));
    if largest > 0.0 {
        DQuat::from_array(parts.map(|part| part / largest)).normalize()
    } else {
        DQuat::IDENTITY
    }
}

/// The engine's name of a dimension.
pub(crate) fn dimension(given: u8) -> Dimension {
    match given {
        1 => Dimension::Line,
        2 => Dimension::Plane,
        _ => Dimension::Space,
    }
}

/// The engine's motion.
pub(crate) fn motion(given: &MotionSpec) -> Motion {
    match given {
        MotionSpec::Fixed => Motion::Fixed,
        MotionSpec::Velocity { linear } => Motion::Velocity {
            linear: vector(linear).to_array(),
        },
        MotionSpec::Rotation { axis, rate, center } => Motion::Rotation {
            axis: axis.as_ref().map_or(DVec3::Z, direction).to_array(),
            rate: *rate,
            center: center.as_ref().map(|center| vector(center).to_array()),
        },
        MotionSpec::Oscillation {
            amplitude,
            frequency,
            phase,
        } => Motion::Oscillation {
            amplitude: vector(amplitude).to_array(),
            frequency: *frequency,
            phase: *phase,
        },
        MotionSpec::Piecewise { times, velocities } => Motion::Piecewise {
            times: times.clone(),
            velocities: velocities
                .iter()
                .map(|velocity| vector(velocity).to_array())
                .collect(),
        },
    }
}

/// The engine's wall; `None` if the wall has no shape. `path` leads to it.
pub(crate) fn wall(
    given: &WallSpec,
    material: u16,
    meshes: &mut Meshes<'_>,
    path: &KeyPath,
) -> Result<Option<Wall>, Problem> {
    // Taken apart, so that a new shape asks for its branch.
    let WallSpec {
        half_space,
        cylinder,
        cone,
        box_,
        plate,
        block,
        mesh,
        name: _,
        position,
        material: _,
        motion: moves,
        surface_velocity,
        body: _,
    } = given;
    let mut orientation = None;
    let (surface, axis) = if let Some(shape) = half_space {
        (Surface::HalfSpace(HalfSpace), direction(&shape.normal))
    } else if let Some(shape) = cylinder {
        let (radius, length) = (shape.radius, shape.length);
        let surface = Cylinder {
            radius,
            length,
            bottom: shape.bottom,
            top: shape.top,
        };
        (
            Surface::Cylinder(surface),
            shape.axis.as_ref().map_or(DVec3::Z, direction),
        )
    } else if let Some(shape) = cone {
        let surface = Cone {
            bottom_radius: shape.bottom_radius,
            top_radius: shape.top_radius,
            length: shape.length,
            bottom: shape.bottom,
            top: shape.top,
        };
        (
            Surface::Cone(surface),
            shape.axis.as_ref().map_or(DVec3::Z, direction),
        )
    } else if let Some(shape) = box_ {
        orientation = Some(quaternion(shape.orientation));
        // Directions that do not move have no faces.
        let (size, free) = (full_size(&shape.size), shape.size.0.len());
        let closed = FACES.map(|face| face as usize / 2 < free && !shape.open.contains(&face));
        (Surface::Box(BoxContainer { size, closed }), DVec3::Z)
    } else if let Some(shape) = plate {
        orientation = Some(plate_frame(shape));
        let plate = Plate {
            width: shape.width,
            height: shape.height.unwrap_or(shape.width),
        };
        (Surface::Plate(plate), DVec3::Z)
    } else if let Some(shape) = block {
        orientation = Some(quaternion(shape.orientation));
        let size = full_size(&shape.size);
        (Surface::Block(Block { size }), DVec3::Z)
    } else if let Some(shape) = mesh {
        orientation = Some(quaternion(shape.orientation));
        let mesh = meshes.surface(&shape.file, shape.scale, &path.join("mesh"))?;
        (Surface::Mesh(mesh), DVec3::Z)
    } else {
        return Ok(None);
    };
    let position = vector_or_zero(position.as_ref());
    let mut wall = Wall::new(surface, position, axis, motion(moves));
    wall.material = material;
    wall.surface_velocity = vector_or_zero(surface_velocity.as_ref());
    if let Some(orientation) = orientation {
        wall.kinematics.start_orientation = orientation;
    }
    Ok(Some(wall))
}

/// Three lengths: for directions that do not move the largest one, so that the numbers stay tame and
/// no face in such a direction is the nearest.
fn full_size(given: &Vector) -> [f64; 3] {
    let largest = given.0.iter().fold(0.0_f64, |a, &b| a.max(b));
    std::array::from_fn(|k| given.0.get(k).copied().unwrap_or(largest))
}

/// Turns z into the normal of the plate and y into the direction of its height: in a plane that is
/// z, whatever is given.
fn plate_frame(shape: &PlateShape) -> DQuat {
    let normal = direction(&shape.normal).normalize();
    let up = plate_up(shape).reject_from_normalized(normal).normalize();
    DQuat::from_mat3(&DMat3::from_cols(up.cross(normal), up, normal))
}

/// The direction of a plate's height before it is made square to the normal.
pub(crate) fn plate_up(shape: &PlateShape) -> DVec3 {
    let normal = direction(&shape.normal);
    match &shape.up {
        Some(up) => direction(up),
        // What is left of z across the normal must say where up is.
        None if normal.x.hypot(normal.y) < 1e-6 => DVec3::Y,
        None => DVec3::Z,
    }
}

/// In the order of [`BoxContainer::closed`].
const FACES: [Face; 6] = [
    Face::MinusX,
    Face::PlusX,
    Face::MinusY,
    Face::PlusY,
    Face::MinusZ,
    Face::PlusZ,
];
