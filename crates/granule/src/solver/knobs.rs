//! Which settings a method reads: the one place that knows.

use super::{ExactBy, Method, SolverConfig, Stop, SweepOrder};
use crate::law::Flow;
use crate::problem::ProblemKind;

/// A setting of [`SolverConfig`] that not every method reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knob {
    /// [`SolverConfig::stop`].
    Stop,
    /// [`SolverConfig::step`].
    Step,
    /// [`SolverConfig::scaling`].
    Scaling,
    /// [`SolverConfig::sweep`].
    Sweep,
    /// [`SolverConfig::relaxation`].
    Relaxation,
    /// [`SolverConfig::seed`].
    Seed,
    /// [`SolverConfig::exact`].
    Exact,
    /// [`SolverConfig::fixed_point_tolerance`].
    FixedPointTolerance,
}

impl Knob {
    /// Every such setting.
    pub const ALL: [Self; 8] = [
        Self::Stop,
        Self::Step,
        Self::Scaling,
        Self::Sweep,
        Self::Relaxation,
        Self::Seed,
        Self::Exact,
        Self::FixedPointTolerance,
    ];

    /// The name used in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Step => "step",
            Self::Scaling => "scaling",
            Self::Sweep => "sweep",
            Self::Relaxation => "relaxation",
            Self::Seed => "seed",
            Self::Exact => "exact",
            Self::FixedPointTolerance => "fixed_point_tolerance",
        }
    }
}

/// Why a setting has no effect beside the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idle {
    /// What about the others makes it so, as in "with `ags`".
    pub reason: String,
    /// What would give it one, as in "set `sweep = \"shuffled\"`".
    pub remedy: String,
}

impl Method {
    /// The settings that the method reads, of those that not every one does. For [`Method::Usual`]
    /// those of both that it may stand for.
    pub fn knobs(self) -> &'static [Knob] {
        use Knob::{Exact, FixedPointTolerance, Relaxation, Scaling, Seed, Step, Stop, Sweep};
        match self {
            Self::Pgd
            | Self::Apgd
            | Self::ApgdAs
            | Self::ApgdAr
            | Self::ApgdAsr
            | Self::Spg
            | Self::Usual => &[Stop, Step, Scaling, Exact, FixedPointTolerance],
            Self::Pgj => &[Stop, Step, Exact, FixedPointTolerance],
            Self::Ags => &[Stop, Exact, FixedPointTolerance],
            Self::NlgsSbp | Self::NlgsSal | Self::NlgsEbp | Self::NlgsEal | Self::NlgsPdas => &[
                Stop,
                Step,
                Sweep,
                Relaxation,
                Seed,
                Exact,
                FixedPointTolerance,
            ],
            Self::Pgs | Self::NlgsCases => {
                &[Stop, Sweep, Relaxation, Seed, Exact, FixedPointTolerance]
            }
            // Their own test is the certificate; the fixed point around them has one of its paper.
            Self::Ipm | Self::IpmMf | Self::Clarabel => &[Stop, FixedPointTolerance],
            Self::Newton | Self::Auto => &[Exact],
        }
    }
}

impl SolverConfig {
    /// Why a setting has no effect beside the others on problems of this kind; `None` if it has one.
    ///
    /// ```
    /// use granule::law::Flow;
    /// use granule::problem::ProblemKind;
    /// use granule::solver::{Knob, Method, SolverConfig};
    /// let kind = ProblemKind::of_contacts(3, Flow::Exact);
    /// let config = SolverConfig { method: Method::Ags, ..Default::default() };
    /// assert!(config.idle(Knob::Relaxation, &kind).is_some());
    /// assert!(config.idle(Knob::Exact, &kind).is_none());
    /// ```
    pub fn idle(&self, knob: Knob, kind: &ProblemKind) -> Option<Idle> {
        let method = self.method.named(kind.rows);
        if !method.knobs().contains(&knob) {
            let readers = Method::ALL.into_iter();
            let readers = readers.filter(|m| m.knobs().contains(&knob));
            let names: Vec<String> = readers.map(|m| format!("`{}`", m.name())).collect();
            return Some(Idle {
                reason: format!("with `{}`", method.name()),
                remedy: format!("choose a `method` that reads it: {}", names.join(", ")),
            });
        }
        let exact_law = kind.flow == Flow::Exact && kind.rows > 1;
        let fixed_point = method.needs_fixed_point();
        let idle = |reason: &str, remedy: &str| {
            Some(Idle {
                reason: reason.to_owned(),
                remedy: remedy.to_owned(),
            })
        };
        match knob {
            Knob::Seed if self.sweep != SweepOrder::Shuffled => idle(
                "with a sweep that is not random",
                "set `sweep = \"shuffled\"`",
            ),
            Knob::Exact | Knob::FixedPointTolerance if !exact_law => idle(
                "without exact friction",
                "set `law = \"coulomb\"` and a `friction`",
            ),
            Knob::Stop if fixed_point && !exact_law => idle(
                "with this method and no exact friction",
                "set `law = \"coulomb\"`, or choose another `method`",
            ),
            Knob::FixedPointTolerance if !fixed_point && self.exact != ExactBy::FixedPoint => {
                idle("without a fixed point", "set `exact = \"fixed-point\"`")
            }
            Knob::FixedPointTolerance if self.stop != Stop::Paper => idle(
                "where the certificate ends the fixed point",
                "set `stop = \"paper\"`",
            ),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONVEX: ProblemKind = ProblemKind::of_contacts(3, Flow::Associated);
    const EXACT: ProblemKind = ProblemKind {
        flow: Flow::Exact,
        ..CONVEX
    };

    fn of(method: Method) -> SolverConfig {
        SolverConfig {
            method,
            ..SolverConfig::default()
        }
    }

    #[test]
    fn every_setting_is_read_by_some_method_and_named_by_its_remedy() {
        for knob in Knob::ALL {
            let readers: Vec<Method> = Method::ALL
                .into_iter()
                .filter(|method| method.knobs().contains(&knob))
                .collect();
            assert!(!readers.is_empty(), "{}", knob.name());
            for method in Method::ALL {
                let Some(idle) = of(method).idle(knob, &EXACT) else {
                    continue;
                };
                let named = method.named(EXACT.rows);
                if !named.knobs().contains(&knob) {
                    assert!(idle.reason.contains(named.name()), "{idle:?}");
                    let name = format!("`{}`", readers[0].name());
                    assert!(idle.remedy.contains(&name), "{idle:?}");
                }
            }
        }
    }

    #[test]
    fn what_a_setting_depends_on_decides() {
        let nlgs = of(Method::NlgsCases);
        assert!(nlgs.idle(Knob::Seed, &EXACT).is_some());
        let shuffled = SolverConfig {
            sweep: SweepOrder::Shuffled,
            ..nlgs
        };
        assert!(shuffled.idle(Knob::Seed, &EXACT).is_none());
        assert!(nlgs.idle(Knob::Exact, &CONVEX).is_some());
        assert!(nlgs.idle(Knob::Exact, &EXACT).is_none());
        let one_row = ProblemKind { rows: 1, ..EXACT };
        assert!(nlgs.idle(Knob::Exact, &one_row).is_some());

        let knob = Knob::FixedPointTolerance;
        let ipm = of(Method::Ipm);
        assert!(ipm.idle(Knob::Stop, &CONVEX).is_some() && ipm.idle(knob, &EXACT).is_some());
        let paper = SolverConfig {
            stop: Stop::Paper,
            ..ipm
        };
        assert!(paper.idle(knob, &EXACT).is_none() && paper.idle(Knob::Stop, &EXACT).is_none());
        let gradient = SolverConfig {
            method: Method::ApgdAr,
            ..paper
        };
        assert!(gradient.idle(knob, &EXACT).is_some());
        let fixed_point = SolverConfig {
            exact: ExactBy::FixedPoint,
            ..gradient
        };
        assert!(fixed_point.idle(knob, &EXACT).is_none());
    }

    #[test]
    fn the_usual_solver_has_the_settings_of_the_one_it_stands_for() {
        let usual = SolverConfig::default();
        let frictionless = ProblemKind { rows: 1, ..CONVEX };
        assert!(usual.idle(Knob::Scaling, &CONVEX).is_some());
        assert!(usual.idle(Knob::Scaling, &frictionless).is_none());
    }
}
