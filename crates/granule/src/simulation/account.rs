//! What became of energy and momentum in a step.
//!
//! A body of mass m that goes from v⁰ to v in a step has been given `m (v - v⁰)` by gravity, by other
//! forces and by contacts, and its kinetic energy has changed by that times the mean velocity
//! `(v⁰ + v)/2`; with rotations likewise. So work is impulse times mean velocity, contact by contact:
//!
//! ```text
//! ΔE_kin + ΔE_pot = work of forces + work of walls + work of recovery + work of the scheme - dissipation
//! ```
//!
//! The work of the scheme is what is between gravity's work over the mean velocity and over the way
//! that was really gone. Over `maury`'s steps it adds up to `½ h m g·(v_start - v_end)`: it is that of
//! an energy whose potential part is taken half a step earlier, and does not grow with time. With
//! `moreau-jean` and θ = ½ it is zero.

use super::Simulation;
use super::detect::scenery;
use crate::collision::{Contact, Partner};
use crate::math::{DVec3, Screw};
use crate::measure;
use crate::problem::ContactProblem;
use crate::scheme::Prediction;
use serde::{Deserialize, Serialize};

/// What became of the energy in a step or in a run, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EnergyAccount {
    /// Work of forces other than gravity.
    pub work_of_forces: f64,
    /// Work of walls and bodies that move as prescribed.
    pub work_of_walls: f64,
    /// Potential energy given by taking overlaps out of the positions.
    pub work_of_recovery: f64,
    /// What the time-stepping scheme's own treatment of gravity adds.
    pub work_of_scheme: f64,
    /// What contacts take out of the motion: relative velocity, mean of before and after, times
    /// impulse.
    pub dissipation: f64,
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
        self.work_of_recovery += step.work_of_recovery;
        self.work_of_scheme += step.work_of_scheme;
        self.dissipation += step.dissipation;
        self.remainder += step.remainder;
        self.turned_over += step.turned_over;
    }
}

/// The state before a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Before {
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    kinetic_energy: f64,
}

/// What contacts did, over those of one problem.
#[derive(Default)]
struct ContactWork {
    dissipation: f64,
    walls: f64,
    /// The impulse that walls and prescribed bodies gave the others, N s.
    outside: DVec3,
    /// The sum of the sizes of all impulses, N s.
    impulses: f64,
}

/// One problem of the step.
pub(super) struct Part<'a> {
    pub(super) contacts: &'a [Contact],
    pub(super) problem: &'a ContactProblem,
    pub(super) impulses: &'a [f64],
    pub(super) prediction: &'a Prediction,
}

impl Simulation {
    /// Keeps what the account needs of the state before the step.
    pub(super) fn note_before(&mut self) {
        let (bodies, before) = (&self.world.bodies, &mut self.work.before);
        before.position.clone_from(&bodies.position);
        before.velocity.clone_from(&bodies.velocity);
        before.kinetic_energy = measure::kinetic_energy(bodies);
    }

    /// Velocity and angular velocity of a body over the step as contacts see it: the mean of before and
    /// after, or what is prescribed.
    fn mean_motion(&self, body: usize, prediction: &Prediction) -> [DVec3; 2] {
        let (bodies, work) = (&self.world.bodies, &self.work);
        if bodies.is_dynamic(body) {
            let linear = 0.5 * (work.before.velocity[body] + bodies.velocity[body]);
            // Free rotation, between before and ω_free, keeps the energy.
            let angular = 0.5 * (work.prediction.angular[body] + bodies.angular_velocity[body]);
            [linear, angular]
        } else {
            [prediction.linear[body], prediction.angular[body]]
        }
    }

    fn contact_work(&self, part: &Part) -> ContactWork {
        let bodies = &self.world.bodies;
        let scenery = scenery(&self.world, &self.work.patches);
        let mut sum = ContactWork::default();
        if part.contacts.is_empty() {
            return sum;
        }
        let rows = part.problem.rows();
        // Frictionless impulses go through the centres.
        let turns = if rows > 1 { 1.0 } else { 0.0 };
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
            // Velocity of the body's point at the contact, whose arm is -r n for a and r n for b, and spin.
            let point = |body: u32, side: f64| {
                let body = body as usize;
                let [v, w] = self.mean_motion(body, part.prediction);
                let arm = side * turns * bodies.radius[body];
                (v + arm * contact.normal.cross(w), w)
            };
            let work = |(v, w): (DVec3, DVec3)| linear.dot(v) + moment.dot(w);
            let a = work(point(contact.a, 1.0));
            let (b, b_moves) = match contact.partner {
                Partner::Body(b) => (work(point(b, -1.0)), bodies.is_dynamic(b as usize)),
                Partner::Patch(_) => (work(scenery.wall_motion(contact, part.prediction)), false),
            };
            sum.dissipation -= a - b;
            if !b_moves {
                sum.walls += b;
                sum.outside += linear;
            }
            if !bodies.is_dynamic(contact.a as usize) {
                sum.walls -= a;
                sum.outside -= linear;
            }
            sum.impulses += linear.length();
        }
        sum
    }

    /// What became of the energy in the step that has just been made, to a `kinetic` energy (J), and the
    /// momentum of all bodies that came from nowhere, over the sum of all impulses and momenta.
    pub(super) fn account(&self, kinetic: f64) -> (EnergyAccount, f64) {
        let (world, work) = (&self.world, &self.work);
        let (bodies, before) = (&world.bodies, &work.before);
        let Prediction { step, linear, .. } = &work.prediction;
        let mut contacts = self.contact_work(&Part {
            contacts: &work.contacts,
            problem: &work.problem,
            impulses: &work.impulses,
            prediction: &work.prediction,
        });
        if self.scheme.stops_at_end() {
            let second = self.contact_work(&work.second.part());
            contacts.dissipation += second.dissipation;
            contacts.walls += second.walls;
            contacts.outside += second.outside;
            contacts.impulses += second.impulses;
        }
        let (moves, _) = self.dynamics().free_axes();
        let gravity = *step * moves * world.gravity;
        let mut account = EnergyAccount {
            dissipation: contacts.dissipation,
            work_of_walls: contacts.walls,
            ..EnergyAccount::default()
        };
        let (mut potential, mut momentum) = (0.0, -contacts.outside);
        let mut size = contacts.impulses;
        for i in (0..bodies.len()).filter(|&i| bodies.is_dynamic(i)) {
            let mass = bodies.mass[i];
            let mean = 0.5 * (before.velocity[i] + bodies.velocity[i]);
            let forces = linear[i] - before.velocity[i] - gravity;
            let way = bodies.position[i] - before.position[i];
            let shift = work
                .shift
                .get(i)
                .map_or(DVec3::ZERO, |shift| *step * *shift);
            account.work_of_forces += mass * forces.dot(mean);
            account.work_of_recovery -= mass * world.gravity.dot(shift);
            account.work_of_scheme += mass * (gravity.dot(mean) - world.gravity.dot(way - shift));
            potential -= mass * world.gravity.dot(way);
            momentum += mass * (bodies.velocity[i] - linear[i]);
            size += mass * (bodies.velocity[i].abs() + linear[i].abs()).element_sum();
        }
        let kinetic = kinetic - before.kinetic_energy;
        let given = [
            account.work_of_forces,
            account.work_of_walls,
            account.work_of_recovery,
            account.work_of_scheme,
            -account.dissipation,
        ];
        account.remainder = kinetic + potential - given.iter().sum::<f64>();
        account.turned_over =
            kinetic.abs() + potential.abs() + given.map(f64::abs).iter().sum::<f64>();
        let momentum_error = if size > 0.0 {
            momentum.length() / size
        } else {
            0.0
        };
        (account, momentum_error)
    }
}
