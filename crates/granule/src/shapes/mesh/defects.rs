//! Why a mesh does not enclose a solid.

use super::TriangleMesh;
use crate::math::DVec3;
use std::fmt;

/// What keeps a mesh from enclosing a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefectKind {
    /// Edges with one triangle only: the surface has a rim or a hole.
    OpenEdges,
    /// Edges with more than two triangles.
    BranchingEdges,
    /// Triangles with the corners of an earlier one.
    DoubledTriangles,
    /// Edges with two triangles whose normals point to different sides.
    MixedOrientation,
    /// All normals point inwards: the volume is not positive.
    Inverted,
}

/// A kind of defect, how often it is there, and where for instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Defect {
    /// What is wrong.
    pub kind: DefectKind,
    /// How many edges or triangles have it.
    pub count: usize,
    /// The middle of the first such edge or triangle, m.
    pub place: DVec3,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, count, place } = self;
        let [edges, triangles] = match count {
            1 => ["edge", "triangle"],
            _ => ["edges", "triangles"],
        };
        match kind {
            DefectKind::OpenEdges => write!(f, "{count} {edges} with one triangle only")?,
            DefectKind::BranchingEdges => {
                write!(f, "{count} {edges} with more than two triangles")?
            }
            DefectKind::DoubledTriangles => write!(f, "{count} {triangles} given more than once")?,
            DefectKind::MixedOrientation => write!(
                f,
                "{count} {edges} between triangles whose normals point to different sides"
            )?,
            DefectKind::Inverted => write!(f, "the normals point inwards")?,
        }
        write!(f, " (for instance at {place})")
    }
}

impl TriangleMesh {
    /// What keeps the mesh from enclosing a solid, one entry a kind; none for a watertight mesh.
    ///
    /// Copies of a triangle count as such, and are then left out of account.
    pub fn defects(&self) -> Vec<Defect> {
        let copies = self.copies();
        let mut defects = Vec::new();
        let mut add = |kind, count, place: Option<DVec3>| {
            defects.extend(place.map(|place| Defect { kind, count, place }));
        };
        let (mut open, mut branching, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..self.adjacency.edges.len() as u32 {
            let triangles = self.adjacency.triangles_at.of(number).iter().copied();
            let mut single = triangles.filter(|&t| !copies[t as usize]);
            match (single.next(), single.next(), single.next()) {
                (Some(_), None, _) => open.push(number),
                (Some(a), Some(b), None) if self.runs(a, number) == self.runs(b, number) => {
                    mixed.push(number);
                }
                (_, _, Some(_)) => branching.push(number),
                (_, _, None) => {}
            }
        }
        for (kind, edges) in [
            (DefectKind::OpenEdges, &open),
            (DefectKind::BranchingEdges, &branching),
        ] {
            add(kind, edges.len(), edges.first().map(|&e| self.middle(e)));
        }
        let doubled = copies.iter().filter(|&&copy| copy).count();
        let first = copies.iter().position(|&copy| copy);
        let place = first.map(|t| self.corners(t as u32).iter().sum::<DVec3>() / 3.0);
        add(DefectKind::DoubledTriangles, doubled, place);
        let place = mixed.first().map(|&e| self.middle(e));
        add(DefectKind::MixedOrientation, mixed.len(), place);
        if defects.is_empty() && self.moments().0 <= 0.0 {
            let count = self.triangles.len();
            let place = self.corners(0).iter().sum::<DVec3>() / 3.0;
            defects.push(Defect {
                kind: DefectKind::Inverted,
                count,
                place,
            });
        }
        defects
    }

    /// Whether the triangles enclose a solid, with all normals outwards.
    pub fn is_watertight(&self) -> bool {
        self.defects().is_empty()
    }

    /// Which triangles have the same corners as an earlier one.
    fn copies(&self) -> Vec<bool> {
        let sorted = |t: &[u32; 3]| {
            let mut corners = *t;
            corners.sort_unstable();
            corners
        };
        let mut all: Vec<([u32; 3], u32)> = self.triangles.iter().map(sorted).zip(0..).collect();
        all.sort_unstable();
        let mut copies = vec![false; all.len()];
        for pair in all.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            copies[pair[1].1 as usize] = true;
        }
        copies
    }

    /// Whether a triangle runs along one of its edges forwards.
    fn runs(&self, triangle: u32, edge: u32) -> bool {
        let sides = self.adjacency.sides[triangle as usize];
        (0..3).any(|side| sides[side] == edge && self.runs_forward(triangle, side))
    }

    fn middle(&self, edge: u32) -> DVec3 {
        let [a, b] = self.adjacency.edges[edge as usize].ends;
        0.5 * (self.vertices[a as usize] + self.vertices[b as usize])
    }
}
