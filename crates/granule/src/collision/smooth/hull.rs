//! Faces, edges and corners of hulls.

use super::feature::{Freedom, Side};
use crate::math::{DMat3, DVec3};
use crate::shapes::{Hull, HullFace};

/// Of a length or a slope: what is smaller is rounding.
const ROUNDING: f64 = 1e-13;

/// A place on the surface of a polyhedron.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    hull: &'a Hull,
    piece: Piece,
}

#[derive(Debug, Clone, Copy)]
enum Piece {
    Face(usize),
    /// With the part of its length from its first end, below 0 or above 1 beyond its ends.
    Edge(usize, f64),
    Corner(usize),
}

/// The corner farthest along a direction.
pub(super) fn farthest(hull: &Hull, along: DVec3) -> usize {
    let mut best = 0;
    let mut reach = f64::NEG_INFINITY;
    for (place, vertex) in hull.vertices.iter().enumerate() {
        let here = along.dot(*vertex);
        if here > reach {
            (best, reach) = (place, here);
        }
    }
    best
}

/// Of the faces of a kind that whose normal is most along a direction.
fn most(hull: &Hull, along: DVec3, kind: impl Fn(&HullFace) -> bool) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, face) in hull.faces.iter().enumerate() {
        let slope = face.normal.dot(along);
        if kind(face) && best.is_none_or(|(_, most)| slope > most) {
            best = Some((place, slope));
        }
    }
    best.map(|(place, _)| place)
}

fn nearest_corner(hull: &Hull, point: DVec3) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (place, vertex) in hull.vertices.iter().enumerate() {
        let distance = vertex.distance_squared(point);
        if distance < best.0 {
            best = (distance, place as u32);
        }
    }
    best.1
}

/// Mean of the corners, m, and of their dyads about it, m²: half axes of a box give their squares.
pub(super) fn spread(hull: &Hull) -> (DVec3, DMat3) {
    let part = 1.0 / hull.vertices.len() as f64;
    let centre = hull.vertices.iter().sum::<DVec3>() * part;
    let mut dyads = DMat3::from_diagonal(DVec3::splat(hull.radius * hull.radius));
    for vertex in &hull.vertices {
        let arm = *vertex - centre;
        dyads += part * DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    }
    (centre, dyads)
}

impl<'a> Place<'a> {
    /// A face at the farthest corner, or what there is of a solid without faces.
    pub fn farthest(hull: &'a Hull, along: DVec3) -> Self {
        let corner = farthest(hull, along);
        let piece = match most(hull, along, |face| face.corners.contains(&(corner as u32))) {
            Some(face) => Piece::Face(face),
            None => Piece::Corner(corner),
        };
        Self { hull, piece }
    }

    /// The piece to which all these points belong, each of them a corner, up to rounding, at the point of it
    /// nearest to `near`. Of several faces that which looks along the normal.
    pub fn of(hull: &'a Hull, points: [DVec3; 3], near: DVec3, along: DVec3) -> Self {
        let corners = points.map(|point| nearest_corner(hull, point));
        let among = |known: &[u32]| corners.iter().all(|corner| known.contains(corner));
        let piece = if among(&corners[..1]) {
            Piece::Corner(corners[0] as usize)
        } else if let Some(edge) = hull.edges.iter().position(|edge| among(&edge.ends)) {
            let [start, end] = hull.edges[edge].ends.map(|end| hull.vertices[end as usize]);
            let part = (near - start).dot(end - start) / (end - start).length_squared();
            Piece::Edge(edge, part.clamp(0.0, 1.0))
        } else {
            let face = most(hull, along, |face| among(&face.corners));
            face.map_or(Piece::Corner(corners[0] as usize), Piece::Face)
        };
        Self { hull, piece }
    }

    /// A point of a face, m, and its unit normal.
    pub fn flat(&self) -> Option<(DVec3, DVec3)> {
        match self.piece {
            Piece::Face(place) => {
                let face = &self.hull.faces[place];
                Some((self.corner(face.corners[0]), face.normal))
            }
            Piece::Edge(..) | Piece::Corner(_) => None,
        }
    }

    /// As [`super::feature::Feature::side`], in the frame of the solid.
    pub fn side(&self, towards: DVec3) -> Side {
        match self.piece {
            Piece::Face(place) => {
                let face = &self.hull.faces[place];
                Side {
                    point: self.corner(face.corners[0]),
                    normal: face.normal,
                    freedom: Freedom::Surface,
                    bends: [DVec3::ZERO; 2],
                }
            }
            Piece::Edge(place, part) => {
                let [start, end] = self.ends(place);
                let along = (end - start).normalize();
                let normal = towards - along * along.dot(towards);
                let normal = normal
                    .try_normalize()
                    .unwrap_or_else(|| along.any_orthonormal_vector());
                Side {
                    point: start + (end - start) * part,
                    normal,
                    freedom: Freedom::Line(along),
                    bends: [along.cross(normal), DVec3::ZERO],
                }
            }
            Piece::Corner(place) => {
                let across = towards.any_orthonormal_vector();
                Side {
                    point: self.hull.vertices[place],
                    normal: towards,
                    freedom: Freedom::Point,
                    bends: [across, towards.cross(across)],
                }
            }
        }
    }

    /// As [`super::feature::Feature::moved`], in the frame of the solid.
    pub fn moved(&self, step: DVec3) -> Self {
        let piece = match self.piece {
            Piece::Edge(place, part) => {
                let [start, end] = self.ends(place);
                let whole = end - start;
                Piece::Edge(place, part + step.dot(whole) / whole.length_squared())
            }
            Piece::Face(_) | Piece::Corner(_) => self.piece,
        };
        Self { piece, ..*self }
    }

    /// Where to look next if nearest points with this normal, the one on this piece at `point`, are not those of
    /// the solid.
    pub fn next(&self, point: DVec3, normal: DVec3) -> Option<Self> {
        if let Some(end) = self.beyond() {
            return Some(end);
        }
        let piece = match self.piece {
            Piece::Face(place) => self.beyond_face(place, point)?,
            Piece::Edge(place, _) => self.beyond_edge(place, normal)?,
            Piece::Corner(place) => self.beyond_corner(place, normal)?,
        };
        Some(Self { piece, ..*self })
    }

    /// The edge or corner of a face that is nearest to a point of its plane outside.
    fn beyond_face(&self, place: usize, point: DVec3) -> Option<Piece> {
        let face = &self.hull.faces[place];
        let count = face.corners.len();
        let mut nearest: Option<(f64, u32, u32, f64)> = None;
        let mut outside = false;
        for k in 0..count {
            let (from, to) = (face.corners[k], face.corners[(k + 1) % count]);
            let (start, end) = (self.corner(from), self.corner(to));
            let whole = end - start;
            let outward = whole.cross(face.normal).normalize();
            outside |= outward.dot(point - start) > ROUNDING * whole.length();
            let part = ((point - start).dot(whole) / whole.length_squared()).clamp(0.0, 1.0);
            let distance = point.distance_squared(start + whole * part);
            if nearest.is_none_or(|(least, ..)| distance < least) {
                nearest = Some((distance, from, to, part));
            }
        }
        let (_, from, to, part) = nearest.filter(|_| outside)?;
        if part == 0.0 {
            return Some(Piece::Corner(from as usize));
        }
        if part == 1.0 {
            return Some(Piece::Corner(to as usize));
        }
        let ends = [from.min(to), from.max(to)];
        let part = if from < to { part } else { 1.0 - part };
        let edge = self.hull.edges.iter().position(|edge| edge.ends == ends)?;
        Some(Piece::Edge(edge, part))
    }

    /// The corner of an edge, if the place is beyond it.
    pub fn beyond(&self) -> Option<Self> {
        let piece = match self.piece {
            Piece::Edge(place, part) => {
                let ends = self.hull.edges[place].ends;
                let end = if part < 0.0 {
                    ends[0]
                } else if part > 1.0 {
                    ends[1]
                } else {
                    return None;
                };
                Piece::Corner(end as usize)
            }
            Piece::Face(_) | Piece::Corner(_) => return None,
        };
        Some(Self { piece, ..*self })
    }

    fn beyond_edge(&self, place: usize, normal: DVec3) -> Option<Piece> {
        let edge = &self.hull.edges[place];
        // The faces beside it must fall off along the normal.
        let [start, end] = self.ends(place);
        let along = (end - start).normalize();
        let mut rising: Option<(f64, usize)> = None;
        for face in edge.faces?.map(|face| face as usize) {
            let face_normal = self.hull.faces[face].normal;
            let across = face_normal.cross(along);
            let inward = across * across.dot(self.middle(face) - start).signum();
            let agreement = normal.dot(face_normal);
            if normal.dot(inward) > ROUNDING && rising.is_none_or(|(most, _)| agreement > most) {
                rising = Some((agreement, face));
            }
        }
        rising.map(|(_, face)| Piece::Face(face))
    }

    /// The steepest edge that rises from a corner along the normal.
    fn beyond_corner(&self, place: usize, normal: DVec3) -> Option<Piece> {
        let here = self.hull.vertices[place];
        let mut steepest: Option<(f64, Piece)> = None;
        for (number, edge) in self.hull.edges.iter().enumerate() {
            let [first, second] = edge.ends.map(|end| end as usize);
            let (to, part) = if first == place {
                (second, 0.0)
            } else if second == place {
                (first, 1.0)
            } else {
                continue;
            };
            let slope = normal.dot((self.hull.vertices[to] - here).normalize());
            if slope > ROUNDING && steepest.is_none_or(|(most, _)| slope > most) {
                steepest = Some((slope, Piece::Edge(number, part)));
            }
        }
        steepest.map(|(_, piece)| piece)
    }

    fn corner(&self, place: u32) -> DVec3 {
        self.hull.vertices[place as usize]
    }

    fn ends(&self, edge: usize) -> [DVec3; 2] {
        self.hull.edges[edge].ends.map(|end| self.corner(end))
    }

    fn middle(&self, face: usize) -> DVec3 {
        let corners = &self.hull.faces[face].corners;
        corners
            .iter()
            .map(|&place| self.corner(place))
            .sum::<DVec3>()
            / corners.len() as f64
    }
}
