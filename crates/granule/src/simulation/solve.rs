//! The stages of the solve: start, impulses, escalation, recovery of positions.

use super::step::{Solved, Workspace};
use super::{Simulation, StepError};
use crate::collision::Partner;
use crate::law::Flow;
use crate::math::{DVec3, Screw};
use crate::problem::Delassus;
use crate::scheme::{Extent, Level, assemble_recovery, normal_velocities};
use crate::solver::{
    ContactSolver, ExactBy, Method, OnFailure, SolveReport, SolverConfig, Status, Stop, WarmStart,
    next_stronger, solver,
};

/// The relative error to which overlaps are taken out of the positions; the rest is taken out in the
/// next step.
const RECOVERY_TOLERANCE: f64 = 1e-2;

/// The share of an overlap that one step takes out where velocities are constrained.
const RECOVERED_SHARE: f64 = 0.2;

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
    /// one.
    pub(super) fn warm_start(&mut self, step: f64) {
        let work = &mut self.work;
        work.impulses.clear();
        work.impulses.resize(work.problem.len(), 0.0);
        if self.settings.solver.warm_start == WarmStart::Zero || self.last_step == 0.0 {
            return;
        }
        let scale = step / self.last_step;
        let rows = work.problem.rows();
        let mut previous = self.previous.iter().peekable();
        let impulses = work.impulses.chunks_exact_mut(rows);
        for (contact, impulse) in work.contacts.iter().zip(impulses) {
            let key = contact.key();
            while previous.peek().is_some_and(|p| p.key() < key) {
                previous.next();
            }
            if let Some(same) = previous.peek().filter(|p| p.key() == key) {
                start_rows(scale * same.impulse, same.normal, contact.normal, impulse);
            }
        }
    }

    pub(super) fn solve(&mut self) -> SolveReport {
        self.solvers[0]
            .1
            .solve(&self.work.problem, &mut self.work.impulses)
    }

    pub(super) fn passes(&self, report: &SolveReport) -> bool {
        let config = &self.settings.solver;
        match config.stop {
            Stop::Certificate => report.certificate.meets(&config.limits()),
            Stop::Paper => report.status == Status::Converged,
        }
    }

    /// What the settings say to do when a solve did not reach the tolerance.
    pub(super) fn escalate(&mut self, first: SolveReport) -> Result<Solved, StepError> {
        let mut solved = Solved {
            report: first,
            iterations: first.iterations,
            applications: first.applications,
            convex_solves: first.convex_solves,
            escalations: 0,
            certified: self.passes(&first),
        };
        let config = self.settings.solver;
        match config.on_failure {
            _ if solved.certified => Ok(solved),
            OnFailure::Warn => Ok(solved),
            OnFailure::Stop => Err(StepError::NotConverged {
                step: self.world.steps + 1,
                time: self.world.time,
                method: config.method.name(),
                scaled: first.certificate.scaled,
                residual: first.certificate.residual,
                tolerance: config.tolerance,
                iterations: first.iterations,
            }),
            OnFailure::Escalate => {
                let mut method = config.method;
                while let Some(stronger) = next_stronger(method) {
                    method = stronger;
                    // A fixed point around an interior point costs more than the one below.
                    let problem = &self.work.problem;
                    if method.needs_fixed_point() && problem.flow == Flow::Exact {
                        continue;
                    }
                    self.try_stronger(method, config.exact, &mut solved);
                    if solved.certified {
                        return Ok(solved);
                    }
                }
                // What the exact law in the projection does not find, the fixed point may.
                let problem = &self.work.problem;
                if problem.flow == Flow::Exact && config.exact == ExactBy::Projection {
                    self.try_stronger(Method::default(), ExactBy::FixedPoint, &mut solved);
                }
                Ok(solved)
            }
        }
    }

    pub(super) fn try_stronger(&mut self, method: Method, exact: ExactBy, solved: &mut Solved) {
        let same = |(by, solver): &(ExactBy, Box<dyn ContactSolver>)| {
            *by == exact && solver.method() == method
        };
        let place = match self.solvers.iter().position(same) {
            Some(place) => place,
            None => {
                // A step chosen for another method says nothing about this one.
                let config = SolverConfig {
                    method,
                    exact,
                    step: None,
                    stop: Stop::Certificate,
                    ..self.settings.solver
                };
                self.solvers.push((exact, solver(&config)));
                self.solvers.len() - 1
            }
        };
        let (work, solver) = (&mut self.work, &mut self.solvers[place].1);
        if solver.supports(&work.problem.kind()).is_err() {
            return;
        }
        work.start.clone_from(&work.impulses);
        let report = solver.solve(&work.problem, &mut work.impulses);
        solved.escalations += 1;
        solved.iterations += report.iterations;
        solved.applications += report.applications;
        solved.convex_solves += report.convex_solves;
        if report.certificate.scaled < solved.report.certificate.scaled {
            solved.certified = self.passes(&report);
            solved.report = report;
        } else {
            self.work.impulses.clone_from(&self.work.start);
        }
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

    /// The deepest of these gaps that must be recovered, as a depth (m); zero if there is none.
    fn deepest(&self, gaps: impl Iterator<Item = f64>) -> f64 {
        let allowed = self.tolerated_depth();
        gaps.filter(|gap| self.scheme.recovers(*gap, allowed))
            .fold(0.0, |depth, gap| depth.max(-gap))
    }

    /// Takes overlaps deeper than is tolerated out of the positions; gives the deepest, m. Where
    /// velocities are constrained the certificate is told the penetration at the end of the step.
    pub(super) fn recover(&mut self, solved: &mut Solved) -> f64 {
        self.work.shift.clear();
        let level = self.scheme.level();
        let mut deepest = self.deepest(self.work.contacts.iter().map(|c| c.gap));
        if level == Level::Position && deepest == 0.0 {
            return 0.0;
        }
        self.relative_velocities();
        solved.applications += 1;
        if level == Level::Velocity && deepest > 0.0 {
            deepest = self.deepest(self.gaps_after(self.work.prediction.step));
        }
        if deepest > 0.0 {
            self.shift_apart(solved);
        }
        if level == Level::Velocity {
            solved.report.certificate.max_penetration = self.end_penetration();
        }
        deepest
    }

    /// The gaps (m) of the contacts after so many seconds from where they were looked for, with the
    /// velocities after the solve.
    fn gaps_after(&self, duration: f64) -> impl Iterator<Item = f64> {
        let work = &self.work;
        let velocities = normal_velocities(&work.problem, &work.contacts, &work.relative);
        let gaps = work.contacts.iter().map(|c| c.gap);
        gaps.zip(velocities).map(move |(gap, v)| gap + duration * v)
    }

    /// The deepest penetration (m) of the contacts at the end of the step.
    fn end_penetration(&self) -> f64 {
        let work = &self.work;
        let shift = |body: u32| work.shift.get(body as usize).copied().unwrap_or_default();
        let ends = self.gaps_after(work.prediction.rest);
        work.contacts
            .iter()
            .zip(ends)
            .fold(0.0, |deepest, (c, gap)| {
                let apart = match c.partner {
                    Partner::Body(b) => shift(c.a) - shift(b),
                    Partner::Patch(_) => shift(c.a),
                };
                deepest.max(-(gap + work.prediction.step * c.normal.dot(apart)))
            })
    }

    /// Finds the shift that takes the overlaps out of the positions.
    fn shift_apart(&mut self, solved: &mut Solved) {
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
        let config = SolverConfig {
            tolerance: RECOVERY_TOLERANCE,
            max_residual: None,
            max_relative: None,
            step: None,
            stop: Stop::Certificate,
            ..self.settings.solver
        };
        let recovery = self.recovery_solver.get_or_insert_with(|| solver(&config));
        let report = recovery.solve(&work.recovery, &mut work.recovery_impulses);
        solved.iterations += report.iterations;
        solved.applications += report.applications;
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
    }
}
