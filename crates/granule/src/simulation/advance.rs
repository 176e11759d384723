//! The stage after the solve: everything moves, and contacts are remembered.

use super::{Simulation, StepSize};
use crate::scheme::{Outcome, advance};

impl Simulation {
    /// Keeps the contacts and their impulses for the next step's start. The only place where contact
    /// memory is written.
    pub(super) fn remember(&mut self) {
        let (first, builds) = (&self.work.first, self.work.found_in);
        self.work.neighbours.remember(builds, first.memories());
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
