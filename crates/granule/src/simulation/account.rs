//! What became of energy and momentum in a step.
//!
//! A body of mass m that goes from v⁰ to v in a step has been given `m (v - v⁰)` by gravity, by other
//! forces and by contacts, and its kinetic energy has changed by that times the mean velocity
//! `(v⁰ + v)/2`; with rotations likewise. So work is impulse times mean velocity, contact by contact:
//!
//! ```text
//! ΔE_kin + ΔE_pot + ΔE_elastic = work of forces + work of walls + work of recovery + work of the scheme - dissipation
//! ```
//!
//! The work of the scheme is what is between gravity's work over the mean velocity and over the way
//! that was really gone. Over `maury`'s steps it adds up to `½ h m g·(v_start - v_end)`: it is that of
//! an energy whose potential part is taken half a step earlier, and does not grow with time. With
//! `moreau-jean` and θ = ½ it is zero. It is also what springs of contacts gain where a contact is found with another gap
//! than the linearised motion left it, or already pressed.

use super::detect::surroundings;
use super::{Simulation, StepProblem};
use crate::collision::Partner;
use crate::math::{DMat3, DQuat, DVec3, Screw};
use crate::measure;
use crate::scheme::Prediction;
use serde::{Deserialize, Serialize};

/// What became of the energy in a step or in a run, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EnergyAccount {
    /// Work of forces other than gravity.
    pub work_of_forces: f64,
    /// Work of walls and bodies that move as prescribed, and of a periodic cell on what touches through its faces.
    pub work_of_walls: f64,
    /// Work of joints on the bodies: motors, springs, brakes, stops, and what the scheme makes of all that is held.
    pub work_of_joints: f64,
    /// Potential energy given by taking overlaps out of the positions.
    pub work_of_recovery: f64,
    /// What the time-stepping scheme's own treatment of gravity, and of bodies that tumble, adds.
    pub work_of_scheme: f64,
    /// What contacts take out of the motion (relative velocity, mean of before and after, times impulse) and do not store
    /// in their springs: friction, dampers, plastic flow, what breaks, and impacts.
    pub dissipation: f64,
    /// What is stored in springs of contacts, and was not before.
    pub elastic: f64,
    /// The part of dissipation that is friction: sliding, rolling and spinning.
    pub friction: f64,
    /// The part of dissipation that is in dampers.
    pub viscous: f64,
    /// The part of dissipation that is flow along the normal against cohesion and under a cap.
    pub plastic: f64,
    /// The part of dissipation that was stored in springs of contacts that let go.
    pub broken: f64,
    /// The change of kinetic and potential energy that is not accounted for.
    pub remainder: f64,
    /// The sum of the sizes of all these and of the changes of kinetic and potential energy: what the
    /// remainder is to be compared with.
    pub turned_over: f64,
}

impl EnergyAccount {
    /// Adds the account of another step.
    pub fn add(&mut self, step: &Self) {
        self.work_of_forces += step.work_of_forces;
        self.work_of_walls += step.work_of_walls;
        self.work_of_joints += step.work_of_joints;
        self.work_of_recovery += step.work_of_recovery;
        self.work_of_scheme += step.work_of_scheme;
        self.dissipation += step.dissipation;
        self.elastic += step.elastic;
        self.friction += step.friction;
        self.viscous += step.viscous;
        self.plastic += step.plastic;
        self.broken += step.broken;
        self.remainder += step.remainder;
        self.turned_over += step.turned_over;
    }
}

/// The state before a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Before {
    position: Vec<DVec3>,
    orientation: Vec<DQuat>,
    velocity: Vec<DVec3>,
    angular_velocity: Vec<DVec3>,
    kinetic_energy: f64,
}

/// What contacts did, over those of one problem.
#[derive(Default)]
struct ContactWork {
    dissipation: f64,
    friction: f64,
    walls: f64,
    joints: f64,
    /// The impulse that walls and prescribed bodies gave the others, N s.
    outside: DVec3,
    /// The sum of the sizes of all impulses, N s.
    impulses: f64,
}

/// What the springs of contacts did, J.
#[derive(Default)]
struct SpringWork {
    /// Stored at the start of the step.
    before: f64,
    /// Stored at its end.
    after: f64,
    friction: f64,
    viscous: f64,
    plastic: f64,
    broken: f64,
}

impl Simulation {
    /// Keeps what the account needs of the state before the step.
    pub(super) fn note_before(&mut self) {
        let (bodies, before) = (&self.world.bodies, &mut self.work.before);
        before.position.clone_from(&bodies.position);
        before.orientation.clone_from(&bodies.orientation);
        before.velocity.clone_from(&bodies.velocity);
        before.angular_velocity.clone_from(&bodies.angular_velocity);
        before.kinetic_energy = measure::kinetic_energy(bodies);
    }

    /// Whether bodies may turn by anything but contacts: unequal moments of inertia and torques.
    fn notes_turning(&self) -> bool {
        self.tumbles || !self.work.loads.is_empty()
    }

    /// Velocity and angular velocity of a body over the step as contacts see it: the mean of before and
    /// after, or what is prescribed.
    #[inline(always)]
    fn mean_motion(&self, body: usize, prediction: &Prediction) -> (DVec3, DVec3) {
        let (bodies, work) = (&self.world.bodies, &self.work);
        if bodies.is_dynamic(body) {
            let linear = 0.5 * (work.before.velocity[body] + bodies.velocity[body]);
            // Free rotation, between before and ω_free, keeps the energy.
            let free = &work.first.prediction.angular;
            let angular = 0.5 * (free[body] + bodies.angular_velocity[body]);
            (linear, angular)
        } else {
            (prediction.linear[body], prediction.angular[body])
        }
    }

    fn contact_work(&self, part: &StepProblem, means: &mut Vec<(DVec3, DVec3)>) -> ContactWork {
        let bodies = &self.world.bodies;
        let work = &self.work;
        let surroundings = surroundings(&self.world, &work.patches, &work.places);
        let mut sum = ContactWork::default();
        let rows = part.problem.rows();
        let round = part.problem.delassus.round_count();
        // Frictionless impulses go through the centres of spheres.
        let turns = if rows > 1 { 1.0 } else { 0.0 };
        means.clear();
        means.extend((0..bodies.len()).map(|body| self.mean_motion(body, &part.prediction)));
        let mean = |body: usize| means[body];
        let impulses = part.impulses.chunks_exact(rows);
        for (k, (contact, impulse)) in part.contacts.iter().zip(impulses).enumerate() {
            let Screw { linear, angular } = Screw::from_rows(impulse, contact.normal);
            if linear == DVec3::ZERO && angular == DVec3::ZERO {
                continue;
            }
            let moment = if rows == 6 {
                part.problem.delassus.contact_length(k) * angular
            } else {
                DVec3::ZERO
            };
            let rigid = k >= round;
            // Velocity of a body's point at the contact, and spin; the arm of a sphere is -r n for a and r n for b.
            let point = |body: u32, side: f64| {
                let body = body as usize;
                let (v, w) = mean(body);
                if rigid {
                    let [own, other] = contact.points();
                    let touched = if side > 0.0 { own } else { other };
                    let mut center = part.prediction.position[body];
                    if side < 0.0 {
                        center += part.prediction.image_shift(contact.image);
                    }
                    return (v + w.cross(touched - center), w);
                }
                let arm = side * turns * bodies.radius[body];
                (v + arm * contact.normal.cross(w), w)
            };
            let work = |(v, w): (DVec3, DVec3)| linear.dot(v) + moment.dot(w);
            let own = point(contact.key.a, 1.0);
            let (other, b_moves) = match contact.key.partner {
                Partner::Body(b) => {
                    let ((mut velocity, spin), moves) =
                        (point(b, -1.0), bodies.is_dynamic(b as usize));
                    if part.prediction.lattice.is_some() {
                        let start = part.prediction.contact_time;
                        let image = part.prediction.image_velocity(contact.image, start);
                        velocity += image;
                        if moves {
                            // The cell moves the image against its body.
                            sum.walls += linear.dot(image);
                        }
                    }
                    ((velocity, spin), moves)
                }
                Partner::Wall(_) => {
                    let motion = surroundings.wall_motion(contact, &part.prediction, mean);
                    (motion, surroundings.is_on_free_body(contact))
                }
            };
            let (a, b) = (work(own), work(other));
            sum.dissipation -= a - b;
            if rows > 1 && part.springs.get(k).is_none_or(|spring| !spring.remembers) {
                let across = linear - linear.dot(contact.normal) * contact.normal;
                sum.friction -= across.dot(own.0 - other.0) + moment.dot(own.1 - other.1);
            }
            if !b_moves {
                sum.walls += b;
                sum.outside += linear;
            }
            if !bodies.is_dynamic(contact.key.a as usize) {
                sum.walls -= a;
                sum.outside -= linear;
            }
            sum.impulses += linear.length();
        }
        self.add_joint_work(part, &mut sum);
        sum
    }

    /// Adds what joints did: their impulses times the mean velocities of the bodies that they move.
    fn add_joint_work(&self, part: &StepProblem, sum: &mut ContactWork) {
        let bodies = &self.world.bodies;
        let rows = part.problem.rows();
        let impulses = &part.impulses[part.contacts.len() * rows..];
        let joints = &self.work.places.joints;
        (part.joints).each_impulse(rows, impulses, |joint, _, form, impulse| {
            let [a, b] = joints[joint].bodies.map(|place| place as usize);
            let moves = |i: usize| i < bodies.len() && bodies.is_dynamic(i);
            let ends = [(a, 1.0, form.on_a), (b, -1.0, form.on_b)];
            for (body, side, moment) in ends {
                if moves(body) {
                    let (v, w) = self.mean_motion(body, &part.prediction);
                    sum.joints += impulse * (side * form.linear.dot(v) + moment.dot(w));
                } else {
                    sum.outside -= side * impulse * form.linear;
                }
            }
            sum.impulses += (impulse * form.linear).length();
        });
    }

    /// What the springs of contacts did in the step.
    fn spring_work(&self) -> SpringWork {
        let first = &self.work.first;
        let (rows, step) = (first.problem.rows(), first.prediction.step);
        let mut sum = SpringWork::default();
        for (k, spring) in first.springs.iter().enumerate() {
            if !spring.remembers {
                continue;
            }
            let contact = &first.contacts[k];
            let of_rows =
                |list: &[f64]| Screw::from_rows(&list[k * rows..][..rows], contact.normal);
            let (impulse, velocity) = (of_rows(&first.impulses), of_rows(&self.work.relative));
            if impulse == Screw::default() && spring.elastic == Screw::default() {
                continue;
            }
            let elastic = spring.elastic_after(impulse, step, contact.normal);
            let stored = spring.energy(elastic, contact.normal);
            let along = impulse.linear.dot(contact.normal) * velocity.linear.dot(contact.normal);
            sum.before += spring.energy(spring.elastic, contact.normal);
            sum.viscous += spring.damped(elastic, step, contact.normal);
            sum.plastic -= along;
            sum.friction -= impulse.dot(velocity) - along;
            if first.laws[k].holds {
                sum.after += stored;
            } else {
                sum.broken += stored;
            }
        }
        sum
    }

    /// The work (J) of the torque on a body in the step, and what the scheme's own treatment of bodies that
    /// turn adds: contacts act with the moments of inertia of the time where they were looked for.
    fn turning_work(&self, body: usize) -> (f64, f64) {
        let (bodies, prediction) = (&self.world.bodies, &self.work.first.prediction);
        let (before, free) = (
            self.work.before.angular_velocity[body],
            prediction.angular[body],
        );
        let torque = self
            .work
            .loads
            .get(body)
            .map_or(DVec3::ZERO, |load| load.torque);
        let forces = 0.5 * prediction.step * torque.dot(before + free);
        let inertia = bodies.inertia[body];
        if inertia == DVec3::splat(inertia.x) {
            return (forces, 0.0);
        }
        let momentum = |orientation: DQuat, spin: DVec3| {
            let turn = DMat3::from_quat(orientation);
            turn * (inertia * (turn.transpose() * spin))
        };
        let energy = |orientation, spin: DVec3| 0.5 * spin.dot(momentum(orientation, spin));
        let after = bodies.angular_velocity[body];
        // What contacts gave, each problem with the moments of inertia of its time.
        let between = self.work.first.angular[body];
        let mut given = momentum(prediction.orientation[body], between - free);
        if self.scheme.stops_at_end() {
            let end = &self.work.end.prediction.orientation;
            given += momentum(end[body], after - between);
        }
        let change = energy(bodies.orientation[body], after)
            - energy(self.work.before.orientation[body], before);
        (forces, change - forces - 0.5 * given.dot(free + after))
    }

    /// What became of the energy in the step that has just been made, to a `kinetic` energy (J), and the
    /// momentum of all bodies that came from nowhere, over the sum of all impulses and momenta.
    pub(super) fn account(&mut self, kinetic: f64) -> (EnergyAccount, f64) {
        let mut means = std::mem::take(&mut self.work.means);
        let account = self.account_with(kinetic, &mut means);
        self.work.means = means;
        account
    }

    fn account_with(&self, kinetic: f64, means: &mut Vec<(DVec3, DVec3)>) -> (EnergyAccount, f64) {
        let (world, work) = (&self.world, &self.work);
        let (bodies, before) = (&world.bodies, &work.before);
        let Prediction { step, linear, .. } = &work.first.prediction;
        let mut contacts = self.contact_work(&work.first, means);
        let springs = self.spring_work();
        if self.scheme.stops_at_end() {
            let second = self.contact_work(&work.end, means);
            contacts.dissipation += second.dissipation;
            contacts.friction += second.friction;
            contacts.walls += second.walls;
            contacts.joints += second.joints;
            contacts.outside += second.outside;
            contacts.impulses += second.impulses;
        }
        let (moves, _) = self.dynamics(*step).free_axes();
        let gravity = *step * moves * world.gravity;
        let mut account = EnergyAccount {
            dissipation: contacts.dissipation - (springs.after - springs.before),
            elastic: springs.after - self.elastic_energy,
            friction: contacts.friction + springs.friction,
            viscous: springs.viscous,
            plastic: springs.plastic,
            broken: springs.broken,
            work_of_walls: contacts.walls,
            work_of_joints: contacts.joints,
            work_of_scheme: springs.before - self.elastic_energy,
            ..EnergyAccount::default()
        };
        let (mut potential, mut momentum) = (0.0, -contacts.outside);
        let mut size = contacts.impulses;
        for i in (0..bodies.len()).filter(|&i| bodies.is_dynamic(i)) {
            let mass = bodies.mass[i];
            let mean = 0.5 * (before.velocity[i] + bodies.velocity[i]);
            let forces = linear[i] - before.velocity[i] - gravity;
            let way = bodies.position[i] - before.position[i];
            let shift = (work.recovery.shift)
                .get(i)
                .map_or(DVec3::ZERO, |shift| *step * *shift);
            account.work_of_forces += mass * forces.dot(mean);
            account.work_of_recovery -= mass * world.gravity.dot(shift);
            account.work_of_scheme += mass * (gravity.dot(mean) - world.gravity.dot(way - shift));
            if self.notes_turning() {
                let (torques, turning) = self.turning_work(i);
                account.work_of_forces += torques;
                account.work_of_scheme += turning;
            }
            potential -= mass * world.gravity.dot(way);
            momentum += mass * (bodies.velocity[i] - linear[i]);
            size += mass * (bodies.velocity[i].abs() + linear[i].abs()).element_sum();
        }
        let kinetic = kinetic - before.kinetic_energy;
        let given = [
            account.work_of_forces,
            account.work_of_walls,
            account.work_of_joints,
            account.work_of_recovery,
            account.work_of_scheme,
            -account.dissipation,
        ];
        let changes = [kinetic, potential, account.elastic];
        account.remainder = kinetic + potential + account.elastic - given.iter().sum::<f64>();
        account.turned_over =
            changes.map(f64::abs).iter().sum::<f64>() + given.map(f64::abs).iter().sum::<f64>();
        let momentum_error = if size > 0.0 {
            momentum.length() / size
        } else {
            0.0
        };
        (account, momentum_error)
    }
}
