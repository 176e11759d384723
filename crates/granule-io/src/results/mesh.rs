//! Walls as triangles.

use super::WriteError;
use super::vtk_writer::{Cells, DataArray, PolyData};
use glam::{DQuat, DVec3};
use granule::bodies::Wall;
use granule::shapes::{Beyond, Patch, TriangleMesh};
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::path::Path;

/// Sides of the prism that stands for a cylinder.
const SEGMENTS: usize = 72;
/// Edges of a mesh that are bent by more than this (its cosine, 25°) are drawn, but no more than so many of them.
const SHARP: f64 = 0.906;
const MOST_EDGES: usize = 20_000;

/// An axis-aligned box, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: DVec3,
    /// The corner with the largest coordinates.
    pub max: DVec3,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            min: DVec3::INFINITY,
            max: DVec3::NEG_INFINITY,
        }
    }
}

impl Bounds {
    /// The box around spheres; those that are not finite are left out.
    pub fn of_spheres(centers: &[DVec3], radii: &[f64]) -> Self {
        let mut bounds = Self::default();
        for (&center, &radius) in centers.iter().zip(radii) {
            bounds.include(center - radius);
            bounds.include(center + radius);
        }
        bounds
    }

    /// The box around points; those that are not finite are left out.
    pub fn of(points: &[DVec3]) -> Self {
        let mut bounds = Self::default();
        points.iter().for_each(|&point| bounds.include(point));
        bounds
    }

    /// Grows the box to hold a point; one that is not finite changes nothing.
    pub fn include(&mut self, point: DVec3) {
        if point.is_finite() {
            self.min = self.min.min(point);
            self.max = self.max.max(point);
        }
    }

    /// Whether nothing was included yet.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// The middle, m; the origin for an empty box.
    pub fn center(&self) -> DVec3 {
        if self.is_empty() {
            DVec3::ZERO
        } else {
            0.5 * (self.min + self.max)
        }
    }

    /// The length of the diagonal, m; zero for an empty box.
    pub fn diagonal(&self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            (self.max - self.min).length()
        }
    }

    /// The eight corners.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|k| {
            let pick = |axis: usize| {
                if k >> axis & 1 == 0 {
                    self.min[axis]
                } else {
                    self.max[axis]
                }
            };
            DVec3::new(pick(0), pick(1), pick(2))
        })
    }
}

/// A patch as triangles, in the world frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PatchMesh {
    /// m.
    pub points: Vec<DVec3>,
    /// Indices of points.
    pub triangles: Vec<[u32; 3]>,
    /// The edges a person would draw, as lines through these points: rims and sides.
    pub outlines: Vec<Vec<DVec3>>,
}

/// Turns a patch with the given pose into triangles.
///
/// A plane has no end: it is drawn as a square about the foot of the middle of `bounds`, large
/// enough to lie under all of it. Where the numbers are not finite the mesh is empty.
pub fn tessellate(patch: &Patch, position: DVec3, turn: DQuat, bounds: &Bounds) -> PatchMesh {
    let mut mesh = match patch {
        Patch::Plane => square_under(bounds, position, turn),
        Patch::Revolved { start, end } => revolved(*start, *end),
        Patch::Rectangle {
            axis, center, half, ..
        } => {
            let (mut u, mut v) = (DVec3::ZERO, DVec3::ZERO);
            u[(axis + 1) % 3] = half[0];
            v[(axis + 2) % 3] = half[1];
            quadrilateral(*center, u, v)
        }
        Patch::Block { half } => solid_box(*half),
        Patch::Mesh(mesh) => triangles(mesh),
    };
    let outlines = mesh.outlines.iter_mut().flatten();
    mesh.points
        .iter_mut()
        .chain(outlines)
        .for_each(|p| *p = position + turn * *p);
    if mesh.points.iter().all(|p| p.is_finite()) {
        mesh
    } else {
        PatchMesh::default()
    }
}

fn quadrilateral(center: DVec3, u: DVec3, v: DVec3) -> PatchMesh {
    let points = vec![
        center - u - v,
        center + u - v,
        center + u + v,
        center - u + v,
    ];
    let mut outline = points.clone();
    outline.push(points[0]);
    PatchMesh {
        points,
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        outlines: vec![outline],
    }
}

/// The six faces, their corners in the order of [`Bounds::corners`].
fn solid_box(half: DVec3) -> PatchMesh {
    let bounds = Bounds {
        min: -half,
        max: half,
    };
    let corners = bounds.corners();
    // Seen from outside, the corners of each face run anticlockwise.
    let faces = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let edges = (0..3).flat_map(|axis| {
        let starts = (0..8usize).filter(move |corner| corner >> axis & 1 == 0);
        starts.map(move |corner| [corner, corner | 1 << axis])
    });
    PatchMesh {
        points: corners.to_vec(),
        triangles: faces
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
        outlines: edges
            .map(|ends| ends.map(|corner| corners[corner]).to_vec())
            .collect(),
    }
}

/// A square in the plane z = 0 of the wall's frame, under everything in `bounds`.
fn square_under(bounds: &Bounds, position: DVec3, turn: DQuat) -> PatchMesh {
    let back = turn.conjugate();
    let mut foot = back * (bounds.center() - position);
    foot.z = 0.0;
    let half = if bounds.is_empty() {
        1.0
    } else {
        (0.6 * bounds.diagonal()).max(1e-12)
    };
    quadrilateral(foot, half * DVec3::X, half * DVec3::Y)
}

fn revolved(start: [f64; 2], end: [f64; 2]) -> PatchMesh {
    let ring = |[rho, z]: [f64; 2]| {
        (0..SEGMENTS).map(move |k| {
            let angle = TAU * k as f64 / SEGMENTS as f64;
            DVec3::new(rho * angle.cos(), rho * angle.sin(), z)
        })
    };
    let mut mesh = PatchMesh::default();
    mesh.points.extend(ring(start).chain(ring(end)));
    let segments = SEGMENTS as u32;
    for k in 0..segments {
        let next = (k + 1) % segments;
        // At a tip one of the two triangles has no area.
        if start[0] > 0.0 {
            mesh.triangles.push([k, next, segments + next]);
        }
        if end[0] > 0.0 {
            mesh.triangles.push([k, segments + next, segments + k]);
        }
    }
    for rim in [start, end].into_iter().filter(|rim| rim[0] > 0.0) {
        let mut line: Vec<DVec3> = ring(rim).collect();
        line.push(line[0]);
        mesh.outlines.push(line);
    }
    mesh
}

/// A mesh with its rims and sharp edges; of very many, the longest.
fn triangles(mesh: &TriangleMesh) -> PatchMesh {
    let mut ends: BTreeSet<[u32; 2]> = BTreeSet::new();
    for (number, corners) in (0u32..).zip(mesh.triangles()) {
        let own = mesh.facet_normal(number);
        for side in 0..3 {
            let sharp = match mesh.beyond(number, side) {
                Beyond::Open | Beyond::Branching => true,
                Beyond::Flat => false,
                Beyond::Concave { normal } | Beyond::Convex { normal } => own.dot(normal) < SHARP,
            };
            if sharp {
                let (from, to) = (corners[side], corners[(side + 1) % 3]);
                ends.insert([from.min(to), from.max(to)]);
            }
        }
    }
    let points = mesh.vertices();
    let edges = ends
        .into_iter()
        .map(|ends| ends.map(|k| points[k as usize]));
    let mut edges: Vec<[DVec3; 2]> = edges.collect();
    if edges.len() > MOST_EDGES {
        edges.sort_by(|a, b| b[0].distance(b[1]).total_cmp(&a[0].distance(a[1])));
        edges.truncate(MOST_EDGES);
    }
    PatchMesh {
        points: points.to_vec(),
        triangles: mesh.triangles().to_vec(),
        outlines: edges.iter().map(|ends| ends.to_vec()).collect(),
    }
}

/// Writes walls at `time` (s) as a triangulated `.vtp` surface; open faces are left out.
///
/// Cell arrays: `wall` (index of the wall), `material`.
pub fn write_walls(
    path: &Path,
    time: f64,
    walls: &[Wall],
    bounds: &Bounds,
) -> Result<(), WriteError> {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let (mut indices, mut materials) = (Vec::new(), Vec::new());
    for (index, wall) in walls.iter().enumerate() {
        let (position, turn) = wall.kinematics.pose(time);
        for patch in &wall.patches {
            let mesh = tessellate(patch, position, turn, bounds);
            let first = points.len() as u32;
            points.extend(mesh.points);
            indices.extend(std::iter::repeat_n(index as u32, mesh.triangles.len()));
            materials.extend(std::iter::repeat_n(wall.material, mesh.triangles.len()));
            triangles.extend(
                mesh.triangles
                    .iter()
                    .map(|t| t.map(|corner| first + corner)),
            );
        }
    }
    let cell_data = vec![
        DataArray::words("wall", indices.into_iter()),
        DataArray::shorts("material", materials.into_iter()),
    ];
    let cells = Cells::Triangles(triangles, cell_data);
    PolyData {
        time,
        points,
        short: false,
        point_data: Vec::new(),
        cells,
    }
    .write(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule::bodies::Motion;
    use granule::shapes::{Block, BoxContainer, Cone, HalfSpace, Plate, Surface};

    fn area(mesh: &PatchMesh) -> f64 {
        let corner = |k: u32| mesh.points[k as usize];
        let triangle = |t: &[u32; 3]| {
            0.5 * (corner(t[1]) - corner(t[0]))
                .cross(corner(t[2]) - corner(t[0]))
                .length()
        };
        mesh.triangles.iter().map(triangle).sum()
    }

    fn meshes(wall: &Wall, bounds: &Bounds) -> Vec<PatchMesh> {
        let (position, turn) = wall.kinematics.pose(0.0);
        wall.patches
            .iter()
            .map(|patch| tessellate(patch, position, turn, bounds))
            .collect()
    }

    #[test]
    fn areas_are_right_and_open_faces_left_out() {
        let mut open = BoxContainer::closed([1.0, 2.0, 3.0]);
        open.closed[5] = false;
        let wall = Wall::new(Surface::Box(open), DVec3::ONE, DVec3::X, Motion::Fixed);
        let total: f64 = meshes(&wall, &Bounds::default()).iter().map(area).sum();
        assert!((total - (2.0 + 6.0 + 6.0 + 3.0 + 3.0)).abs() < 1e-12);

        let cone = Cone {
            bottom_radius: 0.0,
            top_radius: 1.0,
            length: 2.0,
            bottom: true,
            top: true,
        };
        let wall = Wall::new(Surface::Cone(cone), DVec3::ZERO, DVec3::Y, Motion::Fixed);
        let total: f64 = meshes(&wall, &Bounds::default()).iter().map(area).sum();
        let exact = std::f64::consts::PI * (1.0 + 5f64.sqrt());
        assert!((total / exact - 1.0).abs() < 5e-3);
    }

    #[test]
    fn blocks_and_plates_are_closed_and_face_outwards() {
        let size = [1.0, 2.0, 3.0];
        let surface = Surface::Block(Block { size });
        let wall = Wall::new(surface, DVec3::ONE, DVec3::X, Motion::Fixed);
        let mesh = meshes(&wall, &Bounds::default()).remove(0);
        assert!((area(&mesh) - 22.0).abs() < 1e-12);
        // The flux of x through the surface is three times the volume.
        let corner = |k: u32| mesh.points[k as usize];
        let flux = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0;
        let volume: f64 = mesh.triangles.iter().map(flux).sum();
        assert!((volume - 6.0).abs() < 1e-12, "{volume}");
        let drawn = mesh.outlines.iter().map(|line| line[0].distance(line[1]));
        assert!((drawn.sum::<f64>() - 24.0).abs() < 1e-12);

        let (width, height) = (0.5, 3.0);
        let surface = Surface::Plate(Plate { width, height });
        let wall = Wall::new(surface, DVec3::ONE, DVec3::X, Motion::Fixed);
        let mesh = meshes(&wall, &Bounds::default()).remove(0);
        assert!((area(&mesh) - 1.5).abs() < 1e-12);
        assert!(mesh.points.iter().all(|p| (p.x - 1.0).abs() < 1e-12));
    }

    #[test]
    fn a_half_space_lies_in_its_plane_under_the_bodies() {
        let bounds = Bounds::of_spheres(&[DVec3::new(3.0, 0.0, 5.0)], &[0.5]);
        let axis = DVec3::new(0.0, 1.0, 1.0);
        let wall = Wall::new(
            Surface::HalfSpace(HalfSpace),
            DVec3::new(0.0, 0.0, 1.0),
            axis,
            Motion::Fixed,
        );
        for mesh in meshes(&wall, &bounds) {
            for point in &mesh.points {
                assert!((point.y + point.z - 1.0).abs() < 1e-12);
            }
            assert!(area(&mesh) > 0.0);
        }
        // Nothing to be near to, or nothing finite, is no reason to fail.
        assert!(area(&meshes(&wall, &Bounds::default())[0]) > 0.0);
        let lost = Bounds::of_spheres(&[DVec3::NAN], &[1.0]);
        assert!(lost.is_empty());
    }
}
