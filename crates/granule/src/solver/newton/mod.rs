//! A semi-smooth Newton method for contacts with exact friction [alart1991, §3], made global by sweeps.
//!
//! The equations of a contact are `F_k = λ_k - A_k(λ_k - ρ_k w_k) = 0` with `w = W λ + b` ([`contact`]).
//! They are piecewise smooth, and Newton's method solves for a step with the derivative P_k of A_k where it
//! is:
//!
//! ```text
//! (1 - P_k) Δ_k + P_k (ρ_k (W Δ)_k + α Δ_k) = -F_k
//! ```
//!
//! by an LU factor ([`linear`]); contacts with P_k = 0 (open ones) have Δ_k = -λ_k and stay out of it, but for a
//! few that were in it at the last step: the pattern that stays the same need not be analysed again.
//!
//! **Proximal steps.** With redundant contacts W is singular, and so may be the matrix. In the equations
//! `ρ_k w_k + α (λ_k - c_k)` therefore stands for ρ_k w_k, with c the impulses that the iteration came by
//! last: solving them and making the solution the next c is the proximal-point method, and where α is small
//! the first solution is good enough. α starts so small that it does nothing but regularise. When no
//! step leads on it is made large at once, and after proximal steps it falls again.
//!
//! *Ours:* when two proximal steps in a row go the same way, the next centre lies further on that way, twice as
//! far each time. (When this was added Capsules-i125 of the collection took 65 instead of 115 iterations, an
//! indefinite W 91 instead of 206; tried were cosines of 0.5 to 0.95 and factors of 2 to 4, which differ little
//! on definite problems.)
//!
//! A step is shortened until `Σ |F_k|²/ρ_k` falls below the largest of its last three values: where contacts
//! change between sticking and sliding a step that must fall at once may be a small part of the whole.
//! (Capsules-i125 takes 70 iterations in `auto` instead of 84; one to ten values differ little elsewhere.)
//!
//! Newton's method needs a start near a solution, and may end where no step leads on. Both are what sweeps
//! are for: they start each round, twice as many as in the one before, and the round goes on from the best
//! point.

mod contact;
mod linear;

use super::ags::Ags;
use super::monitor::{Followed, has_grown};
use super::nlgs::Nlgs;
use super::{
    Ask, ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Start, Status,
    contradiction,
};
use crate::certify::{CertifyWorkspace, certify_with};
use crate::math::{DVec3, Screw};
use crate::problem::{Assembled, ContactProblem, DelassusScratch, ProblemKind};
use contact::{Contact, Place, Rows};
use linear::RowMatrix;
use std::ops::Range;

/// Sweeps before the first round, those of a solve that is resumed included.
const FIRST_SWEEPS: usize = 20;
/// Rounds in a row without a gain of a tenth after which it ends.
const IDLE_ROUNDS: usize = 6;
/// Steps of a round at most.
const STEPS: usize = 100;
/// Steps of a round that lead nowhere, at most.
const FAILURES: usize = 8;
/// The share of Σ |F_k|²/ρ_k at its start that ends a proximal step.
const PROXIMAL: f64 = 1e-4;
/// The cosine above which two proximal steps go the same way, and how many times its length one goes at most.
const SAME_WAY: f64 = 0.9;
const FURTHEST: f64 = 64.0;
/// α at first, at least and at most.
const ALPHA: f64 = 1e-9;
const LEAST_ALPHA: f64 = 1e-12;
const MOST_ALPHA: f64 = 1.0;
/// How many times as many contacts as must be in the matrix may be.
const SPARE: f64 = 1.1;
/// A step shorter than this is not judged: it leaves most of the error.
const JUDGED: f64 = 0.5;
/// Values of Σ |F_k|²/ρ_k of which a step must only fall below the largest.
const MEMORY: usize = 3;
/// α after the first step that leads nowhere.
const PROXIMAL_ALPHA: f64 = 1e-3;
/// The shortest step that is tried, as a power of a half.
const HALVINGS: usize = 7;
/// The share of the promised gain that a step must make.
const GAIN: f64 = 1e-4;

/// The solver `newton`.
pub(super) struct Newton {
    certifier: CertifyWorkspace,
    scratch: DelassusScratch,
    /// For contacts with forces, and for those with moments and joints.
    local: Followed<Nlgs>,
    general: Followed<Ags>,
    contacts: Vec<Contact>,
    matrix: RowMatrix,
    slopes: Vec<f64>,
    weighted: Vec<f64>,
    /// Contacts with P_k ≠ 0, and the place of each contact among those in the matrix.
    within: Vec<bool>,
    place: Vec<Option<usize>>,
    proximal: Proximal,
    point: Point,
    trial: Point,
    step: Vec<f64>,
    image: Vec<f64>,
    right: Vec<f64>,
    candidate: Vec<f64>,
    best: Vec<f64>,
}

/// α after one with which no step leads on: at once to where it begins to matter.
fn larger(alpha: f64) -> f64 {
    if alpha < 0.1 * PROXIMAL_ALPHA {
        PROXIMAL_ALPHA
    } else {
        10.0 * alpha
    }
}

/// What is being solved.
struct Solve<'a> {
    problem: &'a ContactProblem,
    /// W.
    matrix: &'a Assembled,
    ask: &'a Ask,
}

/// Impulses, velocities and what the equations leave of them.
#[derive(Default)]
struct Point {
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    residual: Vec<f64>,
    /// Σ |F_k|²/ρ_k, J.
    merit: f64,
}

/// What the equations are solved with.
#[derive(Default)]
struct Proximal {
    alpha: f64,
    /// c.
    centre: Vec<f64>,
    /// Σ |F_k|²/ρ_k at c and after each step from there.
    merits: Vec<f64>,
    /// The last proximal step, and how many times its length was gone.
    last: Vec<f64>,
    reach: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Point {
    #[inline(always)]
    fn place<V: Rows>(&self, proximal: &Proximal, part: Range<usize>) -> Place<V> {
        Place {
            impulse: V::load(&self.impulses[part.clone()]),
            velocity: V::load(&self.velocities[part.clone()]),
            centre: V::load(&proximal.centre[part]),
        }
    }

    /// Sets residual and merit.
    fn evaluate(&mut self, proximal: &Proximal, contacts: &[Contact], rows: usize) {
        match rows {
            1 => self.evaluate_as::<f64>(proximal, contacts, rows),
            6 => self.evaluate_as::<Screw>(proximal, contacts, rows),
            _ => self.evaluate_as::<DVec3>(proximal, contacts, rows),
        }
    }

    fn evaluate_as<V: Rows>(&mut self, proximal: &Proximal, contacts: &[Contact], rows: usize) {
        self.residual.resize(self.impulses.len(), 0.0);
        self.merit = 0.0;
        for (k, contact) in contacts.iter().enumerate() {
            let part = k * rows..(k + 1) * rows;
            let place = self.place::<V>(proximal, part.clone());
            let (residual, square) = contact.residual(place, proximal.alpha);
            residual.store(&mut self.residual[part]);
            self.merit += square;
        }
    }
}

impl Newton {
    pub(super) fn new(config: SolverConfig) -> Self {
        let by = |method: Method| SolverConfig { method, ..config };
        let (cases, ags) = (by(Method::NlgsCases), by(Method::Ags));
        Self {
            certifier: CertifyWorkspace::default(),
            scratch: DelassusScratch::default(),
            local: Followed::new(cases, Nlgs::new(cases)),
            general: Followed::new(ags, Ags::new(ags)),
            contacts: Vec::new(),
            matrix: RowMatrix::default(),
            slopes: Vec::new(),
            weighted: Vec::new(),
            within: Vec::new(),
            place: Vec::new(),
            proximal: Proximal::default(),
            point: Point::default(),
            trial: Point::default(),
            step: Vec::new(),
            image: Vec::new(),
            right: Vec::new(),
            candidate: Vec::new(),
            best: Vec::new(),
        }
    }

    /// Starts from impulses.
    fn start(&mut self, problem: &ContactProblem, impulses: &[f64]) {
        let point = &mut self.point;
        point.impulses.clear();
        point.impulses.extend_from_slice(impulses);
        point.velocities.resize(impulses.len(), 0.0);
        problem
            .delassus
            .apply(impulses, &mut self.scratch, &mut point.velocities);
        for (w, b) in point.velocities.iter_mut().zip(&problem.bias) {
            *w += b;
        }
        self.proximal.last.clear();
        self.recentre(problem.rows(), ALPHA);
    }

    /// Goes further on the way of the proximal step that ends here, if the last went the same way.
    fn extrapolate(&mut self, problem: &ContactProblem) {
        let Proximal {
            centre,
            last,
            reach,
            ..
        } = &mut self.proximal;
        self.step.clear();
        let pairs = self.point.impulses.iter().zip(&*centre);
        self.step.extend(pairs.map(|(x, c)| x - c));
        let lengths = dot(&self.step, &self.step) * dot(last, last);
        let same = dot(&self.step, last) > SAME_WAY * lengths.sqrt();
        *reach = if same {
            (2.0 * *reach).min(FURTHEST)
        } else {
            1.0
        };
        last.clone_from(&self.step);
        if *reach == 1.0 {
            return;
        }
        self.image.resize(problem.len(), 0.0);
        problem
            .delassus
            .apply(&self.step, &mut self.scratch, &mut self.image);
        let more = *reach - 1.0;
        for (x, d) in self.point.impulses.iter_mut().zip(&self.step) {
            *x += more * d;
        }
        for (w, d) in self.point.velocities.iter_mut().zip(&self.image) {
            *w += more * d;
        }
    }

    /// Begins a proximal step where the iteration is.
    fn recentre(&mut self, rows: usize, alpha: f64) {
        self.proximal.alpha = alpha;
        self.proximal.centre.clone_from(&self.point.impulses);
        self.point.evaluate(&self.proximal, &self.contacts, rows);
        self.proximal.merits.clear();
        self.proximal.merits.push(self.point.merit);
    }

    /// The derivatives at the point, and which contacts belong in the matrix.
    fn linearise(&mut self, rows: usize) {
        match rows {
            1 => self.linearise_as::<f64>(rows),
            6 => self.linearise_as::<Screw>(rows),
            _ => self.linearise_as::<DVec3>(rows),
        }
    }

    fn linearise_as<V: Rows>(&mut self, rows: usize) {
        let area = rows * rows;
        self.slopes.resize(self.contacts.len() * area, 0.0);
        self.weighted.resize(self.contacts.len() * area, 0.0);
        self.within.clear();
        for (k, contact) in self.contacts.iter().enumerate() {
            let part = k * rows..(k + 1) * rows;
            let place = self.point.place::<V>(&self.proximal, part);
            self.within.push(contact.slopes(
                (place, self.proximal.alpha),
                &mut self.slopes[k * area..][..area],
                &mut self.weighted[k * area..][..area],
            ));
        }
        // Those of the last step, if that adds few: then the pattern is known.
        let needed = self.within.iter().filter(|within| **within).count();
        let known = self.place.iter().flatten().count() as f64 <= SPARE * needed as f64
            && self.place.len() == self.within.len()
            && (self.place.iter().zip(&self.within))
                .all(|(place, within)| place.is_some() || !within);
        if !known {
            let mut count = 0;
            self.place.clear();
            self.place.extend(self.within.iter().map(|within| {
                count += usize::from(*within);
                within.then(|| count - 1)
            }));
        }
    }

    /// Solves for the step; `None` where the matrix has no inverse.
    fn direction(&mut self, problem: &ContactProblem, w: &Assembled) -> Option<()> {
        let (rows, alpha) = (problem.rows(), self.proximal.alpha);
        let area = rows * rows;
        self.step.resize(problem.len(), 0.0);
        self.image.resize(problem.len(), 0.0);
        for (k, place) in self.place.iter().enumerate() {
            let part = k * rows..(k + 1) * rows;
            for (step, residual) in self.step[part.clone()]
                .iter_mut()
                .zip(&self.point.residual[part])
            {
                *step = if place.is_some() { 0.0 } else { -residual };
            }
        }
        if self.step.iter().any(|step| *step != 0.0) {
            problem
                .delassus
                .apply(&self.step, &mut self.scratch, &mut self.image);
        } else {
            self.image.fill(0.0);
        }
        self.matrix.clear();
        self.right.clear();
        for (k, place) in self.place.iter().enumerate() {
            if place.is_none() {
                continue;
            }
            let slope = &self.slopes[k * area..][..area];
            let weighted = &self.weighted[k * area..][..area];
            for i in 0..rows {
                let (slope, weighted) = (&slope[i * rows..][..rows], &weighted[i * rows..][..rows]);
                for (l, block) in w.row(k) {
                    let Some(first) = self.place[l] else {
                        continue;
                    };
                    for j in 0..rows {
                        let column = block[j..].iter().step_by(rows);
                        let mut value: f64 = weighted.iter().zip(column).map(|(p, w)| p * w).sum();
                        if l == k {
                            value += (alpha - 1.0) * slope[j] + f64::from(u8::from(i == j));
                        }
                        self.matrix.push(first * rows + j, value);
                    }
                }
                self.matrix.end_row();
                let made = &self.image[k * rows..][..rows];
                let known: f64 = weighted.iter().zip(made).map(|(p, w)| p * w).sum();
                self.right.push(-self.point.residual[k * rows + i] - known);
            }
        }
        self.matrix.solve(&mut self.right)?;
        for (k, place) in self.place.iter().enumerate() {
            if let Some(place) = place {
                self.step[k * rows..][..rows].copy_from_slice(&self.right[place * rows..][..rows]);
            }
        }
        problem
            .delassus
            .apply(&self.step, &mut self.scratch, &mut self.image);
        Some(())
    }

    /// Goes along the step as far as it helps, and tells how far; `None` if it does not.
    fn search(&mut self, rows: usize) -> Option<f64> {
        let recent = self.proximal.merits.iter().rev().take(MEMORY);
        let highest = recent.copied().fold(0.0, f64::max);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let along = |from: &[f64], step: &[f64], to: &mut Vec<f64>| {
                to.clear();
                to.extend(from.iter().zip(step).map(|(x, d)| x + length * d));
            };
            let (point, trial) = (&self.point, &mut self.trial);
            along(&point.impulses, &self.step, &mut trial.impulses);
            along(&point.velocities, &self.image, &mut trial.velocities);
            trial.evaluate(&self.proximal, &self.contacts, rows);
            if trial.merit <= (1.0 - GAIN * length) * highest {
                std::mem::swap(&mut self.point, &mut self.trial);
                self.proximal.merits.push(self.point.merit);
                return Some(length);
            }
            length *= 0.5;
        }
        None
    }

    /// Keeps the point, projected onto K, if it is the best so far; tells whether it passes.
    fn judge(&mut self, solve: &Solve, report: &mut SolveReport) -> bool {
        let problem = solve.problem;
        self.candidate.clear();
        self.candidate.extend_from_slice(&self.point.impulses);
        problem.project(&mut self.candidate);
        let certificate = certify_with(problem, &self.candidate, &mut self.certifier);
        report.applications += 1;
        let passed = certificate.meets(&solve.ask.limits);
        if passed || certificate.scaled < report.certificate.scaled {
            report.certificate = certificate;
            self.best.copy_from_slice(&self.candidate);
        }
        passed
    }

    /// Newton's method from the best impulses, which it improves; tells whether they pass.
    fn round(&mut self, solve: &Solve, report: &mut SolveReport) -> bool {
        let Solve {
            problem,
            matrix,
            ask,
        } = *solve;
        let best = std::mem::take(&mut self.best);
        self.start(problem, &best);
        self.best = best;
        report.applications += 1;
        let (rows, mut failures) = (problem.rows(), 0);
        // α after the next proximal step: the one after a failure does not lower it.
        let mut least = LEAST_ALPHA;
        for _ in 0..STEPS {
            if report.iterations == ask.iterations || self.point.merit == 0.0 {
                return false;
            }
            report.iterations += 1;
            self.linearise(rows);
            let went = self
                .direction(problem, matrix)
                .and_then(|()| self.search(rows));
            report.applications += 2;
            let alpha = self.proximal.alpha;
            let Some(length) = went else {
                failures += 1;
                if failures == FAILURES || alpha >= MOST_ALPHA {
                    return false;
                }
                least = larger(alpha);
                self.recentre(rows, least);
                continue;
            };
            if length >= JUDGED && self.judge(solve, report) {
                return true;
            }
            if self.point.merit <= PROXIMAL * self.proximal.merits[0] {
                self.extrapolate(problem);
                report.applications += 1;
                self.recentre(rows, (0.1 * alpha).max(least));
                least = (0.1 * least).max(LEAST_ALPHA);
                failures = 0;
            }
        }
        false
    }

    /// Sweeps from the best impulses; keeps what they give if it is better.
    fn sweep(&mut self, solve: &Solve, count: usize, report: &mut SolveReport) -> bool {
        let problem = solve.problem;
        let solver: &mut dyn ContactSolver = if self.local.supports(&problem.kind()).is_ok() {
            &mut self.local
        } else {
            &mut self.general
        };
        self.candidate.clear();
        self.candidate.extend_from_slice(&self.best);
        // What this solve has found so far is never thrown away.
        let start = match report.iterations {
            0 => solve.ask.start,
            _ => Start::Resumed,
        };
        let ask = Ask {
            start,
            ..solve.ask.at_most(count)
        };
        let swept = solver.solve(problem, &mut self.candidate, &ask);
        report.iterations += swept.iterations;
        report.applications += swept.applications;
        report.contradiction = swept.contradiction;
        let passed = swept.status == Status::Converged;
        report.finished_by = passed.then(|| solver.method());
        if passed || swept.certificate.scaled < report.certificate.scaled {
            report.certificate = swept.certificate;
            self.best.copy_from_slice(&self.candidate);
        }
        passed
    }
}

impl Newton {
    /// Rounds until one passes, after so many sweeps that others have made.
    pub(super) fn solve_after(
        &mut self,
        swept: usize,
        problem: &ContactProblem,
        impulses: &mut [f64],
        ask: &Ask,
    ) -> SolveReport {
        let certificate = certify_with(problem, impulses, &mut self.certifier);
        let mut report = SolveReport::of_start(Method::Newton, ask, certificate);
        if report.status != Status::MaxIterations {
            return report;
        }
        let matrix = problem.delassus.matrix();
        self.contacts.clear();
        self.place.clear();
        self.contacts
            .extend((0..problem.contact_count()).map(|k| Contact::new(problem, &matrix, k)));
        self.best.clear();
        self.best.extend_from_slice(impulses);
        let solve = Solve {
            problem,
            matrix: &matrix,
            ask,
        };
        let (mut sweeps, mut idle) = (FIRST_SWEEPS.saturating_sub(swept), 0);
        report.status = loop {
            let left = ask.iterations - report.iterations;
            if left == 0 {
                break Status::MaxIterations;
            }
            let before = report.certificate.scaled;
            let passed = (sweeps > 0 && self.sweep(&solve, sweeps.min(left), &mut report))
                || (report.contradiction.is_none() && self.round(&solve, &mut report));
            if report.contradiction.is_none() && has_grown(problem, impulses, &self.best) {
                let memory = (&mut Vec::new(), &mut self.certifier);
                report.contradiction = contradiction(ask, problem, impulses, &self.best, memory);
                report.applications += 1;
            }
            if report.contradiction.is_some() {
                break Status::Infeasible;
            }
            if passed {
                break Status::Converged;
            }
            let gained = report.certificate.scaled < 0.9 * before;
            idle = if gained { 0 } else { idle + 1 };
            if idle == IDLE_ROUNDS {
                break Status::Stalled;
            }
            sweeps = sweeps.saturating_mul(2).max(FIRST_SWEEPS);
        };
        impulses.copy_from_slice(&self.best);
        report
    }
}

impl ContactSolver for Newton {
    fn method(&self) -> Method {
        Method::Newton
    }

    fn supports(&self, _kind: &ProblemKind) -> Result<(), Incompatible> {
        // Every set has an answer with a derivative, and that is all the method needs.
        Ok(())
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        self.solve_after(0, problem, impulses, ask)
    }
}
