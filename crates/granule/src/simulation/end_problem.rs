//! The second problem of a step, on the velocities at its end: see [`crate::scheme::Rattle`].

use super::detect::{Poses, geometry, place_walls, surroundings};
use super::solvers::Verdict;
use super::step::Workspace;
use super::{Demand, Simulation, StepError};
use crate::collision::Contact;
use crate::math::Screw;
use crate::problem::Scale;
use crate::scheme::{Gap, Offset, Outcome, assemble, closed_contacts, predict_end};

impl Simulation {
    /// Stops what is closed at the end of the step, after the `first` problem was solved.
    pub(super) fn stop_at_end(&mut self, first: &Verdict) -> Result<Verdict, StepError> {
        let work = &mut self.work;
        work.first
            .relative_velocities(&mut work.scratch, &mut work.relative);
        self.assemble_end(first);
        self.solve_end()
    }

    /// Makes the problem of the contacts that are closed at the end of the step.
    fn assemble_end(&mut self, verdict: &Verdict) {
        let (world, work) = (&self.world, &mut self.work);
        let Workspace { first, end, .. } = work;
        closed_contacts(
            &first.problem,
            &first.contacts,
            &work.relative,
            verdict.certificate.residual,
            &mut end.contacts,
        );
        // What gives, holds or is bonded is not stopped by an impact.
        (end.contacts).retain(|contact| {
            let interface = world.laws.interface(contact.interface);
            !contact.bonded && !interface.remembers_unbonded()
        });
        let outcome = Outcome {
            linear: &first.linear,
            angular: &first.angular,
            shift: work.recovery.velocities(),
        };
        predict_end(
            &world.bodies,
            &first.prediction,
            &outcome,
            &mut end.prediction,
        );
        place_walls(
            world,
            &work.places.carriers,
            &end.prediction,
            &mut work.patches,
        );
        let poses = Poses::predicted(&end.prediction);
        geometry(world, (&work.patches, &work.places), poses).again(&mut end.contacts);
        self.make_end_rows(self.work.first.problem.rows());
        let (world, work) = (&self.world, &mut self.work);
        let Workspace { first, end, .. } = work;
        assemble(
            &surroundings(world, &work.patches, &work.places),
            (&end.contacts, &end.joints),
            &end.prediction,
            Offset {
                of_gap: |_: &Gap| 0.0,
                remembered: |_: &Contact| None,
                slack: 0.0,
                slip_opens: false,
            },
            &mut end.springs,
            &mut end.problem,
        );
        let fastest = verdict.certificate.fastest;
        end.problem.scale = Scale::of(&first.problem, &first.impulses, fastest);
        if end.problem.rows() > 1 {
            end.problem.flow = self.scheme.end_flow(end.problem.flow);
        }
    }

    /// Solves it from zero, and finds the velocities at the end.
    fn solve_end(&mut self) -> Result<Verdict, StepError> {
        let give_way = self.gives_way();
        let end = &mut self.work.end;
        end.start_from_zero();
        let mut verdict = end.solve(&mut self.solvers, give_way);
        verdict.effort.applications += 1;
        let (end, rows) = (&self.work.end, self.work.end.problem.rows());
        let infeasible = self.accept(
            Demand::Contacts,
            (&end.contacts, &end.joints),
            rows,
            &verdict,
        )?;
        self.work.note_infeasible(infeasible);
        let work = &mut self.work;
        work.end
            .find_velocities(&work.recovery.shift, &mut work.scratch);
        let (number, time) = (self.world.steps + 1, self.world.time);
        work.end.check_finite(number, time, &self.world.bodies.id)?;
        Ok(verdict)
    }

    /// Adds the impulses of the second problem to those of the same contacts in the first.
    pub(super) fn remember_end(&mut self) {
        let end = &self.work.end;
        let rows = end.impulses.chunks_exact(end.problem.rows());
        for (contact, rows) in end.contacts.iter().zip(rows) {
            self.work.neighbours.amend(&contact.key, |memory| {
                memory.impulse = memory.impulse + Screw::from_rows(rows, contact.normal);
            });
        }
    }
}
