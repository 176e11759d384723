//! Gauss-Seidel sweeps over contacts with second-order cones in space, four at a time, and only over
//! those that matter.

use super::batches::{Batches, Lane, NONE, lane_of};
use super::block_sweep::BlockSweep;
use super::cone_kernel::{AtOnce, Convex, Extrapolation, Following, Line, Sweep, add};
use super::momentum::{Pace, Slip};
use crate::law::Flow;
use crate::math::DVec3;
use crate::parallel::{Four, Plain, Quad, run};
use crate::problem::{BodySpace, ContactProblem, MatrixFree, round};
use crate::solver::monitor::StepSums;

/// The contacts, the impulses and the velocities that these make.
#[derive(Debug, Default)]
pub(super) struct ConeSweep {
    /// Contacts that are swept.
    active: Batches,
    /// Contacts that carry nothing and, when last looked at, wanted nothing.
    passive: Vec<u32>,
    /// M⁻¹ D y, and M⁻¹ D of the last λ.
    lines: Vec<Line>,
    before: Vec<Line>,
    /// λ and the λ before it of all contacts, as far as they are not in the batches.
    impulses: Vec<[f64; 3]>,
    earlier: Vec<[f64; 3]>,
    /// s of exact friction, m/s, likewise.
    slips: Vec<f64>,
    /// Contacts to be swept from the next change of the lists on.
    chosen: Vec<u32>,
    /// What is not round.
    blocks: BlockSweep,
}

impl ConeSweep {
    /// Takes a problem, with μ of its round contacts, and a start.
    pub(super) fn prepare(
        &mut self,
        problem: &ContactProblem,
        (operator, friction): (&MatrixFree, &[f64]),
        start: &[f64],
    ) {
        let space = &operator.space;
        let (round, rest) = start.split_at(3 * space.contacts.len());
        self.blocks.prepare(problem, rest);
        self.impulses.clear();
        self.impulses.extend_from_slice(round.as_chunks::<3>().0);
        self.earlier.clone_from(&self.impulses);
        self.slips.clear();
        self.slips.resize(self.impulses.len(), 0.0);
        self.set_velocities(operator);
        self.passive.clear();
        self.passive.extend(0..space.contacts.len() as u32);
        self.active.clear(space.inverse_mass.len());
        self.wake(problem, space, friction);
    }

    /// M⁻¹ D of the impulses, anew.
    fn set_velocities(&mut self, operator: &MatrixFree) {
        let space = &operator.space;
        let set = |lines: &mut Vec<Line>, impulses: &[[f64; 3]]| {
            lines.clear();
            lines.extend((0..space.inverse_mass.len()).map(|body| {
                [
                    Quad([0.0, 0.0, 0.0, space.inverse_mass[body]]),
                    Quad([0.0, 0.0, 0.0, space.turning(body)]),
                ]
            }));
            for (contact, impulse) in space.contacts.iter().zip(impulses) {
                let d = DVec3::from_array(*impulse);
                if d == DVec3::ZERO {
                    continue;
                }
                let t = round::twist_of(contact.normal, d);
                let [d, t] = [d, t].map(|v| Four::load(Plain, Quad([v.x, v.y, v.z, 0.0])));
                add(Plain, lines, [contact.a, contact.b], d, t);
            }
        };
        set(&mut self.lines, &self.impulses);
        set(&mut self.before, &self.earlier);
        (self.blocks).add_velocities(operator, &mut self.lines, &mut self.before);
    }

    /// Looks at the passive contacts and takes those up that want an impulse, or start with one.
    pub(super) fn wake(&mut self, problem: &ContactProblem, space: &BodySpace, friction: &[f64]) {
        let bias = problem.bias.as_chunks::<3>().0;
        let exact = problem.flow == Flow::Exact;
        let (lines, impulses, slips) = (&self.lines, &self.impulses, &mut self.slips);
        self.chosen.clear();
        let chosen = &mut self.chosen;
        self.passive.retain(|&k| {
            let contact = &space.contacts[k as usize];
            let (a, b) = (&lines[contact.a as usize], &lines[contact.b as usize]);
            let vector = |Quad([x, y, z, _]): Quad| DVec3::new(x, y, z);
            let k = k as usize;
            let linear = vector(a[0]) - vector(b[0]);
            let surface = vector(a[1]) + vector(b[1]);
            let mut w = round::relative_velocity(contact.normal, linear, surface)
                + DVec3::from_array(bias[k]);
            if let Some(given) = space.compliance.get(k) {
                w += given.of_force(DVec3::from_array(impulses[k]), contact.normal);
            }
            let along = w.dot(contact.normal);
            let dilation = friction[k] * (w - along * contact.normal).length();
            let wanted = impulses[k] != [0.0; 3] || along < if exact { 0.0 } else { dilation };
            slips[k] = dilation;
            if wanted {
                chosen.push(k as u32);
            }
            !wanted
        });
        self.take_up(problem, space, friction);
    }

    /// Adds the chosen contacts to the sweeps.
    fn take_up(&mut self, problem: &ContactProblem, space: &BodySpace, friction: &[f64]) {
        let bias = problem.bias.as_chunks::<3>().0;
        for &contact in &self.chosen {
            let k = contact as usize;
            let lane = Lane {
                contact,
                friction: friction[k],
                bias: bias[k],
                impulse: self.impulses[k],
                before: self.earlier[k],
                slip: self.slips[k],
            };
            self.active.push(space, &lane);
        }
    }

    /// Takes the impulses out of the batches.
    fn collect(&mut self) {
        for batch in &self.active.list {
            for (lane, &contact) in batch.contact.iter().enumerate() {
                if contact != NONE {
                    self.impulses[contact as usize] = lane_of(&batch.impulse, lane);
                    self.earlier[contact as usize] = lane_of(&batch.before, lane);
                    self.slips[contact as usize] = batch.slip.0[lane];
                }
            }
        }
    }

    /// Computes the velocities anew, without what rounding has added to them.
    pub(super) fn refresh(&mut self, operator: &MatrixFree) {
        self.collect();
        self.set_velocities(operator);
    }

    /// Puts the contacts in their own order again, without those that have carried nothing for two
    /// sweeps, and computes the velocities anew.
    pub(super) fn rebuild(
        &mut self,
        problem: &ContactProblem,
        operator: &MatrixFree,
        friction: &[f64],
    ) {
        let space = &operator.space;
        self.refresh(operator);
        self.active.clear(space.inverse_mass.len());
        self.chosen.clear();
        self.passive.clear();
        for k in 0..space.contacts.len() {
            let carries = self.impulses[k] != [0.0; 3] || self.earlier[k] != [0.0; 3];
            let list = if carries {
                &mut self.chosen
            } else {
                &mut self.passive
            };
            list.push(k as u32);
        }
        self.take_up(problem, space, friction);
    }

    /// λ into `out`.
    pub(super) fn impulses(&mut self, out: &mut Vec<f64>) {
        self.collect();
        out.clear();
        out.extend_from_slice(self.impulses.as_flattened());
        out.extend_from_slice(self.blocks.impulses());
    }

    /// One sweep from y = λ + β (λ - λ before).
    pub(super) fn sweep(
        &mut self,
        problem: &ContactProblem,
        operator: &MatrixFree,
        pace: Pace,
    ) -> StepSums {
        let flow = problem.flow;
        let (lines, batches) = (&mut self.lines[..], &mut self.active);
        let mut sums = match (flow, pace.slip) {
            (Flow::Associated, _) => run(Sweep::<Convex>::new(batches, lines, pace)),
            (Flow::Exact, Slip::Follows) => run(Sweep::<Following>::new(batches, lines, pace)),
            (Flow::Exact, Slip::AtOnce) => run(Sweep::<AtOnce>::new(batches, lines, pace)),
        };
        (self.blocks).sweep(operator, lines, (flow, pace), &mut sums);
        sums
    }

    /// The velocities of y = λ + β (λ - λ before) from those of λ.
    pub(super) fn extrapolate(&mut self, beta: f64) {
        run(Extrapolation {
            lines: &mut self.lines,
            before: &mut self.before,
            beta,
        });
    }
}
