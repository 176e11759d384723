//! Vertices that coincide become one, and triangles without area go.

use crate::math::DVec3;
use std::collections::BTreeMap;

/// Cells are this many tolerances wide, so that most vertices are near one cell only.
const CELL: f64 = 8.0;

/// What was mended while a mesh was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Vertices that were joined to an earlier one.
    pub welded: usize,
    /// Triangles that were left out since they have no area.
    pub degenerate: usize,
    /// Vertices that were left out since no triangle has them.
    pub unused: usize,
}

/// Which vertices some triangle has.
fn used(vertices: usize, triangles: &[[u32; 3]]) -> Vec<bool> {
    let mut used = vec![false; vertices];
    for &k in triangles.iter().flatten() {
        used[k as usize] = true;
    }
    used
}

/// For each vertex that is used the first one that is not farther than `tolerance` (m) and was not joined
/// itself; for the others themselves.
fn representatives(vertices: &[DVec3], used: &[bool], origin: DVec3, tolerance: f64) -> Vec<u32> {
    let cell = CELL * tolerance;
    let place = |x: DVec3| {
        let scaled = (x - origin) / cell;
        [scaled.x as i64, scaled.y as i64, scaled.z as i64]
    };
    let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    let mut first: Vec<u32> = (0..vertices.len() as u32).collect();
    for (own, &vertex) in vertices.iter().enumerate().filter(|(own, _)| used[*own]) {
        let (low, high) = (place(vertex - tolerance), place(vertex + tolerance));
        let mut found: Option<u32> = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let known = cells.get(&[x, y, z]).into_iter().flatten();
                    let near = |&&k: &&u32| vertices[k as usize].distance(vertex) <= tolerance;
                    found = found.into_iter().chain(known.filter(near).copied()).min();
                }
            }
        }
        match found {
            Some(earlier) => first[own] = earlier,
            None => cells.entry(place(vertex)).or_default().push(own as u32),
        }
    }
    first
}

/// Joins vertices that are not farther than `tolerance` (m) from an earlier one, and leaves out triangles
/// without area and the vertices that no triangle has. The `origin` is below all triangles.
pub(super) fn weld(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    origin: DVec3,
    tolerance: f64,
) -> (Vec<DVec3>, Vec<[u32; 3]>, Repairs) {
    let given = used(vertices.len(), triangles);
    let first = representatives(vertices, &given, origin, tolerance);
    let joined = triangles.iter().map(|t| t.map(|k| first[k as usize]));
    let kept: Vec<[u32; 3]> = joined.filter(|t| has_area(vertices, *t)).collect();
    let used = used(vertices.len(), &kept);
    let mut number = vec![0; vertices.len()];
    let mut left = Vec::new();
    for (k, &vertex) in vertices.iter().enumerate() {
        if used[k] {
            number[k] = left.len() as u32;
            left.push(vertex);
        }
    }
    let welded = (0_u32..).zip(&first).filter(|(own, to)| own != *to).count();
    let repairs = Repairs {
        welded,
        degenerate: triangles.len() - kept.len(),
        unused: vertices.len() - welded - left.len(),
    };
    let renumbered = kept.iter().map(|t| t.map(|k| number[k as usize])).collect();
    (left, renumbered, repairs)
}

/// Whether the height of a triangle over its longest side is more than rounding.
pub(super) fn has_area(vertices: &[DVec3], triangle: [u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|k| vertices[k as usize]);
    let sides = [b - a, c - b, a - c].map(DVec3::length_squared);
    let longest = sides[0].max(sides[1]).max(sides[2]);
    // |(b - a) × (c - a)| is the height times the longest side.
    (b - a).cross(c - a).length() > 1e-14 * longest
}
