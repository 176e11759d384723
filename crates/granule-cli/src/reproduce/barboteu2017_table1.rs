//! Iterations of Gauss-Seidel with five local solvers for a ball on a plane [barboteu2017, §5.1,
//! Table 1].

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use granule::problem::{Assembled, ContactProblem};
use granule::solver::{LocalStep, Method, MethodSettings, SolverConfig, Stop, Sweeps, solver};

/// The time step, s.
const STEP: f64 = 1e-4;
/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// The paper states no tolerance for this example; this is that of the others.
const TOLERANCE: f64 = 1e-7;
/// ρ W of the standard methods: with it they take 17 or 18 iterations, by when the test is made.
const RHO: f64 = 0.42;

/// A method with the paper's step, which only the standard ones take.
pub(super) fn with_printed_step(method: Method, step: f64) -> MethodSettings {
    let (sweeps, step) = (Sweeps::default(), LocalStep { step });
    match method {
        Method::NlgsSbp => MethodSettings::NlgsSbp(sweeps, step),
        Method::NlgsSal => MethodSettings::NlgsSal(sweeps, step),
        other => other.into(),
    }
}

/// Iterations of the five solvers.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    options.say("five local solvers on one contact");
    // A ball of 1 kg: v_free = -g Δt, W = 1/m.
    let problem = Assembled::from_dense(1, &[[1.0]])
        .and_then(|w| ContactProblem::explicit(w, vec![-GRAVITY * STEP]))
        .expect("one contact with finite numbers");
    let mut rows = Vec::new();
    for method in Method::BARBOTEU {
        let config = SolverConfig {
            own: with_printed_step(method, RHO),
            tolerance: TOLERANCE,
            stop: Stop::Paper,
            ..SolverConfig::default()
        };
        let iterations = solver(&config)
            .solve(&problem, &mut [0.0], &config.ask())
            .iterations;
        let number = published.get(&format!("table1-{}", method.name()))?;
        let printed = number.float()? as usize;
        // Whether the test is made before or after the update of a sweep is one iteration.
        let verdict = Verdict::matches(printed.abs_diff(iterations) <= 1);
        rows.push(
            number
                .row(method.name(), iterations, verdict)
                .unit("iterations")
                .note(
                    "match: within one, by whether the test is made before or after the update; \
                     without friction SBP is SAL, and EBP, EAL and PDAS are one map, so that no \
                     convention gives all five printed counts",
                ),
        );
    }
    Ok(rows)
}
