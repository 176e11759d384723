//! The rows of joints and of what drives them, in a step.

use super::drive_rows::{DriveRows, RowMotion};
use super::{Level, Outcome, Prediction, Surroundings, Velocities};
use crate::bodies::Bodies;
use crate::joints::{Along, Joint, JointRow, JointState, Kind, PlacedJoint, Pose};
use crate::law::AdmissibleSet;
use crate::math::{DQuat, DVec3};
use crate::problem::{BodySpace, Compliance, RowForm};

/// Where a joint is among the bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointPlace {
    /// The places of its bodies; for the ground, the number of bodies.
    pub bodies: [u32; 2],
    /// ℓ, m: what its angles are multiplied by.
    pub length: f64,
}

impl JointPlace {
    /// The place of a joint whose bodies are in the world. ℓ is the length at which turning the two against each other
    /// is as easy as moving the anchors apart, as for contacts ([`BodySpace`]).
    pub fn new(joint: &Joint, bodies: &Bodies) -> Self {
        let place = |id: Option<u32>| id.map(|id| bodies.place_of(id).expect("checked before"));
        let places = joint.bodies.map(place);
        let (mut moving, mut turning) = (0.0, 0.0);
        for (place, anchor) in places.iter().zip(&joint.anchors) {
            if let Some(i) = place.filter(|i| bodies.is_dynamic(*i)) {
                let ease = (1.0 / bodies.inertia[i]).element_sum() / 3.0;
                moving +=
                    bodies.inverse_mass(i) + 2.0 / 3.0 * anchor.position.length_squared() * ease;
                turning += ease;
            }
        }
        let ground = bodies.len();
        Self {
            bodies: places.map(|place| place.unwrap_or(ground) as u32),
            length: if turning > 0.0 && turning.is_finite() {
                (moving / turning).sqrt()
            } else {
                1.0
            },
        }
    }
}

/// What a row of a joint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// One of those that it holds.
    Held,
    /// The drive of this number.
    Drive(u32),
}

/// A row in a step.
#[derive(Debug, Clone, Copy)]
struct Row {
    form: RowForm,
    /// s, m/s.
    offset: f64,
    /// Ψ at the start of the step, m; zero for drives.
    error: f64,
    role: Role,
}

impl Row {
    const NONE: Self = Self {
        form: RowForm {
            linear: DVec3::ZERO,
            on_a: DVec3::ZERO,
            on_b: DVec3::ZERO,
        },
        offset: 0.0,
        error: 0.0,
        role: Role::Held,
    };
}

/// Rows that stand in one block of the problem.
#[derive(Debug, Clone, Copy)]
struct Block {
    joint: u32,
    /// The first of its rows, and how many there are.
    first: u32,
    count: u32,
    set: AdmissibleSet,
    /// E, 1/kg.
    ease: f64,
}

/// The rows of all joints in a problem of a step.
#[derive(Debug, Clone, Default)]
pub struct JointRows {
    rows: Vec<Row>,
    blocks: Vec<Block>,
    held: Vec<JointRow>,
}

/// When rows are made.
#[derive(Debug, Clone, Copy)]
pub enum Moment<'a> {
    /// For the problem of a step.
    Step {
        /// What it constrains.
        level: Level,
        /// Whether velocities are those of the middles of steps ([`super::Scheme::centred`]).
        centred: bool,
        /// The velocities that were found last, if any.
        found: Option<Velocities<'a>>,
    },
    /// For the velocities at the end of a step.
    End,
}

impl Surroundings<'_> {
    fn pose(&self, place: u32, (positions, orientations): (&[DVec3], &[DQuat])) -> Pose {
        match self.bodies.len() > place as usize {
            true => (positions[place as usize], orientations[place as usize]),
            false => (DVec3::ZERO, DQuat::IDENTITY),
        }
    }

    /// A joint with the bodies in these poses.
    pub fn placed_joint(&self, number: usize, poses: (&[DVec3], &[DQuat])) -> PlacedJoint {
        let place = &self.joint_places[number];
        let poses = place.bodies.map(|place| self.pose(place, poses));
        PlacedJoint::new(&self.joints[number], poses, place.length)
    }

    /// A joint where its bodies are at the end of a step with these velocities.
    pub fn joint_at_end(
        &self,
        number: usize,
        prediction: &Prediction,
        outcome: &Outcome,
    ) -> PlacedJoint {
        let place = &self.joint_places[number];
        let poses = place
            .bodies
            .map(|place| match self.bodies.len() > place as usize {
                true => outcome.end_pose(self.bodies, prediction, place as usize),
                false => (DVec3::ZERO, DQuat::IDENTITY),
            });
        PlacedJoint::new(&self.joints[number], poses, place.length)
    }

    /// `l·(v_a - v_b) + p·ω_a + q·ω_b` with the velocities of all bodies.
    fn row_velocity(&self, [a, b]: [u32; 2], form: &RowForm, velocities: Velocities) -> f64 {
        let of = |place: u32| {
            let place = place as usize;
            let (v, w) = (velocities.0.get(place), velocities.1.get(place));
            (
                v.copied().unwrap_or_default(),
                w.copied().unwrap_or_default(),
            )
        };
        let ((va, wa), (vb, wb)) = (of(a), of(b));
        form.linear.dot(va - vb) + form.on_a.dot(wa) + form.on_b.dot(wb)
    }

    /// How a row moved at the start of the step, and how easily it moves.
    fn before(&self, number: usize, form: &RowForm, prediction: &Prediction) -> RowMotion {
        let bodies = self.bodies;
        let mut motion = RowMotion::default();
        let Some(form) = self.free_part(form) else {
            return motion;
        };
        let [a, b] = self.joint_places[number].bodies.map(|place| place as usize);
        for (i, side, moment) in [(a, 1.0, form.on_a), (b, -1.0, form.on_b)] {
            if i == bodies.len() {
                continue;
            }
            let (linear, angular) = if bodies.is_dynamic(i) {
                let own = prediction.orientation[i].conjugate() * moment;
                motion.ease += bodies.inverse_mass(i) * form.linear.length_squared()
                    + own.dot(own / bodies.inertia[i]);
                (bodies.velocity[i], bodies.angular_velocity[i])
            } else {
                (prediction.linear[i], prediction.angular[i])
            };
            motion.velocity += side * form.linear.dot(linear) + moment.dot(angular);
        }
        motion
    }

    /// The form with what can move and turn alone; none where nothing can.
    fn free_part(&self, form: &RowForm) -> Option<RowForm> {
        let (moves, turns) = super::free_axes(self.dimension, self.lock_rotation);
        let part = RowForm {
            linear: form.linear * moves,
            on_a: form.on_a * turns,
            on_b: form.on_b * turns,
        };
        // Directions that are off the axes of a plane by rounding are none.
        let size = |f: &RowForm| f.linear.length() + f.on_a.length() + f.on_b.length();
        (size(&part) > 1e-9 * size(form)).then_some(part)
    }

    /// Makes the rows of all joints that are whole, at most `most` in a block.
    pub fn joint_rows(
        &self,
        prediction: &Prediction,
        states: &[JointState],
        moment: Moment,
        most: usize,
        rows: &mut JointRows,
    ) {
        rows.rows.clear();
        rows.blocks.clear();
        for (number, (joint, state)) in self.joints.iter().zip(states).enumerate() {
            if state.broken {
                continue;
            }
            let placed = self.placed_joint(number, prediction.poses());
            self.held_rows(number, (&placed, state), prediction, moment, most, rows);
            for (k, drive) in joint.drives.iter().enumerate() {
                let (form, unit) = placed.coordinate_row(drive.along);
                let coordinate = match drive.along {
                    Along::Turn => state.turned(&placed),
                    Along::Slide | Along::Length | Along::Swivel => placed.way(drive.along),
                };
                let made = DriveRows {
                    placed: &placed,
                    drive,
                    form,
                    unit,
                    coordinate,
                    prediction,
                    moment,
                };
                let motion = |form: &RowForm| self.before(number, form, prediction);
                made.each(motion, |form, offset, set, ease| {
                    if let Some(form) = self.free_part(&form) {
                        let row = Row {
                            form,
                            offset,
                            error: 0.0,
                            role: Role::Drive(k as u32),
                        };
                        rows.push(number, set, ease, &[row]);
                    }
                });
            }
        }
    }

    /// Adds the rows that a joint holds.
    fn held_rows(
        &self,
        number: usize,
        (placed, state): (&PlacedJoint, &JointState),
        prediction: &Prediction,
        moment: Moment,
        most: usize,
        rows: &mut JointRows,
    ) {
        let step = prediction.step;
        let place = &self.joint_places[number];
        let is_gear = matches!(self.joints[number].kind, Kind::Gear { .. });
        let mut held = std::mem::take(&mut rows.held);
        held.clear();
        placed.held(&mut held);
        let count = held.len();
        if let Moment::Step {
            level: Level::Position,
            found: Some((linear, angular)),
            ..
        } = moment
        {
            let outcome = Outcome {
                linear,
                angular,
                shift: None,
            };
            self.joint_at_end(number, prediction, &outcome)
                .held(&mut held);
        }
        let (now, end) = held.split_at(count);
        let mut list = [None; 6];
        for (k, row) in now.iter().enumerate() {
            let error = if is_gear {
                place.length * state.turn
            } else {
                row.error
            };
            let offset = match moment {
                Moment::Step {
                    level: Level::Position,
                    found,
                    ..
                } => match (end.get(k), found) {
                    (Some(end), Some(velocities)) if !is_gear => {
                        let found = self.row_velocity(place.bodies, &row.form, velocities);
                        end.error / step - found
                    }
                    (Some(_) | None, Some(_) | None) => error / step,
                },
                Moment::Step { .. } | Moment::End => 0.0,
            };
            list[k] = self.free_part(&row.form).map(|form| Row {
                form,
                offset,
                error,
                role: Role::Held,
            });
        }
        let mut kept = [Row::NONE; 6];
        let mut count = 0;
        for row in list.into_iter().flatten() {
            kept[count] = row;
            count += 1;
        }
        for block in kept[..count].chunks(most) {
            rows.push(number, AdmissibleSet::Free, 0.0, block);
        }
        rows.held = held;
    }

    /// How fast a gear slips with these velocities, rad/s; zero for other joints.
    pub fn gear_slip(&self, number: usize, prediction: &Prediction, velocities: Velocities) -> f64 {
        if !matches!(self.joints[number].kind, Kind::Gear { .. }) {
            return 0.0;
        }
        let mut held = Vec::new();
        self.placed_joint(number, prediction.poses())
            .held(&mut held);
        let place = &self.joint_places[number];
        let form = &held[0].form;
        self.row_velocity(place.bodies, form, velocities) / place.length
    }

    /// Makes the offsets of what is held such that some impulses fulfil the rows: those that say the same must ask for the
    /// same. `dependencies` are orthogonal unit vectors that no impulses give the rows a velocity along.
    pub fn reconcile(
        &self,
        rows: &mut JointRows,
        prediction: &Prediction,
        dependencies: &[Vec<f64>],
    ) {
        let free: Velocities = (&prediction.linear, &prediction.angular);
        for n in dependencies {
            let mut along = 0.0;
            rows.each_held(n, |joint, row, n| {
                let bodies = self.joint_places[joint].bodies;
                along += n * (row.offset + self.row_velocity(bodies, &row.form, free));
            });
            rows.each_held(n, |_, row, n| row.offset -= along * n);
        }
    }

    /// The bodies and what joints hold, one row each, into `space`; gives the errors of the rows, m.
    pub fn held_space(
        &self,
        rows: &JointRows,
        prediction: &Prediction,
        space: &mut BodySpace,
    ) -> Vec<f64> {
        self.masses(1, false, space);
        self.rigid_pool(&[], prediction, space);
        rows.add_held(self.joint_places, space);
        let held = rows.rows.iter().filter(|row| row.role == Role::Held);
        held.map(|row| row.error).collect()
    }

    /// The largest error (m, angles times ℓ) of what joints hold at the end of a step.
    pub fn joint_error_at_end(
        &self,
        prediction: &Prediction,
        outcome: &Outcome,
        states: &[JointState],
        held: &mut Vec<JointRow>,
    ) -> f64 {
        let whole = (0..self.joints.len()).filter(|number| !states[*number].broken);
        whole.fold(0.0, |largest: f64, number| {
            held.clear();
            self.joint_at_end(number, prediction, outcome).held(held);
            let kept = held
                .iter()
                .filter(|row| self.free_part(&row.form).is_some());
            kept.fold(largest, |largest, row| largest.max(row.error.abs()))
        })
    }
}

impl JointRows {
    fn push(&mut self, joint: usize, set: AdmissibleSet, ease: f64, rows: &[Row]) {
        self.blocks.push(Block {
            joint: joint as u32,
            first: self.rows.len() as u32,
            count: rows.len() as u32,
            set,
            ease,
        });
        self.rows.extend_from_slice(rows);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The joint of each block, in the order of the problem.
    pub fn owners(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().map(|block| block.joint as usize)
    }

    /// The joint of each row that is held, in the order in which they stand by themselves.
    pub fn owners_of_held(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().flat_map(|block| {
            let rows = self.rows_of(block).iter();
            let held = rows.filter(|row| row.role == Role::Held);
            held.map(|_| block.joint as usize)
        })
    }

    /// Whether some row gives.
    pub fn gives(&self) -> bool {
        self.blocks.iter().any(|block| block.ease > 0.0)
    }

    /// Gives the joint of each row that is held, and the row, with its number of the `list`.
    fn each_held(&mut self, list: &[f64], mut give: impl FnMut(usize, &mut Row, f64)) {
        let mut numbers = list.iter();
        for block in &self.blocks {
            let rows = &mut self.rows[block.first as usize..][..block.count as usize];
            for row in rows.iter_mut().filter(|row| row.role == Role::Held) {
                let number = numbers
                    .next()
                    .expect("one number for each row that is held");
                give(block.joint as usize, row, *number);
            }
        }
    }

    fn rows_of(&self, block: &Block) -> &[Row] {
        &self.rows[block.first as usize..][..block.count as usize]
    }

    /// Adds the blocks to a space whose masses are known.
    pub(super) fn add_to(&self, places: &[JointPlace], space: &mut BodySpace) {
        for block in &self.blocks {
            let mut forms = [RowForm::default(); 6];
            let rows = self.rows_of(block);
            for (form, row) in forms.iter_mut().zip(rows) {
                *form = row.form;
            }
            let bodies = places[block.joint as usize].bodies;
            let added = space.push_joint(bodies, &forms[..rows.len()]);
            added.expect("blocks have at most as many rows as a contact");
        }
    }

    /// E of each block.
    pub(super) fn compliance(&self) -> impl Iterator<Item = Compliance> {
        self.blocks.iter().map(|block| Compliance {
            normal: block.ease,
            ..Compliance::default()
        })
    }

    /// Gives set, offset and velocity (m/s) without impulses of each block, filled up with zeros to `most` rows.
    pub(super) fn each(
        &self,
        surroundings: &Surroundings,
        velocities: Velocities,
        most: usize,
        mut give: impl FnMut(AdmissibleSet, &[f64], &[f64]),
    ) {
        for block in &self.blocks {
            let bodies = surroundings.joint_places[block.joint as usize].bodies;
            let (mut offsets, mut free) = ([0.0; 6], [0.0; 6]);
            for (k, row) in self.rows_of(block).iter().enumerate() {
                offsets[k] = row.offset;
                free[k] = row.offset + surroundings.row_velocity(bodies, &row.form, velocities);
            }
            give(block.set, &offsets[..most], &free[..most]);
        }
    }

    /// Adds what is held to a space with one row a contact; gives how many rows that are.
    pub(super) fn add_held(&self, places: &[JointPlace], space: &mut BodySpace) -> usize {
        let mut count = 0;
        for block in &self.blocks {
            let bodies = places[block.joint as usize].bodies;
            let held = self.rows_of(block).iter();
            for row in held.filter(|row| row.role == Role::Held) {
                let added = space.push_joint(bodies, &[row.form]);
                added.expect("one row fits");
                count += 1;
            }
        }
        count
    }

    /// Gives the joint, the number of the drive (none for what is held), the form and the impulse (N s) of each row; `most`
    /// rows of `impulses` stand in a block.
    pub fn each_impulse(
        &self,
        most: usize,
        impulses: &[f64],
        mut give: impl FnMut(usize, Option<usize>, &RowForm, f64),
    ) {
        for (block, impulses) in self.blocks.iter().zip(impulses.chunks_exact(most)) {
            for (row, impulse) in self.rows_of(block).iter().zip(impulses) {
                let drive = match row.role {
                    Role::Held => None,
                    Role::Drive(number) => Some(number as usize),
                };
                give(block.joint as usize, drive, &row.form, *impulse);
            }
        }
    }

    /// Gives the joint of each block, with how many rows it has.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, usize)> {
        let blocks = self.blocks.iter();
        blocks.map(|block| (block.joint as usize, block.count as usize))
    }
}
