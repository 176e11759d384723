//! Whether a step may go on with the impulses that were found.

use super::solvers::Verdict;
use super::{Demand, Infeasible, Simulation, StepError};
use crate::collision::Contact;
use crate::scheme::JointRows;
use crate::solver::OnFailure;

impl Simulation {
    /// Whether the settings let the step go on after a verdict on the problem of these contacts. A
    /// contradiction between contacts ends it unless they are told to give way; one between overlaps,
    /// whose recovery gives no velocities, only if failures are to end it. Gives what could not be
    /// satisfied where the step goes on all the same.
    pub(super) fn accept(
        &self,
        demand: Demand,
        (contacts, joints): (&[Contact], &JointRows),
        rows: usize,
        verdict: &Verdict,
    ) -> Result<Option<Infeasible>, StepError> {
        if verdict.interrupted {
            return Err(StepError::Interrupted {
                step: self.world.steps + 1,
                time: self.world.time,
            });
        }
        let config = &self.settings.solver;
        if let Some(proof) = &verdict.contradiction {
            let infeasible = self.infeasible(demand, (contacts, joints), rows, proof);
            let ends = match config.on_failure {
                OnFailure::Stop => true,
                OnFailure::Escalate => demand == Demand::Contacts,
                OnFailure::Warn => false,
            };
            return if ends {
                Err(StepError::Infeasible(infeasible))
            } else {
                Ok(Some(infeasible))
            };
        }
        if verdict.certified || config.on_failure != OnFailure::Stop {
            return Ok(None);
        }
        Err(StepError::NotConverged {
            step: self.world.steps + 1,
            time: self.world.time,
            method: config.method().name(),
            certificate: Box::new(verdict.certificate),
            limits: config.limits(),
            iterations: verdict.effort.iterations,
        })
    }
}
