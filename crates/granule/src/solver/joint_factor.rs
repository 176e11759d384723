//! The joints of a problem, solved all at once: a mechanism is a chain or a tree of a few bodies, whose impulses a factor
//! gives exactly where sweeps would carry them from link to link.

use super::monitor::StepSums;
use crate::law::AdmissibleSet;
use crate::math::DVec3;
use crate::math::linear::Skyline;
use crate::problem::{BodySpace, Compliance, ContactProblem, DelassusScratch, RowForm};

/// W_JJ of the rows J of joints, its factor, and velocities that are to become zero.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointFactor {
    /// The joints: which contacts of the problem, where their rows begin, and λ_max(W_kk).
    joints: Vec<(usize, usize, f64)>,
    /// Which row of its block each row is; empty ones are left out.
    rows: Vec<usize>,
    entries: Vec<(usize, usize, f64)>,
    factor: Skyline,
    /// Velocities (m/s) before the solve, and the change of impulses (N s) after it.
    velocity: Vec<f64>,
    change: Vec<f64>,
}

/// A row of a joint at one of its ends.
struct End {
    body: u32,
    row: usize,
    linear: DVec3,
    angular: DVec3,
}

impl JointFactor {
    /// Takes the joints of a problem of bodies; there are none in one that is a matrix.
    pub(crate) fn prepare(&mut self, problem: &ContactProblem) {
        self.joints.clear();
        self.rows.clear();
        self.entries.clear();
        let Some(space) = problem.delassus.space() else {
            return;
        };
        let round = problem.delassus.round_count();
        let mut ends = Vec::new();
        for (block, set) in problem.general_sets.iter().enumerate() {
            if *set == AdmissibleSet::Free {
                let number = round + block;
                let largest = problem.delassus.largest_diagonal(number);
                self.joints.push((number, self.rows.len(), largest));
                self.add_rows(space, number, block, &mut ends);
            }
        }
        if self.joints.is_empty() {
            return;
        }
        ends.sort_by_key(|end| (end.body, end.row));
        for list in ends.chunk_by(|one, other| one.body == other.body) {
            self.add_entries(space, list);
        }
        self.factor.factorise(self.rows.len(), &self.entries);
        self.velocity.resize(self.rows.len(), 0.0);
    }

    /// Adds the rows of a block that are not empty, with both their ends.
    fn add_rows(&mut self, space: &BodySpace, number: usize, block: usize, ends: &mut Vec<End>) {
        let (general, count) = (&space.general, space.rows);
        let first = self.rows.len();
        let of = &general.blocks[block];
        let forms = general.forms[block * count..][..count].iter();
        let filled = forms
            .enumerate()
            .filter(|(_, form)| **form != RowForm::default());
        for (k, form) in filled {
            let row = self.rows.len();
            self.rows.push(k);
            for (body, side, angular) in [(of.a, 1.0, form.on_a), (of.b, -1.0, form.on_b)] {
                ends.push(End {
                    body,
                    row,
                    linear: side * form.linear,
                    angular,
                });
            }
        }
        if let Some(given) = space.compliance.get(number) {
            self.add_ease(given, space.normal(number), first, count);
        }
    }

    /// Adds E of the block whose rows begin at `first`.
    fn add_ease(&mut self, given: &Compliance, normal: DVec3, first: usize, count: usize) {
        for row in first..self.rows.len() {
            let (mut unit, mut image) = ([0.0; 6], [0.0; 6]);
            unit[self.rows[row]] = 1.0;
            given.add_to(&unit[..count], normal, &mut image[..count]);
            for other in first..=row {
                let value = image[self.rows[other]];
                if value != 0.0 {
                    self.entries.push((row, other, value));
                }
            }
        }
    }

    /// Adds what rows of one body do to each other.
    fn add_entries(&mut self, space: &BodySpace, list: &[End]) {
        let body = list[0].body;
        let mass = space.inverse_mass[body as usize];
        for (k, one) in list.iter().enumerate() {
            let turned = space.ease_turning(body, one.angular);
            for other in &list[..=k] {
                let value = mass * one.linear.dot(other.linear) + turned.dot(other.angular);
                if value != 0.0 || one.row == other.row {
                    self.entries.push((one.row, other.row, value));
                }
            }
        }
    }

    /// How many joints there are.
    pub(crate) fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Which contact of the problem joint `n` is.
    pub(crate) fn number(&self, n: usize) -> usize {
        self.joints[n].0
    }

    fn range(&self, n: usize) -> std::ops::Range<usize> {
        let end = self
            .joints
            .get(n + 1)
            .map_or(self.rows.len(), |next| next.1);
        self.joints[n].1..end
    }

    /// Says what the velocities (m/s) of the rows of joint `n` are.
    pub(crate) fn set_velocity(&mut self, n: usize, w: &[f64]) {
        for entry in self.range(n) {
            self.velocity[entry] = w[self.rows[entry]];
        }
    }

    /// Finds the change of impulses that makes all these velocities zero.
    pub(crate) fn solve(&mut self) {
        if self.joints.is_empty() {
            return;
        }
        self.change.clear();
        self.change.extend(self.velocity.iter().map(|w| -w));
        self.factor.solve(&mut self.change);
    }

    /// Takes the change of joint `n` from y = λ + β (λ - λ before): writes the new λ and the old one in their places, and
    /// the change of y into `d`.
    pub(super) fn take(
        &self,
        n: usize,
        beta: f64,
        [impulse, before]: [&mut [f64]; 2],
        d: &mut [f64],
        sums: &mut StepSums,
    ) {
        let largest = self.joints[n].2;
        for entry in self.range(n) {
            let (k, w) = (self.rows[entry], self.velocity[entry]);
            let now = impulse[k];
            let y = now + beta * (now - before[k]);
            let z = y + self.change[entry];
            d[k] = z - y;
            sums.uphill += w * (z - now);
            // What the joint alone would do: the change of all of them says nothing about the error.
            sums.step_squared += (w / largest).powi(2);
            sums.impulse_squared += z * z;
            sums.step_velocity_squared += w * w;
            sums.impulse_velocity_squared += (largest * z).powi(2);
            sums.change = sums.change.max((z - now).abs());
            sums.size = sums.size.max(now.abs());
            before[k] = now;
            impulse[k] = z;
        }
    }

    /// Which rows say what others say already, in a problem that has joints with one row each alone: orthogonal unit
    /// vectors in the space of its rows, square to all velocities that bodies can give them.
    pub(crate) fn dependencies(&mut self, problem: &ContactProblem) -> Vec<Vec<f64>> {
        self.prepare(problem);
        self.factor.dependencies()
    }

    /// Finds the impulses of a problem that has joints alone, from zero.
    pub(crate) fn solve_alone(&mut self, problem: &ContactProblem, impulses: &mut [f64]) {
        let (mut scratch, mut velocities) = (DelassusScratch::default(), Vec::new());
        self.prepare(problem);
        let rows = problem.rows();
        // Once more for what rounding has left.
        for _ in 0..2 {
            problem.velocities(impulses, &mut scratch, &mut velocities);
            for n in 0..self.len() {
                self.set_velocity(n, &velocities[self.number(n) * rows..][..rows]);
            }
            self.solve();
            for n in 0..self.len() {
                for entry in self.range(n) {
                    impulses[self.number(n) * rows + self.rows[entry]] += self.change[entry];
                }
            }
        }
    }
}
