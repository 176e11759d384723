//! Groups of bodies that stiff contacts join, and the matrix of their common velocities: the coarse level of a
//! preconditioner of two levels, by aggregation [vanek1996, §3, not smoothed].
//!
//! Block-diagonal preconditioners do not see how a pile moves as a whole, which is what takes many iterations where
//! contacts are stiff. `P A_c⁻¹ Pᵀ` does, with P the groups' common velocities and `A_c = Pᵀ (M + D S Dᵀ) P`.

use super::bodies::{BodyVector, Inertia};
use crate::math::linear::BlockMatrix;
use crate::math::{DMat3, DVec3};
use crate::solver::tuning::ipm as tuning;

/// A contact between two bodies that move, or one and the ground.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// Their places among those that move.
    pub(super) bodies: [Option<usize>; 2],
    /// S of the contact, kg.
    pub(super) stiffness: DMat3,
}

/// The groups and the factor of their matrix.
#[derive(Default)]
pub(super) struct Groups {
    /// The group of each body.
    of: Vec<usize>,
    count: usize,
    matrix: BlockMatrix,
    flat: Vec<f64>,
}

/// The sum of the entries on the diagonal.
pub(super) fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// The first body of a group, as union-find has it.
fn first(parent: &mut [usize], mut body: usize) -> usize {
    while parent[body] != body {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    body
}

impl Groups {
    /// Joins bodies by their links, the stiffest first.
    fn join(&mut self, bodies: usize, links: &[Link]) {
        let mut order: Vec<(f64, [usize; 2])> = (links.iter())
            .filter_map(|link| match link.bodies {
                [Some(a), Some(b)] => Some((trace(&link.stiffness), [a, b])),
                [None, _] | [_, None] => None,
            })
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut parent: Vec<usize> = (0..bodies).collect();
        let mut size = vec![1; bodies];
        for (_, ends) in order {
            let [a, b] = ends.map(|body| first(&mut parent, body));
            if a != b && size[a] + size[b] <= tuning::GROUP {
                let (low, high) = (a.min(b), a.max(b));
                parent[high] = low;
                size[low] += size[high];
            }
        }
        self.of.clear();
        self.count = 0;
        // The first of a group comes before the others.
        for body in 0..bodies {
            let head = first(&mut parent, body);
            if head == body {
                self.of.push(self.count);
                self.count += 1;
            } else {
                self.of.push(self.of[head]);
            }
        }
    }

    /// For these bodies.
    pub(super) fn prepare(&mut self, bodies: &[Inertia], links: &[Link]) {
        self.join(bodies.len(), links);
        let group = |body: Option<usize>| body.map(|body| self.of[body]);
        let mut pairs = Vec::new();
        for link in links {
            if let [Some(a), Some(b)] = link.bodies.map(group)
                && a != b
            {
                pairs.push((a.min(b) as u32, a.max(b) as u32));
            }
        }
        self.matrix.reset(self.count, 3, &mut pairs);
        for (group, body) in self.of.iter().zip(bodies) {
            self.matrix.add_diagonal(*group, 0, body.mass);
        }
        for link in links {
            let ends = link.bodies.map(group);
            if ends[0] == ends[1] {
                continue;
            }
            for end in ends.into_iter().flatten() {
                self.matrix.add((end, end), (0, 0), &link.stiffness);
            }
            if let [Some(a), Some(b)] = ends {
                let place = (a.max(b), a.min(b));
                self.matrix.add(place, (0, 0), &-link.stiffness);
            }
        }
        self.matrix.factorise();
    }

    /// Adds `P A_c⁻¹ Pᵀ r` to the linear part of `out`.
    pub(super) fn correct(&mut self, residual: &[BodyVector], out: &mut [BodyVector]) {
        self.flat.clear();
        self.flat.resize(3 * self.count, 0.0);
        for (group, [r, _]) in self.of.iter().zip(residual) {
            let sum = &mut self.flat[3 * group..][..3];
            for (sum, r) in sum.iter_mut().zip(r.to_array()) {
                *sum += r;
            }
        }
        self.matrix.solve(&mut self.flat);
        for (group, [out, _]) in self.of.iter().zip(out) {
            *out += DVec3::from_slice(&self.flat[3 * group..][..3]);
        }
    }
}
