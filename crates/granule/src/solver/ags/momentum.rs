//! How far each sweep looks ahead.

use crate::solver::monitor::StepSums;
use crate::solver::nesterov::Nesterov;
use crate::solver::tuning::ags as tuning;

/// How a contact with exact friction is solved. What one kind cannot solve, or only after thousands of
/// sweeps, the other often can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::solver) enum Slip {
    /// In the convex problem with the slip so far, which follows de Saxcé's `μ |w_T|`.
    Follows,
    /// By the contact's own exact solution.
    AtOnce,
}

/// What a sweep needs to know besides the problem.
#[derive(Debug, Clone, Copy)]
pub(in crate::solver) struct Pace {
    /// y = λ + β (λ - λ before).
    pub(super) beta: f64,
    pub(super) slip: Slip,
    /// How much of its new value the slip of exact friction takes on at each visit.
    pub(super) share: f64,
}

impl Pace {
    pub(in crate::solver) const fn exact(slip: Slip, share: f64, beta: f64) -> Self {
        Self { beta, slip, share }
    }

    fn with(self, beta: f64) -> Self {
        Self { beta, ..self }
    }
}

/// Chooses β.
pub(super) struct Momentum {
    exact: bool,
    /// Nesterov's β from rest on, which the first sweeps have as far as it is below theirs.
    from_rest: Option<Nesterov>,
    /// With exact friction: whose turn it is, the smallest error in this turn, and the sweeps since it was
    /// last lowered by a tenth.
    turn: usize,
    gain: (f64, usize),
    /// Nesterov's β, once that is used.
    nesterov: Option<Nesterov>,
    /// Sweeps since momentum started anew, and the error at the third of them.
    since: usize,
    mark: f64,
    /// The smallest error so far, and since it was last lowered by a tenth: the sweeps, and those with an
    /// error of more than twice as much.
    smallest: f64,
    flat: usize,
    harmful: usize,
    /// Flat sweeps after which momentum starts anew.
    longest: usize,
    /// 1 - β is at least this.
    gap: f64,
}

impl Momentum {
    /// For exact friction or not, growing `slowly` or at once as large as it may be.
    pub(super) fn new(exact: bool, slowly: bool) -> Self {
        Self {
            exact,
            from_rest: slowly.then(|| Nesterov::under_way(1.0)),
            turn: 0,
            gain: (f64::INFINITY, 0),
            nesterov: None,
            since: 0,
            mark: f64::INFINITY,
            smallest: f64::INFINITY,
            flat: 0,
            harmful: 0,
            longest: tuning::FLAT,
            gap: 0.0,
        }
    }

    /// The first sweep has nothing to look ahead with.
    pub(super) fn first(&self) -> Pace {
        tuning::TURNS[0].0.with(0.0)
    }

    /// The pace of the next sweep.
    pub(super) fn advance(&mut self, sums: &StepSums, estimate: f64) -> Pace {
        if self.exact {
            // Going uphill means nothing where no function is minimised.
            return self.take_turns(estimate);
        }
        let beta = self.beta(sums.uphill > 0.0, estimate).min(1.0 - self.gap);
        tuning::TURNS[0].0.with(beta)
    }

    /// The pace with exact friction.
    fn take_turns(&mut self, estimate: f64) -> Pace {
        let (smallest, since) = &mut self.gain;
        if estimate < 0.9 * *smallest {
            (*smallest, *since) = (estimate, 0);
        } else {
            *since += 1;
        }
        if *since == tuning::TURNS[self.turn].1 {
            self.gain = (f64::INFINITY, 0);
            // The next one, and after the last the second.
            self.turn = self.turn % (tuning::TURNS.len() - 1) + 1;
        }
        let pace = tuning::TURNS[self.turn].0;
        match self.turn {
            0 => pace.with(self.slowly(pace.beta)),
            _ => pace,
        }
    }

    fn beta(&mut self, uphill: bool, estimate: f64) -> f64 {
        self.watch(estimate);
        if self.nesterov.is_none() && estimate < tuning::PATIENT {
            self.nesterov = Some(Nesterov::under_way(tuning::FIRST_THETA));
        }
        let Some(nesterov) = &mut self.nesterov else {
            if uphill {
                self.from_rest = self.from_rest.map(|_| Nesterov::under_way(1.0));
                return 0.0;
            }
            return self.slowly(tuning::CONSTANT);
        };
        self.since += 1;
        if self.since == 3 {
            self.mark = estimate;
        }
        let flat = self.flat.min(self.since) >= self.longest;
        if flat {
            self.flat = 0;
            self.longest *= 2;
        }
        let fallen = self.since > tuning::SHORTEST && estimate < tuning::FALLEN * self.mark;
        if flat || fallen || uphill {
            self.since = 0;
            return nesterov.restart();
        }
        nesterov.advance()
    }

    /// β, or less while it still grows.
    fn slowly(&mut self, beta: f64) -> f64 {
        let growing = self.from_rest.as_mut().map(Nesterov::advance);
        growing.unwrap_or(beta).min(beta)
    }

    /// Limits momentum when the error rises.
    fn watch(&mut self, estimate: f64) {
        self.flat += 1;
        if estimate < 0.9 * self.smallest {
            self.smallest = estimate;
            self.flat = 0;
            self.harmful = 0;
            self.gap *= 0.5;
        } else if estimate > 2.0 * self.smallest {
            self.harmful += 1;
        }
        if self.harmful == tuning::PATIENCE {
            self.gap = (2.0 * self.gap).clamp(tuning::FIRST_GAP, 1.0);
            self.harmful = 0;
        }
    }
}
