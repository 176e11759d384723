//! The surfaces of bodies that are no spheres, where they are.

use super::vtk_writer::{Cells, DataArray, PolyData};
use super::{BodyFrame, SolidMesh, WriteError, tessellate_solid};
use granule::bodies::{BodyShape, Dimension};
use granule::math::Pose;
use std::path::Path;

/// The sides of the polygon that stands for a circle, by how many solids there are at most: a file shall be no
/// larger than a picture needs.
const SIDES: [(usize, u32); 3] = [(30, 48), (300, 24), (3000, 16)];
/// The same for more.
const FEWEST_SIDES: u32 = 12;

/// Bodies that flew farther (m) are left out: single precision ends soon after.
const FARTHEST: f64 = 1e30;

/// The places of the solids among bodies, with their numbers.
fn solids<'a>(frame: &BodyFrame<'a>) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let shapes = frame.shape.iter().enumerate();
    shapes.filter_map(|(place, shape)| match shape {
        BodyShape::Solid(number) => Some((place, *number as usize)),
        BodyShape::Sphere | BodyShape::Walls => None,
    })
}

/// Whether there are solids among the bodies.
pub(super) fn has_solids(frame: &BodyFrame<'_>) -> bool {
    solids(frame).next().is_some()
}

/// Writes the surfaces of all solids at `time` (s), where they are, as a triangulated `.vtp` file in the order of ids.
///
/// Cell arrays: `id`, `material`, `velocity` (of the centre, m/s). Round shapes have the fewer triangles the
/// more solids there are, and points are in single precision: the file is for looking at. Spheres are points with a
/// radius, in the file of bodies.
pub fn write_shapes(
    path: &Path,
    time: f64,
    frame: &BodyFrame<'_>,
    dimension: Dimension,
) -> Result<(), WriteError> {
    let mut places: Vec<(usize, usize)> = solids(frame).collect();
    places.sort_by_key(|&(place, _)| frame.id[place]);
    let sides = SIDES.iter().find(|(most, _)| places.len() <= *most);
    let sides = sides.map_or(FEWEST_SIDES, |(_, sides)| *sides);
    let mesh = |solid| tessellate_solid(solid, dimension, sides).welded();
    let meshes: Vec<SolidMesh> = frame.solids.iter().map(mesh).collect();
    let (mut points, mut triangles, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    for (place, number) in places {
        let Some(mesh) = meshes.get(number) else {
            continue;
        };
        let pose = Pose::new(frame.position[place], frame.orientation[place]);
        let near = pose.position.abs().max_element() < FARTHEST;
        if !(near && pose.orientation.is_finite()) {
            continue;
        }
        let first = points.len() as u32;
        points.extend(mesh.points.iter().map(|point| pose.point(*point)));
        let corners = mesh.triangles.iter();
        triangles.extend(corners.map(|t| t.map(|corner| first + corner)));
        owners.extend(std::iter::repeat_n(place, mesh.triangles.len()));
    }
    let owners = || owners.iter().copied();
    let cell_data = vec![
        DataArray::words("id", owners().map(|i| frame.id[i])),
        DataArray::shorts("material", owners().map(|i| frame.material[i])),
        DataArray::vectors("velocity", owners().map(|i| frame.velocity[i])),
    ];
    PolyData {
        time,
        points,
        short: true,
        point_data: Vec::new(),
        cells: Cells::Triangles(triangles, cell_data),
    }
    .write(path)
}
