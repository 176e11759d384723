//! Surfaces of triangles.

mod beyond;
mod closest;
mod contacts;
mod decomposition;
mod defects;
mod edges;
mod error;
mod mass;
mod normals;
mod tree;
mod weld;

pub use beyond::Beyond;
pub use contacts::MeshContact;
pub use defects::{Defect, DefectKind};
pub use error::MeshError;
pub use weld::Repairs;

use crate::math::DVec3;
use edges::Adjacency;
use serde::{Deserialize, Serialize, Serializer};
use tree::Tree;

/// Vertices nearer than this part of the diagonal of the mesh's box are one: twice what rounding to single
/// precision, in which meshes are stored, can part them by.
const WELD: f64 = 2.5e-7;
/// Coordinates and sizes (m) whose fifth powers, as in moments of inertia, neither vanish nor overflow.
const LARGEST: f64 = 1e60;
const SMALLEST: f64 = 1e-60;

/// A surface of triangles in a frame of its own, thin and with two sides; if it is watertight, also the
/// solid that it encloses.
///
/// The corners of a triangle are counter-clockwise as seen from the side that its normal points to, which for
/// a solid is outside. That the surface does not cut itself is not checked.
///
/// ```
/// use granule::math::DVec3;
/// use granule::shapes::TriangleMesh;
/// // A square in the plane z = 0 as two triangles, and a ball above the edge that they share.
/// let vertices = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
/// let square = TriangleMesh::new(&vertices, &[[0, 1, 2], [0, 2, 3]])?;
/// let mut contacts = Vec::new();
/// square.ball_contacts(DVec3::new(0.5, 0.5, 0.1), 0.12, &mut contacts);
/// assert_eq!(contacts.len(), 1);
/// assert_eq!((contacts[0].normal, contacts[0].distance), (DVec3::Z, 0.1));
/// assert!(!square.is_watertight());
/// # Ok::<(), granule::shapes::MeshError>(())
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Stored")]
pub struct TriangleMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// The unit normal of each triangle.
    normals: Vec<DVec3>,
    adjacency: Adjacency,
    tree: Tree,
    /// The largest coordinate, m.
    scale: f64,
    /// Triangles that are not farther apart than this meet, m.
    gap: f64,
    repairs: Repairs,
}

impl TriangleMesh {
    /// A mesh of triangles given by the places of their corners in the list of vertices (m).
    ///
    /// Vertices that are not farther from an earlier one than 2.5e-7 of the diagonal of the box about
    /// all triangles become one, triangles without area and vertices without triangles are left out:
    /// [`TriangleMesh::repairs`] says how many. Else the order stays.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        let [min, max] = check(vertices, triangles)?;
        let tolerance = WELD * min.distance(max);
        let (vertices, kept, repairs) = weld::weld(vertices, triangles, min - tolerance, tolerance);
        if kept.is_empty() {
            return Err(MeshError::AllDegenerate {
                count: triangles.len(),
            });
        }
        Ok(Self::assembled(vertices, kept, repairs))
    }

    /// Computes what follows from the vertices and triangles of a mesh that has no need of repairs.
    fn assembled(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>, repairs: Repairs) -> Self {
        let corners = |t: &[u32; 3]| t.map(|k| vertices[k as usize]);
        let normals = triangles
            .iter()
            .map(corners)
            .map(|[a, b, c]| normal(a, b, c));
        let boxes = triangles.iter().map(corners);
        let boxes: Vec<[DVec3; 2]> = boxes
            .map(|[a, b, c]| [a.min(b).min(c), a.max(b).max(c)])
            .collect();
        let tree = Tree::new(&boxes);
        let [min, max] = tree.bounds();
        Self {
            normals: normals.collect(),
            adjacency: Adjacency::new(&vertices, &triangles),
            scale: min.abs().max(max.abs()).max_element(),
            gap: WELD * min.distance(max),
            tree,
            vertices,
            triangles,
            repairs,
        }
    }

    /// Its vertices, m.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The places of the corners of each triangle among the vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of a triangle, m.
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|k| self.vertices[k as usize])
    }

    /// The unit normal of a triangle, to the side from which its corners are counter-clockwise.
    pub fn facet_normal(&self, triangle: u32) -> DVec3 {
        self.normals[triangle as usize]
    }

    /// The corners of the box about the mesh with the smallest and the largest coordinates, m.
    pub fn bounds(&self) -> [DVec3; 2] {
        self.tree.bounds()
    }

    /// What was mended when the mesh was made; nothing for one that was stored and read again.
    pub fn repairs(&self) -> Repairs {
        self.repairs
    }

    /// The mesh with all triangles turned over, so that inside becomes outside.
    pub fn turned_over(&self) -> Self {
        let triangles = self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        Self::assembled(self.vertices.clone(), triangles, self.repairs)
    }

    /// The triangles whose boxes meet the box with the corners `min` and `max` (m), in ascending order. What
    /// `triangles` held is replaced.
    pub fn near(&self, min: DVec3, max: DVec3, triangles: &mut Vec<u32>) {
        triangles.clear();
        let meets = |low: DVec3, high: DVec3| low.cmple(max).all() && high.cmpge(min).all();
        self.tree.walk(meets, |triangle| {
            let [a, b, c] = self.corners(triangle);
            if meets(a.min(b).min(c), a.max(b).max(c)) {
                triangles.push(triangle);
            }
            false
        });
        triangles.sort_unstable();
    }
}

/// The unit normal of a triangle, from its two shortest sides, which are the least alike.
fn normal(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    let [la, lb, lc] = [bc, ca, ab].map(DVec3::length_squared);
    let square = if la >= lb && la >= lc {
        ca.cross(ab)
    } else if lb >= lc {
        ab.cross(bc)
    } else {
        bc.cross(ca)
    };
    square.normalize()
}

/// The corners of the box about the triangles, m, if a mesh can be made of them.
fn check(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<[DVec3; 2], MeshError> {
    if triangles.is_empty() {
        return Err(MeshError::NoTriangles);
    }
    for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
        // There are up to three edges a triangle, and their numbers must fit as well.
        if count > u32::MAX as usize / 3 {
            return Err(MeshError::TooMany { what, count });
        }
    }
    let wrong = |k: &u32| *k as usize >= vertices.len();
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|k| wrong(k)) {
            return Err(MeshError::Index {
                triangle,
                vertex,
                vertices: vertices.len(),
            });
        }
    }
    for (vertex, &position) in vertices.iter().enumerate() {
        if !position.abs().cmple(DVec3::splat(LARGEST)).all() {
            return Err(MeshError::Coordinate { vertex, position });
        }
    }
    let corners = triangles.iter().flatten().map(|&k| vertices[k as usize]);
    let around = |[min, max]: [DVec3; 2], corner: DVec3| [min.min(corner), max.max(corner)];
    let [min, max] = corners.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], around);
    let extent = min.distance(max);
    if extent < SMALLEST {
        return Err(MeshError::Tiny { extent });
    }
    Ok([min, max])
}

/// Meshes are the same if their vertices and triangles are.
impl PartialEq for TriangleMesh {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}

/// What is stored of a mesh; all else follows from it.
#[derive(Deserialize)]
#[serde(rename = "TriangleMesh")]
struct Stored {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl TryFrom<Stored> for TriangleMesh {
    type Error = MeshError;

    /// What was stored was a mesh, so that nothing is welded; but it may have been changed since.
    fn try_from(stored: Stored) -> Result<Self, MeshError> {
        let Stored {
            vertices,
            triangles,
        } = stored;
        check(&vertices, &triangles)?;
        if !triangles.iter().all(|t| weld::has_area(&vertices, *t)) {
            return Self::new(&vertices, &triangles);
        }
        Ok(Self::assembled(vertices, triangles, Repairs::default()))
    }
}

impl Serialize for TriangleMesh {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename = "TriangleMesh")]
        struct Stored<'a> {
            vertices: &'a [DVec3],
            triangles: &'a [[u32; 3]],
        }
        Stored {
            vertices: &self.vertices,
            triangles: &self.triangles,
        }
        .serialize(serializer)
    }
}
