//! One step, as named stages.

use super::account::Before;
use super::detect::{Places, surroundings};
use super::joints::JointWork;
use super::recover::{Recovered, RecoveryWork};
use super::solvers::{Effort, Solvers, Verdict};
use super::{
    Demand, Exchanged, Infeasible, Settings, Stage, StageTimes, StepError, StepProblem, StepReport,
    StepSize, World,
};
use crate::bodies::{Dimension, Load};
use crate::collision::{Contact, ContactKey, Detection, Neighbours, Patches, RememberedContact};
use crate::joints::JointState;
use crate::math::DVec3;
use crate::measure;
use crate::parallel;
use crate::problem::DelassusScratch;
use crate::scheme::{Gap, Offset, Scheme, assemble};
use crate::solver::{OnFailure, WarmStart, Watch};
use std::time::Instant;

/// Steps after which the bodies are put into spatial order again.
const REORDER: u64 = 100;

/// Parts of a step that the end may be missed by: what rounding adds up to over the steps of a run whose times are no
/// multiples of its step.
const ROUNDING: f64 = 1e-6;

/// Bodies up to which a step is over before another thread has woken up.
const FEW: usize = 4000;

/// How often a step is solved again at most because a contact had been left out. The set of contacts
/// only grows, so this ends by itself long before.
const MAX_REPEATS: usize = 200;

/// A world being simulated.
///
/// Runs in the rayon pool it is called from; the result does not depend on the number of threads.
///
/// ```
/// use granule::bodies::{Dimension, Motion, Sphere, Wall};
/// use granule::math::DVec3;
/// use granule::shapes::{HalfSpace, Surface};
/// use granule::simulation::{Settings, Simulation, StepSize, World};
///
/// let mut world = World::new(Dimension::Space);
/// world.gravity = DVec3::new(0.0, 0.0, -9.81);
/// let floor = Surface::HalfSpace(HalfSpace);
/// world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
/// world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 0.5), 0.1, 1.0));
///
/// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.01), 1.0)).unwrap();
/// while !simulation.finished() {
///     let report = simulation.step().unwrap();
///     assert!(report.certified);
/// }
/// // The sphere lies on the floor, to the default tolerance.
/// assert!((simulation.world().bodies.position[0].z - 0.1).abs() < 1e-6);
/// ```
pub struct Simulation {
    pub(super) world: World,
    pub(super) settings: Settings,
    pub(super) scheme: Box<dyn Scheme>,
    pub(super) solvers: Solvers,
    pub(super) recovery_solvers: Option<Solvers>,
    /// Who looks on.
    pub(super) watch: Watch,
    /// What came and went at the start of a step that could not be ended.
    pub(super) exchanged: Option<Exchanged>,
    pub(super) last_step: f64,
    pub(super) allowed: f64,
    /// Stored in springs of contacts, J.
    pub(super) elastic_energy: f64,
    pub(super) smallest_radius: f64,
    /// What is remembered of the joints.
    pub(super) joints: Vec<JointState>,
    /// Whether some body has moments of inertia that differ.
    pub(super) tumbles: bool,
    /// Loads on bodies in the coming step, by their places, or none at all.
    pub(super) loads: Vec<Load>,
    pub(super) times: StageTimes,
    pub(super) work: Workspace,
}

/// Scratch memory, reused from step to step; of it only the memory of contacts matters to the next.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) patches: Patches,
    /// Where walls and joints are among the bodies.
    pub(super) places: Places,
    /// The list of neighbours, with the contacts of the last step.
    pub(super) neighbours: Neighbours,
    /// How often the list had been built when the contacts of the step were found in it.
    pub(super) found_in: u64,
    pub(super) detection: Detection,
    /// How far each body, and any wall, may go in the step before the solve is known, m.
    pub(super) allowance: Vec<f64>,
    pub(super) wall_allowance: f64,
    /// The same for images of bodies in a periodic cell, besides the bodies, m.
    pub(super) image_allowance: f64,
    /// What the neighbour list must cover, m.
    pub(super) reach: Vec<f64>,
    /// Whether the solve made a body or a wall go, or the law act, farther than was allowed for.
    pub(super) farther: Vec<bool>,
    pub(super) walls_farther: bool,
    pub(super) images_farther: bool,
    /// Contacts that take part whatever their gap.
    pub(super) forced: Vec<ContactKey>,
    pub(super) missed: Vec<ContactKey>,
    pub(super) known: Vec<ContactKey>,
    /// The problem of the step, and for some schemes a second one at its end.
    pub(super) first: StepProblem,
    pub(super) end: StepProblem,
    /// Contacts and impulses of the step so far, where it is repeated.
    pub(super) repeat: Vec<RememberedContact>,
    pub(super) repeated_joints: Vec<f64>,
    pub(super) scratch: DelassusScratch,
    /// Relative velocities of contacts after the solve, m/s.
    pub(super) relative: Vec<f64>,
    pub(super) recovery: RecoveryWork,
    pub(super) joints: JointWork,
    /// The loads on bodies in the step, by their places; empty if there are none.
    pub(super) loads: Vec<Load>,
    pub(super) before: Before,
    /// Mean velocities (m/s) and angular velocities (rad/s) of bodies over the step.
    pub(super) means: Vec<(DVec3, DVec3)>,
    /// Where the walls were when contacts were looked for, m.
    pub(super) wall_origins: Vec<DVec3>,
    /// What could not be satisfied in the last step.
    pub(super) infeasible: Option<Infeasible>,
}

impl Workspace {
    /// Keeps the first contradiction of a step that goes on all the same.
    pub(super) fn note_infeasible(&mut self, infeasible: Option<Infeasible>) {
        self.infeasible = self.infeasible.take().or(infeasible);
    }

    /// Keeps the contacts and impulses of the step so far, for its repetition.
    fn note_repeat(&mut self) {
        self.repeat.clear();
        let memories = self.first.memories();
        self.repeat
            .extend(memories.map(|(c, memory)| RememberedContact { key: c.key, memory }));
        self.repeat.sort_unstable_by_key(|contact| contact.key);
        let joints = &self.first.impulses[self.first.contacts.len() * self.first.problem.rows()..];
        self.repeated_joints.clear();
        self.repeated_joints.extend_from_slice(joints);
    }
}

/// The problem of a step as it was solved in the end.
struct Solved {
    verdict: Verdict,
    recovered: Recovered,
    effort: Effort,
    repeats: usize,
}

impl Simulation {
    /// The world as it is now; its bodies are in the order of places, which
    /// [`crate::bodies::Bodies::places`] gives for ids.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How it is simulated.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Who left each other no room in the last step, if it was infeasible and made all the same.
    pub fn last_infeasible(&self) -> Option<&Infeasible> {
        self.work.infeasible.as_ref()
    }

    /// The length of the last step, s; zero before the first.
    pub fn last_step_size(&self) -> f64 {
        self.last_step
    }

    /// The time spent in each stage so far.
    pub fn times(&self) -> &StageTimes {
        &self.times
    }

    /// How often the neighbour list was built.
    pub fn neighbour_builds(&self) -> u64 {
        self.work.neighbours.builds()
    }

    /// Whether the end time is reached.
    pub fn finished(&self) -> bool {
        self.settings.end - self.world.time <= ROUNDING * self.last_step
    }

    /// Whether contacts that contradict each other are told to give way.
    pub(super) fn gives_way(&self) -> bool {
        self.settings.solver.on_failure == OnFailure::Warn
    }

    /// The length of the coming step, s.
    fn next_step_size(&self) -> f64 {
        let bodies = &self.world.bodies;
        let step = match self.settings.step {
            StepSize::Fixed(step) => step,
            StepSize::Cfl { fraction, longest } => {
                let fastest = bodies
                    .velocity
                    .iter()
                    .map(|v| (*v + longest * self.world.gravity).length())
                    .fold(0.0, f64::max);
                let limit = fraction * self.smallest_radius / fastest;
                if limit.is_finite() {
                    limit.min(longest)
                } else {
                    longest
                }
            }
        };
        let left = self.settings.end - self.world.time;
        // The last step ends at the end; one that misses it by rounding keeps its length.
        if left < step * (1.0 - ROUNDING) {
            left
        } else {
            step
        }
    }

    /// Takes one step.
    ///
    /// On an error everything that the next step depends on is as it was before, but for bodies that came and went at the
    /// start of the step ([`crate::exchange`]), which is not done again when the step is; [`Self::first_problem`] then shows the problem that failed. After the end there is no step to take.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        if self.finished() {
            let end = self.settings.end;
            return Err(StepError::Finished { end });
        }
        let exchanged = match self.exchanged.take() {
            Some(done) => done,
            None => self.exchange()?,
        };
        let due = self.world.steps.is_multiple_of(REORDER);
        let order = if due && self.world.dimension != Dimension::Line {
            self.sort_bodies()
        } else {
            None
        };
        let result = match self.world.bodies.len() > FEW {
            true => parallel::awake(|| self.try_step()),
            false => self.try_step(),
        };
        if result.is_err() {
            let world = &self.world;
            let open = !world.inlets.is_empty() || !world.outlets.is_empty();
            self.exchanged = open.then_some(exchanged);
            if let Some(order) = order {
                self.restore_order(order);
            }
        }
        result.map(|report| StepReport {
            exchanged,
            ..report
        })
    }

    /// Finds the velocities of the coming step, and only then moves anything.
    fn try_step(&mut self) -> Result<StepReport, StepError> {
        let mut clock = Instant::now();
        let (time, step) = (self.world.time, self.next_step_size());
        self.check_cell_size()?;
        self.work.infeasible = None;
        self.work.first.laws.clear();
        self.predict(step);
        self.begin_joints();
        self.times.lap(Stage::Predict, &mut clock);
        let Solved {
            verdict: first,
            recovered,
            mut effort,
            repeats,
        } = self.solve_with_all_contacts(&mut clock)?;
        let (mut certificate, mut certified) = (first.certificate, first.certified);
        if let Some(verdict) = &recovered.verdict {
            certificate = certificate.with_recovery(&verdict.certificate);
            certified &= verdict.certified;
        }
        self.note_wall_origins();
        if self.scheme.stops_at_end() {
            let end = self.stop_at_end(&first)?;
            effort.add(&end.effort);
            certificate = certificate.joined(&end.certificate);
            certified &= end.certified;
            self.times.lap(Stage::Solve, &mut clock);
        }

        // Nothing fails from here on.
        self.note_before();
        self.remember();
        self.advance(time, step);
        self.remember_joints();
        // Gaps are made by the first problem.
        self.allowed = step * first.allowed_residual();
        self.last_step = step;
        self.times.lap(Stage::Advance, &mut clock);

        certificate.max_penetration = self.reached_penetration();
        self.times.lap(Stage::Certify, &mut clock);
        let at_end = if self.scheme.stops_at_end() {
            self.work.end.normal_sum()
        } else {
            0.0
        };
        let kinetic_energy = measure::kinetic_energy(&self.world.bodies);
        let (energy, momentum_error) = self.account(kinetic_energy);
        self.elastic_energy += energy.elastic;
        let report = StepReport {
            step: self.world.steps,
            time: self.world.time,
            step_size: step,
            contacts: self.work.first.contacts.len(),
            active: certificate.active,
            bonds: self.work.first.bonds(),
            iterations: effort.iterations,
            applications: effort.applications,
            convex_solves: effort.convex_solves,
            method: first.method,
            certificate,
            escalations: effort.escalations,
            certified,
            infeasible: self.work.infeasible.is_some(),
            repeats,
            normal_impulse: self.work.first.normal_sum() + at_end,
            normal_impulse_at_end: at_end,
            given_overlap: self.given_overlap(),
            recovered: recovered.deepest,
            joint_error: self.work.joints.error,
            kinetic_energy,
            potential_energy: measure::potential_energy(&self.world.bodies, self.world.gravity),
            elastic_energy: self.elastic_energy,
            energy,
            momentum_error,
            exchanged: Exchanged::default(),
        };
        self.bring_back();
        self.loads.clear();
        self.times.lap(Stage::Measure, &mut clock);
        Ok(report)
    }

    /// Solves the problem of the step with the candidates for contact, and again with those that turn out
    /// to have been left out, until there are none.
    fn solve_with_all_contacts(&mut self, clock: &mut Instant) -> Result<Solved, StepError> {
        self.allow();
        self.keep_held();
        let (mut repeats, mut effort) = (0, Effort::default());
        loop {
            self.detect();
            self.times.lap(Stage::Detect, clock);
            self.assemble();
            self.times.lap(Stage::Assemble, clock);
            self.warm_start(repeats > 0);
            self.times.lap(Stage::WarmStart, clock);
            let give_way = self.gives_way();
            let mut verdict = self.work.first.solve(&mut self.solvers, give_way);
            self.times.lap(Stage::Solve, clock);
            let first = &self.work.first;
            let (blocks, rows) = ((&first.contacts[..], &first.joints), first.problem.rows());
            let infeasible = self.accept(Demand::Contacts, blocks, rows, &verdict)?;
            self.work.note_infeasible(infeasible);
            let recovered = self.recover()?;
            self.times.lap(Stage::Certify, clock);
            effort.add(&verdict.effort);
            if let Some(verdict) = &recovered.verdict {
                effort.add(&verdict.effort);
            }
            let work = &mut self.work;
            work.first
                .find_velocities(&work.recovery.shift, &mut work.scratch);
            self.times.lap(Stage::Advance, clock);
            let step = self.work.first.prediction.step;
            let allowed = step * verdict.allowed_residual();
            let open = self.joints_are_open(allowed);
            let missed = self.find_missed(allowed);
            if (missed || open) && repeats < MAX_REPEATS {
                repeats += 1;
                self.work.note_repeat();
                continue;
            }
            // A step that still leaves a contact out, or a joint open, is not certified, whatever its residual.
            verdict.certified &= !missed && !self.joints_stay_open(allowed);
            let (number, time) = (self.world.steps + 1, self.world.time);
            (self.work.first).check_finite(number, time, &self.world.bodies.id)?;
            return Ok(Solved {
                verdict,
                recovered,
                effort,
                repeats,
            });
        }
    }

    /// Makes the problem of the contacts that were found.
    fn assemble(&mut self) {
        let rows = (self.world.laws).rows(self.world.dimension.count());
        self.make_joint_rows(rows);
        let (allowed, slack) = (self.tolerated_depth(), self.slack_of_faces());
        let (scheme, step) = (&self.scheme, self.work.first.prediction.step);
        self.work.first.prediction.set_cell_change(DVec3::ZERO);
        let Workspace {
            first,
            patches,
            places,
            neighbours,
            scratch,
            ..
        } = &mut self.work;
        let laws = &self.world.laws;
        assemble(
            &surroundings(&self.world, patches, places),
            (&first.contacts, &first.joints),
            &first.prediction,
            Offset {
                of_gap: |gap: &Gap| scheme.offset(gap, step, allowed),
                remembered: |contact: &Contact| neighbours.law_memory(contact),
                slack,
                slip_opens: scheme.slip_opens(),
            },
            &mut first.springs,
            &mut first.problem,
        );
        let cohesion = |contact: &Contact| laws.interface(contact.interface).cohesion.strength;
        first.shift_sets(cohesion, scratch);
    }

    /// Starts from the impulses that the same contacts carried in the last step, scaled to the length of
    /// this one; where the step is `repeated`, from those of the last time.
    fn warm_start(&mut self, repeated: bool) {
        let Workspace {
            first,
            neighbours,
            repeat,
            repeated_joints,
            ..
        } = &mut self.work;
        let none = self.last_step == 0.0 && !repeated;
        if self.settings.solver.warm_start == WarmStart::Zero || none {
            first.start_from_zero();
        } else if repeated {
            first.start_from(|contact, rows| {
                if let Ok(place) = repeat.binary_search_by_key(&contact.key, |c| c.key) {
                    repeat[place].memory.start_rows(contact.normal, rows);
                }
            });
            let places = first.impulses.len() - repeated_joints.len();
            first.impulses[places..].copy_from_slice(repeated_joints);
        } else {
            let scale = first.prediction.step / self.last_step;
            first.start_from(|contact, rows| neighbours.start_rows(contact, scale, rows));
            first.start_joints(&self.joints, scale);
        }
    }

    /// Keeps where the walls are while contacts are looked for.
    fn note_wall_origins(&mut self) {
        let work = &mut self.work;
        let origins = (0..self.world.walls.len()).map(|wall| work.patches.position(wall));
        work.wall_origins.clear();
        work.wall_origins.extend(origins);
    }
}
