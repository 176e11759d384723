//! The stage after the solve: everything moves, and contacts are remembered.

use super::detect::surroundings;
use super::step::Workspace;
use super::{Simulation, StepProblem, StepSize};
use crate::collision::LawMemory;
use crate::math::Screw;
use crate::scheme::{Outcome, Surroundings, advance};

/// What the law of contact `k` remembers of a step with the relative velocities w (m/s).
fn law_after(
    first: &StepProblem,
    k: usize,
    relative: &[f64],
    surroundings: &Surroundings,
) -> LawMemory {
    let Some(spring) = first.springs.get(k).filter(|spring| spring.remembers) else {
        return LawMemory::default();
    };
    let (rows, contact) = (first.problem.rows(), &first.contacts[k]);
    let of_rows = |list: &[f64]| Screw::from_rows(&list[k * rows..][..rows], contact.normal);
    let (impulse, velocity) = (of_rows(&first.impulses), of_rows(relative));
    let interface = surroundings.interface(contact);
    let spin = || surroundings.common_spin(contact, &first.prediction, &first.angular);
    let step = (first.prediction.step, contact.normal);
    match &spring.bond {
        None => spring.after(
            impulse,
            velocity.linear,
            step,
            interface.cohesion.range,
            spin,
        ),
        Some(bond) => {
            let flow = bond.flow(&first.problem, k, impulse, velocity, contact.normal);
            let goes_on = interface.remembers_unbonded();
            spring.bond_after(bond, impulse, (velocity, flow), step, spin(), goes_on)
        }
    }
}

impl Simulation {
    /// Keeps the contacts and their impulses for the next step's start. The only place where contact
    /// memory is written.
    pub(super) fn remember(&mut self) {
        if !self.work.first.springs.is_empty() {
            let work = &mut self.work;
            work.first
                .relative_velocities(&mut work.scratch, &mut work.relative);
        }
        let Workspace {
            first,
            neighbours,
            patches,
            places,
            relative,
            found_in,
            ..
        } = &mut self.work;
        let surroundings = surroundings(&self.world, patches, places);
        let mut laws = std::mem::take(&mut first.laws);
        let springs = 0..first.springs.len();
        laws.extend(springs.map(|k| law_after(first, k, relative, &surroundings)));
        first.laws = laws;
        neighbours.remember(*found_in, first.memories());
        if self.scheme.stops_at_end() {
            self.remember_end();
        }
    }

    /// Moves the bodies and the time.
    pub(super) fn advance(&mut self, time: f64, step: f64) {
        let went = self.work.wall_allowance.max(self.carried_way_after());
        let work = &mut self.work;
        let outcome = Outcome {
            linear: &work.first.linear,
            angular: &work.first.angular,
            shift: work.recovery.velocities(),
        };
        let bodies = &mut self.world.bodies;
        advance(bodies, &work.first.prediction, &outcome);
        if self.scheme.stops_at_end() {
            bodies.velocity.copy_from_slice(&work.end.linear);
            bodies.angular_velocity.copy_from_slice(&work.end.angular);
        }
        work.neighbours.walls_went(went);
        self.advance_cell();
        // Multiples of the step, so that rounding does not add up.
        let multiple =
            self.settings.step == StepSize::Fixed(step) && time == step * self.world.steps as f64;
        self.world.steps += 1;
        self.world.time = if multiple {
            step * self.world.steps as f64
        } else {
            time + step
        };
    }
}
