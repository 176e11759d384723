//! A box of spheres that has come to rest with friction, solved accurately at every step of its last
//! second: what the accuracy costs, and whether it is reached without escalation.

use super::{BenchArguments, Entry, in_pool};
use crate::failure::Failure;
use granule::cases;
use granule::law::{Flow, Friction, Law, LawTable};
use granule::simulation::Simulation;
use granule::solver::Method;
use indicatif::ProgressBar;
use std::time::Instant;

/// The tolerance of the steps before the last second.
const SETTLING: f64 = 1e-3;
/// μ.
const FRICTION: f64 = 0.5;

/// What the last second did.
#[derive(Default)]
struct Second {
    steps: usize,
    contacts: usize,
    iterations: usize,
    most_iterations: usize,
    escalations: usize,
    failed: usize,
    worst_scaled: f64,
    worst_residual: f64,
    seconds: f64,
}

fn run(n: usize, flow: Flow, tolerance: f64) -> Result<Second, Failure> {
    let input = |error: granule::simulation::SetupError| Failure::Input(error.to_string());
    let friction = Friction::sliding(FRICTION);
    let mut world = cases::box_drop(n, 0);
    world.laws = LawTable::uniform(match flow {
        Flow::Associated => Law::CoulombConvex(friction),
        Flow::Exact => Law::Coulomb(friction),
    });
    let mut settings = cases::box_drop_settings(n);
    settings.solver.method = Method::Ags;
    settings.solver.tolerance = SETTLING;
    let end = settings.end;
    settings.end = end - 1.0;
    let mut simulation = Simulation::new(world, settings).map_err(input)?;
    let bar = ProgressBar::new(1000);
    let mut second = Second::default();
    for accurate in [false, true] {
        if accurate {
            let mut snapshot = simulation.snapshot();
            snapshot.settings.end = end;
            snapshot.settings.solver.tolerance = tolerance;
            simulation = Simulation::restore(snapshot).map_err(input)?;
        }
        let start = Instant::now();
        while !simulation.finished() {
            let report = simulation
                .step()
                .map_err(|error| Failure::Run(error.to_string()))?;
            bar.set_position((1000.0 * simulation.world().time / end) as u64);
            if !accurate {
                continue;
            }
            second.steps += 1;
            second.contacts = report.contacts;
            second.iterations += report.iterations;
            second.most_iterations = second.most_iterations.max(report.iterations);
            second.escalations += report.escalations;
            second.failed += usize::from(!report.certified);
            second.worst_scaled = second.worst_scaled.max(report.certificate.scaled);
            second.worst_residual = second.worst_residual.max(report.certificate.residual);
        }
        second.seconds = start.elapsed().as_secs_f64();
    }
    bar.finish_and_clear();
    Ok(second)
}

/// Measures and adds the entries.
pub fn measure(arguments: &BenchArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let (n, threads) = (arguments.n.unwrap_or(20), arguments.threads);
    if n == 0 || threads == 0 {
        return Err(Failure::Input(
            "--n and --threads must be at least 1".to_owned(),
        ));
    }
    let laws = [
        (Flow::Associated, "coulomb-convex", 1e-6),
        (Flow::Exact, "coulomb", 1e-5),
    ];
    let wanted = |law: &str| arguments.law.as_deref().is_none_or(|name| name == law);
    if !laws.iter().any(|(_, law, _)| wanted(law)) {
        return Err(Failure::Input(
            "--law must be coulomb-convex or coulomb".to_owned(),
        ));
    }
    for (flow, law, tolerance) in laws.into_iter().filter(|(_, law, _)| wanted(law)) {
        let second = in_pool(threads, || run(n, flow, tolerance))??;
        let note = format!(
            "{law}, {} spheres, {} contacts, tolerance {tolerance:.0e}, last second",
            n * n * n,
            second.contacts
        );
        let mut add = |quantity: &str, value: f64, unit| {
            entries.push(Entry {
                name: "settled_box",
                quantity: quantity.to_owned(),
                value,
                unit,
                threads,
                note: note.clone(),
            });
        };
        let steps = second.steps as f64;
        add("steps", steps, "-");
        add("step", second.seconds / steps, "s");
        add("iterations a step", second.iterations as f64 / steps, "-");
        add("most iterations", second.most_iterations as f64, "-");
        add("worst scaled error", second.worst_scaled, "-");
        add("worst residual", second.worst_residual, "m/s");
        add("escalations", second.escalations as f64, "-");
        add("steps not certified", second.failed as f64, "-");
    }
    Ok(())
}
