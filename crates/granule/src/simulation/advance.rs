//! The stages after the solve: velocities and positions.

use super::{ContactImpulse, Simulation, StepError, StepSize};
use crate::math::{DVec3, Screw};
use crate::problem::Delassus;
use crate::scheme::{Outcome, advance};

impl Simulation {
    /// v = v_free + M⁻¹ D λ and the displacements of the step.
    pub(super) fn velocities(&mut self) {
        let work = &mut self.work;
        work.linear.clone_from(&work.prediction.linear);
        work.angular.clone_from(&work.prediction.angular);
        if let Delassus::MatrixFree(operator) = &work.problem.delassus {
            let (linear, angular) = (&mut work.linear, &mut work.angular);
            operator.velocities(&work.impulses, &mut work.scratch, |body, dv, dw| {
                linear[body] += dv;
                angular[body] += dw;
            });
        }
        let step = work.prediction.step;
        work.displacement.clear();
        work.displacement
            .extend(work.linear.iter().map(|v| step * *v));
        for (d, shift) in work.displacement.iter_mut().zip(&work.shift) {
            *d += step * *shift;
        }
    }

    /// Velocities whose squares overflow would make poses and energies that are no numbers.
    pub(super) fn check_finite(&self) -> Result<(), StepError> {
        let finite = |v: &DVec3| v.length_squared().is_finite();
        let all = self
            .work
            .linear
            .iter()
            .zip(&self.work.angular)
            .zip(&self.work.displacement);
        match all
            .enumerate()
            .find(|(_, ((v, w), d))| !(finite(v) && finite(w) && finite(d)))
        {
            None => Ok(()),
            Some((place, _)) => Err(StepError::NotFinite {
                step: self.world.steps + 1,
                time: self.world.time,
                id: self.world.bodies.id[place],
                quantity: "velocity",
            }),
        }
    }

    /// Keeps the contacts and their impulses: for the next step's start, or if the step is to be
    /// `repeated` for that.
    pub(super) fn remember(&mut self, repeated: bool) {
        let work = &mut self.work;
        let kept = if repeated {
            &mut work.repeat
        } else {
            &mut self.previous
        };
        kept.clear();
        if work.contacts.is_empty() {
            return;
        }
        let rows = work.problem.rows();
        let (position, radius) = (&work.prediction.position, &self.world.bodies.radius);
        kept.extend(
            work.contacts
                .iter()
                .zip(work.impulses.chunks_exact(rows))
                .map(|(c, rows)| ContactImpulse {
                    a: c.a,
                    partner: c.partner,
                    point: c.point(position[c.a as usize], radius[c.a as usize]),
                    normal: c.normal,
                    gap: c.gap,
                    impulse: Screw::from_rows(rows, c.normal),
                }),
        );
    }

    /// Moves the bodies and the time; `went` is how far walls may have gone, m.
    pub(super) fn advance(&mut self, time: f64, step: f64, went: f64) {
        let work = &mut self.work;
        let outcome = Outcome {
            linear: &work.linear,
            angular: &work.angular,
            shift: (!work.shift.is_empty()).then_some(&work.shift[..]),
        };
        let bodies = &mut self.world.bodies;
        advance(bodies, &work.prediction, &outcome);
        if self.scheme.stops_at_end() {
            bodies.velocity.copy_from_slice(&work.second.linear);
            let angular = &work.second.angular;
            bodies.angular_velocity.copy_from_slice(angular);
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
