//! A tree of boxes about triangles.

use crate::math::DVec3;

/// Triangles in a leaf, at most.
const LEAF: usize = 4;

/// A box with all that is below it.
#[derive(Debug, Clone, Copy)]
struct Node {
    min: DVec3,
    max: DVec3,
    /// The node after the last one below this.
    next: u32,
    /// The first of the leaf's triangles in the order of the tree.
    first: u32,
    /// How many there are; none for a node that is no leaf.
    count: u32,
}

/// Nodes in the order of a walk that goes down first: the box of all, its first half with all that is below,
/// its second half. Each says where to go on if nothing below it is of interest, so that a walk needs no
/// memory of its own. Halves are divided at the median of the middles along the longest side.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The triangles, leaf after leaf.
    order: Vec<u32>,
}

impl Tree {
    /// The tree of boxes given by their corners, m.
    pub fn new(boxes: &[[DVec3; 2]]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(boxes.len());
        build(boxes, &mut order, 0, &mut nodes);
        Self { nodes, order }
    }

    /// The box about everything, m.
    pub fn bounds(&self) -> [DVec3; 2] {
        [self.nodes[0].min, self.nodes[0].max]
    }

    /// Gives to `visit` every triangle in a leaf whose box, and those above, `meets` says yes to, until
    /// `visit` says that it has enough.
    #[inline]
    pub fn walk(
        &self,
        meets: impl Fn(DVec3, DVec3) -> bool,
        mut visit: impl FnMut(u32) -> bool,
    ) -> bool {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if !meets(node.min, node.max) {
                at = node.next as usize;
                continue;
            }
            let first = node.first as usize;
            for &triangle in &self.order[first..first + node.count as usize] {
                if visit(triangle) {
                    return true;
                }
            }
            at += 1;
        }
        false
    }
}

/// Adds the nodes for a part of the order, which begins at `first` in the whole.
fn build(boxes: &[[DVec3; 2]], order: &mut [u32], first: usize, nodes: &mut Vec<Node>) {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &k in order.iter() {
        min = min.min(boxes[k as usize][0]);
        max = max.max(boxes[k as usize][1]);
    }
    let own = nodes.len();
    let leaf = order.len() <= LEAF;
    nodes.push(Node {
        min,
        max,
        next: 0,
        first: first as u32,
        count: if leaf { order.len() as u32 } else { 0 },
    });
    if leaf {
        order.sort_unstable();
    } else {
        let axis = (max - min).max_position();
        let middle = |k: u32| boxes[k as usize][0][axis] + boxes[k as usize][1][axis];
        let half = order.len() / 2;
        // By their numbers where middles are the same, so that the tree is one and the same everywhere.
        order.select_nth_unstable_by(half, |&a, &b| {
            middle(a).total_cmp(&middle(b)).then(a.cmp(&b))
        });
        let (low, high) = order.split_at_mut(half);
        build(boxes, low, first, nodes);
        build(boxes, high, first + half, nodes);
    }
    nodes[own].next = nodes.len() as u32;
}
