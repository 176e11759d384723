//! Gauss-Seidel sweeps over contacts with second-order cones, which may be capped, several at a time, and only over those
//! that matter.
//!
//! Contacts in a plane, and contacts without friction, are swept as contacts in space whose impulses stay in that plane,
//! or along the normal.
//!
//! **Precision.** Sweeps in single precision take eight contacts at a time and half of the memory. Impulses and velocities
//! are in units of the problem's own size there, so that neither very small nor very large grains are lost; the velocities
//! of λ *and* of the λ before it are computed anew in double precision now and then, as they drift otherwise; and what is
//! judged in the end is judged in double precision.

use super::ProblemSweeps;
use super::batches::{Lane, NONE, lane_of};
use super::block_sweep::BlockSweep;
use super::momentum::{Pace, Slip};
use super::partition::{Parts, line_of};
use super::passive::Onlooker;
use super::precision::Precision;
use super::survey::{Motion, Seen, Survey};
use crate::law::{AdmissibleSet, Flow};
use crate::math::DVec3;
use crate::parallel::{self, Memory, Octet, Quad, run};
use crate::problem::{
    BodySpace, ContactProblem, Delassus, DelassusScratch, MatrixFree, Sets, round,
};
use crate::solver::monitor::{AtZero, StepSums};
use crate::solver::tuning::ags as tuning;

/// The contacts, the impulses and the velocities that these make.
#[derive(Debug, Default)]
pub(super) struct ConeSweep {
    single: Parts<Octet>,
    double: Parts<Quad>,
    /// Whether contacts are swept in single precision.
    in_single: bool,
    units: Units,
    /// Contacts that carry nothing and, when last looked at, wanted nothing.
    passive: Vec<u32>,
    /// λ and the λ before it of all contacts, as far as they are not in the batches.
    impulses: Vec<DVec3>,
    earlier: Vec<DVec3>,
    /// s of exact friction, m/s, likewise.
    slips: Vec<f64>,
    /// 1/w_n and 1/w_T of the contacts, kg, with E.
    ease: Vec<[f64; 2]>,
    /// Whether they carried something at the start, or wanted to; and what else was seen of them, chunk by chunk.
    matters: Vec<bool>,
    seen: Vec<Seen>,
    /// μ of the round contacts, and where some are capped r of all, N s.
    friction: Vec<f64>,
    caps: Vec<f64>,
    /// 1/m and r²/J of the bodies, 1/kg.
    body_ease: Vec<[f64; 2]>,
    /// How the bodies move that λ makes, and the λ before it.
    velocities: [Vec<Motion>; 2],
    /// ½ λ·W λ + b·λ of the start, J.
    energy: f64,
    /// W λ of the start where some contacts are not round, m/s.
    image: (DelassusScratch, Vec<f64>),
    /// Contacts to be swept from the next change of the lists on.
    chosen: Vec<u32>,
    /// What is not round.
    blocks: BlockSweep,
}

/// Contacts that are surveyed by one task.
const SURVEY_CHUNK: usize = 4096;

/// What numbers of single precision are multiples of; powers of two, so that nothing is rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Units {
    /// kg.
    mass: f64,
    /// m/s.
    velocity: f64,
}

impl Default for Units {
    fn default() -> Self {
        Self {
            mass: 1.0,
            velocity: 1.0,
        }
    }
}

/// The power of two next to a positive number, within what can be divided by.
fn power_of_two(number: f64) -> f64 {
    match number.is_normal() {
        true => f64::exp2(number.log2().round().clamp(-500.0, 500.0)),
        false => 1.0,
    }
}

impl Units {
    /// Of a problem: a mean mass of bodies that move, and the largest velocity.
    fn of(body_ease: &[[f64; 2]], bias: &[f64]) -> Self {
        let moving = body_ease.iter().filter(|ease| ease[0] > 0.0);
        let (sum, count) = moving.fold((0.0, 0.0), |(sum, n), ease| (sum + ease[0], n + 1.0));
        let fastest = bias.iter().fold(0.0, |most: f64, b| most.max(b.abs()));
        Self {
            mass: power_of_two(count / sum),
            velocity: power_of_two(fastest),
        }
    }

    fn impulse(&self) -> f64 {
        self.mass * self.velocity
    }

    /// One over the units of mass, of velocity and of impulse.
    fn inverse(&self) -> [f64; 3] {
        let (per_mass, per_velocity) = (1.0 / self.mass, 1.0 / self.velocity);
        [per_mass, per_velocity, per_mass * per_velocity]
    }

    /// Sums that were taken in these units.
    fn sums(&self, sums: StepSums) -> StepSums {
        let square = self.impulse() * self.impulse();
        let velocity = self.velocity * self.velocity;
        StepSums {
            uphill: sums.uphill * self.velocity * self.impulse(),
            step_squared: sums.step_squared * square,
            length_squared: sums.length_squared * square / self.mass,
            impulse_squared: sums.impulse_squared * square,
            step_velocity_squared: sums.step_velocity_squared * velocity,
            impulse_velocity_squared: sums.impulse_velocity_squared * velocity,
            change: sums.change * square,
            size: sums.size * self.impulse(),
        }
    }
}

/// Whether the round contacts of a problem of bodies have cones, capped or not, and a flow that is not skewed. Faces of a cell
/// under a stress, which all contacts through them move, are left to plain sweeps with fewer than three rows: a cell in a
/// plane kept 3 % less than its stress otherwise, why is not known.
pub(super) fn has_cones(problem: &ContactProblem) -> bool {
    let Delassus::MatrixFree(operator) = &problem.delassus else {
        return false;
    };
    let rows = problem.rows();
    let pressed = operator.space.general.common.is_some();
    if rows > 3 || pressed && rows < 3 || problem.flow == Flow::Skewed {
        return false;
    }
    match &problem.sets {
        Sets::HalfLine => problem.rows() == 1,
        Sets::Cone(_) => true,
        Sets::Mixed(list) => list.iter().all(|set| cone_and_cap(*set).is_some()),
        Sets::RollingCone(_) => false,
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

/// The rows of a contact as a vector in space.
#[inline(always)]
fn vector(rows: &[f64], normal: DVec3) -> DVec3 {
    match *rows {
        [along] => along * normal,
        [x, y] => DVec3::new(x, y, 0.0),
        [x, y, z, ..] => DVec3::new(x, y, z),
        [] => DVec3::ZERO,
    }
}

/// Calls a method of the parts in whichever precision is swept in.
macro_rules! in_precision {
    ($self:ident, |$parts:ident, $units:ident| $work:expr) => {
        match $self.in_single {
            true => {
                let ($parts, $units) = (&mut $self.single, $self.units);
                $work
            }
            false => {
                let ($parts, $units) = (&mut $self.double, Units::default());
                $work
            }
        }
    };
}

impl ProblemSweeps for ConeSweep {
    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], single: bool) -> AtZero {
        let operator = operator(problem);
        let space = &operator.space;
        let rows = problem.rows();
        self.take_sets(&problem.sets, space.contacts.len());
        let (round, rest) = start.split_at(rows * space.contacts.len());
        self.blocks.prepare(problem, rest);
        self.impulses.clear();
        let impulses = round.chunks_exact(rows).zip(&space.contacts);
        self.impulses
            .extend(impulses.map(|(rows, contact)| vector(rows, contact.normal)));
        self.earlier.clone_from(&self.impulses);
        let ease = (space.inverse_mass.iter().enumerate())
            .map(|(body, &inverse_mass)| [inverse_mass, space.turning(body)]);
        self.body_ease.clear();
        self.body_ease.extend(ease);
        if rows == 1 {
            self.body_ease.iter_mut().for_each(|ease| ease[1] = 0.0);
        }
        self.find_velocities(space, true);
        let at_zero = self.survey(problem, space);
        if !rest.is_empty() {
            let (scratch, image) = &mut self.image;
            image.resize(problem.len(), 0.0);
            problem.delassus.apply(start, scratch, image);
            let terms = start.iter().zip(image).zip(&problem.bias);
            self.energy = terms.map(|((x, w), b)| x * (0.5 * *w + b)).sum();
        }
        self.units = Units::of(&self.body_ease, &problem.bias);
        self.in_single = single;
        self.lay_out(problem, operator);
        at_zero
    }

    fn sweep(&mut self, problem: &ContactProblem, pace: Pace) -> StepSums {
        let operator = operator(problem);
        let flow = match problem.rows() {
            1 => Flow::Associated,
            _ => problem.flow,
        };
        let blocks = &mut self.blocks;
        in_precision!(self, |parts, units| {
            let sums = match (flow, pace.slip) {
                (Flow::Associated | Flow::Skewed, _) => parts.sweep::<false, false>(pace),
                (Flow::Exact, Slip::Follows) => parts.sweep::<true, false>(pace),
                (Flow::Exact, Slip::AtOnce) => parts.sweep::<true, true>(pace),
            };
            let mut sums = units.sums(sums);
            let [mut lines, _] = parts.motions(units);
            blocks.sweep(operator, &mut lines, (flow, pace), &mut sums);
            sums
        })
    }

    fn refresh(&mut self, problem: &ContactProblem) {
        self.collect();
        let operator = operator(problem);
        self.find_velocities(&operator.space, false);
        self.set_lines(operator);
    }

    /// Looks at the passive contacts now and then.
    fn maintain(&mut self, problem: &ContactProblem, sweep: usize, rebuild: bool) {
        let operator = operator(problem);
        if rebuild {
            self.collect();
            self.find_velocities(&operator.space, false);
            self.choose_loaded();
            self.lay_out(problem, operator);
        }
        if sweep <= tuning::FIRST_LOOKS || sweep.is_multiple_of(tuning::LOOK) {
            self.wake(problem, &operator.space);
        }
    }

    fn start_energy(&self, _problem: &ContactProblem) -> f64 {
        self.energy
    }

    fn is_in_single(&self) -> bool {
        self.in_single
    }

    fn go_on_in_double(&mut self, problem: &ContactProblem) {
        let operator = operator(problem);
        self.collect();
        self.find_velocities(&operator.space, false);
        self.choose_loaded();
        self.in_single = false;
        self.lay_out(problem, operator);
    }

    fn write_impulses<'t>(&mut self, to: &'t mut Vec<f64>, problem: &ContactProblem) -> &'t [f64] {
        self.collect();
        to.clear();
        let contacts = &operator(problem).space.contacts;
        match problem.rows() {
            1 => {
                let both = self.impulses.iter().zip(contacts);
                to.extend(both.map(|(impulse, contact)| impulse.dot(contact.normal)));
            }
            2 => to.extend(self.impulses.iter().flat_map(|x| [x.x, x.y])),
            _ => to.extend(self.impulses.iter().flat_map(|x| x.to_array())),
        }
        to.extend_from_slice(self.blocks.impulses());
        to
    }
}

impl ConeSweep {
    /// The contacts in single and in double precision.
    #[cfg(test)]
    pub(super) fn parts(&self) -> (&Parts<Octet>, &Parts<Quad>) {
        (&self.single, &self.double)
    }

    /// Takes μ and r of all round contacts.
    fn take_sets(&mut self, sets: &Sets, contacts: usize) {
        self.friction.clear();
        self.caps.clear();
        match sets {
            Sets::HalfLine => self.friction.resize(contacts, 0.0),
            Sets::Cone(friction) => self.friction.extend_from_slice(friction),
            Sets::Mixed(list) => {
                let both = || list.iter().filter_map(|set| cone_and_cap(*set));
                self.friction.extend(both().map(|(friction, _)| friction));
                self.caps.extend(both().map(|(_, cap)| cap));
            }
            Sets::RollingCone(_) => {}
        }
    }

    /// The velocities that λ and the λ before it make of the round contacts; of a `start` both are the same.
    fn find_velocities(&mut self, space: &BodySpace, start: bool) {
        let ease = &self.body_ease;
        let find = |velocities: &mut Vec<Motion>, impulses: &[DVec3]| {
            velocities.clear();
            velocities.resize(ease.len(), Motion::default());
            // First what all contacts together give to a body, then what that makes of it.
            for (contact, impulse) in space.contacts.iter().zip(impulses) {
                if *impulse == DVec3::ZERO {
                    continue;
                }
                let twist = round::twist_of(contact.normal, *impulse);
                let [a, b] = [contact.a, contact.b].map(|body| body as usize);
                for (body, load) in [(a, *impulse), (b, -*impulse)] {
                    let [linear, surface] = &mut velocities[body];
                    for (Quad(sum), part) in [(linear, load), (surface, twist)] {
                        let part = [part.x, part.y, part.z, 0.0];
                        sum.iter_mut().zip(part).for_each(|(x, y)| *x += y);
                    }
                }
            }
            for (motion, ease) in velocities.iter_mut().zip(ease) {
                for (Quad(four), ease) in motion.iter_mut().zip(ease) {
                    four.iter_mut().for_each(|x| *x *= ease);
                    four[3] = *ease;
                }
            }
        };
        let [now, before] = &mut self.velocities;
        if start {
            find(now, &self.impulses);
            before.clone_from(now);
        } else {
            let (impulses, earlier) = (&self.impulses, &self.earlier);
            parallel::both(|| find(now, impulses), || find(before, earlier));
        }
    }

    /// Looks at all contacts before the first sweep.
    fn survey(&mut self, problem: &ContactProblem, space: &BodySpace) -> AtZero {
        let seen = match problem.rows() {
            1 => self.survey_rows::<1>(problem, space),
            2 => self.survey_rows::<2>(problem, space),
            _ => self.survey_rows::<3>(problem, space),
        };
        self.energy = seen.energy;
        // What is shifted, or capped, is left to the general way.
        if self.caps.is_empty() && problem.shift.along.is_empty() {
            AtZero::with_round(problem, seen.at_zero)
        } else {
            AtZero::of(problem)
        }
    }

    fn survey_rows<const ROWS: usize>(
        &mut self,
        problem: &ContactProblem,
        space: &BodySpace,
    ) -> Seen {
        let contacts = &space.contacts[..];
        let (count, exact) = (contacts.len(), problem.flow == Flow::Exact && ROWS > 1);
        self.ease.resize(count, [0.0; 2]);
        self.slips.resize(count, 0.0);
        self.matters.resize(count, false);
        self.seen
            .resize_with(count.div_ceil(SURVEY_CHUNK), Seen::default);
        let bias = problem.bias.as_chunks::<ROWS>().0;
        let (impulses, friction) = (&self.impulses[..], &self.friction[..]);
        let (motions, compliance) = (&self.velocities[0][..], &space.compliance[..]);
        let lists = (
            &mut self.ease[..],
            &mut self.slips[..],
            &mut self.matters[..],
        );
        parallel::chunks_map3(lists, SURVEY_CHUNK, &mut self.seen, |chunk, lists| {
            let (ease, slips, matters) = lists;
            let range = chunk * SURVEY_CHUNK..chunk * SURVEY_CHUNK + slips.len();
            run(Survey::<ROWS> {
                contacts: &contacts[range.clone()],
                motions,
                bias: &bias[range.clone()],
                impulses: &impulses[range.clone()],
                friction: &friction[range.clone()],
                compliance: compliance.get(range).unwrap_or_default(),
                exact,
                ease,
                slips,
                matters,
            })
        });
        let mut all = Seen::default();
        self.seen.iter().for_each(|part| all.merge(part));
        for list in [&mut self.passive, &mut self.chosen] {
            list.clear();
            list.reserve(count);
        }
        for (k, matters) in self.matters.iter().enumerate() {
            let list = if *matters {
                &mut self.chosen
            } else {
                &mut self.passive
            };
            list.push(k as u32);
        }
        all
    }

    /// Puts the chosen contacts into batches, with no others, and the velocities that belong to them.
    fn lay_out(&mut self, problem: &ContactProblem, operator: &MatrixFree) {
        let (bodies, contacts) = (self.body_ease.len(), self.ease.len());
        in_precision!(self, |parts, _units| parts.clear(bodies, contacts));
        self.set_aside(problem, &operator.space);
        self.take_up(problem, &operator.space);
        self.set_lines(operator);
    }

    /// Puts the velocities of bodies into their lines, with those that blocks make.
    fn set_lines(&mut self, operator: &MatrixFree) {
        let blocks = &self.blocks;
        let [now, earlier] = &self.velocities;
        in_precision!(self, |parts, units| {
            let [mut lines, mut before] = parts.motions(units);
            lines.set(now);
            before.set(earlier);
            blocks.add_velocities(operator, &mut lines, &mut before);
        });
    }

    /// Looks at the passive contacts and takes those up that want an impulse.
    fn wake(&mut self, problem: &ContactProblem, space: &BodySpace) {
        let exact = problem.flow == Flow::Exact && problem.rows() > 1;
        self.chosen.clear();
        let (chosen, slips) = (&mut self.chosen, &mut self.slips);
        in_precision!(self, |parts, units| {
            parts.look(exact);
            for &(contact, dilation) in parts.passive.woken.iter().flatten() {
                slips[contact as usize] = units.velocity * dilation;
                chosen.push(contact);
            }
        });
        self.take_up(problem, space);
    }

    /// Puts the passive contacts where they are looked at.
    fn set_aside(&mut self, problem: &ContactProblem, space: &BodySpace) {
        let rows = problem.rows();
        let (passive, friction) = (&self.passive, &self.friction);
        in_precision!(self, |parts, units| {
            let [_, per_velocity, _] = units.inverse();
            for &contact in passive {
                let k = contact as usize;
                let geometry = &space.contacts[k];
                let normal = geometry.normal;
                parts.passive.push(&Onlooker {
                    contact,
                    places: [geometry.a, geometry.b].map(|body| line_of(body as usize) as u32),
                    normal,
                    bias: per_velocity * vector(&problem.bias[rows * k..][..rows], normal),
                    friction: friction[k],
                });
            }
        });
    }

    /// Adds the chosen contacts to the sweeps.
    fn take_up(&mut self, problem: &ContactProblem, space: &BodySpace) {
        let rows = problem.rows();
        let (friction, caps, ease) = (&self.friction, &self.caps, &self.ease);
        let (impulses, earlier, slips) = (&self.impulses, &self.earlier, &self.slips);
        let body_ease = &self.body_ease;
        let chosen = &self.chosen;
        in_precision!(self, |parts, units| {
            for &contact in chosen {
                let geometry = &space.contacts[contact as usize];
                let bodies = [geometry.a, geometry.b];
                let moves = bodies.map(|body| body_ease[body as usize] != [0.0; 2]);
                parts.wait(contact, bodies, moves);
            }
            let [per_mass, per_velocity, per_impulse] = units.inverse();
            parts.fill(|contact| {
                let k = contact as usize;
                let normal = space.contacts[k].normal;
                let given = space.compliance.get(k);
                Lane {
                    contact,
                    normal,
                    friction: friction[k],
                    ease: ease[k].map(|ease| per_mass * ease),
                    bias: per_velocity * vector(&problem.bias[rows * k..][..rows], normal),
                    impulse: per_impulse * impulses[k],
                    before: per_impulse * earlier[k],
                    slip: per_velocity * slips[k],
                    given: given.map(|e| [units.mass * e.normal, units.mass * e.tangential]),
                    cap: caps.get(k).map(|cap| per_impulse * cap),
                }
            });
        });
    }

    /// Takes the impulses out of the batches.
    fn collect(&mut self) {
        let (impulses, earlier, slips) = (&mut self.impulses, &mut self.earlier, &mut self.slips);
        in_precision!(self, |parts, units| {
            parts.each_batch(|batch| {
                for (lane, &contact) in batch.contact.as_ref().iter().enumerate() {
                    if contact != NONE {
                        let k = contact as usize;
                        impulses[k] = units.impulse() * lane_of(&batch.impulse, lane);
                        earlier[k] = units.impulse() * lane_of(&batch.before, lane);
                        slips[k] = units.velocity * batch.slip.get(lane);
                    }
                }
            });
        });
    }

    /// Chooses the contacts that have carried something in the last two sweeps.
    fn choose_loaded(&mut self) {
        self.chosen.clear();
        self.passive.clear();
        for (k, (now, before)) in self.impulses.iter().zip(&self.earlier).enumerate() {
            let carries = *now != DVec3::ZERO || *before != DVec3::ZERO;
            let list = if carries {
                &mut self.chosen
            } else {
                &mut self.passive
            };
            list.push(k as u32);
        }
    }
}

/// Velocities of bodies in m/s, whatever the precision that they are kept in.
pub(super) trait BodyMotions {
    /// v and r ω of a body.
    fn motion(&self, body: u32) -> [DVec3; 2];
    /// Adds to both.
    fn add(&mut self, body: u32, change: [DVec3; 2]);
}

/// The lines of a precision.
struct Lines<'a, P: Precision> {
    lines: &'a mut [P::Line],
    units: Units,
}

impl<P: Precision> Parts<P> {
    /// The velocities of y, and those of the last λ.
    fn motions(&mut self, units: Units) -> [Lines<'_, P>; 2] {
        let all = [&mut self.lines, &mut self.before];
        all.map(|lines| Lines { lines, units })
    }
}

impl<P: Precision> Lines<'_, P> {
    /// Sets the velocities of all bodies, with their 1/m and r²/J.
    fn set(&mut self, motions: &[Motion]) {
        let scale = 1.0 / self.units.velocity;
        for (body, motion) in motions.iter().enumerate() {
            let ease = motion.map(|Quad(four)| self.units.mass * four[3]);
            let motion = motion.map(|Quad(four)| scale * DVec3::new(four[0], four[1], four[2]));
            self.lines[line_of(body)] = P::line(motion, ease);
        }
    }
}

impl<P: Precision> BodyMotions for Lines<'_, P> {
    #[inline(always)]
    fn motion(&self, body: u32) -> [DVec3; 2] {
        P::motion(&self.lines[line_of(body as usize)]).map(|v| self.units.velocity * v)
    }

    #[inline(always)]
    fn add(&mut self, body: u32, change: [DVec3; 2]) {
        let scale = 1.0 / self.units.velocity;
        P::push(
            &mut self.lines[line_of(body as usize)],
            change.map(|v| scale * v),
        );
    }
}
