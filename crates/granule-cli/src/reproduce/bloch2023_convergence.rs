//! Order of convergence for a disk that falls on an inclined plane without friction [bloch2023,
//! §3.2.1, figure 6].

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use granule::cases;
use granule::simulation::{Settings, Simulation, StepSize};
use granule::solver::Method;

/// The time steps, s.
const STEPS: [f64; 5] = [0.05, 0.02, 0.01, 0.005, 0.002];

/// How far the order may be from the published one.
const SLACK: f64 = 0.05;

/// The L² errors and their order.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut errors = Vec::new();
    for step in STEPS {
        options.say(format!("a disk falls on a plane, dt = {step}"));
        errors.push(error(step)?);
    }
    let order = order(&errors);
    let number = published.get("convergence-order")?;
    let verdict = Verdict::matches((order - number.float()?).abs() <= SLACK);
    let head = number
        .row(
            "order of the L2 error of positions, no friction",
            order,
            verdict,
        )
        .note(format!(
            "least squares over dt = {STEPS:?}, to t = 10; match: within {SLACK}"
        ));
    let mut rows = vec![head];
    for (step, error) in STEPS.iter().zip(&errors) {
        let prototype = published.get(&format!("convergence-error-{step}"))?;
        let relative = error / prototype.float()? - 1.0;
        rows.push(
            Row::unpublished(format!("L2 error of positions, dt = {step}"), *error)
                .unit(&prototype.unit)
                .note(format!(
                    "the paper has a curve only; {}: {}, relative difference {relative:.0e}",
                    prototype.source, prototype.value
                )),
        );
    }
    let header = ["step[s]", "error[m s^0.5]"].map(str::to_owned);
    let curve: Vec<_> = STEPS
        .iter()
        .zip(&errors)
        .map(|(h, e)| vec![*h, *e])
        .collect();
    options.curve("bloch2023-convergence", &header, &curve)?;
    Ok(rows)
}

/// √(Σ_k Δt |x(t_k) - x_k|²) over the steps to t = 10.
fn error(step: f64) -> Result<f64, Error> {
    let mut settings = Settings::new(StepSize::Fixed(step), 10.0);
    settings.solver.method = Method::ApgdAsr;
    settings.solver.tolerance = 1e-13;
    let mut simulation = Simulation::new(cases::disk_on_incline(), settings)?;
    let mut sum = 0.0;
    while !simulation.finished() {
        let time = simulation.step()?.time;
        let position = simulation.world().bodies.position[0];
        let (down, gap) = cases::exact_frictionless(time);
        sum += step * ((position.x - down).powi(2) + (position.y - 1.0 - gap).powi(2));
    }
    Ok(sum.sqrt())
}

/// The slope of the straight line through the logarithms, by least squares.
fn order(errors: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let x: Vec<f64> = STEPS.iter().map(|h| h.ln()).collect();
    let y: Vec<f64> = errors.iter().map(|e| e.ln()).collect();
    let (mean_x, mean_y) = (mean(&x), mean(&y));
    let moment: f64 = x
        .iter()
        .zip(&y)
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    moment / x.iter().map(|x| (x - mean_x).powi(2)).sum::<f64>()
}
