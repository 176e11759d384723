//! Which settings have an effect beside the others.

use super::{ExactBy, Method, MethodSettings, SolverConfig, Stop, SweepOrder};
use crate::law::Flow;
use crate::problem::ProblemKind;

/// Why a setting has no effect beside the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idle {
    /// What about the others makes it so, as in "with `ags`".
    pub reason: String,
    /// What would give it one, as in "set `sweep = \"shuffled\"`".
    pub remedy: String,
}

impl Method {
    /// The keys of the settings that the method reads, of those that not every one does. For
    /// [`Method::Usual`] those of both that it may stand for.
    pub fn keys(self) -> Vec<&'static str> {
        let mut keys = self.own_keys();
        keys.extend(match self {
            // Their own test is the certificate; the fixed point around them has one of its paper.
            Self::Ipm | Self::IpmMf | Self::Clarabel => &["stop", "fixed_point_tolerance"][..],
            Self::Newton | Self::Auto => &["exact"],
            _ => &["stop", "exact", "fixed_point_tolerance"],
        });
        keys
    }

    /// The keys of the settings that some method reads and another does not.
    pub fn all_keys() -> Vec<&'static str> {
        let mut all = Vec::new();
        for key in Self::ALL.into_iter().flat_map(Self::keys) {
            if !all.contains(&key) {
                all.push(key);
            }
        }
        all
    }
}

impl SolverConfig {
    /// Why the setting with this key has no effect beside the others on problems of this kind; `None` if it
    /// has one.
    ///
    /// ```
    /// use granule::law::Flow;
    /// use granule::problem::ProblemKind;
    /// use granule::solver::{Method, SolverConfig};
    /// let kind = ProblemKind::of_contacts(3, Flow::Exact);
    /// let config = SolverConfig::named(Method::Ags);
    /// assert!(config.idle("relaxation", &kind).is_some());
    /// assert!(config.idle("exact", &kind).is_none());
    /// ```
    pub fn idle(&self, key: &str, kind: &ProblemKind) -> Option<Idle> {
        let own = self.own.named(kind);
        let method = own.method();
        let reads = |method: Method| method.keys().contains(&key);
        if !reads(method) && Method::all_keys().contains(&key) {
            let readers = Method::ALL.into_iter().filter(|method| reads(*method));
            let names: Vec<String> = readers.map(|m| format!("`{}`", m.name())).collect();
            return Some(Idle {
                reason: format!("with `{}`", method.name()),
                remedy: format!("choose a `method` that reads it: {}", names.join(", ")),
            });
        }
        let exact_law = kind.flow == Flow::Exact && kind.rows > 1;
        let fixed_point = method.needs_fixed_point();
        let (reason, remedy) = match key {
            "seed" if !is_shuffled(own) => (
                "with a sweep that is not random",
                "set `sweep = \"shuffled\"`",
            ),
            "exact" | "fixed_point_tolerance" if !exact_law => (
                "without exact friction",
                "set `law = \"coulomb\"` and a `friction`",
            ),
            "stop" if fixed_point && !exact_law => (
                "with this method and no exact friction",
                "set `law = \"coulomb\"`, or choose another `method`",
            ),
            "fixed_point_tolerance" if !fixed_point && self.exact != ExactBy::FixedPoint => {
                ("without a fixed point", "set `exact = \"fixed-point\"`")
            }
            "fixed_point_tolerance" if self.stop != Stop::Paper => (
                "where the certificate ends the fixed point",
                "set `stop = \"paper\"`",
            ),
            _ => return None,
        };
        Some(Idle {
            reason: reason.to_owned(),
            remedy: remedy.to_owned(),
        })
    }
}

fn is_shuffled(mut own: MethodSettings) -> bool {
    own.sweeps_mut()
        .is_some_and(|(sweeps, _)| sweeps.sweep == SweepOrder::Shuffled)
}
