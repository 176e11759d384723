//! The constants that were found by measurement: what each means, in which unit, and on what it was tuned.
//!
//! They decide how long a solve takes: every answer is judged by the certificate whatever they are. Each names in
//! brackets what it was tuned on, where that is on record; one without was chosen, and has not been varied on record.
//! Four collections of problems stand behind them:
//!
//! - **collection**: the 38 contact problems of other codes that `granule bench fclib` runs (1 to 2020 contacts).
//!   The README beside this folder reports times on these same problems, so those are times on the set that the
//!   constants were tuned on;
//! - **packings**: steps of settling and settled boxes of spheres (512 to 8000), as `granule bench friction` makes
//!   them;
//! - **piles**: the authors' piles of [kleinert2017], 500 to 105 144 spheres (`granule reproduce kleinert-piles`);
//! - **exports**: contact problems of our own runs as files (`peers/exports`), in halves: *fit*, and *unseen*, which
//!   nothing was tuned on.
//!
//! What was tried on the way is in `docs/notes/`.

/// Of `auto`: which solver goes first and when it is left for another.
#[cfg(feature = "second-order")]
pub(super) mod auto {
    /// Sweeps of `nlgs-cases` that a problem is probed with. [collection]
    pub const PROBE: usize = 10;
    /// The sweep of the probe after which the error is looked at for the first time. [collection]
    pub const EARLY: usize = 5;
    /// Iterations of the first solver before another is tried, where there is no forecast.
    pub const PATIENCE: usize = 2000;
    /// Steps that `newton` usually takes. [collection]
    pub const NEWTON_STEPS: f64 = 5.5;
    /// Where `newton` usually takes no more than so many sweeps of the probe, it has the first turn, a long one.
    /// [exports, fit]
    pub const CHEAP_NEWTON: f64 = 150.0;
    /// Steps of the first turn of `newton`. [exports, fit]
    pub const TURN: usize = 12;
    /// The same where it is cheap. [collection]
    pub const LONG_TURN: usize = 60;
    /// What a turn of `ags` costs to the turn of `newton` after it. [exports, fit]
    pub const SWEEPS_OF_TURN: f64 = 2.0;
    /// Iterations of `newton`, its sweeps included, after which it is given up.
    pub const NEWTON_LIMIT: usize = 2000;
    /// Sweeps of `ags` over those that it would take at the rate of the probe. [collection]
    pub const ACCELERATED: f64 = 3.5;
    /// The cost of a sweep of `ags` in sweeps of the probe: in space, in a plane. [collection]
    pub const ACCELERATED_COST: [f64; 2] = [1.1, 2.5];
    /// ns on the machine that it was measured on, of which only ratios matter: an entry of W in a sweep. [collection]
    pub const ENTRY: f64 = 0.35;
    /// ns: a row's share of its contact's own solution in a sweep. [collection]
    pub const OWN_SOLUTION: f64 = 22.0;
    /// ns: a contact's part in a step of `newton`. [collection]
    pub const OWN_PART: f64 = 700.0;
    /// ns: a step of `newton` by itself. [collection]
    pub const STEP: f64 = 1000.0;
    /// ns: an operation of the factor of `newton`. [collection]
    pub const FACTOR: f64 = 0.1;
    /// How many times the sweeps of the forecast may be taken before `newton` is next. [collection]
    pub const LATE: f64 = 1.5;
    /// Where there is no forecast, what sweeps may cost to what `newton` does. [collection: problems with rolling]
    pub const WAIT: f64 = 0.4;
    /// How many times wider than a row of W a row of its factor is. [collection]
    pub const FILL: f64 = 6.0;
    /// A step of `newton` that costs more than so many sweeps is not cheap.
    pub const CHEAP: f64 = 500.0;
    /// Iterations of `ipm` after which it is given up.
    pub const IPM_LIMIT: usize = 200;
    /// Contacts that share a body with a contact, about, where bodies are spheres.
    pub const NEIGHBOURS: f64 = 12.0;
}

/// Of `newton`.
#[cfg(feature = "second-order")]
pub(super) mod newton {
    /// Sweeps before the first round of steps, those of a solve that is resumed included.
    pub const FIRST_SWEEPS: usize = 20;
    /// Rounds in a row without a gain of a tenth after which the solve ends.
    pub const IDLE_ROUNDS: usize = 6;
    /// Steps of a round at most.
    pub const STEPS: usize = 100;
    /// Steps of a round from which no length leads on, after which the round ends.
    pub const FAILURES: usize = 8;
    /// The share of Σ |F_k|²/ρ_k at its start that ends a proximal step.
    pub const PROXIMAL: f64 = 1e-4;
    /// The cosine above which two proximal steps go the same way. [collection: 0.5 to 0.95 differ little]
    pub const SAME_WAY: f64 = 0.9;
    /// How many times its length a proximal step is lengthened to at most.
    pub const FURTHEST: f64 = 64.0;
    /// α at first: so small that it does nothing but make the matrix regular.
    pub const ALPHA: f64 = 1e-9;
    /// α at least.
    pub const LEAST_ALPHA: f64 = 1e-12;
    /// α at most: beyond it steps go nowhere.
    pub const MOST_ALPHA: f64 = 1.0;
    /// α after the first step that leads nowhere.
    pub const PROXIMAL_ALPHA: f64 = 1e-3;
    /// How many times as many contacts may stay in the matrix as must be in it.
    pub const SPARE: f64 = 1.1;
    /// Steps shortened below this are not judged by a certificate: they leave most of the error.
    pub const JUDGED: f64 = 0.5;
    /// A step must fall below the largest of so many last values of Σ |F_k|²/ρ_k. [collection: 1 to 10 differ little]
    pub const MEMORY: usize = 3;
    /// Lengths 1, ½, ¼, … of a step that are tried.
    pub const HALVINGS: usize = 7;
    /// The share of the promised gain that a step must make, as is usual.
    pub const GAIN: f64 = 1e-4;
}

/// Of `ags`: when it looks at what, and its momentum.
pub(super) mod ags {
    use crate::solver::ags::{Pace, Slip};

    /// Tolerances from this on are reached by sweeps in single precision.
    pub const SINGLE: f64 = 1e-5;
    /// Below this tolerance every certificate that impulses promise is asked for, whatever velocities say: near rounding
    /// their errors come and go by chance, and those asked for in vain make solves end well below it. Of two builds that
    /// looked at velocities down to 1e-8, one left a mass of 100 kg on grains of a gram swinging by 4 % of its weight at
    /// 1e-6, and one did not; which of the two does so is not explained.
    pub const TIGHT: f64 = 1e-5;
    /// The estimated error below which rounding of single precision is felt.
    pub const SINGLE_END: f64 = 2e-6;
    /// Sweeps in single precision without a gain of a tenth after which double precision is tried.
    pub const SINGLE_FLAT: usize = 300;
    /// How often sweeps in single precision may take for the end what is none.
    pub const SINGLE_FAILURES: usize = 4;
    /// Passive contacts are looked at after each of the first so many sweeps.
    pub const FIRST_LOOKS: usize = 3;
    /// Later they are looked at each time after so many sweeps.
    pub const LOOK: usize = 5;
    /// The first sweep after which the lists of active contacts are made anew.
    pub const FIRST_REBUILD: usize = 40;
    /// The sweep of the next rebuild over that of the last.
    pub const REBUILD_FACTOR: usize = 3;
    /// β of the first part of a solve of the convex problem. [packings]
    pub const CONSTANT: f64 = 0.95;
    /// The estimated error below which β is Nesterov's instead.
    pub const PATIENT: f64 = 1e-4;
    /// θ that Nesterov's β then starts from.
    pub const FIRST_THETA: f64 = 0.05;
    /// Momentum starts anew when the error has fallen to this share of what it was three sweeps after the last start.
    pub const FALLEN: f64 = 0.03;
    /// It does not within so many sweeps.
    pub const SHORTEST: usize = 20;
    /// Momentum also starts anew after so many sweeps without a gain of a tenth, and next after twice as many: in
    /// large piles momentum itself keeps an error up that falls at once without it. [piles: 60 to 400]
    pub const FLAT: usize = 100;
    /// Sweeps with an error of more than twice the smallest, since that was last lowered, after which momentum is
    /// taken to do harm.
    pub const PATIENCE: usize = 300;
    /// 1 - β is then at least this, and twice as much after each further time.
    pub const FIRST_GAP: f64 = 0.02;
    /// The kinds of sweeps with exact friction, each with the sweeps without a gain of a tenth after which the next
    /// takes its turn. The first is only for the start of a solve: most are over before it ends. [packings,
    /// and thirteen stored problems that were hard for the first kind]
    pub const TURNS: [(Pace, usize); 4] = [
        (Pace::exact(Slip::Follows, 0.5, 0.85), 300),
        (Pace::exact(Slip::Follows, 0.25, 0.85), 800),
        (Pace::exact(Slip::AtOnce, 0.25, 0.7), 800),
        (Pace::exact(Slip::AtOnce, 0.25, 0.0), 800),
    ];
}

/// Of `apgd-ar` and its kin: momentum and slip.
pub(super) mod apgd {
    /// 1 - β at an error of 1e-3 without friction, and the power of the error by which it falls. [packings,
    /// tolerances from 1e-4 to 1e-8]
    pub const SCHEDULE: (f64, f64) = (0.1, 0.25);
    /// The same with friction, where problems are stiffer. [packings]
    pub const SCHEDULE_WITH_FRICTION: (f64, f64) = (0.03, 0.2);
    /// The share of the difference by which the slip of exact friction follows its new value in an iteration, at
    /// first. [packings: following at once (1) makes momentum oscillate; much slower (0.05) delays it]
    pub const SLIP_SHARE: f64 = 0.25;
    /// L in the diagonal metric at first, where it is at least one and about four in a dense packing; without that
    /// metric a multiple of the largest W_kk.
    pub const FIRST_CURVATURE: f64 = 1.5;
}

/// Of `ipm` and `ipm-mf`.
#[cfg(feature = "second-order")]
pub(super) mod ipm {
    /// α at a start with impulses is this times their relative error times the mean of x·x. [piles, from
    /// impulses good to 1e-3, 1e-4 and 1e-5: of 1, 10 and 100, less leaves more iterations than it saves]
    pub const SMOOTHING: f64 = 10.0;
    /// Applications in a step after which `ipm-mf` solves for the impulses of contacts instead of the velocities of
    /// bodies: their number grows as `α^(-1/2)` in the one and hardly in the other, and is smaller in the one at
    /// first. [piles of 2048 and 10 192: 300 to 500 serve best, 100 more than doubles the applications of the second]
    pub const COSTLY: usize = 300;
    /// Bodies a group of the coarse level at most. [piles: of 2 to 40, more than four make more iterations,
    /// fewer a large factor]
    pub const GROUP: u32 = 4;
}
