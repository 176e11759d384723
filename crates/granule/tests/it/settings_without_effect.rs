//! Settings that have no effect beside the others are known, with a remedy.

use granule::law::Flow;
use granule::problem::ProblemKind;
use granule::solver::{ExactBy, Method, SolverConfig, Stop, SweepOrder};

const CONVEX: ProblemKind = ProblemKind::of_contacts(3, Flow::Associated);
const EXACT: ProblemKind = ProblemKind {
    flow: Flow::Exact,
    ..CONVEX
};

fn of(method: Method) -> SolverConfig {
    SolverConfig::named(method)
}

#[test]
fn a_key_that_a_method_does_not_read_is_told_with_one_that_does() {
    for key in Method::all_keys() {
        let readers: Vec<Method> = Method::ALL
            .into_iter()
            .filter(|method| method.keys().contains(&key))
            .collect();
        for method in Method::ALL {
            let Some(idle) = of(method).idle(key, &EXACT) else {
                continue;
            };
            if !method.keys().contains(&key) {
                assert!(idle.reason.contains(method.name()), "{idle:?}");
                let name = format!("`{}`", readers[0].name());
                assert!(idle.remedy.contains(&name), "{idle:?}");
            }
        }
    }
}

#[test]
fn what_a_setting_depends_on_decides() {
    let nlgs = of(Method::NlgsCases);
    assert!(nlgs.idle("seed", &EXACT).is_some());
    let mut shuffled = nlgs;
    shuffled.own.sweeps_mut().unwrap().0.sweep = SweepOrder::Shuffled;
    assert!(shuffled.idle("seed", &EXACT).is_none());
    assert!(nlgs.idle("exact", &CONVEX).is_some());
    assert!(nlgs.idle("exact", &EXACT).is_none());
    let one_row = ProblemKind { rows: 1, ..EXACT };
    assert!(nlgs.idle("exact", &one_row).is_some());

    let key = "fixed_point_tolerance";
    let ipm = of(Method::Ipm);
    assert!(ipm.idle("stop", &CONVEX).is_some() && ipm.idle(key, &EXACT).is_some());
    let paper = SolverConfig {
        stop: Stop::Paper,
        ..ipm
    };
    assert!(paper.idle(key, &EXACT).is_none() && paper.idle("stop", &EXACT).is_none());
    let gradient = SolverConfig {
        own: Method::ApgdAr.into(),
        ..paper
    };
    assert!(gradient.idle(key, &EXACT).is_some());
    let fixed_point = SolverConfig {
        exact: ExactBy::FixedPoint,
        ..gradient
    };
    assert!(fixed_point.idle(key, &EXACT).is_none());
}

#[test]
fn the_usual_solver_has_the_settings_of_the_one_it_stands_for() {
    let usual = SolverConfig::default();
    let frictionless = ProblemKind { rows: 1, ..CONVEX };
    assert!(usual.idle("scaling", &CONVEX).is_some());
    assert!(usual.idle("scaling", &frictionless).is_none());
}
