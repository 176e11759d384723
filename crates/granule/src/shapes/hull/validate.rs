//! Whether a hull is one: closed and convex.

use super::{Hull, edges_of};
use crate::math::DVec3;

/// Of the extent of a hull: how far corners may be off the planes of their faces.
const FLAT: f64 = 1e-7;
/// How far the length of a normal may be from one.
const UNIT: f64 = 1e-9;

impl Hull {
    /// What is wrong with the hull, if anything: numbers that are not finite, faces that are not there, a surface
    /// that is not closed or not convex.
    pub fn validate(&self) -> Result<(), String> {
        if !(self.radius >= 0.0 && self.radius.is_finite()) {
            return Err(format!(
                "the radius of a hull must not be negative (m): {}",
                self.radius
            ));
        }
        if let Some(corner) = self.vertices.iter().find(|v| !v.is_finite()) {
            return Err(format!("a corner of the hull is not finite: {corner}"));
        }
        match (self.vertices.len(), self.edges.len(), self.faces.len()) {
            (0, ..) => Err("a hull needs at least one corner".into()),
            (1, 0, 0) => Ok(()),
            (2, 1, 0) if self.edges[0].ends == [0, 1] && self.edges[0].faces.is_none() => Ok(()),
            (1 | 2, ..) => Err("a hull of one or two corners has no faces".into()),
            (_, _, 0 | 1) => Err("a hull needs two faces or more".into()),
            (..) => {
                self.validate_faces()?;
                self.validate_edges()
            }
        }
    }

    fn validate_faces(&self) -> Result<(), String> {
        let first = self.vertices[0];
        let extent = self.vertices.iter().map(|v| v.distance(first));
        let slack = FLAT * extent.fold(0.0, f64::max);
        for (number, face) in self.faces.iter().enumerate() {
            let wrong = |what: &str| Err(format!("face {number} of the hull {what}"));
            if face.corners.len() < 3 {
                return wrong("has fewer than 3 corners");
            }
            if face
                .corners
                .iter()
                .any(|&k| k as usize >= self.vertices.len())
            {
                return wrong("has a corner that the hull has not");
            }
            // Also false where the normal is no number.
            let is_unit = (face.normal.length() - 1.0).abs() <= UNIT;
            if !is_unit {
                return wrong("has a normal that is not of length one");
            }
            let at = |k: u32| self.vertices[k as usize];
            let level = face.normal.dot(at(face.corners[0]));
            let above = |v: DVec3| face.normal.dot(v) - level;
            if face.corners.iter().any(|&k| above(at(k)).abs() > slack) {
                return wrong("is not flat");
            }
            if self.vertices.iter().any(|&v| above(v) > slack) {
                return wrong("has corners of the hull above it");
            }
            let inwards = |(from, to): (u32, u32)| face.normal.cross(at(to) - at(from));
            let convex = edges_of(&face.corners).all(|edge| {
                let inner = inwards(edge);
                let depth = |&k: &u32| inner.dot(at(k) - at(edge.0));
                inner != DVec3::ZERO
                    && face
                        .corners
                        .iter()
                        .all(|k| depth(k) >= -slack * inner.length())
            });
            if !convex {
                return wrong("is not convex, or not counter-clockwise seen from outside");
            }
        }
        Ok(())
    }

    fn validate_edges(&self) -> Result<(), String> {
        let mut sides: Vec<([u32; 2], u32)> = Vec::new();
        for (number, face) in self.faces.iter().enumerate() {
            sides.extend(edges_of(&face.corners).map(|(from, to)| ([from, to], number as u32)));
        }
        sides.sort_unstable();
        let face_at = |side: [u32; 2]| {
            let place = sides.binary_search_by(|probe| probe.0.cmp(&side));
            place.ok().map(|place| sides[place].1)
        };
        let closed = sides.windows(2).all(|pair| pair[0].0 != pair[1].0)
            && sides.iter().all(|&([p, q], _)| face_at([q, p]).is_some());
        if !closed {
            return Err("the faces of the hull do not close it".into());
        }
        let known = self.edges.iter().all(|edge| {
            let [p, q] = edge.ends;
            let faces = [face_at([p, q]), face_at([q, p])];
            p < q
                && edge.faces.is_some_and(|[f, g]| {
                    faces == [Some(f), Some(g)] || faces == [Some(g), Some(f)]
                })
        });
        let sorted = self
            .edges
            .windows(2)
            .all(|pair| pair[0].ends < pair[1].ends);
        if known && sorted && 2 * self.edges.len() == sides.len() {
            Ok(())
        } else {
            Err("the edges of the hull are not those of its faces, each once and in order".into())
        }
    }
}
