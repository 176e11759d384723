//! The bodies and the contacts of one moment.

use super::WriteError;
use super::vtk_writer::{Cells, DataArray, PolyData};
use glam::{DQuat, DVec3};
use granule::bodies::{Bodies, BodyShape, Cell, Wall};
use granule::shapes::Solid;
use std::path::Path;

/// The bodies of one moment; all slices have the same length and are in the same, any order.
#[derive(Debug, Clone, Copy)]
pub struct BodyFrame<'a> {
    /// Names of the bodies; the file is in the order of these.
    pub id: &'a [u32],
    /// Centres, m.
    pub position: &'a [DVec3],
    /// m.
    pub radius: &'a [f64],
    /// m/s.
    pub velocity: &'a [DVec3],
    /// ω in the world frame, rad/s.
    pub angular_velocity: &'a [DVec3],
    /// Orientations of the body frames.
    pub orientation: &'a [DQuat],
    /// Indices of materials.
    pub material: &'a [u16],
    /// kg.
    pub mass: &'a [f64],
    /// What of them touches others.
    pub shape: &'a [BodyShape],
    /// The solids that bodies name by their numbers; of another length than the rest.
    pub solids: &'a [Solid],
    /// How often they have left the cell along each axis.
    pub crossed: &'a [[i32; 3]],
    /// The periodic cell that they are in, if they are in one.
    pub cell: Option<&'a Cell>,
}

impl<'a> BodyFrame<'a> {
    /// The bodies as they are now.
    pub fn of(bodies: &'a Bodies) -> Self {
        Self {
            id: &bodies.id,
            position: &bodies.position,
            radius: &bodies.radius,
            velocity: &bodies.velocity,
            angular_velocity: &bodies.angular_velocity,
            orientation: &bodies.orientation,
            material: &bodies.material,
            mass: &bodies.mass,
            shape: &bodies.shape,
            solids: &bodies.solids,
            crossed: &bodies.crossed,
            cell: None,
        }
    }

    /// The same in a periodic cell, if there is one.
    pub fn in_cell(self, cell: Option<&'a Cell>) -> Self {
        Self { cell, ..self }
    }
}

/// Walls where they are at a time (s), on bodies with these ids, positions (m) and orientations.
pub fn placed_walls(
    walls: &[Wall],
    time: f64,
    ids: &[u32],
    position: &[DVec3],
    orientation: &[DQuat],
) -> Vec<Wall> {
    let pose = |id: u32| {
        let place = ids.iter().position(|other| *other == id)?;
        Some((position[place], orientation[place]))
    };
    walls.iter().map(|wall| wall.placed(time, pose)).collect()
}

/// The contacts of the step that ends at the time of the frame; all slices have the same length.
///
/// Points, normals and gaps belong together: they are those of the time where the step looked for
/// contacts (with most schemes its start), not of the bodies of the same frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContactFrame<'a> {
    /// Contact points, on the surface of body a, m.
    pub point: &'a [DVec3],
    /// Unit normals, from body b (or the wall) to body a.
    pub normal: &'a [DVec3],
    /// Mean force over the step on body a with its tangential part, world frame, N.
    pub force: &'a [DVec3],
    /// Mean moment over the step on body a that resists rolling and spinning, world frame, N m;
    /// empty if no law has moments. The moment of the force about the centre comes on top of it.
    pub moment: &'a [DVec3],
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: &'a [f64],
    /// Id of body a.
    pub body_a: &'a [i64],
    /// Id of body b, or `-1 - w` for the wall with index w.
    pub body_b: &'a [i64],
    /// 1 for a bond, 0 for another contact; empty if no law has bonds.
    pub bonded: &'a [i64],
}

fn same_length(path: &Path, expected: usize, lengths: &[(&str, usize)]) -> Result<(), WriteError> {
    match lengths.iter().find(|(_, found)| *found != expected) {
        None => Ok(()),
        Some((what, found)) => Err(WriteError::Length {
            path: path.to_owned(),
            what: (*what).to_owned(),
            expected,
            found: *found,
        }),
    }
}

/// Writes bodies as a `.vtp` file, in the order of ids.
///
/// Arrays: `id`, `radius`, `velocity`, `angular_velocity`, `orientation` (a quaternion in the
/// order x, y, z, w with the scalar last), `material`, `mass`, `shape` (the number of the solid, -1 for a sphere, -2
/// for what only carries walls). The `radius` of a solid is that of a sphere about its centre that holds it. In a
/// periodic cell also `through` (m): from the place of a body to where it would be had it not been brought back into the
/// cell. `time` in s.
pub fn write_bodies(path: &Path, time: f64, frame: &BodyFrame<'_>) -> Result<(), WriteError> {
    let count = frame.id.len();
    let lengths = [
        ("position", frame.position.len()),
        ("radius", frame.radius.len()),
        ("velocity", frame.velocity.len()),
        ("angular_velocity", frame.angular_velocity.len()),
        ("orientation", frame.orientation.len()),
        ("material", frame.material.len()),
        ("mass", frame.mass.len()),
        ("shape", frame.shape.len()),
        ("crossed", frame.crossed.len()),
    ];
    same_length(path, count, &lengths)?;
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&place| frame.id[place]);
    let places = || order.iter().copied();
    let mut point_data = vec![
        DataArray::words("id", places().map(|i| frame.id[i])),
        DataArray::scalars("radius", places().map(|i| frame.radius[i])),
        DataArray::vectors("velocity", places().map(|i| frame.velocity[i])),
        DataArray::vectors(
            "angular_velocity",
            places().map(|i| frame.angular_velocity[i]),
        ),
        DataArray::quadruples(
            "orientation",
            places().map(|i| frame.orientation[i].to_array()),
        ),
        DataArray::shorts("material", places().map(|i| frame.material[i])),
        DataArray::scalars("mass", places().map(|i| frame.mass[i])),
        DataArray::integers("shape", places().map(|i| shape_number(frame.shape[i]))),
    ];
    if let Some(cell) = frame.cell {
        let through = places().map(|i| cell.way_through(frame.crossed[i]));
        point_data.push(DataArray::vectors("through", through));
    }
    let points = places().map(|i| frame.position[i]).collect();
    write_points(path, time, points, point_data)
}

/// The number of a body's solid, or what stands for other shapes.
fn shape_number(shape: BodyShape) -> i64 {
    match shape {
        BodyShape::Sphere => -1,
        BodyShape::Walls => -2,
        BodyShape::Solid(number) => i64::from(number),
    }
}

/// The shape that [`shape_number`] gives a number; none for other numbers.
pub(super) fn shape_of_number(number: i64) -> Option<BodyShape> {
    match number {
        -1 => Some(BodyShape::Sphere),
        -2 => Some(BodyShape::Walls),
        _ => u32::try_from(number).ok().map(BodyShape::Solid),
    }
}

/// Writes points, each a vertex of its own, with one value (or tuple) a point.
fn write_points(
    path: &Path,
    time: f64,
    points: Vec<DVec3>,
    point_data: Vec<DataArray>,
) -> Result<(), WriteError> {
    PolyData {
        time,
        points,
        short: false,
        point_data,
        cells: Cells::Vertices,
    }
    .write(path)
}

/// Writes contacts as a `.vtp` file.
///
/// Arrays: `normal`, `force` (N), `normal_force` (N, the force along the normal), `moment` (N m, if
/// there are moments), `gap` (m), `body_a`, `body_b`, `bonded` (1 or 0, if there are bonds). `time` in s.
pub fn write_contacts(path: &Path, time: f64, frame: &ContactFrame<'_>) -> Result<(), WriteError> {
    let mut lengths = vec![
        ("normal", frame.normal.len()),
        ("force", frame.force.len()),
        ("gap", frame.gap.len()),
        ("body_a", frame.body_a.len()),
        ("body_b", frame.body_b.len()),
    ];
    if !frame.moment.is_empty() {
        lengths.push(("moment", frame.moment.len()));
    }
    if !frame.bonded.is_empty() {
        lengths.push(("bonded", frame.bonded.len()));
    }
    same_length(path, frame.point.len(), &lengths)?;
    let along = frame.force.iter().zip(frame.normal);
    let mut point_data = vec![
        DataArray::vectors("normal", frame.normal.iter().copied()),
        DataArray::vectors("force", frame.force.iter().copied()),
        DataArray::scalars("normal_force", along.map(|(force, n)| force.dot(*n))),
        DataArray::scalars("gap", frame.gap.iter().copied()),
        DataArray::integers("body_a", frame.body_a.iter().copied()),
        DataArray::integers("body_b", frame.body_b.iter().copied()),
    ];
    if !frame.moment.is_empty() {
        let moments = frame.moment.iter().copied();
        point_data.push(DataArray::vectors("moment", moments));
    }
    if !frame.bonded.is_empty() {
        let bonded = frame.bonded.iter().copied();
        point_data.push(DataArray::integers("bonded", bonded));
    }
    write_points(path, time, frame.point.to_vec(), point_data)
}
