//! Openings of surfaces that are meshes: rims and holes.

use granule::math::DVec3;
use granule::shapes::TriangleMesh;
use std::collections::{BTreeMap, BTreeSet};

/// A chain of edges that belong to one triangle each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Opening {
    /// How many edges it has.
    pub edges: usize,
    /// How wide it is, about: the middle one of the lengths of a box around it along the axes, m.
    pub width: f64,
    /// Its middle, m.
    pub place: DVec3,
}

/// All openings of a mesh, in the order of their first corners.
pub(crate) fn openings(mesh: &TriangleMesh) -> Vec<Opening> {
    let mut count: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for &[a, b, c] in mesh.triangles() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *count.entry([from.min(to), from.max(to)]).or_default() += 1;
        }
    }
    let mut neighbours: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for ([a, b], _) in count.iter().filter(|(_, triangles)| **triangles == 1) {
        neighbours.entry(*a).or_default().push(*b);
        neighbours.entry(*b).or_default().push(*a);
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for &first in neighbours.keys() {
        let mut waiting = vec![first];
        let mut corners = Vec::new();
        let mut ends = 0;
        while let Some(corner) = waiting.pop() {
            if seen.insert(corner) {
                corners.push(mesh.vertices()[corner as usize]);
                ends += neighbours[&corner].len();
                waiting.extend(&neighbours[&corner]);
            }
        }
        if let Some(&corner) = corners.first() {
            let (low, high) = corners
                .iter()
                .fold((corner, corner), |(low, high), corner| {
                    (low.min(*corner), high.max(*corner))
                });
            let mut lengths = (high - low).to_array();
            lengths.sort_by(f64::total_cmp);
            found.push(Opening {
                edges: ends / 2,
                width: lengths[1],
                place: 0.5 * (low + high),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_without_a_lid_and_with_a_hole_has_two_openings() {
        let corner =
            |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
        let corners: Vec<DVec3> = (0..8).map(corner).collect();
        // The bottom, the four sides, no lid.
        let mut triangles = vec![
            [0, 2, 1],
            [1, 2, 3],
            [0, 1, 4],
            [1, 5, 4],
            [1, 3, 5],
            [3, 7, 5],
            [3, 2, 7],
            [2, 6, 7],
            [2, 0, 6],
            [0, 4, 6],
        ];
        let mesh = TriangleMesh::new(&corners, &triangles).unwrap();
        let found = openings(&mesh);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].edges, found[0].width), (4, 1.0));
        assert_eq!(found[0].place, DVec3::new(0.5, 0.5, 1.0));
        triangles.remove(0);
        let mesh = TriangleMesh::new(&corners, &triangles).unwrap();
        assert_eq!(openings(&mesh).len(), 2);
        triangles.insert(0, [0, 2, 1]);
        triangles.extend([[4, 5, 6], [5, 7, 6]]);
        let mesh = TriangleMesh::new(&corners, &triangles).unwrap();
        assert_eq!(openings(&mesh), []);
    }
}
