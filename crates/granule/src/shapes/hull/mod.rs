//! Solids with flat faces, their edges rounded or not.

mod mass;
mod of_points;
mod validate;

use crate::math::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// Of a length beside the size of a polygon: what is below this is rounding.
const ROUNDING: f64 = 1e-12;

/// A face of a [`Hull`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HullFace {
    /// Its corners (places in [`Hull::vertices`]), counter-clockwise seen from outside.
    pub corners: Vec<u32>,
    /// Unit normal, outwards.
    pub normal: DVec3,
}

/// An edge of a [`Hull`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HullEdge {
    /// Its ends (places in [`Hull::vertices`]), the lower one first.
    pub ends: [u32; 2],
    /// The faces on its two sides (places in [`Hull::faces`]); none for a segment, which has no faces.
    pub faces: Option<[u32; 2]>,
}

/// All points within `radius` of a convex polyhedron: a box, a prism, a hull of points, rounded or
/// sharp; with one corner a ball, with two a capsule, with the two sides of a polygon a thin plate.
///
/// ```
/// use granule::math::DVec3;
/// use granule::shapes::Hull;
/// let brick = Hull::cuboid(DVec3::new(0.1, 0.05, 0.03));
/// assert_eq!((brick.vertices.len(), brick.edges.len(), brick.faces.len()), (8, 12, 6));
/// let lens = brick.with_radius(0.01);
/// assert!((lens.support(DVec3::X).x - 0.11).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hull {
    /// Corners of the polyhedron, m.
    pub vertices: Vec<DVec3>,
    /// Its faces: none for a point or a segment, two for a flat polygon.
    pub faces: Vec<HullFace>,
    /// Its edges, each once.
    pub edges: Vec<HullEdge>,
    /// How far the solid goes beyond the polyhedron, m; zero for sharp edges.
    pub radius: f64,
}

impl Hull {
    /// A ball about the origin; its radius in m.
    pub fn ball(radius: f64) -> Self {
        Self {
            vertices: vec![DVec3::ZERO],
            faces: Vec::new(),
            edges: Vec::new(),
            radius,
        }
    }

    /// A capsule: all points within `radius` of the segment from -`half_length` to `half_length` on the
    /// z axis, m.
    pub fn segment(half_length: f64, radius: f64) -> Self {
        let end = half_length * DVec3::Z;
        Self {
            vertices: vec![-end, end],
            faces: Vec::new(),
            edges: vec![HullEdge {
                ends: [0, 1],
                faces: None,
            }],
            radius,
        }
    }

    /// A box about the origin with sharp edges; half its lengths along x, y, z in m. Corner k has the
    /// sign of x, y, z by the bits 1, 2, 4 of k.
    pub fn cuboid(half: DVec3) -> Self {
        let sign = |corner: u32, bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
        let corner = |k| half * DVec3::new(sign(k, 1), sign(k, 2), sign(k, 4));
        let faces = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let faces = faces.map(|corners| corners.to_vec()).to_vec();
        Self::from_faces((0..8).map(corner).collect(), faces)
    }

    /// The prism over a convex polygon (its corners in order, m) between -`half_height` and `half_height`
    /// along z.
    pub fn prism(polygon: &[DVec2], half_height: f64) -> Result<Self, String> {
        if !(half_height > 0.0 && half_height.is_finite()) {
            return Err(format!(
                "half the height of the prism must be positive (m), not {half_height}"
            ));
        }
        let flat: Vec<DVec3> = polygon.iter().map(|p| p.extend(0.0)).collect();
        let normal = polygon_normal(&flat)?;
        // Counter-clockwise seen from above.
        let mut ring = flat;
        if normal.z < 0.0 {
            ring.reverse();
        }
        let count = ring.len() as u32;
        let level = half_height * DVec3::Z;
        let below = ring.iter().map(|p| p - level);
        let vertices = below.chain(ring.iter().map(|p| p + level)).collect();
        let mut faces = vec![
            (0..count).rev().collect::<Vec<u32>>(),
            (count..2 * count).collect(),
        ];
        faces.extend((0..count).map(|k| {
            let next = (k + 1) % count;
            vec![k, next, next + count, k + count]
        }));
        Ok(Self::from_faces(vertices, faces))
    }

    /// A flat convex polygon (its corners in order, m), which has two sides.
    pub fn facet(corners: &[DVec3]) -> Result<Self, String> {
        polygon_normal(corners)?;
        let count = corners.len() as u32;
        let faces = vec![(0..count).collect(), (0..count).rev().collect()];
        Ok(Self::from_faces(corners.to_vec(), faces))
    }

    /// Makes this facet another one with as many corners (m), in the same memory.
    pub fn replace_facet(&mut self, corners: &[DVec3]) -> Result<(), String> {
        if self.faces.len() != 2 || self.vertices.len() != corners.len() {
            *self = Self::facet(corners)?;
            return Ok(());
        }
        let normal = polygon_normal(corners)?;
        self.vertices.copy_from_slice(corners);
        self.faces[0].normal = normal;
        self.faces[1].normal = -normal;
        Ok(())
    }

    /// The convex hull of points, m. Points inside it, or within rounding of its faces and edges, are left
    /// out; neighbouring triangles in one plane are one face.
    pub fn of_points(points: &[DVec3]) -> Result<Self, String> {
        let (vertices, faces) = of_points::hull_of_points(points)?;
        Ok(Self::from_faces(vertices, faces))
    }

    /// The same polyhedron with all points within `radius` (m) of it.
    pub fn with_radius(mut self, radius: f64) -> Self {
        self.radius = radius;
        self
    }

    /// The polyhedron with these corners and faces; every edge must belong to two faces.
    fn from_faces(vertices: Vec<DVec3>, faces: Vec<Vec<u32>>) -> Self {
        let mut sides = Vec::new();
        for (face, corners) in faces.iter().enumerate() {
            for (from, to) in edges_of(corners) {
                sides.push(([from.min(to), from.max(to)], face as u32));
            }
        }
        sides.sort_unstable();
        let edges = sides.chunks_exact(2).map(|pair| HullEdge {
            ends: pair[0].0,
            faces: Some([pair[0].1, pair[1].1]),
        });
        let edges = edges.collect();
        let face = |corners: Vec<u32>| {
            let area = area_vector(corners.iter().map(|&k| vertices[k as usize]));
            HullFace {
                normal: area / area.length(),
                corners,
            }
        };
        Self {
            faces: faces.into_iter().map(face).collect(),
            vertices,
            edges,
            radius: 0.0,
        }
    }

    /// The point of the solid that is farthest in a direction (of any length but zero), m.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        self.core_support(direction) + self.radius * direction.normalize_or_zero()
    }

    /// The corner of the polyhedron that is farthest in a direction, m; the first of several.
    pub fn core_support(&self, direction: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for &vertex in &self.vertices {
            let along = vertex.dot(direction);
            if along > best.0 {
                best = (along, vertex);
            }
        }
        best.1
    }

    /// Half the least distance between two parallel planes that hold the solid between them, m.
    pub fn thickness(&self) -> f64 {
        let width = |normal: DVec3| {
            let along = self.vertices.iter().map(|v| v.dot(normal));
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            let (low, high) = along.fold(ends, |(low, high), x| (low.min(x), high.max(x)));
            high - low
        };
        let mut least = f64::INFINITY;
        for face in &self.faces {
            least = least.min(width(face.normal));
        }
        // The planes hold a face on one side, or an edge on each.
        let ends = |edge: &HullEdge| edge.ends.map(|k| self.vertices[k as usize]);
        for (k, first) in self.edges.iter().enumerate() {
            let [p, q] = ends(first);
            for second in &self.edges[k + 1..] {
                let [r, s] = ends(second);
                let across = (q - p).cross(s - r).normalize_or_zero();
                if across != DVec3::ZERO && across.dot(p - r).abs() < least {
                    least = least.min(width(across));
                }
            }
        }
        self.radius + if least.is_finite() { 0.5 * least } else { 0.0 }
    }

    /// The distance of the farthest point of the solid from the origin of its frame, m.
    pub fn bounding_radius(&self) -> f64 {
        let squares = self.vertices.iter().map(|v| v.length_squared());
        squares.fold(0.0, f64::max).sqrt() + self.radius
    }
}

/// The edges of a polygon, each from a corner to the next.
fn edges_of(corners: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(&from, &to)| (from, to))
}

/// The area of a flat polygon times its normal, m²; about its first corner, so that its place costs no digits.
fn area_vector(corners: impl Iterator<Item = DVec3>) -> DVec3 {
    let mut corners = corners;
    let Some(first) = corners.next() else {
        return DVec3::ZERO;
    };
    let mut sum = DVec3::ZERO;
    let mut last = DVec3::ZERO;
    for corner in corners {
        let now = corner - first;
        sum += 0.5 * last.cross(now);
        last = now;
    }
    sum
}

/// The unit normal of a polygon, from where its corners go counter-clockwise; or why it is not a flat
/// convex polygon.
fn polygon_normal(corners: &[DVec3]) -> Result<DVec3, String> {
    if corners.len() < 3 {
        return Err(format!(
            "a polygon needs at least 3 corners, not {}",
            corners.len()
        ));
    }
    if let Some(corner) = corners.iter().find(|c| !c.is_finite()) {
        return Err(format!("a corner of the polygon is not finite: {corner}"));
    }
    let size = corners.iter().map(|c| c.distance(corners[0]));
    let size = size.fold(0.0, f64::max);
    let area = area_vector(corners.iter().copied());
    let Some(normal) = area.try_normalize() else {
        return Err("the corners of the polygon lie on a line".into());
    };
    let count = corners.len();
    for k in 0..count {
        let (here, next, after) = (
            corners[k],
            corners[(k + 1) % count],
            corners[(k + 2) % count],
        );
        if (here - corners[0]).dot(normal).abs() > 1e3 * ROUNDING * size {
            return Err(format!(
                "the polygon is not flat at its corner {k}, {here} m"
            ));
        }
        let turn = (next - here).cross(after - next).dot(normal);
        let lengths = next.distance(here) * after.distance(next);
        if turn.is_nan() || turn <= ROUNDING * lengths {
            return Err(format!(
                "the polygon is not convex at its corner {}, {next} m",
                (k + 1) % count
            ));
        }
    }
    // Convex everywhere, and once round: no star.
    let mut turned = 0.0;
    for k in 0..count {
        let (from, to) = (
            corners[(k + 1) % count] - corners[k],
            corners[(k + 2) % count] - corners[(k + 1) % count],
        );
        turned += from.angle_between(to);
    }
    if turned > 3.0 * std::f64::consts::PI {
        return Err("the polygon crosses itself".into());
    }
    Ok(normal)
}
