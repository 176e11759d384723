//! Groups of bodies that stiff contacts join, and the matrix of their common velocities: the coarse level of a
//! preconditioner of two levels, by aggregation [vanek1996, §3, not smoothed].
//!
//! Block-diagonal preconditioners do not see how a pile moves as a whole, which is what takes many iterations where
//! contacts are stiff. `P A_c⁻¹ Pᵀ` does, with P the groups' common velocities and `A_c = Pᵀ (M + D S Dᵀ) P`.

use super::factor::{BlockMatrix, Factor};
use crate::math::{DMat3, DVec3};
use crate::solver::tuning::ipm as tuning;

/// A contact between two bodies that move, or one and the ground.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) bodies: [Option<u32>; 2],
    /// S of the contact, kg.
    pub(super) stiffness: DMat3,
}

/// The groups and the factor of their matrix.
#[derive(Default)]
pub(super) struct Groups {
    /// The group of each body.
    of: Vec<u32>,
    count: usize,
    matrix: BlockMatrix,
    factor: Factor,
    flat: Vec<f64>,
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// The first body of a group, as union-find has it.
fn first(parent: &mut [u32], mut body: u32) -> u32 {
    while parent[body as usize] != body {
        parent[body as usize] = parent[parent[body as usize] as usize];
        body = parent[body as usize];
    }
    body
}

impl Groups {
    /// Joins bodies by their links, the stiffest first.
    fn join(&mut self, bodies: usize, links: &[Link]) {
        let mut order: Vec<(f64, u32)> = links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.bodies.iter().all(Option::is_some))
            .map(|(k, link)| (trace(&link.stiffness), k as u32))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut parent: Vec<u32> = (0..bodies as u32).collect();
        let mut size = vec![1; bodies];
        for (_, k) in order {
            let [Some(a), Some(b)] = links[k as usize].bodies else {
                continue;
            };
            let (a, b) = (first(&mut parent, a), first(&mut parent, b));
            if a != b && size[a as usize] + size[b as usize] <= tuning::GROUP {
                let (low, high) = (a.min(b), a.max(b));
                parent[high as usize] = low;
                size[low as usize] += size[high as usize];
            }
        }
        self.of.clear();
        self.of.resize(bodies, 0);
        self.count = 0;
        // The first of a group comes before the others.
        for body in 0..bodies as u32 {
            let head = first(&mut parent, body);
            self.of[body as usize] = if head == body {
                self.count += 1;
                self.count as u32 - 1
            } else {
                self.of[head as usize]
            };
        }
    }

    /// For bodies with these masses, kg.
    pub(super) fn prepare(&mut self, masses: &[f64], links: &[Link]) {
        self.join(masses.len(), links);
        let group = |body: Option<u32>| body.map(|body| self.of[body as usize] as usize);
        let mut pairs = Vec::new();
        for link in links {
            if let [Some(a), Some(b)] = link.bodies.map(group)
                && a != b
            {
                pairs.push((a.min(b) as u32, a.max(b) as u32));
            }
        }
        self.matrix.reset(self.count, 3, &mut pairs);
        for (body, mass) in masses.iter().enumerate() {
            self.matrix.add_diagonal(self.of[body] as usize, 0, *mass);
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
        self.factor.factorise(&self.matrix);
    }

    /// Adds `P A_c⁻¹ Pᵀ r` to `out`, given and told body by body.
    pub(super) fn correct<'a>(
        &mut self,
        residual: impl Iterator<Item = DVec3>,
        out: impl Iterator<Item = &'a mut DVec3>,
    ) {
        self.flat.clear();
        self.flat.resize(3 * self.count, 0.0);
        for (group, r) in self.of.iter().zip(residual) {
            let sum = &mut self.flat[3 * *group as usize..][..3];
            for (sum, r) in sum.iter_mut().zip(r.to_array()) {
                *sum += r;
            }
        }
        self.factor.solve(&mut self.flat);
        for (group, out) in self.of.iter().zip(out) {
            *out += DVec3::from_slice(&self.flat[3 * *group as usize..][..3]);
        }
    }
}
