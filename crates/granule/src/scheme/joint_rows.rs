//! The rows of joints and of what drives them, in a step.

use super::{Level, Outcome, Prediction, Surroundings, Velocities};
use crate::bodies::Bodies;
use crate::joints::{Along, Drive, Effect, Joint, JointRow, JointState, Kind, PlacedJoint, Pose};
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
    /// For the problem of a step with this level; the velocities that were found last, if any.
    Step(Level, Option<Velocities<'a>>),
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
                let made = DriveRows {
                    placed: &placed,
                    state,
                    drive,
                    prediction,
                    moment,
                };
                made.each(|form, offset, set, ease| {
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
        if let Moment::Step(Level::Position, Some((linear, angular))) = moment {
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
                Moment::Step(Level::Position, guess) => match (end.get(k), guess) {
                    (Some(end), Some(velocities)) if !is_gear => {
                        let found = self.row_velocity(place.bodies, &row.form, velocities);
                        end.error / step - found
                    }
                    (Some(_) | None, Some(_) | None) => error / step,
                },
                Moment::Step(Level::Velocity, _) | Moment::End => 0.0,
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

/// What the rows of a drive are made of.
struct DriveRows<'a> {
    placed: &'a PlacedJoint,
    state: &'a JointState,
    drive: &'a Drive,
    prediction: &'a Prediction,
    moment: Moment<'a>,
}

impl DriveRows<'_> {
    /// The coordinate where the step looks, rad or m.
    fn coordinate(&self) -> f64 {
        match self.drive.along {
            Along::Turn => self.state.turned(self.placed),
            Along::Slide | Along::Length | Along::Swivel => self.placed.way(self.drive.along),
        }
    }

    /// Gives each row with its offset (m/s), its set and its ease (1/kg).
    fn each(&self, mut give: impl FnMut(RowForm, f64, AdmissibleSet, f64)) {
        let (step, start) = (self.prediction.step, self.prediction.contact_time);
        let (form, unit) = self.placed.coordinate_row(self.drive.along);
        let x = self.coordinate();
        let set = |strength: Option<f64>| match strength {
            None => AdmissibleSet::Free,
            Some(strength) => AdmissibleSet::Segment {
                limit: step * strength / unit,
            },
        };
        let end = matches!(self.moment, Moment::End);
        match &self.drive.effect {
            Effect::Limits { least, most } => {
                let sides = [(*least, 1.0), (*most, -1.0)];
                for (limit, side) in sides {
                    let Some(limit) = limit else { continue };
                    let room = unit * side * (x - limit);
                    let offset = match self.moment {
                        Moment::Step(Level::Position, _) => room / step,
                        Moment::Step(Level::Velocity, _) => room.max(0.0) / step,
                        // What has arrived is stopped.
                        Moment::End if room <= 1e-9 * unit => 0.0,
                        Moment::End => continue,
                    };
                    let form = turned_about(&form, side);
                    give(form, offset, AdmissibleSet::HalfLine, 0.0);
                }
            }
            Effect::Speed { target, strength } => {
                let wanted = unit * target.mean(start, step);
                if !end || strength.is_none() {
                    give(form, -wanted, set(*strength), 0.0);
                }
            }
            Effect::Position { target, strength } => {
                let left = unit * (x - target.at(start + step));
                if !end {
                    give(form, left / step, set(*strength), 0.0);
                }
            }
            Effect::Spring {
                stiffness,
                damping,
                rest,
            } => {
                let both = step * stiffness + damping;
                let offset = unit * stiffness * (x - rest.at(start + step)) / both;
                let ease = unit * unit / (step * both);
                if !end {
                    give(form, offset, AdmissibleSet::Free, ease);
                }
            }
            Effect::Force {
                target, fastest, ..
            } => {
                // The force is a load on the bodies; what holds it back is a row.
                if let (Some(fastest), false) = (fastest, end) {
                    let side = -target.mean(start, step).signum();
                    let form = turned_about(&form, side);
                    give(form, unit * fastest, AdmissibleSet::HalfLine, 0.0);
                }
            }
            Effect::Friction { .. } if end => {}
            Effect::Friction { strength } if self.drive.along == Along::Swivel => {
                for form in self.placed.swivel_rows() {
                    give(form, 0.0, set(Some(*strength)), 0.0);
                }
            }
            Effect::Friction { strength } => give(form, 0.0, set(Some(*strength)), 0.0),
        }
    }
}

/// `side` times the row.
fn turned_about(form: &RowForm, side: f64) -> RowForm {
    RowForm {
        linear: side * form.linear,
        on_a: side * form.on_a,
        on_b: side * form.on_b,
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

    /// Whether some row gives.
    pub fn gives(&self) -> bool {
        self.blocks.iter().any(|block| block.ease > 0.0)
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
