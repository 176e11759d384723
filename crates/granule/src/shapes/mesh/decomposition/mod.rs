//! Solids as convex parts.

mod piece;
mod planes;

use super::{MeshError, TriangleMesh};
use crate::math::DVec3;
use crate::shapes::Hull;
use piece::{Piece, Plane};
use planes::{ConcaveEdge, across, candidates, concave_edges};
use std::f64::consts::PI;

/// Parts may together be larger than the solid by this part of its volume.
const EXCESS: f64 = 0.01;
/// Parts, at most; where the last cut leaves several, a few more.
const PARTS: usize = 64;
/// Corners of a part, at most.
const CORNERS: usize = 256;
/// Lengths below this part of the mesh's extent are none, and volumes below this part of the volume.
const NEGLIGIBLE: f64 = 1e-9;
/// Corners of the hulls by which planes are compared, at most.
const ROUGH: usize = 100;
/// Points whose convex hull is computed before some are left out, at most.
const MANY: usize = 2000;
/// How much of the excess of a part goes to planes that divide it into halves rather than unevenly.
const BALANCE: f64 = 0.05;

/// A piece of the solid and its convex hull.
struct Part {
    piece: Piece,
    /// It is below all these.
    cut_by: Vec<Plane>,
    hull: Hull,
    /// m³.
    volume: f64,
    /// The volume of the hull less that of the piece, m³.
    excess: f64,
    /// Whether no plane divides it.
    whole: bool,
}

/// What stays the same for all parts.
struct Divider<'a> {
    mesh: &'a TriangleMesh,
    edges: Vec<ConcaveEdge>,
    rough: Vec<DVec3>,
    fine: Vec<DVec3>,
    /// m.
    tolerance: f64,
    /// m³.
    least_volume: f64,
}

impl TriangleMesh {
    /// Convex parts that cover the solid that the mesh encloses; a convex solid is one part.
    ///
    /// The solid is cut by planes, again and again that part whose convex hull is larger than itself by most:
    /// through concave edges along the triangles beside them, or square to its principal axes. Of these the plane is
    /// taken that takes most from the volume between parts and their hulls. That ends when the hulls together are
    /// larger than the solid by 1 % of its volume, or are 64. They do not overlap, unless a cut leaves pieces that
    /// are not joined. Of a part with more than 256 corners those are kept that are farthest in as many directions,
    /// so that it becomes a little smaller.
    ///
    /// ```
    /// use granule::math::DVec3;
    /// use granule::shapes::TriangleMesh;
    /// // An L: the square from 0 to 2 without the one from 1 to 2, from z = 0 to 1.
    /// let outline = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    /// let at = |z: f64| outline.map(|[x, y]| DVec3::new(f64::from(x), f64::from(y), z));
    /// let vertices = [at(0.0), at(1.0)].concat();
    /// let mut triangles: Vec<[u32; 3]> = (1..5).flat_map(|k| [[0, k + 1, k], [6, k + 6, k + 7]]).collect();
    /// for k in 0..6 {
    ///     let next = (k + 1) % 6;
    ///     triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
    /// }
    /// let parts = TriangleMesh::new(&vertices, &triangles)?.decomposition()?;
    /// assert_eq!(parts.len(), 2);
    /// let volume: f64 = parts.iter().map(|part| part.mass_properties().volume).sum();
    /// assert!((volume - 3.0).abs() < 1e-14);
    /// # Ok::<(), granule::shapes::MeshError>(())
    /// ```
    pub fn decomposition(&self) -> Result<Vec<Hull>, MeshError> {
        let volume = self.mass_properties()?.volume;
        let [min, max] = self.bounds();
        let divider = Divider {
            mesh: self,
            edges: concave_edges(self),
            rough: directions(ROUGH),
            fine: directions(CORNERS),
            tolerance: NEGLIGIBLE * min.distance(max),
            least_volume: NEGLIGIBLE * volume,
        };
        let triangles = 0..self.triangles.len() as u32;
        let solid = Piece::new(triangles.map(|triangle| self.corners(triangle)));
        let first = divider.part(solid, Vec::new());
        let mut parts = vec![first.map_err(MeshError::NoHull)?];
        while parts.len() < PARTS {
            let excess: f64 = parts.iter().map(|part| part.excess).sum();
            let most = (0..parts.len())
                .filter(|&k| !parts[k].whole)
                .max_by(|&a, &b| parts[a].excess.total_cmp(&parts[b].excess).then(b.cmp(&a)));
            let Some(most) = most.filter(|_| excess > EXCESS * volume) else {
                break;
            };
            match divider.divide(&parts[most]) {
                Some(pieces) => {
                    parts.remove(most);
                    parts.extend(pieces);
                }
                None => parts[most].whole = true,
            }
        }
        Ok(parts.into_iter().map(|part| part.hull).collect())
    }
}

impl Divider<'_> {
    /// The pieces of a part by the best plane whose pieces have hulls.
    fn divide(&self, part: &Part) -> Option<Vec<Part>> {
        let planes = candidates(&self.edges, &part.hull, &part.cut_by, self.tolerance);
        let single = planes.into_iter().filter_map(|plane| {
            let sides = part.piece.cut(&plane, self.tolerance);
            Some((self.gain(part, &sides)?, plane))
        });
        // A ring gains little by one cut, but much by two that cross.
        let [x, y, z] = across(&part.hull, 0.5);
        let crossed = [[x, y], [y, z], [z, x]]
            .into_iter()
            .filter_map(|[first, second]| {
                let sides = part.piece.cut(&first, self.tolerance);
                let quarters = sides.map(|pieces| {
                    let cut = pieces
                        .iter()
                        .map(|piece| piece.cut(&second, self.tolerance));
                    cut.flatten().flatten().collect()
                });
                Some((self.gain(part, &quarters)?, first))
            });
        let mut best: Vec<(f64, Plane)> = single.chain(crossed).collect();
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.into_iter().find_map(|(_, plane)| {
            let sides = part.piece.cut(&plane, self.tolerance);
            let parts = sides.into_iter().zip([plane, plane.turned_over()]);
            let parts = parts.flat_map(|(pieces, plane)| {
                let cut_by = [&part.cut_by[..], &[plane]].concat();
                let part = move |piece| self.part(piece, cut_by.clone()).ok();
                pieces.into_iter().map(part)
            });
            parts.collect()
        })
    }

    /// What is gained by a cut, m³, over the root of the number of parts that are added, so that many parts
    /// count for something, but less than a cut for each; nothing if a part is too small to count.
    fn gain(&self, part: &Part, sides: &[Vec<Piece>; 2]) -> Option<f64> {
        let (mut excess, mut volumes) = (0.0, [0.0; 2]);
        for (pieces, sum) in sides.iter().zip(&mut volumes) {
            for piece in pieces {
                let volume = piece.volume();
                if volume <= self.least_volume {
                    return None;
                }
                let corners: Vec<DVec3> = piece.corners().iter().map(|corner| corner.0).collect();
                let hull = Hull::of_points(&extreme(&corners, &self.rough)).ok()?;
                excess += (hull.mass_properties().volume - volume).max(0.0);
                *sum += volume;
            }
        }
        if sides.iter().any(Vec::is_empty) {
            return None;
        }
        let added = (sides[0].len() + sides[1].len() - 1) as f64;
        let uneven = (volumes[0] - volumes[1]).abs() / part.volume;
        Some((part.excess - excess) / added.sqrt() - BALANCE * part.excess * uneven)
    }

    fn part(&self, piece: Piece, cut_by: Vec<Plane>) -> Result<Part, String> {
        let mut corners = piece.corners();
        let hull = loop {
            let points: Vec<DVec3> = corners.iter().map(|corner| corner.0).collect();
            let hull = self.hull(&points)?;
            // Corners of caps may lie outside; only those that would be corners of the hull matter.
            let before = corners.len();
            corners.retain_mut(|(corner, cap)| {
                let matters = *cap && hull.vertices.contains(corner);
                let stays = !matters || self.holds(*corner);
                *cap &= !matters;
                stays
            });
            if corners.len() == before {
                break hull;
            }
        };
        let volume = piece.volume();
        Ok(Part {
            excess: (hull.mass_properties().volume - volume).max(0.0),
            piece,
            cut_by,
            hull,
            volume,
            whole: false,
        })
    }

    /// The convex hull of points, without some of its corners if there are too many.
    fn hull(&self, points: &[DVec3]) -> Result<Hull, String> {
        if points.len() <= MANY {
            let hull = Hull::of_points(points);
            let fits = |hull: &Hull| hull.vertices.len() <= self.fine.len();
            if let Some(hull) = hull.ok().filter(fits) {
                return Ok(hull);
            }
        }
        Hull::of_points(&extreme(points, &self.fine))
    }

    /// Whether a point is in the solid, or on its surface: the solid angles of the triangles as seen from there
    /// add up to 4π inside, and to nothing outside.
    fn holds(&self, point: DVec3) -> bool {
        let angles = (0..self.mesh.triangles().len() as u32).map(|triangle| {
            let [a, b, c] = self.mesh.corners(triangle).map(|corner| corner - point);
            let [la, lb, lc] = [a, b, c].map(DVec3::length);
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(below)
        });
        self.mesh.distance_within(point, self.tolerance) || angles.sum::<f64>() > 2.0 * PI
    }
}

/// Directions that are evenly distributed: points on a spiral.
fn directions(count: usize) -> Vec<DVec3> {
    let golden = PI * (3.0 - 5_f64.sqrt());
    let direction = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z)
    };
    (0..count).map(direction).collect()
}

/// Of more points than directions those that are farthest in one of them, in their order.
fn extreme(points: &[DVec3], directions: &[DVec3]) -> Vec<DVec3> {
    if points.len() <= directions.len() {
        return points.to_vec();
    }
    let mut farthest: Vec<usize> = directions
        .iter()
        .map(|direction| {
            let (mut best, mut along) = (0, f64::NEG_INFINITY);
            for (k, point) in points.iter().enumerate() {
                let height = point.dot(*direction);
                if height > along {
                    (best, along) = (k, height);
                }
            }
            best
        })
        .collect();
    farthest.sort_unstable();
    farthest.dedup();
    farthest.into_iter().map(|k| points[k]).collect()
}
