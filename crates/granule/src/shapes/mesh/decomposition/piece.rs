//! What planes leave of a solid.

use crate::math::DVec3;

/// A plane `normal · x = offset` (m).
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    pub normal: DVec3,
    pub offset: f64,
}

impl Plane {
    /// How far a point is above it, m.
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The same plane seen from its other side.
    pub fn turned_over(self) -> Self {
        Self {
            normal: -self.normal,
            offset: -self.offset,
        }
    }
}

/// A triangle of the boundary of a piece.
#[derive(Debug, Clone, Copy)]
struct Side {
    corners: [DVec3; 3],
    /// Whether it lies in a plane that the piece was cut by.
    cap: bool,
}

/// A part of a solid, by the triangles of its boundary, corners counter-clockwise seen from outside.
///
/// Where a plane has cut, the boundary is a fan about one corner of each loop, in which triangles may lie one
/// over the other with opposite signs: what is counted twice cancels in every integral, and in every later cut.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    sides: Vec<Side>,
}

/// A side as it was cut, with its edge in the plane, if it has one.
type CutSide = (Side, Option<[DVec3; 2]>);

impl Piece {
    pub fn new(triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let side = |corners: [DVec3; 3]| Side {
            corners,
            cap: false,
        };
        Self {
            sides: triangles.map(side).collect(),
        }
    }

    /// m³.
    pub fn volume(&self) -> f64 {
        let Some(side) = self.sides.first() else {
            return 0.0;
        };
        let origin = side.corners[0];
        let tetrahedra = self.sides.iter().map(|side| {
            let [a, b, c] = side.corners.map(|corner| corner - origin);
            a.dot(b.cross(c)) / 6.0
        });
        tetrahedra.sum()
    }

    /// Its corners (m), each once, and whether they are corners of caps only, so that they may lie outside.
    pub fn corners(&self) -> Vec<(DVec3, bool)> {
        let all = self.sides.iter();
        let all = all.flat_map(|side| side.corners.map(|corner| (corner, side.cap)));
        let mut all: Vec<(DVec3, bool)> = all.collect();
        all.sort_unstable_by(|a, b| order(&a.0, &b.0).then(a.1.cmp(&b.1)));
        all.dedup_by(|b, a| a.0 == b.0);
        all
    }

    /// The connected pieces below and above a plane. What is not farther from it than `tolerance` (m) is on it.
    pub fn cut(&self, plane: &Plane, tolerance: f64) -> [Vec<Self>; 2] {
        [*plane, plane.turned_over()].map(|plane| self.below(&plane, tolerance))
    }

    fn below(&self, plane: &Plane, tolerance: f64) -> Vec<Self> {
        let mut cut = Vec::new();
        for side in &self.sides {
            clip(side, plane, tolerance, &mut cut);
        }
        let parts = joined(&cut, |(side, _)| side.corners);
        let whole: Vec<Self> = parts.iter().map(|part| closed(part)).collect();
        // The wall of a cavity is not joined to the rest, but belongs to it.
        if whole.iter().all(|piece| piece.volume() > 0.0) {
            return whole;
        }
        let sides = whole.into_iter().flat_map(|piece| piece.sides);
        vec![Self {
            sides: sides.collect(),
        }]
    }
}

/// Any order in which equal points are neighbours.
fn order(a: &DVec3, b: &DVec3) -> std::cmp::Ordering {
    let by = |axis: usize| a[axis].total_cmp(&b[axis]);
    by(0).then_with(|| by(1)).then_with(|| by(2))
}

/// Adds what is below a plane of a side, as triangles. A side in the plane is left out: its neighbours have its
/// edges.
fn clip(side: &Side, plane: &Plane, tolerance: f64, cut: &mut Vec<CutSide>) {
    let height = |x: DVec3| {
        let height = plane.height(x);
        if height.abs() <= tolerance {
            0.0
        } else {
            height
        }
    };
    let heights = side.corners.map(height);
    if heights.iter().all(|h| *h >= 0.0) {
        return;
    }
    // The corners of what is left, and whether they are in the plane.
    let mut polygon: Vec<(DVec3, bool)> = Vec::with_capacity(4);
    for k in 0..3 {
        let (a, b) = (side.corners[k], side.corners[(k + 1) % 3]);
        let (low, high) = (heights[k], heights[(k + 1) % 3]);
        if low <= 0.0 {
            polygon.push((a, low == 0.0));
        }
        if low * high < 0.0 {
            // The same point for both triangles at an edge, to the last bit.
            let ((a, low), (b, high)) = match order(&a, &b) {
                std::cmp::Ordering::Greater => ((b, high), (a, low)),
                _ => ((a, low), (b, high)),
            };
            let point = a + low / (low - high) * (b - a);
            polygon.push((point + DVec3::ZERO, true));
        }
    }
    let count = polygon.len();
    let edge = (0..count).find(|&k| polygon[k].1 && polygon[(k + 1) % count].1);
    let mut edge = edge.map(|k| [polygon[k].0, polygon[(k + 1) % count].0]);
    for k in 1..count - 1 {
        let corners = [polygon[0].0, polygon[k].0, polygon[k + 1].0];
        let cap = side.cap;
        cut.push((Side { corners, cap }, edge.take()));
    }
}

/// Divides things into those that are joined by points that they share.
fn joined<T: Copy, const N: usize>(things: &[T], points: impl Fn(&T) -> [DVec3; N]) -> Vec<Vec<T>> {
    let all = things.iter().enumerate();
    let mut all: Vec<(DVec3, usize)> = all
        .flat_map(|(k, thing)| points(thing).map(|point| (point, k)))
        .collect();
    all.sort_unstable_by(|a, b| order(&a.0, &b.0).then(a.1.cmp(&b.1)));
    // A forest in which each thing points to an earlier one that it is joined to.
    let mut parent: Vec<usize> = (0..things.len()).collect();
    fn root(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    for pair in all.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let [a, b] = [pair[0].1, pair[1].1].map(|k| root(&mut parent, k));
        parent[a.max(b)] = a.min(b);
    }
    let mut place = vec![usize::MAX; things.len()];
    let mut groups: Vec<Vec<T>> = Vec::new();
    for (k, thing) in things.iter().enumerate() {
        let first = root(&mut parent, k);
        if place[first] == usize::MAX {
            place[first] = groups.len();
            groups.push(Vec::new());
        }
        groups[place[first]].push(*thing);
    }
    groups
}

/// The piece with these sides and a fan for each loop of edges in the plane in which it was cut.
fn closed(cut: &[CutSide]) -> Piece {
    let mut piece = Piece {
        sides: cut.iter().map(|(side, _)| *side).collect(),
    };
    let edges: Vec<[DVec3; 2]> = cut.iter().filter_map(|(_, edge)| *edge).collect();
    for ring in joined(&edges, |edge| *edge) {
        let center = ring[0][0];
        let beside = ring.iter().filter(|edge| !edge.contains(&center));
        piece.sides.extend(beside.map(|&[from, to]| Side {
            corners: [center, to, from],
            cap: true,
        }));
    }
    piece
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box from the origin with these edges.
    fn cuboid(size: DVec3) -> Piece {
        let corner = |k: u32| {
            DVec3::new(f64::from(k & 1), f64::from((k >> 1) & 1), f64::from(k >> 2)) * size
        };
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let triangles = faces
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        Piece::new(triangles.map(|t| t.map(corner)))
    }

    #[test]
    fn pieces_of_a_box_have_their_volumes() {
        let whole = cuboid(DVec3::new(1.0, 2.0, 3.0));
        assert!((whole.volume() - 6.0).abs() < 1e-14);
        let plane = Plane {
            normal: DVec3::X,
            offset: 0.25,
        };
        let [low, high] = whole.cut(&plane, 1e-12);
        assert_eq!((low.len(), high.len()), (1, 1));
        assert!((low[0].volume() - 1.5).abs() < 1e-14);
        assert!((high[0].volume() - 4.5).abs() < 1e-14);
        // Across what was cut before, obliquely: half of it.
        let oblique = Plane {
            normal: DVec3::new(0.0, 3.0, -2.0).normalize(),
            offset: 0.0,
        };
        for part in high[0].cut(&oblique, 1e-12) {
            assert!((part[0].volume() - 2.25).abs() < 1e-14);
        }
        // Along a face there is nothing to cut.
        let face = Plane {
            normal: DVec3::X,
            offset: 1.0,
        };
        let [below, above] = whole.cut(&face, 1e-12);
        assert!((below[0].volume() - 6.0).abs() < 1e-14);
        assert!(above.is_empty());
    }

    #[test]
    fn what_falls_apart_is_several_pieces() {
        // A bridge: two feet under a beam, in one piece.
        let outline = [
            [0.0, 0.0],
            [1.0, 0.0],
            [1.0, 1.0],
            [2.0, 1.0],
            [2.0, 0.0],
            [3.0, 0.0],
            [3.0, 2.0],
            [0.0, 2.0],
        ];
        let caps = [
            [0, 1, 2],
            [0, 2, 7],
            [2, 3, 6],
            [2, 6, 7],
            [3, 4, 5],
            [3, 5, 6],
        ];
        let at = |k: usize, z: f64| DVec3::new(outline[k % 8][0], outline[k % 8][1], z);
        let top = caps.iter().map(|t| t.map(|k| at(k, 1.0)));
        let bottom = caps.iter().map(|&[a, b, c]| [a, c, b].map(|k| at(k, 0.0)));
        let wall = (0..8).flat_map(|k| {
            let [a, b, c, d] = [at(k, 0.0), at(k + 1, 0.0), at(k + 1, 1.0), at(k, 1.0)];
            [[a, b, c], [a, c, d]]
        });
        let bridge = Piece::new(top.chain(bottom).chain(wall));
        assert!((bridge.volume() - 5.0).abs() < 1e-14);
        let under_beam = Plane {
            normal: DVec3::Y,
            offset: 1.0,
        };
        let [feet, beam] = bridge.cut(&under_beam, 1e-12);
        assert_eq!((feet.len(), beam.len()), (2, 1));
        assert!(feet.iter().all(|foot| (foot.volume() - 1.0).abs() < 1e-14));
        assert!((beam[0].volume() - 3.0).abs() < 1e-14);
        let lower = Plane {
            normal: DVec3::Y,
            offset: 0.5,
        };
        let [feet, rest] = bridge.cut(&lower, 1e-12);
        assert_eq!((feet.len(), rest.len()), (2, 1));
        assert!((rest[0].volume() - 4.0).abs() < 1e-14);
    }
}
