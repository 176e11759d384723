//! What a few contacts of another kind cost beside many round ones.

use super::operator::{packing, problem};
use super::{Entry, in_pool};
use crate::failure::Failure;
use granule::cases::with_other_shapes;
use granule::problem::{ContactProblem, Sets};
use granule::solver::{Ask, Method, SolverConfig, solver};
use std::time::Instant;

/// Spheres along a side: 100 000 contacts, about.
const SIDE: usize = 24;
/// Bodies of another shape, each with two contacts and a joint.
const OTHERS: usize = 20;
/// Iterations of the shorter and of the longer solve: their difference counts.
const ITERATIONS: [usize; 2] = [5, 45];
/// Solves of each kind, in turns; the best count.
const REPETITIONS: usize = 8;

/// Seconds of one solve of so many iterations.
fn time(problem: &ContactProblem, method: Method, iterations: usize) -> f64 {
    let config = SolverConfig {
        tolerance: 1e-300,
        ..SolverConfig::named(method)
    };
    let ask = Ask {
        iterations,
        ..config.ask()
    };
    let mut impulses = vec![0.0; problem.len()];
    let mut solver = solver(&config);
    let start = Instant::now();
    solver.solve(problem, &mut impulses, &ask);
    start.elapsed().as_secs_f64()
}

/// Seconds of one iteration of each problem, measured in turns.
fn iterations(problems: [&ContactProblem; 2], method: Method) -> [f64; 2] {
    let mut best = [[f64::INFINITY; 2]; 2];
    for _ in 0..REPETITIONS {
        for (problem, best) in problems.iter().zip(&mut best) {
            for (count, best) in ITERATIONS.iter().zip(best) {
                *best = best.min(time(problem, method, *count));
            }
        }
    }
    let difference = (ITERATIONS[1] - ITERATIONS[0]) as f64;
    best.map(|[short, long]| (long - short) / difference)
}

/// Measures and adds the entries.
pub fn measure(entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let (centers, pairs) = packing(SIDE);
    let round = ContactProblem {
        sets: Sets::uniform_cone(0.5, pairs.len()),
        ..problem(3, &centers, &pairs)
    };
    let mixed = with_other_shapes(round.clone(), OTHERS, 1);
    // The same velocities without contacts, so that as many of them matter.
    let round = ContactProblem {
        bias: mixed.bias[..round.len()].to_vec(),
        ..round
    };
    let others = mixed.contact_count() - round.contact_count();
    let note = format!("{} round contacts, {others} others", pairs.len());
    for method in [Method::Ags, Method::ApgdAr] {
        let [alone, both] = in_pool(1, || iterations([&round, &mixed], method))?;
        let mut add = |quantity: String, value: f64, unit| {
            entries.push(Entry {
                name: "pools",
                quantity,
                value,
                unit,
                threads: 1,
                note: note.clone(),
            });
        };
        let name = method.name();
        add(format!("{name}, round alone"), 1e3 * alone, "ms/iteration");
        add(format!("{name}, with others"), 1e3 * both, "ms/iteration");
        add(format!("{name}, ratio"), both / alone, "-");
    }
    Ok(())
}
