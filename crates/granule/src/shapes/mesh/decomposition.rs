//! A solid that is not convex as convex parts.
//!
//! The solid is cut by planes, again and again the piece whose convex hull holds the most that is not of the piece, until
//! what the hulls hold too much of is a small part of the volume. Planes go along the faces at hollow edges, which take
//! solids with flat faces apart exactly, and across the axes, for round hollows; of all planes the one is taken
//! whose two pieces have the smallest hulls.

use super::{Beyond, MeshError, TriangleMesh};
use crate::math::DVec3;
use crate::shapes::Hull;

/// Of the volume of the solid: what a hull may hold too much of.
const HOLLOW: f64 = 2e-3;
/// Most parts.
const MOST_PARTS: usize = 64;
/// Most planes along faces at hollow edges that are tried for a piece.
const MOST_FACES: usize = 48;
/// Planes across each axis that are tried for a piece.
const ACROSS: u32 = 7;
/// Directions whose farthest points stand for a piece while planes are compared.
const DIRECTIONS: u32 = 96;
/// Of the volume of the solid: pieces that are less are left out.
const CRUMB: f64 = 1e-9;
/// Of the size of the solid: planes nearer than this are the same.
const SAME: f64 = 1e-6;

/// What lies below `normal · x = offset` and what lies above.
#[derive(Debug, Clone, Copy)]
struct Plane {
    normal: DVec3,
    offset: f64,
}

impl Plane {
    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// A triangle of the surface of a piece.
#[derive(Debug, Clone, Copy)]
struct Facet {
    corners: [DVec3; 3],
    /// Whether it closes a cut. Together such triangles have the area of the cut, with a sign; one by one they may
    /// go beyond it.
    closes: bool,
}

/// A part of the solid between planes.
#[derive(Debug, Clone)]
struct Piece {
    facets: Vec<Facet>,
    /// What its hull holds too much of, m³.
    hollow: f64,
}

impl TriangleMesh {
    /// Convex solids that make up the solid that the mesh encloses, nearly: what they hold too much of is less than
    /// 0.2 % of its volume for each, unless that takes more than 64 of them. A convex solid is one part.
    ///
    /// ```
    /// use granule::math::DVec3;
    /// use granule::shapes::TriangleMesh;
    /// let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|c| DVec3::from_array(c.map(f64::from)));
    /// let tetrahedron = TriangleMesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// assert_eq!(tetrahedron.decomposition()?.len(), 1);
    /// # Ok::<(), granule::shapes::MeshError>(())
    /// ```
    pub fn decomposition(&self) -> Result<Vec<Hull>, MeshError> {
        let total = self.mass_properties()?.volume;
        let planes = self.planes_at_hollows();
        let facets = (0..self.triangles.len() as u32).map(|triangle| Facet {
            corners: self.corners(triangle),
            closes: false,
        });
        let mut pieces = vec![Piece::new(facets.collect())];
        let mut finished = Vec::new();
        while let Some(piece) = take_worst(&mut pieces, HOLLOW * total) {
            let room = pieces.len() + finished.len() + 2 <= MOST_PARTS;
            let planes = planes.iter().copied().chain(piece.planes_across());
            match piece.best_cut(planes, CRUMB * total).filter(|_| room) {
                Some(halves) => pieces.extend(halves),
                None => finished.push(piece),
            }
        }
        finished.append(&mut pieces);
        let hulls: Vec<Hull> = finished.iter().filter_map(Piece::hull).collect();
        match hulls.is_empty() {
            true => Err(MeshError::AllDegenerate {
                count: self.triangles.len(),
            }),
            false => Ok(hulls),
        }
    }

    /// The planes of triangles at hollow edges, those with the longest such edges first.
    fn planes_at_hollows(&self) -> Vec<Plane> {
        let mut found: Vec<(Plane, f64)> = Vec::new();
        let scale = self.gap / super::WELD;
        for triangle in 0..self.triangles.len() as u32 {
            for edge in 0..3 {
                let hollow = match self.beyond(triangle, edge) {
                    Beyond::Concave { .. } => true,
                    Beyond::Open | Beyond::Flat | Beyond::Convex { .. } | Beyond::Branching => {
                        false
                    }
                };
                if !hollow {
                    continue;
                }
                let [a, b] = [edge, (edge + 1) % 3].map(|k| self.corners(triangle)[k]);
                let normal = self.facet_normal(triangle);
                let offset = normal.dot(a);
                let same = |(plane, _): &&mut (Plane, f64)| {
                    plane.normal.distance(normal) < SAME
                        && (plane.offset - offset).abs() < SAME * scale
                };
                match found.iter_mut().find(same) {
                    Some((_, length)) => *length += a.distance(b),
                    None => found.push((Plane { normal, offset }, a.distance(b))),
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.truncate(MOST_FACES);
        found.into_iter().map(|(plane, _)| plane).collect()
    }
}

/// Takes out the piece whose hull holds most too much, if that is more than allowed (m³).
fn take_worst(pieces: &mut Vec<Piece>, allowed: f64) -> Option<Piece> {
    let worst = (0..pieces.len()).max_by(|&a, &b| pieces[a].hollow.total_cmp(&pieces[b].hollow))?;
    (pieces[worst].hollow > allowed).then(|| pieces.swap_remove(worst))
}

impl Piece {
    /// A piece with this surface.
    fn new(facets: Vec<Facet>) -> Self {
        let volume = enclosed(&facets);
        let mut piece = Self {
            facets,
            hollow: 0.0,
        };
        let around = piece.hull().map_or(0.0, |hull| hull_volume(&hull));
        piece.hollow = (around - volume).max(0.0);
        piece
    }

    /// Corners that are points of the solid.
    fn points(&self) -> impl Iterator<Item = DVec3> + '_ {
        let own = self.facets.iter().filter(|facet| !facet.closes);
        own.flat_map(|facet| facet.corners)
    }

    fn hull(&self) -> Option<Hull> {
        Hull::of_points(&self.points().collect::<Vec<_>>()).ok()
    }

    /// Planes across the axes through the piece.
    fn planes_across(&self) -> Vec<Plane> {
        let low = self.points().fold(DVec3::INFINITY, DVec3::min);
        let high = self.points().fold(DVec3::NEG_INFINITY, DVec3::max);
        let across = |axis: usize| {
            (1..=ACROSS).map(move |k| Plane {
                normal: DVec3::AXES[axis],
                offset: low[axis] + (high - low)[axis] * f64::from(k) / f64::from(ACROSS + 1),
            })
        };
        (0..3).flat_map(across).collect()
    }

    /// The two pieces of the cut whose hulls are smallest together; `None` if no plane leaves two pieces of more than
    /// `crumb` (m³).
    fn best_cut(&self, planes: impl Iterator<Item = Plane>, crumb: f64) -> Option<[Self; 2]> {
        let mut best: Option<(f64, Plane)> = None;
        for plane in planes {
            let halves = [false, true].map(|above| self.side(&plane, above));
            if halves.iter().any(|half| enclosed(half) <= crumb) {
                continue;
            }
            let [a, b] = halves.map(|half| rough_hull_volume(&half));
            if best.is_none_or(|(least, _)| a + b < least) {
                best = Some((a + b, plane));
            }
        }
        let (_, plane) = best?;
        Some([false, true].map(|above| Self::new(self.side(&plane, above))))
    }

    /// The surface of what lies above a plane, or below it, closed by triangles that meet in one point of the plane.
    fn side(&self, plane: &Plane, above: bool) -> Vec<Facet> {
        let mut kept = Vec::with_capacity(self.facets.len());
        let mut cuts = Vec::new();
        for facet in &self.facets {
            facet.clip(plane, above, &mut kept, &mut cuts);
        }
        if let Some(&[apex, _]) = cuts.first() {
            kept.extend(cuts.iter().map(|&[from, to]| Facet {
                corners: [to, from, apex],
                closes: true,
            }));
        }
        kept
    }
}

impl Facet {
    /// Adds what of the triangle is above the plane (or below it), and the edge that the plane cuts, from where it comes
    /// out of the triangle's rim to where it goes in again.
    fn clip(&self, plane: &Plane, above: bool, kept: &mut Vec<Facet>, cuts: &mut Vec<[DVec3; 2]>) {
        let inside = self
            .corners
            .map(|corner| (plane.height(corner) >= 0.0) == above);
        let facet = |corners| Facet {
            corners,
            closes: self.closes,
        };
        // The corner that is alone on its side goes first.
        let alone =
            (0..3).find(|&k| inside[k] != inside[(k + 1) % 3] && inside[k] != inside[(k + 2) % 3]);
        let Some(alone) = alone else {
            if inside[0] {
                kept.push(*self);
            }
            return;
        };
        let [a, b, c] = [0, 1, 2].map(|k| self.corners[(alone + k) % 3]);
        let (on_ab, on_ca) = (crossing(plane, a, b), crossing(plane, a, c));
        if inside[alone] {
            kept.push(facet([a, on_ab, on_ca]));
            cuts.push([on_ab, on_ca]);
        } else {
            kept.push(facet([on_ab, b, c]));
            kept.push(facet([on_ab, c, on_ca]));
            cuts.push([on_ca, on_ab]);
        }
    }
}

/// Where a plane crosses an edge, the same from both of its ends.
fn crossing(plane: &Plane, a: DVec3, b: DVec3) -> DVec3 {
    let (a, b) = if a.to_array() < b.to_array() {
        (a, b)
    } else {
        (b, a)
    };
    let (from, to) = (plane.height(a), plane.height(b));
    a.lerp(b, (from / (from - to)).clamp(0.0, 1.0))
}

/// The volume inside a surface, m³.
fn enclosed(facets: &[Facet]) -> f64 {
    let Some(first) = facets.first() else {
        return 0.0;
    };
    let middle = first.corners[0];
    let parts = facets.iter().map(|facet| {
        let [a, b, c] = facet.corners.map(|corner| corner - middle);
        a.dot(b.cross(c)) / 6.0
    });
    parts.sum()
}

/// The volume of a hull, m³.
fn hull_volume(hull: &Hull) -> f64 {
    let facets = hull.faces.iter().flat_map(|face| {
        let corner = |k: u32| hull.vertices[k as usize];
        let edges = face.corners[1..].windows(2);
        edges.map(move |edge| Facet {
            corners: [corner(face.corners[0]), corner(edge[0]), corner(edge[1])],
            closes: false,
        })
    });
    enclosed(&facets.collect::<Vec<_>>())
}

/// The volume of the hull of the farthest points in many directions, m³.
fn rough_hull_volume(facets: &[Facet]) -> f64 {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let own = || {
        facets
            .iter()
            .filter(|facet| !facet.closes)
            .flat_map(|facet| facet.corners)
    };
    let farthest = (0..DIRECTIONS).filter_map(|k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(DIRECTIONS);
        let (across, angle) = ((1.0 - z * z).sqrt(), golden * f64::from(k));
        let direction = DVec3::new(across * angle.cos(), across * angle.sin(), z);
        own().max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction)))
    });
    let hull = Hull::of_points(&farthest.collect::<Vec<_>>());
    hull.map_or(0.0, |hull| hull_volume(&hull))
}
