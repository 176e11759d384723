//! What is beside what in a mesh.

use crate::math::DVec3;

/// An edge of a mesh.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// The places of its ends, the lower one first.
    pub ends: [u32; 2],
    /// Unit vector from the first end to the second.
    pub direction: DVec3,
    /// m.
    pub length: f64,
}

/// A list of numbers for each of several things, all in one array.
#[derive(Debug, Clone)]
pub(super) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Collects pairs of a thing and a number; the numbers of a thing keep their order.
    fn new(things: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut start = vec![0; things + 1];
        for (thing, _) in pairs.clone() {
            start[thing as usize + 1] += 1;
        }
        for k in 0..things {
            start[k + 1] += start[k];
        }
        let mut next = start.clone();
        let mut items = vec![0; start[things] as usize];
        for (thing, item) in pairs {
            items[next[thing as usize] as usize] = item;
            next[thing as usize] += 1;
        }
        Self { start, items }
    }

    /// The numbers of a thing.
    #[inline]
    pub fn of(&self, thing: u32) -> &[u32] {
        let thing = thing as usize;
        &self.items[self.start[thing] as usize..self.start[thing + 1] as usize]
    }
}

/// Edges, and what belongs to them.
#[derive(Debug, Clone)]
pub(super) struct Adjacency {
    /// Sorted by their ends.
    pub edges: Vec<Edge>,
    /// The edges of each triangle; the k-th goes from its k-th corner to the next.
    pub sides: Vec<[u32; 3]>,
    /// The triangles at each edge, in ascending order.
    pub triangles_at: Lists,
    /// The edges at each vertex, in ascending order.
    pub edges_at: Lists,
}

impl Adjacency {
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let mut uses: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * triangles.len());
        for (triangle, corners) in (0_u32..).zip(triangles) {
            for side in 0..3 {
                let (from, to) = (corners[side], corners[(side + 1) % 3]);
                uses.push(([from.min(to), from.max(to)], triangle, side));
            }
        }
        uses.sort_unstable();
        let mut edges = Vec::new();
        let mut sides = vec![[0; 3]; triangles.len()];
        let mut pairs = Vec::with_capacity(uses.len());
        for group in uses.chunk_by(|a, b| a.0 == b.0) {
            let ends = group[0].0;
            let [from, to] = ends.map(|k| vertices[k as usize]);
            let own = edges.len() as u32;
            let length = from.distance(to);
            edges.push(Edge {
                ends,
                direction: (to - from) / length,
                length,
            });
            for &(_, triangle, side) in group {
                sides[triangle as usize][side] = own;
                pairs.push((own, triangle));
            }
        }
        let triangles_at = Lists::new(edges.len(), pairs.iter().copied());
        let ends = (0_u32..).zip(&edges);
        let ends = ends.flat_map(|(own, edge)| edge.ends.map(|end| (end, own)));
        let edges_at = Lists::new(vertices.len(), ends);
        Self {
            edges,
            sides,
            triangles_at,
            edges_at,
        }
    }
}
