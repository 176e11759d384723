//! A box of spheres that settles with friction, solved accurately at every step of a second: one at
//! rest, and the last of the published run, while grains still flow. What the accuracy costs, and
//! whether one solver reaches it by itself.

use super::{Entry, at_least_one, in_pool};
use crate::failure::Failure;
use crate::names::parse_law;
use clap::Args;
use granule::cases;
use granule::law::{Friction, LawName, LawTable};
use granule::simulation::{Simulation, Snapshot, StepReport, World};
use granule::solver::{Method, OnFailure};
use indicatif::ProgressBar;
use std::time::Instant;

/// The tolerance of the steps before the accurate ones.
const SETTLING: f64 = 1e-3;
/// At rest: the kinetic energy as a share of m g L, with L the side of the box. (At t = 8, where the
/// published run ends, it is about 1e-4, and one contact in four slides.)
const AT_REST: f64 = 1e-6;
/// A box that is not at rest by then, s, is taken as it is.
const LONGEST: f64 = 60.0;
/// μ.
const FRICTION: f64 = 0.5;

/// Options of `granule bench settled_box`.
#[derive(Args)]
pub struct SettledBoxArguments {
    /// Spheres along a side of the box, n³ in all
    #[arg(long, default_value_t = 20, value_parser = at_least_one, allow_negative_numbers = true)]
    n: usize,
    /// Only this law, coulomb-convex or coulomb
    #[arg(long, value_parser = parse_law)]
    law: Option<LawName>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = at_least_one, allow_negative_numbers = true)]
    threads: usize,
}

/// What an accurate second did.
#[derive(Default)]
struct Second {
    steps: usize,
    contacts: usize,
    iterations: usize,
    most_iterations: usize,
    failed: usize,
    worst_scaled: f64,
    worst_relative: f64,
    worst_residual: f64,
    seconds: f64,
}

/// The kinetic energy of translation over m g L, L = 10 m, g = 1 m/s².
fn kinetic_share(world: &World) -> f64 {
    let bodies = &world.bodies;
    let parts = bodies.velocity.iter().zip(&bodies.mass);
    let energy: f64 = parts.map(|(v, mass)| 0.5 * mass * v.length_squared()).sum();
    energy / (10.0 * bodies.mass.iter().sum::<f64>())
}

fn input(error: granule::simulation::SetupError) -> Failure {
    Failure::Input(error.to_string())
}

fn step(simulation: &mut Simulation, bar: &ProgressBar) -> Result<StepReport, Failure> {
    let report = simulation
        .step()
        .map_err(|error| Failure::Run(error.to_string()))?;
    bar.set_message(format!("t = {:.2} s", simulation.world().time));
    bar.tick();
    Ok(report)
}

/// The box at rest, and two seconds before the published run ends.
fn states(
    n: usize,
    law: LawName,
    bar: &ProgressBar,
) -> Result<[(&'static str, Snapshot); 2], Failure> {
    let mut world = cases::box_drop(n, 0);
    world.laws = LawTable::uniform(law.with(Friction::sliding(FRICTION)));
    let mut settings = cases::box_drop_settings(n);
    let published_end = settings.end;
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = SETTLING;
    settings.end = LONGEST;
    let mut simulation = Simulation::new(world, settings).map_err(input)?;
    while simulation.world().time < published_end - 2.0 {
        step(&mut simulation, bar)?;
    }
    let flowing = simulation.snapshot();
    while !simulation.finished()
        && (simulation.world().time < published_end || kinetic_share(simulation.world()) > AT_REST)
    {
        step(&mut simulation, bar)?;
    }
    Ok([("at rest", simulation.snapshot()), ("flowing", flowing)])
}

/// Two seconds from a state, each step solved to a tolerance; the second one counts, when the traces of
/// less accurate steps are gone.
fn accurately(state: &Snapshot, tolerance: f64, bar: &ProgressBar) -> Result<Second, Failure> {
    let mut snapshot = state.clone();
    let counts = state.world.time + 1.0;
    snapshot.settings.end = counts + 1.0;
    snapshot.settings.solver.tolerance = tolerance;
    // Whether one solver gets there by itself is the question.
    snapshot.settings.solver.on_failure = OnFailure::Warn;
    let mut simulation = Simulation::restore(snapshot).map_err(input)?;
    let mut second = Second::default();
    while simulation.world().time < counts {
        step(&mut simulation, bar)?;
    }
    let start = Instant::now();
    while !simulation.finished() {
        let report = step(&mut simulation, bar)?;
        second.steps += 1;
        second.contacts = report.contacts;
        second.iterations += report.iterations;
        second.most_iterations = second.most_iterations.max(report.iterations);
        second.failed += usize::from(!report.certified);
        second.worst_scaled = second.worst_scaled.max(report.certificate.scaled);
        second.worst_relative = second.worst_relative.max(report.certificate.relative);
        second.worst_residual = second.worst_residual.max(report.certificate.residual);
    }
    second.seconds = start.elapsed().as_secs_f64();
    Ok(second)
}

/// Measures and adds the entries.
pub fn measure(arguments: &SettledBoxArguments, entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let SettledBoxArguments { n, threads, .. } = *arguments;
    let laws = [
        (LawName::CoulombConvex, [&[1e-6][..], &[1e-6]]),
        // While grains flow, 1e-6 is beyond all methods here.
        (LawName::Coulomb, [&[1e-5, 1e-6], &[1e-5]]),
    ];
    let wanted = |law: LawName| arguments.law.is_none_or(|name| name == law);
    if !laws.iter().any(|(law, _)| wanted(*law)) {
        return Err(Failure::Input(
            "--law must be coulomb-convex or coulomb".to_owned(),
        ));
    }
    let bar = ProgressBar::new_spinner();
    for (law, tolerances) in laws.into_iter().filter(|(law, _)| wanted(*law)) {
        let states = in_pool(threads, || states(n, law, &bar))??;
        let law = law.name();
        for ((what, state), tolerances) in states.iter().zip(tolerances) {
            for &tolerance in tolerances {
                let second = in_pool(threads, || accurately(state, tolerance, &bar))??;
                let note = format!(
                    "{law}, {} spheres, {} contacts, {what} (t = {:.1} s, kinetic energy {:.1e} m g L)",
                    n * n * n,
                    second.contacts,
                    state.world.time,
                    kinetic_share(&state.world),
                );
                // A long benchmark says what it has so far.
                bar.suspend(|| {
                    let Second { failed, steps, .. } = second;
                    eprintln!("{note}: {failed} of {steps} steps not certified to {tolerance:.0e}");
                });
                second.enter(tolerance, threads, &note, entries);
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

impl Second {
    fn enter(&self, tolerance: f64, threads: usize, note: &str, entries: &mut Vec<Entry>) {
        let mut add = |quantity: &str, value: f64, unit| {
            entries.push(Entry {
                name: "settled_box",
                quantity: format!("{quantity}, to {tolerance:.0e}"),
                value,
                unit,
                threads,
                note: note.to_owned(),
            });
        };
        let steps = self.steps as f64;
        add("steps", steps, "-");
        add("step", self.seconds / steps, "s");
        add("iterations a step", self.iterations as f64 / steps, "-");
        add("most iterations", self.most_iterations as f64, "-");
        add("worst scaled error", self.worst_scaled, "-");
        add("worst relative error", self.worst_relative, "-");
        add("worst residual", self.worst_residual, "m/s");
        add("steps not certified", self.failed as f64, "-");
    }
}
