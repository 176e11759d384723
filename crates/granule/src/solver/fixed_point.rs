//! Exact friction by a fixed point around the convex problem.
//!
//! ```text
//! repeat:  λ solves the convex problem with bias b + s n
//!          s ← μ |w_T|  with  w = W λ + b                        [bloch2023, §2.2.4, eq. (40)]
//! ```
//!
//! At a fixed point w + s n is de Saxcé's corrected velocity, so λ solves the exact problem: a contact
//! that slides no longer opens. The start is s of the given impulses, or zero if they are zero (the
//! paper always starts from zero).
//!
//! A skewed flow that is alike in all directions across the normal is the same with `s ← (μ - tan ψ) |w_T|`.
//!
//! *Ours*: solves are inexact, to a tenth of the error of the exact problem so far, and each starts
//! from the last impulses. The judge is the certificate of the *exact* problem; the paper's own test
//! (the change of s) is used on request only. A fixed point that no longer gets better says so.

use super::{Ask, ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Status, Stop};
use crate::certify::{CertifyWorkspace, Limits, certify_with};
use crate::law::{AdmissibleSet, Flow};
use crate::problem::{Block, ContactProblem, DelassusScratch, ProblemKind, by_rows};

/// The error of a convex solve as a share of that of the exact problem before it.
const INNER_SHARE: f64 = 0.1;
/// Convex problems without a gain of a tenth in the error before the fixed point is given up.
const PATIENCE: usize = 20;

/// A solver of convex problems, with the fixed point around it.
pub(super) struct FixedPoint {
    config: SolverConfig,
    inner: Box<dyn ContactSolver>,
    certifier: CertifyWorkspace,
    scratch: DelassusScratch,
    /// w = W λ + b, m/s.
    velocity: Vec<f64>,
    /// s of each contact, m/s.
    slip: Vec<f64>,
    next_slip: Vec<f64>,
}

impl FixedPoint {
    pub(super) fn new(config: SolverConfig, inner: Box<dyn ContactSolver>) -> Self {
        Self {
            config,
            inner,
            certifier: CertifyWorkspace::default(),
            scratch: DelassusScratch::default(),
            velocity: Vec::new(),
            slip: Vec::new(),
            next_slip: Vec::new(),
        }
    }

    /// Whether the method itself solves a problem whose flow is skewed.
    fn is_direct(&self, kind: &ProblemKind) -> bool {
        kind.flow == Flow::Skewed && self.inner.supports(kind).is_ok()
    }

    /// s of the velocities that impulses leave, into `next_slip`.
    fn measure_slip(&mut self, problem: &ContactProblem, impulses: &[f64]) {
        problem.velocities(impulses, &mut self.scratch, &mut self.velocity);
        let rows = problem.rows();
        let velocity = &self.velocity;
        self.next_slip.clear();
        self.next_slip.extend((0..problem.contact_count()).map(|k| {
            let w = &velocity[k * rows..][..rows];
            let (set, normal) = (problem.set(k), problem.delassus.normal(k));
            let dilation = by_rows!(rows, <ROWS, B> B::load(w).dilation(set, normal));
            problem.dilating(k) * dilation
        }));
    }

    /// The bias of the convex problem: b + s n.
    fn shift_bias(&self, problem: &ContactProblem, convex: &mut ContactProblem) {
        let rows = problem.rows();
        convex.bias.clone_from(&problem.bias);
        let bias = convex.bias.chunks_exact_mut(rows);
        for (k, (b, s)) in bias.zip(&self.slip).enumerate() {
            let normal = problem.delassus.normal(k).to_array();
            for (b, n) in b.iter_mut().zip(&normal) {
                *b += s * n;
            }
        }
    }

    /// The paper's test: the change of the slip velocities, which it takes without μ.
    fn slip_change(&self, problem: &ContactProblem) -> f64 {
        let (mut change, mut size) = (0.0, 0.0);
        for (k, (next, last)) in self.next_slip.iter().zip(&self.slip).enumerate() {
            let weight = match problem.set(k) {
                AdmissibleSet::Cone { friction } | AdmissibleSet::RollingCone { friction, .. }
                    if friction > 0.0 =>
                {
                    1.0 / friction
                }
                AdmissibleSet::Free
                | AdmissibleSet::HalfLine
                | AdmissibleSet::Segment { .. }
                | AdmissibleSet::Cone { .. }
                | AdmissibleSet::RollingCone { .. }
                | AdmissibleSet::Yield { .. } => 1.0,
            };
            change += ((next - last) * weight).powi(2);
            size += (next * weight).powi(2);
        }
        change.sqrt() / (size.sqrt() + 1.0)
    }
}

impl ContactSolver for FixedPoint {
    fn method(&self) -> Method {
        self.inner.method()
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        self.method().only_defined(kind)?;
        if self.is_direct(kind) {
            return Ok(());
        }
        self.method().only_isotropic(kind)?;
        self.inner.supports(&ProblemKind {
            flow: Flow::Associated,
            ..*kind
        })
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        let skewed = problem.flow == Flow::Skewed;
        if problem.flow == Flow::Associated
            || problem.rows() == 1
            || (skewed && self.is_direct(&problem.kind()))
        {
            return self.inner.solve(problem, impulses, ask);
        }
        let tolerance = ask.limits.scaled;
        // The test of the paper is one of exact friction.
        let stop = if skewed {
            Stop::Certificate
        } else {
            self.config.stop
        };
        let mut convex = problem.clone();
        convex.flow = Flow::Associated;
        convex.skew.clear();
        if impulses.iter().any(|x| *x != 0.0) {
            self.measure_slip(problem, impulses);
            std::mem::swap(&mut self.slip, &mut self.next_slip);
        } else {
            self.slip.clear();
            self.slip.resize(problem.contact_count(), 0.0);
        }
        let mut best = (f64::INFINITY, 0);
        let mut report = SolveReport {
            applications: 1,
            ..SolveReport::begun(self.inner.method())
        };
        let mut error = 1.0;
        loop {
            let inner_tolerance = match stop {
                Stop::Paper => tolerance,
                Stop::Certificate => (INNER_SHARE * error).min(1e-2).max(0.3 * tolerance),
            };
            self.shift_bias(problem, &mut convex);
            let inner = Ask {
                limits: Limits {
                    scaled: inner_tolerance,
                    ..ask.limits
                },
                ..ask.at_most(ask.iterations - report.iterations)
            };
            report.go_on(self.inner.solve(&convex, impulses, &inner));
            self.measure_slip(problem, impulses);
            report.certificate = certify_with(problem, impulses, &mut self.certifier);
            report.applications += 2;
            error = report.certificate.scaled;
            if error < 0.9 * best.0 {
                best = (error, report.convex_solves);
            }
            let done = match stop {
                Stop::Certificate => report.certificate.meets(&ask.limits),
                Stop::Paper => self.slip_change(problem) < self.config.fixed_point_tolerance,
            };
            report.status = match report.status {
                _ if done => Status::Converged,
                Status::NumericalFailure | Status::Infeasible | Status::Interrupted => {
                    report.status
                }
                _ if report.iterations >= ask.iterations => Status::MaxIterations,
                _ if report.convex_solves >= best.1 + PATIENCE => Status::Stalled,
                Status::Converged | Status::MaxIterations | Status::Stalled => {
                    std::mem::swap(&mut self.slip, &mut self.next_slip);
                    report.convex_solves += 1;
                    continue;
                }
            };
            // The contradiction is one of the slip that was given.
            if let Some(found) = &mut report.contradiction {
                found.slip.clone_from(&self.slip);
            }
            return report;
        }
    }
}
