//! Meshes that tests are made with.

use granule::math::{DQuat, DVec3};
use granule::shapes::TriangleMesh;
use std::f64::consts::{PI, TAU};

/// Vertices and triangles before they are a mesh.
#[derive(Clone, Default)]
pub struct Soup {
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    pub fn mesh(&self) -> TriangleMesh {
        TriangleMesh::new(&self.vertices, &self.triangles).unwrap()
    }

    pub fn turned(mut self, turn: DQuat, shift: DVec3) -> Self {
        for vertex in &mut self.vertices {
            *vertex = turn * *vertex + shift;
        }
        self
    }

    /// Vertices of its own for each triangle, as in STL.
    pub fn unshared(&self) -> Self {
        let corners = self.triangles.iter().flatten();
        Self {
            vertices: corners.map(|&k| self.vertices[k as usize]).collect(),
            triangles: (0..self.triangles.len() as u32)
                .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
                .collect(),
        }
    }

    /// A grid of `columns` by `rows` quadrilaterals between points given by their place.
    pub fn grid(columns: u32, rows: u32, point: impl Fn(u32, u32) -> DVec3) -> Self {
        let mut soup = Self::default();
        let number = |i: u32, j: u32| j * (columns + 1) + i;
        for j in 0..=rows {
            for i in 0..=columns {
                soup.vertices.push(point(i, j));
            }
        }
        for j in 0..rows {
            for i in 0..columns {
                let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                let [a, b, c, d] = corners.map(|(i, j)| number(i, j));
                // Diagonals both ways.
                if (i + j) % 2 == 0 {
                    soup.triangles.extend([[a, b, c], [a, c, d]]);
                } else {
                    soup.triangles.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
        soup
    }

    /// The square from 0 to 1 in the plane z = 0, normals upwards.
    pub fn floor(count: u32) -> Self {
        let part = |k: u32| f64::from(k) / f64::from(count);
        Self::grid(count, count, |i, j| DVec3::new(part(i), part(j), 0.0))
    }

    /// A box about the origin with these edges.
    pub fn cuboid(size: [f64; 3]) -> Self {
        let corner = |k: u32| {
            let side = |bit: u32| f64::from((k >> bit) & 1) - 0.5;
            DVec3::new(side(0), side(1), side(2)) * DVec3::from_array(size)
        };
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        Self {
            vertices: (0..8).map(corner).collect(),
            triangles: faces
                .iter()
                .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
                .collect(),
        }
    }

    /// A sphere of radius 1: its poles and meridians.
    pub fn sphere(rings: u32) -> Self {
        Self::grid(2 * rings, rings, |i, j| {
            let (longitude, latitude) = (
                TAU * f64::from(i % (2 * rings)) / f64::from(2 * rings),
                PI * (f64::from(j) / f64::from(rings) - 0.5),
            );
            let across = if j == 0 || j == rings {
                0.0
            } else {
                latitude.cos()
            };
            DVec3::new(
                across * longitude.cos(),
                across * longitude.sin(),
                latitude.sin(),
            )
        })
    }

    /// A torus about the z axis.
    pub fn torus(large: f64, small: f64, around: u32, across: u32) -> Self {
        Self::grid(around, across, |i, j| {
            let a = TAU * f64::from(i % around) / f64::from(around);
            let b = TAU * f64::from(j % across) / f64::from(across);
            let rho = large + small * b.cos();
            DVec3::new(rho * a.cos(), rho * a.sin(), small * b.sin())
        })
    }
}
