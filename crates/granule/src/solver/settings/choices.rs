//! The values of settings that are one of a few.

use serde::{Deserialize, Serialize};

/// Enumerations whose values scene files name.
macro_rules! choices {
    ($($(#[$about:meta])* $name:ident { $($(#[$text:meta])* $value:ident,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $($(#[$text])* $value,)+
        }
    )+};
}

choices! {
    /// When a solve ends.
    Stop {
        /// When the certificate of the impulses meets the tolerance.
        #[default]
        Certificate,
        /// When the test printed in the method's paper does: for the gradient methods
        /// `|λ⁺ - λ|∞ / (|λ|∞ + 1) < tolerance`. Only for regenerating published tables.
        Paper,
    }

    /// The metric that gradient steps are taken in.
    Scaling {
        /// Each contact's step is divided by the size of its own diagonal block of W: large mass
        /// ratios then cost little.
        #[default]
        Diagonal,
        /// The same step for all contacts, as the papers print it.
        None,
    }

    /// The order in which Gauss-Seidel visits contacts.
    SweepOrder {
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
    WarmStart {
        /// The impulses that the same contacts carried in the step before.
        #[default]
        Previous,
        /// Zero.
        Zero,
    }

    /// What happens when a step's certificate fails.
    OnFailure {
        /// Try the next stronger solver; if none reaches the tolerance, record it and go on.
        #[default]
        Escalate,
        /// Record it, warn and go on.
        Warn,
        /// End the run with an error; what was computed so far is kept.
        Stop,
    }

    /// How exact Coulomb friction is found by solvers of convex problems.
    ExactBy {
        /// By the method itself, with the exact law in its projection; `clarabel` takes the fixed point
        /// instead, `spg` has to be told to.
        #[default]
        Projection,
        /// By a fixed point around the convex problem: solve it with the slip velocities of the last
        /// solution as given openings, and repeat.
        FixedPoint,
    }
}
