//! Overlaps that are taken out of the positions, and how deep those are that a step leaves.

use super::detect::{Poses, geometry, surroundings};
use super::solvers::{Solvers, Verdict};
use super::step::Workspace;
use super::{Demand, Simulation, StepError};
use crate::math::DVec3;
use crate::problem::ContactProblem;
use crate::scheme::{Gap, Level, RecoveryExtent, Velocities, assemble_recovery, normal_velocities};
use crate::solver::{OnFailure, SolverConfig, Stop};

/// The share of an overlap that one step takes out where velocities are constrained.
const RECOVERED_SHARE: f64 = 0.2;

/// The problem that undoes overlaps, and what came out of it.
#[derive(Default)]
pub(super) struct RecoveryWork {
    problem: ContactProblem,
    impulses: Vec<f64>,
    /// Velocities that only move bodies, m/s and rad/s; empty where there is nothing to undo.
    pub(super) shift: Vec<DVec3>,
    pub(super) turn: Vec<DVec3>,
    /// The same of the lengths of a periodic cell under a stress, m/s.
    pub(super) faces: DVec3,
}

impl RecoveryWork {
    /// The velocities that only move bodies, if there are any.
    pub(super) fn velocities(&self) -> Option<Velocities<'_>> {
        (!self.shift.is_empty()).then_some((&self.shift[..], &self.turn[..]))
    }
}

/// What was done about overlaps.
pub(super) struct Recovered {
    /// The deepest overlap that had to be undone, m.
    pub(super) deepest: f64,
    /// The verdict on the problem that undoes them, if there were any.
    pub(super) verdict: Option<Verdict>,
}

impl Simulation {
    /// The deepest of these gaps (m) of the contacts that must be recovered, as a depth (m); zero if
    /// there is none.
    fn deepest(&self, gaps: impl Iterator<Item = f64>) -> f64 {
        let allowed = self.tolerated_depth();
        let laws = &self.world.laws;
        let contacts = self.work.first.contacts.iter().zip(gaps);
        contacts.fold(0.0, |depth, (contact, distance)| {
            if distance >= 0.0 || contact.bonded {
                return depth;
            }
            let gap = Gap {
                distance,
                slack: 0.0,
                interface: laws.interface(contact.interface),
            };
            if gap.interface.overlaps() {
                return depth;
            }
            if self.scheme.recovers(&gap, allowed) {
                f64::max(depth, -distance)
            } else {
                depth
            }
        })
    }

    /// Takes overlaps deeper than is tolerated out of the positions.
    pub(super) fn recover(&mut self) -> Result<Recovered, StepError> {
        self.work.recovery.shift.clear();
        self.work.recovery.turn.clear();
        self.work.recovery.faces = DVec3::ZERO;
        let mut deepest = self.deepest(self.work.first.contacts.iter().map(|c| c.gap));
        if deepest > 0.0 {
            let work = &mut self.work;
            work.first
                .relative_velocities(&mut work.scratch, &mut work.relative);
            if self.scheme.level() == Level::Velocity {
                deepest = self.deepest(self.gaps_at_end());
            }
        }
        let verdict = if deepest > 0.0 {
            Some(self.shift_apart()?)
        } else {
            None
        };
        Ok(Recovered { deepest, verdict })
    }

    /// The gaps (m) of the contacts at the end of the step, with the velocities after the solve.
    fn gaps_at_end(&self) -> impl Iterator<Item = f64> {
        let (first, relative) = (&self.work.first, &self.work.relative);
        let step = first.prediction.step;
        let velocities = normal_velocities(&first.problem, &first.contacts, relative);
        let gaps = first.contacts.iter().map(|c| c.gap);
        gaps.zip(velocities).map(move |(gap, v)| gap + step * v)
    }

    /// Finds the shift that takes the overlaps out of the positions.
    fn shift_apart(&mut self) -> Result<Verdict, StepError> {
        let extent = match self.scheme.level() {
            Level::Position => RecoveryExtent {
                left: 0.0,
                share: 1.0,
            },
            // Contacts must stay closed to take part, and bodies must not be thrown into others
            // that they do not touch yet.
            Level::Velocity => RecoveryExtent {
                left: 0.5 * self.tolerated_depth(),
                share: RECOVERED_SHARE,
            },
        };
        let config = SolverConfig {
            max_residual: None,
            max_relative: None,
            own: self.settings.solver.own.without_step(),
            stop: Stop::Certificate,
            ..self.settings.solver
        };
        let Workspace {
            first,
            relative,
            patches,
            places,
            scratch,
            recovery:
                RecoveryWork {
                    problem,
                    impulses,
                    shift,
                    turn,
                    faces,
                },
            ..
        } = &mut self.work;
        assemble_recovery(
            &surroundings(&self.world, patches, places),
            &first.problem,
            (&first.contacts, &first.joints),
            &first.prediction,
            relative,
            extent,
            problem,
        );
        impulses.clear();
        impulses.resize(problem.len(), 0.0);
        // The shift moves no body for longer than the step, so that giving way is always safe.
        let give_way = config.on_failure != OnFailure::Stop;
        let mut verdict = self
            .recovery_solvers
            .get_or_insert_with(|| Solvers::new(config, self.watch.clone()))
            .solve(problem, impulses, give_way);
        verdict.effort.applications += 1;
        for list in [&mut *shift, &mut *turn] {
            list.clear();
            list.resize(self.world.bodies.len(), DVec3::ZERO);
        }
        (problem.delassus).body_velocities(impulses, scratch, |body, linear, angular| {
            if body < shift.len() {
                shift[body] = linear;
                turn[body] = angular;
            } else {
                *faces = linear;
            }
        });
        let first = &self.work.first;
        let infeasible = self.accept(
            Demand::Overlaps,
            (&first.contacts, &first.joints),
            1,
            &verdict,
        )?;
        self.work.note_infeasible(infeasible);
        Ok(verdict)
    }

    /// The deepest overlap (m) of contacts that give, where contacts were looked for; zero if there is none.
    pub(super) fn given_overlap(&self) -> f64 {
        let laws = &self.world.laws;
        let soft = self.work.first.contacts.iter();
        let soft = soft.filter(|c| !c.bonded && laws.interface(c.interface).overlaps());
        soft.fold(0.0, |deepest, contact| deepest.max(-contact.gap))
    }

    /// The deepest overlap (m) at the positions that were reached, of all bodies with each other and
    /// with walls, where contacts are rigid; zero if there is none.
    ///
    /// The neighbour list is asked for what the step asked of it, so that one made here serves the next
    /// step.
    pub(super) fn reached_penetration(&mut self) -> f64 {
        let (world, work) = (&self.world, &mut self.work);
        work.place_walls_now(world);
        let poses = Poses::now(world);
        work.update_neighbours(world, poses);
        let geometry = geometry(world, (&work.patches, &work.places), poses);
        let rigid = |interface: u16| !world.laws.interface(interface).overlaps();
        work.neighbours
            .deepest_overlap(&geometry, rigid, &mut work.detection)
    }
}
