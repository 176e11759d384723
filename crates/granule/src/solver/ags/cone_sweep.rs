//! Gauss-Seidel sweeps over contacts with second-order cones in space, which may be capped, four at a time, and only
//! over those that matter.

use super::ProblemSweeps;
use super::batches::{Batches, Lane, NONE, lane_of};
use super::block_sweep::{BlockSweep, vector};
use super::cone_kernel::{Extrapolation, QuadLine, Sweep, add};
use super::momentum::{Pace, Slip};
use crate::law::{AdmissibleSet, Flow};
use crate::math::DVec3;
use crate::parallel::{Four, Plain, Quad, run};
use crate::problem::{BodySpace, ContactProblem, Delassus, MatrixFree, Sets, round};
use crate::solver::monitor::StepSums;
use crate::solver::tuning::ags as tuning;

/// The contacts, the impulses and the velocities that these make.
#[derive(Debug, Default)]
pub(super) struct ConeSweep {
    /// Contacts that are swept.
    active: Batches,
    /// Contacts that carry nothing and, when last looked at, wanted nothing.
    passive: Vec<u32>,
    /// M⁻¹ D y, and M⁻¹ D of the last λ.
    lines: Vec<QuadLine>,
    before: Vec<QuadLine>,
    /// λ and the λ before it of all contacts, as far as they are not in the batches.
    impulses: Vec<[f64; 3]>,
    earlier: Vec<[f64; 3]>,
    /// s of exact friction, m/s, likewise.
    slips: Vec<f64>,
    /// μ of the round contacts, and where some are capped r of all, N s.
    friction: Vec<f64>,
    caps: Vec<f64>,
    /// Contacts to be swept from the next change of the lists on.
    chosen: Vec<u32>,
    /// What is not round.
    blocks: BlockSweep,
}

/// Whether the round contacts of a problem of bodies have cones in space, capped or not, and a flow that is not skewed.
pub(super) fn cones_in_space(problem: &ContactProblem) -> bool {
    let of_bodies = matches!(problem.delassus, Delassus::MatrixFree(_));
    if !of_bodies || problem.rows() != 3 || problem.flow == Flow::Skewed {
        return false;
    }
    match &problem.sets {
        Sets::Cone(_) => true,
        Sets::Mixed(list) => list.iter().all(|set| cone_and_cap(*set).is_some()),
        Sets::HalfLine | Sets::RollingCone(_) => false,
    }
}

/// μ of a cone, and where it is capped (N s).
fn cone_and_cap(set: AdmissibleSet) -> Option<(f64, f64)> {
    match set {
        AdmissibleSet::Cone { friction } => Some((friction, f64::INFINITY)),
        AdmissibleSet::Yield {
            friction,
            rounding: 0.0,
            cap,
        } => Some((friction, cap)),
        AdmissibleSet::Yield { .. }
        | AdmissibleSet::Free
        | AdmissibleSet::Segment { .. }
        | AdmissibleSet::HalfLine
        | AdmissibleSet::RollingCone { .. } => None,
    }
}

fn operator(problem: &ContactProblem) -> &MatrixFree {
    match &problem.delassus {
        Delassus::MatrixFree(operator) => operator,
        Delassus::Assembled(_) => unreachable!("`Ags::sweeps` sees to it"),
    }
}

impl ProblemSweeps for ConeSweep {
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64]) {
        let operator = operator(problem);
        let space = &operator.space;
        self.take_sets(&problem.sets);
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
        self.wake(problem, space);
    }

    fn sweep(&mut self, problem: &ContactProblem, pace: Pace) -> StepSums {
        let operator = operator(problem);
        let flow = problem.flow;
        let mut sums = match (flow, pace.slip) {
            (Flow::Associated | Flow::Skewed, _) => self.run_sweep::<false, false>(pace),
            (Flow::Exact, Slip::Follows) => self.run_sweep::<true, false>(pace),
            (Flow::Exact, Slip::AtOnce) => self.run_sweep::<true, true>(pace),
        };
        (self.blocks).sweep(operator, &mut self.lines, (flow, pace), &mut sums);
        sums
    }

    fn extrapolate(&mut self, beta: f64) {
        run(Extrapolation {
            lines: &mut self.lines,
            before: &mut self.before,
            beta,
        });
    }

    fn refresh(&mut self, problem: &ContactProblem) {
        self.collect();
        self.set_velocities(operator(problem));
    }

    /// Looks at the passive contacts now and then.
    fn maintain(&mut self, problem: &ContactProblem, sweep: usize, rebuild: bool) {
        let operator = operator(problem);
        if rebuild {
            self.refresh(problem);
            self.rebuild(problem, &operator.space);
        }
        if sweep <= tuning::FIRST_LOOKS || sweep.is_multiple_of(tuning::LOOK) {
            self.wake(problem, &operator.space);
        }
    }

    fn write_impulses<'t>(&mut self, to: &'t mut Vec<f64>) -> &'t [f64] {
        self.collect();
        to.clear();
        to.extend_from_slice(self.impulses.as_flattened());
        to.extend_from_slice(self.blocks.impulses());
        to
    }
}

impl ConeSweep {
    fn run_sweep<const EXACT: bool, const AT_ONCE: bool>(&mut self, pace: Pace) -> StepSums {
        run(Sweep::<EXACT, AT_ONCE> {
            batches: &mut self.active,
            lines: &mut self.lines,
            pace,
        })
    }

    /// Takes μ and r of all round contacts.
    fn take_sets(&mut self, sets: &Sets) {
        self.friction.clear();
        self.caps.clear();
        match sets {
            Sets::Cone(friction) => self.friction.extend_from_slice(friction),
            Sets::Mixed(list) => {
                let both = || list.iter().filter_map(|set| cone_and_cap(*set));
                self.friction.extend(both().map(|(friction, _)| friction));
                self.caps.extend(both().map(|(_, cap)| cap));
            }
            Sets::HalfLine | Sets::RollingCone(_) => {}
        }
    }

    /// M⁻¹ D of the impulses, anew.
    fn set_velocities(&mut self, operator: &MatrixFree) {
        let space = &operator.space;
        let set = |lines: &mut Vec<QuadLine>, impulses: &[[f64; 3]]| {
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
    fn wake(&mut self, problem: &ContactProblem, space: &BodySpace) {
        let bias = problem.bias.as_chunks::<3>().0;
        let exact = problem.flow == Flow::Exact;
        let (lines, impulses, slips) = (&self.lines, &self.impulses, &mut self.slips);
        let friction = &self.friction;
        self.chosen.clear();
        let chosen = &mut self.chosen;
        self.passive.retain(|&k| {
            let contact = &space.contacts[k as usize];
            let (a, b) = (&lines[contact.a as usize], &lines[contact.b as usize]);
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
        self.take_up(problem, space);
    }

    /// Adds the chosen contacts to the sweeps.
    fn take_up(&mut self, problem: &ContactProblem, space: &BodySpace) {
        let bias = problem.bias.as_chunks::<3>().0;
        for &contact in &self.chosen {
            let k = contact as usize;
            let lane = Lane {
                contact,
                friction: self.friction[k],
                cap: self.caps.get(k).copied(),
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

    /// Puts the contacts in their own order again, without those that have carried nothing for two
    /// sweeps.
    fn rebuild(&mut self, problem: &ContactProblem, space: &BodySpace) {
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
        self.take_up(problem, space);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Kernel;
    use crate::solver::test_problems::{capped, mixed};

    type State = (Batches, Vec<QuadLine>);

    fn sweep<const EXACT: bool, const AT_ONCE: bool>(
        (batches, lines): &mut State,
    ) -> Sweep<'_, EXACT, AT_ONCE> {
        let pace = Pace::exact(Slip::Follows, 0.25, 0.7);
        Sweep {
            batches,
            lines,
            pace,
        }
    }

    /// Compares all that sweeps leave, digit by digit.
    fn sweeps_agree<const EXACT: bool, const AT_ONCE: bool>(start: &ConeSweep) {
        let state = |cones: &ConeSweep| (cones.active.clone(), cones.lines.clone());
        let [mut one, mut other] = [state(start), state(start)];
        for _ in 0..5 {
            let first = run(sweep::<EXACT, AT_ONCE>(&mut one));
            let second = sweep::<EXACT, AT_ONCE>(&mut other).work(Plain);
            assert_eq!(
                format!("{first:?} {one:?}"),
                format!("{second:?} {other:?}")
            );
        }
        assert_ne!(format!("{one:?}"), format!("{:?}", state(start)));
    }

    #[test]
    fn a_sweep_has_the_same_bits_on_all_processors() {
        for gives in [false, true] {
            let mut problem = mixed(gives, 1);
            problem.bias.iter_mut().for_each(|b| *b -= 1.0);
            let mut cones = ConeSweep::default();
            cones.prepare(&problem, &vec![0.0; problem.len()]);
            assert!(!cones.active.list.is_empty() && cones.active.given.is_empty() != gives);
            sweeps_agree::<false, false>(&cones);
            sweeps_agree::<true, false>(&cones);
            sweeps_agree::<true, true>(&cones);
            let problem = capped(problem);
            cones.prepare(&problem, &vec![0.0; problem.len()]);
            assert!(!cones.active.caps.is_empty());
            sweeps_agree::<false, false>(&cones);
        }
    }
}
