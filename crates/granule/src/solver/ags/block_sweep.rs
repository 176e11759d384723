//! The general blocks of a problem whose round contacts are swept several at a time: one by one, on the same lines.

use super::cone_sweep::BodyMotions;
use super::momentum::Pace;
use super::visit::Fixed;
use crate::law::{AdmissibleSet, Flow};
use crate::math::DVec3;
use crate::problem::{Block, ContactProblem, MatrixFree};
use crate::solver::joint_factor::JointFactor;
use crate::solver::monitor::StepSums;

/// The blocks, with three rows each.
#[derive(Debug, Default)]
pub(super) struct BlockSweep {
    fixed: Vec<Fixed>,
    bias: Vec<[f64; 3]>,
    impulses: Vec<[f64; 3]>,
    earlier: Vec<[f64; 3]>,
    /// s of exact friction, m/s.
    slips: Vec<f64>,
    /// Joints, which are solved all at once after the others.
    joints: JointFactor,
}

/// Adds what an impulse at a block makes to its bodies.
fn add(lines: &mut impl BodyMotions, operator: &MatrixFree, block: usize, impulse: &[f64; 3]) {
    for (body, change) in operator.block_change(block, impulse) {
        lines.add(body, change);
    }
}

impl BlockSweep {
    /// Takes the blocks of a problem, with their part of a start.
    pub(super) fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) {
        let round = problem.delassus.round_count();
        self.fixed.clear();
        self.fixed
            .extend((round..problem.contact_count()).map(|k| Fixed::new(problem, k)));
        self.bias.clear();
        self.bias
            .extend_from_slice(problem.bias[problem.rows() * round..].as_chunks::<3>().0);
        for list in [&mut self.impulses, &mut self.earlier] {
            list.clear();
            list.extend_from_slice(start.as_chunks::<3>().0);
        }
        self.slips.clear();
        self.slips.resize(self.fixed.len(), 0.0);
        self.joints.prepare(problem);
    }

    /// Adds the velocities that the impulses make to those of λ and of the λ before it.
    pub(super) fn add_velocities(
        &self,
        operator: &MatrixFree,
        lines: &mut impl BodyMotions,
        before: &mut impl BodyMotions,
    ) {
        for (block, (impulse, earlier)) in self.impulses.iter().zip(&self.earlier).enumerate() {
            add(lines, operator, block, impulse);
            add(before, operator, block, earlier);
        }
    }

    /// w of a block with the velocities of the bodies in `lines` and, where it gives, E y.
    fn velocity(
        &self,
        operator: &MatrixFree,
        lines: &impl BodyMotions,
        block: usize,
        beta: f64,
    ) -> DVec3 {
        let space = &operator.space;
        let of = |body: u32| lines.motion(body);
        let mut rows = [0.0; 3];
        operator.block_velocity(block, of, &mut rows);
        let w = DVec3::from_array(rows) + DVec3::from_array(self.bias[block]);
        match space.compliance.get(space.contacts.len() + block) {
            None => w,
            Some(given) => {
                let now = DVec3::from_array(self.impulses[block]);
                let y = now + beta * (now - DVec3::from_array(self.earlier[block]));
                w + given.of_force(y, self.fixed[block].normal)
            }
        }
    }

    /// One sweep.
    pub(super) fn sweep(
        &mut self,
        operator: &MatrixFree,
        lines: &mut impl BodyMotions,
        (flow, pace): (Flow, Pace),
        sums: &mut StepSums,
    ) {
        for (block, fixed) in self.fixed.iter().enumerate() {
            if fixed.set == AdmissibleSet::Free {
                continue;
            }
            let w = self.velocity(operator, lines, block, pace.beta);
            let places: [&mut [f64]; 2] = [&mut self.impulses[block], &mut self.earlier[block]];
            let d = fixed.visit((flow, pace), w, places, &mut self.slips[block], sums);
            let mut rows = [0.0; 3];
            d.store(&mut rows);
            add(lines, operator, block, &rows);
        }
        self.solve_joints(operator, lines, pace.beta, sums);
    }

    /// Solves the joints, all at once.
    fn solve_joints(
        &mut self,
        operator: &MatrixFree,
        lines: &mut impl BodyMotions,
        beta: f64,
        sums: &mut StepSums,
    ) {
        let round = operator.space.contacts.len();
        for n in 0..self.joints.len() {
            let block = self.joints.number(n) - round;
            let w = self.velocity(operator, lines, block, beta);
            self.joints.set_velocity(n, &w.to_array());
        }
        self.joints.solve();
        for n in 0..self.joints.len() {
            let block = self.joints.number(n) - round;
            let mut d = [0.0; 3];
            let places: [&mut [f64]; 2] = [&mut self.impulses[block], &mut self.earlier[block]];
            self.joints.take(n, beta, places, &mut d, sums);
            add(lines, operator, block, &d);
        }
    }

    /// λ of the blocks.
    pub(super) fn impulses(&self) -> &[f64] {
        self.impulses.as_flattened()
    }
}
