//! The file of a periodic cell: its corners, how they move, and its edges.

use super::vtk_writer::{Cells, DataArray, PolyData};
use super::{BodyFrame, PointCloud, ReadError, WriteError, read_points};
use glam::DVec3;
use granule::bodies::{Cell, CellRate, Lattice, Shear, TimeFunction};
use std::path::Path;

/// The directions from the first corner along the edges to those with the numbers 1, 2 and 4, m.
fn edges(lattice: &Lattice) -> [DVec3; 3] {
    let [flow, gradient, _] = lattice.axes();
    let mut edges = [DVec3::ZERO; 3];
    for (axis, edge) in edges.iter_mut().enumerate() {
        edge[axis] = lattice.size()[axis];
    }
    edges[gradient][flow] += lattice.tilt() * lattice.size()[flow];
    edges
}

/// The eight corners of a cell, m: bit k of a corner's number says whether it is on the upper face along axis k.
pub fn cell_corners(cell: &Cell) -> [DVec3; 8] {
    let edges = edges(&cell.lattice());
    std::array::from_fn(|corner| cell.center + offset(&edges, corner))
}

/// From the middle of a cell to a corner, m.
fn offset(edges: &[DVec3; 3], corner: usize) -> DVec3 {
    let side = |axis: usize| if corner >> axis & 1 == 1 { 0.5 } else { -0.5 };
    (0..3).map(|axis| side(axis) * edges[axis]).sum()
}

/// Writes the eight corners of a cell (bit k of a corner's number: the upper face along axis k) with their `velocity`,
/// and its edges. Along axes that are not periodic it has no length.
pub(super) fn write_cell(path: &Path, time: f64, cell: &Cell) -> Result<(), WriteError> {
    let lattice = cell.lattice();
    let edges = edges(&lattice);
    let velocity = |corner: usize| lattice.flow() * offset(&edges, corner);
    let lines = (0..8u32).flat_map(|corner| {
        let up = (0..3).map(move |axis| corner | 1 << axis);
        up.filter(move |other| *other != corner)
            .map(move |other| [corner, other])
    });
    PolyData {
        time,
        points: cell_corners(cell).to_vec(),
        short: false,
        point_data: vec![DataArray::vectors("velocity", (0..8).map(velocity))],
        cells: Cells::Lines(lines.collect()),
    }
    .write(path)
}

/// Reads what [`write_cell`] has written: the cell as it was, without what moves its faces.
pub(super) fn read_cell(path: &Path) -> Result<Cell, ReadError> {
    let PointCloud { points, arrays } = read_points(path)?;
    let malformed = || ReadError::malformed(path, "it has not the eight corners of a cell");
    let velocities = match arrays.get("velocity") {
        Some((3, values)) => values.as_chunks::<3>().0,
        _ => return Err(malformed()),
    };
    if points.len() != 8 || velocities.len() != 8 {
        return Err(malformed());
    }
    let corner = |k: usize| DVec3::from_array(points[k]);
    let velocity = |k: usize| DVec3::from_array(velocities[k]);
    let edges = [1, 2, 4].map(|k| corner(k) - corner(0));
    let rates = [1, 2, 4].map(|k| velocity(k) - velocity(0));
    let diagonal = |of: [DVec3; 3]| DVec3::new(of[0].x, of[1].y, of[2].z);
    let mut cell = Cell::new(0.5 * (corner(0) + corner(7)), diagonal(edges));
    cell.rate.size = diagonal(rates);
    let across = (0..9).map(|k| (k / 3, k % 3)).filter(|(g, f)| g != f);
    let slanted = |&(g, f): &(usize, usize)| edges[g][f] != 0.0 || rates[g][f] != 0.0;
    if let Some((gradient, flow)) = across.into_iter().find(slanted) {
        let (size, along) = (cell.size, cell.rate.size[flow]);
        cell.tilt = edges[gradient][flow] / size[flow];
        let shear = (rates[gradient][flow] - along * cell.tilt) / size[gradient];
        cell.rate = CellRate { shear, ..cell.rate };
        cell.shear = Some(Shear {
            flow,
            gradient,
            rate: TimeFunction::Constant(shear),
        });
    }
    Ok(cell)
}

/// The images of bodies that reach into the cell from outside, as bodies.
pub(super) struct Images<'a> {
    of: &'a BodyFrame<'a>,
    /// The place of the body, and from it to its image, m, and its velocity besides, m/s.
    list: Vec<(usize, DVec3, DVec3)>,
}

impl<'a> Images<'a> {
    pub(super) fn new(of: &'a BodyFrame<'a>, cell: &Cell) -> Self {
        let lattice = cell.lattice();
        let mut list = Vec::new();
        for (place, position) in of.position.iter().enumerate() {
            lattice.each_image(*position - cell.center, of.radius[place], |image| {
                list.push((place, lattice.shift(image), lattice.velocity(image)));
            });
        }
        Self { of, list }
    }

    /// Writes them like bodies, with the ids of those that they are images of.
    pub(super) fn write(&self, path: &Path, time: f64) -> Result<(), WriteError> {
        let of = self.of;
        fn picked<T: Copy>(values: &[T], list: &[(usize, DVec3, DVec3)]) -> Vec<T> {
            list.iter().map(|(place, ..)| values[*place]).collect()
        }
        let list = &self.list;
        let moved = |values: &[DVec3], by: fn(&(usize, DVec3, DVec3)) -> DVec3| -> Vec<DVec3> {
            list.iter()
                .map(|image| values[image.0] + by(image))
                .collect()
        };
        super::frame::write_bodies(
            path,
            time,
            &BodyFrame {
                id: &picked(of.id, list),
                position: &moved(of.position, |image| image.1),
                radius: &picked(of.radius, list),
                velocity: &moved(of.velocity, |image| image.2),
                angular_velocity: &picked(of.angular_velocity, list),
                orientation: &picked(of.orientation, list),
                material: &picked(of.material, list),
                mass: &picked(of.mass, list),
                shape: &picked(of.shape, list),
                solids: of.solids,
                crossed: &picked(of.crossed, list),
                cell: None,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.vtp");
        let mut cell = Cell::new(DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.0, 2.0, 0.0));
        cell.rate.size = DVec3::new(0.2, -0.1, 0.0);
        cell.rate.shear = 3.0;
        cell.tilt = 0.3;
        cell.shear = Some(Shear {
            flow: 1,
            gradient: 0,
            rate: TimeFunction::Constant(3.0),
        });
        write_cell(&path, 0.5, &cell).unwrap();
        let found = read_cell(&path).unwrap();
        let close = |a: DVec3, b: DVec3| (a - b).length() < 1e-14;
        assert!(close(found.center, cell.center) && close(found.size, cell.size));
        assert!(close(found.rate.size, cell.rate.size));
        assert!((found.rate.shear - 3.0).abs() < 1e-13, "{found:?}");
        assert!((found.tilt - 0.3).abs() < 1e-14, "{found:?}");
        let shear = found.shear.unwrap();
        assert_eq!([shear.flow, shear.gradient], [1, 0]);
        // One that stands still in a straight box, too.
        write_cell(&path, 0.5, &Cell::new(DVec3::ZERO, DVec3::ONE)).unwrap();
        assert_eq!(
            read_cell(&path).unwrap(),
            Cell::new(DVec3::ZERO, DVec3::ONE)
        );
    }
}
