//! Hulls: flat faces, with edges that are sharp or rounded.
//!
//! A rounded hull has its faces moved outwards, a strip of a cylinder along each edge and a piece of a sphere at each
//! corner. All are made of points `corner + radius · normal`, so that neighbours share theirs.

use super::{SolidMesh, round};
use glam::{DQuat, DVec3};
use granule::shapes::Hull;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// The surface of a hull; nothing if it has neither faces nor a radius.
pub(super) fn mesh(hull: &Hull, sides: u32) -> SolidMesh {
    match (&hull.vertices[..], hull.faces.is_empty()) {
        (_, false) if hull.radius > 0.0 => Rounded::new(hull, sides).mesh,
        (_, false) => sharp(hull),
        ([center], true) => ball(*center, hull.radius, sides),
        ([start, end], true) => capsule([*start, *end], hull.radius, sides),
        (_, true) => SolidMesh::default(),
    }
}

fn sharp(hull: &Hull) -> SolidMesh {
    let mut mesh = SolidMesh::default();
    for face in &hull.faces {
        let corners = face.corners.iter();
        let corners = corners.map(|&k| mesh.add(hull.vertices[k as usize], face.normal));
        let corners: Vec<u32> = corners.collect();
        fan(&mut mesh, &corners);
    }
    mesh
}

/// A polygon as triangles about its first corner.
fn fan(mesh: &mut SolidMesh, corners: &[u32]) {
    let pairs = corners.windows(2).skip(1);
    mesh.triangles
        .extend(pairs.map(|pair| [corners[0], pair[0], pair[1]]));
}

fn ball(center: DVec3, radius: f64, sides: u32) -> SolidMesh {
    let mut mesh = round::sphere(sides);
    mesh.points
        .iter_mut()
        .for_each(|point| *point = center + radius * *point);
    mesh
}

fn capsule([start, end]: [DVec3; 2], radius: f64, sides: u32) -> SolidMesh {
    let mut mesh = SolidMesh::default();
    let axis = (end - start).normalize();
    let (u, v) = axis.any_orthonormal_pair();
    let mut ring = |center: DVec3| -> Vec<u32> {
        let angles = (0..sides).map(|k| TAU * f64::from(k) / f64::from(sides));
        let normals = angles.map(|angle| angle.cos() * u + angle.sin() * v);
        normals
            .map(|normal| mesh.add(center + radius * normal, normal))
            .collect()
    };
    let (mut low, high) = (ring(start), ring(end));
    strip(&mut mesh, &low, &high, true);
    cap(&mut mesh, end, radius, &high, axis, sides);
    low.reverse();
    cap(&mut mesh, start, radius, &low, -axis, sides);
    mesh
}

/// Two rows of points of equal length as triangles, the second row on the left of the first.
fn strip(mesh: &mut SolidMesh, right: &[u32], left: &[u32], closed: bool) {
    let count = right.len();
    let pairs = if closed { count } else { count - 1 };
    for k in 0..pairs {
        let next = (k + 1) % count;
        mesh.triangles.push([right[k], right[next], left[next]]);
        mesh.triangles.push([right[k], left[next], left[k]]);
    }
}

/// A piece of a sphere within points of it that are counter-clockwise seen from outside; `middle` is the direction of
/// its middle.
fn cap(mesh: &mut SolidMesh, center: DVec3, radius: f64, rim: &[u32], middle: DVec3, sides: u32) {
    let directions: Vec<DVec3> = rim.iter().map(|&k| mesh.normals[k as usize]).collect();
    let angles = directions.iter().map(|d| d.angle_between(middle));
    let widest = angles.fold(0.0, f64::max);
    let rings = steps(widest, sides);
    let mut outer = rim.to_vec();
    for ring in 1..rings {
        let part = f64::from(ring) / f64::from(rings);
        let inner = directions.iter().map(|direction| {
            let turn = DQuat::from_rotation_arc(*direction, middle);
            let normal = DQuat::IDENTITY.slerp(turn, part) * *direction;
            mesh.add(center + radius * normal, normal)
        });
        let inner: Vec<u32> = inner.collect();
        strip(mesh, &outer, &inner, true);
        outer = inner;
    }
    let tip = mesh.add(center + radius * middle, middle);
    for (k, &from) in outer.iter().enumerate() {
        let to = outer[(k + 1) % outer.len()];
        mesh.triangles.push([from, to, tip]);
    }
}

/// Into how many pieces an angle (rad) is divided.
fn steps(angle: f64, sides: u32) -> u32 {
    (angle * f64::from(sides) / TAU - 1e-9).ceil().max(1.0) as u32
}

/// A rounded hull while it is built.
struct Rounded<'a> {
    hull: &'a Hull,
    sides: u32,
    mesh: SolidMesh,
    /// The point of each corner of each face, by corner and face.
    corners: BTreeMap<(u32, u32), u32>,
    /// The face on the left of each edge, by where it starts and ends.
    left: BTreeMap<(u32, u32), u32>,
    /// The points around each edge at its start, from the face on its left to that on its right.
    arcs: BTreeMap<(u32, u32), Vec<u32>>,
}

impl<'a> Rounded<'a> {
    fn new(hull: &'a Hull, sides: u32) -> Self {
        let mut rounded = Self {
            hull,
            sides,
            mesh: SolidMesh::default(),
            corners: BTreeMap::new(),
            left: BTreeMap::new(),
            arcs: BTreeMap::new(),
        };
        rounded.add_faces();
        rounded.add_edges();
        rounded.add_corners();
        rounded
    }

    fn point(&mut self, vertex: u32, normal: DVec3) -> u32 {
        let center = self.hull.vertices[vertex as usize];
        self.mesh.add(center + self.hull.radius * normal, normal)
    }

    fn add_faces(&mut self) {
        for (number, face) in (0u32..).zip(&self.hull.faces) {
            let mut points = Vec::with_capacity(face.corners.len());
            for (k, &corner) in face.corners.iter().enumerate() {
                let point = self.point(corner, face.normal);
                self.corners.insert((corner, number), point);
                let next = face.corners[(k + 1) % face.corners.len()];
                self.left.insert((corner, next), number);
                points.push(point);
            }
            fan(&mut self.mesh, &points);
        }
    }

    fn add_edges(&mut self) {
        let edges: Vec<(u32, u32)> = self.left.keys().copied().collect();
        for (start, end) in edges.into_iter().filter(|(start, end)| start < end) {
            let (Some(&left), Some(&right)) =
                (self.left.get(&(start, end)), self.left.get(&(end, start)))
            else {
                continue;
            };
            let ends = [start, end].map(|k| self.hull.vertices[k as usize]);
            let along = (ends[1] - ends[0]).normalize_or_zero();
            let [from, to] = [left, right].map(|face| self.hull.faces[face as usize].normal);
            // Right-handed about the edge, from its left to its right.
            let angle = along.dot(from.cross(to)).atan2(from.dot(to)).abs();
            let count = steps(angle, self.sides);
            let mut rows = [start, end].map(|end| vec![self.corners[&(end, left)]]);
            for k in 1..count {
                let turn = angle * f64::from(k) / f64::from(count);
                let normal = DQuat::from_axis_angle(along, turn) * from;
                rows[0].push(self.point(start, normal));
                rows[1].push(self.point(end, normal));
            }
            rows[0].push(self.corners[&(start, right)]);
            rows[1].push(self.corners[&(end, right)]);
            strip(&mut self.mesh, &rows[0], &rows[1], false);
            let [near, mut far] = rows;
            far.reverse();
            self.arcs.insert((start, end), near);
            self.arcs.insert((end, start), far);
        }
    }

    fn add_corners(&mut self) {
        for vertex in 0..self.hull.vertices.len() as u32 {
            let Some(mut rim) = self.rim(vertex) else {
                continue;
            };
            // Around the corner the faces follow clockwise.
            rim.reverse();
            let normals = rim.iter().map(|&k| self.mesh.normals[k as usize]);
            let middle = normals.sum::<DVec3>().normalize_or_zero();
            let center = self.hull.vertices[vertex as usize];
            let radius = self.hull.radius;
            cap(&mut self.mesh, center, radius, &rim, middle, self.sides);
        }
    }

    /// The points around a corner, from face to face over the edges between them; `None` if they do not close.
    fn rim(&self, vertex: u32) -> Option<Vec<u32>> {
        let first = self
            .arcs
            .range((vertex, 0)..=(vertex, u32::MAX))
            .next()?
            .0
            .1;
        let mut rim = Vec::new();
        let mut end = first;
        for _ in 0..self.hull.faces.len() {
            let arc = self.arcs.get(&(vertex, end))?;
            rim.extend(&arc[..arc.len() - 1]);
            // The face on the right of the edge comes from its end; it goes on to the next.
            let right = *self.left.get(&(end, vertex))?;
            let corners = &self.hull.faces[right as usize].corners;
            let place = corners.iter().position(|&corner| corner == vertex)?;
            end = corners[(place + 1) % corners.len()];
            if end == first {
                return Some(rim);
            }
        }
        None
    }
}
