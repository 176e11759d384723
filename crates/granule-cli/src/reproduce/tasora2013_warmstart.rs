//! What starting from the impulses of the step before saves, by the stiffness of contacts [tasora2013, §10.2].
//!
//! Spheres in a box under a heavy lid, one wall of which is drawn back slowly, as the drawer of the paper's figure 6. They
//! come to rest first, each stiffness for itself; from there all solvers take the same steps, from zero and from the
//! impulses of the step before, to the same certificate. Counted are applications of W.

use super::news::News;
use super::published::Published;
use super::tasora2013_packing::Packing;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::bodies::Motion;
use granule::law::{Elasticity, Friction, Interface, Law};
use granule::simulation::{Settings, Simulation, Snapshot, StepSize};
use granule::solver::{Method, OnFailure, SolverConfig, WarmStart};

/// Spheres along an edge, and with `--quick`.
const EDGE: [usize; 2] = [8, 4];
/// K, N/m; rigid contacts come after these.
const STIFFNESS: [f64; 5] = [1e4, 1e5, 1e6, 1e7, 1e8];
/// The same with `--quick`.
const FEW: [f64; 2] = [1e4, 1e6];
/// At which all solvers are compared, N/m.
const COMPARED: f64 = 1e4;
/// α_K, s.
const DAMPING: f64 = 1e-3;
/// Length of steps, s.
const STEP: f64 = 1e-3;
/// Steps to come to rest, and those that are counted.
const REST: usize = 150;
const COUNTED: [usize; 2] = [20, 4];
/// Of the wall that is drawn back, m/s.
const SPEED: f64 = 0.01;
/// Of the certificate.
const TOLERANCE: f64 = 1e-4;
/// The most iterations of a solve; steps that need more are told of.
const MOST: usize = 3000;
/// The same of methods that factorise in each of them.
const MOST_FACTORS: usize = 100;
/// Solvers whose counts are drawn over the stiffness. None that factorises: the matrix of 1024 spheres that share one
/// lid fills up, and a step takes minutes.
const DRAWN: [Method; 3] = [Method::Spg, Method::ApgdAr, Method::Ags];

/// What a stiffness was called.
fn named(stiffness: Option<f64>) -> String {
    stiffness.map_or("rigid".to_owned(), |k| format!("K = {k:e} N/m"))
}

/// The packing at rest, with contacts of this stiffness (N/m).
fn at_rest(packing: &Packing, stiffness: Option<f64>) -> Result<Snapshot, Error> {
    let elasticity = stiffness.map_or(Elasticity::default(), |k| Elasticity {
        damping: DAMPING,
        ..Elasticity::springs(k, k)
    });
    let interface = Interface {
        elasticity,
        ..Law::CoulombConvex(Friction::sliding(0.3)).into()
    };
    let drawer = Motion::Piecewise {
        times: vec![REST as f64 * STEP],
        velocities: vec![[SPEED, 0.0, 0.0]],
    };
    let settings = Settings::new(StepSize::Fixed(STEP), 1e3);
    let mut simulation = Simulation::new(packing.loaded(interface, drawer), settings)?;
    for _ in 0..REST {
        simulation.step()?;
    }
    Ok(simulation.snapshot())
}

/// What steps cost.
#[derive(Clone, Copy)]
struct Cost {
    /// Applications of W a step.
    applications: f64,
    /// Steps that missed the certificate.
    missed: usize,
}

fn cost(rest: &Snapshot, method: Method, start: WarmStart, count: usize) -> Result<Cost, Error> {
    let mut from = rest.clone();
    from.settings.solver = SolverConfig {
        tolerance: TOLERANCE,
        warm_start: start,
        max_iterations: match method {
            Method::Newton | Method::Ipm | Method::IpmMf => MOST_FACTORS,
            _ => MOST,
        },
        on_failure: OnFailure::Warn,
        ..SolverConfig::named(method)
    };
    let mut simulation = Simulation::restore(from)?;
    let (mut applications, mut missed) = (0, 0);
    for _ in 0..count {
        let report = simulation.step()?;
        applications += report.applications;
        missed += usize::from(!report.certified);
    }
    Ok(Cost {
        applications: applications as f64 / count as f64,
        missed,
    })
}

/// From zero and from the step before.
fn both(rest: &Snapshot, method: Method, count: usize) -> Result<[Cost; 2], Error> {
    Ok([
        cost(rest, method, WarmStart::Zero, count)?,
        cost(rest, method, WarmStart::Previous, count)?,
    ])
}

/// Whether a solver is in the table of all of them.
fn is_compared(method: Method) -> bool {
    // That of the paper has its own lines, `clarabel` starts from nothing, the steps of `auto` are those of others.
    !matches!(method, Method::Spg | Method::Clarabel | Method::Auto)
}

fn note([cold, warm]: [Cost; 2], count: usize) -> String {
    format!(
        "applications of W a step: {:.0} from zero, {:.0} from the step before; {} and {} of {count} steps missed the certificate {TOLERANCE:e}",
        cold.applications, warm.applications, cold.missed, warm.missed
    )
}

/// Factors saved, by stiffness and solver.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let quick = usize::from(options.quick);
    let packing = Packing::settle(EDGE[quick], options)?;
    let count = COUNTED[quick];
    let stiffness: &[f64] = if options.quick { &FEW } else { &STIFFNESS };
    let cases: Vec<Option<f64>> = stiffness.iter().copied().map(Some).chain([None]).collect();
    // Rigid contacts are drawn a hundred times stiffer than the stiffest.
    let drawn_at = |k: Option<f64>| k.unwrap_or(100.0 * stiffness[stiffness.len() - 1]);
    let mut curves: Vec<Curve> = Vec::new();
    for (color, method) in DRAWN.iter().enumerate() {
        for (what, stroke) in [("from zero", Stroke::Line), ("warm", Stroke::Both)] {
            curves.push(Curve {
                label: format!("{}, {what}", method.name()),
                color,
                stroke,
                points: Vec::new(),
            });
        }
    }
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    let mut news = News::start(options, "warm starts");
    for (place, case) in cases.iter().enumerate() {
        let rest = at_rest(&packing, *case)?;
        for (k, method) in DRAWN.into_iter().enumerate() {
            news.tell(place as f64, cases.len() as f64);
            let costs = both(&rest, method, count)?;
            for (way, cost) in costs.iter().enumerate() {
                curves[2 * k + way]
                    .points
                    .push((drawn_at(*case), cost.applications));
            }
            lines.push(vec![
                method.name().to_owned(),
                case.map_or("rigid".to_owned(), |k| k.to_string()),
                costs[0].applications.to_string(),
                costs[1].applications.to_string(),
            ]);
            if method == Method::Spg {
                let factor = costs[0].applications / costs[1].applications;
                let soft = case.is_some_and(|k| k == COMPARED);
                let quantity = format!("factor saved by a warm start, spg, {}", named(*case));
                let row = if soft {
                    let number = published.get("warmstart-soft")?;
                    let least = published.tolerance("warmstart-soft")?;
                    number
                        .row(quantity, factor, Verdict::matches(factor >= least.most()))
                        .note(least.note("at least"))
                } else if case.is_none() {
                    let little = published.tolerance("warmstart-rigid")?;
                    let verdict = Verdict::of_cost(1.0, 1.0 / factor, little.most());
                    let number = published.get("warmstart-rigid")?;
                    number
                        .row(quantity, factor, verdict)
                        .note(little.note("saved or lost within a factor of"))
                } else {
                    Row::unpublished(quantity, factor)
                };
                rows.push(row.note(note(costs, count)));
            }
        }
        if *case == Some(COMPARED) {
            // Some of them are slow: they are compared on a small packing.
            let small = Packing::settle(EDGE[1], options)?;
            let rest = at_rest(&small, *case)?;
            let spheres = small.grains.len();
            for method in Method::ALL.into_iter().filter(|m| is_compared(*m)) {
                news.tell(place as f64, cases.len() as f64);
                let quantity = format!(
                    "factor saved, {}, {}, {spheres} spheres",
                    method.name(),
                    named(*case)
                );
                rows.push(match both(&rest, method, count) {
                    Ok(costs) => {
                        let factor = costs[0].applications / costs[1].applications;
                        Row::unpublished(quantity, factor).note(note(costs, count))
                    }
                    Err(Error::Setup(error)) => {
                        Row::unpublished(quantity, "refused").note(error.to_string())
                    }
                    Err(error) => return Err(error),
                });
            }
        }
    }
    let falls = |way: usize| -> bool {
        let points = &curves[way].points;
        points[..points.len() - 1]
            .windows(2)
            .all(|p| p[0].1 <= p[1].1)
    };
    for (way, what) in [(0, "from zero"), (1, "warm")] {
        let number = published.get("warmstart-stiffness")?;
        let seen = if falls(way) { "falls" } else { "does not fall" };
        let quantity = format!("applications of spg as contacts get softer, {what}");
        rows.push(number.row(quantity, seen, Verdict::matches(falls(way))));
    }
    let header = ["solver", "stiffness[N/m]", "cold[-]", "warm[-]"].map(str::to_owned);
    options.curve("tasora2013-warmstart", &header, &lines)?;
    let chart = Chart {
        title: format!(
            "{} spheres under a lid: applications of W a step (right end: rigid)",
            packing.grains.len()
        ),
        x: "stiffness K, N/m",
        y: "applications of W a step",
        logarithmic: true,
        curves,
    };
    options.chart("tasora2013-warmstart", &chart)?;
    Ok(rows)
}
