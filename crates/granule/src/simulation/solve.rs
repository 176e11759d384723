//! The stages of the solve: the start, the impulses, and whether the step may go on with them.

use super::solvers::Verdict;
use super::step::Workspace;
use super::{ContactImpulse, Demand, Infeasible, Simulation, StepError};
use crate::collision::Contact;
use crate::math::{DVec3, Screw};
use crate::solver::{OnFailure, WarmStart};

/// An impulse of the last step as the start of this one: turned with the normal, in the rows of the
/// contact.
fn start_rows(impulse: Screw, old: DVec3, new: DVec3, rows: &mut [f64]) {
    let along = impulse.linear.dot(old);
    if let [row] = rows {
        *row = along;
        return;
    }
    // The normal part follows the normal; what is left across it stays tangential.
    let across = impulse.linear - along * old;
    let linear = along * new + (across - across.dot(new) * new);
    let count = rows.len().min(3);
    rows[..count].copy_from_slice(&linear.to_array()[..count]);
    if rows.len() == 6 {
        impulse.angular.write_to_slice(&mut rows[3..]);
    }
}

impl Simulation {
    /// The impulses that the same contacts carried in the last step, scaled to the length of this
    /// one; where the step is `repeated`, those of the last time.
    pub(super) fn warm_start(&mut self, step: f64, repeated: bool) {
        let work = &mut self.work;
        work.impulses.clear();
        work.impulses.resize(work.problem.len(), 0.0);
        let none = self.last_step == 0.0 && !repeated;
        if self.settings.solver.warm_start == WarmStart::Zero || none {
            return;
        }
        let (known, scale): (&[ContactImpulse], f64) = if repeated {
            (&work.repeat, 1.0)
        } else {
            (&self.previous, step / self.last_step)
        };
        let rows = work.problem.rows();
        let mut known = known.iter().peekable();
        let impulses = work.impulses.chunks_exact_mut(rows);
        for (contact, impulse) in work.contacts.iter().zip(impulses) {
            let key = contact.key();
            while known.peek().is_some_and(|p| p.key() < key) {
                known.next();
            }
            if let Some(same) = known.peek().filter(|p| p.key() == key) {
                start_rows(scale * same.impulse, same.normal, contact.normal, impulse);
            }
        }
    }

    /// Finds and judges the impulses of the problem at hand.
    pub(super) fn solve(&mut self) -> Verdict {
        let give_way = self.settings.solver.on_failure == OnFailure::Warn;
        let Workspace {
            problem, impulses, ..
        } = &mut self.work;
        self.solvers.solve(problem, impulses, give_way)
    }

    /// Whether the settings let the step go on after a verdict on the problem of these contacts. A
    /// contradiction between contacts ends it unless they are told to give way; one between overlaps,
    /// whose recovery gives no velocities, only if failures are to end it.
    pub(super) fn accept(
        &mut self,
        demand: Demand,
        contacts: &[Contact],
        rows: usize,
        verdict: &Verdict,
    ) -> Result<(), StepError> {
        let config = &self.settings.solver;
        if let Some(proof) = &verdict.contradiction {
            let infeasible: Infeasible = self.infeasible(demand, contacts, rows, proof);
            let ends = match config.on_failure {
                OnFailure::Stop => true,
                OnFailure::Escalate => demand == Demand::Contacts,
                OnFailure::Warn => false,
            };
            if ends {
                return Err(StepError::Infeasible(infeasible));
            }
            self.work.infeasible.get_or_insert(infeasible);
            return Ok(());
        }
        if verdict.certified || config.on_failure != OnFailure::Stop {
            return Ok(());
        }
        Err(StepError::NotConverged {
            step: self.world.steps + 1,
            time: self.world.time,
            method: config.method.name(),
            certificate: Box::new(verdict.certificate),
            limits: config.limits(),
            iterations: verdict.effort.iterations,
        })
    }

    /// [`Simulation::accept`] for the problem at hand.
    pub(super) fn accept_contacts(&mut self, verdict: &Verdict) -> Result<(), StepError> {
        let contacts = std::mem::take(&mut self.work.contacts);
        let rows = self.work.problem.rows();
        let accepted = self.accept(Demand::Contacts, &contacts, rows, verdict);
        self.work.contacts = contacts;
        accepted
    }

    /// w = W λ + b of the contacts after the solve.
    pub(super) fn relative_velocities(&mut self) {
        let Workspace {
            problem,
            impulses,
            scratch,
            relative,
            ..
        } = &mut self.work;
        relative.clear();
        relative.resize(problem.len(), 0.0);
        problem.delassus.apply(impulses, scratch, relative);
        relative
            .iter_mut()
            .zip(&problem.bias)
            .for_each(|(w, b)| *w += b);
    }
}
