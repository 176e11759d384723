//! A cluster of spheres hits an obstacle with steps of three diameters [maury2006, §6.3, figures 8
//! to 11].

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use granule::cases;
use granule::collision::near_pairs;
use granule::measure;
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::time::Instant;

/// The mean radius, m.
const MEAN_RADIUS: f64 = 0.015;

/// The steps that the paper shows.
const SHOWN: [u64; 4] = [0, 3, 6, 9];

/// Feasibility and energy in every one of ten steps, for 2000 spheres and for 50 000.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let counts: &[usize] = if options.quick {
        &[2000]
    } else {
        &[2000, 50_000]
    };
    let mut rows = Vec::new();
    for &count in counts {
        rows.extend(impact(count, published, options)?);
    }
    Ok(rows)
}

fn impact(count: usize, published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let rounding = published.tolerance("cluster-gap")?;
    let mut settings = Settings::new(StepSize::Fixed(0.1), 1.0);
    // The tolerance of the smaller cluster would cost the larger one a quarter of an hour.
    settings.solver.tolerance = if count > 10_000 { 1e-6 } else { 1e-9 };
    settings.solver.max_iterations = 100_000;
    let mut simulation = Simulation::new(cases::cluster(count, 0), settings)?;
    let start = Instant::now();
    let draw = |simulation: &Simulation| {
        let step = simulation.world().steps;
        let Some(place) = SHOWN.iter().position(|&shown| shown == step) else {
            return Ok(());
        };
        options.draw(
            simulation.world(),
            &format!("maury2006-cluster-{count}-step{step}"),
            format!("{count} spheres, step {step} (figure {})", 8 + place),
        )
    };
    draw(&simulation)?;
    let initial = measure::kinetic_energy(&simulation.world().bodies);
    let (mut energy, mut grew) = (initial, 0);
    let (mut smallest, mut deepest) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut certified, mut steps) = (0, 0);
    while !simulation.finished() {
        let report = simulation.step()?;
        options.say(format!("{count} spheres, step {} of 10", report.step));
        let gap = smallest_gap(simulation.world());
        smallest = smallest.min(gap);
        let allowed =
            report.step_size * report.certificate.residual + rounding.most() * MEAN_RADIUS;
        deepest = deepest.max(-gap - allowed);
        grew += usize::from(report.kinetic_energy > energy);
        energy = report.kinetic_energy;
        certified += usize::from(report.certified);
        steps += 1;
        draw(&simulation)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let of = |what: &str| format!("{count} spheres: {what}");
    let feasible = published.get("cluster-gap")?;
    let decreasing = published.get("cluster-energy")?;
    Ok(vec![
        feasible
            .row(
                of("smallest gap in ten steps / mean radius"),
                smallest / MEAN_RADIUS,
                Verdict::matches(deepest <= 0.0),
            )
            .note(rounding.note(
                "in every step no deeper than its certificate times the step, and radii times",
            )),
        decreasing
            .row(
                of("steps that gained energy"),
                grew,
                Verdict::matches(grew == 0),
            )
            .note("match: none"),
        Row::unpublished(of("energy left after ten steps"), energy / initial),
        Row::unpublished(of("certified steps"), certified)
            .note(format!("of {steps}, to {:e}", settings.solver.tolerance)),
        Row::unpublished(of("time"), seconds).unit("s"),
    ])
}

/// The smallest distance between two spheres, or of a sphere from the floor y = 0; m.
fn smallest_gap(world: &World) -> f64 {
    let bodies = &world.bodies;
    // Pairs within a tenth of a radius are enough: there are always some in a cluster that has hit.
    let pairs = near_pairs(bodies, |radius| 1.1 * radius);
    let between = pairs.iter().map(|&[a, b]| {
        bodies.position[a].distance(bodies.position[b]) - bodies.radius[a] - bodies.radius[b]
    });
    let floor = bodies
        .position
        .iter()
        .zip(&bodies.radius)
        .map(|(x, r)| x.y - r);
    between.chain(floor).fold(f64::INFINITY, f64::min)
}
