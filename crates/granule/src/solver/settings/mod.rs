//! What a user may ask of a solver: each setting is written once, here.
//!
//! A setting is a line in a table of the macro `settings!` below: its text for users, its name (which is
//! its key in `[solver]` of a scene file), its type, its default, and the rule that its value keeps to. The
//! table of [`SolverConfig`] has what all methods share, those of [`Gradient`], [`Jacobi`], [`Sweeps`] and
//! [`LocalStep`] what only some read; which those are says the table of methods in `methods.rs`. Scene
//! files, their JSON schema, `granule list solvers` and the errors about keys without effect all follow
//! from these tables.

mod choices;
mod idle;
mod methods;

pub use choices::{ExactBy, OnFailure, Scaling, Stop, SweepOrder, WarmStart};
pub use idle::Idle;
pub use methods::{Method, MethodSettings};

use super::{Ask, Start, Watch};
use crate::certify::{Judge, Limits};
use serde::{Deserialize, Serialize};

/// What a rule has against a value: nothing, or the rest of a sentence that begins with its key.
type Ruling = Result<(), String>;

/// The ruling where a value keeps to its rule, or the reason why it does not.
fn keeps(kept: bool, reason: impl FnOnce() -> String) -> Ruling {
    if kept { Ok(()) } else { Err(reason()) }
}

fn positive(value: impl Into<Option<f64>>) -> Ruling {
    let value = value.into().unwrap_or(1.0);
    keeps(value.is_finite() && value > 0.0, || {
        format!("must be positive, not {value}")
    })
}

fn positive_speed(value: Option<f64>) -> Ruling {
    positive(value).map_err(|reason| reason.replace("positive", "positive (m/s)"))
}

fn between_zero_and_one(value: f64) -> Ruling {
    positive(value)?;
    keeps(value < 1.0, || {
        format!("must be below 1 (doing nothing has error 1), not {value}")
    })
}

fn between_zero_and_two(value: f64) -> Ruling {
    keeps(value > 0.0 && value < 2.0, || {
        format!("must be between 0 and 2, not {value}")
    })
}

fn at_least_one(value: usize) -> Ruling {
    keeps(value > 0, || "must be at least 1".to_owned())
}

/// Settings as a struct, from lines `name: Type = default, rule;`. Those of a second block are for programs
/// only: they are no keys of scene files.
macro_rules! settings {
    (
        $(#[$about:meta])*
        $struct:ident {
            $($(#[$text:meta])* $key:ident: $type:ty = $default:expr $(, $rule:ident)?;)*
        }
        $(programs only {
            $($(#[$own_text:meta])* $own:ident: $own_type:ty = $own_default:expr $(, $own_rule:ident)?;)*
        })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct $struct {
            $($($(#[$own_text])* #[cfg_attr(feature = "schema", schemars(skip))] pub $own: $own_type,)*)?
            $($(#[$text])* pub $key: $type,)*
        }

        impl Default for $struct {
            fn default() -> Self {
                Self { $($($own: $own_default,)*)? $($key: $default,)* }
            }
        }

        impl $struct {
            /// The keys of scene files, which are the names of the settings.
            pub const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            /// The first setting whose value breaks its rule, and how to mend it.
            fn check(&self) -> Result<(), (&'static str, String)> {
                $($($rule(self.$key).map_err(|reason| (stringify!($key), reason))?;)?)*
                $($($($own_rule(self.$own).map_err(|reason| (stringify!($own), reason))?;)?)*)?
                Ok(())
            }
        }
    };
}

settings! {
    /// A solver with its settings.
    ///
    /// ```
    /// use granule::solver::{Gradient, Method, MethodSettings, Scaling, SolverConfig};
    /// let config = SolverConfig { tolerance: 1e-8, ..SolverConfig::named(Method::ApgdAsr) };
    /// config.validate().unwrap();
    /// assert!(SolverConfig { tolerance: -1.0, ..config }.validate().is_err());
    /// // With settings that not every method has.
    /// let printed = Gradient { step: Some(0.2), scaling: Scaling::None };
    /// let config = SolverConfig { own: MethodSettings::Pgd(printed), ..config };
    /// assert_eq!(config.method(), Method::Pgd);
    /// ```
    SolverConfig {
        /// Dimensionless, above 0 and below 1: the error of a solve relative to that of doing
        /// nothing. Nominal range 1e-2 to 1e-12. Default 1e-4.
        tolerance: f64 = 1e-4, between_zero_and_one;
        /// Dimensionless: no single contact may err by more than this share of the step's fastest approach
        /// before contact forces act. Default 0.5.
        max_share: f64 = DEFAULT_SHARE, positive;
        /// m/s; also bounds the error of the worst single contact. Default: no such bound.
        max_residual: Option<f64> = None, positive_speed;
        /// The most iterations of one solve, at least 1. Default 20000.
        max_iterations: usize = 20_000, at_least_one;
        /// Which test ends a solve: `"certificate"`, or `"paper"` for the one printed with the method.
        /// Default `"certificate"`.
        stop: Stop = Stop::Certificate;
        /// How exact Coulomb friction is found: by the method's own `"projection"` or by a
        /// `"fixed-point"` around the convex problem. Default `"projection"`.
        exact: ExactBy = ExactBy::Projection;
        /// With `stop = "paper"`, the change of the slip velocities that ends the fixed point. Default
        /// 1e-2.
        fixed_point_tolerance: f64 = 1e-2, positive;
        /// What a solve starts from: the impulses of the step before (`"previous"`) or `"zero"`.
        /// Default `"previous"`.
        warm_start: WarmStart = WarmStart::Previous;
        /// What happens when a step is not solved to the tolerance: `"escalate"` (try a stronger
        /// solver), `"warn"` or `"stop"`. Default `"escalate"`.
        on_failure: OnFailure = OnFailure::Escalate;
    }
    programs only {
        /// Which solver, with the settings that not every one has.
        own: MethodSettings = Method::Usual.into();
        /// If given, also an upper bound for [`crate::certify::Certificate::relative`], the error that
        /// collections of contact problems use.
        max_relative: Option<f64> = None, positive;
    }
}

/// The default of [`SolverConfig::max_share`]: half of the fastest approach. Two walls that close in on a
/// body at one speed leave at least that; the scenes that come with Granule stay below a third.
const DEFAULT_SHARE: f64 = 0.5;

settings! {
    /// What methods with gradient steps read.
    Gradient {
        /// The step ρ of gradients (the first one for adaptive methods): dimensionless with
        /// `scaling = "diagonal"`, in kg with `"none"`. Default: a safe bound, from the problem.
        step: Option<f64> = None, positive;
        /// The metric of gradient steps: `"diagonal"` (each contact in its own scale) or `"none"`.
        /// Default `"diagonal"`.
        scaling: Scaling = Scaling::Diagonal;
    }
}

settings! {
    /// What projected Gauss-Jacobi reads.
    Jacobi {
        /// The damping ω of `pgj`, dimensionless: the part of the way to its own solution that each
        /// contact goes. Default 0.3, as is usual; a body with very many neighbours needs less.
        step: f64 = 0.3, positive;
    }
}

settings! {
    /// What sweeps of Gauss-Seidel read.
    Sweeps {
        /// The order of the sweeps of `pgs` and `nlgs-*`: `"forward"`, `"symmetric"` (and back in turns),
        /// `"shuffled"` or `"coloured"` (in parallel). Default `"forward"`.
        sweep: SweepOrder = SweepOrder::Forward;
        /// How much of the way to its answer a contact of `pgs` or `nlgs-*` goes, between 0 and 2; above
        /// 1 is over-relaxation. Default 1.
        relaxation: f64 = 1.0, between_zero_and_two;
        /// Where the random order of `sweep = "shuffled"` starts. Default 0.
        seed: u64 = 0;
    }
}

settings! {
    /// What solvers of one contact with a step ρ read.
    LocalStep {
        /// The step of `nlgs-*`: ρ times the contact's own W, dimensionless, as its paper gives it. Default 1.
        step: f64 = 1.0, positive;
    }
}

impl SolverConfig {
    /// A solver with the defaults of all settings.
    pub fn named(method: Method) -> Self {
        Self {
            own: method.into(),
            ..Self::default()
        }
    }

    /// Which solver.
    pub fn method(&self) -> Method {
        self.own.method()
    }

    /// What ends a solve with [`Stop::Certificate`].
    pub fn limits(&self) -> Limits {
        Limits {
            scaled: self.tolerance,
            share: Some(self.max_share),
            residual: self.max_residual,
            relative: self.max_relative,
        }
    }

    /// What these settings ask of a solve that starts from a guess.
    pub fn ask(&self) -> Ask {
        self.watched_ask(Watch::default(), Judge::default())
    }

    /// The same of a solve that someone looks on, with the judge of the problem.
    pub fn watched_ask(&self, watch: Watch, judge: Judge) -> Ask {
        Ask {
            limits: self.limits(),
            iterations: self.max_iterations,
            start: Start::Guess,
            watch,
            judge,
        }
    }

    /// What is wrong with the values, if anything, and how to mend it: the name of the setting
    /// and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        self.check()?;
        self.own.check()
    }
}
