//! How far each sweep looks ahead.

use crate::solver::monitor::StepSums;
use crate::solver::nesterov::Nesterov;

/// β of the first part of a solve.
const CONSTANT: f64 = 0.95;
/// The estimated error below which β is Nesterov's instead, and the θ it starts from.
const PATIENT: f64 = 1e-4;
const FIRST_THETA: f64 = 0.05;
/// Momentum starts anew when the error has fallen to this share of what it was three sweeps after the
/// last start, but not within so many sweeps.
const FALLEN: f64 = 0.03;
const SHORTEST: usize = 20;
/// Momentum also starts anew after so many sweeps without a gain of a tenth, and next after twice as many:
/// in large piles the error then stays the same for thousands of sweeps, which momentum itself keeps up,
/// and falls at once without it.
const FLAT: usize = 100;
/// Sweeps with an error of more than twice the smallest, since that was last lowered, after which momentum
/// is taken to do harm: 1 - β is then at least the first of these, and twice as much after each further
/// time; half as much again after a gain. In the end plain sweeps are left, which always converge where
/// a function is minimised. (An error that stays the same is no harm: impulses may have a long way to
/// go where contacts contradict each other by a little.)
const PATIENCE: usize = 300;
const FIRST_GAP: f64 = 0.02;
/// The kinds of sweeps with exact friction, each with the sweeps without a gain of a tenth after which
/// the next takes its turn. The first is only for the start of a solve: most are over before it ends.
const TURNS: [(Pace, usize); 4] = [
    (Pace::exact(Slip::Follows, 0.5, 0.85), 300),
    (Pace::exact(Slip::Follows, 0.25, 0.85), 800),
    (Pace::exact(Slip::AtOnce, 0.25, 0.7), 800),
    (Pace::exact(Slip::AtOnce, 0.25, 0.0), 800),
];

/// How a contact with exact friction is solved. What one kind cannot solve, or only after thousands of
/// sweeps, the other often can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// In the convex problem with the slip so far, which follows de Saxcé's `μ |w_T|`.
    Follows,
    /// By the contact's own exact solution.
    AtOnce,
}

/// What a sweep needs to know besides the problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// y = λ + β (λ - λ before).
    pub(super) beta: f64,
    pub(super) slip: Slip,
    /// How much of its new value the slip of exact friction takes on at each visit.
    pub(super) share: f64,
}

impl Pace {
    const fn exact(slip: Slip, share: f64, beta: f64) -> Self {
        Self { beta, slip, share }
    }

    fn with(self, beta: f64) -> Self {
        Self { beta, ..self }
    }
}

/// Chooses β.
pub(super) struct Momentum {
    exact: bool,
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
    pub(super) fn new(exact: bool) -> Self {
        Self {
            exact,
            turn: 0,
            gain: (f64::INFINITY, 0),
            nesterov: None,
            since: 0,
            mark: f64::INFINITY,
            smallest: f64::INFINITY,
            flat: 0,
            harmful: 0,
            longest: FLAT,
            gap: 0.0,
        }
    }

    /// The first sweep has nothing to look ahead with.
    pub(super) fn first(&self) -> Pace {
        TURNS[0].0.with(0.0)
    }

    /// The pace of the next sweep.
    pub(super) fn advance(&mut self, sums: &StepSums, estimate: f64) -> Pace {
        if self.exact {
            // Going uphill means nothing where no function is minimised.
            return self.take_turns(estimate);
        }
        let beta = self.beta(sums.uphill > 0.0, estimate).min(1.0 - self.gap);
        TURNS[0].0.with(beta)
    }

    /// The pace with exact friction.
    fn take_turns(&mut self, estimate: f64) -> Pace {
        let (smallest, since) = &mut self.gain;
        if estimate < 0.9 * *smallest {
            (*smallest, *since) = (estimate, 0);
        } else {
            *since += 1;
        }
        if *since == TURNS[self.turn].1 {
            self.gain = (f64::INFINITY, 0);
            self.turn = if self.turn + 1 < TURNS.len() {
                self.turn + 1
            } else {
                1
            };
        }
        TURNS[self.turn].0
    }

    fn beta(&mut self, uphill: bool, estimate: f64) -> f64 {
        self.watch(estimate);
        if self.nesterov.is_none() && estimate < PATIENT {
            self.nesterov = Some(Nesterov::under_way(FIRST_THETA));
        }
        let Some(nesterov) = &mut self.nesterov else {
            return if uphill { 0.0 } else { CONSTANT };
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
        let fallen = self.since > SHORTEST && estimate < FALLEN * self.mark;
        if flat || fallen || uphill {
            self.since = 0;
            return nesterov.restart();
        }
        nesterov.advance()
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
        if self.harmful == PATIENCE {
            self.gap = (2.0 * self.gap).clamp(FIRST_GAP, 1.0);
            self.harmful = 0;
        }
    }
}
