//! Iterations of the gradient solvers for a disk on an inclined plane [bloch2023, §3.1.2, Table 1].

use super::published::{Published, Tolerance};
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::problem::{Assembled, ContactProblem};
use granule::solver::{Gradient, Method, Scaling, SolverConfig, Stop, solver};

/// The time step, s.
const STEP: f64 = 0.05;

/// The first step in the paper's unknowns, which are forces: Q = Δt²/m, C = -Δt² g cos α.
fn first_step() -> ContactProblem {
    let square = STEP * STEP;
    let slope = std::f64::consts::FRAC_PI_6;
    Assembled::from_dense(1, &[[square]])
        .and_then(|w| ContactProblem::explicit(w, vec![-square * slope.cos()]))
        .expect("one contact with finite numbers")
}

/// The counts that are a match, where they are not the printed one alone.
fn range(
    method: Method,
    tolerance: f64,
    published: &Published,
) -> Result<Option<&Tolerance>, Error> {
    match method {
        Method::ApgdAs if tolerance < 1e-6 => published.tolerance("table1-apgd-as").map(Some),
        Method::ApgdAsr if tolerance < 1e-6 => published.tolerance("table1-apgd-asr").map(Some),
        _ => Ok(None),
    }
}

/// A solver with the paper's first step ρ = 2.
fn config(method: Method, tolerance: f64) -> SolverConfig {
    let mut config = SolverConfig {
        tolerance,
        stop: Stop::Paper,
        max_iterations: 100_000,
        ..SolverConfig::named(method)
    };
    if let Some(gradient) = config.own.gradient_mut() {
        *gradient = Gradient {
            step: Some(2.0),
            scaling: Scaling::None,
        };
    }
    config
}

/// Figure 4: the distance from the plane by which the constraint is missed, and the cost above the least, after so
/// many iterations.
fn draw(problem: &ContactProblem, options: &Options) -> Result<(), Error> {
    let slope = STEP * STEP * std::f64::consts::FRAC_PI_6.cos();
    let (mut misses, mut costs) = (Vec::new(), Vec::new());
    for (color, method) in Method::BLOCH.into_iter().enumerate() {
        let config = config(method, 1e-9);
        let (mut miss, mut cost) = (Vec::new(), Vec::new());
        // As many as make an even curve on an axis by powers of ten.
        let mut count = 1;
        loop {
            let mut impulse = [0.0];
            let report = solver(&config).solve(problem, &mut impulse, &config.ask().at_most(count));
            let gap = STEP * STEP * impulse[0] - slope;
            miss.push((report.iterations as f64, gap.abs()));
            // The quadratic function of the dual over its curvature: half the square of the distance from the least.
            cost.push((report.iterations as f64, 0.5 * gap * gap / (STEP * STEP)));
            if report.iterations < count {
                break;
            }
            count = (count + 1).max(count * 21 / 20);
        }
        let curve = |points| Curve {
            label: method.name().to_owned(),
            color,
            stroke: Stroke::Line,
            points,
        };
        misses.push(curve(miss));
        costs.push(curve(cost));
    }
    for (name, title, y, curves) in [
        (
            "constraint",
            "Constraint over the iterations (figure 4, left)",
            "|D + h G u|, m",
            misses,
        ),
        (
            "cost",
            "Cost above the least over the iterations (figure 4, right)",
            "cost above the least, J",
            costs,
        ),
    ] {
        let chart = Chart {
            title: title.to_owned(),
            x: "iterations",
            y,
            logarithmic: true,
            curves,
        };
        options.chart(&format!("bloch2023-table1-{name}"), &chart)?;
    }
    Ok(())
}

/// Iterations of the five solvers at two tolerances.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    options.say("five solvers on one contact");
    let problem = first_step();
    let mut rows = Vec::new();
    for (tolerance, name) in [(1e-3, "1e-3"), (1e-9, "1e-9")] {
        for method in Method::BLOCH {
            let config = config(method, tolerance);
            let mut impulse = [0.0];
            let iterations = solver(&config)
                .solve(&problem, &mut impulse, &config.ask())
                .iterations;
            let number = published.get(&format!("table1-{}-{name}", method.name()))?;
            let printed = number.float()? as usize;
            let range = range(method, tolerance, published)?;
            let same = match range {
                Some(range) => range.allows(iterations as f64),
                None => iterations == printed,
            };
            let verdict = Verdict::matches(same);
            let quantity = format!("{}, tolerance {name}", method.name());
            let row = number.row(quantity, iterations, verdict).unit("iterations");
            rows.push(match range {
                Some(range) => row.note(range.note("from")),
                None => row.note("match: the same count"),
            });
        }
    }
    draw(&problem, options)?;
    Ok(rows)
}
