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
//! by an LU factor; contacts with P_k = 0 (open ones) have Δ_k = -λ_k and stay out of it, but for a
//! few that were in it at the last step: the pattern that stays the same need not be analysed again.
//!
//! **Proximal steps.** With redundant contacts W is singular, and so may be the matrix. In the equations
//! `ρ_k w_k + α (λ_k - c_k)` therefore stands for ρ_k w_k, with c the impulses that the iteration came by
//! last: solving them and making the solution the next c is the proximal-point method, and where α is small
//! the first solution is good enough. α starts so small that it does nothing but regularise. When no
//! step leads on it is made large at once, and after proximal steps it falls again.
//!
//! *Ours:* when two proximal steps in a row go the same way, the next centre lies further on that way, twice as
//! far each time.
//!
//! A step is shortened until `Σ |F_k|²/ρ_k` falls below the largest of its last three values: where contacts
//! change between sticking and sliding a step that must fall at once may be a small part of the whole.
//!
//! Newton's method needs a start near a solution, and may end where no step leads on. Both are what sweeps
//! are for: they start each round, twice as many as in the one before, and the round goes on from the best
//! point.

mod contact;
mod iterate;
mod system;

use super::ags::Ags;
use super::monitor::{Followed, has_grown};
use super::nlgs::Nlgs;
use super::search::{Search, SearchMemory};
use super::tuning::newton as tuning;
use super::{Ask, ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Start, Status};
use crate::problem::{Assembled, ContactProblem, ProblemKind};
use contact::ContactEquations;
use iterate::Iterate;
use system::System;

/// The solver `newton`.
pub(super) struct Newton {
    memory: SearchMemory,
    rounds: Rounds,
}

/// Sweeps and Newton's steps in turns.
struct Rounds {
    /// Sweeps over forces, and over everything else.
    local: Followed<Nlgs>,
    general: Followed<Ags>,
    iterate: Iterate,
    system: System,
    /// Impulses that are judged.
    candidate: Vec<f64>,
}

/// α after one with which no step leads on: at once to where it begins to matter.
fn larger(alpha: f64) -> f64 {
    if alpha < 0.1 * tuning::PROXIMAL_ALPHA {
        tuning::PROXIMAL_ALPHA
    } else {
        10.0 * alpha
    }
}

impl Rounds {
    /// Offers the point, projected onto K; tells whether it passes.
    fn judge(&mut self, search: &mut Search) -> bool {
        self.candidate.clear();
        self.candidate
            .extend_from_slice(&self.iterate.point.impulses);
        search.problem.project(&mut self.candidate);
        let certificate = search.judge(&self.candidate);
        search.offer(&self.candidate, certificate)
    }

    /// Newton's method from the best impulses, which it improves; tells whether they pass.
    fn round(&mut self, search: &mut Search, matrix: &Assembled) -> bool {
        let problem = search.problem;
        self.iterate.start(problem, search.best());
        search.report.applications += 1;
        let (rows, mut failures) = (problem.rows(), 0);
        // α after the next proximal step: the one after a failure does not lower it.
        let mut least = tuning::LEAST_ALPHA;
        for _ in 0..tuning::STEPS {
            if search.must_end().is_some() || self.iterate.point.merit == 0.0 {
                return false;
            }
            search.count_iteration();
            let at = &mut self.iterate;
            self.system.linearise(at, rows);
            let solved = self.system.direction(at, problem, matrix);
            let went = solved.and_then(|()| at.search(rows));
            search.report.applications += 2;
            let alpha = at.proximal.alpha;
            let Some(length) = went else {
                failures += 1;
                if failures == tuning::FAILURES || alpha >= tuning::MOST_ALPHA {
                    return false;
                }
                least = larger(alpha);
                at.recentre(rows, least);
                continue;
            };
            if length >= tuning::JUDGED && self.judge(search) {
                return true;
            }
            let at = &mut self.iterate;
            if at.point.merit <= tuning::PROXIMAL * at.proximal.merits[0] {
                at.extrapolate(problem);
                search.report.applications += 1;
                at.recentre(rows, (0.1 * alpha).max(least));
                least = (0.1 * least).max(tuning::LEAST_ALPHA);
                failures = 0;
            }
        }
        false
    }

    /// Sweeps from the best impulses; keeps what they give if it is better. Tells whether that passes.
    fn sweep(&mut self, search: &mut Search, count: usize) -> bool {
        let problem = search.problem;
        let solver: &mut dyn ContactSolver = if self.local.supports(&problem.kind()).is_ok() {
            &mut self.local
        } else if self.general.supports(&problem.kind()).is_ok() {
            &mut self.general
        } else {
            return false;
        };
        // What this solve has found so far is never thrown away.
        let start = match search.report.iterations {
            0 => search.ask.start,
            _ => Start::Resumed,
        };
        let ask = Ask {
            start,
            ..search.ask.at_most(count)
        };
        let (swept, _) = search.go_on(solver, &ask);
        let passed = swept.status == Status::Converged;
        search.report.contradiction = swept.contradiction;
        search.report.finished_by = passed.then_some(swept.method);
        passed
    }

    /// Rounds until one passes, the first after so many sweeps less than usual.
    fn run(&mut self, swept: usize, search: &mut Search, start: &[f64]) -> Status {
        let problem = search.problem;
        let matrix = problem.delassus.matrix();
        self.iterate.contacts.clear();
        let contacts =
            (0..problem.contact_count()).map(|k| ContactEquations::new(problem, &matrix, k));
        self.iterate.contacts.extend(contacts);
        self.system.clear();
        let (mut sweeps, mut idle) = (tuning::FIRST_SWEEPS.saturating_sub(swept), 0);
        loop {
            if let Some(end) = search.must_end() {
                return end;
            }
            let left = search.left();
            let before = search.report.certificate.scaled;
            let passed = (sweeps > 0 && self.sweep(search, sweeps.min(left)))
                || (search.report.contradiction.is_none() && self.round(search, &matrix));
            if search.report.contradiction.is_none() && has_grown(problem, start, search.best()) {
                let best = search.best().to_vec();
                search.proves(start, &best);
                search.report.applications += 1;
            }
            if search.report.contradiction.is_some() {
                return Status::Infeasible;
            }
            if passed {
                return Status::Converged;
            }
            let gained = search.report.certificate.scaled < 0.9 * before;
            idle = if gained { 0 } else { idle + 1 };
            if idle == tuning::IDLE_ROUNDS {
                return Status::Stalled;
            }
            sweeps = sweeps.saturating_mul(2).max(tuning::FIRST_SWEEPS);
        }
    }
}

impl Newton {
    pub(super) fn new(config: &SolverConfig) -> Self {
        Self {
            memory: SearchMemory::default(),
            rounds: Rounds {
                local: Nlgs::by_cases(config.stop),
                general: Ags::followed(config.stop),
                iterate: Iterate::default(),
                system: System::default(),
                candidate: Vec::new(),
            },
        }
    }

    /// Rounds until one passes, after so many sweeps that others have made.
    pub(super) fn solve_after(
        &mut self,
        swept: usize,
        problem: &ContactProblem,
        impulses: &mut [f64],
        ask: &Ask,
    ) -> SolveReport {
        let given = (Method::Newton, problem, ask);
        Search::run(given, impulses, &mut self.memory, |search, start| {
            self.rounds.run(swept, search, start)
        })
    }
}

impl ContactSolver for Newton {
    fn method(&self) -> Method {
        Method::Newton
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        // Every set has an answer with a derivative, and that is all the method needs.
        Method::Newton.only_defined(kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        self.solve_after(0, problem, impulses, ask)
    }
}
