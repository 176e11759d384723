//! The general blocks of a problem whose round contacts are swept several at a time: one by one, on the same lines.

use super::cone_sweep::BodyMotions;
use super::momentum::Pace;
use super::visit::Fixed;
use crate::law::{AdmissibleSet, Flow};
use crate::problem::{Block, ContactProblem, MatrixFree, by_rows};
use crate::solver::joint_factor::JointFactor;
use crate::solver::monitor::StepSums;

/// The blocks.
#[derive(Debug, Default)]
pub(super) struct BlockSweep {
    fixed: Vec<Fixed>,
    /// Rows of a block.
    rows: usize,
    bias: Vec<f64>,
    impulses: Vec<f64>,
    earlier: Vec<f64>,
    /// s of exact friction, m/s.
    slips: Vec<f64>,
    /// Joints, which are solved all at once after the others.
    joints: JointFactor,
}

/// Adds what an impulse at a block makes to its bodies.
fn add(lines: &mut impl BodyMotions, operator: &MatrixFree, block: usize, impulse: &[f64]) {
    for (body, change) in operator.block_change(block, impulse) {
        lines.add(body, change);
    }
}

impl BlockSweep {
    /// Takes the blocks of a problem, with their part of a start.
    pub(super) fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) {
        let round = problem.delassus.round_count();
        self.rows = problem.rows();
        self.fixed.clear();
        self.fixed
            .extend((round..problem.contact_count()).map(|k| Fixed::new(problem, k)));
        self.bias.clear();
        self.bias
            .extend_from_slice(&problem.bias[self.rows * round..]);
        for list in [&mut self.impulses, &mut self.earlier] {
            list.clear();
            list.extend_from_slice(start);
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
        let impulses = self.impulses.chunks_exact(self.rows);
        let earlier = self.earlier.chunks_exact(self.rows);
        for (block, (impulse, earlier)) in impulses.zip(earlier).enumerate() {
            add(lines, operator, block, impulse);
            add(before, operator, block, earlier);
        }
    }

    /// w of a block with the velocities of the bodies in `lines` and, where it gives, E y.
    fn velocity<const ROWS: usize>(
        &self,
        operator: &MatrixFree,
        lines: &impl BodyMotions,
        block: usize,
        beta: f64,
    ) -> [f64; ROWS] {
        let space = &operator.space;
        let of = |body: u32| lines.motion(body);
        let mut w = [0.0; ROWS];
        operator.block_velocity(block, of, &mut w);
        let (bias, now, before) = (
            self.bias.as_chunks::<ROWS>().0[block],
            self.impulses.as_chunks::<ROWS>().0[block],
            self.earlier.as_chunks::<ROWS>().0[block],
        );
        for (w, bias) in w.iter_mut().zip(bias) {
            *w += bias;
        }
        if let Some(given) = space.compliance.get(space.contacts.len() + block) {
            let mut y = now;
            for (y, before) in y.iter_mut().zip(before) {
                *y += beta * (*y - before);
            }
            given.add_to(&y, self.fixed[block].normal, &mut w);
        }
        w
    }

    /// One sweep.
    pub(super) fn sweep(
        &mut self,
        operator: &MatrixFree,
        lines: &mut impl BodyMotions,
        pace: (Flow, Pace),
        sums: &mut StepSums,
    ) {
        if !self.fixed.is_empty() {
            by_rows!(self.rows, <ROWS, B> self.sweep_blocks::<ROWS, B>(operator, lines, pace, sums));
        }
    }

    fn sweep_blocks<const ROWS: usize, B: Block>(
        &mut self,
        operator: &MatrixFree,
        lines: &mut impl BodyMotions,
        (flow, pace): (Flow, Pace),
        sums: &mut StepSums,
    ) {
        for block in 0..self.fixed.len() {
            let fixed = self.fixed[block];
            if fixed.set == AdmissibleSet::Free {
                continue;
            }
            let mut rows: [f64; ROWS] = self.velocity(operator, lines, block, pace.beta);
            let places: [&mut [f64]; 2] = [
                &mut self.impulses.as_chunks_mut::<ROWS>().0[block],
                &mut self.earlier.as_chunks_mut::<ROWS>().0[block],
            ];
            let slip = &mut self.slips[block];
            let d = fixed.visit((flow, pace), B::load(&rows), places, slip, sums);
            d.store(&mut rows);
            add(lines, operator, block, &rows);
        }
        self.solve_joints::<ROWS>(operator, lines, pace.beta, sums);
    }

    /// Solves the joints, all at once.
    fn solve_joints<const ROWS: usize>(
        &mut self,
        operator: &MatrixFree,
        lines: &mut impl BodyMotions,
        beta: f64,
        sums: &mut StepSums,
    ) {
        let round = operator.space.contacts.len();
        for n in 0..self.joints.len() {
            let block = self.joints.number(n) - round;
            let w: [f64; ROWS] = self.velocity(operator, lines, block, beta);
            self.joints.set_velocity(n, &w);
        }
        self.joints.solve();
        for n in 0..self.joints.len() {
            let block = self.joints.number(n) - round;
            let mut d = [0.0; ROWS];
            let places: [&mut [f64]; 2] = [
                &mut self.impulses.as_chunks_mut::<ROWS>().0[block],
                &mut self.earlier.as_chunks_mut::<ROWS>().0[block],
            ];
            self.joints.take(n, beta, places, &mut d, sums);
            add(lines, operator, block, &d);
        }
    }

    /// λ of the blocks.
    pub(super) fn impulses(&self) -> &[f64] {
        &self.impulses
    }
}
