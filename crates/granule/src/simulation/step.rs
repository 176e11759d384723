//! One step, as named stages.

use super::{
    ContactImpulse, Settings, Snapshot, Stage, StageTimes, StepError, StepReport, StepSize, World,
};
use crate::bodies::Dimension;
use crate::collision::{
    Contact, ContactKey, Detection, Neighbours, Partner, Patches, Scope, spatial_order,
};
use crate::law::Law;
use crate::math::DVec3;
use crate::measure;
use crate::problem::{ContactProblem, Delassus, DelassusScratch, ProblemKind};
use crate::scheme::{Dynamics, Prediction, Scheme, assemble, recovery_bias, scheme};
use crate::solver::{
    ContactSolver, Incompatible, Method, OnFailure, SolveReport, SolverConfig, Stop, WarmStart,
    next_stronger, solver,
};
use std::time::Instant;

/// Steps after which the bodies are put into spatial order again.
const REORDER: u64 = 100;

/// How often a step is solved again at most because a contact had been left out. The set of contacts
/// only grows, so this ends by itself long before.
const MAX_REPEATS: usize = 200;

/// The relative error to which overlaps are taken out of the positions; the rest is taken out in the
/// next step.
const RECOVERY_TOLERANCE: f64 = 1e-2;

/// Why a simulation cannot be set up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SetupError {
    /// Scheme, law and solver do not go together.
    #[error(transparent)]
    Incompatible(#[from] Incompatible),
    /// A setting has a value that makes no sense.
    #[error("`{name}` {reason}")]
    Setting {
        /// Which setting.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
}

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
    world: World,
    settings: Settings,
    law: Law,
    scheme: Box<dyn Scheme>,
    /// The configured solver and, after it, the stronger ones that were needed so far.
    solvers: Vec<Box<dyn ContactSolver>>,
    recovery_solver: Option<Box<dyn ContactSolver>>,
    /// Contacts of the last step with their impulses.
    previous: Vec<ContactImpulse>,
    last_step: f64,
    allowed: f64,
    smallest_radius: f64,
    times: StageTimes,
    work: Workspace,
}

/// Scratch memory, reused from step to step.
#[derive(Default)]
struct Workspace {
    patches: Patches,
    neighbours: Neighbours,
    detection: Detection,
    /// How far each body may go in the step before the solve is known, m.
    allowance: Vec<f64>,
    /// What the neighbour list must cover, m.
    reach: Vec<f64>,
    forced: Vec<ContactKey>,
    missed: Vec<ContactKey>,
    contacts: Vec<Contact>,
    prediction: Prediction,
    problem: ContactProblem,
    impulses: Vec<f64>,
    start: Vec<f64>,
    scratch: DelassusScratch,
    /// Relative velocities of contacts after the solve, m/s.
    relative: Vec<f64>,
    recovery_bias: Vec<f64>,
    recovery_impulses: Vec<f64>,
    /// Velocities after the step, m/s and rad/s.
    linear: Vec<DVec3>,
    angular: Vec<DVec3>,
    /// Velocity that only moves positions, m/s.
    shift: Vec<DVec3>,
    displacement: Vec<DVec3>,
}

/// What the solves of one step did together.
struct Solved {
    report: SolveReport,
    iterations: usize,
    applications: usize,
    escalations: usize,
    certified: bool,
}

impl Simulation {
    /// Sets up a simulation.
    pub fn new(world: World, settings: Settings) -> Result<Self, SetupError> {
        Self::restore(Snapshot {
            world,
            settings,
            contacts: Vec::new(),
            last_step: 0.0,
            allowed: 0.0,
        })
    }

    /// Sets up a simulation that goes on from a snapshot, with the same bits as if it had never
    /// stopped.
    pub fn restore(snapshot: Snapshot) -> Result<Self, SetupError> {
        let Snapshot {
            world,
            settings,
            contacts,
            last_step,
            allowed,
        } = snapshot;
        settings.validate()?;
        let law = world.laws.default;
        let first = solver(&settings.solver);
        first.supports(&ProblemKind {
            rows: law.rows(),
            set: law.admissible_set(),
        })?;
        let work = Workspace {
            patches: Patches::new(&world.walls),
            ..Workspace::default()
        };
        let radii = (0..world.bodies.len())
            .filter(|&i| world.bodies.is_dynamic(i))
            .map(|i| world.bodies.radius[i]);
        let smallest_radius = radii.fold(f64::INFINITY, f64::min);
        if matches!(settings.step, StepSize::Cfl { .. }) && smallest_radius == 0.0 {
            return Err(SetupError::Setting {
                name: "cfl",
                reason: "is a fraction of a radius, and there are points; give a `step`".to_owned(),
            });
        }
        Ok(Self {
            law,
            scheme: scheme(&settings.scheme),
            solvers: vec![first],
            recovery_solver: None,
            previous: contacts,
            last_step,
            allowed,
            smallest_radius,
            times: StageTimes::default(),
            work,
            world,
            settings,
        })
    }

    /// All that is needed to go on later.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            world: self.world.clone(),
            settings: self.settings,
            contacts: self.previous.clone(),
            last_step: self.last_step,
            allowed: self.allowed,
        }
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How it is simulated.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The contacts of the last step with their impulses, sorted by the places of the bodies.
    pub fn contacts(&self) -> &[ContactImpulse] {
        &self.previous
    }

    /// The problem of the last step, with the impulses that were used.
    pub fn problem(&self) -> (&ContactProblem, &[f64]) {
        (&self.work.problem, &self.work.impulses)
    }

    /// The length of the last step, s; zero before the first.
    pub fn last_step_size(&self) -> f64 {
        self.last_step
    }

    /// The wall that a contact's patch belongs to.
    pub fn wall_of(&self, patch: u32) -> usize {
        self.work.patches.wall(patch)
    }

    /// The time spent in each stage so far.
    pub fn times(&self) -> &StageTimes {
        &self.times
    }

    /// How often the neighbour list was built.
    pub fn neighbour_builds(&self) -> u64 {
        self.work.neighbours.builds
    }

    /// Whether the end time is reached.
    pub fn finished(&self) -> bool {
        let scale = if self.last_step > 0.0 {
            self.last_step
        } else {
            self.settings.end
        };
        self.settings.end - self.world.time <= 1e-9 * scale
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
        if left < step * (1.0 - 1e-9) {
            left
        } else {
            step
        }
    }

    /// Takes one step.
    ///
    /// On an error the world is as it was before.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let mut clock = Instant::now();
        if self.world.steps.is_multiple_of(REORDER) && self.world.dimension != Dimension::Line {
            self.sort_bodies();
        }
        let (time, step) = (self.world.time, self.next_step_size());
        self.predict(time, step);
        self.times.lap(Stage::Predict, &mut clock);

        self.allow(step);
        self.work.forced.clear();
        let mut repeats = 0;
        let mut total = (0, 0, 0);
        let (solved, recovered) = loop {
            self.detect();
            self.times.lap(Stage::Detect, &mut clock);
            self.assemble();
            self.times.lap(Stage::Assemble, &mut clock);
            self.warm_start(step);
            self.times.lap(Stage::WarmStart, &mut clock);
            let first = self.solve();
            self.times.lap(Stage::Solve, &mut clock);
            let mut solved = self.escalate(first)?;
            let recovered = self.recover(&mut solved);
            self.times.lap(Stage::Certify, &mut clock);
            total.0 += solved.iterations;
            total.1 += solved.applications;
            total.2 += solved.escalations;
            self.velocities();
            self.times.lap(Stage::Advance, &mut clock);
            let slack = step * solved.report.certificate.residual;
            if repeats == MAX_REPEATS || !self.find_missed(step, slack) {
                break (solved, recovered);
            }
            repeats += 1;
            self.remember();
            self.last_step = step;
        };
        self.check_finite()?;

        self.remember();
        self.advance(time, step);
        self.allowed = step * solved.report.certificate.residual;
        self.last_step = step;
        self.times.lap(Stage::Advance, &mut clock);

        let report = StepReport {
            step: self.world.steps,
            time: self.world.time,
            step_size: step,
            contacts: self.work.contacts.len(),
            active: solved.report.certificate.active,
            iterations: total.0,
            applications: total.1,
            method: solved.report.method,
            certificate: solved.report.certificate,
            escalations: total.2,
            certified: solved.certified,
            repeats,
            recovered,
            kinetic_energy: measure::kinetic_energy(&self.world.bodies),
            potential_energy: measure::potential_energy(&self.world.bodies, self.world.gravity),
        };
        self.times.lap(Stage::Measure, &mut clock);
        Ok(report)
    }

    /// Puts the bodies into spatial order, and the remembered contacts with them.
    fn sort_bodies(&mut self) {
        let bodies = &mut self.world.bodies;
        let order = spatial_order(&bodies.position, &bodies.id);
        if order
            .iter()
            .enumerate()
            .all(|(place, &from)| place as u32 == from)
        {
            return;
        }
        bodies.reorder(&order);
        let mut place_of = vec![0; order.len()];
        for (place, &from) in order.iter().enumerate() {
            place_of[from as usize] = place as u32;
        }
        for contact in &mut self.previous {
            contact.a = place_of[contact.a as usize];
            if let Partner::Body(b) = contact.partner {
                let b = place_of[b as usize];
                contact.partner = Partner::Body(b.max(contact.a));
                if b < contact.a {
                    contact.a = b;
                    contact.normal = -contact.normal;
                }
            }
        }
        self.previous.sort_unstable_by_key(ContactImpulse::key);
        self.work.neighbours.invalidate();
    }

    fn predict(&mut self, time: f64, step: f64) {
        let dynamics = Dynamics {
            dimension: self.world.dimension,
            lock_rotation: self.world.lock_rotation,
            gravity: self.world.gravity,
            forces: &self.world.forces,
        };
        let prediction = &mut self.work.prediction;
        self.scheme
            .predict(&self.world.bodies, &dynamics, time, step, prediction);
        self.work.patches.place(&self.world.walls, time);
    }

    /// How far bodies may go in the step, for the choice of candidates: as far as they would without
    /// contacts and a hundredth of their radius more, but no farther than their radius (large steps
    /// add what they need after the solve).
    fn allow(&mut self, step: f64) {
        let bodies = &self.world.bodies;
        let floor = 0.5 * self.settings.candidate_distance.unwrap_or(0.0);
        let velocities = &self.work.prediction.linear;
        self.work.allowance.clear();
        self.work
            .allowance
            .extend(velocities.iter().zip(&bodies.radius).map(|(v, r)| {
                let free = 1.1 * step * v.length();
                (free.min(r.max(f64::MIN_POSITIVE)) + 0.01 * r).max(floor)
            }));
        self.work.reach.clone_from(&self.work.allowance);
    }

    /// How far any point of a wall that bodies can touch may go in the step, m.
    fn wall_allowance(&self) -> f64 {
        let Prediction { time, step, .. } = self.work.prediction;
        let floor = 0.5 * self.settings.candidate_distance.unwrap_or(0.0);
        let farthest = |origin: DVec3| {
            let away = |p: &DVec3| p.distance(origin);
            self.world
                .bodies
                .position
                .iter()
                .map(away)
                .fold(0.0, f64::max)
        };
        let moved = self
            .world
            .walls
            .iter()
            .filter(|wall| wall.kinematics.motion != crate::bodies::Motion::Fixed)
            .map(|wall| {
                let kinematics = &wall.kinematics;
                let reach = farthest(kinematics.pose(time).0);
                step * kinematics.speed_bound(time, step, reach)
            })
            .fold(0.0, f64::max);
        moved.max(floor)
    }

    fn detect(&mut self) {
        let wall_allowance = self.wall_allowance();
        let Workspace {
            patches,
            neighbours,
            detection,
            allowance,
            reach,
            forced,
            contacts,
            ..
        } = &mut self.work;
        let bodies = &self.world.bodies;
        let dimension = self.world.dimension;
        neighbours.update(bodies, dimension, patches, reach, wall_allowance);
        Scope {
            bodies,
            patches,
            dimension,
            keys: &neighbours.keys,
        }
        .find_contacts(allowance, wall_allowance, forced, detection, contacts);
    }

    fn assemble(&mut self) {
        let work = &mut self.work;
        // Rounding of positions is not an overlap to recover.
        let allowed = self.allowed + 1e-12 * self.smallest_radius.min(f64::MAX);
        assemble(
            &self.world.bodies,
            &self.world.walls,
            &work.patches,
            &work.contacts,
            &work.prediction,
            &*self.scheme,
            self.law,
            allowed,
            &mut work.problem,
        );
    }

    /// The impulses that the same contacts carried in the last step, scaled to the length of this
    /// one.
    fn warm_start(&mut self, step: f64) {
        let work = &mut self.work;
        work.impulses.clear();
        work.impulses.resize(work.contacts.len(), 0.0);
        if self.settings.solver.warm_start == WarmStart::Zero || self.last_step == 0.0 {
            return;
        }
        let scale = step / self.last_step;
        let mut previous = self.previous.iter().peekable();
        for (contact, impulse) in work.contacts.iter().zip(&mut work.impulses) {
            let key = contact.key();
            while previous.peek().is_some_and(|p| p.key() < key) {
                previous.next();
            }
            if let Some(same) = previous.peek().filter(|p| p.key() == key) {
                *impulse = scale * same.impulse;
            }
        }
    }

    fn solve(&mut self) -> SolveReport {
        self.solvers[0].solve(&self.work.problem, &mut self.work.impulses)
    }

    fn passes(&self, report: &SolveReport) -> bool {
        let config = &self.settings.solver;
        match config.stop {
            Stop::Certificate => report
                .certificate
                .meets(config.tolerance, config.max_residual),
            Stop::Paper => report.status == crate::solver::Status::Converged,
        }
    }

    /// What the settings say to do when a solve did not reach the tolerance.
    fn escalate(&mut self, first: SolveReport) -> Result<Solved, StepError> {
        let mut solved = Solved {
            report: first,
            iterations: first.iterations,
            applications: first.applications,
            escalations: 0,
            certified: self.passes(&first),
        };
        let config = self.settings.solver;
        match config.on_failure {
            _ if solved.certified => Ok(solved),
            OnFailure::Warn => Ok(solved),
            OnFailure::Stop => Err(StepError::NotConverged {
                step: self.world.steps + 1,
                time: self.world.time,
                method: config.method.name(),
                scaled: first.certificate.scaled,
                residual: first.certificate.residual,
                tolerance: config.tolerance,
                iterations: first.iterations,
            }),
            OnFailure::Escalate => {
                let mut method = config.method;
                while let Some(stronger) = next_stronger(method) {
                    method = stronger;
                    self.try_stronger(method, &mut solved);
                    if solved.certified {
                        break;
                    }
                }
                Ok(solved)
            }
        }
    }

    fn try_stronger(&mut self, method: Method, solved: &mut Solved) {
        let place = match self.solvers.iter().position(|s| s.method() == method) {
            Some(place) => place,
            None => {
                // A step chosen for another method says nothing about this one.
                let config = SolverConfig {
                    method,
                    step: None,
                    stop: Stop::Certificate,
                    ..self.settings.solver
                };
                self.solvers.push(solver(&config));
                self.solvers.len() - 1
            }
        };
        let work = &mut self.work;
        work.start.clone_from(&work.impulses);
        let report = self.solvers[place].solve(&work.problem, &mut work.impulses);
        solved.escalations += 1;
        solved.iterations += report.iterations;
        solved.applications += report.applications;
        if report.certificate.scaled < solved.report.certificate.scaled {
            solved.certified = self.passes(&report);
            solved.report = report;
        } else {
            self.work.impulses.clone_from(&self.work.start);
        }
    }

    /// Takes overlaps deeper than the last certificate allowed out of the positions; gives the
    /// deepest, m.
    fn recover(&mut self, solved: &mut Solved) -> f64 {
        let work = &mut self.work;
        work.shift.clear();
        let allowed = self.allowed + 1e-12 * self.smallest_radius.min(f64::MAX);
        let deepest = work
            .contacts
            .iter()
            .filter(|c| self.scheme.recovers(c.gap, allowed))
            .map(|c| -c.gap)
            .fold(0.0, f64::max);
        if deepest == 0.0 {
            return 0.0;
        }
        let Workspace {
            problem,
            impulses,
            scratch,
            relative,
            ..
        } = work;
        relative.clear();
        relative.resize(problem.len(), 0.0);
        problem.delassus.apply(impulses, scratch, relative);
        relative
            .iter_mut()
            .zip(&problem.bias)
            .for_each(|(w, b)| *w += b);
        recovery_bias(problem, &work.contacts, relative, &mut work.recovery_bias);
        work.recovery_impulses.clear();
        work.recovery_impulses.resize(problem.len(), 0.0);
        std::mem::swap(&mut problem.bias, &mut work.recovery_bias);
        let config = SolverConfig {
            tolerance: RECOVERY_TOLERANCE,
            max_residual: None,
            step: None,
            stop: Stop::Certificate,
            ..self.settings.solver
        };
        let recovery = self.recovery_solver.get_or_insert_with(|| solver(&config));
        let report = recovery.solve(problem, &mut work.recovery_impulses);
        std::mem::swap(&mut problem.bias, &mut work.recovery_bias);
        solved.iterations += report.iterations;
        solved.applications += report.applications + 1;
        work.shift.resize(self.world.bodies.len(), DVec3::ZERO);
        if let Delassus::MatrixFree(operator) = &problem.delassus {
            let shift = &mut work.shift;
            operator.velocities(
                &work.recovery_impulses,
                &mut work.scratch,
                |body, linear, _| {
                    shift[body] = linear;
                },
            );
        }
        deepest
    }

    /// v = v_free + M⁻¹ D λ and the displacements of the step.
    fn velocities(&mut self) {
        let work = &mut self.work;
        work.linear.clone_from(&work.prediction.linear);
        work.angular.clone_from(&work.prediction.angular);
        if let Delassus::MatrixFree(operator) = &work.problem.delassus {
            let (linear, angular) = (&mut work.linear, &mut work.angular);
            operator.velocities(&work.impulses, &mut work.scratch, |body, dv, dw| {
                linear[body] += dv;
                angular[body] += dw;
            });
        }
        let step = work.prediction.step;
        work.displacement.clear();
        work.displacement
            .extend(work.linear.iter().map(|v| step * *v));
        for (d, shift) in work.displacement.iter_mut().zip(&work.shift) {
            *d += step * *shift;
        }
    }

    /// Looks for contacts that were left out and would overlap by more than `slack` (m); adds them
    /// to those that must be kept.
    fn find_missed(&mut self, step: f64, slack: f64) -> bool {
        let wall_allowance = self.wall_allowance();
        let work = &mut self.work;
        let farther = |d: &DVec3, allowance: &f64| d.length_squared() > allowance * allowance;
        if !work
            .displacement
            .iter()
            .zip(&work.allowance)
            .any(|(d, a)| farther(d, a))
        {
            return false;
        }
        let bodies = &self.world.bodies;
        let dimension = self.world.dimension;
        for (reach, d) in work.reach.iter_mut().zip(&work.displacement) {
            *reach = reach.max(d.length());
        }
        work.neighbours.update(
            bodies,
            dimension,
            &work.patches,
            &work.reach,
            wall_allowance,
        );
        work.missed.clear();
        let time = work.prediction.time;
        let (walls, patches) = (&self.world.walls, &work.patches);
        Scope {
            bodies,
            patches,
            dimension,
            keys: &work.neighbours.keys,
        }
        .missed_contacts(
            &work.contacts,
            &work.displacement,
            &work.allowance,
            |patch, point| {
                let kinematics = &walls[patches.wall(patch)].kinematics;
                step * kinematics.mean_surface_velocity(point, time, step)
            },
            slack + 1e-12 * self.smallest_radius.min(f64::MAX),
            &mut work.missed,
        );
        if work.missed.is_empty() {
            return false;
        }
        work.forced.extend_from_slice(&work.missed);
        work.forced.sort_unstable();
        true
    }

    fn check_finite(&self) -> Result<(), StepError> {
        let all = self
            .work
            .linear
            .iter()
            .zip(&self.work.angular)
            .zip(&self.work.displacement);
        match all
            .enumerate()
            .find(|(_, ((v, w), d))| !(v.is_finite() && w.is_finite() && d.is_finite()))
        {
            None => Ok(()),
            Some((place, _)) => Err(StepError::NotFinite {
                step: self.world.steps + 1,
                time: self.world.time,
                id: self.world.bodies.id[place],
                quantity: "velocity",
            }),
        }
    }

    /// Keeps the contacts and their impulses for the next warm start.
    fn remember(&mut self) {
        let work = &self.work;
        self.previous.clear();
        self.previous.extend(
            work.contacts
                .iter()
                .zip(&work.impulses)
                .map(|(c, &impulse)| ContactImpulse {
                    a: c.a,
                    partner: c.partner,
                    normal: c.normal,
                    gap: c.gap,
                    impulse,
                }),
        );
    }

    fn advance(&mut self, time: f64, step: f64) {
        let went = self.wall_allowance();
        let bodies = &mut self.world.bodies;
        bodies.velocity.clone_from(&self.work.linear);
        bodies.angular_velocity.clone_from(&self.work.angular);
        let shift = (!self.work.shift.is_empty()).then_some(&self.work.shift[..]);
        self.scheme.advance(bodies, time, step, shift);
        self.work.neighbours.walls_went(went);
        self.world.steps += 1;
        self.world.time = match self.settings.step {
            // Multiples of the step, so that rounding does not add up.
            StepSize::Fixed(length) if length == step => step * self.world.steps as f64,
            _ => time + step,
        };
    }
}
