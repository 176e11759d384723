//! What a user may ask of a solver.

use super::{Ask, Start};
use crate::certify::Limits;
use serde::{Deserialize, Serialize};

/// A solver by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A portfolio of the others.
    Auto,
    /// Projected gradient descent with a fixed step (Uzawa's algorithm on the dual).
    Pgd,
    /// Projected Gauss-Jacobi.
    Pgj,
    /// Nesterov's accelerated projected gradient.
    Apgd,
    /// APGD with an adaptive step.
    ApgdAs,
    /// APGD with adaptive restart.
    ApgdAr,
    /// APGD with adaptive step and restart.
    ApgdAsr,
    /// Accelerated Gauss-Seidel.
    Ags,
    /// Projected Gauss-Seidel, row by row.
    Pgs,
    /// Gauss-Seidel with the standard bipotential step.
    NlgsSbp,
    /// Gauss-Seidel with the standard step of the augmented Lagrangian.
    NlgsSal,
    /// Gauss-Seidel with Newton's method on the bipotential.
    NlgsEbp,
    /// Gauss-Seidel with Newton's method on the augmented Lagrangian.
    NlgsEal,
    /// Gauss-Seidel with the primal-dual active set method.
    NlgsPdas,
    /// Gauss-Seidel with separation, sticking and sliding in turn.
    NlgsCases,
    /// Spectral projected gradient.
    Spg,
    /// Interior point with a sparse Cholesky factor over the bodies.
    Ipm,
    /// Interior point, matrix-free over the contacts.
    IpmMf,
    /// Semi-smooth Newton.
    Newton,
    /// The interior-point method of the crate of that name.
    Clarabel,
    /// The one that [`Method::usual`] names for the problem.
    #[default]
    Usual,
}

impl Method {
    /// Every solver, each once: without [`Method::Usual`], which stands for one of them.
    pub const ALL: [Self; 20] = [
        Self::Auto,
        Self::Pgd,
        Self::Pgj,
        Self::Apgd,
        Self::ApgdAs,
        Self::ApgdAr,
        Self::ApgdAsr,
        Self::Ags,
        Self::Pgs,
        Self::NlgsSbp,
        Self::NlgsSal,
        Self::NlgsEbp,
        Self::NlgsEal,
        Self::NlgsPdas,
        Self::NlgsCases,
        Self::Spg,
        Self::Ipm,
        Self::IpmMf,
        Self::Newton,
        Self::Clarabel,
    ];

    /// The five that [bloch2023, Tables 1 and 2] compare.
    pub const BLOCH: [Self; 5] = [
        Self::Pgd,
        Self::Apgd,
        Self::ApgdAs,
        Self::ApgdAr,
        Self::ApgdAsr,
    ];

    /// The five that [barboteu2017, Tables 1 to 3] compare.
    pub const BARBOTEU: [Self; 5] = [
        Self::NlgsSbp,
        Self::NlgsSal,
        Self::NlgsEbp,
        Self::NlgsEal,
        Self::NlgsPdas,
    ];

    /// The fastest solver for contacts with so many rows, by measurement: sweeps with friction,
    /// gradients without. What scenes and programs get that ask for none.
    pub fn usual(rows: usize) -> Self {
        if rows == 1 { Self::ApgdAr } else { Self::Ags }
    }

    /// The method itself, or for [`Method::Usual`] the one that it stands for where contacts have so
    /// many rows.
    pub fn named(self, rows: usize) -> Self {
        match self {
            Self::Usual => Self::usual(rows),
            named => named,
        }
    }

    /// Whether exact friction is found by a fixed point whatever the settings say.
    pub fn needs_fixed_point(self) -> bool {
        matches!(self, Self::IpmMf | Self::Ipm | Self::Clarabel)
    }

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Pgd => "pgd",
            Self::Pgj => "pgj",
            Self::Apgd => "apgd",
            Self::ApgdAs => "apgd-as",
            Self::ApgdAr => "apgd-ar",
            Self::ApgdAsr => "apgd-asr",
            Self::Ags => "ags",
            Self::Pgs => "pgs",
            Self::NlgsSbp => "nlgs-sbp",
            Self::NlgsSal => "nlgs-sal",
            Self::NlgsEbp => "nlgs-ebp",
            Self::NlgsEal => "nlgs-eal",
            Self::NlgsPdas => "nlgs-pdas",
            Self::NlgsCases => "nlgs-cases",
            Self::Spg => "spg",
            Self::Ipm => "ipm",
            Self::IpmMf => "ipm-mf",
            Self::Newton => "newton",
            Self::Clarabel => "clarabel",
            Self::Usual => "usual",
        }
    }

    /// One line for people.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Auto => {
                "a portfolio: looks at the problem and at progress, and changes the solver"
            }
            Self::Pgd => "projected gradient with a fixed step (Uzawa); slow, simple, monotone",
            Self::Pgj => {
                "projected Gauss-Jacobi: all contacts at once, each damped by its own block"
            }
            Self::Apgd => "accelerated projected gradient (Nesterov)",
            Self::ApgdAs => "accelerated projected gradient with adaptive step",
            Self::ApgdAr => "accelerated projected gradient with adaptive restart",
            Self::ApgdAsr => "accelerated projected gradient with adaptive step and restart",
            Self::Ags => "accelerated Gauss-Seidel: with momentum",
            Self::Pgs => "projected Gauss-Seidel, row by row: what engines for games do",
            Self::NlgsSbp => "Gauss-Seidel with bipotential steps (Uzawa)",
            Self::NlgsSal => "Gauss-Seidel with steps of the augmented Lagrangian",
            Self::NlgsEbp => "Gauss-Seidel with Newton's method on the bipotential",
            Self::NlgsEal => "Gauss-Seidel with Newton's method on the augmented Lagrangian",
            Self::NlgsPdas => "Gauss-Seidel with the primal-dual active set method",
            Self::NlgsCases => "Gauss-Seidel with separation, sticking and sliding in turn",
            Self::Spg => "spectral projected gradient: Barzilai-Borwein steps, non-monotone",
            Self::IpmMf => "interior point, matrix-free: conjugate gradients over the contacts",
            Self::Ipm => {
                "interior point with a sparse Cholesky factor over the bodies: very high accuracy"
            }
            Self::Newton => {
                "semi-smooth Newton with an LU factor, after sweeps: exact friction to very high accuracy"
            }
            Self::Clarabel => {
                "interior-point method for cones (Clarabel): the reference for small problems"
            }
            Self::Usual => "the default: `ags` with friction, `apgd-ar` without",
        }
    }
}

/// When a solve ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// When the certificate of the impulses meets the tolerance.
    #[default]
    Certificate,
    /// When the test printed in the method's paper does: for the gradient methods
    /// `|λ⁺ - λ|∞ / (|λ|∞ + 1) < tolerance`. Only for regenerating published tables.
    Paper,
}

/// The metric that gradient steps are taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Each contact's step is divided by the size of its own diagonal block of W: large mass
    /// ratios then cost little.
    #[default]
    Diagonal,
    /// The same step for all contacts, as the papers print it.
    None,
}

/// The order in which Gauss-Seidel visits contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SweepOrder {
    /// As they are numbered, in every sweep.
    #[default]
    Forward,
    /// Forwards and backwards in turns.
    Symmetric,
    /// At random, another way in every sweep, the same for the same `seed`.
    Shuffled,
    /// Colour by colour, where contacts of one colour share no body that moves and are visited in
    /// parallel; the same bits for any number of threads.
    Coloured,
}

/// What a solve starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WarmStart {
    /// The impulses that the same contacts carried in the step before.
    #[default]
    Previous,
    /// Zero.
    Zero,
}

/// What happens when a step's certificate fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// Try the next stronger solver; if none reaches the tolerance, record it and go on.
    #[default]
    Escalate,
    /// Record it, warn and go on.
    Warn,
    /// End the run with an error; what was computed so far is kept.
    Stop,
}

/// How exact Coulomb friction is found by solvers of convex problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExactBy {
    /// By the method itself, with the exact law in its projection; `clarabel` takes the fixed point
    /// instead, `spg` has to be told to.
    #[default]
    Projection,
    /// By a fixed point around the convex problem: solve it with the slip velocities of the last
    /// solution as given openings, and repeat.
    FixedPoint,
}

/// The default of [`SolverConfig::max_share`]: half of the fastest approach. Two walls that close in on a
/// body at one speed leave at least that; the scenes that come with Granule stay below a third.
const DEFAULT_SHARE: f64 = 0.5;

/// A solver with its knobs.
///
/// ```
/// use granule::solver::{Method, SolverConfig};
/// let config = SolverConfig { method: Method::ApgdAsr, tolerance: 1e-8, ..Default::default() };
/// config.validate().unwrap();
/// assert!(SolverConfig { tolerance: -1.0, ..config }.validate().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SolverConfig {
    /// Which solver.
    pub method: Method,
    /// Dimensionless; with [`Stop::Certificate`] an upper bound for
    /// [`crate::certify::Certificate::scaled`]. Nominal range 1e-2 … 1e-12.
    pub tolerance: f64,
    /// Dimensionless: no single contact may err by more than this share of the fastest approach
    /// before impulses ([`crate::certify::Certificate::fastest`]).
    pub max_share: f64,
    /// m/s; if given, also an upper bound for [`crate::certify::Certificate::residual`], the
    /// error of the worst single contact. All must hold.
    pub max_residual: Option<f64>,
    /// If given, also an upper bound for
    /// [`crate::certify::Certificate::relative`], the error that collections of contact problems use.
    pub max_relative: Option<f64>,
    /// A solve that has not met its test after so many iterations says so.
    pub max_iterations: usize,
    /// Which test ends a solve.
    pub stop: Stop,
    /// The gradient step ρ (the first one for adaptive methods), in the unit of impulse over
    /// velocity (kg) with [`Scaling::None`], dimensionless with [`Scaling::Diagonal`]. `None` for
    /// one found by the method: for `pgd` the explicit bound of [maury2006, Proposition 1], for
    /// the accelerated methods one that follows the curvature of the problem, for `nlgs-*` 1. For these
    /// it is ρ W with the contact's own W, whatever the scaling.
    pub step: Option<f64>,
    /// The metric of the gradient steps.
    pub scaling: Scaling,
    /// The order of the sweeps of `pgs` and `nlgs-*`.
    pub sweep: SweepOrder,
    /// ω of `pgs` and `nlgs-*`: how much of the way to its answer a contact goes; above 1 is
    /// over-relaxation. Between 0 and 2.
    pub relaxation: f64,
    /// Where the random order of [`SweepOrder::Shuffled`] starts.
    pub seed: u64,
    /// How exact friction is found.
    pub exact: ExactBy,
    /// With [`Stop::Paper`] the fixed point ends when the slip velocities (m/s) change by less than
    /// this: `‖s⁺ - s‖ / (‖s⁺‖ + 1) < fixed_point_tolerance` [bloch2023, §3.2.2].
    pub fixed_point_tolerance: f64,
    /// What a solve starts from.
    pub warm_start: WarmStart,
    /// What happens when the certificate fails.
    pub on_failure: OnFailure,
}

impl Default for SolverConfig {
    fn default() -> Self {
        Self {
            method: Method::default(),
            tolerance: 1e-4,
            max_share: DEFAULT_SHARE,
            max_residual: None,
            max_relative: None,
            max_iterations: 20_000,
            stop: Stop::default(),
            step: None,
            scaling: Scaling::default(),
            sweep: SweepOrder::default(),
            relaxation: 1.0,
            seed: 0,
            exact: ExactBy::default(),
            fixed_point_tolerance: 1e-2,
            warm_start: WarmStart::default(),
            on_failure: OnFailure::default(),
        }
    }
}

impl SolverConfig {
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
        Ask {
            limits: self.limits(),
            iterations: self.max_iterations,
            start: Start::Guess,
        }
    }

    /// What is wrong with the numbers, if anything, and how to mend it: the name of the setting
    /// and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if !positive(self.tolerance) {
            return Err((
                "tolerance",
                format!("must be positive, not {}", self.tolerance),
            ));
        }
        if self.tolerance >= 1.0 {
            return Err((
                "tolerance",
                format!(
                    "must be below 1 (doing nothing has error 1), not {}",
                    self.tolerance
                ),
            ));
        }
        if !positive(self.max_share) {
            return Err((
                "max_share",
                format!("must be positive, not {}", self.max_share),
            ));
        }
        if let Some(limit) = self.max_residual
            && !positive(limit)
        {
            return Err((
                "max_residual",
                format!("must be positive (m/s), not {limit}"),
            ));
        }
        if let Some(limit) = self.max_relative
            && !positive(limit)
        {
            return Err(("max_relative", format!("must be positive, not {limit}")));
        }
        if let Some(step) = self.step
            && !positive(step)
        {
            return Err(("step", format!("must be positive, not {step}")));
        }
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return Err((
                "relaxation",
                format!("must be between 0 and 2, not {}", self.relaxation),
            ));
        }
        if !positive(self.fixed_point_tolerance) {
            return Err((
                "fixed_point_tolerance",
                format!("must be positive, not {}", self.fixed_point_tolerance),
            ));
        }
        if self.max_iterations == 0 {
            return Err(("max_iterations", "must be at least 1".to_owned()));
        }
        Ok(())
    }
}
