//! Overlaps that are taken out of the positions, and how deep those are that a step leaves.

use super::solvers::{Solvers, Verdict};
use super::{Demand, Simulation, StepError};
use crate::collision::Scope;
use crate::math::DVec3;
use crate::problem::Delassus;
use crate::scheme::{Extent, Level, assemble_recovery, normal_velocities};
use crate::solver::{OnFailure, SolverConfig, Stop};

/// The share of an overlap that one step takes out where velocities are constrained.
const RECOVERED_SHARE: f64 = 0.2;

/// What was done about overlaps.
pub(super) struct Recovered {
    /// The deepest overlap that had to be undone, m.
    pub(super) deepest: f64,
    /// The verdict on the problem that undoes them, if there were any.
    pub(super) verdict: Option<Verdict>,
}

impl Simulation {
    /// The deepest of these gaps that must be recovered, as a depth (m); zero if there is none.
    fn deepest(&self, gaps: impl Iterator<Item = f64>) -> f64 {
        let allowed = self.tolerated_depth();
        gaps.filter(|gap| self.scheme.recovers(*gap, allowed))
            .fold(0.0, |depth, gap| depth.max(-gap))
    }

    /// Takes overlaps deeper than is tolerated out of the positions.
    pub(super) fn recover(&mut self) -> Result<Recovered, StepError> {
        self.work.shift.clear();
        let mut deepest = self.deepest(self.work.contacts.iter().map(|c| c.gap));
        if deepest > 0.0 {
            self.relative_velocities();
            if self.scheme.level() == Level::Velocity {
                deepest = self.deepest(self.gaps_after(self.work.prediction.step));
            }
        }
        let verdict = if deepest > 0.0 {
            Some(self.shift_apart()?)
        } else {
            None
        };
        Ok(Recovered { deepest, verdict })
    }

    /// The gaps (m) of the contacts after so many seconds from where they were looked for, with the
    /// velocities after the solve.
    fn gaps_after(&self, duration: f64) -> impl Iterator<Item = f64> {
        let work = &self.work;
        let velocities = normal_velocities(&work.problem, &work.contacts, &work.relative);
        let gaps = work.contacts.iter().map(|c| c.gap);
        gaps.zip(velocities).map(move |(gap, v)| gap + duration * v)
    }

    /// Finds the shift that takes the overlaps out of the positions.
    fn shift_apart(&mut self) -> Result<Verdict, StepError> {
        let extent = match self.scheme.level() {
            Level::Position => Extent {
                left: 0.0,
                share: 1.0,
            },
            // Contacts must stay closed to take part, and bodies must not be thrown into others
            // that they do not touch yet.
            Level::Velocity => Extent {
                left: 0.5 * self.tolerated_depth(),
                share: RECOVERED_SHARE,
            },
        };
        let config = SolverConfig {
            max_residual: None,
            max_relative: None,
            step: None,
            stop: Stop::Certificate,
            ..self.settings.solver
        };
        let work = &mut self.work;
        assemble_recovery(
            &work.problem,
            &work.contacts,
            &work.relative,
            extent,
            &mut work.recovery,
        );
        work.recovery_impulses.clear();
        work.recovery_impulses.resize(work.recovery.len(), 0.0);
        // The shift moves no body for longer than the step, so that giving way is always safe.
        let give_way = config.on_failure != OnFailure::Stop;
        let mut verdict = self
            .recovery_solvers
            .get_or_insert_with(|| Solvers::new(config))
            .solve(&mut work.recovery, &mut work.recovery_impulses, give_way);
        verdict.effort.applications += 1;
        work.shift.resize(self.world.bodies.len(), DVec3::ZERO);
        if let Delassus::MatrixFree(operator) = &work.recovery.delassus {
            let shift = &mut work.shift;
            operator.velocities(
                &work.recovery_impulses,
                &mut work.scratch,
                |body, linear, _| {
                    shift[body] = linear;
                },
            );
        }
        let contacts = std::mem::take(&mut self.work.contacts);
        let accepted = self.accept(Demand::Overlaps, &contacts, 1, &verdict);
        self.work.contacts = contacts;
        accepted.map(|()| verdict)
    }

    /// The deepest overlap (m) at the positions that were reached, of all bodies with each other and
    /// with walls; zero if there is none.
    ///
    /// The neighbour list is asked for what the step asked of it (`wall_allowance`, m, for walls), so
    /// that one made here serves the next step.
    pub(super) fn reached_penetration(&mut self, wall_allowance: f64) -> f64 {
        let (world, work) = (&self.world, &mut self.work);
        let (bodies, dimension) = (&world.bodies, world.dimension);
        work.patches.place(&world.walls, world.time);
        work.neighbours.update(
            bodies,
            &bodies.position,
            dimension,
            &work.patches,
            &work.reach,
            wall_allowance,
        );
        let scope = Scope {
            bodies,
            positions: &bodies.position,
            patches: &work.patches,
            dimension,
            keys: &work.neighbours.keys,
        };
        scope.deepest_overlap(&mut work.partials)
    }
}
