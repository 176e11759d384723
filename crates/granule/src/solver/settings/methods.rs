//! The solvers by name, and the settings that each of them has besides those that all share.

use super::{Gradient, Jacobi, LocalStep, Sweeps};
use crate::problem::ProblemKind;
use serde::{Deserialize, Deserializer, Serialize};

/// The methods, from lines `Variant(settings of its own, ...) -> the next stronger = name, summary;`. The first stands
/// for one of the others.
macro_rules! methods {
    (
        stand-in $usual:ident($gradient:ident) = $usual_name:literal, $usual_summary:literal;
        $($method:ident $(($($own:ident),+))? $(-> $stronger:ident)? = $name:literal, $summary:literal;)*
    ) => {
        /// A solver by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum Method {
            $(#[doc = $summary] $method,)*
            #[doc = $usual_summary]
            #[default]
            $usual,
        }

        impl Method {
            /// Every solver, each once: without [`Method::Usual`], which stands for one of them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$method),*];

            /// The name used in scene files and on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$method => $name,)*
                    Self::$usual => $usual_name,
                }
            }

            /// One line for people.
            pub fn summary(self) -> &'static str {
                match self {
                    $(Self::$method => $summary,)*
                    Self::$usual => $usual_summary,
                }
            }

            /// The solver to try when this one did not reach the tolerance; `None` after the strongest, and after
            /// `newton` and `clarabel`, which are not meant for large problems.
            pub fn next_stronger(self) -> Option<Self> {
                match self {
                    $(Self::$method => None $(.or(Some(Self::$stronger)))?,)*
                    Self::$usual => None,
                }
            }

            /// The keys of the settings in [`MethodSettings`].
            pub fn own_keys(self) -> Vec<&'static str> {
                let tables: &[&[&str]] = match self {
                    $(Self::$method => &[$($($own::KEYS),+)?],)*
                    Self::$usual => &[$gradient::KEYS],
                };
                tables.concat()
            }
        }

        /// A solver with the settings that not every one has.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        pub enum MethodSettings {
            $(#[doc = $summary] $method $(($($own),+))?,)*
            #[doc = $usual_summary]
            $usual($gradient),
        }

        impl From<Method> for MethodSettings {
            fn from(method: Method) -> Self {
                match method {
                    $(Method::$method => Self::$method $(($($own::default()),+))?,)*
                    Method::$usual => Self::$usual($gradient::default()),
                }
            }
        }

        impl MethodSettings {
            /// Which solver.
            pub fn method(&self) -> Method {
                match self {
                    $(Self::$method { .. } => Method::$method,)*
                    Self::$usual(_) => Method::$usual,
                }
            }

            /// Reads the settings of a method, table by table: `values` gives what to read for the keys that
            /// it is told.
            pub fn read<'de, D: Deserializer<'de>>(
                method: Method,
                mut values: impl FnMut(&'static [&'static str]) -> D,
            ) -> Result<Self, D::Error> {
                Ok(match method {
                    $(Method::$method => {
                        Self::$method $(($($own::deserialize(values($own::KEYS))?),+))?
                    })*
                    Method::$usual => Self::$usual($gradient::deserialize(values($gradient::KEYS))?),
                })
            }

            /// The first setting whose value breaks its rule, and how to mend it.
            // Each table is bound to a variable of its type's name.
            #[allow(non_snake_case)]
            pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
                match self {
                    $(Self::$method $(($($own),+))? => { $($($own::check($own)?;)+)? })*
                    Self::$usual($gradient) => $gradient::check($gradient)?,
                }
                Ok(())
            }

            /// The JSON schemas of all tables.
            #[cfg(feature = "schema")]
            pub fn schemas(generator: &mut schemars::SchemaGenerator) -> Vec<schemars::Schema> {
                use schemars::JsonSchema;
                vec![$($($($own::json_schema(generator)),+,)?)*]
            }
        }
    };
}

methods! {
    stand-in Usual(Gradient) = "usual", "the default: `ags` with friction, `apgd-ar` without";
    Auto = "auto", "a portfolio: looks at the problem and at progress, and changes the solver";
    Pgd(Gradient) -> Apgd = "pgd", "projected gradient with a fixed step (Uzawa); slow, simple, monotone";
    Pgj(Jacobi) -> Apgd = "pgj", "projected Gauss-Jacobi: all contacts at once, each damped by its own block";
    Apgd(Gradient) -> ApgdAr = "apgd", "accelerated projected gradient (Nesterov)";
    ApgdAs(Gradient) -> ApgdAr = "apgd-as", "accelerated projected gradient with adaptive step";
    ApgdAr(Gradient) -> Ags = "apgd-ar", "accelerated projected gradient with adaptive restart";
    ApgdAsr(Gradient) -> Ipm = "apgd-asr", "accelerated projected gradient with adaptive step and restart";
    Ags -> ApgdAsr = "ags", "accelerated Gauss-Seidel: with momentum";
    Pgs(Sweeps) -> Ags = "pgs", "projected Gauss-Seidel, row by row: what engines for games do";
    NlgsSbp(Sweeps, LocalStep) -> Ags = "nlgs-sbp", "Gauss-Seidel with bipotential steps (Uzawa)";
    NlgsSal(Sweeps, LocalStep) -> Ags = "nlgs-sal", "Gauss-Seidel with steps of the augmented Lagrangian";
    NlgsEbp(Sweeps, LocalStep) -> Ags = "nlgs-ebp", "Gauss-Seidel with Newton's method on the bipotential";
    NlgsEal(Sweeps, LocalStep) -> Ags =
        "nlgs-eal", "Gauss-Seidel with Newton's method on the augmented Lagrangian";
    NlgsPdas(Sweeps, LocalStep) -> Ags =
        "nlgs-pdas", "Gauss-Seidel with the primal-dual active set method";
    NlgsCases(Sweeps) -> Ags = "nlgs-cases", "Gauss-Seidel with separation, sticking and sliding in turn";
    Spg(Gradient) -> ApgdAr = "spg", "spectral projected gradient: Barzilai-Borwein steps, non-monotone";
    Ipm = "ipm", "interior point with a sparse Cholesky factor over the bodies: very high accuracy";
    IpmMf -> Ipm = "ipm-mf", "interior point, matrix-free: conjugate gradients over the contacts";
    Newton =
        "newton", "semi-smooth Newton with an LU factor, after sweeps: exact friction to very high accuracy";
    Clarabel =
        "clarabel", "interior-point method for cones (Clarabel): the reference for small problems";
}

impl Method {
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
    pub fn usual(kind: &ProblemKind) -> Self {
        if gradients_suit(kind) {
            Self::ApgdAr
        } else {
            Self::Ags
        }
    }

    /// Whether exact friction is found by a fixed point whatever the settings say.
    pub fn needs_fixed_point(self) -> bool {
        matches!(self, Self::IpmMf | Self::Ipm | Self::Clarabel)
    }
}

/// Whether gradients are the usual solver: without friction, and without joints, which sweeps solve all at once.
fn gradients_suit(kind: &ProblemKind) -> bool {
    kind.rows == 1 && !kind.sets.free
}

impl MethodSettings {
    /// The same, or for [`Method::Usual`] the solver that it stands for for problems of this kind.
    pub fn named(self, kind: &ProblemKind) -> Self {
        match self {
            Self::Usual(gradient) if gradients_suit(kind) => Self::ApgdAr(gradient),
            Self::Usual(_) => Self::Ags,
            named => named,
        }
    }

    /// The settings of gradient steps, if the method takes such.
    pub fn gradient_mut(&mut self) -> Option<&mut Gradient> {
        match self {
            Self::Pgd(gradient)
            | Self::Apgd(gradient)
            | Self::ApgdAs(gradient)
            | Self::ApgdAr(gradient)
            | Self::ApgdAsr(gradient)
            | Self::Spg(gradient)
            | Self::Usual(gradient) => Some(gradient),
            _ => None,
        }
    }

    /// The settings of sweeps, if the method is made of those, and of a contact's own step, if it has one.
    pub fn sweeps_mut(&mut self) -> Option<(&mut Sweeps, Option<&mut LocalStep>)> {
        match self {
            Self::Pgs(sweeps) | Self::NlgsCases(sweeps) => Some((sweeps, None)),
            Self::NlgsSbp(sweeps, step)
            | Self::NlgsSal(sweeps, step)
            | Self::NlgsEbp(sweeps, step)
            | Self::NlgsEal(sweeps, step)
            | Self::NlgsPdas(sweeps, step) => Some((sweeps, Some(step))),
            _ => None,
        }
    }

    /// The same with the default step: one that was chosen for other problems says nothing about these.
    pub fn without_step(mut self) -> Self {
        if let Some(gradient) = self.gradient_mut() {
            gradient.step = None;
        } else if let Self::Pgj(jacobi) = &mut self {
            *jacobi = Jacobi::default();
        } else if let Some((_, Some(local))) = self.sweeps_mut() {
            *local = LocalStep::default();
        }
        self
    }
}
