//! Joints in a step: their rows, whether they are closed at its end, and what they carry.

use super::detect::surroundings;
use super::{Simulation, StepProblem};
use crate::bodies::{Load, TimeFunction};
use crate::joints::{Along, Drive, Effect, JointRow, JointState};
use crate::math::DVec3;
use crate::problem::{BodySpace, ContactProblem, DelassusScratch, MatrixFree, RowForm};
use crate::scheme::{JointRows, Level, Moment, Outcome, Prediction, Velocities};
use crate::solver::JointFactor;
use serde::{Deserialize, Serialize};

/// Of the length of a joint: how far it may be open at the end of a step beyond what the certificate allows.
const CLOSED: f64 = 1e-11;

/// The same for a step that is certified.
const OPEN: f64 = 1e-8;

/// How often a step is solved again at most to close its joints. Each time what is left falls by about the angle that the
/// bodies turn in the step.
const MAX_CLOSINGS: usize = 12;

/// What a joint carried in a step, and where it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JointLoad {
    /// The mean force on the first body, world frame, N.
    pub force: DVec3,
    /// The mean torque on the first body about its anchor, world frame, N m.
    pub torque: DVec3,
    /// What each drive exerts along its coordinate: N m for angles, N for lengths.
    pub drives: Vec<f64>,
    /// The coordinates of the joint ([`crate::joints::Kind::coordinates`]) at the end of the step, rad or m.
    pub coordinates: Vec<f64>,
}

/// Scratch of joints.
#[derive(Debug, Default)]
pub(super) struct JointWork {
    /// The velocities that were found last in this step, if it is solved again.
    linear: Vec<DVec3>,
    angular: Vec<DVec3>,
    closings: usize,
    held: Vec<JointRow>,
    /// How far joints are open at the end of the step, m.
    pub(super) error: f64,
    rows: JointRows,
    factor: JointFactor,
    /// Which rows of what is held say what others say already, in this step.
    dependencies: Vec<Vec<f64>>,
    scratch: DelassusScratch,
    pub(super) loads: Vec<JointLoad>,
    pushes: Vec<Push>,
}

/// What a drive that pushes does in a step.
#[derive(Debug)]
struct Push {
    joint: usize,
    drive: usize,
    /// N m or N, along the coordinate.
    effort: f64,
    /// The force on the first body for a unit of effort, and the moments on both.
    form: RowForm,
}

impl Simulation {
    /// What the joints of the world carried in the last step, in their order; empty before the first step that this
    /// simulation takes. Broken ones carry nothing.
    pub fn joint_loads(&self) -> &[JointLoad] {
        &self.work.joints.loads
    }

    /// What is remembered of the joints of the world, in their order.
    pub fn joint_states(&self) -> &[JointState] {
        &self.joints
    }

    /// The distance (m) of two walls along the axis of the first.
    fn span(&self, pair: [u32; 2]) -> f64 {
        let world = &self.world;
        let [(from, axis), (to, _)] = pair.map(|number| {
            let wall = &world.walls[number as usize];
            let (position, orientation) = wall.kinematics.pose(world.time);
            let carrier = wall.carrier.and_then(|id| world.bodies.place_of(id));
            match carrier {
                None => (position, orientation * DVec3::Z),
                Some(place) => {
                    let turn = world.bodies.orientation[place];
                    let center = world.bodies.position[place];
                    (center + turn * position, turn * (orientation * DVec3::Z))
                }
            }
        });
        (to - from).dot(axis).abs()
    }

    /// The loads of a step of this length (s): those that were asked for, and those of drives that push.
    pub(super) fn gather_loads(&mut self, step: f64) {
        let mut loads = std::mem::take(&mut self.work.loads);
        let mut pushes = std::mem::take(&mut self.work.joints.pushes);
        loads.clone_from(&self.loads);
        pushes.clear();
        let (world, work) = (&self.world, &self.work);
        let mean = |target: &TimeFunction| match self.scheme.centred() {
            true => target.at(world.time),
            false => target.mean(world.time, step),
        };
        let surroundings = surroundings(world, &work.patches, &work.places);
        let poses = (&world.bodies.position[..], &world.bodies.orientation[..]);
        for (number, joint) in world.joints.iter().enumerate() {
            if self.joints[number].broken {
                continue;
            }
            for (drive, Drive { along, effect }) in joint.drives.iter().enumerate() {
                let Effect::Force { target, spans, .. } = effect else {
                    continue;
                };
                let area: f64 = spans.iter().map(|pair| self.span(*pair)).product();
                let placed = surroundings.placed_joint(number, poses);
                let (row, unit) = placed.coordinate_row(*along);
                pushes.push(Push {
                    joint: number,
                    drive,
                    effort: area * mean(target),
                    form: RowForm {
                        linear: row.linear / unit,
                        on_a: row.on_a / unit,
                        on_b: row.on_b / unit,
                    },
                });
            }
        }
        for push in &pushes {
            loads.resize(world.bodies.len(), Load::default());
            let [a, b] = work.places.joints[push.joint].bodies;
            for (place, side, moment) in [(a, 1.0, push.form.on_a), (b, -1.0, push.form.on_b)] {
                if let Some(load) = loads.get_mut(place as usize) {
                    load.force += side * push.effort * push.form.linear;
                    load.torque += push.effort * moment;
                }
            }
        }
        self.work.loads = loads;
        self.work.joints.pushes = pushes;
    }

    /// The states of joints that have not moved yet.
    pub(super) fn start_joints(&mut self) {
        let (world, work) = (&self.world, &self.work);
        let surroundings = surroundings(world, &work.patches, &work.places);
        let poses = (&world.bodies.position[..], &world.bodies.orientation[..]);
        let joints = world.joints.iter().enumerate();
        let states = joints.map(|(number, joint)| {
            JointState::new(joint, &surroundings.placed_joint(number, poses))
        });
        self.joints = states.collect();
    }

    /// Forgets what an earlier step has found out about its joints.
    pub(super) fn begin_joints(&mut self) {
        let (bodies, joints) = (&self.world.bodies, &mut self.work.joints);
        joints.closings = 0;
        joints.error = 0.0;
        if self.world.joints.is_empty() {
            return;
        }
        // To begin with, bodies go on as they did.
        let prediction = &self.work.first.prediction;
        joints.linear.clone_from(&bodies.velocity);
        joints.angular.clone_from(&bodies.angular_velocity);
        for i in (0..bodies.len()).filter(|&i| !bodies.is_dynamic(i)) {
            joints.linear[i] = prediction.linear[i];
            joints.angular[i] = prediction.angular[i];
        }
        self.find_dependencies();
    }

    /// Finds which rows of closed loops say what others say already. Their remainders, which are of second order in the
    /// step, may differ although the joints are all closed, and then no velocities fulfil them all; and where a step looks at
    /// its middle, they depend on each other only up to that order.
    fn find_dependencies(&mut self) {
        self.work.joints.dependencies.clear();
        if !self.work.places.loops {
            return;
        }
        let mut prediction = std::mem::take(&mut self.work.first.prediction);
        if let Some(problem) = self.held_problem(&prediction) {
            let joints = &mut self.work.joints;
            joints.dependencies = joints.factor.dependencies(&problem);
        }
        std::mem::swap(&mut self.work.first.prediction, &mut prediction);
    }

    /// What joints hold in the poses of a prediction, one row each, with their errors over the step as velocities.
    fn held_problem(&mut self, prediction: &Prediction) -> Option<ContactProblem> {
        let (world, work) = (&self.world, &mut self.work);
        let surroundings = surroundings(world, &work.patches, &work.places);
        let moment = Moment::Step {
            level: Level::Velocity,
            centred: false,
            found: None,
        };
        let rows = &mut work.joints.rows;
        surroundings.joint_rows(prediction, &self.joints, moment, 1, rows);
        let mut space = BodySpace::default();
        let errors = surroundings.held_space(rows, prediction, &mut space);
        let velocities = errors.into_iter().map(|error| error / prediction.step);
        let operator = MatrixFree::new(space).ok()?;
        ContactProblem::joints(operator, velocities.collect()).ok()
    }

    /// Makes the rows of the joints for the problem of the step, with so many rows a contact.
    pub(super) fn make_joint_rows(&mut self, rows: usize) {
        if self.world.joints.is_empty() {
            return;
        }
        let (world, work) = (&self.world, &mut self.work);
        let surroundings = surroundings(world, &work.patches, &work.places);
        let found: Velocities = (&work.joints.linear, &work.joints.angular);
        let moment = Moment::Step {
            level: self.scheme.level(),
            centred: self.scheme.centred(),
            found: Some(found),
        };
        let made = &mut work.first.joints;
        surroundings.joint_rows(&work.first.prediction, &self.joints, moment, rows, made);
        let dependencies = &work.joints.dependencies;
        surroundings.reconcile(made, &work.first.prediction, dependencies);
    }

    /// The same for the velocities at the end of the step.
    pub(super) fn make_end_rows(&mut self, rows: usize) {
        if self.world.joints.is_empty() {
            return;
        }
        let (world, work) = (&self.world, &mut self.work);
        let surroundings = surroundings(world, &work.patches, &work.places);
        let (end, made) = (&work.end.prediction, &mut work.end.joints);
        surroundings.joint_rows(end, &self.joints, Moment::End, rows, made);
    }

    /// The largest length of a joint, m.
    fn joint_length(&self) -> f64 {
        let lengths = self.work.places.joints.iter().map(|place| place.length);
        lengths.fold(0.0, f64::max)
    }

    /// Whether joints stayed open at the end of the step although it was solved again and again.
    pub(super) fn joints_stay_open(&self, allowed: f64) -> bool {
        self.work.joints.error > allowed + OPEN * self.joint_length()
    }

    /// Whether joints are open at the end of the step by more than the certificate allows (m), so that it is to be solved
    /// again with what is known of its end.
    pub(super) fn joints_are_open(&mut self, allowed: f64) -> bool {
        if self.world.joints.is_empty() {
            return false;
        }
        let tolerance = allowed + CLOSED * self.joint_length();
        if self.scheme.level() == Level::Velocity {
            self.project_joints(tolerance);
            return false;
        }
        self.measure_joints();
        if !self.work.recovery.shift.is_empty() && self.work.joints.error > tolerance {
            // What was moved to take overlaps out.
            self.project_joints(tolerance);
        }
        let (first, joints) = (&self.work.first, &mut self.work.joints);
        joints.linear.clone_from(&first.linear);
        joints.angular.clone_from(&first.angular);
        joints.closings += 1;
        joints.error > tolerance && joints.closings < MAX_CLOSINGS
    }

    /// How far joints are open at the end of the step.
    fn measure_joints(&mut self) {
        let (world, work) = (&self.world, &mut self.work);
        let surroundings = surroundings(world, &work.patches, &work.places);
        let outcome = Outcome {
            linear: &work.first.linear,
            angular: &work.first.angular,
            shift: work.recovery.velocities(),
        };
        let (prediction, held) = (&work.first.prediction, &mut work.joints.held);
        let states = &self.joints;
        work.joints.error = surroundings.joint_error_at_end(prediction, &outcome, states, held);
    }

    /// Closes the joints at the end of the step by moving bodies, without a change of velocities: `min ½|p|²_M` subject to
    /// `Ψ(q + h p) = 0`, by Newton's method.
    fn project_joints(&mut self, tolerance: f64) {
        let count = self.world.bodies.len();
        for _ in 0..MAX_CLOSINGS {
            self.measure_joints();
            if self.work.joints.error <= tolerance {
                return;
            }
            let work = &mut self.work;
            let outcome = Outcome {
                linear: &work.first.linear,
                angular: &work.first.angular,
                shift: work.recovery.velocities(),
            };
            let mut end = std::mem::take(&mut work.end.prediction);
            let bodies = &self.world.bodies;
            crate::scheme::predict_end(bodies, &work.first.prediction, &outcome, &mut end);
            let problem = self.held_problem(&end);
            let work = &mut self.work;
            work.end.prediction = end;
            let Some(problem) = problem else {
                return;
            };
            let joints = &mut work.joints;
            let mut impulses = vec![0.0; problem.len()];
            joints.factor.solve_alone(&problem, &mut impulses);
            for list in [&mut work.recovery.shift, &mut work.recovery.turn] {
                list.resize(count, DVec3::ZERO);
            }
            let (shift, turn) = (&mut work.recovery.shift, &mut work.recovery.turn);
            let delassus = &problem.delassus;
            delassus.body_velocities(&impulses, &mut joints.scratch, |body, linear, angular| {
                shift[body] += linear;
                turn[body] += angular;
            });
            // Displacements follow from velocities and shifts.
            let shift = std::mem::take(&mut work.recovery.shift);
            work.first.find_velocities(&shift, &mut work.scratch);
            work.recovery.shift = shift;
        }
        self.measure_joints();
    }

    /// Keeps what the joints carried, and breaks those that carried too much; after everything has moved.
    pub(super) fn remember_joints(&mut self) {
        if self.world.joints.is_empty() {
            return;
        }
        let Self {
            world,
            work,
            joints,
            ..
        } = self;
        let step = work.first.prediction.step;
        let bodies = &world.bodies;
        let loads = &mut work.joints.loads;
        loads.resize(world.joints.len(), JointLoad::default());
        for ((load, joint), state) in loads.iter_mut().zip(&world.joints).zip(&mut *joints) {
            load.force = DVec3::ZERO;
            load.torque = DVec3::ZERO;
            load.drives.clear();
            load.drives.resize(joint.drives.len(), 0.0);
            state.impulses.clear();
        }
        let surroundings = surroundings(world, &work.patches, &work.places);
        let parts: [&StepProblem; 2] = [&work.first, &work.end];
        let parts = &parts[..1 + usize::from(self.scheme.stops_at_end())];
        for (number, part) in parts.iter().enumerate() {
            let rows = part.problem.rows();
            let impulses = &part.impulses[part.contacts.len() * rows..];
            part.joints
                .each_impulse(rows, impulses, |joint, drive, form, impulse| {
                    let load = &mut loads[joint];
                    let force = impulse / step;
                    load.force += force * form.linear;
                    load.torque += force * form.on_a;
                    if let Some(drive) = drive {
                        let (row, unit) = surroundings
                            .placed_joint(joint, part.prediction.poses())
                            .coordinate_row(world.joints[joint].drives[drive].along);
                        let side = row.linear.dot(form.linear) + row.on_a.dot(form.on_a);
                        load.drives[drive] += unit * force * side.signum();
                    }
                    if number == 0 {
                        joints[joint].impulses.push(impulse);
                    }
                });
        }
        for push in &work.joints.pushes {
            let load = &mut loads[push.joint];
            load.force += push.effort * push.form.linear;
            load.torque += push.effort * push.form.on_a;
            load.drives[push.drive] += push.effort;
        }
        let poses = (&bodies.position[..], &bodies.orientation[..]);
        for (number, joint) in world.joints.iter().enumerate() {
            let (load, state) = (&mut loads[number], &mut joints[number]);
            // About the anchor and not about the centre.
            let before = work.first.prediction.poses();
            let arm = surroundings.placed_joint(number, before).point(DVec3::ZERO);
            load.torque -= arm.cross(load.force);
            let too_much = |limit: Option<f64>, value: DVec3| {
                limit.is_some_and(|limit| value.length() > limit)
            };
            state.broken |= too_much(joint.break_force, load.force)
                || too_much(joint.break_torque, load.torque);
            let placed = surroundings.placed_joint(number, poses);
            let slipped = surroundings.gear_slip(
                number,
                &work.first.prediction,
                (&work.first.linear, &work.first.angular),
            );
            state.advance(joint, &placed, step * slipped);
            load.coordinates.clear();
            load.coordinates
                .extend(joint.kind.coordinates().iter().map(|along| match along {
                    Along::Turn => state.turned(&placed),
                    Along::Slide | Along::Length | Along::Swivel => placed.way(*along),
                }));
        }
    }
}

impl StepProblem {
    /// Writes the impulses of the last step, `scale` times as large, into the rows of the joints.
    pub(super) fn start_joints(&mut self, states: &[JointState], scale: f64) {
        let rows = self.problem.rows();
        let mut next = vec![0; states.len()];
        let impulses = self.impulses[self.contacts.len() * rows..].chunks_exact_mut(rows);
        for ((joint, count), impulses) in self.joints.blocks().zip(impulses) {
            let known = &states[joint].impulses;
            for impulse in &mut impulses[..count] {
                *impulse = scale * known.get(next[joint]).copied().unwrap_or(0.0);
                next[joint] += 1;
            }
        }
    }
}
