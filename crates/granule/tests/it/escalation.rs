//! A step that one solver does not finish is handed to the next.

use granule::cases;
use granule::law::{Law, LawTable};
use granule::simulation::Simulation;
use granule::solver::{Method, OnFailure};

#[test]
fn what_sweeps_and_gradients_leave_the_interior_point_finishes() {
    let mut settings = cases::pile_settings(0.2);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-6;
    // Enough for Newton's method, not for the others.
    settings.solver.max_iterations = 60;
    settings.solver.on_failure = OnFailure::Escalate;
    let mut simulation = Simulation::new(cases::pile(120, 1), settings).unwrap();
    let mut handed_over = 0;
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
        if report.method == Method::Ipm {
            handed_over += 1;
            assert_eq!(report.escalations, 2);
        }
    }
    assert!(handed_over > 0);
}

#[test]
fn solvers_that_do_not_know_the_law_are_left_out() {
    let mut settings = cases::pile_settings(0.1);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-9;
    settings.solver.max_iterations = 3;
    let mut world = cases::pile(120, 1);
    let friction = granule::law::Friction {
        rolling: 1e-4,
        ..granule::law::Friction::sliding(0.4)
    };
    world.lock_rotation = false;
    world.laws = LawTable::uniform(Law::CoulombConvex(friction));
    let mut simulation = Simulation::new(world, settings).unwrap();
    let mut missed = 0;
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert_ne!(report.method, Method::Ipm);
        missed += usize::from(!report.certified);
    }
    assert!(missed > 0);
}
